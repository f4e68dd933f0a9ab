/* SPDX-License-Identifier: MIT */
/* deleverage.c — a position goes to the other side, in the order of mechanics 3.12. */
#include "world.h"

static int128_t unit_equity_of(struct twin *twin, struct account *account, const struct symbol *symbol)
{
    const struct position *p = &account->positions[symbol->id - 1];
    return p->is.margin_mode == MARGIN_ISOLATED ? p->is.bucket + profit(twin, symbol, p, AT_MARK)
                                                : cross_equity(twin, account, AT_MARK);
}

static int64_t in_parts(int128_t a, int128_t b) { return (int64_t)least(a * 1000000 / greatest(b, 1), 1000000000); }

static bool asked_first(const struct ranked *a, const struct ranked *b)
{
    bool fund_a = a->account->id == ACCOUNT_FUND, fund_b = b->account->id == ACCOUNT_FUND;

    if (fund_a != fund_b) return fund_a;
    if (a->score != b->score) return a->score > b->score;
    if (a->leverage != b->leverage) return a->leverage > b->leverage;
    return a->account->id < b->account->id;
}

/* All accounts of the other side in the order of deleveraging, with their groups. */
static uint32_t others(struct twin *twin, const struct account *account, const struct symbol *symbol,
                       struct ranked *into)
{
    bool     is_long = account->positions[symbol->id - 1].is.size > 0;
    uint32_t count = 0, winners = 0, rank = 0;

    for (uint32_t i = 0; i < twin->account_count; i++) {
        struct account        *a = &twin->accounts[i];
        const struct position *p = &a->positions[symbol->id - 1];
        struct ranked          o = { .account = a,
                                     .account_id = a->id,
                                     .position_id = p->is.position_id,
                                     .size = magnitude(p->is.size),
                                     .bears = -1,
                                     .can = magnitude(p->is.size) };
        int128_t u = profit(twin, symbol, p, AT_MARK), n = value_at(twin, symbol, p, mark_of(twin, symbol)),
                 e = unit_equity_of(twin, a, symbol);
        uint32_t at;

        if (p->is.size == 0 || (p->is.size > 0) == is_long) continue;
        o.cost = (int64_t)p->cost;
        o.equity = (int64_t)e;
        o.leverage = in_parts(n, e);
        if (u > 0) o.score = in_parts(u, p->cost < 0 ? -p->cost : p->cost) * o.leverage;
        if (u > 0 && o.score == 0) o.score = 1;
        if (o.score > 0 && a->id != ACCOUNT_FUND) winners++;
        if (twin->bug == TWIN_BUG_LOSERS_FIRST) o.score = u > 0 ? INT64_MAX - o.score : 0;
        for (at = count++; at > 0 && asked_first(&o, &into[at - 1]); at--) into[at] = into[at - 1];
        into[at] = o;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (into[i].account->id == ACCOUNT_FUND) into[i].group = 0;
        else if (twin->genesis.rules.adl_mode == ADL_QUEUE) into[i].group = 1 + rank++;
        else if (into[i].score > 0) into[i].group = 1 + 5 * rank++ / winners;
        else into[i].group = 6;
    }
    return count;
}

/*
 * So much that its unit is not below zero behind it, a unit kept for each rounding. One that is below zero already can
 * bear nothing, except the whole at a price that saves it. The fund may give away inventory without a loss always.
 */
static int64_t can_bear(struct twin *twin, const struct ranked *o, const struct symbol *symbol, int128_t value,
                        int64_t whole_size, uint32_t roundings)
{
    const struct position *p = &o->account->positions[symbol->id - 1];
    int64_t                size = magnitude(p->is.size);
    int128_t at_mark = value_at(twin, symbol, p, mark_of(twin, symbol)), here = divide_floor(value * size, whole_size),
             loss = p->is.size > 0 ? at_mark - here : here - at_mark;
    int128_t equity = unit_equity_of(twin, o->account, symbol) - roundings;

    if (loss <= equity) return size;
    if (o->account->id == ACCOUNT_FUND && loss <= 0) return size;
    return equity <= 0 ? 0 : (int64_t)(equity * size / loss) / symbol->step_size * symbol->step_size;
}

/* What the fund gives for x of the position that has to go, beyond what x is worth at t (mechanics 3.12, 4 and 5). */
static void fund_bears(struct twin *twin, const struct account *account, const struct symbol *symbol, int64_t x,
                       int128_t gives)
{
    const struct position *p = &account->positions[symbol->id - 1];
    int128_t               worth = n_exact(symbol, &twin->genesis, worse_price(twin, symbol, p), x, false);

    fund_loses_beyond(twin, symbol, p->is.size > 0 ? gives - worth : worth - gives);
}

/*
 * Closes the position at `value` against the other side, group by group, pro rata inside; the rest that caps leave is
 * the fund's. The caller frees the ranking.
 */
struct ranked *deleverage(struct twin *twin, struct account *account, const struct symbol *symbol, int128_t value,
                          uint8_t reason, uint32_t *ranked)
{
    struct ranked *list = calloc(twin->account_count, sizeof(*list));
    uint32_t       count = *ranked = others(twin, account, symbol, list), end;
    int64_t        size = magnitude(account->positions[symbol->id - 1].is.size), left = size, step = symbol->step_size;
    int128_t       used = 0;

    for (uint32_t at = 0; at < count && left > 0; at = end) {
        int64_t total = 0, wanted, rest;

        for (end = at; end < count && list[end].group == list[at].group; end++) {
            int64_t can = can_bear(twin, &list[end], symbol, value, size, count);
            if (can < list[end].can) list[end].can = can;
            list[end].bears = list[end].can;
            total += list[end].can;
        }
        rest = wanted = total < left ? total : left;
        for (uint32_t i = at; i < end && wanted > 0; i++) {
            list[i].part = (int64_t)((int128_t)wanted * list[i].can / total) / step * step;
            rest -= list[i].part;
        }
        for (uint32_t i = at; i < end && rest > 0; i++) { /* the remainder to the higher score */
            int64_t more = rest < list[i].can - list[i].part ? rest : list[i].can - list[i].part;
            list[i].part += more;
            rest -= more;
        }
        for (uint32_t i = at; i < end; i++) {
            int64_t  part = list[i].part;
            int128_t share = part == left ? value - used : divide_floor(value * part, size);

            if (part == 0) continue;
            if (list[i].account->id == ACCOUNT_FUND) fund_bears(twin, account, symbol, part, share);
            used += share;
            left -= part;
            list[i].value = share;
            move_position(twin, account, list[i].account, symbol, part, share, price_of(twin, symbol, share, part), 0,
                          reason);
        }
    }
    if (left > 0 && account->id != ACCOUNT_FUND) {
        fund_bears(twin, account, symbol, left, value - used);
        twin->state[MARKET_PERPS][symbol->id - 1].gapped = true;
        move_position(twin, account, account_by_id(twin, ACCOUNT_FUND), symbol, left, value - used,
                      price_of(twin, symbol, value - used, left), 0, reason);
    }
    return list;
}
