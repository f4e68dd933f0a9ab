/* SPDX-License-Identifier: MIT */
/* answers_user.c — answers about users: fees, keys, sub-accounts, status. */
#include "ask.h"

static const char *check_fees(struct answers *answers, struct twin *twin, const struct account *account, uint8_t market,
                              const struct symbol *s)
{
    const struct account   *user = account_primary(twin, account);
    const struct fee_table *table = market == MARKET_PERPS ? &twin->genesis.perps_fees : &twin->genesis.spot_fees;
    uint8_t                 tier = answers_planted == ANSWER_BUG_TIER ? 0 : user->fees[market].tier;
    int64_t                 rebate = table->rebate_rate[user->fees[market].rebate],
            staking = table->staking_discount[user->fees[market].staking];
    struct text *t = &answers->want;
    char         owner[43];

    begin(answers);
    open_object(t);
    amount(t, "makerFeeRate",
           s != NULL     ? fee_rate(twin, account, s, true)
           : rebate != 0 ? rebate
                         : fee_discounted(table->tiers[tier].maker, staking, 0),
           8);
    amount(t, "takerFeeRate",
           s != NULL ? fee_rate(twin, account, s, false) : fee_discounted(table->tiers[tier].taker, staking, 0), 8);
    if (s != NULL) amount(t, "feeDiscount", s->fee_discount, 8);
    number(t, "feeTier", tier);
    number(t, "stakingTier", user->fees[market].staking);
    number(t, "makerRebateTier", user->fees[market].rebate);
    close_object(t);
    owner_text(account, owner);
    if (account->primary && one_in(&answers->random_state, 3))
        return check(answers, "/api/v1/user/%s/fee-rate?symbol=%s%s", owner, s != NULL ? s->name.at : "",
                     market == MARKET_PERPS              ? "&market=perps"
                     : one_in(&answers->random_state, 2) ? "&market=spot"
                                                         : "");
    return check(answers, "%s/accounts/%s/fee-rate?accountID=%" PRIu64 "%s%.*s", BASE(market), owner, account->id,
                 s != NULL ? "&symbol=" : "", s != NULL ? (int)s->name.len : 0, s != NULL ? s->name.at : "");
}

/* Oldest registration first; of one account, or (0) of the user. */
static void put_keys(struct text *t, const struct twin *twin, const struct account *account, uint64_t account_id,
                     const struct client_id *name)
{
    uint32_t last = 0;

    put(t, "[");
    for (bool first = true;; first = false) {
        const struct key *next = NULL;

        for (uint32_t i = 0; i < twin->key_count; i++) {
            const struct key *k = &twin->keys[i];

            if ((!k->live && answers_planted != ANSWER_BUG_KEYS) || k->is.user_id != account->user_id
                || (account_id != 0 && k->is.account_id != account_id))
                continue;
            if (name != NULL && !client_id_equal(&k->is.name, name)) continue;
            if (k->is.key_id > last && (next == NULL || k->is.key_id < next->is.key_id)) next = k;
        }
        if (next == NULL) break;
        last = next->is.key_id;
        if (!first) put(t, ",");
        open_object(t);
        client(t, "name", &next->is.name);
        word(t, "type", "EVM");
        address(t, "publicKey", &next->is.public_key);
        number(t, "expiresAt", next->is.expires_ms);
        count_of(t, "permissions", next->is.permissions);
        close_object(t);
    }
    put(t, "]");
}

const char *check_user(struct answers *answers, struct twin *twin, const struct account *account)
{
    struct text *t = &answers->want;
    bool         first = true;
    char         owner[43];

    owner_text(account, owner);
    for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++) {
        begin(answers);
        put_keys(t, twin, account, account->id, NULL);
        ASK(market, account, "api-keys?");
        if (twin->key_count != 0) {
            const struct client_id *name = &twin->keys[random_below(&answers->random_state, twin->key_count)].is.name;

            begin(answers);
            put_keys(t, twin, account, account->id, name);
            TRY(check(answers, "%s/accounts/%s/api-keys?name=%s&accountID=%" PRIu64, BASE(market), owner, name->at,
                      account->id));
        }
        if (symbol_count(twin, market) == 0) continue;
        TRY(check_fees(answers, twin, account, market, NULL));
        for (uint32_t id = 1; id <= symbol_count(twin, market); id++)
            TRY(check_fees(answers, twin, account, market, symbol_of(twin, market, id)));
    }
    begin(answers);
    open_object(t);
    key(t, "spot");
    put_keys(t, twin, account, account->id, NULL);
    key(t, "perps");
    put_keys(t, twin, account, account->id, NULL);
    close_object(t);
    TRY(check(answers, "/api/v1/user/%s/api-keys?accountID=%" PRIu64, owner, account->id));
    if (!account->primary) return NULL;
    begin(answers);
    open_object(t);
    key(t, "spot");
    put_keys(t, twin, account, 0, NULL);
    key(t, "perps");
    put_keys(t, twin, account, 0, NULL);
    close_object(t);
    TRY(check(answers, "/api/v1/user/%s/api-keys", owner));
    begin(answers);
    open_object(t);
    word(t, "status", "Active");
    count_of(t, "userID", account->user_id);
    close_object(t);
    TRY(check(answers, "/api/v1/user/%s/status", owner));
    begin(answers);
    open_object(t);
    count_of(t, "userID", account->user_id);
    count_of(t, "primaryAccountID", account->id);
    key(t, "subaccounts");
    put(t, "[");
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const struct account *a = &twin->accounts[i];

        if (a->id < ACCOUNT_FIRST || a->user_id != account->user_id
            || (answers_planted == ANSWER_BUG_SUBACCOUNTS && !a->primary))
            continue;
        if (!first) put(t, ",");
        first = false;
        open_object(t);
        count_of(t, "id", a->id);
        address(t, "evmAddress", &a->owner);
        close_object(t);
    }
    put(t, "]");
    close_object(t);
    return check(answers, "/api/v1/user/%s/subaccounts", owner);
}
