/* SPDX-License-Identifier: MIT */
/* prices.c — index and mark of each second (mechanics 3.8, 3.9). */
#include "world.h"

#define MILLION INT64_C(1000000)

/* Before the first command: the listing's reference. */
void first_prices(struct twin *twin)
{
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        struct symbol_state *s = &twin->state[MARKET_PERPS][i];

        s->index = s->mark = twin->genesis.perps[i].reference_price;
        s->oracle = ORACLE_IS_STALE;        /* ruling 68: no post yet */
        if (twin->genesis.prices_by_hand) { /* ruling 77 */
            s->oracle = ORACLE_LIVE;
            s->feeds[FEEDERS_MAX].price = s->index;
            s->feeds[FEEDERS_MAX].time_ms = twin->now_ms;
            s->ever_live = true;
            s->anchor = s->hour_index = s->index;
            s->hour_ms = twin->now_ms;
        }
        s->next_funding_ms = (twin->now_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS;
        show_composition(twin, &twin->genesis.perps[i], true);
    }
}

/* Development: a price by hand is the price, however old, until it is
   replaced (ruling 77); it silences the built-in feeder. */
void do_set_index(struct twin *twin, const struct set_index *set)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, set->symbol_id);
    struct symbol_state *s;

    if (!twin->genesis.development) {
        answer(twin, 0, REJECT_MODE_FORBIDS);
        return;
    }
    if (symbol == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, set->symbol_id);
        return;
    }
    if (set->price <= 0 || set->price > PRICE_MAX) {
        answer(twin, 0, REJECT_NOT_POSITIVE);
        return;
    }
    answer(twin, 0, REJECT_NONE);
    s = &twin->state[MARKET_PERPS][symbol->id - 1];
    if (!set->by_hand) {
        if (s->by_hand) return;
        for (uint32_t i = 0; i < FEEDERS_MAX; i++)
            if (s->feeds[i].price != 0) return;
    } else {
        s->by_hand = true;
        for (uint32_t i = 0; i < FEEDERS_MAX; i++) s->feeds[i].price = s->feeds[i].mid = s->feeds[i].time_ms = 0;
    }
    s->feeds[FEEDERS_MAX].price = set->price;
    s->feeds[FEEDERS_MAX].time_ms = twin->now_ms;
}

/*
 * A post is accepted when a feeder signed it, its seq rises and its time is current; the seq is used whatever its
 * contents (mechanics 3.8, ruling 45). Returns the number of RESULTs.
 */
uint32_t do_oracle(struct twin *twin, const struct oracle_post *post)
{
    const struct command *command = twin->command;
    int64_t               now = twin->now_ms - twin->offset_ms;
    uint32_t              who = 0;

    while (who < twin->genesis.feeder_count && !address_equal(&twin->genesis.feeders[who].address, &command->signer))
        who++;
    if (command->domain != DOMAIN_ORACLE || who == twin->genesis.feeder_count) {
        turn_away(twin, REJECT_NOT_A_FEEDER);
        return 0;
    }
    if (post->seq <= twin->feeder_seq[who]) {
        struct refused *refused = turn_away(twin, REJECT_ORACLE_SEQ);
        refused->nonce_reason = NONCE_TOO_SMALL;
        refused->smallest = twin->feeder_seq[who];
        return 0;
    }
    if (post->timestamp_ms < now - 30000 || post->timestamp_ms > now + 5000) {
        turn_away(twin, REJECT_ORACLE_TIME);
        return 0;
    }
    twin->feeder_seq[who] = post->seq;
    for (uint32_t i = 0; i < post->count; i++) {
        const struct oracle_price *item = &post->items[i];
        if (symbol_by_id(twin, MARKET_PERPS, item->symbol_id) == NULL) {
            answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, item->symbol_id);
            return 1;
        }
        if (item->price <= 0 || item->price > PRICE_MAX || item->perp_mid < 0 || item->perp_mid > PRICE_MAX) {
            answer(twin, 0, REJECT_NOT_POSITIVE);
            return 1;
        }
    }
    answer(twin, 0, REJECT_NONE);
    for (uint32_t i = 0; i < post->count; i++) {
        struct symbol_state *s = &twin->state[MARKET_PERPS][post->items[i].symbol_id - 1];
        s->by_hand = false; /* ruling 77: the feeders' from now on */
        s->feeds[FEEDERS_MAX].price = 0;
        s->feeds[who].price = post->items[i].price;
        s->feeds[who].mid = post->items[i].perp_mid;
        s->feeds[who].time_ms = twin->now_ms;
    }
    return 1;
}

