// Lists the functions of serialterm that a session uses from its start to its end, in the order of their first
// use. The linker puts them next to each other, so that a start and an idle session touch less memory.
//
//   function-order BINARY > ORDER
//
// Runs 'BINARY connect loopback:' on a pseudo-terminal, types a line and quits. Each function has a breakpoint,
// which is taken away when it is reached (ptrace(2)). BINARY has its symbols.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "only for x86_64: scripts/build does without the order elsewhere"
#endif

static void fail(const char *what) {
  fprintf(stderr, "function-order: %s: %s\n", what, strerror(errno));
  exit(1);
}

// MARK: Symbols

typedef struct {
  unsigned long address;
  char *name;
} Symbol;

static Symbol *symbols;
static size_t symbolCount;

/// Reads the functions of the program, in the order of their addresses.
static void readSymbols(const char *binary) {
  char command[4096];
  snprintf(command, sizeof command, "nm -n --defined-only '%s'", binary);
  FILE *list = popen(command, "r");
  if (!list) fail("nm");
  char *line = NULL;
  size_t size = 0, capacity = 0;
  while (getline(&line, &size, list) > 0) {
    unsigned long address;
    char type, name[8192];
    if (sscanf(line, "%lx %c %8191s", &address, &type, name) != 3 || !strchr("tTwW", type)) continue;
    if (symbolCount == capacity) {
      capacity = capacity ? capacity * 2 : 65536;
      symbols = realloc(symbols, capacity * sizeof *symbols);
      if (!symbols) fail("memory");
    }
    symbols[symbolCount++] = (Symbol){address, strdup(name)};
  }
  free(line);
  if (pclose(list) != 0 || symbolCount == 0) fail("nm");
}

/// Lists the function that begins at an address, by all its names.
///
/// \returns false if none begins there.
static bool listFunction(unsigned long address) {
  size_t low = 0, high = symbolCount;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (symbols[middle].address < address) low = middle + 1; else high = middle;
  }
  bool isFunction = false;
  for (; low < symbolCount && symbols[low].address == address; low++) {
    printf("%s\n", symbols[low].name);
    isFunction = true;
  }
  return isFunction;
}

// MARK: The session

/// Types a line when the session has begun and done what it does at leisure, and quits when the line came back.
static void useSession(int terminal) {
  char seen[65536];
  size_t count = 0;
  const char *awaited[] = {"ctrl-t q", "hello"}, *typed[] = {"hello\r", "\x14q"};
  for (int step = 0; count < sizeof seen - 1;) {
    ssize_t length = read(terminal, seen + count, sizeof seen - 1 - count);
    if (length <= 0) return;
    count += (size_t)length;
    seen[count] = 0;
    if (step < 2 && strstr(seen, awaited[step])) {
      sleep(2);
      if (write(terminal, typed[step], strlen(typed[step])) < 0) return;
      step++;
    }
  }
}

/// Starts the program on the other end of a pseudo-terminal, stopped.
static pid_t start(const char *binary, int terminal) {
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child > 0) return child;
  setsid();
  int end = open(ptsname(terminal), O_RDWR);
  if (end < 0 || ioctl(end, TIOCSCTTY, 0) < 0) _exit(1);
  for (int stream = 0; stream < 3; stream++) dup2(end, stream);
  // No profile of the user, and no history in the user's folder.
  setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
  setenv("XDG_STATE_HOME", "/nonexistent", 1);
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  execl(binary, binary, "connect", "loopback:", (char *)NULL);
  _exit(1);
}

// MARK: Breakpoints

static const unsigned char breakpoint = 0xCC;  // INT3

/// The address that the program is mapped to.
static unsigned long mappedAddress(pid_t pid, const char *binary) {
  char path[64], line[4096], *file = realpath(binary, NULL);
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(path, "r");
  if (!maps || !file) fail(path);
  unsigned long first = 0;
  while (!first && fgets(line, sizeof line, maps))
    if (strstr(line, file)) sscanf(line, "%lx", &first);
  fclose(maps);
  free(file);
  return first;
}

/// The memory of a process.
static int memory(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) fail(path);
  return file;
}

/// Sets a breakpoint at each function.
///
/// \returns the code without breakpoints, from the address `first` of the file.
static unsigned char *setBreakpoints(pid_t pid, unsigned long base, unsigned long *first) {
  *first = symbols[0].address;
  size_t length = symbols[symbolCount - 1].address + 1 - *first;
  unsigned char *code = malloc(length), *changed = malloc(length);
  if (!code || !changed) fail("memory");
  int file = memory(pid);
  if (pread(file, code, length, (off_t)(base + *first)) != (ssize_t)length) fail("code");
  memcpy(changed, code, length);
  for (size_t i = 0; i < symbolCount; i++) changed[symbols[i].address - *first] = breakpoint;
  if (pwrite(file, changed, length, (off_t)(base + *first)) != (ssize_t)length) fail("code");
  close(file);
  free(changed);
  return code;
}

/// Lists the function whose breakpoint a process has reached, and lets it go on without it.
///
/// \returns false if there was no breakpoint.
static bool passBreakpoint(pid_t pid, unsigned long base, const unsigned char *code, unsigned long first) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) < 0) return false;
  unsigned long at = registers.rip - 1 - base;
  if (at < first || at > symbols[symbolCount - 1].address || !listFunction(at)) return false;
  int file = memory(pid);
  if (pwrite(file, code + (at - first), 1, (off_t)(base + at)) != 1) fail("code");
  close(file);
  registers.rip--;
  ptrace(PTRACE_SETREGS, pid, NULL, &registers);
  return true;
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: function-order BINARY\n"), 2;
  readSymbols(arguments[1]);
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0) fail("pseudo-terminal");
  pid_t session = start(arguments[1], terminal);
  int status;
  if (waitpid(session, &status, 0) < 0 || !WIFSTOPPED(status)) fail("ptrace");
  pid_t user = fork();
  if (user < 0) fail("fork");
  if (user == 0) {
    useSession(terminal);
    _exit(0);
  }
  // The processes that the session starts have its breakpoints too.
  ptrace(PTRACE_SETOPTIONS, session, NULL,
         (void *)(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
  unsigned long base = mappedAddress(session, arguments[1]), first;
  unsigned char *code = setBreakpoints(session, base, &first);
  ptrace(PTRACE_CONT, session, NULL, NULL);
  // A session that hangs is ended.
  alarm(60);
  for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
    if (pid == session && !WIFSTOPPED(status)) break;
    if (!WIFSTOPPED(status)) continue;
    int reason = WSTOPSIG(status);
    bool isOurs = reason == SIGTRAP && (status >> 16 || passBreakpoint(pid, base, code, first));
    // A new process begins with SIGSTOP.
    ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(isOurs || reason == SIGSTOP ? 0 : reason));
  }
  kill(user, SIGTERM);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "function-order: the session did not end well\n");
    return 1;
  }
  return 0;
}
