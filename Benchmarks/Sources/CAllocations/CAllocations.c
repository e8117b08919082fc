#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

// Glibc's own functions under the names that it keeps for allocators which stand in front of it.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count;

long allocations_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

static void tally(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  tally();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  tally();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  tally();
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  tally();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  tally();
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