static int64_t apart(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* Average price of trading `notional` against one side, floor, in price units;
   0 when the depth is missing (mechanics 3.10). */
static int64_t impact(struct twin *twin, const struct symbol *symbol, uint8_t side, int64_t notional)
{
    int k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int128_t left = notional, quantity = 0, after_price = 0, nano = 1000000000;
    bool     begun = false;

    for (;;) {
        int64_t  price = 0;
        int128_t sum = 0, value;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            const struct order *o = &twin->orders[i];
            if (!o->rests || o->market != symbol->market || o->is.base.symbol_id != symbol->id
                || o->is.base.side != side)
                continue;
            if (begun && (side == SIDE_BUY ? o->is.base.price >= after_price : o->is.base.price <= after_price))
                continue;
            if (price == 0 || better(side, o->is.base.price, price)) {
                price = o->is.base.price;
                sum = 0;
            }
            if (o->is.base.price == price) sum += order_rest(o);
        }
        if (price == 0) return 0;
        begun = true;
        after_price = price;
        value = n_exact(symbol, &twin->genesis, price, (int64_t)sum, false);
        if (value >= left) { /* the last level is taken in part */
            quantity += k >= 0 ? left * nano / (price * power10(k)) : left * power10(-k) * nano / price;
            break;
        }
        left -= value;
        quantity += sum * nano;
    }
    if (quantity == 0) return (int64_t)after_price; /* less than any quantity is needed of the best */
    return (int64_t)(k >= 0 ? notional * nano / (quantity * power10(k)) : notional * power10(-k) * nano / quantity);
}

/*
 * The weighted median of the posts within the time: of two their mean, whatever their weights; 0 = none. `mid`: of
 * their perpMids.
 */
static int64_t median_of(const struct twin *twin, const struct symbol_state *s, bool mid, uint32_t *count)
{
    int64_t  price[FEEDERS_MAX + 1], weight[FEEDERS_MAX + 1], all = 0, below = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i <= FEEDERS_MAX; i++) {
        int64_t  said = mid ? s->feeds[i].mid : s->feeds[i].price, weighs = i == FEEDERS_MAX ? 1
                                                                          : i < twin->genesis.feeder_count
                                                                              ? twin->genesis.feeders[i].weight
                                                                              : 0;
        uint32_t at;

        if (said == 0 || weighs == 0
            || (i != FEEDERS_MAX && twin->now_ms - s->feeds[i].time_ms >= twin->genesis.rules.oracle_stale_ms))
            continue;
        for (at = n++; at > 0 && price[at - 1] > said; at--) {
            price[at] = price[at - 1];
            weight[at] = weight[at - 1];
        }
        price[at] = said;
        weight[at] = weighs;
        all += weighs;
    }
    if (count != NULL) *count = n;
    if (n == 0) return 0;
    if (n == 2 && twin->bug != TWIN_BUG_MEDIAN_OF_TWO) return (price[0] + price[1]) / 2;
    for (uint32_t i = 0; i < n; i++) {
        below += weight[i];
        if (2 * below == all && i + 1 < n) return (price[i] + price[i + 1]) / 2;
        if (2 * below > all) return price[i];
    }
    return price[n - 1];
}

/* The own spot book where it stands in: deep enough on both sides, which are
   within 2 % of each other; in the symbol's price units. 0: it does not. */
