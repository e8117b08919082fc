#define _GNU_SOURCE
#include "bench.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <utmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static double started;

int make_device(char *node) {
  // The slave stays open, so that a program that opens it again finds it unchanged.
  int device, slave;
  if (openpty(&device, &slave, node, NULL, NULL) != 0) die("openpty");
  fcntl(device, F_SETFD, FD_CLOEXEC);
  fcntl(slave, F_SETFD, FD_CLOEXEC);
  struct termios raw;
  tcgetattr(slave, &raw);
  cfmakeraw(&raw);
  tcsetattr(slave, TCSANOW, &raw);
  return device;
}

// An argument with `{}` replaced by the device's name.
static char *named(char *argument, const char *name) {
  char *place = strstr(argument, "{}"), *result;
  if (!place) return argument;
  if (asprintf(&result, "%.*s%s%s", (int)(place - argument), argument, name, place + 2) < 0)
    die("asprintf");
  return result;
}

// Makes a destination for a program's output; returns the end to write to, and the end to read
// from.
static int make_output(enum output output, int *reader) {
  int ends[2];
  if (output == PIPE) {
    if (pipe2(ends, O_CLOEXEC) != 0) die("pipe");
    *reader = ends[0];
    return ends[1];
  }
  int writer = open("output", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  *reader = open("output", O_RDONLY | O_CLOEXEC);
  if (writer < 0 || *reader < 0) die("output");
  return writer;
}

struct program start(char **arguments, bool is_linked, enum output output) {
  int terminal, terminal_slave;
  char node[64];
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  int device = make_device(node);
  if (openpty(&terminal, &terminal_slave, NULL, NULL, &size) != 0) die("openpty");
  if (is_linked && symlink(node, DEVICE_LINK) != 0) die(DEVICE_LINK);
  char name[PATH_MAX + sizeof "/" DEVICE_LINK];
  if (is_linked) strcat(realpath(".", name), "/" DEVICE_LINK);
  else strcpy(name, node);
  for (char **argument = arguments; *argument; argument++) *argument = named(*argument, name);
  int shown = terminal, other = output == TERMINAL ? -1 : make_output(output, &shown);
  started = now();
  pid_t pid = fork();
  if (pid == 0) {
    login_tty(terminal_slave);
    close(terminal);
    if (other >= 0) dup2(other, STDOUT_FILENO);
    setenv("TERM", "xterm", 1);
    execvp(arguments[0], arguments);
    _exit(127);
  }
  close(terminal_slave);
  if (other >= 0) close(other);
  return (struct program){.pid = pid, .device = device, .terminal = terminal, .output = shown};
}

double wait_until_ready(const struct program *program, bool shows_lines) {
  // A character that is in no greeting, and the end of its line.
  const char mark = '~';
  const char line[] = {mark, '\n'};
  char buffer[4096];
  double deadline = started + 10;
  while (now() < deadline) {
    write_all(program->device, line, shows_lines ? 2 : 1);
    size_t count = read_some(program->output, buffer, sizeof buffer, 0.0001);
    if (memchr(buffer, mark, count)) {
      double seconds = now() - started;
      // What else was on its way.
      while (read_some(program->output, buffer, sizeof buffer, 0.3) > 0) {}
      return seconds;
    }
  }
  die("the program shows nothing");
  return 0;
}

void stop(struct program *program) {
  kill(program->pid, SIGTERM);
  double deadline = now() + 1;
  char buffer[65536];
  while (waitpid(program->pid, NULL, WNOHANG) == 0) {
    read_some(program->terminal, buffer, sizeof buffer, 0.01);
    if (now() > deadline) kill(program->pid, SIGKILL);
  }
}
