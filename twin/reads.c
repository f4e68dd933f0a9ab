/* SPDX-License-Identifier: MIT */
/* reads.c — the reads of src/views (service 4) against the twin's state. */
#include <inttypes.h>

#include "reads.h"
#include "world.h"

static char wrong_text[256];

#define WRONG(...) return (void)snprintf(wrong_text, sizeof(wrong_text), __VA_ARGS__), wrong_text

static const char *check_balances(struct twin *twin, const struct views *views, const struct account *account)
{
    struct view_balance balances[COINS_MAX];
    uint32_t            count = views_balances(views, MARKET_SPOT, account->id, balances);

    for (uint32_t coin = 0; coin < twin->genesis.coin_count; coin++) {
        int64_t total = 0, held = 0;

        for (uint32_t i = 0; i < count; i++)
            if (balances[i].coin_id == coin) {
                total = balances[i].total;
                held = balances[i].locked;
            }
        if (total != account->total[coin] || held != locked(twin, account, coin))
            WRONG("read: balance of %" PRIu64 " in coin %u", account->id, coin);
        if (account->primary && views_evm_balance(views, &account->owner, coin) != account->evm[coin])
            WRONG("read: EVM ledger of %" PRIu64 " in coin %u", account->id, coin);
    }
    count = views_balances(views, MARKET_PERPS, account->id, balances);
    if ((count == 0 ? 0 : balances[0].total) != account->wallet) WRONG("read: wallet of %" PRIu64, account->id);
    return NULL;
}

/* Newest first, uncut (ruling 42), each in its last state. */
static const char *check_orders(struct twin *twin, const struct views *views, const struct account *account,
                                uint8_t market)
{
    static struct order_changed orders[4096];
    struct view_block           block;
    uint32_t count = views_open_orders(views, market, account->id, 0, &block, orders, ARRAY_COUNT(orders)), at = 0;
    uint64_t below = UINT64_MAX;

    for (;; at++) {
        const struct order *newest = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            const struct order *o = &twin->orders[i];
            if (o->market == market && o->is.base.account_id == account->id && o->is.base.order_id < below
                && (newest == NULL || o->is.base.order_id > newest->is.base.order_id))
                newest = o;
        }
        if (newest == NULL) break;
        below = newest->is.base.order_id;
        if (at >= count) WRONG("read: open order #%" PRIu64 " of %" PRIu64 " is missing", below, account->id);
        if (memcmp((const char *)&orders[at] + sizeof(struct event),
                   (const char *)&newest->is.base + sizeof(struct event), sizeof(orders[at]) - sizeof(struct event))
            != 0)
            WRONG("read: open order %u of %" PRIu64 " is #%" PRIu64 ", the twin's is #%" PRIu64, at, account->id,
                  orders[at].order_id, below);
    }
    if (at != count) WRONG("read: %u open orders of %" PRIu64 ", the twin has %u", count, account->id, at);
    return NULL;
}

static const char *check_side(struct twin *twin, const struct symbol *symbol, uint8_t side,
                              const struct view_level *levels, uint32_t count)
{
    int64_t behind = 0;

    for (uint32_t at = 0;; at++) {
        int64_t price = 0, sum = 0;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            const struct order *o = &twin->orders[i];
            if (!o->rests || o->market != symbol->market || o->is.base.symbol_id != symbol->id
                || o->is.base.side != side)
                continue;
            if (at != 0 && !better(side, behind, o->is.base.price)) continue;
            if (price == 0 || better(side, o->is.base.price, price)) {
                price = o->is.base.price;
                sum = 0;
            }
            if (o->is.base.price == price) sum += order_rest(o);
        }
        if (price == 0) {
            if (at != count) WRONG("read: %u levels of %s side %u, the twin has %u", count, symbol->name.at, side, at);
            return NULL;
        }
        if (at >= count || levels[at].price != price || levels[at].quantity != sum)
            WRONG("read: level %u of %s side %u", at, symbol->name.at, side);
        behind = price;
    }
}

