// Gives the user's terminal back when the program that set it to raw mode can no longer do so.
//
// Two ways, both in C because no Swift may run in them:
// - a handler for the signals of a crash, which restores the terminal and lets the signal take its
//   course, so that its status is kept;
// - a guard: a small process that waits for ours to end, and restores the terminal when ours was
//   killed by a signal that nobody can catch. It never touches a terminal whose settings somebody
//   else has changed since.
#pragma once

#include <stddef.h>
#include <termios.h>

// From now on a crash is said on standard error, and gives a guarded terminal back.
void terminal_guard_handle_crashes(void);

// What to write to the terminal when it is given back, as far as it takes that at once: for a terminal
// that is standard output as well. `bytes` must live as long as the process.
void terminal_guard_restore_screen(const void *bytes, size_t count);

// Starts guarding the terminal behind `terminal`.
//
// `found` is what to restore, `raw` what the program has set: the guard restores only what it finds
// exactly like that. May be called again with other attributes.
//
// Returns 0, or -1 with errno set when the guard could not be started.
int terminal_guard_start(int terminal, const struct termios *found, const struct termios *raw);

// Ends guarding: the terminal has been given back. Waits until the guard is gone.
void terminal_guard_stop(void);