static int64_t own_spot(struct twin *twin, const struct symbol *symbol)
{
    const struct contract *c = contract_of(twin, symbol);
    const struct symbol   *spot = c->spot_symbol_id == 0 ? NULL : &twin->genesis.spot[c->spot_symbol_id - 1];
    int64_t                bid, ask, mid;

    if (spot == NULL || c->spot_impact_notional == 0) return 0;
    bid = impact(twin, spot, SIDE_BUY, c->spot_impact_notional);
    ask = impact(twin, spot, SIDE_SELL, c->spot_impact_notional);
    if (bid == 0 || ask == 0 || (int128_t)apart(ask, bid) * 50 > bid) return 0;
    mid = bid + (ask - bid) / 2;
    for (uint32_t p = spot->price_precision; p < symbol->price_precision; p++) {
        if (mid > PRICE_MAX / 10) return 0;
        mid *= 10;
    }
    for (uint32_t p = symbol->price_precision; p < spot->price_precision; p++) mid /= 10;
    return mid;
}

/* The lower and the upper end of the range within `part` of 1e8 around a price: the distance is rounded down. */
static int64_t span(int64_t price, int64_t part) { return (int64_t)((int128_t)price * part / 100000000); }

static int64_t within(int64_t x, int64_t middle, int64_t away)
{
    return x < middle - away ? middle - away : x > middle + away ? middle + away : x;
}

/* Ruling 68: a 600th of the way, at most 0.02 % of the index; from where its
   hour began at most 1 %, from the last LIVE index at most 5 %. */
static void drift(struct twin *twin, struct symbol_state *s, int64_t spot, uint8_t state)
{
    int64_t whole = span(s->anchor, 5000000), step = (spot - s->index) / 600;

    while (twin->now_ms - s->hour_ms >= FUNDING_HOUR_MS) {
        s->hour_ms += FUNDING_HOUR_MS;
        s->hour_index = s->index;
    }
    if (twin->bug != TWIN_BUG_NO_DRIFT_CAP) step = within(step, 0, span(s->index, 20000));
    s->index += step;
    if (twin->bug != TWIN_BUG_NO_DRIFT_HOUR) s->index = within(s->index, s->hour_index, span(s->hour_index, 1000000));
    s->index = within(s->index, s->anchor, whole);
    s->oracle = state;
    if (s->index == s->anchor + whole && spot > s->index) s->oracle = ORACLE_IS_STALE;
    if (s->index == s->anchor - whole && spot < s->index) s->oracle = ORACLE_IS_STALE;
}

/* The book has stood in for half of the second or more: its mean price of that time. */
static int64_t spot_of_second(const struct symbol_state *s)
{
    return s->stood.spot_ms == 0 || s->stood.spot_ms < s->stood.ms - s->stood.spot_ms
             ? 0
             : (int64_t)(s->stood.spot / s->stood.spot_ms);
}

/* Too few posts: FALLBACK, or BOOTSTRAP before the first post; stale without a book to replace them. */
static void index_without_posts(struct twin *twin, struct symbol_state *s)
{
    int64_t spot = s->making.spot = spot_of_second(s);
    bool    ever = false;

    for (uint32_t i = 0; i <= FEEDERS_MAX; i++)
        if (s->feeds[i].price != 0) ever = true;
    if (spot == 0 || (ever && s->anchor == 0)) {
        s->oracle = ORACLE_IS_STALE;
        return;
    }
    if (s->anchor == 0) {
        s->anchor = s->hour_index = s->index = s->mark = spot;
        s->hour_ms = twin->now_ms;
    }
    drift(twin, s, spot, ever ? ORACLE_FALLBACK : ORACLE_BOOTSTRAP);
}

/*
 * Mechanics 3.8: the median of a quorum, a jump held back until it is confirmed often enough in a row; else the own
 * spot book; else unchanged.
 */
