/* SPDX-License-Identifier: MIT */
#include "core/prices/index.h"
#include "core/perps/inputs.h"
#include "core/state/rulings.h"

static_assert(FEEDERS_MAX < FEEDERS_STATE_MAX, "the last place is for the price that is set by hand");

#define THROTTLE      600     /* of the distance per TICK                          */
#define DRIFT         20000   /* 0.02 % per TICK, in 1e-8                          */
#define DRIFT_AN_HOUR 1000000 /* 1 %                                               */
#define DRIFT_IN_ALL  5000000 /* 5 %                                               */
#define PLACE_BY_HAND (FEEDERS_STATE_MAX - 1)

/* ---- posts ---- */

static uint32_t find_feeder(const struct engine *e, const struct address *signer)
{
    assert(e->feeder_count <= FEEDERS_MAX);
    for (uint32_t i = 0; i < e->feeder_count; i++)
        if (address_equal(&e->feeders[i].address, signer)) return i;
    return UINT32_MAX;
}

enum reject index_admit(const struct engine *e, const struct command *command, uint64_t *last_seq)
{
    const struct oracle_post *post = command_payload(command);
    uint32_t                  feeder = find_feeder(e, &command->signer);
    int64_t                   now = e->time_ms - e->time_offset_ms;

    if (command->domain != DOMAIN_ORACLE || feeder == UINT32_MAX) return REJECT_NOT_A_FEEDER;
    if (command->bytes < sizeof(*command) + offsetof(struct oracle_post, items) || post->count == 0
        || post->count > ORACLE_PRICES_MAX
        || command->bytes < sizeof(*command) + PAYLOAD_BYTES(oracle_post, post->count))
        return REJECT_BATCH_SIZE;
    *last_seq = e->feeders[feeder].seq;
    if (post->seq <= *last_seq) return REJECT_ORACLE_SEQ;
    if (post->timestamp_ms < now - ORACLE_PAST_MS || post->timestamp_ms > now + ORACLE_FUTURE_MS)
        return REJECT_ORACLE_TIME;
    return REJECT_NONE;
}

static bool pass_items(const struct engine *e, const struct oracle_post *post, struct result *result)
{
    assert(post->count >= 1 && post->count <= ORACLE_PRICES_MAX);
    for (uint32_t i = 0; i < post->count; i++) {
        const struct oracle_price *item = &post->items[i];

        if (item->symbol_id < 1 || item->symbol_id > e->perps_count)
            return refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, item->symbol_id);
        if (item->price <= 0 || item->price > PRICE_MAX || item->perp_mid < 0 || item->perp_mid > PRICE_MAX)
            return refuse_plainly(result, REJECT_NOT_POSITIVE);
    }
    return true;
}

void index_post(struct apply_context *ctx, const struct oracle_post *post, struct result *result)
{
    struct engine *e = ctx->engine;
    uint32_t       feeder = find_feeder(e, &ctx->command->signer);

    assert(feeder < e->feeder_count && post->seq > e->feeders[feeder].seq);
    e->feeders[feeder].seq = post->seq;
    if (!pass_items(e, post, result)) return;
    for (uint32_t i = 0; i < post->count; i++) {
        struct perps_market *perps = &engine_perps(e)[post->items[i].symbol_id - 1];

        perps->by_hand = 0;
        perps->posts[PLACE_BY_HAND] = (struct feeder_post){ 0 };
        perps->posts[feeder] = (struct feeder_post){ post->items[i].price, post->items[i].perp_mid, e->time_ms };
    }
}

/* Whether feeders have taken the symbol over: the built-in feeder has no further influence on it (ruling 77). */
static bool has_signed_post(const struct perps_market *perps)
{
    for (uint32_t i = 0; i < PLACE_BY_HAND; i++)
        if (perps->posts[i].price != 0) return true;
    return false;
}

void index_set(struct apply_context *ctx, const struct set_index *command, struct result *result)
{
    struct engine       *e = ctx->engine;
    struct perps_market *perps;

    if (!e->development) {
        refuse_plainly(result, REJECT_MODE_FORBIDS);
        return;
    }
    if (command->symbol_id < 1 || command->symbol_id > e->perps_count) {
        refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, command->symbol_id);
        return;
    }
    if (command->price <= 0 || command->price > PRICE_MAX) {
        refuse_plainly(result, REJECT_NOT_POSITIVE);
        return;
    }
    perps = &engine_perps(e)[command->symbol_id - 1];
    assert(perps->by_hand == 0 || perps->by_hand == 1);
    if (!command->by_hand && (perps->by_hand || has_signed_post(perps))) return; /* both silence the built-in feeder */
    if (command->by_hand) {
        perps->by_hand = 1;
        memset(perps->posts, 0, sizeof(perps->posts)); /* it is the price until a feeder posts again (ruling 77) */
    }
    perps->posts[PLACE_BY_HAND] = (struct feeder_post){ command->price, 0, e->time_ms };
}

/* ---- index ---- */

