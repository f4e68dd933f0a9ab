/* SPDX-License-Identifier: MIT */
/* past.h — the effect of a crash on the history of the simulated world (past.c). */
#ifndef SIM_PAST_H
#define SIM_PAST_H

void past_begin(void);
void past_kill(void);
void past_power_cut(void);

#endif
