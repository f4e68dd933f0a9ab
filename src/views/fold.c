/* SPDX-License-Identifier: MIT */
/* fold.c — one function per kind of event. */
#include "views/inside.h"

/* ---- accounts, users, balances ---- */

/* The slot of an account; system accounts appear in balances before any event opens them. */
static uint32_t account_slot(struct views *views, uint64_t account_id)
{
    uint32_t slot = id_map_get(&views->account_by_id, account_id);

    if (slot != 0) return slot;
    slot = views->account_count++;
    assert(slot < views->account_cap);
    views->accounts[slot].account.account_id = account_id;
    id_map_put(&views->account_by_id, account_id, slot);
    return slot;
}

static uint32_t user_slot(struct views *views, uint64_t user_id)
{
    uint32_t slot = id_map_get(&views->user_by_id, user_id);

    if (slot != 0) return slot;
    slot = views->user_count++;
    assert(slot < views->user_cap);
    id_map_put(&views->user_by_id, user_id, slot);
    return slot;
}

static void fold_account(struct views *views, const struct account_opened *event)
{
    uint32_t             slot = account_slot(views, event->account_id);
    struct account_node *node = &views->accounts[slot];
    struct user_node    *user = &views->users[user_slot(views, event->user_id)];
    struct chained       owners = owners_of(views);

    assert(node->account.user_id == 0 && event->user_id != 0); /* opened once */
    node->account.owner = event->owner;
    node->account.is_primary = event->is_primary;
    views->totals.accounts += 1;
    node->older_of_user = user->newest_account;
    user->newest_account = slot;
    __atomic_store_n(&node->account.user_id, event->user_id, __ATOMIC_RELEASE);
    if (event->is_primary) chained_add(&owners, owner_hash(views, &event->owner), slot);
}

/* The row of the day that it is; the oldest one goes when there is no place. */
static struct view_fund_day *fund_day(struct views *views, int64_t day)
{
    struct view_fund *fund = &views->fund;

    if (fund->day_count > 0 && fund->days[fund->day_count - 1].day == day) return &fund->days[fund->day_count - 1];
    assert(fund->day_count == 0 || fund->days[fund->day_count - 1].day < day);
    if (fund->day_count == FUND_DAYS_MAX)
        memmove(&fund->days[0], &fund->days[1], (--fund->day_count) * sizeof(fund->days[0]));
    fund->days[fund->day_count] = (struct view_fund_day){ .day = day, .begin = fund->balance, .end = fund->balance };
    return &fund->days[fund->day_count++];
}

static void fold_fund_balance(struct views *views, int64_t total)
{
    struct view_fund_day *day = fund_day(views, views->time_ms / DAY_MS);
    int64_t               change = total - views->fund.balance;

    if (change > 0) day->received += change;
    else day->paid -= change;
    day->end = views->fund.balance = total;
}

static void fold_fund(struct views *views, const struct fund_changed *event)
{
    assert(event->symbol_id <= views->genesis->perps_count);
    views->fund.rows[event->symbol_id] = *event;
    if (event->symbol_id != 0) return;
    if (event->day_ms == views->time_ms / DAY_MS * DAY_MS) {
        struct view_fund_day *day = fund_day(views, event->day_ms / DAY_MS);
        day->loss = event->loss;
        day->beyond = event->beyond;
    }
}

static void fold_balance(struct views *views, const struct balance *event)
{
    uint32_t slot = account_slot(views, event->account_id);

    *balance_at(views, event->head.market, slot, event->coin_id) = (struct coin_balance){ event->total, event->locked };
    if (event->account_id == ACCOUNT_FUND && event->head.market == MARKET_PERPS && event->coin_id == COIN_MARGIN)
        fold_fund_balance(views, event->total);
    if (event->total != 0 || event->locked != 0)
        views->accounts[slot].held[event->head.market - 1] |= UINT64_C(1) << event->coin_id;
}

static void fold_fee_tier(struct views *views, const struct fee_tier *event)
{
    uint32_t user = user_slot(views, event->user_id);

    assert(event->head.market >= 1 && event->head.market <= MARKETS);
    views->tiers[event->head.market - 1][user] = (struct view_fee_tier){ event->tier, event->staking, event->rebate };
}

