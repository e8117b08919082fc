// The kernel's terminal attributes: `struct termios2`, which supports any baud rate (BOTHER).
//
// <asm/termbits.h> and <termios.h> define the same names differently, so no file can include both.
// These declarations repeat the kernel's layout; termios2.c includes the original and checks the
// layout at compile time. See TCGETS2 in ioctl_tty(2).
#pragma once

#include <stdint.h>

enum {
  CSERIAL_NCCS = 19,        // control characters in struct termios2
  CSERIAL_VTIME = 5,        // index of VTIME in c_cc
  CSERIAL_VMIN = 6,         // index of VMIN in c_cc
  CSERIAL_VSTART = 8,       // index of VSTART in c_cc
  CSERIAL_VSTOP = 9,        // index of VSTOP in c_cc
  CSERIAL_CBAUD = 0010017,  // mask of the speed code in c_cflag
  CSERIAL_IBSHIFT = 16,     // shift from CBAUD to CIBAUD, the input speed code
};

struct cserial_termios2 {
  uint32_t c_iflag;
  uint32_t c_oflag;
  uint32_t c_cflag;
  uint32_t c_lflag;
  uint8_t c_line;
  uint8_t c_cc[CSERIAL_NCCS];
  uint32_t c_ispeed;
  uint32_t c_ospeed;
};

// TCGETS2: reads the attributes. Returns 0, or -1 with errno set.
int cserial_get_termios2(int descriptor, struct cserial_termios2 *attributes);

// TCSETS2: sets the attributes at once, without draining output or flushing input.
// Returns 0, or -1 with errno set. The driver may accept only *some* of them: read them back.
int cserial_set_termios2(int descriptor, const struct cserial_termios2 *attributes);

// The c_cflag speed code of a baud rate: a standard code such as B9600 if there is one, because
// programs that use termios(3) understand only those; otherwise BOTHER, for which c_ospeed holds
// the rate.
uint32_t cserial_speed_code(uint32_t baud_rate);
