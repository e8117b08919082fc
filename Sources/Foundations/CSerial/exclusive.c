#include "CSerial.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Glibc has wrappers for these two calls since 2.36.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

int cserial_is_exclusive(int process, int descriptor) {
  int handle = (int)syscall(SYS_pidfd_open, process, 0);
  if (handle < 0) return -1;
  int copy = (int)syscall(SYS_pidfd_getfd, handle, descriptor, 0);
  int exclusive = 0;
  int result = copy < 0 ? -1 : ioctl(copy, TIOCGEXCL, &exclusive);
  int error = errno;
  if (copy >= 0) close(copy);
  close(handle);
  errno = error;
  return result < 0 ? -1 : exclusive != 0;
}
