/* SPDX-License-Identifier: MIT */
/* lights.c — a position's rank in deleveraging (mechanics 3.12, 3). */
#include "ask.h"

static int64_t in_parts(int128_t a, int128_t b)
{
    int128_t parts = a * 1000000 / (b > 1 ? b : 1);

    return parts > 1000000000 ? 1000000000 : (int64_t)parts;
}

struct stake {
    int64_t  score, leverage;
    uint64_t account_id;
};

/* Its unit's equity, its share of it, and its profit; score 0: none. */
static struct stake stake_of(struct twin *twin, const struct account *account, const struct symbol *s)
{
    const struct position *p = position_of(twin, account, s);
    int128_t               u = profit(twin, s, p, AT_MARK),
             value = n_exact(s, &twin->genesis, mark_of(twin, s), p->is.size < 0 ? -p->is.size : p->is.size, false);
    int128_t equity = p->is.margin_mode == MARGIN_ISOLATED ? p->is.bucket + u : cross_equity(twin, account, AT_MARK);
    struct stake stake = { .leverage = in_parts(value, equity), .account_id = account->id };

    if (p->is.size == 0 || u <= 0) return stake;
    stake.score = in_parts(u, p->cost < 0 ? -p->cost : p->cost) * stake.leverage;
    if (stake.score == 0) stake.score = 1;
    return stake;
}

static bool before(const struct stake *a, const struct stake *b)
{
    if (answers_planted == ANSWER_BUG_LIGHT) return a->account_id < b->account_id;
    if (a->score != b->score) return a->score > b->score;
    if (a->leverage != b->leverage) return a->leverage > b->leverage;
    return a->account_id < b->account_id;
}

uint32_t light_of(struct twin *twin, const struct account *account, const struct symbol *s)
{
    struct stake own = stake_of(twin, account, s);
    uint32_t     rank = 0, winners = 0;

    if (own.score == 0) return 6;
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const struct account *other = &twin->accounts[i];
        struct stake          stake = stake_of(twin, other, s);

        if (other->id == ACCOUNT_FUND || stake.score == 0) continue;
        if ((position_of(twin, other, s)->is.size > 0) != (position_of(twin, account, s)->is.size > 0)) continue;
        winners++;
        if (other->id != account->id && before(&stake, &own)) rank++;
    }
    return twin->genesis.rules.adl_mode == ADL_QUEUE ? 1 + rank : 1 + 5 * rank / winners;
}
