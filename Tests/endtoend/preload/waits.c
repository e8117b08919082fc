// Adds up how long a program waits for nothing but time: loaded by LD_PRELOAD, it counts the limits of those waits that
// ended without an event. A promise such as "ends within 500 ms" can be checked with that on a machine of any load:
// however late the program runs, it has decided to wait no longer.
//
//   WAITS_FOLDER  a folder; the file PID in it has the sum in milliseconds, 8 bytes

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static _Atomic long *sum;
// A child of this process has the same memory, and its waits are its own.
static pid_t owner;

__attribute__((constructor)) static void start(void) {
  const char *folder = getenv("WAITS_FOLDER");
  char path[4096];
  if (!folder || snprintf(path, sizeof path, "%s/%d", folder, getpid()) >= (int)sizeof path) return;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof *sum) == 0) {
    void *memory = mmap(NULL, sizeof *sum, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) sum = memory;
  }
  close(file);
  owner = getpid();
}

static void add(long milliseconds) {
  if (sum && milliseconds > 0 && getpid() == owner) *sum += milliseconds;
}

int epoll_wait(int descriptor, struct epoll_event *events, int count, int timeout) {
  int ready = ORIGINAL(epoll_wait)(descriptor, events, count, timeout);
  if (ready == 0) add(timeout);
  return ready;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
  int ready = ORIGINAL(poll)(descriptors, count, timeout);
  if (ready == 0) add(timeout);
  return ready;
}

// The program's condition variables use the monotonic clock.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
  // Without its version, the one of 1997 would be found, which is for smaller condition variables.
  __typeof__(&pthread_cond_timedwait) original = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!original) original = ORIGINAL(pthread_cond_timedwait);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int error = original(condition, mutex, end);
  if (error == ETIMEDOUT)
    add((end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000);
  return error;
}
