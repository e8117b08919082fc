// tcdrain(3) on a pseudo-terminal returns at once, although nobody has read the bytes; on a serial port it
// waits until they are sent. lrzsz discards what it has sent right after it, as it ends (tcflush). With this
// library, the other end has time to read.
#include <errno.h>
#include <time.h>

int tcdrain(int descriptor) {
  (void)descriptor;
  struct timespec left = {.tv_nsec = 50 * 1000 * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
  return 0;
}
