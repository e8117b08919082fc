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
_Static_assert(VSTART == CSERIAL_VSTART && VSTOP == CSERIAL_VSTOP, "c_cc");
_Static_assert(CBAUD == CSERIAL_CBAUD, "c_cflag");
_Static_assert(IBSHIFT == CSERIAL_IBSHIFT, "IBSHIFT");

int cserial_get_termios2(int descriptor, struct cserial_termios2 *attributes) {
  return ioctl(descriptor, TCGETS2, attributes);
}

int cserial_set_termios2(int descriptor, const struct cserial_termios2 *attributes) {
  return ioctl(descriptor, TCSETS2, attributes);
}

uint32_t cserial_speed_code(uint32_t baud_rate) {
#define CODE(rate) case rate: return B##rate;
  switch (baud_rate) {
    CODE(50) CODE(75) CODE(110) CODE(134) CODE(150) CODE(200) CODE(300) CODE(600) CODE(1200)
    CODE(1800) CODE(2400) CODE(4800) CODE(9600) CODE(19200) CODE(38400) CODE(57600) CODE(115200)
    CODE(230400) CODE(460800) CODE(500000) CODE(576000) CODE(921600) CODE(1000000) CODE(1152000)
    CODE(1500000) CODE(2000000) CODE(2500000) CODE(3000000) CODE(3500000) CODE(4000000)
    default: return BOTHER;
  }
#undef CODE
}
