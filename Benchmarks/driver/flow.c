// Scenarios with bytes in one direction.
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char end_mark[] = "\r\n~end-of-the-run~\r\n";

struct writer {
  int descriptor;
  const struct stream *stream;
  size_t bytes;
  double rate;
  bool has_mark;
};

static void *write_stream(void *argument) {
  struct writer *writer = argument;
  double start = now();
  size_t piece = writer->rate > 0 ? (size_t)(writer->rate / 1000) + 1 : 65536;
  for (size_t done = 0; done < writer->bytes;) {
    size_t place = done % writer->stream->size;
    size_t count = writer->stream->size - place;
    if (count > piece) count = piece;
    if (count > writer->bytes - done) count = writer->bytes - done;
    write_all(writer->descriptor, writer->stream->block + place, count);
    done += count;
    if (writer->rate > 0) sleep_until(start + (double)done / writer->rate);
  }
  if (writer->has_mark) write_all(writer->descriptor, end_mark, sizeof end_mark - 1);
  return NULL;
}

// Reads `bytes` of the stream; returns how many were right, from the start.
static size_t read_stream(
    int descriptor, const struct stream *stream, size_t bytes, double rate, double patience) {
  static uint8_t buffer[262144];
  double start = now();
  size_t done = 0;
  size_t piece = rate > 0 ? 4096 : sizeof buffer;
  while (done < bytes) {
    size_t count = read_some(descriptor, buffer, piece, patience);
    if (count == 0) return done;
    for (size_t checked = 0; checked < count;) {
      size_t place = done % stream->size;
      size_t span = stream->size - place;
      if (span > count - checked) span = count - checked;
      if (memcmp(buffer + checked, stream->block + place, span) != 0) {
        while (buffer[checked] == stream_at(stream, done)) checked++, done++;
        return done;
      }
      checked += span, done += span;
    }
    if (rate > 0) sleep_until(start + (double)done / rate);
  }
  return done;
}

// Reads up to the mark; returns the number of bytes.
static size_t read_until_mark(int descriptor) {
  static char buffer[262144 + sizeof end_mark];
  const char *mark = "~end-of-the-run~";
  size_t kept = 0, total = 0;
  for (;;) {
    size_t count = read_some(descriptor, buffer + kept, sizeof buffer - kept, 10);
    if (count == 0) die("the end does not come");
    total += count;
    if (memmem(buffer, kept + count, mark, strlen(mark))) return total;
    size_t keep = kept + count < strlen(mark) ? kept + count : strlen(mark);
    memmove(buffer, buffer + kept + count - keep, keep);
    kept = keep;
  }
}

void to_screen(const struct program *program, const struct options *options) {
  struct stream stream = make_stream(options->is_random, options->is_drawn);
  struct writer writer = {program->device, &stream, options->bytes, 0, !options->is_checked};
  double processor = processor_seconds(program->pid), start = now();
  pthread_t thread;
  pthread_create(&thread, NULL, write_stream, &writer);
  if (options->is_checked) {
    size_t right = read_stream(program->output, &stream, options->bytes, 0, 10);
    report("wrong", (double)(options->bytes - right));
    if (right != options->bytes) exit(0);
  } else {
    report("shown_bytes", (double)read_until_mark(program->output));
  }
  double seconds = now() - start;
  pthread_join(thread, NULL);
  report("mb_per_s", (double)options->bytes / 1e6 / seconds);
  report("cpu_s_per_gb",
         (processor_seconds(program->pid) - processor) / ((double)options->bytes / 1e9));
}

void steady(const struct program *program, const struct options *options) {
  struct stream stream = make_stream(false, false);
  struct writer writer = {program->device, &stream, options->bytes, (double)options->rate, false};
  double processor = processor_seconds(program->pid), start = now();
  pthread_t thread;
  pthread_create(&thread, NULL, write_stream, &writer);
  size_t right = read_stream(program->output, &stream, options->bytes, 0, 10);
  double seconds = now() - start;
  pthread_join(thread, NULL);
  report("wrong", (double)(options->bytes - right));
  report("cpu_percent", (processor_seconds(program->pid) - processor) / seconds * 100);
  report("late_percent", (seconds * (double)options->rate / (double)options->bytes - 1) * 100);
}

void paste(const struct program *program, const struct options *options) {
  struct stream stream = make_stream(false, false);
  // No byte is a program's own key: all are lower-case letters and line ends.
  struct writer writer = {program->terminal, &stream, options->bytes, 0, false};
  double memory = peak_memory(program->pid), start = now();
  pthread_t thread;
  pthread_create(&thread, NULL, write_stream, &writer);
  size_t right =
      read_stream(program->device, &stream, options->bytes, (double)options->rate, 3);
  report("lost_percent", 100.0 * (double)(options->bytes - right) / (double)options->bytes);
  report("mb_per_s", (double)right / 1e6 / (now() - start));
  report("memory_growth_kb", (peak_memory(program->pid) - memory) / 1024);
  // The writer's remaining bytes are not needed any more.
  if (right == options->bytes) pthread_join(thread, NULL);
}
