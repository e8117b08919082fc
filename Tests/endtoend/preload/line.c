// A driver with everything that pseudo-terminals have not: loaded into a program by LD_PRELOAD, it
// answers the requests for modem lines, counters, RS-485 and latency on one device, and writes
// down every request, in order.
//
//   LINE_NODE    the device's node; calls on other files are left alone
//   LINE_TRACE   the file to write to: a line for each call
//   LINE_REFUSE  settings with this in them are refused (EINVAL): parity, bits, stop, rate. They are
//                set all the same, as a driver does that notices too late
//   LINE_RATE    "115200 9600": the driver sets the second rate where the first is asked for
//   LINE_FRAMING  data bits and parity are kept, and written down: "set 7E2 rtscts xonxoff"
//   LINE_MARKS   PARMRK is not passed on: the far end writes the marks itself
//   LINE_STATE   a file with what the far end does, as words: "CTS DSR DCD RI" are asserted, and so
//                many errors were counted: "framing=2 parity=1 overrun=1 buffer=1 break=3". Without
//                it CTS is asserted, and nothing was counted
//   LINE_CLAMP   delays of RS-485 become 0, and low latency is not kept

#define _GNU_SOURCE
#include <asm/termbits.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int tcgetattr(int descriptor, struct termios *attributes);
int tcsetattr(int descriptor, int action, const struct termios *attributes);
int tcsendbreak(int descriptor, int duration);

// The next definition of the function that calls this: the C library's own.
#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// What the kernel does when a port is opened.
static int lines = TIOCM_DTR | TIOCM_RTS;
static struct serial_struct serial = {.baud_base = 115200};
static struct serial_rs485 rs485;

static bool is_device(int descriptor) {
  const char *node = getenv("LINE_NODE");
  struct stat wanted, found;
  return node && stat(node, &wanted) == 0 && fstat(descriptor, &found) == 0 &&
         S_ISCHR(found.st_mode) && found.st_rdev == wanted.st_rdev;
}

static void trace(const char *format, ...) {
  const char *path = getenv("LINE_TRACE");
  int file = path ? ORIGINAL(open)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  va_list arguments;
  va_start(arguments, format);
  vdprintf(file, format, arguments);
  va_end(arguments);
  ORIGINAL(close)(file);
}

