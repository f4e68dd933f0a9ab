/* SPDX-License-Identifier: MIT */
/* delist.c — a symbol that is only to be reduced, or settled at the
   average of its index (mechanics 3.15; decisions 422 and 815). */
#include "world.h"

#define LATE_SECONDS 5 /* a TICK that comes late stands for so many at most */
#define LONGEST_MS   (3650 * DAY_MS)

static void phase_says(struct twin *twin, const struct symbol *symbol, const struct symbol_state *s)
{
    struct phase_changed *told = TELL(twin, PHASE, phase_changed, MARKET_PERPS);

    told->symbol_id = symbol->id;
    told->phase = s->phase;
    told->at_ms = s->settle_ms;
    told->price = s->settle_price;
}

/* By hand: only to be reduced, or open again; an announcement is more than both. */
void restrict_symbol(struct twin *twin, const struct symbol *symbol, bool reduce_only)
{
    struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    uint8_t              phase = reduce_only ? PHASE_REDUCE_ONLY : PHASE_OPEN;

    if (s->phase > PHASE_REDUCE_ONLY || s->phase == phase) return;
    s->phase = phase;
    phase_says(twin, symbol, s);
}

/* Announced with notice, withdrawn before its price is measured. True: it is so now. */
bool announce(struct twin *twin, const struct settle_symbol *settle)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, settle->symbol_id);
    struct symbol_state *s;
    int64_t              earliest = twin->now_ms + twin->genesis.rules.settlement_notice_ms, begins;

    if (symbol == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, settle->symbol_id);
        return false;
    }
    s = &twin->state[MARKET_PERPS][symbol->id - 1];
    if (s->status == SYMBOL_SETTLED) {
        answer(twin, 0, REJECT_SYMBOL_SETTLED);
        return false;
    }
    if (settle->at_ms == 0) {
        begins = s->settle_ms - twin->genesis.rules.settlement_window_ms;
        if (s->phase != PHASE_SETTLING) {
            answer(twin, 0, REJECT_NOT_ANNOUNCED);
            return false;
        }
        if (twin->now_ms >= begins) {
            answer_said(twin, 0, REJECT_SETTLEMENT_BEGUN, whole(twin->now_ms), whole(begins - 1));
            return false;
        }
    } else {
        if (s->phase == PHASE_SETTLING) {
            answer(twin, 0, REJECT_SETTLEMENT_ANNOUNCED);
            return false;
        }
        if (settle->at_ms < earliest) {
            answer_said(twin, 0, REJECT_SETTLEMENT_NOTICE, whole(settle->at_ms), whole(earliest));
            return false;
        }
        if (settle->at_ms > twin->now_ms + LONGEST_MS) {
            answer_said(twin, 0, REJECT_NUMBER_RANGE, whole(settle->at_ms), whole(twin->now_ms + LONGEST_MS));
            return false;
        }
    }
    answer(twin, 0, REJECT_NONE);
    s->phase = settle->at_ms == 0 ? PHASE_OPEN : PHASE_SETTLING;
    s->settle_ms = settle->at_ms;
    s->settle_sum = s->settle_seconds = s->settle_sampled = 0;
    phase_says(twin, symbol, s);
    return true;
}

/* The index counts for the seconds since the last TICK, from the beginning of the window on; a stale one for none. */
static void measure(struct twin *twin, struct symbol_state *s)
{
    int64_t from = (s->settle_ms - twin->genesis.rules.settlement_window_ms) / 1000, now = twin->now_ms / 1000,
            last = s->settle_sampled > from ? s->settle_sampled : from;
    int64_t seconds = now - last, left = twin->genesis.rules.settlement_window_ms / 1000 - s->settle_seconds;

    if (seconds <= 0) return;
    if (seconds > LATE_SECONDS) seconds = LATE_SECONDS;
    if (seconds > left) seconds = left;
    s->settle_sampled = now;
    if (s->oracle == ORACLE_IS_STALE) return;
    s->settle_sum += (int128_t)s->index * seconds;
    s->settle_seconds += seconds;
}

/* The price is known, and never moves again. */
static void close_for_good(struct twin *twin, const struct symbol *symbol, struct symbol_state *s)
{
    struct symbol_changed *told = TELL(twin, SYMBOL, symbol_changed, MARKET_PERPS);

    told->symbol_id = symbol->id;
    told->status = s->status = SYMBOL_SETTLED;
    s->settle_price = (int64_t)(s->settle_sum / s->settle_seconds)
                    + (twin->bug == TWIN_BUG_SETTLED_UP && s->settle_sum % s->settle_seconds != 0 ? 1 : 0);
    s->phase = PHASE_CLOSING;
    s->index = s->mark = s->settle_price;
    s->samples = s->sample_count = s->funding_rate = s->next_funding_ms = 0;
    s->step = s->at[0] = s->at[1] = 0;
    phase_says(twin, symbol, s);
}

