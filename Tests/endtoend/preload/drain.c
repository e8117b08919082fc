// lrzsz waits until all that it has sent has left (tcdrain), and discards the rest right after it,
// as it ends (tcflush). On a serial port there is no rest. On a pseudo-terminal, tcdrain(3) returns
// at once although nobody has read the bytes, and tcflush(3) discards them. With this library, only
// what was received is discarded.
#include <sys/ioctl.h>
#include <termios.h>

int tcflush(int descriptor, int queue) {
  return queue == TCOFLUSH ? 0 : ioctl(descriptor, TCFLSH, TCIFLUSH);
}
