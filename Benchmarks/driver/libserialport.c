// A port used through libserialport, for comparison: see Benchmarks/Sources/AsyncBenchmark.
//
//   libserialport NODE receive BYTES     prints the seconds that the bytes took
//   libserialport NODE request COUNT     prints the seconds of the median request
//
// The library does not open pseudo-terminals: they are not in /sys/class/tty, and have no modem lines. Both are
// pretended here. Receiving and sending use neither.
#include <libserialport.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

// The library's results are negative for an error.
static int checked(enum sp_return result) {
  if (result < 0) {
    fprintf(stderr, "libserialport: error %d\n", result);
    exit(1);
  }
  return result;
}

static double receive(struct sp_port *port, long count) {
  static char buffer[65536];
  double start = now();
  checked(sp_blocking_write(port, "S", 1, 0));
  while (count > 0) count -= checked(sp_blocking_read_next(port, buffer, sizeof buffer, 0));
  return now() - start;
}

static double request(struct sp_port *port, long count) {
  char line[256];
  double *samples = calloc((size_t)count, sizeof *samples);
  if (!samples) exit(1);
  for (long index = 0; index < count; index++) {
    double start = now();
    checked(sp_blocking_write(port, "x\n", 2, 1000));
    size_t length = 0;
    while (!memchr(line, '\n', length) && length < sizeof line)
      length += (size_t)checked(sp_blocking_read_next(port, line + length, sizeof line - length, 0));
    samples[index] = now() - start;
  }
  qsort(samples, (size_t)count, sizeof *samples, compare);
  double median = samples[count / 2];
  free(samples);
  return median;
}

// Stands in front of the C library's function, also for the calls of libserialport.
int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (request == TIOCMGET) return *(int *)argument = 0;
  if (request == TIOCMSET || request == TIOCMBIS || request == TIOCMBIC) return 0;
  return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

// Opens the node by a name that leads to the same symbolic link from /dev and from /sys/class/tty.
static struct sp_port *find(const char *node) {
  char folder[] = "/tmp/libserialport-XXXXXX", link[64], name[128];
  if (!mkdtemp(folder)) exit(1);
  snprintf(link, sizeof link, "%s/port", folder);
  snprintf(name, sizeof name, "/dev/../../..%s", link);
  struct sp_port *port = NULL;
  if (symlink(node, link)) exit(1);
  checked(sp_get_port_by_name(name, &port));
  checked(sp_open(port, SP_MODE_READ_WRITE));
  unlink(link);
  rmdir(folder);
  return port;
}

int main(int count, char **arguments) {
  if (count != 4) return fprintf(stderr, "usage: libserialport NODE receive|request COUNT\n"), 2;
  struct sp_port *port = find(arguments[1]);
  checked(sp_set_baudrate(port, 115200));
  checked(sp_set_flowcontrol(port, SP_FLOWCONTROL_NONE));
  long number = atol(arguments[3]);
  int receives = !strcmp(arguments[2], "receive");
  printf("%.9f\n", receives ? receive(port, number) : request(port, number));
  sp_close(port);
  sp_free_port(port);
}