static uint32_t weight_of(const struct engine *e, uint32_t place)
{
    assert(place < FEEDERS_STATE_MAX);
    if (place == PLACE_BY_HAND) return 1;
    return place < e->feeder_count ? e->feeders[place].weight : 0;
}

/*
 * A price set in development, by hand or by the built-in feeder, stays until the next one: no advance of time makes it
 * stale.
 */
bool index_post_is_valid(const struct engine *e, const struct perps_market *perps, uint32_t place)
{
    const struct feeder_post *post = &perps->posts[place];

    assert(place < FEEDERS_STATE_MAX);
    if (post->price == 0 || weight_of(e, place) == 0) return false;
    assert(post->price <= PRICE_MAX && post->posted_ms <= e->time_ms);
    return place == PLACE_BY_HAND || e->time_ms - post->posted_ms < e->rules.oracle_stale_ms;
}

uint32_t index_quorum(const struct engine *e, const struct perps_market *perps)
{
    assert(e->rules.oracle_quorum >= 1);
    return perps->posts[PLACE_BY_HAND].price != 0 ? 1 : e->rules.oracle_quorum;
}

/* Posts that count; returns how many. */
static uint32_t valid_posts(const struct engine *e, const struct perps_market *perps, struct weighted_price *prices,
                            struct weighted_price *mids, uint32_t *mid_count)
{
    uint32_t count = 0;

    *mid_count = 0;
    for (uint32_t i = 0; i < FEEDERS_STATE_MAX; i++) {
        const struct feeder_post *post = &perps->posts[i];
        uint32_t                  weight = weight_of(e, i);

        if (!index_post_is_valid(e, perps, i)) continue;
        assert(post->price > 0 && post->perp_mid >= 0 && weight > 0);
        prices[count++] = (struct weighted_price){ post->price, weight, 0 };
        if (post->perp_mid != 0) mids[(*mid_count)++] = (struct weighted_price){ post->perp_mid, weight, 0 };
    }
    assert(count <= FEEDERS_STATE_MAX && *mid_count <= count);
    return count;
}

/* Whether two prices are no more than `ratio` (1e-8) of the second apart. */
static bool near(int64_t a, int64_t b, int64_t ratio)
{
    int64_t away = a > b ? a - b : b - a;
    assert(a > 0 && b > 0 && ratio >= 0);
    return (int128_t)away * RATE_ONE <= (int128_t)b * ratio;
}

/* A jump is believed when so many aggregations in a row agree on it (mechanics 3.8). */
static bool believe(const struct engine *e, struct perps_market *perps, int64_t price)
{
    assert((perps->held_price == 0) == (perps->held_count == 0) && price > 0);
    assert(perps->held_count < e->rules.oracle_jump_ticks); /* else it was believed then */
    if (perps->drift.was_live == 0 || perps->state == ORACLE_BOOTSTRAP
        || near(price, perps->index, e->rules.oracle_jump_ratio)) {
        perps->held_price = 0;
        perps->held_count = 0;
        return true;
    }
    perps->held_count =
        perps->held_price != 0 && near(price, perps->held_price, RATE_ONE / 100) ? perps->held_count + 1 : 1;
    perps->held_price = price;
    if (perps->held_count < e->rules.oracle_jump_ticks) return false;
    perps->held_price = 0;
    perps->held_count = 0;
    return true;
}

/* At most a 600th of the way, and no more than `drift` of the index (0 = no such bound). */
static int64_t throttled(int64_t index, int64_t target, int64_t drift)
{
    int64_t step = (target - index) / THROTTLE, most = (int64_t)((int128_t)index * drift / RATE_ONE);

    if (drift != 0) step = price_clamp(step, -most, most);
    assert(index > 0 && target > 0 && (step == 0 || (step > 0) == (target > index))); /* towards it, and not beyond */
    return index + step;
}

/* The drift is counted from this value of the index. */
static void begin_drift(const struct engine *e, struct perps_market *perps)
{
    assert(perps->index > 0 && perps->index <= PRICE_MAX);
    perps->drift.anchor = perps->drift.hour_index = perps->index;
    perps->drift.hour_ms = e->time_ms;
}

/* The hours of a drift count from the last LIVE index, or from where BOOTSTRAP began. */
static void roll_drift_hour(const struct engine *e, struct drift *drift, int64_t index)
{
    int64_t hours = (e->time_ms - drift->hour_ms) / FUNDING_HOUR_MS;

    assert(hours >= 0);
    assert(drift->hour_index > 0 && index > 0);
    if (hours == 0) return;
    drift->hour_ms += hours * FUNDING_HOUR_MS;
    drift->hour_index = index;
}

/*
 * The own spot book moves the index: 0.02 % a second, 1 % an hour and 5 % in all at most (ruling 68). False when all of
 * it is used up and the book is still further away: then its word counts no more.
 */
