#include "exit_guard.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM_LIMIT = 256, LINK_LIMIT = 16 };

enum link_state { LINK_FREE, LINK_CHANGING, LINK_REGISTERED };

struct guarded_link {
  atomic_int state;
  char path[PATH_MAX];
  char target[PATH_MAX];
};

// The process that has registered something; 0 for none.
static atomic_int owner;
static atomic_int programs[PROGRAM_LIMIT];
static struct guarded_link links[LINK_LIMIT];

static void remove_link(const struct guarded_link *link) {
  char target[PATH_MAX];
  ssize_t count = readlink(link->path, target, sizeof target);
  if (count < 0 || (size_t)count != strlen(link->target)) return;
  if (memcmp(target, link->target, (size_t)count) == 0) unlink(link->path);
}

void exit_guard_undo(void) {
  if (atomic_load(&owner) != getpid()) return;
  for (int i = 0; i < PROGRAM_LIMIT; i++) {
    pid_t target = atomic_load(&programs[i]);
    if (target != 0) kill(target, SIGKILL);
  }
  for (int i = 0; i < LINK_LIMIT; i++) {
    if (atomic_load(&links[i].state) == LINK_REGISTERED) remove_link(&links[i]);
  }
}

static void on_signal(int number) {
  int error = errno;
  exit_guard_undo();
  errno = error;
  // SA_RESETHAND and SA_NODEFER: this ends the process.
  raise(number);
}

void exit_guard_handle_signals(const int *signals, size_t count) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < count; i++) {
    struct sigaction present;
    if (sigaction(signals[i], NULL, &present) == 0 && present.sa_handler == SIG_DFL) {
      sigaction(signals[i], &action, NULL);
    }
  }
}

void exit_guard_add_program(pid_t target) {
  atomic_store(&owner, getpid());
  for (int i = 0; i < PROGRAM_LIMIT; i++) {
    if (atomic_load(&programs[i]) == target) return;
  }
  for (int i = 0; i < PROGRAM_LIMIT; i++) {
    int none = 0;
    if (atomic_compare_exchange_strong(&programs[i], &none, target)) return;
  }
}

void exit_guard_remove_program(pid_t target) {
  for (int i = 0; i < PROGRAM_LIMIT; i++) {
    int present = target;
    atomic_compare_exchange_strong(&programs[i], &present, 0);
  }
}

int exit_guard_add_link(const char *path, const char *target) {
  if (strlen(path) >= PATH_MAX || strlen(target) >= PATH_MAX) return -1;
  atomic_store(&owner, getpid());
  for (int i = 0; i < LINK_LIMIT; i++) {
    int state = LINK_FREE;
    if (!atomic_compare_exchange_strong(&links[i].state, &state, LINK_CHANGING)) continue;
    strcpy(links[i].path, path);
    strcpy(links[i].target, target);
    atomic_store(&links[i].state, LINK_REGISTERED);
    return i;
  }
  return -1;
}

void exit_guard_remove_link(int number) {
  if (number >= 0 && number < LINK_LIMIT) atomic_store(&links[number].state, LINK_FREE);
}
