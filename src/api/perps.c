/* SPDX-License-Identifier: MIT */
/* perps.c — reads of the perps base about an account: its wallet, and what of it is free (wire 1.2, 1.3; mechanics 3.3). */
#include "api/inside.h"

static const struct decimal one = { .digits = 1 };

/* vUSDC is the only collateral and counts in full (mechanics 3.3). */
void answer_perps_coins(struct call *call)
{
    const struct views *views = call->api->shared->views;
    uint32_t first, end;

    if (!call_coins(call, &first, &end)) return;
    call_rows_begin(call);
    for (uint32_t id = first; id < end; id++) {
        const struct coin *coin = views_coin(views, id);
        struct perps_coin_record record = { .id = coin->id, .name = coin->name, .precision = coin->precision };
        if (id == COIN_MARGIN) record.margin_ratio = record.price = one;
        call_row(call, &record);
    }
    call_rows_end(call);
}

/*
 * Without a position or order the whole wallet is free: equity is W, no margin is needed, and what may leave is
 * W, or nothing when W is below zero (mechanics 3.3).
 */
static void record_wallet(const struct views *views, const struct view_balance *balance, struct perps_balance_record *record)
{
    const struct coin *coin = views_coin(views, balance->coin_id);
    struct decimal wallet = decimal_make(balance->total, (int)coin->precision);
    struct decimal free = decimal_make(max_i64(0, balance->total - balance->locked), (int)coin->precision);

    *record = (struct perps_balance_record){
        .id = coin->id, .coin = coin->name, .total = wallet, .collateral = wallet, .margin_ratio = one, .price = one,
        .locked = decimal_make(balance->locked, (int)coin->precision),
        .available = free, .transferable = free, .margin = wallet,
    };
}

static struct list wallet_list(struct api *api, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) record_wallet(api->shared->views, &api->balances[i], &api->perps_balances[i]);
    return (struct list){ api->perps_balances, count, 0 };
}

void answer_perps_balances(struct call *call)
{
    struct api *api = call->api;
    struct view_account account;
    struct view_block block;
    uint32_t count;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    (void)views_state(api->shared->views, MARKET_PERPS, account.account_id, &block, api->balances, &count, api->orders, 0);
    call_record(call, &(struct perps_balances_record){ block.time_ms, block.height, wallet_list(api, count) });
}

/* What an account has that never chose: the symbol's initial leverage, cross margin (mechanics 3.1). */
static struct list setting_list(struct api *api)
{
    const struct genesis *genesis = api->shared->genesis;

    for (uint32_t i = 0; i < genesis->perps_count; i++)
        api->perps_settings[i] = (struct perps_setting_record){ genesis->perps[i].name, genesis->contracts[i].init_leverage, MARGIN_CROSS };
    return (struct list){ api->perps_settings, genesis->perps_count, 0 };
}

void answer_perps_state(struct call *call)
{
    struct api *api = call->api;
    struct perps_state_record record = { 0 };
    struct view_account account;
    struct view_block block;
    uint32_t count;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    (void)views_state(api->shared->views, MARKET_PERPS, account.account_id, &block, api->balances, &count, api->orders, 0);
    record.user = account.owner;
    record.account_id = account.account_id;
    record.user_id = account.user_id;
    record.balances = wallet_list(api, count);
    if (account.account_id != 0) record.settings = setting_list(api);
    record.block_time = block.time_ms;
    record.block_height = block.height;
    for (uint32_t i = 0; i < count; i++) {
        if (api->perps_balances[i].id != COIN_MARGIN) continue;
        record.account_value = api->perps_balances[i].total;
        record.available = record.available_isolated = record.transferable = api->perps_balances[i].transferable;
    }
    call_record(call, &record);
}
