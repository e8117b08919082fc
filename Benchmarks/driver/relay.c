// The minimum of a terminal program, for comparison: the limit that the kernel sets.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

// Passes the available bytes on; false at the end.
static int pass(int from, int to) {
  static char buffer[65536];
  ssize_t count = read(from, buffer, sizeof buffer);
  if (count <= 0) return count < 0 && (errno == EAGAIN || errno == EINTR);
  for (ssize_t done = 0; done < count;) {
    ssize_t written = write(to, buffer + done, (size_t)(count - done));
    if (written < 0 && errno != EAGAIN) return 0;
    if (written > 0) done += written;
    if (done < count) poll(&(struct pollfd){.fd = to, .events = POLLOUT}, 1, -1);
  }
  return 1;
}

int main(int count, char **arguments) {
  int port = count == 2 ? open(arguments[1], O_RDWR | O_NOCTTY | O_NONBLOCK) : -1;
  if (port < 0) return perror("relay"), 1;
  struct termios found, raw;
  for (int terminal = 0; terminal < 2; terminal++) {
    int descriptor = terminal ? STDIN_FILENO : port;
    tcgetattr(descriptor, &found);
    raw = found;
    cfmakeraw(&raw);
    tcsetattr(descriptor, TCSANOW, &raw);
  }
  struct pollfd ends[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = port, .events = POLLIN}};
  for (;;) {
    if (poll(ends, 2, -1) < 0 && errno != EINTR) break;
    if (ends[1].revents && !pass(port, STDOUT_FILENO)) break;
    if (ends[0].revents && !pass(STDIN_FILENO, port)) break;
  }
  tcsetattr(STDIN_FILENO, TCSANOW, &found);
  return 0;
}
