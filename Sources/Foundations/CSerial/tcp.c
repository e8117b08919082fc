#include "CSerial.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

int cserial_get_tcp_progress(int descriptor, struct cserial_tcp_progress *progress) {
  // An older kernel fills only the front.
  struct tcp_info info;
  memset(&info, 0, sizeof info);
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return -1;
  progress->in_flight = info.tcpi_unacked;
  progress->not_sent = info.tcpi_notsent_bytes;
  progress->acknowledged = info.tcpi_bytes_acked;
  progress->unanswered_probes = info.tcpi_probes;
  return 0;
}
