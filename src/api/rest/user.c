/* SPDX-License-Identifier: MIT */
/* user.c — reads of the gateway, which are about a user and not about one of the markets (wire 1.5, ruling 48). */
#include "api/inside.h"

#define NO_QUOTA UINT64_C(9007199254740991) /* 2^53 - 1: exact in every client (ruling 48) */

/* The user of the address in the path; ids 0 for an address without a user (ruling 21). */
static bool call_user(struct call *call, struct view_account *primary) { return call_account(call, 0, primary); }

void answer_time(struct call *call) { call_record(call, &(struct server_time_record){ call->context->now_ms }); }

void answer_status(struct call *call) { call_record(call, &(struct health_record){ SLICE("ok") }); }

void answer_user_status(struct call *call)
{
    struct view_account user;

    if (!call_user(call, &user)) return;
    call_record(call, &(struct user_status_record){ user.user_id != 0 ? SLICE("Active") : SLICE("UserNotFound"),
                                                    user.user_id });
}

void answer_subaccounts(struct call *call)
{
    struct api         *api = call->api;
    struct view_account user;
    uint32_t            count = 0;

    if (!call_user(call, &user)) return;
    if (user.user_id != 0)
        count = min_u32(views_accounts(api->shared->views, user.user_id, api->account_ids, ACCOUNTS_SHOWN_MAX),
                        ACCOUNTS_SHOWN_MAX);
    for (uint32_t i = 0; i < count; i++)
        api->subaccounts[i] = (struct subaccount_record){ api->account_ids[i], user.owner };
    call_record(call, &(struct subaccounts_record){ user.user_id, user.account_id, { api->subaccounts, count, 0 } });
}

void answer_user_keys(struct call *call)
{
    const struct account_name_query *query = &call->query.account_name;
    struct view_account              user;
    struct list                      keys;

    if (!call_account(call, query->account_id, &user)) return;
    keys = call_keys(call, user.user_id, query->account_id, &query->name);
    call_record(call, &(struct user_keys_record){ .spot = keys, .perps = keys });
}

void answer_user_fee_rate(struct call *call)
{
    const struct market_symbol_query *query = &call->query.market_symbol;
    struct view_account               user;

    call->market = query->market != 0 ? query->market : (uint8_t)MARKET_SPOT;
    if (call_user(call, &user)) call_fee_rate(call, user.user_id, &query->symbol);
}

void answer_quota(struct call *call)
{
    const struct views *views = call->api->shared->views;
    struct view_counts  counts;
    struct view_account user;

    if (!call_user(call, &user)) return;
    counts = views_counts(views, user.user_id);
    call_record(call, &(struct quota_record){
                          .user_id = user.user_id,
                          .transactions = counts.transactions,
                          .cancels = counts.cancels,
                          .volume = decimal_plain(counts.volume, views_coin(views, COIN_MARGIN)->precision),
                          .transaction_quota = NO_QUOTA,
                          .transaction_used = counts.transactions,
                          .transaction_left = NO_QUOTA - counts.transactions,
                          .transaction_overridden = true,
                          .cancel_quota = NO_QUOTA,
                          .cancel_used = counts.cancels,
                          .cancel_left = NO_QUOTA - counts.cancels,
                      });
}