static const char *check_symbol(struct twin *twin, const struct views *views, const struct symbol *symbol)
{
    static struct view_level   bids[1000], asks[1000];
    struct view_book           book;
    const char                *what;
    const struct symbol_state *state = &twin->state[symbol->market][symbol->id - 1];
    struct traded              trade;

    views_book(views, symbol->market, symbol->id, 1000, bids, asks, &book);
    what = check_side(twin, symbol, SIDE_BUY, bids, book.bid_count);
    if (what == NULL) what = check_side(twin, symbol, SIDE_SELL, asks, book.ask_count);
    if (what != NULL) return what;
    if (views_last_price(views, symbol->market, symbol->id)
        != (state->last != 0 ? state->last : symbol->reference_price))
        WRONG("read: last price of %s", symbol->name.at);
    if (views_trades(views, symbol->market, symbol->id, 1, &trade) != 0
        && (trade.price != state->last || trade.time_ms != state->last_ms))
        WRONG("read: newest trade of %s", symbol->name.at);
    if (views_symbol_status(views, symbol->market, symbol->id) != status_now(twin, symbol->market, symbol->id))
        WRONG("read: status of %s", symbol->name.at);
    return NULL;
}

static const char *check_positions(struct twin *twin, const struct views *views, const struct account *account)
{
    static struct view_margin         margin;
    static struct perps_order_changed orders[4096];
    struct view_account               who;

    if (!views_account(views, account->id, &who)) WRONG("read: account %" PRIu64 " is unknown", account->id);
    (void)views_margin(views, &who, &margin, orders, ARRAY_COUNT(orders));
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct position *want = &account->positions[i];
        int64_t                size = 0, bucket = 0;
        int128_t               cost = 0;
        uint32_t               leverage = twin->genesis.contracts[i].init_leverage;
        uint8_t                mode = MARGIN_CROSS;

        for (uint32_t n = 0; n < margin.position_count; n++) {
            const struct position_changed *p = &margin.positions[n];
            if (p->symbol_id != i + 1) continue;
            leverage = p->leverage;
            mode = p->margin_mode;
            if (p->position_id == 0) continue;
            size = p->size;
            bucket = p->bucket;
            cost = (int128_t)(((uint128_t)(uint64_t)p->cost_high << 64) | (uint64_t)p->cost_low);
        }
        if (size != want->is.size || bucket != want->is.bucket || cost != want->cost || leverage != want->is.leverage
            || mode != want->is.margin_mode)
            WRONG("read: position of %" PRIu64 " in %u: size %" PRId64 " bucket %" PRId64
                  " leverage %u mode %u, twin %" PRId64 " %" PRId64 " %u %u",
                  account->id, i + 1, size, bucket, leverage, mode, want->is.size, want->is.bucket, want->is.leverage,
                  want->is.margin_mode);
    }
    return NULL;
}

static const char *check_user(struct twin *twin, const struct views *views, const struct account *account)
{
    struct view_key keys[64];
    uint32_t        count, live = 0;

    for (uint8_t market = MARKET_SPOT; market <= (twin->genesis.perps_count > 0 ? MARKET_PERPS : MARKET_SPOT);
         market++) {
        struct view_fee_tier  tier = views_fee_tier(views, market, account->user_id);
        const struct account *user = account_primary(twin, account);
        if (tier.tier != user->fees[market].tier || tier.rebate != user->fees[market].rebate
            || tier.staking != user->fees[market].staking)
            WRONG("read: fee tier of %" PRIu64, account->id);
    }
    if (!account->primary) return NULL;
    count = views_keys(views, account->user_id, keys, ARRAY_COUNT(keys));
    for (uint32_t i = 0; i < twin->key_count; i++)
        if (twin->keys[i].live && twin->keys[i].is.user_id == account->user_id) live++;
    if (count != live) WRONG("read: %u keys of %" PRIu64 ", the twin has %u", count, account->id, live);
    return NULL;
}

const char *reads_compare(struct twin *twin, const struct views *views)
{
    const char *what = NULL;

    for (uint32_t i = 0; i < twin->account_count && what == NULL; i++) {
        const struct account *account = &twin->accounts[i];

        if (account->id < ACCOUNT_FIRST) continue;
        what = check_balances(twin, views, account);
        if (what == NULL) what = check_orders(twin, views, account, MARKET_SPOT);
        if (what == NULL) what = check_orders(twin, views, account, MARKET_PERPS);
        if (what == NULL) what = check_positions(twin, views, account);
        if (what == NULL) what = check_user(twin, views, account);
    }
    for (uint32_t i = 0; i < twin->genesis.spot_count && what == NULL; i++)
        what = check_symbol(twin, views, &twin->genesis.spot[i]);
    for (uint32_t i = 0; i < twin->genesis.perps_count && what == NULL; i++)
        what = check_symbol(twin, views, &twin->genesis.perps[i]);
    return what;
}
