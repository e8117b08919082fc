// Lets the linker remove unused functions and constants of a static library.
//
//   unretain LIBRARY COPY
//
// The Swift compiler marks every public function with SHF_GNU_RETAIN, which --gc-sections obeys: of the
// standard library it removes almost nothing. The copy is without the flag, except in the sections with the
// records that the runtime looks up by itself (swift5_...): what only they refer to stays.
#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

static int is_code_or_data(const char *name) {
  static const char *const prefixes[] = {".text", ".rodata", ".data", ".bss"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return 1;
  return 0;
}

// In an object with many sections, the first one has their number and that of the names: see elf(5).
static void unretain(char *object) {
  Elf64_Ehdr *header = (Elf64_Ehdr *)object;
  Elf64_Shdr *sections = (Elf64_Shdr *)(object + header->e_shoff);
  size_t count = header->e_shnum ? header->e_shnum : sections[0].sh_size;
  size_t names = header->e_shstrndx == SHN_XINDEX ? sections[0].sh_link : header->e_shstrndx;
  for (size_t i = 1; i < count; i++)
    if (is_code_or_data(object + sections[names].sh_offset + sections[i].sh_name))
      sections[i].sh_flags &= ~(Elf64_Xword)SHF_GNU_RETAIN;
}

static int finish(const char *name, const char *reason) {
  fprintf(stderr, "unretain: %s: %s\n", name, reason);
  return 1;
}

int main(int count, char **arguments) {
  if (count != 3) return finish("usage", "unretain LIBRARY COPY");
  FILE *input = fopen(arguments[1], "rb"), *output = fopen(arguments[2], "wb");
  if (!input || !output) return finish(arguments[input ? 2 : 1], strerror(errno));
  char magic[SARMAG];
  if (fread(magic, SARMAG, 1, input) != 1 || memcmp(magic, ARMAG, SARMAG))
    return finish(arguments[1], "not a static library");
  fwrite(magic, SARMAG, 1, output);
  struct ar_hdr member;
  while (fread(&member, sizeof member, 1, input) == 1) {
    size_t size = strtoul(member.ar_size, NULL, 10);
    size += size % 2;
    char *contents = malloc(size);
    if (!contents || fread(contents, 1, size, input) != size) return finish(arguments[1], "cut off");
    if (size >= sizeof(Elf64_Ehdr) && !memcmp(contents, ELFMAG, SELFMAG) &&
        contents[EI_CLASS] == ELFCLASS64)
      unretain(contents);
    fwrite(&member, sizeof member, 1, output);
    fwrite(contents, size, 1, output);
    free(contents);
  }
  if (ferror(output) | fclose(output)) return finish(arguments[2], "cannot be written");
}
