/* SPDX-License-Identifier: MIT */
/* amount.h — decimal numbers that a person types. */
#ifndef APP_CLIENT_AMOUNT_H
#define APP_CLIENT_AMOUNT_H

/*
 * Checks that *text is a decimal above zero in plain notation, and makes *text its canonical form, in memory that is
 * kept until the program ends; NULL is fine. EXIT_USAGE, after the message, when it is none. `name` is what it stands
 * for.
 */
int amount_check(const char *command, const char *name, const char **text);

#endif
