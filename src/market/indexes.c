/* SPDX-License-Identifier: MIT */
/*
 * indexes.c — the path of the index prices, a step a second: a geometric walk with a factor that all symbols share,
 * jumps, and a weak pull to the listing reference. Each post continues from the index that the exchange shows, so the
 * path goes on from wherever it is.
 */
#include "market/step.h"

#define SECOND_STEPS  (1000 / MARKET_STEP_MS)
#define HALF_A_SECOND (SECOND_STEPS / 2)  /* the TICK of the second has taken over the last post by then */
#define RATE          INT64_C(1000000000) /* of returns */
#define SHARED        800                 /* weights of the two factors, 1/1000; the sum of squares is one */
#define OWN           600
#define PULL_SECONDS  43200 /* of the way back to the reference */
#define JUMP_SECONDS  2400  /* between two jumps of a symbol, on average */
#define CRASH_SECONDS 1800  /* between two crashes */
#define CRASH_AT      120   /* seconds after the genesis, and after each period */
#define CRASH_TAKES   90
#define CRASH_FALL    120 /* 1/1000 */
#define CRASH_PULL    600 /* seconds of the way back then */
#define EVERY_SYMBOL  UINT32_MAX

enum { DRAW_SHARED = 1, DRAW_OWN, DRAW_JUMP, DRAW_JUMP_SIZE, DRAW_ROUNDING };

/* Deviation of a second's return, 1e-9: about 0.4, 0.55 and 0.8 % an hour. */
static int64_t deviation(uint32_t index)
{
    static const int64_t deviations[] = { 67000, 92000, 133000 };

    return deviations[min_u32(index, ARRAY_COUNT(deviations) - 1)];
}

/* Now and then a fifth of a per cent to some per cent at once; of the third symbol on larger ones. */
static int64_t jump(const struct step *step, uint32_t index)
{
    uint64_t when = step_draw(step, index, DRAW_JUMP), size = step_draw(step, index, DRAW_JUMP_SIZE);
    int64_t  most;

    if (draw_below(when, JUMP_SECONDS) != 0) return 0;
    most = draw_power(size >> 1, 12 * 1024) * (index < 2 ? 1500 : 2500) / 1024 * 1000; /* 0.15 % or 0.25 %, and up */
    return (size & 1) != 0 ? most : -most;
}

static bool is_crashing(const struct step *step)
{
    int64_t second = (step->time_ms - step->market->genesis->time_ms) / 1000 % CRASH_SECONDS;

    return step->preset->crashes && second >= CRASH_AT && second < CRASH_AT + CRASH_TAKES;
}

/* The return of a second, 1e-9. */
static int64_t one_return(const struct step *step, uint32_t index, int64_t price)
{
    const struct preset *preset = step->preset;
    const struct symbol *symbol = &step->market->genesis->perps[index];
    int64_t              shared = draw_normal(step_draw(step, EVERY_SYMBOL, DRAW_SHARED));
    int64_t              own = draw_normal(step_draw(step, index, DRAW_OWN));
    int64_t sum = (shared * SHARED + own * OWN) / 1000 * deviation(index) / 1000000 * preset->volatility / 100;
    int64_t pull = preset->crashes ? CRASH_PULL : PULL_SECONDS;

    sum += jump(step, index) * preset->jumps / 100;
    sum += ((int64_t)preset->drift + step->knobs->drift) * 1000 / 3600;
    if (is_crashing(step)) return sum - CRASH_FALL * (RATE / 1000) / CRASH_TAKES;
    if (preset->returns && symbol->reference_price > 0)
        sum += (int64_t)((int128_t)(symbol->reference_price - price) * RATE / symbol->reference_price / pull);
    return sum;
}

/* The next price on the tick; what is between two ticks decides by chance, so that small steps add up. */
static int64_t next_price(const struct step *step, uint32_t index, int64_t price)
{
    const struct symbol *symbol = &step->market->genesis->perps[index];
    uint64_t             bits = step_draw(step, index, DRAW_ROUNDING);
    int128_t             exact = (int128_t)price * (RATE + one_return(step, index, price));
    int128_t             grain = (int128_t)symbol->tick_size * RATE;
    int64_t              next =
        (int64_t)((exact + (int128_t)draw_below(bits, (uint64_t)symbol->tick_size * (uint64_t)RATE)) / grain);

    return max_i64(1, next) * symbol->tick_size;
}

void move_indexes(struct step *step)
{
    const struct genesis *genesis = step->market->genesis;

    if (step->preset->volatility == 0 || step->number % SECOND_STEPS != HALF_A_SECOND) return;
    for (uint32_t i = 0; i < genesis->perps_count; i++) {
        struct {
            struct command   head;
            struct set_index set;
        } room = { .head = { .bytes = sizeof(room), .kind = CMD_SET_INDEX } };
        int64_t price = views_price(step->market->views, i + 1).index;

        if (price <= 0) price = genesis->perps[i].reference_price;
        if (price <= 0) continue;
        room.set = (struct set_index){ .symbol_id = i + 1, .price = next_price(step, i, price) };
        if (!step->writer->send(step->writer->self, &room.head)) return;
    }
}
