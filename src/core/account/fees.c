/* SPDX-License-Identifier: MIT */
#include "core/account/fees.h"
#include "core/account/account.h"
#include "core/account/volume.h"

static_assert(FEE_TIERS_MAX <= UINT8_MAX, "a tier is a byte");

static struct tiers *tiers_at(const struct engine *e, uint8_t kind, uint32_t slot)
{
    return kind == MARKET_PERPS ? &engine_margins(e)[slot].tiers : &account_at(e, slot)->tiers;
}
static const struct fee_table *table_of(const struct engine *e, uint8_t kind)
{
    return kind == MARKET_PERPS ? &e->perps_fees : &e->fees;
}

int64_t fees_maker_rate(const struct engine *e, const struct market *market, uint32_t slot)
{
    return fees_maker_rate_of(table_of(e, market->kind), market, tiers_at(e, market->kind, slot));
}

int64_t fees_taker_rate(const struct engine *e, const struct market *market, uint32_t slot)
{
    return fees_taker_rate_of(market, tiers_at(e, market->kind, slot));
}

/* The place of the day that is counted in. */
static inline uint32_t place_of_today(const struct engine *e)
{
    return (uint32_t)((uint64_t)e->fee_day % VOLUME_DAYS); /* not below 0, as time is */
}

static ALWAYS_INLINE void open_counter(struct engine *e, uint8_t kind, uint32_t user, struct fees_counter *counter)
{
    counter->place = place_of_today(e);
    counter->taking = volume_on(e, kind, user, counter->place);
    counter->makers = &e->maker_total[kind][counter->place];
}

void fees_count(struct engine *e, const struct market *market, const struct account *taker, const struct account *maker,
                int64_t value, struct fees_counter *counter)
{
    int64_t            most = AMOUNT_MAX - value; /* that is exact behind the addition */
    struct volume_day *making;

    if (market->symbol.quote_coin_id != VOLUME_COIN) return;
    if (counter->taking == NULL) open_counter(e, market->kind, taker->user, counter);
    making = volume_on(e, market->kind, maker->user, counter->place);
    counter->taking->volume = min_i64(counter->taking->volume, most) + value;
    making->volume = min_i64(making->volume, most) + value;
    making->maker_volume = min_i64(making->maker_volume, most) + value;
    *counter->makers = min_i64(*counter->makers, most) + value;
}

/* The makers' volume of the completed days: all places but the one that is being counted in. */
static int64_t makers_sum(const struct engine *e, uint8_t kind)
{
    int64_t sum = 0;

    for (uint32_t place = 0; place < VOLUME_DAYS; place++)
        if (place != place_of_today(e)) sum = add_saturating(sum, e->maker_total[kind][place], AMOUNT_MAX);
    assert(sum >= 0 && sum <= AMOUNT_MAX);
    return sum;
}

static uint8_t tier_of(const struct fee_table *table, int64_t volume)
{
    uint32_t tier = table->tier_count - 1;

    assert(tier < FEE_TIERS_MAX);                       /* a table has one tier at least */
    assert(volume >= 0 && table->tiers[0].volume == 0); /* so that there is a tier for every volume */
    while (tier > 0 && volume < table->tiers[tier].volume) tier -= 1;
    return (uint8_t)tier;
}

static uint8_t rebate_of(const struct fee_table *table, int64_t volume, int64_t total)
{
    uint32_t rebate = table->rebate_count - 1;

    assert(rebate < FEE_TIERS_MAX);
    assert(volume >= 0 && volume <= total);

    if (total == 0) return 0;
    while (rebate > 0 && (int128_t)volume * RATE_ONE < (int128_t)table->rebate_share[rebate] * total) rebate -= 1;
    return (uint8_t)rebate;
}

void fees_emit(const struct engine *e, struct events *events, uint8_t kind, uint32_t slot)
{
    const struct tiers *tiers = tiers_at(e, kind, slot);
    struct fee_tier    *event = EVENT_ADD(events, FEE_TIER, fee_tier, kind);

    assert(slot >= SLOT_USERS && slot < e->account_end);
    assert(tiers->tier < table_of(e, kind)->tier_count && tiers->staking < table_of(e, kind)->staking_count
           && tiers->rebate < table_of(e, kind)->rebate_count);
    event->user_id = account_id_of(slot);
    event->tier = tiers->tier;
    event->staking = tiers->staking;
    event->rebate = tiers->rebate;
}

