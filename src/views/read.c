/* SPDX-License-Identifier: MIT */
/* read.c — the readers' side: short copies under the lock, nothing else. */
#include "views/inside.h"
#include "base/fixed.h"

#include <sched.h>

static void read_begin(const struct views *views) { pthread_rwlock_rdlock((pthread_rwlock_t *)&views->lock); }

static void read_end(const struct views *views) { pthread_rwlock_unlock((pthread_rwlock_t *)&views->lock); }

/* ---- without the lock, while the views may move ---- */

static _Atomic uint32_t       threads;
static _Thread_local uint32_t thread_place; /* from 1; 0: this thread has not read yet */

static _Atomic uint32_t *reader_count(const struct views *views)
{
    if (thread_place == 0) thread_place = 1 + atomic_fetch_add(&threads, 1) % READER_PLACES;
    return (_Atomic uint32_t *)(uintptr_t)&views->readers[(thread_place - 1) * READER_STRIDE];
}

static void enter(const struct views *views)
{
    _Atomic uint32_t *count = reader_count(views);

    for (;;) {
        (void)atomic_fetch_add(count, 1);
        if (atomic_load(&views->moving) == 0) return;
        (void)atomic_fetch_sub(count, 1);
        while (atomic_load(&views->moving) != 0) (void)sched_yield();
    }
}

static void leave(const struct views *views)
{
    (void)atomic_fetch_sub_explicit(reader_count(views), 1, memory_order_release);
}

struct view_block views_last_block(const struct views *views)
{
    struct view_block block;

    read_begin(views);
    block = views->block;
    read_end(views);
    return block;
}

int64_t views_time_ms(const struct views *views) { return atomic_load_explicit(&views->time_ms, memory_order_acquire); }

uint64_t views_version(const struct views *views) { return atomic_load_explicit(&views->folds, memory_order_acquire); }

/* ---- what is listed: genesis, which never changes while it is read ---- */

static const struct symbol *market_symbols(const struct views *views, uint8_t market)
{
    return market == MARKET_SPOT ? views->genesis->spot : views->genesis->perps;
}

uint32_t views_symbol_count(const struct views *views, uint8_t market)
{
    return market >= 1 && market <= MARKETS ? views->symbol_count[market - 1] : 0;
}

const struct symbol *views_symbol(const struct views *views, uint8_t market, uint32_t symbol_id)
{
    if (symbol_id == 0 || symbol_id > views_symbol_count(views, market)) return NULL;
    return &market_symbols(views, market)[symbol_id - 1];
}

const struct symbol *views_symbol_by_name(const struct views *views, uint8_t market, struct slice name)
{
    for (uint32_t id = 1; id <= views_symbol_count(views, market); id++) {
        const struct symbol *symbol = &market_symbols(views, market)[id - 1];
        if (slice_equal(name_slice(&symbol->name), name)) return symbol;
    }
    return NULL;
}

uint32_t views_coin_count(const struct views *views) { return views->genesis->coin_count; }

const struct coin *views_coin(const struct views *views, uint32_t coin_id)
{
    return coin_id < views->genesis->coin_count ? &views->genesis->coins[coin_id] : NULL;
}

const struct coin *views_coin_by_name(const struct views *views, struct slice name)
{
    for (uint32_t id = 0; id < views->genesis->coin_count; id++)
        if (slice_equal(name_slice(&views->genesis->coins[id].name), name)) return &views->genesis->coins[id];
    return NULL;
}

uint8_t views_symbol_status(const struct views *views, uint8_t market, uint32_t symbol_id)
{
    const struct symbol *symbol = views_symbol(views, market, symbol_id);

    uint8_t status = symbol != NULL
                       ? atomic_load_explicit(&symbol_state(views, market, symbol_id)->status, memory_order_acquire)
                       : 0;

    if (symbol == NULL) return 0;
    if (status == 0) status = symbol->status; /* no operator has set a mode */
    return status_in_mode(status, views_mode(views));
}

uint8_t views_mode(const struct views *views)
{
    return (uint8_t)atomic_load_explicit(&views->mode, memory_order_acquire);
}

/* ---- market data ---- */

