/* SPDX-License-Identifier: MIT */
/* account.c — reads about an account: identity, balances, orders, history. */
#include "api/inside.h"
#include "base/hex.h"

bool call_address(struct call *call, struct address *address)
{
    struct slice text = call->parameter;

    if (text.len == 42 && text.at[0] == '0' && text.at[1] == 'x'
        && hex_read(slice_make(text.at + 2, 40), address->bytes, sizeof(address->bytes)))
        return true;
    fail(&call->failure, REJECT_BAD_ADDRESS, SLICE("userAddress"), text);
    return false;
}

bool call_account(struct call *call, uint64_t account_id, struct view_account *account)
{
    const struct views *views = call->api->shared->views;
    struct address      address;

    if (!call_address(call, &address)) return false;
    *account = (struct view_account){ .owner = address };
    if (account_id == 0) {
        (void)views_primary_account(views, &address, account);
        return true;
    }
    if (views_account(views, account_id, account) && address_equal(&account->owner, &address)) return true;
    fail_number(&call->failure, REJECT_ACCOUNT_NOT_FOUND, SLICE("accountID"), account_id);
    return false;
}

bool call_filter(struct call *call, const struct name *name, uint32_t *symbol_id)
{
    const struct symbol *symbol;

    *symbol_id = 0;
    if (name->len == 0) return true;
    symbol = call_symbol(call, name_slice(name));
    if (symbol != NULL) *symbol_id = symbol->id;
    return symbol != NULL;
}

static struct list balance_list(struct api *api, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        record_balance(api->shared->views, &api->balances[i], &api->balance_records[i]);
    return (struct list){ api->balance_records, count, 0 };
}

static struct list order_list(struct api *api, uint32_t count)
{
    count = min_u32(count, ORDERS_SHOWN_MAX);
    for (uint32_t i = 0; i < count; i++) record_order(api->shared->views, &api->orders[i], &api->order_records[i]);
    return (struct list){ api->order_records, count, 0 };
}

void answer_balances(struct call *call)
{
    struct api         *api = call->api;
    struct view_account account;
    struct view_block   block;
    uint32_t            count;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    (void)views_state(api->shared->views, MARKET_SPOT, account.account_id, &block, api->balances, &count, api->orders,
                      0);
    call_record(call, &(struct balances_record){ block.time_ms, block.height, balance_list(api, count) });
}

void answer_open_orders(struct call *call)
{
    struct api         *api = call->api;
    struct view_account account;
    struct view_block   block;
    uint32_t            symbol_id, count;

    if (!call_account(call, call->query.open.account_id, &account)) return;
    if (!call_filter(call, &call->query.open.symbol, &symbol_id)) return;
    count = views_open_orders(api->shared->views, MARKET_SPOT, account.account_id, symbol_id, &block, api->orders,
                              call->query.open.limit);
    count = min_u32(count, call->query.open.limit);
    call_record(call, &(struct open_orders_record){ block.time_ms, block.height, order_list(api, count) });
}

void answer_state(struct call *call)
{
    struct api         *api = call->api;
    struct view_account account;
    struct view_block   block;
    uint32_t            balances, orders;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    orders = views_state(api->shared->views, MARKET_SPOT, account.account_id, &block, api->balances, &balances,
                         api->orders, ORDERS_SHOWN_MAX);
    call_record(call, &(struct state_record){
                          .user = account.owner,
                          .account_id = account.account_id,
                          .user_id = account.user_id,
                          .balances = balance_list(api, balances),
                          .orders = order_list(api, orders),
                          .block_time = block.time_ms,
                          .block_height = block.height,
                      });
}

void call_fee_rate(struct call *call, uint64_t user_id, const struct name *name)
{
    const struct api_shared *shared = call->api->shared;
    const struct fee_table  *table =
        call->market == MARKET_PERPS ? &shared->genesis->perps_fees : &shared->genesis->spot_fees;
    const struct symbol   *symbol;
    struct view_fee_tier   tier;
    struct fee_rates       rates;
    struct fee_rate_record record;
    uint32_t               symbol_id;

    if (!call_filter(call, name, &symbol_id)) return;
    symbol = views_symbol(shared->views, call->market, symbol_id);
    tier = views_fee_tier(shared->views, call->market, user_id);
    rates = fee_rates_of(table, symbol, tier);
    record = (struct fee_rate_record){
        .maker = decimal_plain(rates.maker, 8),
        .taker = decimal_plain(rates.taker, 8),
        .discount = decimal_plain(symbol != NULL ? symbol->fee_discount : 0, 8),
        .fee_tier = tier.tier,
        .staking_tier = tier.staking,
        .rebate_tier = tier.rebate,
    };
    if (symbol == NULL) {
        call_record(call, &record);
        return;
    }
    envelope_begin(call->body, call->context->now_ms);
    shape_write(call->body, &symbol_fee_rate_shape, &record, false); /* a discount of 0 is written too (service 2.2) */
    envelope_end(call->body);
}

