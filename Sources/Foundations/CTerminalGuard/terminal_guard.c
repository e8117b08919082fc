#define _GNU_SOURCE
#include "CTerminalGuard.h"

#include "exit_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int guarded_terminal = -1;
static struct termios found_attributes;
static volatile sig_atomic_t is_guarding;

static const void *screen_restoration;
static size_t screen_restoration_size;

// Shared with the guard, which is another process. The program may be killed at any time, so it
// writes the restoration that is not in use.
struct shared {
  unsigned char cursor_place;  // an enum terminal_guard_place
  unsigned char in_use;
  struct {
    size_t size;
    char bytes[TERMINAL_GUARD_DEVICE_LIMIT];
  } device[2];
};
static struct shared *shared;

static pid_t guard = -1;
static int guard_pipe = -1;

// MARK: The screen

// The terminal is opened again, so that a stalled terminal cannot block: O_NONBLOCK belongs to the
// open file description, which the user's shell shares. Where opening it is not allowed, for
// example after su(1), poll(2) decides whether there is room. Only async-signal-safe functions.
static void restore_screen(int terminal, const char *path) {
  if (!screen_restoration) return;
  int own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct pollfd output = {.fd = own < 0 ? terminal : own, .events = POLLOUT};
  // CAN ends a sequence that was cut off; DECRC moves the cursor back to the text. Mode 1049 is
  // only reset on the alternate screen, because that alone moves the cursor.
  static const char from_panel[] = "\030\0338", from_page[] = "\030\033[?1049l\0338";
  unsigned char place = shared ? shared->cursor_place : TERMINAL_GUARD_TEXT;
  int in_use = shared ? __atomic_load_n(&shared->in_use, __ATOMIC_ACQUIRE) : 0;
  int is_page = place == TERMINAL_GUARD_ALTERNATE_SCREEN;
  size_t size = is_page ? sizeof from_page - 1 : sizeof from_panel - 1;
  struct iovec pieces[] = {
      {.iov_base = (void *)(is_page ? from_page : from_panel),
       .iov_len = place == TERMINAL_GUARD_TEXT ? 0 : size},
      {.iov_base = shared ? shared->device[in_use].bytes : NULL,
       .iov_len = shared ? shared->device[in_use].size : 0},
      {.iov_base = (void *)screen_restoration, .iov_len = screen_restoration_size},
  };
  if (poll(&output, 1, 0) == 1 && output.revents == POLLOUT) (void)!writev(output.fd, pieces, 3);
  if (own >= 0) close(own);
}

// MARK: Crashes

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { CRASH_SIGNAL_COUNT = sizeof crash_signals / sizeof *crash_signals };

// A message of the Swift runtime, if any, does not name the program, and without memory there
// is none.
static void report_crash(void) {
  static const char words[] =
      "serialterm: crashed: out of memory, or a bug in serialterm.\n";
  // A stalled terminal must not block.
  struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (poll(&output, 1, 0) == 1 && output.revents == POLLOUT)
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
}

// Only async-signal-safe functions, see signal-safety(7). SA_RESETHAND has already restored the
// default action: raised again here, the signal is pending until this returns, and then ends the
// process with the same status and core file as without this handler.
static void on_crash(int signal) {
  if (is_guarding) {
    restore_screen(STDOUT_FILENO, "/proc/self/fd/1");  // the same terminal, see the header
    tcsetattr(guarded_terminal, TCSANOW, &found_attributes);
  }
  exit_guard_undo();
  report_crash();
  raise(signal);
}

// On a separate stack: the crash may be a stack overflow.
static char crash_stack[16384];

void terminal_guard_handle_crashes(void) {
  stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof crash_stack};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < CRASH_SIGNAL_COUNT; i++)
    sigaction(crash_signals[i], &action, NULL);
}

// MARK: The guard

// Field by field: struct termios has padding.
static bool same_attributes(const struct termios *a, const struct termios *b) {
  return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
         a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

// The main function of the guard. `pipe` reports the end of file when the guarded process has ended
// in any way: no other process has the other end.
static void guard_terminal(int pipe, int terminal, const struct termios *raw) {
  char byte;
  ssize_t count;
  do count = read(pipe, &byte, 1);
  while (count < 0 && errno == EINTR);
  struct termios now;
  if (tcgetattr(terminal, &now) == 0 && same_attributes(&now, raw)) {
    restore_screen(terminal, "/proc/self/fd/1");
    tcsetattr(terminal, TCSANOW, &found_attributes);
  }
}

// The kernel's structure for getdents64, which no header declares; see getdents(2).
struct linux_dirent64 {
  uint64_t d_ino;
  int64_t d_off;
  unsigned short d_reclen;
  unsigned char d_type;
  char d_name[];
};

// Closes all descriptors from `first`. Without close_range(2), on kernels before 5.9 and in
// containers that block it, closes those in /proc/self/fd. readdir(3) cannot be used because it
// allocates: another thread may have held the allocator's lock when this process was forked.
static void close_all_from(int first) {
  if (close_range(first, ~0U, 0) == 0) return;
  int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  _Alignas(struct linux_dirent64) char entries[4096];
  long size;
  while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long offset = 0; offset < size;) {
      const struct linux_dirent64 *entry = (const void *)(entries + offset);
      offset += entry->d_reclen;
      int number = 0;
      const char *digit = entry->d_name;
      while (*digit >= '0' && *digit <= '9') number = number * 10 + (*digit++ - '0');
      // Neither `.` and `..` nor the folder that is being read.
      if (digit != entry->d_name && number >= first && number != folder) close(number);
    }
  }
  close(folder);
}

