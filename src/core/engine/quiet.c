/* SPDX-License-Identifier: MIT */
#include "core/engine/quiet.h"
#include "core/state/market.h"
#include "core/perps/perps.h"
#include "core/engine/settle.h"

#define MINUTE_MS  INT64_C(60000)
#define STANDS     600     /* price units: an index this close to its target does not move (index.c) */
#define CALM_PARTS 1000000 /* the mark of a quiet symbol moves a millionth a second at most, or a unit */

/* The index does not move as long as no post arrives, no post becomes too old and no book changes. */
static bool index_stands(const struct perps_market *perps)
{
    int64_t draws = perps->spot.now;

    assert(draws >= 0 && perps->index > 0);
    if (perps->held_count != 0) return false;
    if (perps->state == ORACLE_LIVE) return true;
    if (draws == 0) return perps->state == ORACLE_IS_STALE;
    return perps->state != ORACLE_IS_STALE && draws - perps->index < STANDS && perps->index - draws < STANDS;
}

static bool mark_is_calm(const struct perps_market *perps)
{
    assert(perps->mark_moved >= 0);
    return perps->mark_moved <= max_i64(1, perps->mark / CALM_PARTS);
}

static bool waits_for_price(const struct perps_market *perps)
{
    for (uint32_t i = 0; i < TRIGGER_KINDS; i++)
        if ((perps->triggers[i][RISING] | perps->triggers[i][FALLING]) != 0) return true;
    return false;
}

/* The TICK itself may have changed the books, by a scheduled cancel. */
static bool book_has_changed(const struct engine *e, const struct market *market, const struct perps_market *perps)
{
    uint32_t spot = perps->contract.spot_impact_notional == 0 ? 0 : perps->contract.spot_symbol_id;

    assert(spot <= e->market_count);
    return perps->book.revision != market->update_id
        || (spot != 0 && perps->spot.revision != e->markets[spot - 1].update_id);
}

static bool symbol_is_quiet(const struct engine *e, uint32_t i)
{
    assert(i < e->perps_count);
    const struct perps_market *perps = &engine_perps(e)[i];
    const struct market       *market = &e->markets[PERPS_FIRST - 1 + i];

    if (perps->open_interest != 0 || waits_for_price(perps) || book_has_changed(e, market, perps)) return false;
    return market_is_settled(market) || (index_stands(perps) && mark_is_calm(perps));
}

bool quiet_judge(const struct engine *e)
{
    assert(e->perps_count != 0 && e->priced_ms <= e->time_ms);
    if (e->work_left != 0 || e->retry_count != 0 || settle_waits(e)) return false;
    for (uint32_t i = 0; i < e->perps_count; i++)
        if (!symbol_is_quiet(e, i)) return false;
    return true;
}

/* Posts only lapse in TICKs of whole seconds. */
static int64_t lapses_ms(const struct engine *e, const struct feeder_post *post)
{
    int64_t lapses = post->posted_ms + e->rules.oracle_stale_ms;

    assert(post->price >= 0 && post->posted_ms <= e->time_ms);
    return post->price == 0 || lapses <= e->priced_ms ? INT64_MAX : (lapses + SECOND_MS - 1) / SECOND_MS * SECOND_MS;
}

int64_t quiet_until_ms(const struct engine *e)
{
    int64_t until = (e->priced_ms / MINUTE_MS + 1) * MINUTE_MS;

    assert(e->quiet == 1);
    for (uint32_t i = 0; i < e->perps_count; i++)
        for (uint32_t place = 0; place < e->feeder_count; place++)
            until = min_i64(until, lapses_ms(e, &engine_perps(e)[i].posts[place]));
    assert(until > e->priced_ms);
    return until;
}