/* The ledger of an address is kept at its primary account: an address without one has no ledger balance (mechanics 7).
 */
static void fold_evm_balance(struct views *views, const struct evm_balance *event)
{
    struct view_account account;
    bool                known = views_primary_account(views, &event->address, &account);

    assert(known && event->coin_id < views->genesis->coin_count);
    views->evm[(size_t)account_slot(views, account.account_id) * views->genesis->coin_count + event->coin_id] =
        event->amount;
}

/* ---- keys ---- */

static void key_add(struct views *views, struct user_node *user, const struct key_changed *event)
{
    uint32_t         ix = views->key_free;
    struct key_node *node;

    if (ix != 0) views->key_free = views->keys[ix].next;
    else ix = views->key_used++;
    assert(ix < views->key_cap);
    views->totals.keys += 1;
    node = &views->keys[ix];
    key_store(&node->key, &(struct view_key){
                              .account_id = event->account_id,
                              .user_id = event->user_id,
                              .name = event->name,
                              .public_key = event->public_key,
                              .key_id = event->key_id,
                              .expires_ms = event->expires_ms,
                              .permissions = event->permissions,
                              .key_type = event->key_type,
                          });
    link_store(&node->next, user->newest_key);
    link_store(&user->newest_key, ix);
}

static void key_remove(struct views *views, struct user_node *user, uint32_t key_id)
{
    uint32_t *link = &user->newest_key, ix;

    while (*link != 0 && views->keys[*link].key.key_id != key_id) link = &views->keys[*link].next;
    ix = *link;
    assert(ix != 0); /* a revoked key was registered */
    views->totals.keys -= 1;
    link_store(link, views->keys[ix].next);
    link_store(&views->keys[ix].next, views->key_free);
    views->key_free = ix;
}

/* Another version of what was written before; the fold is the only writer, so nothing is locked. */
static void raise_version(_Atomic uint64_t *version)
{
    atomic_store_explicit(version, atomic_load_explicit(version, memory_order_relaxed) + 1, memory_order_release);
}

static void fold_key(struct views *views, const struct key_changed *event)
{
    struct user_node *user = &views->users[user_slot(views, event->user_id)];

    atomic_fetch_add_explicit(&views->keys_version, 1, memory_order_relaxed);
    if (event->revoked) key_remove(views, user, event->key_id);
    else key_add(views, user, event);
    atomic_fetch_add_explicit(&views->keys_version, 1, memory_order_release);
}

/* ---- counts ---- */

/* The account is named when the command was let in, and then it is a transaction. */
static void fold_began(struct views *views, const struct command_began *event)
{
    struct view_counts *counts;

    atomic_store_explicit(&views->time_ms, event->time_ms, memory_order_release);
    if (event->account_id == 0) return;
    counts = &views->accounts[account_slot(views, event->account_id)].counts;
    counts->transactions += 1;
    if (cancels_orders(command_row(event->command_kind))) counts->cancels += 1;
}

/* ---- open orders ---- */

static struct view_symbol_totals *totals_of(struct views *views, const struct order_changed *order)
{
    return &symbol_state(views, order->head.market, order->symbol_id)->totals;
}

/* A stop, and its condition has not been met. */
static bool part_waits(const struct order_part *part) { return part->stop_type != 0 && part->triggered == 0; }

/* The perps part of an order; NULL: it has ended. */
static void part_set(struct views *views, uint32_t ix, const void *part)
{
    struct order_part         *kept = &views->order_parts[ix];
    struct view_symbol_totals *totals = totals_of(views, &views->orders[ix].order);

    totals->waiting_stops -= part_waits(kept);
    if (part != NULL) memcpy(kept, part, sizeof(*kept));
    else memset(kept, 0, sizeof(*kept));
    totals->waiting_stops += part_waits(kept);
}

