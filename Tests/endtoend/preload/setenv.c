// A library that changes the environment before main(), as some that are preloaded do: loaded into a
// program by LD_PRELOAD, it sets more variables than there were.

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void change(void) {
  char name[32];
  for (int number = 0; number < 500; number++) {
    snprintf(name, sizeof name, "SETENV_%d", number);
    setenv(name, "1", 1);
  }
}
