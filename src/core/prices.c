/* SPDX-License-Identifier: MIT */
#include "core/prices.h"
#include "core/account.h"
#include "core/book.h"
#include "core/composition.h"
#include "core/ledger.h"

static_assert(FEEDERS_MAX < FEEDERS_STATE_MAX, "the last place is for the price that is set by hand");

#define THROTTLE         600            /* of the distance per TICK                          */
#define DRIFT            20000          /* 0.02 % per TICK, in 1e-8                          */
#define PLACE_BY_HAND    (FEEDERS_STATE_MAX - 1)

/* ---- posts ---- */

static uint32_t find_feeder(const struct engine *e, const struct address *signer)
{
    for (uint32_t i = 0; i < e->feeder_count; i++)
        if (address_equal(&e->feeders[i].address, signer)) return i;
    return UINT32_MAX;
}

enum reject prices_admit(const struct engine *e, const struct command *command, uint64_t *last_seq)
{
    const struct oracle_post *post = command_payload(command);
    uint32_t                  feeder = find_feeder(e, &command->signer);
    int64_t                   now = e->time_ms - e->time_offset_ms;

    if (command->domain != DOMAIN_ORACLE || feeder == UINT32_MAX) return REJECT_NOT_A_FEEDER;
    if (command->bytes < sizeof(*command) + offsetof(struct oracle_post, items) || post->count == 0 || post->count > ORACLE_PRICES_MAX
        || command->bytes < sizeof(*command) + PAYLOAD_BYTES(oracle_post, post->count)) return REJECT_BATCH_SIZE;
    *last_seq = e->feeders[feeder].seq;
    if (post->seq <= *last_seq) return REJECT_ORACLE_SEQ;
    if (post->timestamp_ms < now - ORACLE_PAST_MS || post->timestamp_ms > now + ORACLE_FUTURE_MS) return REJECT_ORACLE_TIME;
    return REJECT_NONE;
}

static bool pass_items(const struct engine *e, const struct oracle_post *post, struct result *result)
{
    for (uint32_t i = 0; i < post->count; i++) {
        const struct oracle_price *item = &post->items[i];

        if (item->symbol_id < 1 || item->symbol_id > e->perps_count) return refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, item->symbol_id);
        if (item->price <= 0 || item->price > PRICE_MAX || item->perp_mid < 0 || item->perp_mid > PRICE_MAX) return refuse_plainly(result, REJECT_NOT_POSITIVE);
    }
    return true;
}

void prices_post(struct turn *turn, const struct command *command, const struct oracle_post *post, struct result *result)
{
    struct engine *e = turn->engine;
    uint32_t       feeder = find_feeder(e, &command->signer);

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

/* Whether feeders have taken the symbol over: the built-in feeder says nothing about it any more (ruling 77). */
static bool has_signed_post(const struct perps_market *perps)
{
    for (uint32_t i = 0; i < PLACE_BY_HAND; i++) if (perps->posts[i].price != 0) return true;
    return false;
}

void prices_set(struct turn *turn, const struct set_index *command, struct result *result)
{
    struct engine       *e = turn->engine;
    struct perps_market *perps;

    if (!e->development) { refuse_plainly(result, REJECT_MODE_FORBIDS); return; }
    if (command->symbol_id < 1 || command->symbol_id > e->perps_count) { refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, command->symbol_id); return; }
    if (command->price <= 0 || command->price > PRICE_MAX) { refuse_plainly(result, REJECT_NOT_POSITIVE); return; }
    perps = &engine_perps(e)[command->symbol_id - 1];
    if (!command->by_hand && (perps->by_hand || has_signed_post(perps))) return;    /* both silence the built-in feeder */
    if (command->by_hand) {
        perps->by_hand = 1;
        memset(perps->posts, 0, sizeof(perps->posts));          /* it is the price until a feeder posts again (ruling 77) */
    }
    perps->posts[PLACE_BY_HAND] = (struct feeder_post){ command->price, 0, e->time_ms };
}

/* ---- index ---- */

static uint32_t weight_of(const struct engine *e, uint32_t place)
{
    if (place == PLACE_BY_HAND) return 1;
    return place < e->feeder_count ? e->feeders[place].weight : 0;
}

/* What is said in development, by hand or by the built-in feeder, stays until the next word: no leap in time makes it stale. */
bool prices_post_is_valid(const struct engine *e, const struct perps_market *perps, uint32_t place)
{
    const struct feeder_post *post = &perps->posts[place];

    assert(place < FEEDERS_STATE_MAX);
    if (post->price == 0 || weight_of(e, place) == 0) return false;
    return place == PLACE_BY_HAND || e->time_ms - post->posted_ms < e->rules.oracle_stale_ms;
}

