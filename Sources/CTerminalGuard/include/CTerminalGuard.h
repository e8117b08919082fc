// Gives the user's terminal back when the program that set it to raw mode can no longer do so.
//
// Two ways, both in C because no Swift may run in them:
// - a handler for the signals of a crash, which restores the terminal and lets the signal take its
//   course, so that its status is kept;
// - a guard: a small process that waits for ours to end, and restores the terminal when ours was
//   killed by a signal that nobody can catch. It never touches a terminal whose settings somebody
//   else has changed since.
#pragma once

#include <termios.h>

// Starts guarding the terminal behind `terminal`.
//
// `found` is what to restore, `raw` what the program has set: the guard restores only what it finds
// exactly like that. May be called again with other attributes.
//
// Returns 0, or -1 with errno set when the guard could not be started; crashes are handled even so.
int terminal_guard_start(int terminal, const struct termios *found, const struct termios *raw);

// Ends guarding: the terminal has been given back. Waits until the guard is gone.
void terminal_guard_stop(void);
