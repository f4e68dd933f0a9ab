/* SPDX-License-Identifier: MIT */
/*
 * switch.h — the power of the process's one disk: the call at which it fails, and the parent's lines on standard
 * input.
 */
#ifndef TESTS_LONG_POWER_DISK_SWITCH_H
#define TESTS_LONG_POWER_DISK_SWITCH_H

#include "image.h"

enum switch_kind { KIND_WRITE, KIND_SYNC, KIND_NAMES, KIND_SYNCNAMES, KIND_ANY };

struct image *switch_image(void);

/* There is no power any more: every call fails. */
bool switch_is_out(void);

/*
 * To be called for each call of this kind on a file of this name (`after`: it has taken effect). False: there is no
 * power, it fails.
 */
bool switch_passes(enum switch_kind kind, const char *name, bool after);

/* Obeys the lines on standard input; false at its end. */
bool switch_hear(void);

/* Waits as long as a sync takes; the parent may send a line in between. */
void switch_take_time(void);

#endif
