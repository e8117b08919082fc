// The arguments of the process, as main() gets them.
//
// Swift's CommandLine reads /proc/self/cmdline. In a chroot without /proc, or early in the boot,
// there would be no arguments at all.
#pragma once

// The number of arguments, with the name of the program.
int arguments_count(void);

// The argument of an index from 0 to the number of arguments less 1.
const char *arguments_at(int index);

// The path by which the kernel was asked to run the program, as getauxval(3) tells it; relative to
// the current directory of that time. NULL if it is not known.
const char *arguments_program(void);