void answer_fee_rate(struct call *call)
{
    struct view_account account;

    if (call_account(call, call->query.account_symbol.account_id, &account))
        call_fee_rate(call, account.user_id, &call->query.account_symbol.symbol);
}

/* ---- API keys ---- */

struct list call_keys(struct call *call, uint64_t user_id, uint64_t account_id, const struct client_id *name)
{
    struct api *api = call->api;
    uint32_t    held = min_u32(views_keys(api->shared->views, user_id, api->keys, KEYS_SHOWN_MAX), KEYS_SHOWN_MAX),
             count = 0;

    for (uint32_t i = 0; i < held; i++) {
        if (account_id != 0 && api->keys[i].account_id != account_id) continue;
        if (name->len != 0 && !client_id_equal(&api->keys[i].name, name)) continue;
        record_key(&api->keys[i], &api->key_records[count++]);
    }
    return (struct list){ api->key_records, count, 0 };
}

void answer_api_keys(struct call *call)
{
    const struct account_name_query *query = &call->query.account_name;
    struct view_account              account;
    struct list                      keys;

    if (!call_account(call, query->account_id, &account)) return;
    keys = call_keys(call, account.user_id, account.account_id, &query->name);
    call_rows_begin(call);
    for (uint32_t i = 0; i < keys.count; i++) call_row(call, &call->api->key_records[i]);
    call_rows_end(call);
}

/* ---- history ---- */

bool call_page(struct call *call, struct history_query *query)
{
    const struct history_page_query *page = &call->query.page;
    uint64_t            end = page->end_ms.given ? page->end_ms.value : INT64_MAX, start = page->start_ms.value;
    struct view_account account;

    *query = (struct history_query){ .market = call->market, .limit = page->limit, .most = call->endpoint->limit_max };
    if (page->end_ms.given && start > end) {
        fail_number(&call->failure, REJECT_BAD_TIME_RANGE, SLICE("startTime"), start);
        return false;
    }
    if (!call_account(call, page->account_id, &account)) return false;
    if (!call_filter(call, &page->symbol, &query->symbol_id)) return false;
    query->account_id = account.account_id;
    query->other_id = page->order_id != 0 ? page->order_id : page->position_id;
    query->from_id = page->from_id;
    query->start_ms = (int64_t)min_u64(start, INT64_MAX);
    query->end_ms = (int64_t)min_u64(end, INT64_MAX);
    return true;
}

void fail_history(struct call *call)
{
    fail(&call->failure, REJECT_INTERNAL, SLICE(""), SLICE(""));
    call->failure.text = "the history store cannot be read";
}

bool call_history_begin(struct call *call, int count)
{
    if (count < 0) fail_history(call);
    else call_rows_begin(call);
    return count >= 0;
}

void answer_orders_history(struct call *call)
{
    struct api          *api = call->api;
    struct history_query query;
    struct order_record  record;
    int                  count = 0;

    if (!call_page(call, &query)) return;
    if (query.account_id != 0) count = history_orders(api->shared->history, &query, api->orders);
    if (!call_history_begin(call, count)) return;
    for (int i = 0; i < count; i++) {
        record_order(api->shared->views, &api->orders[i], &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}

void answer_account_trades(struct call *call)
{
    struct api              *api = call->api;
    struct history_query     query;
    struct user_trade_record record;
    int                      count = 0;

    if (!call_page(call, &query)) return;
    if (query.account_id != 0) count = history_fills(api->shared->history, &query, api->fills);
    if (!call_history_begin(call, count)) return;
    for (int i = 0; i < count; i++) {
        record_fill(api->shared->views, &api->fills[i], &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}
