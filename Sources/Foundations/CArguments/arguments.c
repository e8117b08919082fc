#include "arguments.h"

#include <stddef.h>
#include <sys/auxv.h>

#ifndef __GLIBC__
#error "Only glibc calls constructors with the arguments of main()."
#endif

static int argument_count;
static char **argument_values;

// glibc calls the constructors of a program with the arguments of main(): see call_init() in its
// csu/libc-start.c. They come from the stack that the kernel has made; libraries that are preloaded
// do not change them.
__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
  argument_count = argc;
  argument_values = argv;
}

int arguments_count(void) { return argument_count; }

const char *arguments_at(int index) {
  return index >= 0 && index < argument_count ? argument_values[index] : NULL;
}

const char *arguments_program(void) { return (const char *)getauxval(AT_EXECFN); }