int64_t views_last_price(const struct views *views, uint8_t market, uint32_t symbol_id)
{
    int64_t price;

    read_begin(views);
    price = symbol_state(views, market, symbol_id)->last_price;
    read_end(views);
    return price != 0 ? price : views_symbol(views, market, symbol_id)->reference_price;
}

/* Both counters only rise, so equal sums mean that neither the depth nor the block has changed. */
uint64_t views_book_version(const struct views *views, uint8_t market, uint32_t symbol_id)
{
    return atomic_load_explicit(&symbol_state(views, market, symbol_id)->version, memory_order_acquire)
         + atomic_load_explicit(&views->blocks, memory_order_acquire);
}

uint64_t views_depth_version(const struct views *views, uint8_t market, uint32_t symbol_id)
{
    return atomic_load_explicit(&symbol_state(views, market, symbol_id)->version, memory_order_acquire);
}

void views_book(const struct views *views, uint8_t market, uint32_t symbol_id, uint32_t limit, struct view_level *bids,
                struct view_level *asks, struct view_book *book)
{
    const struct symbol_state *symbol = symbol_state(views, market, symbol_id);

    read_begin(views);
    book->update_id = symbol->update_id;
    book->block = views->block;
    book->bid_count = depth_copy(&views->depth, symbol->side_root[0], true, limit, bids);
    book->ask_count = depth_copy(&views->depth, symbol->side_root[1], false, limit, asks);
    read_end(views);
}

uint32_t views_trades(const struct views *views, uint8_t market, uint32_t symbol_id, uint32_t limit,
                      struct traded *trades)
{
    const struct symbol_state *symbol = symbol_state(views, market, symbol_id);
    uint32_t                   count;

    read_begin(views);
    count = (uint32_t)min_u64(min_u64(symbol->trade_count, limit), VIEW_TRADES_MAX);
    for (uint32_t i = 0; i < count; i++) trades[i] = symbol->trades[(symbol->trade_count - 1 - i) % VIEW_TRADES_MAX];
    read_end(views);
    return count;
}

/* ---- accounts ---- */

/* Copies an account with an owner; system accounts that only hold balances have none. */
static bool copy_account(const struct views *views, uint32_t slot, struct view_account *account)
{
    const struct account_node *node = &views->accounts[slot];

    if (slot == 0 || __atomic_load_n(&node->account.user_id, __ATOMIC_ACQUIRE) == 0) return false;
    *account = node->account;
    return true;
}

bool views_account(const struct views *views, uint64_t account_id, struct view_account *account)
{
    bool found;

    enter(views);
    found = copy_account(views, id_map_get(&views->account_by_id, account_id), account);
    leave(views);
    return found;
}

bool views_primary_account(const struct views *views, const struct address *owner, struct view_account *account)
{
    struct chained owners;
    uint32_t       slot;
    bool           found;

    enter(views);
    owners = owners_of(views);
    slot = chained_first(&owners, owner_hash(views, owner));
    while (slot != 0 && !address_equal(&views->accounts[slot].account.owner, owner)) slot = chained_next(&owners, slot);
    found = copy_account(views, slot, account);
    leave(views);
    return found;
}

static uint32_t newest_account(const struct views *views, uint64_t user_id)
{
    uint32_t user = id_map_get(&views->user_by_id, user_id);

    return user != 0 ? views->users[user].newest_account : 0;
}

uint32_t views_accounts(const struct views *views, uint64_t user_id, uint64_t *account_ids, uint32_t max)
{
    uint32_t count = 0, at;

    read_begin(views);
    for (uint32_t slot = newest_account(views, user_id); slot != 0; slot = views->accounts[slot].older_of_user) count++;
    at = count;
    for (uint32_t slot = newest_account(views, user_id); slot != 0; slot = views->accounts[slot].older_of_user)
        if (--at < max) account_ids[at] = views->accounts[slot].account.account_id;
    read_end(views);
    return count;
}

struct view_totals views_totals(const struct views *views)
{
    struct view_totals totals;

    read_begin(views);
    totals = views->totals;
    read_end(views);
    return totals;
}

struct view_symbol_totals views_symbol_totals(const struct views *views, uint8_t market, uint32_t symbol_id)
{
    const struct symbol_state *symbol = symbol_state(views, market, symbol_id);
    struct view_symbol_totals  totals;

