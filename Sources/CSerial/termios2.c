#include "termios2.h"

#include <asm/termbits.h>
#include <stddef.h>
#include <sys/ioctl.h>

#define SAME(member)                                                        \
  _Static_assert(offsetof(struct termios2, member) ==                       \
                     offsetof(struct cserial_termios2, member),             \
                 "struct cserial_termios2 differs from the kernel's")
SAME(c_iflag);
SAME(c_oflag);
SAME(c_cflag);
SAME(c_lflag);
SAME(c_line);
SAME(c_cc);
SAME(c_ispeed);
SAME(c_ospeed);
_Static_assert(sizeof(struct termios2) == sizeof(struct cserial_termios2), "size");
_Static_assert(NCCS == CSERIAL_NCCS && VTIME == CSERIAL_VTIME && VMIN == CSERIAL_VMIN, "c_cc");
_Static_assert(CBAUD == CSERIAL_CBAUD && BOTHER == CSERIAL_BOTHER, "c_cflag");
_Static_assert(IBSHIFT == CSERIAL_IBSHIFT, "IBSHIFT");

int cserial_get_termios2(int descriptor, struct cserial_termios2 *attributes) {
  return ioctl(descriptor, TCGETS2, attributes);
}

int cserial_set_termios2(int descriptor, const struct cserial_termios2 *attributes) {
  return ioctl(descriptor, TCSETS2, attributes);
}
