// driver SCENARIO [-n BYTES] [-r RATE] [-k COUNT] [-s MICROSECONDS] [-o pipe|file] [-R] [-m] [-l]
//   -- PROGRAM ARGUMENT...
//
// Prints figures as lines `name value`. -o: what the program writes goes there and not to its
// terminal; -R: random bytes; -m: what comes out differs from what goes in, look for an end mark; -l: whole
// lines come out.
#define _GNU_SOURCE
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct program program;

static void kill_program(void) {
  if (program.pid > 0) kill(program.pid, SIGKILL);
}

int main(int count, char **arguments) {
  struct options options = {.bytes = 1 << 24, .count = 127, .is_checked = true};
  if (count < 2) return 2;
  const char *scenario = arguments[1];
  optind = 2;
  for (int option; (option = getopt(count, arguments, "+n:r:k:s:o:RDml")) != -1;) {
    switch (option) {
      case 'n': options.bytes = strtoul(optarg, NULL, 10); break;
      case 'r': options.rate = atol(optarg); break;
      case 'k': options.count = atoi(optarg); break;
      case 's': options.spacing = atoi(optarg); break;
      case 'o': options.output = strcmp(optarg, "pipe") == 0 ? PIPE : FILE_ON_DISK; break;
      case 'R': options.is_random = true; break;
      case 'D': options.is_drawn = true; break;
      case 'm': options.is_checked = false; break;
      case 'l': options.shows_lines = true; break;
      default: return 2;
    }
  }
  bool is_reconnect = strcmp(scenario, "reconnect") == 0;
  program = start(arguments + optind, is_reconnect, options.output);
  atexit(kill_program);
  double ready = wait_until_ready(&program, options.shows_lines);
  if (strcmp(scenario, "startup") == 0) report("startup_ms", ready * 1000);
  else if (strcmp(scenario, "screen") == 0) to_screen(&program, &options);
  else if (strcmp(scenario, "steady") == 0) steady(&program, &options);
  else if (strcmp(scenario, "paste") == 0) paste(&program, &options);
  else if (strcmp(scenario, "echo") == 0) echo_keys(&program, &options);
  else if (is_reconnect) reconnect(&program, &options);
  else if (strcmp(scenario, "flood") == 0) keys_in_flood(&program, &options);
  else if (strcmp(scenario, "idle") == 0) report_idle(program.pid, 10);
  else return 2;
  stop(&program);
  program.pid = 0;
  return 0;
}