    read_begin(views);
    totals = symbol->totals;
    totals.trades = symbol->trade_count;
    read_end(views);
    return totals;
}

struct view_counts views_counts(const struct views *views, uint64_t user_id)
{
    struct view_counts sum = { 0, 0, 0 };

    read_begin(views);
    for (uint32_t slot = newest_account(views, user_id); slot != 0; slot = views->accounts[slot].older_of_user) {
        const struct view_counts *counts = &views->accounts[slot].counts;
        sum.transactions += counts->transactions;
        sum.cancels += counts->cancels;
        sum.volume = sum.volume > AMOUNT_MAX - counts->volume ? AMOUNT_MAX : sum.volume + counts->volume;
    }
    read_end(views);
    return sum;
}

int64_t views_evm_balance(const struct views *views, const struct address *address, uint32_t coin_id)
{
    struct view_account account;
    int64_t             amount;

    if (coin_id >= views->genesis->coin_count || !views_primary_account(views, address, &account)) return 0;
    read_begin(views);
    amount =
        views
            ->evm[(size_t)id_map_get(&views->account_by_id, account.account_id) * views->genesis->coin_count + coin_id];
    read_end(views);
    return amount;
}

/* ---- keys ---- */

uint32_t views_keys(const struct views *views, uint64_t user_id, struct view_key *keys, uint32_t max)
{
    uint32_t user, count = 0, at;

    read_begin(views);
    user = id_map_get(&views->user_by_id, user_id);
    for (uint32_t ix = views->users[user].newest_key; ix != 0; ix = views->keys[ix].next) count++;
    at = count;
    for (uint32_t ix = views->users[user].newest_key; ix != 0; ix = views->keys[ix].next)
        if (--at < max) keys[at] = views->keys[ix].key;
    read_end(views);
    return count;
}

/* A walk while a key changes may lead anywhere within the pool,
   even in a circle: it is bounded, and counts for nothing. */
static bool find_key(const struct views *views, uint32_t user, struct slice name, struct view_key *key)
{
    uint32_t ix = link_load(&views->users[user].newest_key);

    for (uint32_t steps = 0; ix != 0 && steps < views->key_cap; steps++) {
        key_load(key, &views->keys[ix].key);
        if (key->name.len == name.len && memcmp(key->name.at, name.at, name.len) == 0) return true;
        ix = link_load(&views->keys[ix].next);
    }
    return false;
}

bool views_key(const struct views *views, uint64_t user_id, struct slice name, struct view_key *key)
{
    uint32_t user, before;
    bool     found = false;

    if (name.len == 0 || name.len > CLIENT_ID_MAX) return false;
    enter(views);
    user = id_map_get(&views->user_by_id, user_id);
    if (user != 0) do {
            while (((before = atomic_load_explicit(&views->keys_version, memory_order_acquire)) & 1) != 0) {}
            found = find_key(views, user, name, key);
        } while (atomic_load_explicit(&views->keys_version, memory_order_relaxed) != before);
    leave(views);
    return found;
}

static uint32_t copy_balances(const struct views *views, uint8_t market, uint32_t slot,
                              struct view_balance balances[COINS_MAX])
{
    uint32_t count = 0;

    for (uint64_t held = views->accounts[slot].held[market - 1]; held != 0; held &= held - 1) {
        uint32_t                   coin_id = (uint32_t)__builtin_ctzll(held);
        const struct coin_balance *balance = balance_at(views, market, slot, coin_id);
        balances[count++] = (struct view_balance){ coin_id, 0, balance->total, balance->locked };
    }
    return count;
}

static uint32_t copy_orders(const struct views *views, uint8_t market, uint32_t slot, uint32_t symbol_id,
                            struct order_changed *orders, uint32_t max)
{
    uint32_t count = 0;

    for (uint32_t ix = views->accounts[slot].newest_order[market - 1]; ix != 0; ix = views->orders[ix].older) {
        const struct order_changed *order = &views->orders[ix].order;
        if (symbol_id != 0 && order->symbol_id != symbol_id) continue;
        if (count < max) orders[count] = *order;
        count++;
    }
    return count;
}

uint32_t views_balances(const struct views *views, uint8_t market, uint64_t account_id,
                        struct view_balance balances[COINS_MAX])
{
    uint32_t count;

