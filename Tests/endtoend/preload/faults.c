// Faults that no pseudo-terminal has: loaded into a program by LD_PRELOAD, it makes system calls on
// one device answer as a slow, a stubborn or an interrupted driver would.
//
//   FAULT_NODE      the device's node; calls on other files are left alone
//   FAULT_WRITE     write() takes at most so many bytes
//   FAULT_AGAIN     every so many writes take nothing (EAGAIN)
//   FAULT_READ      read() brings at most so many bytes
//   FAULT_TRAP      read() traps
//   FAULT_OVERFLOW  read() uses up the stack
//   FAULT_EINTR     every so many reads, writes and waits, on any file, are interrupted (EINTR)
//   FAULT_OUTQ      so many bytes are always still in the driver, until they are flushed (tcflush)
//   FAULT_STUBBORN  flushing does not help either
//   FAULT_CLOSE_MS  closing takes so long while bytes are in the driver, as closing_wait does
//   FAULT_NO_RANGE  the kernel has no close_range() (ENOSYS)
//   FAULT_DRAIN_MS  tcdrain() takes so long while bytes are in the driver
//   FAULT_TRACE     the file to which tcsetattr(), on any terminal, appends its second argument

#define _GNU_SOURCE
#include <asm/termbits.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_flushed;

// The next definition of the function that calls this: the C library's own.
#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long setting(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static bool is_device(int descriptor) {
  static dev_t device;
  struct stat status;
  if (device == 0) {
    const char *node = getenv("FAULT_NODE");
    if (!node || stat(node, &status) != 0) return false;
    device = status.st_rdev;
  }
  int error = errno;
  bool is = fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == device;
  errno = error;
  return is;
}

static bool is_interrupted(void) {
  static unsigned long calls;
  long every = setting("FAULT_EINTR");
  if (every == 0 || ++calls % (unsigned long)every != 0) return false;
  errno = EINTR;
  return true;
}

static size_t at_most(size_t count, long limit) {
  return limit > 0 && count > (size_t)limit ? (size_t)limit : count;
}

static void take_time(const char *name, int descriptor) {
  long milliseconds = setting(name);
  if (milliseconds == 0 || is_flushed || setting("FAULT_OUTQ") == 0 || !is_device(descriptor))
    return;
  struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}

static int overflow_stack(void);
// Through a pointer, so that no compiler makes a loop of it.
static int (*volatile overflow_again)(void) = overflow_stack;

static int overflow_stack(void) {
  volatile char frame[4096];
  frame[0] = 1;
  return overflow_again() + frame[0];
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  static unsigned long calls;
  if (is_interrupted()) return -1;
  if (is_device(descriptor)) {
    long again = setting("FAULT_AGAIN");
    if (again > 0 && ++calls % (unsigned long)again == 0) {
      errno = EAGAIN;
      return -1;
    }
    count = at_most(count, setting("FAULT_WRITE"));
  }
  return ORIGINAL(write)(descriptor, bytes, count);
}

ssize_t read(int descriptor, void *buffer, size_t count) {
  if (is_interrupted()) return -1;
  if (is_device(descriptor)) {
    if (setting("FAULT_TRAP")) __builtin_trap();
    if (setting("FAULT_OVERFLOW")) return overflow_stack();
    count = at_most(count, setting("FAULT_READ"));
  }
  return ORIGINAL(read)(descriptor, buffer, count);
}

int epoll_wait(int descriptor, struct epoll_event *events, int count, int timeout) {
  if (is_interrupted()) return -1;
  return ORIGINAL(epoll_wait)(descriptor, events, count, timeout);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  long waiting = setting("FAULT_OUTQ");
  if (waiting > 0 && is_device(descriptor)) {
    if (request == TIOCOUTQ) {
      *(int *)argument = is_flushed ? 0 : (int)waiting;
      return 0;
    }
    if (request == TCFLSH && (long)argument != TCIFLUSH)
      is_flushed = setting("FAULT_STUBBORN") == 0;
  }
  return ORIGINAL(ioctl)(descriptor, request, argument);
}

// The C library's tcflush() and tcdrain() do not pass ioctl() where it could be replaced.
int tcflush(int descriptor, int queue) {
  return ioctl(descriptor, TCFLSH, (long)queue);
}

int tcdrain(int descriptor) {
  take_time("FAULT_DRAIN_MS", descriptor);
  return ioctl(descriptor, TCSBRK, 1L);
}

int tcsetattr(int descriptor, int when, const struct termios *attributes) {
  const char *path = getenv("FAULT_TRACE");
  FILE *trace = path ? fopen(path, "a") : NULL;
  if (trace) {
    fprintf(trace, "%d\n", when);
    fclose(trace);
  }
  int (*original)(int, int, const struct termios *) = dlsym(RTLD_NEXT, "tcsetattr");
  return original(descriptor, when, attributes);
}

int close(int descriptor) {
  take_time("FAULT_CLOSE_MS", descriptor);
  return ORIGINAL(close)(descriptor);
}

int close_range(unsigned first, unsigned last, int flags) {
  if (!setting("FAULT_NO_RANGE")) return ORIGINAL(close_range)(first, last, flags);
  errno = ENOSYS;
  return -1;
}
