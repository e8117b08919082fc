// Faults of a disk: loaded into a program by LD_PRELOAD, it makes write() on one file answer as a
// disk would that is broken or takes little at a time, or has no modes.
//
//   DISK_FILE    the file; writes to others are left alone
//   DISK_WRITE   write() takes at most so many bytes
//   DISK_ERROR   write() fails with this errno
//   DISK_FCHMOD  fchmod() fails with this errno
//   DISK_SWITCH  DISK_ERROR and DISK_FCHMOD hold for as long as there is a file of this name

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long setting(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static bool is_the_file(int descriptor) {
  char link[64], path[PATH_MAX];
  const char *file = getenv("DISK_FILE");
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path);
  return file && length >= 0 && (size_t)length == strlen(file)
    && memcmp(path, file, (size_t)length) == 0;
}

static bool is_switched_on(void) {
  const char *path = getenv("DISK_SWITCH");
  return path && access(path, F_OK) == 0;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  __typeof__(&write) original = (__typeof__(&write))dlsym(RTLD_NEXT, "write");
  int error = errno;
  if (is_the_file(descriptor)) {
    if (setting("DISK_ERROR") && is_switched_on()) {
      errno = (int)setting("DISK_ERROR");
      return -1;
    }
    long most = setting("DISK_WRITE");
    if (most > 0 && count > (size_t)most) count = (size_t)most;
  }
  errno = error;
  return original(descriptor, bytes, count);
}

int fchmod(int descriptor, mode_t mode) {
  __typeof__(&fchmod) original = (__typeof__(&fchmod))dlsym(RTLD_NEXT, "fchmod");
  if (setting("DISK_FCHMOD") && is_the_file(descriptor) && is_switched_on()) {
    errno = (int)setting("DISK_FCHMOD");
    return -1;
  }
  return original(descriptor, mode);
}
