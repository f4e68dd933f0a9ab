/* SPDX-License-Identifier: MIT */
/*
 * terminal.h — the terminal that a person sits at: a hidden line for passwords, and a screen that is drawn again and
 * again. The terminal is as it was when a function or the screen has ended, also when a signal ends it.
 */
#ifndef IO_TERMINAL_H
#define IO_TERMINAL_H

#include "base/slice.h"

/*
 * Asks on the controlling terminal for a line that is not shown, without its line feed and at most cap - 1 bytes, which
 * end with a zero. False: there is no terminal, or the input has ended, or the line is too long. A signal that would
 * end the program does so after the terminal is restored.
 */
bool terminal_ask_secret(const char *prompt, char *line, size_t cap) MUST_USE;

/*
 * Begins a screen of its own on standard output, with keys read from standard input as they are pressed. False: one of
 * the two is no terminal. The stop signals must be blocked (io/signals.h); terminal_end_screen restores everything.
 */
bool terminal_begin_screen(void) MUST_USE;
void terminal_end_screen(void);

/* The size of standard output's terminal now; 80 times 24 where it has none. */
void terminal_size(uint32_t *columns, uint32_t *rows);

/* The next key that was pressed, without waiting: its byte; 0: none; -1: the input has ended. */
int terminal_key(void);

/* Writes all of it to standard output at once. False: it cannot be written. */
bool terminal_draw(struct slice text) MUST_USE;

#endif
