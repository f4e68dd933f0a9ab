/* SPDX-License-Identifier: MIT */
/* eight_halves.h — eight_absorb for processors with AVX2 and nothing wider; for eight.c and its test. */
#ifndef CRYPTO_EIGHT_HALVES_H
#define CRYPTO_EIGHT_HALVES_H

#include "crypto/eight.h"

/* Whether the processor can. */
bool eight_has_halves(void) MUST_USE;
/* As eight_absorb, where eight_has_halves(). */
void eight_absorb_halves(struct eight *eight, const uint8_t *const blocks[EIGHT], uint8_t fresh);

#endif
