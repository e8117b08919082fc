// A file system without links, such as exFAT: loaded into a program by LD_PRELOAD, it makes link()
// fail.

#include <errno.h>
#include <unistd.h>

int link(const char *from, const char *to) {
  (void)from;
  (void)to;
  errno = EPERM;
  return -1;
}
