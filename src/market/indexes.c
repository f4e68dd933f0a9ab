/* SPDX-License-Identifier: MIT */
/*
 * indexes.c — the path of the index prices, a step a second: a geometric walk with a factor that all symbols share,
 * jumps, and a weak pull to the listing reference. Each post continues from the index that the exchange shows, so the
 * path goes on from wherever it is.
 */
#include "market/path.h"
#include "market/step.h"

#define SECOND_STEPS  (1000 / MARKET_STEP_MS)
#define HALF_A_SECOND (SECOND_STEPS / 2) /* the TICK of the second has taken over the last post by then */
#define CRASH_SECONDS 1800               /* between two crashes */
#define CRASH_AT      120                /* seconds after the genesis, and after each period */
#define CRASH_TAKES   90
#define CRASH_FALL    120 /* 1/1000 */
#define CRASH_PULL    600 /* seconds of the way back then */

enum { DRAW_SHARED = 1, DRAW_OWN, DRAW_JUMP, DRAW_JUMP_SIZE, DRAW_ROUNDING };

static int64_t jump(const struct step *step, uint32_t index)
{
    uint64_t when = step_draw(step, index, DRAW_JUMP);

    return draw_below(when, PATH_JUMP_SECONDS) == 0 ? path_jump(step_draw(step, index, DRAW_JUMP_SIZE), index) : 0;
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
    int64_t              shared = draw_normal(step_draw(step, PATH_EVERY_SYMBOL, DRAW_SHARED));
    int64_t              own = draw_normal(step_draw(step, index, DRAW_OWN));
    int64_t              sum = path_normal(shared, own) * path_deviation(index) / 1000000 * preset->volatility / 100;
    int64_t              pull = preset->crashes ? CRASH_PULL : PATH_PULL_SECONDS;

    sum += jump(step, index) * preset->jumps / 100;
    sum += ((int64_t)preset->drift + step->knobs->drift) * 1000 / 3600;
    if (is_crashing(step)) return sum - CRASH_FALL * (PATH_RATE / 1000) / CRASH_TAKES;
    if (preset->returns && symbol->reference_price > 0)
        sum += (int64_t)((int128_t)(symbol->reference_price - price) * PATH_RATE / symbol->reference_price / pull);
    return sum;
}

static int64_t next_price(const struct step *step, uint32_t index, int64_t price)
{
    return path_next(price, step->market->genesis->perps[index].tick_size, one_return(step, index, price),
                     step_draw(step, index, DRAW_ROUNDING));
}

void step_move_indexes(struct step *step)
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
