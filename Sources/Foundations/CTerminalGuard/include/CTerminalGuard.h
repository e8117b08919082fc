// Restores the user's terminal when the program that set it to raw mode can no longer do so.
//
// There are two mechanisms, both in C because Swift code may not run in them:
// - a handler for the signals of a crash, which restores the terminal and then lets the signal end
//   the process with its own status;
// - a guard: a small process that waits for the program to end, and restores the terminal if the
//   program was killed by SIGKILL. It never changes a terminal whose settings another program has
//   changed since.
#pragma once

#include <stddef.h>
#include <termios.h>

// From now on a crash is reported on standard error, and restores a guarded terminal.
void terminal_guard_handle_crashes(void);

// Sets the bytes to write to the terminal when it is restored, as far as it accepts them at once:
// for a terminal that is standard output too. `bytes` must stay valid for the life of the process.
void terminal_guard_restore_screen(const void *bytes, size_t count);

// Where the cursor is.
enum terminal_guard_place {
  TERMINAL_GUARD_TEXT,
  TERMINAL_GUARD_PANEL,
  TERMINAL_GUARD_ALTERNATE_SCREEN,
};

// Says where the cursor is. If it is away from the text, the alternate screen is left, and the
// cursor moved back with DECRC, before the bytes that restore the terminal.
void terminal_guard_set_cursor_place(enum terminal_guard_place place);

// The maximum number of bytes that undo what the device has changed.
enum { TERMINAL_GUARD_DEVICE_LIMIT = 4096 };

// Sets the bytes that undo what the device has changed at the terminal, and which depend on it.
// They are written before those of terminal_guard_restore_screen. More than the limit are
// ignored.
void terminal_guard_set_device_restoration(const void *bytes, size_t count);

// Starts guarding the terminal behind `terminal`.
//
// `found` are the attributes to restore, `raw` those that the program has set: the guard restores
// the terminal only if it finds exactly these. Can be called again with other attributes.
//
// Returns 0, or -1 with errno set if the guard could not be started.
int terminal_guard_start(int terminal, const struct termios *found, const struct termios *raw);

// Ends guarding, after the terminal has been restored. Waits until the guard has ended.
void terminal_guard_stop(void);