static void index_tick(struct twin *twin, struct symbol_state *s)
{
    const struct rules *rules = &twin->genesis.rules;
    uint32_t            count;
    int64_t             price = median_of(twin, s, false, &count);

    if (s->status == SYMBOL_SETTLED) return;
    s->making.median = s->making.spot = 0;
    if (count < (s->feeds[FEEDERS_MAX].price != 0 ? 1 : rules->oracle_quorum)) {
        index_without_posts(twin, s);
        return;
    }
    s->making.median = price;
    if (s->ever_live && s->oracle != ORACLE_BOOTSTRAP
        && (int128_t)apart(price, s->index) * 100000000 > (int128_t)s->index * rules->oracle_jump_ratio) {
        s->agreed = s->agreed != 0 && (int128_t)apart(price, s->candidate) * 100 <= s->candidate ? s->agreed + 1 : 1;
        s->candidate = price;
        if (s->agreed < (rules->oracle_jump_ticks == 0 ? 3 : rules->oracle_jump_ticks)) return;
    }
    if (s->anchor == 0) s->mark = price; /* the first price there is: the mark begins with it */
    s->index = s->anchor = s->hour_index = price;
    s->hour_ms = twin->now_ms;
    s->agreed = 0;
    s->oracle = ORACLE_LIVE;
    s->ever_live = true;
}

/* Ruling 67: until `now` everything has stood as it stands, and as long counts. */
void time_goes_by(struct twin *twin, int64_t now)
{
    int64_t ms = now - twin->now_ms;

    for (uint32_t m = MARKET_SPOT; m <= MARKET_PERPS && ms > 0; m++)
        for (uint32_t i = 0; i < SYMBOLS_MAX; i++) twin->state[m][i].seen_id = twin->state[m][i].update_id;
    for (uint32_t i = 0; i < twin->genesis.perps_count && ms > 0; i++) {
        const struct symbol *symbol = &twin->genesis.perps[i];
        struct symbol_state *s = &twin->state[MARKET_PERPS][i];
        struct stood        *stood = &s->stood;
        int64_t notional = twin->bug == TWIN_BUG_BEST_QUOTES ? 1 : contract_of(twin, symbol)->impact_notional,
                ib = impact(twin, symbol, SIDE_BUY, notional), ia = impact(twin, symbol, SIDE_SELL, notional),
                spot = own_spot(twin, symbol);

        if (stood->asked || twin->bug == TWIN_BUG_LAST_STRETCH)
            *stood = (struct stood){ .premium = stood->premium, .premium_ms = stood->premium_ms };
        stood->ms += ms;
        if (ib != 0) {
            stood->bid += (int128_t)ib * ms;
            stood->bid_ms += ms;
        }
        if (ia != 0) {
            stood->ask += (int128_t)ia * ms;
            stood->ask_ms += ms;
        }
        if (ib != 0 && ia != 0) {
            stood->middle += ((int128_t)ib + ia) / 2 * ms;
            stood->both_ms += ms;
        }
        if (spot != 0) {
            stood->spot += (int128_t)spot * ms;
            stood->spot_ms += ms;
        }
        stood->premium += premium_of(s, ib, ia) * ms;
        stood->premium_ms += ms;
    }
}

void remember_print(struct twin *twin, const struct symbol *symbol, int64_t price, int64_t quantity)
{
    struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];

    if (s->print_count == s->print_room) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < s->print_count; i++)
            if (s->prints[i].time_ms / 1000 >= twin->now_ms / 1000 - 60) s->prints[kept++] = s->prints[i];
        s->print_count = kept;
        if (2 * kept >= s->print_room)
            s->prints = realloc(s->prints, (s->print_room = 2 * s->print_room + 64) * sizeof(*s->prints));
    }
    s->prints[s->print_count++] = (struct print){ twin->now_ms, price, quantity };
}

/* The price at which a minute's trades were made on the average: of this second and
   the 60 before; 0 when they are worth less than the impact notional. */