static bool drift_towards(const struct engine *e, struct perps_market *perps, int64_t mid)
{
    struct drift *drift = &perps->drift;
    int64_t       low = price_below(drift->anchor, DRIFT_IN_ALL), high = price_above(drift->anchor, DRIFT_IN_ALL);

    assert(drift->anchor > 0 && mid > 0);
    roll_drift_hour(e, drift, perps->index);
    perps->index = throttled(perps->index, mid, DRIFT);
    perps->index = price_clamp(perps->index, price_below(drift->hour_index, DRIFT_AN_HOUR),
                               price_above(drift->hour_index, DRIFT_AN_HOUR));
    perps->index = price_clamp(perps->index, low, high);
    assert(perps->index > 0 && perps->index <= PRICE_MAX);
    return !(perps->index == high && mid > high) && !(perps->index == low && mid < low);
}

/* The first post ends BOOTSTRAP, also where more of them are needed for an index (mechanics 3.8). */
static bool somebody_has_posted(const struct perps_market *perps)
{
    for (uint32_t i = 0; i < FEEDERS_STATE_MAX; i++)
        if (perps->posts[i].price != 0) return true;
    return false;
}

/* Without ruling 68: no bound but the throttle's, and before the first post the own last trade, else the listing's
 * reference. */
static void without_feeders_before_68(const struct engine *e, struct perps_market *perps, int64_t mid)
{
    if (perps->state == ORACLE_BOOTSTRAP && !somebody_has_posted(perps)) {
        if (mid != 0) perps->index = throttled(perps->index, mid, 0);
        else if (perps->last_between != 0) perps->index = throttled(perps->index, perps->last_between, 0);
        perps->index_ms = e->time_ms;
        return;
    }
    perps->state = mid != 0 ? ORACLE_FALLBACK : ORACLE_IS_STALE;
    if (mid != 0) perps->index = throttled(perps->index, mid, DRIFT);
}

/* A symbol's first price: no account can have a position yet, so the mark starts there too. */
static void begin_with(const struct engine *e, struct perps_market *perps, int64_t price)
{
    assert(perps->drift.anchor == 0 && perps->open_interest == 0);
    assert(price > 0 && price <= PRICE_MAX);
    perps->index = perps->mark = price;
    begin_drift(e, perps);
}

static void without_feeders(struct engine *e, const struct market *market, struct perps_market *perps)
{
    int64_t mid = inputs_spot_mid(e, market, perps);
    bool    posted = somebody_has_posted(perps), stands;

    assert(mid >= 0 && perps->index > 0);
    perps->made.spot_mid = mid;
    if (!RULING(68)) {
        without_feeders_before_68(e, perps, mid);
        return;
    }
    if (mid == 0 || (perps->drift.anchor == 0 && posted)) {
        perps->state = ORACLE_IS_STALE;
        return;
    }
    if (perps->drift.anchor == 0) begin_with(e, perps, mid);
    stands = drift_towards(e, perps, mid);
    perps->state = !stands ? ORACLE_IS_STALE : posted ? ORACLE_FALLBACK : ORACLE_BOOTSTRAP;
    if (perps->state == ORACLE_BOOTSTRAP) perps->index_ms = e->time_ms;
}

void index_aggregate(struct engine *e, struct market *market, struct perps_market *perps, int64_t *perp_mid)
{
    struct weighted_price prices[FEEDERS_STATE_MAX], mids[FEEDERS_STATE_MAX];
    uint32_t              mid_count, count = valid_posts(e, perps, prices, mids, &mid_count);
    int64_t               median;

    if (market_is_settled(market)) return;
    assert(perps->index > 0 && perps->mark > 0);
    *perp_mid = mid_count != 0 ? price_weighted_median(mids, mid_count) : 0;
    perps->made.median = perps->made.spot_mid = 0;
    if (count < index_quorum(e, perps)) {
        without_feeders(e, market, perps);
        return;
    }
    median = perps->made.median = price_weighted_median(prices, count);
    assert(median >= prices[0].price && median <= prices[count - 1].price); /* they are sorted by now */
    if (!believe(e, perps, median)) return; /* a symbol that was stale stays so until the jump is believed */
    if (perps->drift.anchor == 0 && RULING(68)) begin_with(e, perps, median);
    perps->index = median;
    perps->index_ms = e->time_ms;
    perps->state = ORACLE_LIVE;
    perps->drift.was_live = 1;
    begin_drift(e, perps);
}

/* ---- before the first command ---- */

void index_init(struct engine *e, const struct genesis *genesis, const struct market *market,
                struct perps_market *perps)
{
    assert(market->symbol.reference_price > 0 && market->symbol.reference_price <= PRICE_MAX);
    assert(perps->drift.anchor == 0 && perps->open_interest == 0);
    perps->state = RULING(68) ? ORACLE_IS_STALE : ORACLE_BOOTSTRAP;
    perps->index = perps->mark = market->symbol.reference_price;
    perps->index_ms = e->time_ms;
    if (genesis->prices_by_hand == 0) return;
    perps->state = ORACLE_LIVE;
    perps->posts[PLACE_BY_HAND] = (struct feeder_post){ perps->index, 0, e->time_ms };
    perps->drift.was_live = 1;
    begin_drift(e, perps);
}
