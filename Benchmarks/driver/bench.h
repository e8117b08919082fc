// Runs a terminal program between two pseudo-terminals: its device and its user's terminal.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// A running program, and the other ends of its connections.
struct program {
  pid_t pid;
  int device;    // the master of its device
  int terminal;  // the master of its terminal
  int output;    // where what it shows can be read: its terminal, unless that goes elsewhere
};

// Where a program's standard output goes.
enum output { TERMINAL, PIPE, FILE_ON_DISK };

// The link to a device's node in the working folder, if the device can return.
#define DEVICE_LINK "device"

// The driver's options.
struct options {
  size_t bytes;     // how much is to pass
  bool is_random;   // random bytes instead of lines of text
  bool is_drawn;    // what a full-screen program draws instead
  bool is_checked;  // what comes out is what went in; else only an end mark is looked for
  bool shows_lines;  // the program shows whole lines only
  long rate;        // bytes a second of the slow side; 0 for as fast as it goes
  int count;        // how many keys
  int spacing;      // microseconds between keys; 0 for one as soon as the last has come
  enum output output;
};

// Starts a program on new pseudo-terminals; `{}` in its arguments is the device's node, or the link
// to it.
struct program start(char **arguments, bool is_linked, enum output output);
// Makes a pseudo-terminal in raw mode and keeps it open; returns its master.
int make_device(char *node);
// Waits until bytes of the device reach its output; returns the seconds since the start.
double wait_until_ready(const struct program *program, bool shows_lines);
// Ends it with SIGTERM, then with SIGKILL.
void stop(struct program *program);

double now(void);
void sleep_until(double moment);
// Reads with a deadline; 0 when it has passed.
size_t read_some(int descriptor, void *buffer, size_t count, double seconds);
void write_all(int descriptor, const void *buffer, size_t count);
// Prints `name value`, for the calling script.
void report(const char *name, double value);
void report_quantiles(const char *name, double *values, size_t count, double unit);
void die(const char *what);

// A stream that can be generated from any position, for comparison.
struct stream {
  uint8_t *block;
  size_t size;
};
struct stream make_stream(bool is_random, bool is_drawn);
uint8_t stream_at(const struct stream *stream, size_t place);

// The kernel's figures for a process and its threads.
double processor_seconds(pid_t pid);
double peak_memory(pid_t pid);      // bytes
void report_idle(pid_t pid, double seconds);

// The scenarios.
void to_screen(const struct program *program, const struct options *options);
void steady(const struct program *program, const struct options *options);
void paste(const struct program *program, const struct options *options);
void echo_keys(const struct program *program, const struct options *options);
void reconnect(struct program *program, const struct options *options);
void keys_in_flood(const struct program *program, const struct options *options);