static int64_t last_of_minute(const struct twin *twin, const struct symbol *symbol, const struct symbol_state *s)
{
    int k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int64_t  seconds = twin->bug == TWIN_BUG_LONG_MINUTE ? 61 : 60;
    int128_t value = 0, quantity = 0, worth;

    for (uint32_t i = 0; i < s->print_count; i++) {
        if (s->prints[i].time_ms / 1000 < twin->now_ms / 1000 - seconds) continue;
        value += (int128_t)s->prints[i].price * s->prints[i].quantity;
        quantity += s->prints[i].quantity;
    }
    worth = k >= 0 ? value * power10(k) : value / power10(-k);
    return quantity == 0
                || (worth < contract_of((struct twin *)(uintptr_t)twin, symbol)->impact_notional
                    && twin->bug != TWIN_BUG_DUST_PRINTS)
             ? 0
             : (int64_t)(value / quantity);
}

/* A mean over all milliseconds, of which those without a price count at the index. */
static int64_t mean_with(int128_t sum, int64_t sum_ms, int64_t ms, int64_t index)
{
    return (int64_t)((sum + (int128_t)(ms - sum_ms) * index) / ms);
}

static int64_t median3(int64_t a, int64_t b, int64_t c)
{
    if (a > b) {
        int64_t t = a;
        a = b;
        b = t;
    }
    return c < a ? a : c > b ? b : c;
}

/* Mechanics 3.9, with impact prices of the second and the mean trade of the minute (ruling 67). */
static void mark_tick(struct twin *twin, const struct symbol *symbol, struct symbol_state *s)
{
    const struct contract *c = contract_of(twin, symbol);
    const struct stood    *stood = &s->stood;
    int64_t                bid = stood->bid_ms == 0 ? 0 : mean_with(stood->bid, stood->bid_ms, stood->ms, s->index);
    int64_t                ask = stood->ask_ms == 0 ? 0 : mean_with(stood->ask, stood->ask_ms, stood->ms, s->index),
            last = last_of_minute(twin, symbol, s);
    int64_t  length = twin->genesis.rules.mark_average_ticks == 0 ? 150 : twin->genesis.rules.mark_average_ticks;
    int128_t index = s->index,
             mid = stood->ms == 0 ? index : mean_with(stood->middle, stood->both_ms, stood->ms, s->index), x, p1, p2,
             p3, raw, most, values[3];
    uint32_t n = 0;

    most = index * (c->tiers[0].rate < 2000000 ? c->tiers[0].rate / 2 : 1000000)
         / 100000000; /* 1 %, or half the first maintenance rate */
    x = clamp(mid - index, -most, most) * MILLION;
    s->basis += (x - s->basis) / length;
    p1 = index + s->basis / MILLION;
    if (bid != 0) values[n++] = bid;
    if (ask != 0) values[n++] = ask;
    if (last != 0) values[n++] = last;
    p2 = n == 0 ? index
       : n == 1 ? values[0]
       : n == 2 ? (values[0] + values[1]) / 2
                : median3((int64_t)values[0], (int64_t)values[1], (int64_t)values[2]);
    p2 = clamp(p2, index - index * 5 / 100, index + index * 5 / 100);
    p3 = median_of(twin, s, true, NULL);
    if (p3 == 0)
        p3 = index
           + index * s->funding_rate * (s->next_funding_ms > twin->now_ms ? s->next_funding_ms - twin->now_ms : 0)
                 / (FUNDING_HOUR_MS * (int128_t)FUNDING_ONE);
    raw = median3((int64_t)p1, (int64_t)p2, (int64_t)p3);
    s->making.bid = bid;
    s->making.ask = ask;
    s->making.last = last;
    s->making.mid = median_of(twin, s, true, NULL);
    s->making.p1 = (int64_t)p1;
    s->making.p2 = (int64_t)p2;
    s->making.p3 = (int64_t)p3;
    s->making.raw = (int64_t)raw;
    raw = clamp(raw, divide_ceil(index * (100000000 - c->mark_band), 100000000),
                divide_floor(index * (100000000 + c->mark_band), 100000000));
    raw = clamp(raw, divide_ceil((int128_t)s->mark * (100000000 - c->mark_step_cap), 100000000),
                divide_floor((int128_t)s->mark * (100000000 + c->mark_step_cap), 100000000));
    s->mark_step = apart((int64_t)raw, s->mark);
    s->mark = (int64_t)raw;
}