    assert(market >= 1 && market <= MARKETS);
    read_begin(views);
    count = copy_balances(views, market, id_map_get(&views->account_by_id, account_id), balances);
    read_end(views);
    return count;
}

uint32_t views_open_orders(const struct views *views, uint8_t market, uint64_t account_id, uint32_t symbol_id,
                           struct view_block *block, struct order_changed *orders, uint32_t max)
{
    uint32_t count;

    assert(market >= 1 && market <= MARKETS);
    read_begin(views);
    *block = views->block;
    count = copy_orders(views, market, id_map_get(&views->account_by_id, account_id), symbol_id, orders, max);
    read_end(views);
    return count;
}

uint32_t views_state(const struct views *views, uint8_t market, uint64_t account_id, struct view_block *block,
                     struct view_balance balances[COINS_MAX], uint32_t *balance_count, struct order_changed *orders,
                     uint32_t max)
{
    uint32_t slot, count;

    assert(market >= 1 && market <= MARKETS);
    read_begin(views);
    slot = id_map_get(&views->account_by_id, account_id);
    *block = views->block;
    *balance_count = copy_balances(views, market, slot, balances);
    count = copy_orders(views, market, slot, 0, orders, max);
    read_end(views);
    return count;
}

/* ---- perps ---- */

struct price_changed views_price(const struct views *views, uint32_t symbol_id)
{
    struct price_changed price;

    assert(symbol_id >= 1 && symbol_id <= views->genesis->perps_count);
    read_begin(views);
    price = views->prices[symbol_id - 1];
    read_end(views);
    return price;
}

struct index_composed views_composition(const struct views *views, uint32_t symbol_id)
{
    struct index_composed composition;

    assert(symbol_id >= 1 && symbol_id <= views->genesis->perps_count);
    read_begin(views);
    composition = views->compositions[symbol_id - 1];
    read_end(views);
    return composition;
}

void views_fund(const struct views *views, struct view_fund *fund)
{
    read_begin(views);
    *fund = views->fund;
    fund->block = views->block;
    read_end(views);
}

struct phase_changed views_phase(const struct views *views, uint32_t symbol_id)
{
    struct phase_changed phase;

    assert(symbol_id >= 1 && symbol_id <= views->genesis->perps_count);
    read_begin(views);
    phase = views->phases[symbol_id - 1];
    phase.phase = phase_in_mode(phase.phase, views_mode(views));
    read_end(views);
    return phase;
}

uint64_t views_price_version(const struct views *views, uint32_t symbol_id)
{
    assert(symbol_id >= 1 && symbol_id <= views->genesis->perps_count);
    return atomic_load_explicit(&views->price_versions[symbol_id - 1], memory_order_acquire);
}

/* By symbol id: an account has few. */
static uint32_t copy_positions(const struct views *views, uint32_t slot, struct position_changed positions[PERPS_MAX])
{
    uint32_t count = 0;

    for (uint32_t ix = views->accounts[slot].positions; ix != 0; ix = views->positions[ix].next) {
        const struct position_changed *position = &views->positions[ix].position;
        uint32_t                       at = count++;
        for (; at > 0 && positions[at - 1].symbol_id > position->symbol_id; at--) positions[at] = positions[at - 1];
        positions[at] = *position;
    }
    return count;
}

static uint32_t copy_perps_orders(const struct views *views, uint32_t slot, struct perps_order_changed *orders,
                                  uint32_t max)
{
    uint32_t count = 0;

    for (uint32_t ix = views->accounts[slot].newest_order[MARKET_PERPS - 1]; ix != 0;
         ix = views->orders[ix].older, count++) {
        if (count >= max) continue;
        orders[count].base = views->orders[ix].order;
        memcpy(&orders[count].stop_price, &views->order_parts[ix], sizeof(struct order_part));
    }
    return count;
}

/* Symbols out of which no money goes at present, a bit by id - 1 (ruling 64). */
static uint64_t not_live(const struct views *views)
{
    uint64_t symbols = 0;

    for (uint32_t i = 0; i < views->genesis->perps_count; i++) {
        const struct price_changed *price = &views->prices[i];
        bool                        trades = views_symbol_status(views, MARKET_PERPS, i + 1) == SYMBOL_TRADING;

        if (!trades || price->state != ORACLE_LIVE || price->held != 0 || views_mode(views) != VENUE_RUN)
            symbols |= UINT64_C(1) << i;
    }
    return symbols;
}