static uint32_t order_open(struct views *views, const struct order_changed *event)
{
    uint32_t           ix = views->order_free, slot = account_slot(views, event->account_id), newer = 0;
    uint32_t          *older = &views->accounts[slot].newest_order[event->head.market - 1];
    struct order_node *node;

    if (ix != 0) views->order_free = views->orders[ix].older;
    else ix = views->order_used++;
    assert(ix < views->order_cap);
    node = &views->orders[ix];
    for (; *older != 0 && views->orders[*older].order.order_id > event->order_id; older = &views->orders[newer].older)
        newer = *older; /* a bracket's parent is emitted after its children */
    *node = (struct order_node){ .account = slot, .older = *older, .newer = newer };
    if (*older != 0) views->orders[*older].newer = ix;
    *older = ix;
    totals_of(views, event)->open_orders += 1;
    id_map_put(&views->order_by_id, event->order_id, ix);
    return ix;
}

/* A bracket's parent is not emitted again when a child ends: an ended child is removed from its list here. */
static void leave_parent(struct views *views, uint32_t ix)
{
    uint64_t           parent_id = views->order_parts[ix].primary_order_id;
    uint32_t           parent = parent_id != 0 ? id_map_get(&views->order_by_id, parent_id) : 0;
    struct order_part *part = &views->order_parts[parent];

    if (parent == 0) return;
    for (uint32_t i = 0; i < 2; i++)
        if (part->attached_order_ids[i] == views->orders[ix].order.order_id) part->attached_order_ids[i] = 0;
}

static void order_close(struct views *views, uint32_t ix)
{
    struct order_node *node = &views->orders[ix];
    uint32_t          *newest = &views->accounts[node->account].newest_order[node->order.head.market - 1];

    if (node->newer != 0) views->orders[node->newer].older = node->older;
    else *newest = node->older;
    if (node->older != 0) views->orders[node->older].newer = node->newer;
    totals_of(views, &node->order)->open_orders -= 1;
    if (node->order.head.market == MARKET_PERPS) {
        leave_parent(views, ix);
        part_set(views, ix, NULL);
    }
    id_map_remove(&views->order_by_id, node->order.order_id);
    node->older = views->order_free;
    views->order_free = ix;
}

/* Returns the place of an order that is open, 0 for one that is not. */
static uint32_t fold_order(struct views *views, const struct order_changed *event)
{
    uint32_t ix = id_map_get(&views->order_by_id, event->order_id);

    assert(event->head.market >= 1 && event->head.market <= MARKETS);
    if (!status_is_open(event->status)) {
        if (ix != 0) order_close(views, ix);
        return 0;
    }
    if (ix == 0) ix = order_open(views, event);
    views->orders[ix].order = *event;
    return ix;
}

static void fold_perps_order(struct views *views, const struct perps_order_changed *event)
{
    uint32_t ix = fold_order(views, &event->base);

    if (ix != 0) part_set(views, ix, &event->stop_price);
}

/* ---- positions and settings ---- */

/* The place of an account's symbol; made when it has none. */
static struct position_node *position_at(struct views *views, uint64_t account_id, uint32_t symbol_id)
{
    struct account_node  *account = &views->accounts[account_slot(views, account_id)];
    struct position_node *node;
    uint32_t              ix;

    assert(symbol_id >= 1 && symbol_id <= views->genesis->perps_count);
    for (ix = account->positions; ix != 0; ix = views->positions[ix].next)
        if (views->positions[ix].position.symbol_id == symbol_id) return &views->positions[ix];
    ix = views->position_free;
    if (ix != 0) views->position_free = views->positions[ix].next;
    else ix = views->position_used++;
    assert(ix < views->position_cap);
    node = &views->positions[ix];
    *node = (struct position_node){ .next = account->positions,
                                    .account = (uint32_t)(account - views->accounts),
                                    .position = {
                                        .account_id = account_id,
                                        .symbol_id = symbol_id,
                                        .margin_mode = MARGIN_CROSS,
                                        .leverage = views->genesis->contracts[symbol_id - 1].init_leverage,
                                    } };
    account->positions = ix;
    return node;
}

/* A row equal to that of a new account is freed. */
static void position_settle(struct views *views, struct position_node *node)
{
    const struct position_changed *position = &node->position;
    uint32_t                       ix = (uint32_t)(node - views->positions);
    uint32_t                      *link = &views->accounts[account_slot(views, position->account_id)].positions;

    if (position->position_id != 0 || position->margin_mode != MARGIN_CROSS
        || position->leverage != views->genesis->contracts[position->symbol_id - 1].init_leverage)
        return;
    while (*link != ix) link = &views->positions[*link].next;
    *link = node->next;
    node->next = views->position_free;
    views->position_free = ix;
}

