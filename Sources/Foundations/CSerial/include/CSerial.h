// Declarations that Swift's Glibc module lacks, and those whose headers conflict with it.
#pragma once

#include <linux/serial.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "termios2.h"

// <stdio.h> declares this only with _GNU_SOURCE. See rename(2).
int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path,
              unsigned int flags);

enum {
  // ASYNC_LOW_LATENCY of <linux/tty_flags.h> uses another macro, so Swift does not import it.
  CSERIAL_LOW_LATENCY = ASYNC_LOW_LATENCY,

  // RENAME_NOREPLACE of <linux/fs.h>, a header that conflicts with those of Glibc.
  CSERIAL_RENAME_NOREPLACE = 1,
};

// Whether a terminal that another process has open is in exclusive mode (TIOCGEXCL): 1 or 0; -1
// with errno set if this user may not use the process's descriptor. See pidfd_getfd(2).
int cserial_is_exclusive(int process, int descriptor);