static void spend(uint32_t *room, uint32_t units) { *room -= units < *room ? units : *room; }

static bool end_orders(struct twin *twin, const struct symbol *symbol, struct symbol_state *s, uint32_t *room)
{
    for (; s->at[0] < twin->account_count; s->at[0]++)
        for (;;) {
            struct order *newest = NULL;

            for (uint32_t i = 0; i < twin->order_count; i++) {
                struct order *o = &twin->orders[i];
                if (o->market == MARKET_PERPS && o->is.base.symbol_id == symbol->id
                    && o->is.base.account_id == twin->accounts[s->at[0]].id
                    && (newest == NULL || o->is.base.order_id > newest->is.base.order_id))
                    newest = o;
            }
            if (newest == NULL) break;
            if (*room == 0) return false;
            order_end(twin, newest, STATUS_CANCELED, REASON_SETTLEMENT);
            spend(room, 1);
        }
    return true;
}

struct before {
    struct account *account;
    bool            isolated;
    int64_t         wallet;
};
static struct before before_closing(struct account *account, const struct symbol *symbol)
{
    return (struct before){ account, account->positions[symbol->id - 1].is.margin_mode == MARGIN_ISOLATED,
                            account->wallet };
}

/* An amount that no wallet may owe is the fund's. */
static void forgive(struct twin *twin, const struct symbol *symbol, const struct before *before)
{
    struct account *account = before->account, *fund = account_by_id(twin, ACCOUNT_FUND);
    int64_t         owed = -account->wallet;

    if (before->isolated) owed = before->wallet - account->wallet;
    else
        for (uint32_t i = 0; i < twin->genesis.perps_count; i++)
            if (account->positions[i].is.size != 0 && account->positions[i].is.margin_mode == MARGIN_CROSS) return;
    if (owed <= 0 || account == fund) return;
    account->wallet += owed;
    fund->wallet -= owed;
    fund_loses_beyond(twin, symbol, owed);
}

/* A unit below zero: the fund pays what it may, the rest is borne by
   the other side as in deleveraging. False: it is not. */
static bool cover_deficit(struct twin *twin, const struct symbol *symbol, struct account *account, uint32_t *room)
{
    struct position *p = &account->positions[symbol->id - 1];
    struct before    before = before_closing(account, symbol);
    int128_t         equity = p->is.margin_mode == MARGIN_ISOLATED ? p->is.bucket + profit(twin, symbol, p, AT_MARK)
                                                                   : cross_equity(twin, account, AT_MARK),
             deficit, paid, value;
    int128_t own = maintenance(twin, symbol, p),
             all = p->is.margin_mode == MARGIN_ISOLATED ? own : cross_maintenance(twin, account);

    int64_t           size = p->is.size < 0 ? -p->is.size : p->is.size;
    struct risk       unit;
    struct liquidated receipt;
    struct ranked    *ranking;
    uint32_t          count;

    if (account->id == ACCOUNT_FUND || equity >= 0) return false;
    deficit = all <= own ? -equity : -divide_floor(equity * own, all);
    if (deficit == 0) return false;
    unit = (struct risk){ account, p->is.margin_mode == MARGIN_ISOLATED ? symbol : NULL, equity, all };
    receipt = receipt_before(twin, &unit, symbol, STAGE_ADL, 0);
    paid = fund_may_lose(twin, symbol);
    if (paid > deficit) paid = deficit;
    account_by_id(twin, ACCOUNT_FUND)->wallet -= (int64_t)paid;
    if (p->is.margin_mode == MARGIN_ISOLATED) p->is.bucket += (int64_t)paid;
    else account->wallet += (int64_t)paid;
    p->is.realized += (int64_t)paid;
    fund_has_lost(twin, symbol, paid);
    value = n_exact(symbol, &twin->genesis, mark_of(twin, symbol), p->is.size < 0 ? -p->is.size : p->is.size, false);
    value += p->is.size > 0 ? deficit - paid : paid - deficit;
    receipt.charge = (int64_t)paid;
    ranking = deleverage(twin, account, symbol, value < 0 ? 0 : value, deficit > paid ? REASON_ADL : REASON_SETTLEMENT,
                         &count);
    forgive(twin, symbol, &before);
    receipt_says(twin, &receipt, size, value < 0 ? 0 : value, ranking, count);
    free(ranking);
    spend(room, 1);
    return true;
}