static void fold_position(struct views *views, const struct position_changed *event)
{
    struct position_node      *node = position_at(views, event->account_id, event->symbol_id);
    struct view_symbol_totals *totals = &symbol_state(views, MARKET_PERPS, event->symbol_id)->totals;

    totals->positions -= node->position.position_id != 0;
    if (event->size != 0) {
        totals->positions += 1;
        node->position = *event;
        return;
    }
    node->position = (struct position_changed){ .account_id = event->account_id,
                                                .symbol_id = event->symbol_id,
                                                .leverage = event->leverage,
                                                .margin_mode = event->margin_mode };
    position_settle(views, node);
}

static void fold_leverage(struct views *views, const struct leverage_changed *event)
{
    struct position_node *node = position_at(views, event->account_id, event->symbol_id);

    node->position.leverage = event->leverage;
    node->position.margin_mode = event->margin_mode;
    position_settle(views, node);
}

/* The wallet of a cross position has its own event; the record, and an isolated bucket, follow from the payment. */
static void fold_funding(struct views *views, const struct funded *event)
{
    struct position_changed *position = &position_at(views, event->account_id, event->symbol_id)->position;

    assert(position->position_id == event->position_id);
    if (position->margin_mode == MARGIN_ISOLATED) position->bucket -= event->payment;
    position->realized = max_i64(-AMOUNT_MAX, min_i64(AMOUNT_MAX, position->realized - event->payment));
    position->updated_ms = event->time_ms;
}

static void fold_symbol(struct views *views, const struct symbol_changed *event)
{
    atomic_store_explicit(&symbol_state(views, event->head.market, event->symbol_id)->status, event->status,
                          memory_order_release);
}

static void fold_mode(struct views *views, const struct mode_changed *event)
{
    assert(event->mode >= VENUE_RUN && event->mode <= VENUE_REDUCE_ONLY);
    atomic_store_explicit(&views->mode, event->mode, memory_order_release);
}

static void fold_phase(struct views *views, const struct phase_changed *event)
{
    assert(event->symbol_id >= 1 && event->symbol_id <= views->genesis->perps_count);
    views->phases[event->symbol_id - 1] = *event;
}

static void fold_price(struct views *views, const struct price_changed *event)
{
    assert(event->symbol_id >= 1 && event->symbol_id <= views->genesis->perps_count);
    views->prices[event->symbol_id - 1] = *event;
    raise_version(&views->price_versions[event->symbol_id - 1]);
}

static void fold_composition(struct views *views, const struct index_composed *event)
{
    assert(event->symbol_id >= 1 && event->symbol_id <= views->genesis->perps_count);
    views->compositions[event->symbol_id - 1] = *event;
}

/* ---- market data ---- */

/* An account that traded has a slot already; slot 0 takes the rest. */
static void count_volume(struct views *views, uint64_t account_id, int64_t value)
{
    int64_t *volume = &views->accounts[id_map_get(&views->account_by_id, account_id)].counts.volume;

    *volume = *volume > AMOUNT_MAX - value ? AMOUNT_MAX : *volume + value;
}

static void fold_trade(struct views *views, const struct traded *event)
{
    struct symbol_state *symbol = symbol_state(views, event->head.market, event->symbol_id);

    symbol->trades[symbol->trade_count++ % VIEW_TRADES_MAX] = *event;
    symbol->last_price = event->price;
    if (views_symbol(views, event->head.market, event->symbol_id)->quote_coin_id != COIN_MARGIN) return;
    count_volume(views, event->buyer_account_id, event->value);
    count_volume(views, event->seller_account_id, event->value);
}

static void fold_level(struct views *views, const struct level_changed *event)
{
    struct symbol_state *symbol = symbol_state(views, event->head.market, event->symbol_id);

    assert(event->side == SIDE_BUY || event->side == SIDE_SELL);
    depth_set(&views->depth, &symbol->side_root[event->side - SIDE_BUY],
              (uint32_t)event->head.market << 24 | event->symbol_id << 2 | event->side, event->price, event->quantity);
    symbol->update_id = event->update_id;
    raise_version(&symbol->version);
}