uint32_t views_margin(const struct views *views, const struct view_account *account, struct view_margin *margin,
                      struct perps_order_changed *orders, uint32_t max)
{
    uint32_t slot, count;

    read_begin(views);
    slot = id_map_get(&views->account_by_id, account->account_id);
    margin->block = views->block;
    margin->wallet = balance_at(views, MARKET_PERPS, slot, COIN_MARGIN)->total;
    margin->tier = views->tiers[MARKET_PERPS - 1][id_map_get(&views->user_by_id, account->user_id)];
    memcpy(margin->prices, views->prices, views->genesis->perps_count * sizeof(*views->prices));
    margin->not_live = not_live(views);
    margin->position_count = copy_positions(views, slot, margin->positions);
    margin->balance_count = copy_balances(views, MARKET_PERPS, slot, margin->balances);
    count = copy_perps_orders(views, slot, orders, max);
    read_end(views);
    return count;
}

/* A position's value at the mark, and its cost. */
static void stake_of(const struct views *views, const struct position_changed *position, struct view_stake *stake)
{
    const struct symbol *symbol = &views->genesis->perps[position->symbol_id - 1];
    int                  power = symbol_notional_power(symbol, &views->genesis->coins[symbol->quote_coin_id]);
    int64_t              size = position->size < 0 ? -position->size : position->size;

    stake->cost = (int128_t)((uint128_t)(uint64_t)position->cost_high << 64 | (uint64_t)position->cost_low);
    stake->value = notional_floor(views->prices[position->symbol_id - 1].mark, size, power);
    stake->profit = (position->size < 0 ? -stake->value : stake->value) - stake->cost;
}

static int128_t risk_unit_equity(const struct views *views, const struct position_node *node, int128_t profit)
{
    int128_t          equity = balance_at(views, MARKET_PERPS, node->account, COIN_MARGIN)->total;
    struct view_stake stake;

    if (node->position.margin_mode == MARGIN_ISOLATED) return node->position.bucket + profit;
    for (uint32_t ix = views->accounts[node->account].positions; ix != 0; ix = views->positions[ix].next) {
        const struct position_changed *position = &views->positions[ix].position;
        if (position->size == 0 || position->margin_mode == MARGIN_ISOLATED) continue;
        stake_of(views, position, &stake);
        equity += stake.profit;
    }
    return equity;
}

#define STAKE_PLACES 2048 /* looked at under one lock */
uint32_t views_stakes(const struct views *views, const uint8_t sides[PERPS_MAX], uint32_t *from,
                      struct view_stake *stakes, uint32_t max)
{
    uint32_t ix = *from != 0 ? *from : 1, count = 0, end;

    read_begin(views);
    end = min_u32(views->position_used, ix + STAKE_PLACES);
    for (; ix < end && count < max; ix++) {
        const struct position_changed *position = &views->positions[ix].position;
        uint8_t                        side = position->size > 0 ? SIDE_BUY : SIDE_SELL;
        if (position->size == 0 || (sides[position->symbol_id - 1] >> side & 1) == 0) continue;
        stakes[count] =
            (struct view_stake){ .account_id = position->account_id, .symbol_id = position->symbol_id, .side = side };
        stake_of(views, position, &stakes[count]);
        stakes[count].equity = risk_unit_equity(views, &views->positions[ix], stakes[count].profit);
        count++;
    }
    *from = ix < views->position_used ? ix : 0;
    read_end(views);
    return count;
}

uint32_t views_stake_places(const struct views *views)
{
    uint32_t places;

    read_begin(views);
    places = views->position_used;
    read_end(views);
    return places;
}

struct view_fee_tier views_fee_tier(const struct views *views, uint8_t market, uint64_t user_id)
{
    struct view_fee_tier tier;

    assert(market >= 1 && market <= MARKETS);
    read_begin(views);
    tier = views->tiers[market - 1][id_map_get(&views->user_by_id, user_id)];
    read_end(views);
    return tier;
}
