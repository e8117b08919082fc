// A node that stays while its device is away, as in a container: loaded into a program by
// LD_PRELOAD, it makes open() of a path fail while a file says so.
//
//   OPENS_NODE   the path, as the program opens it
//   OPENS_ERROR  the file; it contains the number of the error, and does not exist otherwise
//   OPENS_TRIES  a file that becomes longer by a byte at each attempt that fails

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int opened(int folder, const char *path, int flags, mode_t mode) {
  const char *node = getenv("OPENS_NODE");
  char text[16] = "";
  if (node && strcmp(path, node) == 0) {
    int file = syscall(SYS_openat, AT_FDCWD, getenv("OPENS_ERROR"), O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0) {
      ssize_t count = read(file, text, sizeof text - 1);
      close(file);
      if (count > 0) {
        int tries = syscall(SYS_openat, AT_FDCWD, getenv("OPENS_TRIES"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (tries >= 0 && write(tries, ".", 1) >= 0) close(tries);
        errno = atoi(text);
        return -1;
      }
    }
  }
  return syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN(folder)                                          \
  va_list rest;                                               \
  va_start(rest, flags);                                      \
  int file = opened(folder, path, flags, va_arg(rest, mode_t)); \
  va_end(rest);                                               \
  return file

int open(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
int openat(int folder, const char *path, int flags, ...) { OPEN(folder); }
int openat64(int folder, const char *path, int flags, ...) { OPEN(folder); }