/* Steps 3 to 6 of the TICK pipeline (mechanics 0), symbols by id inside each step. */
static void move_prices(struct twin *twin)
{
    twin->priced_ms = twin->now_ms;
    twin->price_step++;
    for (int step = 3; step <= 6; step++)
        for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
            const struct symbol *symbol = &twin->genesis.perps[i];
            struct symbol_state *s = &twin->state[MARKET_PERPS][i];

            if (s->status == SYMBOL_SETTLED && step != 6) continue;
            if (s->status == SYMBOL_SETTLED) {
                s->mark_ms = twin->now_ms;
                continue;
            }
            switch (step) {
            case 3: index_tick(twin, s); break;
            case 4: premium_sample(twin, symbol, s, s->mark_ms == 0 ? twin->genesis.time_ms : s->mark_ms); break;
            case 5:
                mark_tick(twin, symbol, s);
                s->stood.asked = true;
                break;
            default:
                if (twin->now_ms >= s->next_funding_ms) funding_settle(twin, symbol, s);
                s->funding_rate = funding_hourly(twin, symbol, s);
                s->mark_ms = twin->now_ms;
            }
        }
}

/* Anything that would change the symbol's index, or its mark by more than a millionth, in the next second. */
static bool symbol_stirs(struct twin *twin, const struct symbol *symbol)
{
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    const struct contract     *c = contract_of(twin, symbol);
    int64_t                    spot = own_spot(twin, symbol), calm = s->mark / 1000000;

    if (s->update_id != s->seen_id) return true;
    if (c->spot_symbol_id != 0 && c->spot_impact_notional != 0
        && twin->state[MARKET_SPOT][c->spot_symbol_id - 1].update_id
               != twin->state[MARKET_SPOT][c->spot_symbol_id - 1].seen_id)
        return true;
    if (s->status == SYMBOL_SETTLED) return false;
    if (s->agreed != 0 || s->mark_step > (calm > 1 ? calm : 1)) return true;
    switch (s->oracle) {
    case ORACLE_LIVE: return false;
    case ORACLE_IS_STALE: return spot != 0;
    default: return spot == 0 || apart(spot, s->index) >= 600;
    }
}

bool nothing_stirs(struct twin *twin)
{
    if (!twin->after_tick || twin->work_left || twin->genesis.perps_count == 0) return false;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++)
        if (twin->state[MARKET_PERPS][i].phase == PHASE_SETTLING || symbol_stirs(twin, &twin->genesis.perps[i]))
            return false;
    for (uint32_t i = 0; i < twin->account_count; i++)
        for (uint32_t k = 0; k < twin->genesis.perps_count; k++)
            if (twin->accounts[i].positions[k].is.size != 0) return false;
    for (uint32_t i = 0; i < twin->order_count; i++)
        if (twin->orders[i].armed || twin->orders[i].waits != 0) return false;
    return true;
}

void seconds_left_out(struct twin *twin, int64_t now)
{
    int64_t end = now / 1000;

    if (end - twin->priced_ms / 1000 > 60) return; /* a clock advance: its seconds do not count (ruling 43) */
    for (int64_t second = twin->priced_ms / 1000 + 1; second <= end; second++) {
        time_goes_by(twin, second * 1000);
        twin->now_ms = second * 1000;
        move_prices(twin);
    }
    twin->caught_up = true;
}

/* Steps 3 to 8 of the TICK pipeline. A TICK that continues work of the same second moves no price. */
void second_goes_by(struct twin *twin)
{
    bool goes_on = twin->work_left && twin->now_ms / 1000 == twin->priced_ms / 1000;

    twin->work_left = false;
    if (!goes_on && !twin->caught_up) move_prices(twin);
    twin->caught_up = false;
    for (uint32_t i = 0; i < twin->genesis.perps_count && !goes_on; i++)
        show_composition(twin, &twin->genesis.perps[i], false);
    delist_tick(twin, goes_on);
    stops_tick(twin, goes_on);
    units_tick(twin, goes_on);
}
