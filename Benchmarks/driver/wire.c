// wire RATE MICROSECONDS: a serial line between two pseudo-terminals, whose nodes it prints.
//
// Each direction carries RATE bits a second, ten for a byte; 0 is as fast as it goes. What the second node
// sends takes MICROSECONDS more, as an adapter that delivers late does. Runs until it is killed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

typedef int64_t nanoseconds;

// A byte is on time if the wait for it ends by itself this much earlier.
static const nanoseconds spinning = 120 * 1000;
// Bytes that nobody waits for are delivered together, as a UART with a FIFO does.
static const nanoseconds together = 1000 * 1000;

// How many bytes are on their way: a few, so that the sender's bytes wait where it can withdraw them.
enum { PACED = 64, UNPACED = 65536 };

struct direction {
  int source, sink;
  nanoseconds byte_time, delay;
  size_t capacity, count;
  uint8_t bytes[UNPACED];
  // When the line has carried the first byte, if it is paced, and the last.
  nanoseconds first, last;
};

static nanoseconds now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static int make_end(void) {
  int master, slave;
  char node[64];
  struct termios raw;
  if (openpty(&master, &slave, node, NULL, NULL) != 0) exit(1);
  tcgetattr(slave, &raw);
  cfmakeraw(&raw);
  tcsetattr(slave, TCSANOW, &raw);
  fcntl(master, F_SETFL, O_NONBLOCK);
  puts(node);
  return master;
}

// Takes bytes of the sender.
static void take(struct direction *line) {
  if (line->count == line->capacity) return;
  ssize_t count = read(line->source, line->bytes + line->count, line->capacity - line->count);
  if (count <= 0) return;
  nanoseconds moment = now();
  if (line->last < moment) line->last = moment;
  if (line->count == 0) line->first = line->last + line->byte_time;
  line->last += count * line->byte_time;
  line->count += count;
}

// Delivers the bytes that have arrived.
static void deliver(struct direction *line) {
  if (line->count == 0) return;
  size_t due = line->count;
  if (line->byte_time > 0) {
    nanoseconds passed = now() - line->delay - line->first;
    if (passed < 0) return;
    due = passed / line->byte_time + 1;
    if (due > line->count) due = line->count;
  }
  ssize_t count = write(line->sink, line->bytes, due);
  if (count <= 0) return;
  line->count -= count;
  line->first += count * line->byte_time;
  memmove(line->bytes, line->bytes + count, line->count);
}

// When bytes have to be delivered: the last one on time, and those before it with others.
static nanoseconds deadline(const struct direction *line) {
  if (line->count == 0) return INT64_MAX;
  nanoseconds last = line->last + line->delay, first = line->first + line->delay + together;
  return line->byte_time == 0 ? 0 : last < first ? last : first;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  long rate = atol(arguments[1]), delay = atol(arguments[2]);
  // Only root may; without it, a busy machine makes the line slower.
  (void)setpriority(PRIO_PROCESS, 0, -20);
  int first = make_end(), second = make_end();
  fflush(stdout);
  nanoseconds byte_time = rate ? 10 * 1000000000ll / rate : 0;
  size_t capacity = rate ? PACED : UNPACED;
  static struct direction lines[2];
  lines[0] = (struct direction){.source = first, .sink = second, .byte_time = byte_time, .capacity = capacity};
  lines[1] = (struct direction){
    .source = second, .sink = first, .byte_time = byte_time, .delay = delay * 1000, .capacity = capacity};
  for (;;) {
    struct pollfd polls[2] = {{.fd = first}, {.fd = second}};
    nanoseconds next = INT64_MAX, moment = now();
    for (int side = 0; side < 2; side++) {
      struct direction *line = &lines[side];
      if (line->count < line->capacity) polls[side].events |= POLLIN;
      if (byte_time == 0 && line->count > 0) polls[1 - side].events |= POLLOUT;
      nanoseconds own = byte_time ? deadline(line) : INT64_MAX;
      if (own < next) next = own;
    }
    nanoseconds wait = next - moment - spinning;
    struct timespec time = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
    struct timespec none = {0};
    if (ppoll(polls, 2, next == INT64_MAX ? NULL : wait > 0 ? &time : &none, NULL) < 0 && errno != EINTR) return 1;
    for (int side = 0; side < 2; side++) {
      take(&lines[side]);
      deliver(&lines[side]);
    }
  }
}