/* ---- staking: an attribute that the operator sets; days do not change it ---- */

uint32_t fees_staking_highest(const struct engine *e)
{
    assert(e->fees.staking_count >= 1);
    return max_u32(e->fees.staking_count, e->perps_count != 0 ? e->perps_fees.staking_count : 0) - 1;
}

static void exposure_side(struct apply_context *ctx, uint8_t kind, uint32_t user, uint8_t tier)
{
    struct engine *e = ctx->engine;
    uint8_t        staking = (uint8_t)min_u32(tier, table_of(e, kind)->staking_count - 1);

    assert(staking < FEE_TIERS_MAX);
    if (tiers_at(e, kind, user)->staking == staking) return;
    for (uint32_t slot = user; slot < e->account_end; slot++)
        if (account_at(e, slot)->user == user) tiers_at(e, kind, slot)->staking = staking;
    fees_emit(e, ctx->events, kind, user);
}

void fees_set_staking(struct apply_context *ctx, uint32_t user, uint8_t tier)
{
    struct engine *e = ctx->engine;

    assert(account_at(e, user)->user == user && tier <= fees_staking_highest(e));
    exposure_side(ctx, MARKET_SPOT, user, tier);
    if (e->perps_count != 0) exposure_side(ctx, MARKET_PERPS, user, tier);
}

static void verify_tiers(const struct engine *e, uint8_t kind, uint32_t slot)
{
    const struct fee_table *table = table_of(e, kind);
    const struct tiers     *tiers = tiers_at(e, kind, slot);

    assert(tiers->tier < table->tier_count && tiers->staking < table->staking_count
           && tiers->rebate < table->rebate_count); /* I43 */
    assert(memcmp(tiers, tiers_at(e, kind, account_at(e, slot)->user), sizeof(*tiers))
           == 0); /* one for all accounts of a user */
}

void fees_verify(const struct engine *e)
{
    volume_verify(e);
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) {
        verify_tiers(e, MARKET_SPOT, slot);
        if (e->perps_count != 0) verify_tiers(e, MARKET_PERPS, slot);
    }
}

/* Empties the places of the days that begin, on both sides. */
static void forget(struct engine *e, int64_t today)
{
    int64_t  days = min_i64(today - e->fee_day, VOLUME_DAYS);
    uint32_t places = 0;

    assert(days >= 1 && days <= VOLUME_DAYS);
    for (int64_t i = 0; i < days; i++) places |= UINT32_C(1) << (today - i) % VOLUME_DAYS;
    for (uint8_t kind = MARKET_SPOT; kind <= MARKET_PERPS; kind++)
        for (uint32_t place = 0; place < VOLUME_DAYS; place++)
            if ((places >> place & 1) != 0) e->maker_total[kind][place] = 0;
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) volume_forget(e, slot, places);
    e->fee_day = today;
}

static void roll_side(struct apply_context *ctx, uint8_t kind)
{
    struct engine          *e = ctx->engine;
    const struct fee_table *table = table_of(e, kind);
    int64_t                 total = makers_sum(e, kind);

    if (table->tier_count == 0) return;
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) {
        struct tiers     *tiers = tiers_at(e, kind, slot);
        struct volume_day sum = volume_sum(e, kind, account_at(e, slot)->user, place_of_today(e));
        uint8_t           tier = tier_of(table, sum.volume);
        uint8_t           rebate = rebate_of(table, sum.maker_volume, total);

        assert(account_at(e, slot)->user == slot
               || tiers_at(e, kind, account_at(e, slot)->user)->tier == tier); /* one for all accounts of a user */
        if (tier == tiers->tier && rebate == tiers->rebate) continue;
        tiers->tier = tier;
        tiers->rebate = rebate;
        if (account_at(e, slot)->user == slot) fees_emit(e, ctx->events, kind, slot);
    }
}

void fees_roll(struct apply_context *ctx)
{
    struct engine *e = ctx->engine;
    int64_t        today = e->time_ms / DAY_MS;

    assert(today >= e->fee_day);
    if (today == e->fee_day) return;
    forget(e, today);
    roll_side(ctx, MARKET_SPOT);
    if (e->perps_count != 0) roll_side(ctx, MARKET_PERPS);
}