uint32_t prices_quorum(const struct engine *e, const struct perps_market *perps) { return perps->posts[PLACE_BY_HAND].price != 0 ? 1 : e->rules.oracle_quorum; }

/* Posts that count; returns how many. */
static uint32_t valid_posts(const struct engine *e, const struct perps_market *perps, struct weighted_price *prices, struct weighted_price *mids, uint32_t *mid_count)
{
    uint32_t count = 0;

    *mid_count = 0;
    for (uint32_t i = 0; i < FEEDERS_STATE_MAX; i++) {
        const struct feeder_post *post = &perps->posts[i];
        uint32_t                  weight = weight_of(e, i);

        if (!prices_post_is_valid(e, perps, i)) continue;
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
    if (perps->state == ORACLE_BOOTSTRAP || near(price, perps->index, e->rules.oracle_jump_ratio)) {
        perps->held_price = 0;
        perps->held_count = 0;
        return true;
    }
    perps->held_count = perps->held_price != 0 && near(price, perps->held_price, RATE_ONE / 100) ? perps->held_count + 1 : 1;
    perps->held_price = price;
    if (perps->held_count < e->rules.oracle_jump_ticks) return false;
    perps->held_price = 0;
    perps->held_count = 0;
    return true;
}

/* The price of trading a notional into one side of a book; 0 when it is not that deep. */
static int64_t impact_of_book(const struct engine *e, const struct market *market, uint8_t side, int64_t notional)
{
    struct impact impact = impact_of(notional, market->power);

    for (uint32_t ix = market->sides[side].best; ix != 0; ix = book_behind(level_at(e, ix)))
        if (!impact_add(&impact, level_at(e, ix)->price, level_at(e, ix)->quantity)) return impact.price;
    return 0;
}

/* The middle of the own spot book, in perps price units, when it is deep and narrow enough; else 0. */
static int64_t spot_mid(const struct engine *e, const struct market *market)
{
    const struct contract *contract = &perps_of(e, market)->contract;
    const struct market   *spot;
    int64_t                bid, ask, mid;
    int                    finer;

    if (contract->spot_symbol_id == 0 || contract->spot_impact_notional == 0) return 0;
    spot = market_at(e, (uint8_t)contract->spot_symbol_id);
    bid = impact_of_book(e, spot, SIDE_BUY, contract->spot_impact_notional);
    ask = impact_of_book(e, spot, SIDE_SELL, contract->spot_impact_notional);
    if (bid == 0 || ask == 0 || !near(ask, bid, RATE_ONE / 50)) return 0;
    mid = bid + (ask - bid) / 2;
    finer = (int)market->symbol.price_precision - (int)spot->symbol.price_precision;
    if (finer < 0) return mid / pow10_i64(-finer);
    return mid > PRICE_MAX / pow10_i64(finer) ? 0 : mid * pow10_i64(finer);
}

/* At most a 600th of the way, and no more than `drift` of the index (0 = no such bound). */
static int64_t throttled(int64_t index, int64_t target, int64_t drift)
{
    int64_t step = (target - index) / THROTTLE, most = (int64_t)((int128_t)index * drift / RATE_ONE);

    if (drift != 0) step = price_clamp(step, -most, most);
    assert(index > 0 && target > 0 && (step == 0 || (step > 0) == (target > index)));        /* towards it, and not beyond */
    return index + step;
}

/* Nobody has ever posted: own spot book, else the own last trade, else the listing's reference. */
static void bootstrap(struct engine *e, struct market *market, struct perps_market *perps)
{
    int64_t mid = spot_mid(e, market);

    if (mid != 0)                       perps->index = throttled(perps->index, mid, 0);
    else if (perps->last_between != 0)  perps->index = throttled(perps->index, perps->last_between, 0);
    perps->index_ms = e->time_ms;
    assert(perps->index > 0 && perps->index <= PRICE_MAX);
}

/* Once somebody has posted, the beginning is over, also where it takes more of them to make an index (mechanics 3.8). */
static bool somebody_has_posted(const struct perps_market *perps)
{
    for (uint32_t i = 0; i < FEEDERS_STATE_MAX; i++) if (perps->posts[i].price != 0) return true;
    return false;
}

static void without_feeders(struct engine *e, struct market *market, struct perps_market *perps)
{
    int64_t mid = spot_mid(e, market);

    perps->made.spot_mid = mid;
    if (perps->state == ORACLE_BOOTSTRAP && !somebody_has_posted(perps)) { bootstrap(e, market, perps); return; }
    perps->state = mid != 0 ? ORACLE_FALLBACK : ORACLE_IS_STALE;
    assert(mid >= 0 && perps->index > 0);
    if (mid != 0) perps->index = throttled(perps->index, mid, DRIFT);
}

static void aggregate(struct engine *e, struct market *market, struct perps_market *perps, int64_t *perp_mid)
{
    struct weighted_price prices[FEEDERS_STATE_MAX], mids[FEEDERS_STATE_MAX];
    uint32_t              mid_count, count = valid_posts(e, perps, prices, mids, &mid_count);
    int64_t               median;

    if (market_is_settled(market)) return;
    *perp_mid = mid_count != 0 ? price_weighted_median(mids, mid_count) : 0;
    perps->made.median = perps->made.spot_mid = 0;
    if (count < prices_quorum(e, perps)) { without_feeders(e, market, perps); return; }
    median = perps->made.median = price_weighted_median(prices, count);
    assert(median >= prices[0].price && median <= prices[count - 1].price);          /* they are sorted by now */
    if (!believe(e, perps, median)) return;             /* a symbol that was stale stays so until the jump is believed */
    perps->index = median;
    perps->index_ms = e->time_ms;
    perps->state = ORACLE_LIVE;
}

/* ---- premium, mark, funding ---- */

static void sample_premium(struct engine *e, struct market *market, struct perps_market *perps)
{
    int64_t instant = e->time_ms / e->rules.premium_sample_ms, bid, ask;

    if (instant == perps->premium_ms) return;
    assert(instant > perps->premium_ms && perps->index > 0);
    perps->premium_ms = instant;
    if (perps->state == ORACLE_IS_STALE || !market_trades(e, market)) return;
    bid = impact_of_book(e, market, SIDE_BUY, perps->contract.impact_notional);
    ask = impact_of_book(e, market, SIDE_SELL, perps->contract.impact_notional);
    perps->premium_sum += funding_premium(perps->index, bid, ask);
    perps->premium_count += 1;
}

static int64_t best_price(const struct engine *e, const struct market *market, uint8_t side)
{
    uint32_t best = market->sides[side].best;
    return best == 0 ? 0 : level_at(e, best)->price;
}

/* Until the funding that has not been settled yet; nothing when it is due, because the mark moves first (mechanics 0, 3.9). */
static int64_t to_funding(const struct engine *e, const struct perps_market *perps)
{
    return max_i64(0, (perps->funding_hour + 1) * FUNDING_HOUR_MS - e->time_ms);
}

static void move_mark(struct engine *e, struct market *market, struct perps_market *perps, int64_t perp_mid)
{
    struct mark_inputs in = {
        .index = perps->index, .best_bid = best_price(e, market, SIDE_BUY), .best_ask = best_price(e, market, SIDE_SELL), .perp_mid = perp_mid,
        .last = perps->last_trade_ms != 0 && e->time_ms - perps->last_trade_ms < LAST_FRESH_MS ? perps->last_between : 0,
        .funding_rate = perps->funding_rate, .to_funding_ms = to_funding(e, perps),
        .average_ticks = e->rules.mark_average_ticks,
    };
    struct mark_step step;

    assert(in.to_funding_ms >= 0 && in.to_funding_ms <= FUNDING_HOUR_MS && in.best_bid >= 0 && in.best_ask >= 0);
    assert(perps->mark > 0);
    if (market_is_settled(market)) return;
    step = price_mark(&perps->contract, &in, &perps->basis, perps->mark);
    perps->mark = step.mark;
    composition_of_mark(perps, &in, &step);
}

static void tell_funded(struct turn *turn, const struct position *position, int64_t payment, int64_t rate)
{
    struct funded *event = EVENT_ADD(turn->events, FUNDING, funded, MARKET_PERPS);

    assert(position->id != 0 && position->stake.size != 0 && rate != 0);
    event->account_id = account_id_of(position->account);
    event->position_id = position->id;
    event->symbol_id = market_at(turn->engine, position->market)->symbol.id;
    event->payment = payment;
    event->rate = rate;
    event->time_ms = turn->engine->time_ms;
}

/* Payers, or receivers, of one symbol by account id; returns the sum of what they paid. */
static int128_t settle_side(struct turn *turn, const struct market *market, int64_t rate, bool payers)
{
    struct engine *e = turn->engine;
    int128_t       sum = 0;

    for (uint32_t slot = 0; slot < e->account_end; slot++) {
        struct position *position = engine_margins(e)[slot].positions == 0 ? NULL : position_find(e, slot, market->number);
        int128_t         payment;

        if (position == NULL || position->stake.size == 0 || ((position->stake.size > 0) == (rate > 0)) != payers) continue;
        payment = funding_payment(position_value(e, position), position->stake.size > 0, rate);
        assert(payers ? payment >= 0 : payment <= 0);
        position_pay(e, position, payment);
        tell_funded(turn, position, (int64_t)payment, rate);
        sum += payment;
    }
    return sum;
}

/* What rounding left over is the fund's (mechanics 1.3). */
static void settle_funding(struct turn *turn, struct market *market, struct perps_market *perps)
{
    struct engine *e = turn->engine;
    int64_t        rate = market_trades(e, market) ? funding_rate(&perps->contract, perps->premium_sum, perps->premium_count) : 0;
    int128_t       dust;

    perps->premium_sum = 0;
    perps->premium_count = 0;
    if (rate == 0 || perps->open_interest == 0) return;
    dust = settle_side(turn, market, rate, true);
    dust += settle_side(turn, market, rate, false);
    assert(dust >= 0);
    assert(dust <= AMOUNT_MAX);
    ledger_position(e, SLOT_FUND, (int64_t)dust);
}

static void roll_hour(struct turn *turn, struct market *market, struct perps_market *perps)
{
    int64_t hour = turn->engine->time_ms / FUNDING_HOUR_MS;

    assert(hour >= perps->funding_hour);
    if (hour != perps->funding_hour) {
        settle_funding(turn, market, perps);
        perps->funding_hour = hour;
    }
    perps->funding_rate = market_trades(turn->engine, market) ? funding_rate(&perps->contract, perps->premium_sum, perps->premium_count) : 0;
}

void prices_init(struct engine *e, const struct genesis *genesis)
{
    for (uint32_t i = 0; i < e->perps_count; i++) {
        struct perps_market *perps = &engine_perps(e)[i];

        perps->state = ORACLE_BOOTSTRAP;
        perps->index = perps->mark = market_at(e, (uint8_t)(PERPS_FIRST + i))->symbol.reference_price;
        perps->index_ms = e->time_ms;
        if (genesis->prices_by_hand != 0) {
            perps->state = ORACLE_LIVE;
            perps->posts[PLACE_BY_HAND] = (struct feeder_post){ perps->index, 0, e->time_ms };
        }
        perps->funding_hour = e->time_ms / FUNDING_HOUR_MS;
        perps->premium_ms = e->time_ms / e->rules.premium_sample_ms;
    }
}

void prices_tick(struct turn *turn)
{
    struct engine *e = turn->engine;
    int64_t        perp_mids[PERPS_MAX];

    assert(e->time_ms >= e->priced_ms && e->perps_count <= PERPS_MAX);
    e->price_step += 1;
    e->priced_ms = e->time_ms;
    for (uint32_t i = 0; i < e->perps_count; i++) aggregate(e, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i], &perp_mids[i]);
    for (uint32_t i = 0; i < e->perps_count; i++) sample_premium(e, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i]);
    for (uint32_t i = 0; i < e->perps_count; i++) move_mark(e, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i], perp_mids[i]);
    for (uint32_t i = 0; i < e->perps_count; i++) roll_hour(turn, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i]);
}

/* A settled symbol has none. */
static int64_t next_funding(const struct engine *e, uint32_t i)
{
    return market_is_settled(market_at(e, (uint8_t)(PERPS_FIRST + i))) ? 0 : (e->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS;
}

void prices_tell(struct turn *turn)
{
    struct engine *e = turn->engine;

    for (uint32_t i = 0; i < e->perps_count; i++) {
        struct perps_market  *perps = &engine_perps(e)[i];
        struct price_changed  now = { .symbol_id = i + 1, .state = perps->state, .index = perps->index, .mark = perps->mark,
            .funding_rate = perps->funding_rate, .open_interest = perps->open_interest,
            .next_funding_ms = next_funding(e, i) };
        struct price_changed *event;

        assert(perps->open_interest >= 0 && perps->mark > 0 && perps->index > 0);
        if (memcmp(&now, &perps->told, sizeof(now)) == 0) continue;
        perps->told = now;
        event = EVENT_ADD(turn->events, PRICE, price_changed, MARKET_PERPS);
        now.head = event->head;
        *event = now;
    }
}
