// The device disappears, and returns under its name, sending words.
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Sends a numbered word every millisecond until one is on the terminal. Returns the number of words
// before it, which are lost; negative if none is shown.
static int speak(const struct program *program) {
  char text[8192];
  size_t kept = 0;
  double start = now();
  for (int number = 0; number < 5000; number++) {
    char word[16];
    write_all(program->device, word, (size_t)snprintf(word, sizeof word, "{%d}", number));
    double next = start + (number + 1) / 1e3;
    while (now() < next) {
      kept += read_some(program->terminal, text + kept, sizeof text - kept, next - now());
      char *first = memchr(text, '{', kept);
      if (first && memchr(first, '}', kept - (size_t)(first - text))) return atoi(first + 1);
      if (kept > sizeof text / 2) kept = 0;
    }
  }
  return -1;
}

void reconnect(struct program *program, const struct options *options) {
  double *times = calloc((size_t)options->count, sizeof *times);
  size_t seen = 0;
  int lost = 0;
  char node[64], buffer[4096];
  for (int index = 0; index < options->count; index++) {
    int old = program->device;
    // Made before the old one is closed, so that its number differs.
    program->device = make_device(node);
    unlink(DEVICE_LINK);
    close(old);
    // A random moment within a second, to be fair to programs that poll once a second.
    sleep_until(now() + 1 + index * 0.618 - (int)(index * 0.618));
    while (read_some(program->terminal, buffer, sizeof buffer, 0) > 0) {}
    if (waitpid(program->pid, NULL, WNOHANG) != 0) break;  // It does not wait for devices.
    double start = now();
    if (symlink(node, DEVICE_LINK) != 0) die(DEVICE_LINK);
    int words = speak(program);
    if (words < 0) continue;
    lost += words;
    times[seen++] = now() - start;
  }
  report("reconnects", (double)seen);
  if (seen == 0) exit(0);
  report("lost_words", lost);
  report_quantiles("reconnect_ms", times, seen, 1e3);
  free(times);
}
