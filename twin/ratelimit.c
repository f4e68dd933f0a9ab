/* SPDX-License-Identifier: MIT */
/* ratelimit.c — what a user did so far (ruling 48; decision 309). */
#include <inttypes.h>

#include "ask.h"

#define NO_QUOTA UINT64_C(9007199254740991)

static bool is_of(struct twin *twin, uint64_t account_id, const struct account *user)
{
    const struct account *account = account_by_id(twin, account_id);

    return user != NULL && account != NULL && account->id >= ACCOUNT_FIRST && account->user_id == user->user_id;
}

/* `user` NULL: of no user. */
static void put_quota(struct answers *answers, struct twin *twin, const struct account *user)
{
    const struct past *past = &answers->past;
    struct text       *t = &answers->want;
    uint64_t           writes = 0, cancels = 0;
    int128_t           volume = 0;

    for (uint32_t i = 0; i < past->did_count; i++) {
        if (!is_of(twin, past->did[i].account_id, user)) continue;
        writes++;
        if (past->did[i].cancels) cancels++;
    }
    for (uint32_t i = 0; i < past->trade_count; i++) {
        const struct traded *trade = &past->trades[i];
        bool                 buyer_takes = trade->taker_side == SIDE_BUY, both = answers_planted != ANSWER_BUG_VOLUME;

        if (symbol_of(twin, trade->head.market, trade->symbol_id)->quote_coin_id != COIN_MARGIN) continue;
        if ((both || buyer_takes) && is_of(twin, trade->buyer_account_id, user)) volume += trade->value;
        if ((both || !buyer_takes) && is_of(twin, trade->seller_account_id, user)) volume += trade->value;
    }
    begin(answers);
    open_object(t);
    count_of(t, "userID", user != NULL ? user->user_id : 0);
    count_of(t, "cumulativeTxNum", writes);
    count_of(t, "cumulativeCancelNum", cancels);
    amount(t, "cumulativeVolume", volume, twin->genesis.coins[COIN_MARGIN].precision);
    count_of(t, "transactionQuota", NO_QUOTA);
    count_of(t, "transactionQuotaUsed", writes);
    count_of(t, "transactionQuotaRemaining", NO_QUOTA - writes);
    flag(t, "transactionQuotaOverridden", true);
    count_of(t, "cancelQuota", NO_QUOTA);
    count_of(t, "cancelQuotaUsed", cancels);
    count_of(t, "cancelQuotaRemaining", NO_QUOTA - cancels);
    close_object(t);
}

const char *check_ratelimit(struct answers *answers, struct twin *twin, const struct account *account)
{
    char owner[43];

    if (!account->primary) return NULL;
    owner_text(account, owner);
    put_quota(answers, twin, account);
    TRY(check(answers, "/api/v1/user/%s/ratelimit", owner));
    if (!one_in(&answers->random_state, 10)) return NULL;
    put_quota(answers, twin, NULL);
    return check(answers, "/api/v1/user/0x%040u/ratelimit", 7);
}
