#define _GNU_SOURCE
#include "CTerminalGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int guarded_terminal = -1;
static struct termios found_attributes;
static volatile sig_atomic_t is_guarding;

static const void *screen_restoration;
static size_t screen_restoration_size;

static pid_t guard = -1;
static int guard_pipe = -1;

// MARK: The screen

// Opened anew, so that a terminal that takes nothing keeps nobody: O_NONBLOCK belongs to the open
// file, which the user's shell shares. Where that is not allowed, after su(1) for one, a terminal
// that says it has room is trusted. Only async-signal-safe functions.
static void restore_screen(int terminal, const char *path) {
  if (!screen_restoration) return;
  int own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct pollfd output = {.fd = own < 0 ? terminal : own, .events = POLLOUT};
  if (poll(&output, 1, 0) == 1 && output.revents == POLLOUT)
    (void)!write(output.fd, screen_restoration, screen_restoration_size);
  if (own >= 0) close(own);
}

// MARK: Crashes

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { CRASH_SIGNAL_COUNT = sizeof crash_signals / sizeof *crash_signals };

// The runtime's own words, if it has any, do not say whose they are, and for want of memory it may
// have none.
static void say_crash(void) {
  static const char words[] =
      "serialterm: crashed: out of memory, or a mistake in the program itself.\n";
  // A terminal that takes nothing must not keep us.
  struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (poll(&output, 1, 0) == 1 && output.revents == POLLOUT)
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
}

// Only async-signal-safe functions, see signal-safety(7). SA_RESETHAND has made the default the
// action already: raised again here, the signal waits until this returns and then ends the process
// with the status and the core that it would have had.
static void on_crash(int signal) {
  if (is_guarding) {
    restore_screen(STDOUT_FILENO, "/proc/self/fd/1");  // the same terminal, see the header
    tcsetattr(guarded_terminal, TCSANOW, &found_attributes);
  }
  say_crash();
  raise(signal);
}

// A stack of its own: the crash may be that the stack is used up.
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

// The guard's whole life. `pipe` reports the end of file when the guarded process has ended,
// however it did: nobody else has the other end.
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

// Of the kernel: see getdents(2), which nothing else declares.
struct linux_dirent64 {
  uint64_t d_ino;
  int64_t d_off;
  unsigned short d_reclen;
  unsigned char d_type;
  char d_name[];
};

// Closes all descriptors from `first` on. Kernels before 5.9 have no close_range(2), and the filters of
// some containers do not know it: then those in /proc/self/fd are closed. Read without readdir(3),
// which allocates: another thread may have held the allocator when this process was forked off.
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
      // Not `.` and `..`, and not what is being read.
      if (digit != entry->d_name && number >= first && number != folder) close(number);
    }
  }
  close(folder);
}

static void become_guard(int pipe, int terminal, const struct termios *raw) {
  // Out of the program's process group: what ends the group must not end its guard. SIGTTOU would
  // stop a background process that sets the terminal, unless it is ignored; see tcsetattr(3).
  setpgid(0, 0);
  prctl(PR_SET_NAME, "serialterm-grd");
  for (int i = 0; i < CRASH_SIGNAL_COUNT; i++) signal(crash_signals[i], SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  signal(SIGTTOU, SIG_IGN);
  // The kernel sends it to a stopped process whose parent ends: restoring comes first.
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGTSTP, SIG_IGN);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Everything else is let go, above all the device: its lock lives as long as any copy of it.
  int own_pipe = dup2(pipe, 0), own_terminal = dup2(terminal, 1);
  close_all_from(2);
  if (chdir("/") == 0 && own_pipe == 0 && own_terminal == 1)
    guard_terminal(own_pipe, own_terminal, raw);
  _exit(0);
}

static int start_guard(int terminal, const struct termios *raw) {
  int ends[2], holding[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  // Ends when the guard has let go of what it does not need.
  if (pipe2(holding, O_CLOEXEC) != 0) holding[0] = holding[1] = -1;
  // Above the descriptors that the guard moves its own to.
  int reading = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
  int own_terminal = fcntl(terminal, F_DUPFD_CLOEXEC, 3);
  pid_t pid = reading < 0 || own_terminal < 0 ? -1 : fork();
  if (pid == 0) become_guard(reading, own_terminal, raw);
  int error = errno;
  // Here too: whatever ends the group from now on must not find the guard in it.
  if (pid > 0) setpgid(pid, pid);
  close(ends[0]);
  if (holding[0] >= 0) {
    // Killed before that, we would leave the port's lock behind in the guard for a moment.
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
  // The terminal has been given back: there is nothing that the guard could still do, and this works
  // also on one that somebody has stopped.
  kill(guard, SIGKILL);
  close(guard_pipe);
  while (waitpid(guard, NULL, 0) < 0 && errno == EINTR) {}
  guard = guard_pipe = -1;
}

// MARK: Interface

void terminal_guard_restore_screen(const void *bytes, size_t count) {
  screen_restoration = bytes;
  screen_restoration_size = count;
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
