// Scenarios that time single keys.
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Types keys; the device echoes each one, and the time until the terminal shows it is measured.
void echo_keys(const struct program *program, const struct options *options) {
  double *times = calloc((size_t)options->count, sizeof *times);
  size_t seen = 0;
  for (int index = 0; index < options->count; index++) {
    // Successive keys differ: a late echo of one key does not count for the next.
    char key = (char)('a' + index % 26), byte = 0;
    double start = now();
    if (index >= 3 && seen == 0) die("no key is answered");
    write_all(program->terminal, &key, 1);
    if (read_some(program->device, &byte, 1, 1) == 0 || byte != key) continue;
    write_all(program->device, &byte, 1);
    byte = 0;
    while (byte != key && read_some(program->output, &byte, 1, 1) == 1) {}
    if (byte != key) continue;
    times[seen++] = now() - start;
    if (options->spacing) sleep_until(start + options->spacing / 1e6);
  }
  report("keys_through", (double)seen);
  report_quantiles("echo_us", times, seen, 1e6);
  free(times);
}

struct flood {
  const struct program *program;
  long rate;
  volatile bool is_over;
};

static void *write_flood(void *argument) {
  struct flood *flood = argument;
  struct stream stream = make_stream(false, false);
  while (!flood->is_over) write_all(flood->program->device, stream.block, 4096);
  return NULL;
}

static void *read_flood(void *argument) {
  struct flood *flood = argument;
  static char buffer[65536];
  double start = now();
  size_t done = 0;
  while (!flood->is_over) {
    done += read_some(flood->program->output, buffer, flood->rate ? 512 : sizeof buffer, 0.05);
    if (flood->rate) sleep_until(start + (double)done / (double)flood->rate);
  }
  return NULL;
}

// Types keys while the device floods the terminal, whose rate may be limited.
void keys_in_flood(const struct program *program, const struct options *options) {
  struct flood flood = {.program = program, .rate = options->rate};
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_flood, &flood);
  pthread_create(&reader, NULL, read_flood, &flood);
  sleep_until(now() + 0.5);
  double *times = calloc((size_t)options->count, sizeof *times);
  size_t seen = 0;
  for (int index = 0; index < options->count; index++) {
    char key = (char)('A' + index % 26), got = 0;
    double start = now();
    write_all(program->terminal, &key, 1);
    while (got != key && read_some(program->device, &got, 1, 4) == 1) {}
    if (got == key) times[seen++] = now() - start;
    else if (seen == 0 && index >= 2) break;  // It hears nothing at all.
    sleep_until(start + 0.01);
  }
  report("keys_through", (double)seen);
  report("keys_typed", options->count);
  report_quantiles("key_ms", times, seen, 1e3);
  fflush(stdout);
  flood.is_over = true;
  // The writer may be waiting for a program that has stopped reading.
  exit(0);
}
