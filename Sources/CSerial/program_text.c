#define _GNU_SOURCE
#include "include/program_text.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Whether the loader has written to what cannot be written to (DT_TEXTREL): it is no longer what the
// file holds. Code that is compiled to be loaded anywhere has none of that.
static bool is_changed(const ElfW(Dyn) *entry) {
  for (; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL))
      return true;
  return false;
}

static int let_go(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size, (void)context;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const ElfW(Phdr) *segments = object->dlpi_phdr, *end = segments + object->dlpi_phnum;
  for (const ElfW(Phdr) *segment = segments; segment < end; segment++)
    if (segment->p_type == PT_DYNAMIC &&
        is_changed((const ElfW(Dyn) *)(object->dlpi_addr + segment->p_vaddr)))
      return 0;
  for (const ElfW(Phdr) *segment = segments; segment < end; segment++) {
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr, first = start & ~(page - 1);
    madvise((void *)first, start + segment->p_memsz - first, MADV_DONTNEED);
  }
  return 0;
}

void cserial_let_go_of_program_text(void) { dl_iterate_phdr(let_go, NULL); }
