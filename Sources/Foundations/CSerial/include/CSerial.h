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

// How far a TCP connection is with the bytes that were written to it. Glibc's `struct tcp_info` is
// shorter than the kernel's. See TCP_INFO in tcp(7).
struct cserial_tcp_progress {
  uint32_t in_flight;         // segments that are sent and not acknowledged
  uint32_t not_sent;          // bytes that are not sent yet
  uint64_t acknowledged;      // bytes
  uint8_t unanswered_probes;  // probes of the peer's closed window, since its last answer
};

// Reads the progress of a connection. Returns 0, or -1 with errno set if it is no TCP socket.
int cserial_get_tcp_progress(int descriptor, struct cserial_tcp_progress *progress);
