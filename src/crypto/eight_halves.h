/* SPDX-License-Identifier: MIT */
/* eight_halves.h — eight_absorb for processors with AVX2 and nothing wider; for eight.c and its test. */
#ifndef CRYPTO_EIGHT_HALVES_H
#define CRYPTO_EIGHT_HALVES_H

#include "base/base.h"

#define HALVES_LANES 8  /* EIGHT of eight.h */
#define HALVES_WORDS 17 /* of a block */

/* Whether the processor can. */
bool eight_has_halves(void) MUST_USE;
/* As eight_absorb for the words of eight states, where eight_has_halves(). */
void eight_absorb_halves(uint64_t words[25][HALVES_LANES], const uint8_t *const blocks[HALVES_LANES], uint8_t fresh);

#endif