// What LINE_STATE says.
static const char *far_end(void) {
  static char words[256];
  const char *path = getenv("LINE_STATE");
  int file = path ? ORIGINAL(open)(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return "CTS";
  ssize_t count = read(file, words, sizeof words - 1);
  ORIGINAL(close)(file);
  words[count > 0 ? count : 0] = 0;
  return words;
}

static int inputs(void) {
  const char *words = far_end();
  return (strstr(words, "CTS") ? TIOCM_CTS : 0) | (strstr(words, "DSR") ? TIOCM_DSR : 0) |
         (strstr(words, "DCD") ? TIOCM_CAR : 0) | (strstr(words, "RI") ? TIOCM_RNG : 0);
}

static int counted(const char *name) {
  const char *found = strstr(far_end(), name);
  return found ? atoi(found + strlen(name)) : 0;
}

static const char *names_of(int bits) {
  static char names[32];
  snprintf(names, sizeof names, "%s%s", bits & TIOCM_DTR ? " DTR" : "",
           bits & TIOCM_RTS ? " RTS" : "");
  return names;
}

static bool is_refused(const struct termios2 *attributes) {
  const char *setting = getenv("LINE_REFUSE");
  if (!setting) return false;
  tcflag_t flags = attributes->c_cflag;
  if (strcmp(setting, "parity") == 0) return flags & PARENB;
  if (strcmp(setting, "bits") == 0) return (flags & CSIZE) != CS8;
  if (strcmp(setting, "stop") == 0) return flags & CSTOPB;
  return strcmp(setting, "rate") == 0 && attributes->c_ospeed == 250000;
}

static int fail(int error) {
  errno = error;
  return -1;
}

// The flags that a pseudo-terminal does not keep.
#define FRAMING (CSIZE | PARENB | PARODD | CMSPAR)

static tcflag_t framing = CS8;

static void keep_framing(tcflag_t modes, tcflag_t input) {
  if (!getenv("LINE_FRAMING")) return;
  char parity = !(modes & PARENB)  ? 'N'
                : modes & CMSPAR   ? (modes & PARODD ? 'M' : 'S')
                : modes & PARODD   ? 'O'
                                   : 'E';
  trace("set %d%c%d%s%s\n", 5 + (int)((modes & CSIZE) / CS6), parity, modes & CSTOPB ? 2 : 1,
        modes & CRTSCTS ? " rtscts" : "", input & IXON ? " xonxoff" : "");
  framing = modes & FRAMING;
}

static tcflag_t with_framing(tcflag_t modes) {
  return getenv("LINE_FRAMING") ? (modes & ~FRAMING) | framing : modes;
}

static int set_attributes(int descriptor, struct termios2 *attributes) {
  trace("TCSETS2%s\n", attributes->c_cflag & HUPCL ? " HUPCL" : "");
  keep_framing(attributes->c_cflag, attributes->c_iflag);
  struct termios2 taken = *attributes;
  const char *rates = getenv("LINE_RATE");
  unsigned asked, set;
  if (rates && sscanf(rates, "%u %u", &asked, &set) == 2 && taken.c_ospeed == asked) {
    taken.c_cflag = (taken.c_cflag & ~CBAUD) | BOTHER;
    taken.c_ospeed = taken.c_ispeed = set;
  }
  if (getenv("LINE_MARKS")) taken.c_iflag &= ~PARMRK;
  int result = ORIGINAL(ioctl)(descriptor, TCSETS2, &taken);
  return is_refused(attributes) ? fail(EINVAL) : result;
}

static int get_attributes(int descriptor, struct termios2 *attributes) {
  trace("TCGETS2\n");
  int result = ORIGINAL(ioctl)(descriptor, TCGETS2, attributes);
  if (result == 0) attributes->c_cflag = with_framing(attributes->c_cflag);
  return result;
}

static int set_serial(const struct serial_struct *wanted) {
  trace("TIOCSSERIAL%s\n", wanted->flags & ASYNC_LOW_LATENCY ? " low latency" : "");
  serial = *wanted;
  if (getenv("LINE_CLAMP")) serial.flags &= ~ASYNC_LOW_LATENCY;
  return 0;
}

static int set_rs485(const struct serial_rs485 *wanted) {
  trace("TIOCSRS485 flags=%u before=%u after=%u\n", wanted->flags, wanted->delay_rts_before_send,
        wanted->delay_rts_after_send);
  rs485 = *wanted;
  if (getenv("LINE_CLAMP")) rs485.delay_rts_before_send = rs485.delay_rts_after_send = 0;
  return 0;
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (!is_device(descriptor)) return ORIGINAL(ioctl)(descriptor, request, argument);
  switch (request) {
    case TIOCMGET:
      trace("TIOCMGET\n");
      *(int *)argument = lines | inputs();
      return 0;
    case TIOCMBIS:
      trace("TIOCMBIS%s\n", names_of(*(int *)argument));
      lines |= *(int *)argument;
      return 0;
    case TIOCMBIC:
      trace("TIOCMBIC%s\n", names_of(*(int *)argument));
      lines &= ~*(int *)argument;
      return 0;
    case TIOCMSET:
      trace("TIOCMSET%s\n", names_of(*(int *)argument));
      lines = *(int *)argument & (TIOCM_DTR | TIOCM_RTS);
      return 0;
    case TIOCSBRK: trace("TIOCSBRK\n"); break;
    case TIOCCBRK: trace("TIOCCBRK\n"); break;
    case TCSBRK: trace("TCSBRK\n"); break;
    case TCSBRKP: trace("TCSBRKP\n"); break;
    case TIOCGICOUNT:
      trace("TIOCGICOUNT\n");
      *(struct serial_icounter_struct *)argument = (struct serial_icounter_struct){
          .frame = counted("framing="), .parity = counted("parity="),
          .overrun = counted("overrun="), .buf_overrun = counted("buffer="),
          .brk = counted("break=")};
      return 0;
    case TIOCGSERIAL:
      *(struct serial_struct *)argument = serial;
      return 0;
    case TIOCSSERIAL: return set_serial(argument);
    case TIOCGRS485:
      *(struct serial_rs485 *)argument = rs485;
      return 0;
    case TIOCSRS485: return set_rs485(argument);
    case TCSETS2: return set_attributes(descriptor, argument);
    case TCGETS2: return get_attributes(descriptor, argument);
    case TIOCEXCL: trace("TIOCEXCL\n"); break;
    case TIOCNXCL: trace("TIOCNXCL\n"); break;
    default: break;
  }
  return ORIGINAL(ioctl)(descriptor, request, argument);
}

// The C library's structure is longer than the kernel's, and begins with the same members.
int tcsetattr(int descriptor, int action, const struct termios *attributes) {
  bool keeps = getenv("LINE_FRAMING") && is_device(descriptor);
  if (keeps) keep_framing(attributes->c_cflag, attributes->c_iflag);
  int result = ORIGINAL(tcsetattr)(descriptor, action, attributes);
  // The C library reads the settings back, and finds the framing of the pseudo-terminal.
  return keeps && result < 0 && errno == EINVAL ? 0 : result;
}

int tcgetattr(int descriptor, struct termios *attributes) {
  int result = ORIGINAL(tcgetattr)(descriptor, attributes);
  if (result == 0 && is_device(descriptor)) attributes->c_cflag = with_framing(attributes->c_cflag);
  return result;
}

int tcsendbreak(int descriptor, int duration) {
  if (is_device(descriptor)) trace("tcsendbreak\n");
  return ORIGINAL(tcsendbreak)(descriptor, duration);
}

int flock(int descriptor, int operation) {
  if (is_device(descriptor)) trace(operation & LOCK_UN ? "flock LOCK_UN\n" : "flock\n");
  return ORIGINAL(flock)(descriptor, operation);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  int descriptor = ORIGINAL(open)(path, flags, mode);
  if (descriptor >= 0 && is_device(descriptor)) trace("open\n");
  return descriptor;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  ssize_t taken = ORIGINAL(write)(descriptor, bytes, count);
  if (taken > 0 && is_device(descriptor)) trace("write %zd\n", taken);
  return taken;
}

int close(int descriptor) {
  if (is_device(descriptor)) trace("close\n");
  return ORIGINAL(close)(descriptor);
}