/* Only fills of forced orders are counted. */
static void fold_fill(struct views *views, const struct filled *event)
{
    if (event->reason == REASON_NONE) return;
    assert(event->reason < VIEW_REASONS);
    views->totals.forced[event->reason] += 1;
}

static void fold_unit(struct views *views, const struct unit_stage *event)
{
    assert(event->stage <= STAGE_ADL);
    views->totals.stages[event->stage] += 1;
}

/*
 * REFUSED and RESULT are for the reply; TRANSFER, LIQUIDATION and ADL_RANKED for the history; SCHEDULE is not read
 * here.
 */
static void fold(struct views *views, const struct event *event)
{
    switch (event->kind) {
    case EVENT_COMMAND_BEGAN: fold_began(views, (const struct command_began *)event); break;
    case EVENT_ORDER: (void)fold_order(views, (const struct order_changed *)event); break;
    case EVENT_TRADE: fold_trade(views, (const struct traded *)event); break;
    case EVENT_FILL: fold_fill(views, (const struct filled *)event); break;
    case EVENT_UNIT: fold_unit(views, (const struct unit_stage *)event); break;
    case EVENT_BALANCE: fold_balance(views, (const struct balance *)event); break;
    case EVENT_LEVEL: fold_level(views, (const struct level_changed *)event); break;
    case EVENT_ACCOUNT: fold_account(views, (const struct account_opened *)event); break;
    case EVENT_FEE_TIER: fold_fee_tier(views, (const struct fee_tier *)event); break;
    case EVENT_EVM_BALANCE: fold_evm_balance(views, (const struct evm_balance *)event); break;
    case EVENT_KEY: fold_key(views, (const struct key_changed *)event); break;
    case EVENT_PERPS_ORDER: fold_perps_order(views, (const struct perps_order_changed *)event); break;
    case EVENT_POSITION: fold_position(views, (const struct position_changed *)event); break;
    case EVENT_LEVERAGE: fold_leverage(views, (const struct leverage_changed *)event); break;
    case EVENT_FUNDING: fold_funding(views, (const struct funded *)event); break;
    case EVENT_SYMBOL: fold_symbol(views, (const struct symbol_changed *)event); break;
    case EVENT_PHASE: fold_phase(views, (const struct phase_changed *)event); break;
    case EVENT_MODE: fold_mode(views, (const struct mode_changed *)event); break;
    case EVENT_PRICE: fold_price(views, (const struct price_changed *)event); break;
    case EVENT_FUND: fold_fund(views, (const struct fund_changed *)event); break;
    case EVENT_VENUE: views->fund.insolvent = ((const struct venue_changed *)event)->insolvent != 0; break;
    case EVENT_INDEX_COMPOSED: fold_composition(views, (const struct index_composed *)event); break;
    case EVENT_TIME:
        atomic_store_explicit(&views->offset_ms, ((const struct time_advanced *)event)->offset_ms,
                              memory_order_release);
        break;
    default: break;
    }
}

/* Where an order's number leads is as far away as memory can be, and events come in thousands. */
static void expect(const struct views *views, const struct event *event)
{
    if (event->kind == EVENT_ORDER || event->kind == EVENT_PERPS_ORDER)
        id_map_prefetch(&views->order_by_id, ((const struct order_changed *)event)->order_id);
}

#define LOOK_AHEAD 2048 /* bytes of events: those of a few commands */

void views_part(struct views *views, const struct events *events)
{
    if (!views->folding) pthread_rwlock_wrlock(&views->lock);
    views->folding = true;
    for (const struct event *event = events_first(events), *ahead = event; event != NULL;
         event = events_next(events, event)) {
        for (; ahead != NULL && (const uint8_t *)ahead - (const uint8_t *)event < LOOK_AHEAD;
             ahead = events_next(events, ahead))
            expect(views, ahead);
        fold(views, event);
    }
}

void views_apply(struct views *views, const struct events *events, const struct view_block *block)
{
    views_part(views, events);
    if (block != NULL) {
        views->block = *block;
        raise_version(&views->blocks);
    }
    raise_version(&views->folds);
    views->folding = false;
    pthread_rwlock_unlock(&views->lock);
}
