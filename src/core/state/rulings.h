/* SPDX-License-Identifier: MIT */
/*
 * rulings.h — the rulings that keep money where it belongs (63 to 71), each by its number where the engine obeys it.
 *
 * In the program that ships RULING(n) is true and costs nothing. Tests of attacks build the engine with
 * DOJIMA_RULING_SWITCHES and take one ruling out, to show that their attack works without it (tests/attacks).
 */
#ifndef CORE_STATE_RULINGS_H
#define CORE_STATE_RULINGS_H

#include <stdint.h>

#ifdef DOJIMA_RULING_SWITCHES
extern uint32_t rulings_off; /* bit n - RULING_FIRST: ruling n is not obeyed; defined in tests/attacks/switches.c */
#define RULING_FIRST 63
#define RULING(n)    (((rulings_off >> ((n)-RULING_FIRST)) & 1u) == 0)
#else
#define RULING(n) 1
#endif

#endif
