/* SPDX-License-Identifier: MIT */
/* funding.c — the premium, the rate of an hour and its payments (mechanics 3.10). */
#include "world.h"

/* The distance of the index from the impact prices (mechanics 3.10); a premium is at most 1 (mechanics 1.1). */
int128_t premium_of(const struct symbol_state *s, int64_t ib, int64_t ia)
{
    int128_t above = ib > s->index ? ib - s->index : 0, below = ia != 0 && s->index > ia ? s->index - ia : 0,
             premium = (above - below) * FUNDING_ONE / s->index;

    return premium > FUNDING_ONE ? FUNDING_ONE : premium;
}

/* A sample of the premium, each time a multiple of 5 s was crossed: the
   mean since the last time it was (mechanics 3.10; ruling 67). */
void premium_sample(struct twin *twin, const struct symbol *symbol, struct symbol_state *s, int64_t before_ms)
{
    int64_t every = twin->genesis.rules.premium_sample_ms == 0 ? 5000 : twin->genesis.rules.premium_sample_ms;

    if (twin->now_ms / every == before_ms / every) return;
    if (s->stood.premium_ms != 0 && status_now(twin, MARKET_PERPS, symbol->id) == SYMBOL_TRADING
        && s->oracle != ORACLE_IS_STALE) {
        s->samples += s->stood.premium / s->stood.premium_ms;
        s->sample_count++;
    }
    s->stood.premium = s->stood.premium_ms = 0;
}

/* r of an hour from the samples so far (mechanics 3.10). */
int64_t funding_hourly(const struct twin *twin, const struct symbol *symbol, const struct symbol_state *s)
{
    const struct contract *c = contract_of(twin, symbol);
    int128_t               width = (c->funding_clamp == 0 ? 50000 : c->funding_clamp) * 10000, average, eight;

    if (s->sample_count == 0 || status_now(twin, MARKET_PERPS, symbol->id) != SYMBOL_TRADING)
        return 0; /* halted: continues with rate 0 (mechanics 3.15) */
    average = s->samples / s->sample_count;
    eight = average + clamp((int128_t)c->interest_rate * 10000 - average, -width, width);
    return (int64_t)clamp(eight / 8, (int128_t)c->min_funding * 10000, (int128_t)c->max_funding * 10000);
}

/* The amount that a position owes (above 0) or is due (below 0) for an hour, before sharing. */
static int64_t hour_of(const struct twin *twin, const struct symbol *symbol, const struct symbol_state *s,
                       const struct position *p, int64_t rate)
{
    int128_t amount = n_exact(symbol, &twin->genesis, s->mark, p->is.size < 0 ? -p->is.size : p->is.size, false)
                    * (rate < 0 ? -rate : rate);

    if ((p->is.size > 0) == (rate > 0)) return (int64_t)divide_ceil(amount, FUNDING_ONE);
    return (int64_t)
         - (twin->bug == TWIN_BUG_FUNDING_CEIL ? divide_ceil(amount, FUNDING_ONE) : divide_floor(amount, FUNDING_ONE));
}

static void pay_hour(struct twin *twin, const struct symbol *symbol, struct account *account, struct position *p,
                     int64_t payment, int64_t rate)
{
    struct funded *told;

    if (p->is.margin_mode == MARGIN_ISOLATED) p->is.bucket -= payment;
    else account->wallet -= payment;
    p->is.realized -= payment;
    position_says(twin, p);
    told = TELL(twin, FUNDING, funded, MARKET_PERPS);
    told->account_id = account->id;
    told->position_id = p->is.position_id;
    told->symbol_id = symbol->id;
    told->payment = payment;
    told->rate = rate;
    told->time_ms = twin->now_ms;
}

/* The amount at the worst prices from which funding can be paid, at least 0. */
static int128_t can_pay(struct twin *twin, const struct symbol *symbol, const struct account *account,
                        const struct position *p)
{
    int128_t there = p->is.margin_mode == MARGIN_ISOLATED ? p->is.bucket + profit(twin, symbol, p, AT_WORST)
                                                          : cross_equity(twin, account, AT_WORST);

    return there < 0 ? 0 : there;
}

/*
 * An hour: all payers up, at most their unit's worth at the worst prices, but the fund, which pays none; then the
 * receivers down, who share the paid sum; dust to the fund (mechanics 3.10, ruling 66).
 */
void funding_settle(struct twin *twin, const struct symbol *symbol, struct symbol_state *s)
{
    int64_t  rate = funding_hourly(twin, symbol, s);
    int128_t paid = 0, owed = 0, given = 0;

    for (uint32_t i = 0; i < twin->account_count && rate != 0; i++) {
        struct position *p = &twin->accounts[i].positions[symbol->id - 1];
        int64_t          whole = p->is.size == 0 ? 0 : hour_of(twin, symbol, s, p, rate);

        if (p->is.size == 0) continue;
        if ((p->is.size > 0) != (rate > 0)) {
            owed -= whole;
            continue;
        }
        if (twin->accounts[i].id == ACCOUNT_FUND) continue;
        if (whole > can_pay(twin, symbol, &twin->accounts[i], p))
            whole = (int64_t)can_pay(twin, symbol, &twin->accounts[i], p);
        pay_hour(twin, symbol, &twin->accounts[i], p, whole, rate);
        paid += whole;
    }
    for (uint32_t i = 0; i < twin->account_count && rate != 0; i++) {
        struct position *p = &twin->accounts[i].positions[symbol->id - 1];
        int128_t         gets;

        if (p->is.size == 0 || (p->is.size > 0) == (rate > 0)) continue;
        gets = -hour_of(twin, symbol, s, p, rate);
        if (owed > paid) gets = gets * paid / owed;
        pay_hour(twin, symbol, &twin->accounts[i], p, (int64_t)-gets, rate);
        given += gets;
    }
    account_by_id(twin, ACCOUNT_FUND)->wallet += (int64_t)(paid - given);
    s->samples = s->sample_count = 0;
    s->next_funding_ms = (twin->now_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS;
}
