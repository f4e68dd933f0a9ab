/* SPDX-License-Identifier: MIT */
/* switch.h — the power of the one disk there is: which call it goes
   out at, and what the parent says on standard input. */
#ifndef TESTS_LONG_POWER_DISK_SWITCH_H
#define TESTS_LONG_POWER_DISK_SWITCH_H

#include "image.h"

enum switch_kind { KIND_WRITE, KIND_SYNC, KIND_NAMES, KIND_SYNCNAMES, KIND_ANY };

struct image *switch_image(void);

/* There is no power any more: every call fails. */
bool switch_is_out(void);

/* A call of this kind on a file of this name comes (`after`: has taken effect). False: there is no power, it fails. */
bool switch_passes(enum switch_kind kind, const char *name, bool after);

/* Obeys the lines that have come on standard input; false at its end. */
bool switch_hear(void);

/* A sync takes its time, in which the parent may say something. */
void switch_take_time(void);

#endif
