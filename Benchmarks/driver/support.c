#define _GNU_SOURCE
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void sleep_until(double moment) {
  double rest = moment - now();
  if (rest <= 0) return;
  struct timespec time = {(time_t)rest, (long)((rest - (double)(time_t)rest) * 1e9)};
  nanosleep(&time, NULL);
}

void die(const char *what) {
  fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
  exit(1);
}

size_t read_some(int descriptor, void *buffer, size_t count, double seconds) {
  double deadline = now() + seconds;
  struct timespec limit = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  struct pollfd end = {.fd = descriptor, .events = POLLIN};
  if (ppoll(&end, 1, &limit, NULL) <= 0 || !(end.revents & POLLIN)) return 0;
  ssize_t done;
  // A file at its end is always readable; more may be written later.
  while ((done = read(descriptor, buffer, count)) == 0 && now() < deadline)
    sleep_until(now() + 0.0001);
  return done > 0 ? (size_t)done : 0;
}

void write_all(int descriptor, const void *buffer, size_t count) {
  const char *bytes = buffer;
  while (count > 0) {
    ssize_t done = write(descriptor, bytes, count);
    if (done < 0 && errno != EINTR && errno != EAGAIN) die("write");
    if (done > 0) bytes += done, count -= (size_t)done;
  }
}

void report(const char *name, double value) { printf("%s %.9g\n", name, value); }

static int compare(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

void report_quantiles(const char *name, double *values, size_t count, double unit) {
  char text[64];
  qsort(values, count, sizeof *values, compare);
  snprintf(text, sizeof text, "%s_median", name);
  report(text, count ? values[count / 2] * unit : -1);
  snprintf(text, sizeof text, "%s_p99", name);
  report(text, count ? values[count * 99 / 100] * unit : -1);
}

// A block whose size has no factor in common with a page or a buffer, so that losing or repeating
// pieces of those sizes is detected.
// Makes the text what a full-screen program draws: rows of 24, each at its place, in a colour.
static void draw_rows(struct stream *stream) {
  size_t size = 0;
  for (int row = 0; size + 100 < stream->size; row++) {
    char before[40];
    int count = snprintf(before, sizeof before, "\033[%d;1H\033[3%dm", row % 24 + 1, row % 7 + 1);
    memcpy(stream->block + size, before, count);
    size += count + 60;
    // Line ends among the letters.
    for (size_t place = size - 60; place < size; place++)
      if (stream->block[place] < 'a') stream->block[place] = 'a';
    memcpy(stream->block + size, "\033[0m\033[K", 7);
    size += 7;
  }
  stream->size = size;
}

struct stream make_stream(bool is_random, bool is_drawn) {
  struct stream stream = {.size = 1048583};
  stream.block = malloc(stream.size);
  uint64_t state = 88172645463325252u;
  for (size_t place = 0; place < stream.size; place++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t column = place % 74;
    stream.block[place] = is_random      ? (uint8_t)(state >> 32)
                          : column == 72 ? '\r'
                          : column == 73 ? '\n'
                                         : (uint8_t)('a' + (state >> 32) % 26);
  }
  if (is_drawn) draw_rows(&stream);
  return stream;
}

uint8_t stream_at(const struct stream *stream, size_t place) {
  return stream->block[place % stream->size];
}

// Calls a function with the path of a file of each thread.
static double sum_over_threads(pid_t pid, const char *file, double (*value)(FILE *)) {
  char path[300];
  double sum = 0;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/%s", pid, entry->d_name, file);
    FILE *stream = fopen(path, "r");
    if (!stream) continue;
    sum += value(stream);
    fclose(stream);
  }
  if (folder) closedir(folder);
  return sum;
}

static double run_time(FILE *schedstat) {
  double nanoseconds = 0;
  return fscanf(schedstat, "%lf", &nanoseconds) == 1 ? nanoseconds / 1e9 : 0;
}

// The number after a name in a file of lines `Name: number`.
static double field(FILE *file, const char *name) {
  char line[256];
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0) return atof(line + strlen(name));
  return 0;
}

static double switches(FILE *status) { return field(status, "voluntary_ctxt_switches:"); }
static double one(FILE *status) { return (void)status, 1; }

double processor_seconds(pid_t pid) { return sum_over_threads(pid, "schedstat", run_time); }

static double kibibytes(pid_t pid, const char *file, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  FILE *stream = fopen(path, "r");
  if (!stream) return 0;
  double value = field(stream, name);
  fclose(stream);
  return value;
}

double peak_memory(pid_t pid) { return kibibytes(pid, "status", "VmHWM:") * 1024; }

void report_idle(pid_t pid, double seconds) {
  double before = sum_over_threads(pid, "status", switches);
  sleep_until(now() + seconds);
  report("wakeups", sum_over_threads(pid, "status", switches) - before);
  report("threads", sum_over_threads(pid, "status", one));
  report("rss_mb", kibibytes(pid, "status", "VmRSS:") / 1024);
  report("pss_mb", kibibytes(pid, "smaps_rollup", "Pss:") / 1024);
  report("private_mb", (kibibytes(pid, "smaps_rollup", "Private_Dirty:") +
                        kibibytes(pid, "smaps_rollup", "Private_Clean:")) / 1024);
}
