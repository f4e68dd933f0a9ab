/* SPDX-License-Identifier: MIT */
/* shape_rig.h — shared by the tests of shapes. Header only. */
#ifndef RIGS_WIRE_SHAPE_RIG_H
#define RIGS_WIRE_SHAPE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "model/genesis.h"
#include "wire/shape.h"
#include "rigs/random.h"

static char room[sizeof(struct genesis) > sizeof(struct replace_orders) ? sizeof(struct genesis)
                                                                        : sizeof(struct replace_orders)]
    __attribute__((aligned(16), unused));
static char               other_room[sizeof(room)] __attribute__((aligned(16), unused));
static char               text_room[4 << 20] __attribute__((unused)), other_text_room[4 << 20] __attribute__((unused));
static struct shape_error error;

static inline const char *name_of(enum reject reject)
{
    return reject == REJECT_NONE ? "NONE" : reject_row(reject)->name;
}

static uint64_t seed = 0x9e3779b97f4a7c15u;

static inline uint64_t random_next(void) { return random_xorshift(&seed) * 0x2545f4914f6cdd1du; }

static inline uint32_t random_below(uint32_t sides) { return (uint32_t)((random_next() >> 33) % sides); }

#endif
