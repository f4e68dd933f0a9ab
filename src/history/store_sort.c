/* SPDX-License-Identifier: MIT */
/* store_sort.c — what is written is sorted by the digits in which keys differ. */
#include "history/store.h"

#define FEW_PLACES 64 /* fewer are moved one by one */
#define DIGIT_BITS 8
#define DIGITS     (1u << DIGIT_BITS)

static void move_one_by_one(struct store_place *places, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct store_place place = places[i];
        uint32_t           at = i;

        for (; at > 0 && places[at - 1].key > place.key; at--) places[at] = places[at - 1];
        places[at] = place;
    }
}

static uint32_t digit_of(const struct store_place *place, uint32_t shift)
{
    return (uint32_t)(place->key >> shift) & (DIGITS - 1);
}

static void move_by_digit(const struct store_place *from, struct store_place *to, uint32_t count, uint32_t shift)
{
    uint32_t starts[DIGITS] = { 0 }, start = 0;

    for (uint32_t i = 0; i < count; i++) starts[digit_of(&from[i], shift)] += 1;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t there = starts[digit];
        starts[digit] = start;
        start += there;
    }
    for (uint32_t i = 0; i < count; i++) to[starts[digit_of(&from[i], shift)]++] = from[i];
}

/* Digits that all keys share are passed over. */
void store_sort(struct store *store, uint32_t count)
{
    uint64_t differ = 0;

    if (count < FEW_PLACES) {
        move_one_by_one(store->places, count);
        return;
    }
    for (uint32_t i = 1; i < count; i++) differ |= store->places[i].key ^ store->places[0].key;
    for (uint32_t shift = 0; shift < 64; shift += DIGIT_BITS) {
        struct store_place *from = store->places;

        if ((differ >> shift & (DIGITS - 1)) == 0) continue;
        move_by_digit(from, store->places_spare, count, shift);
        store->places = store->places_spare;
        store->places_spare = from;
    }
}