static void become_guard(int pipe, int terminal, const struct termios *raw) {
  // Leaves the program's process group, so that a signal to the group does not end the
  // guard. SIGTTOU would stop a background process that sets the terminal, so it is ignored;
  // see tcsetattr(3).
  setpgid(0, 0);
  prctl(PR_SET_NAME, "serialterm-grd");
  for (int i = 0; i < CRASH_SIGNAL_COUNT; i++) signal(crash_signals[i], SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  signal(SIGTTOU, SIG_IGN);
  // The kernel sends SIGHUP to a stopped process whose parent ends; the terminal must be
  // restored first.
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGTSTP, SIG_IGN);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Closes everything else, above all the device: its lock lasts as long as any copy of
  // its descriptor.
  int own_pipe = dup2(pipe, 0), own_terminal = dup2(terminal, 1);
  close_all_from(2);
  if (chdir("/") == 0 && own_pipe == 0 && own_terminal == 1)
    guard_terminal(own_pipe, own_terminal, raw);
  _exit(0);
}

static int start_guard(int terminal, const struct termios *raw) {
  int ends[2], holding[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  // Signals that the guard has closed what it does not need.
  if (pipe2(holding, O_CLOEXEC) != 0) holding[0] = holding[1] = -1;
  // Above the descriptors to which the guard moves its own.
  int reading = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
  int own_terminal = fcntl(terminal, F_DUPFD_CLOEXEC, 3);
  pid_t pid = reading < 0 || own_terminal < 0 ? -1 : fork();
  if (pid == 0) become_guard(reading, own_terminal, raw);
  int error = errno;
  // In the parent too: from now on a signal to the group must not reach the guard.
  if (pid > 0) setpgid(pid, pid);
  close(ends[0]);
  if (holding[0] >= 0) {
    // If the program were killed before that, the guard would keep the port's lock for a moment.
    char byte;
    close(holding[1]);
    while (pid > 0 && read(holding[0], &byte, 1) < 0 && errno == EINTR) {}
    close(holding[0]);
  }
  if (reading >= 0) close(reading);
  if (own_terminal >= 0) close(own_terminal);
  if (pid < 0) {
    close(ends[1]);
    errno = error;
    return -1;
  }
  guard = pid;
  guard_pipe = ends[1];
  return 0;
}

static void stop_guard(void) {
  if (guard < 0) return;
  // The terminal is restored, so the guard has nothing left to do. SIGKILL also ends a
  // stopped guard.
  kill(guard, SIGKILL);
  close(guard_pipe);
  while (waitpid(guard, NULL, 0) < 0 && errno == EINTR) {}
  guard = guard_pipe = -1;
}

// MARK: Interface

void terminal_guard_restore_screen(const void *bytes, size_t count) {
  screen_restoration = bytes;
  screen_restoration_size = count;
  if (shared) return;
  void *memory =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  // Without memory, a line of the panel may stay on the screen.
  if (memory != MAP_FAILED) shared = memory;
}

void terminal_guard_set_cursor_place(enum terminal_guard_place place) {
  if (shared) shared->cursor_place = (unsigned char)place;
}

void terminal_guard_set_device_restoration(const void *bytes, size_t count) {
  if (!shared || count > TERMINAL_GUARD_DEVICE_LIMIT) return;
  int other = !shared->in_use;
  memcpy(shared->device[other].bytes, bytes, count);
  shared->device[other].size = count;
  __atomic_store_n(&shared->in_use, (unsigned char)other, __ATOMIC_RELEASE);
}

int terminal_guard_start(int terminal, const struct termios *found, const struct termios *raw) {
  terminal_guard_stop();
  guarded_terminal = terminal;
  found_attributes = *found;
  is_guarding = 1;
  return start_guard(terminal, raw);
}

void terminal_guard_stop(void) {
  stop_guard();
  is_guarding = 0;
}