static bool cover_all(struct twin *twin, const struct symbol *symbol, struct symbol_state *s, uint32_t *room)
{
    for (; s->at[0] < twin->account_count; s->at[0]++) {
        if (twin->accounts[s->at[0]].positions[symbol->id - 1].is.size == 0) continue;
        if (*room == 0) return false;
        (void)cover_deficit(twin, symbol, &twin->accounts[s->at[0]], room);
    }
    return true;
}

static struct account *next_holder(struct twin *twin, const struct symbol *symbol, bool is_long, uint32_t *at)
{
    for (;; *at += 1) {
        int64_t size;

        if (*at >= twin->account_count) *at = 0;
        size = twin->accounts[*at].positions[symbol->id - 1].is.size;
        if (size != 0 && (size > 0) == is_long) return &twin->accounts[*at];
    }
}

/* Longs against shorts, the first of each side, at one value for both. */
static bool close_pairs_of(struct twin *twin, const struct symbol *symbol, struct symbol_state *s, uint32_t *room)
{
    for (; open_interest(twin, symbol) != 0; spend(room, 1)) {
        struct account *is_long, *is_short;
        int64_t         x, y;

        if (*room == 0) return false;
        is_long = next_holder(twin, symbol, true, &s->at[0]);
        is_short = next_holder(twin, symbol, false, &s->at[1]);
        if (cover_deficit(twin, symbol, is_long, room) || cover_deficit(twin, symbol, is_short, room)) continue;
        struct before before[2] = { before_closing(is_long, symbol), before_closing(is_short, symbol) };
        x = is_long->positions[symbol->id - 1].is.size;
        y = -is_short->positions[symbol->id - 1].is.size;
        if (y < x) x = y;
        move_position(twin, is_long, is_short, symbol, x, n_exact(symbol, &twin->genesis, s->settle_price, x, false),
                      s->settle_price, 0, REASON_SETTLEMENT);
        forgive(twin, symbol, &before[0]);
        forgive(twin, symbol, &before[1]);
    }
    return true;
}

/* No account needs a leverage or a mode there any more. */
static bool forget_modes(struct twin *twin, const struct symbol *symbol, struct symbol_state *s, uint32_t *room)
{
    for (; s->at[0] < twin->account_count; s->at[0]++) {
        struct account          *account = &twin->accounts[s->at[0]];
        struct position         *p = &account->positions[symbol->id - 1];
        struct leverage_changed *told;

        if (p->is.margin_mode == MARGIN_CROSS && p->is.leverage == contract_of(twin, symbol)->init_leverage) continue;
        if (*room == 0) return false;
        p->is.margin_mode = MARGIN_CROSS;
        p->is.leverage = contract_of(twin, symbol)->init_leverage;
        told = TELL(twin, LEVERAGE, leverage_changed, MARKET_PERPS);
        told->account_id = account->id;
        told->symbol_id = symbol->id;
        told->leverage = p->is.leverage;
        told->margin_mode = p->is.margin_mode;
        spend(room, 1);
    }
    return true;
}

/* Behind prices and funding, before triggers. */
void delist_tick(struct twin *twin, bool goes_on)
{
    static bool (*const steps[4])(struct twin *, const struct symbol *, struct symbol_state *,
                                  uint32_t *) = { end_orders, cover_all, close_pairs_of, forget_modes };
    uint32_t room = twin->genesis.rules.settlements_per_tick;

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol *symbol = &twin->genesis.perps[i];
        struct symbol_state *s = &twin->state[MARKET_PERPS][i];

        if (s->phase == PHASE_SETTLING && !goes_on) {
            measure(twin, s);
            if (twin->now_ms >= s->settle_ms && s->settle_seconds == twin->genesis.rules.settlement_window_ms / 1000)
                close_for_good(twin, symbol, s);
        }
        if (s->phase != PHASE_CLOSING) continue;
        while (s->step < 4 && steps[s->step](twin, symbol, s, &room)) {
            s->step++;
            s->at[0] = s->at[1] = 0;
        }
        if (s->step < 4) {
            twin->work_left = true;
            continue;
        }
        s->phase = PHASE_SETTLED;
        phase_says(twin, symbol, s);
    }
}
