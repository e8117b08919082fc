// Undoes what must not outlive the program: kills programs that it has started, and removes its
// symbolic links, also when a signal ends it. It is in C because Swift code may not run in a signal
// handler. All functions may be called from any thread.
#pragma once

#include <stddef.h>
#include <sys/types.h>

// From now on each of these signals undoes everything, and then ends the process with its own
// status. Signals that have another action than the default one keep it.
void exit_guard_handle_signals(const int *signals, size_t count);

// Undoes everything that is registered: for the end of the process. In a process that was made by
// fork(2) it does nothing. It takes no lock: if another thread takes the status of a program in the
// same instant, and a new process gets its number before kill(2), that process is killed.
void exit_guard_undo(void);

// Registers what to kill by SIGKILL: a process, or a process group as a negative number, as for
// kill(2). More than 256 are ignored, and a repeated one too.
void exit_guard_add_program(pid_t target);
void exit_guard_remove_program(pid_t target);

// Registers a symbolic link to remove. It is kept if it no longer leads to `target` then.
//
// Returns a number for exit_guard_remove_link; -1 if there are more than 16 links, or a path is
// too long. It is then not registered.
int exit_guard_add_link(const char *path, const char *target);
void exit_guard_remove_link(int number);
