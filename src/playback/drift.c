/* SPDX-License-Identifier: MIT */
/* drift.c — the recorded book, and how far the real one is from it. */
#include "playback/inside.h"

static bool is_better(uint8_t side, int64_t a, int64_t b) { return side == SIDE_BUY ? a > b : a < b; }

uint32_t playback_book_best(const struct playback_book *book, uint8_t side, uint32_t most,
                            struct playback_level_view best[])
{
    uint32_t count = 0;

    assert(most > 0);
    for (uint32_t i = 1; i < book->levels_used; i++) {
        const struct level *level = &book->levels[i];
        uint32_t            at;

        if (level->price == 0 || level->side != side || level->recorded == 0) continue;
        if (count == most && !is_better(side, level->price, best[count - 1].price)) continue;
        if (count < most) count++;
        for (at = count - 1; at > 0 && is_better(side, level->price, best[at - 1].price); at--) best[at] = best[at - 1];
        best[at] = (struct playback_level_view){ level->price, level->recorded };
    }
    return count;
}

int64_t playback_book_recorded(const struct playback_book *book, uint8_t side, int64_t price)
{
    const struct level *level = level_find(book, side, price);

    return level == NULL ? 0 : level->recorded;
}

int64_t playback_book_own(const struct playback_book *book, uint8_t side, int64_t price)
{
    const struct level *level = level_find(book, side, price);

    return level == NULL ? 0 : level->own;
}

/* What the list has at a price. */
static int64_t quantity_at(uint32_t count, const struct playback_level_view levels[], int64_t price)
{
    for (uint32_t i = 0; i < count; i++)
        if (levels[i].price == price) return levels[i].quantity;
    return 0;
}

struct playback_drift playback_book_drift(const struct playback_book *book, uint8_t side, uint32_t count,
                                          const struct playback_level_view real[])
{
    struct playback_level_view best[PLAYBACK_SHOWN];
    uint32_t                   shown = playback_book_best(book, side, PLAYBACK_SHOWN, best);
    struct playback_drift      drift = { .best = shown == 0 && count == 0 ? 0 : -1 };

    if (shown != 0 && count != 0)
        drift.best = max_i64(real[0].price, best[0].price) - min_i64(real[0].price, best[0].price);
    for (uint32_t i = 0; i < shown; i++) {
        int64_t there = quantity_at(count, real, best[i].price);

        drift.recorded += best[i].quantity;
        drift.missing += max_i64(best[i].quantity - there, 0);
        drift.surplus += max_i64(there - best[i].quantity, 0);
    }
    for (uint32_t i = 0; i < count; i++)
        if ((shown < PLAYBACK_SHOWN || is_better(side, real[i].price, best[shown - 1].price))
            && quantity_at(shown, best, real[i].price) == 0)
            drift.surplus += real[i].quantity;
    return drift;
}
