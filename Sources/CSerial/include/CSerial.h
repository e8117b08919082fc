// What Swift's Glibc module leaves out, and what C alone can say without a clash of headers.
#pragma once

#include <linux/serial.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "termios2.h"

enum {
  // A macro of <linux/tty_flags.h> that is made from another one, which Swift does not see.
  CSERIAL_LOW_LATENCY = ASYNC_LOW_LATENCY,
};
