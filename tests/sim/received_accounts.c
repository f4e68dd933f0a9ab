/* SPDX-License-Identifier: MIT */
/* received_accounts.c — orders, fills, units, and balances of an account: the messages to its owner. */
#include "received_inside.h"

#include "model/genesis.h"

#define STATE_ORDERS 100 /* of a perps state */

/* ---- accounts: orders and fills ---- */

static bool same_execution(struct slice data, const struct filled *fill, const struct symbol_row *symbol)
{
    if (fill->trade_id == 0)
        return json_member(data, "t").at == NULL && says(data, "l", 0, 0) && says(data, "L", 0, 0)
            && says(data, "n", 0, 0);
    return json_number(data, "t") == fill->trade_id && says(data, "l", fill->quantity, symbol->quantity_digits)
        && says(data, "L", fill->price, symbol->price_digits)
        && says(data, "n", fill->fee, coin_digits[fill->fee_coin_id]) && says_bool(data, "m", fill->is_maker);
}

/* The members of an order in every message. */
static bool same_state(struct slice data, const struct order_changed *order, const struct symbol_row *symbol)
{
    uint32_t spent = order->side == SIDE_BUY ? COIN_DIGITS : coin_digits[symbol->id];

    return json_number(data, "i") == order->order_id && slice_is(json_text(data, "s"), symbol->name)
        && slice_equal(json_text(data, "c"), client_id_slice(&order->client_id))
        && says_name(data, "S", side_names, order->side) && says_name(data, "o", order_type_names, order->type)
        && says_name(data, "f", time_in_force_names, order->time_in_force)
        && says_name(data, "X", order_status_names, order->status)
        && says(data, "p", order->price, symbol->price_digits)
        && says(data, "z", order->executed, symbol->quantity_digits)
        && says(data, "v", order->executed_value, COIN_DIGITS)
        && (symbol->market == MARKET_PERPS || says(data, "M", order->frozen, spent))
        && json_number(data, "ct") == (uint64_t)order->created_ms
        && json_number(data, "ut") == (uint64_t)order->updated_ms;
}

static bool same_order(const struct received *received, const void *at, struct slice data)
{
    const struct order_row     *row = at;
    const struct order_changed *order = &row->order.base;
    const struct symbol_row    *symbol = row_of(received->market, order->symbol_id);
    uint8_t                     reason = status_is_open(order->status) ? (uint8_t)REASON_NONE : order->reason;

    return same_state(data, order, symbol) && same_execution(data, &row->fill, symbol)
        && says_name(data, "x", exec_type_names, order->exec_type)
        && (reason == REASON_NONE ? json_member(data, "r").at == NULL : says_name(data, "r", end_reason_names, reason));
}

static uint32_t order_symbol(const void *row) { return ((const struct order_row *)row)->order.base.symbol_id; }

void judge_orders(struct received *received, struct slice data, bool snapshot)
{
    (void)snapshot;
    judge_row(received, &truth_account(received->market, received->account_id)->orders, data, same_order, order_symbol);
}

bool orders_are_whole(struct received *received, uint64_t seq)
{
    return rows_are_whole(received, &truth_account(received->market, received->account_id)->orders, order_symbol, seq);
}

static bool same_fill(const struct received *received, const void *row, struct slice data)
{
    const struct filled     *fill = &((const struct fill_row *)row)->fill;
    const struct symbol_row *symbol = row_of(received->market, fill->symbol_id);

    return json_number(data, "t") == fill->trade_id && json_number(data, "i") == fill->order_id
        && json_number(data, "T") == (uint64_t)fill->time_ms && slice_is(json_text(data, "s"), symbol->name)
        && slice_equal(json_text(data, "c"), client_id_slice(&fill->client_id))
        && says_name(data, "S", side_names, fill->side) && says(data, "p", fill->price, symbol->price_digits)
        && says(data, "q", fill->quantity, symbol->quantity_digits)
        && says(data, "f", fill->fee, coin_digits[fill->fee_coin_id]) && says_bool(data, "m", fill->is_maker)
        && (json_member(data, "self").at != NULL) == (fill->self != 0);
}

static uint32_t fill_symbol(const void *row) { return ((const struct fill_row *)row)->fill.symbol_id; }

void judge_fills(struct received *received, struct slice data, bool snapshot)
{
    (void)snapshot;
    judge_row(received, &truth_account(received->market, received->account_id)->fills, data, same_fill, fill_symbol);
}

bool fills_are_whole(struct received *received, uint64_t seq)
{
    return rows_are_whole(received, &truth_account(received->market, received->account_id)->fills, fill_symbol, seq);
}

static bool same_unit(const struct received *received, const void *row, struct slice data)
{
    const struct unit_stage *unit = &((const struct told_unit *)row)->unit;

    (void)received;
    return json_number(data, "lid") == ACCOUNT_FUND && json_number(data, "liquidationID") == unit->liquidation_id
        && json_number(data, "aid") == unit->account_id && json_number(data, "E") == (uint64_t)unit->time_ms
        && says(data, "av", unit->equity, COIN_DIGITS)
        && says(data, "maintenanceMargin", unit->maintenance, COIN_DIGITS)
        && slice_is(json_text(data, "mm"), unit->symbol_id == 0 ? "CROSS" : "ISOLATED")
        && json_count(json_member(data, "P")) == unit->positions;
}

void judge_units(struct received *received, struct slice data, bool snapshot)
{
    (void)snapshot;
    judge_row(received, &truth_account(MARKET_PERPS, received->account_id)->units, data, same_unit, NULL);
}

bool units_are_whole(struct received *received, uint64_t seq)
{
    return rows_are_whole(received, &truth_account(MARKET_PERPS, received->account_id)->units, NULL, seq);
}

/* ---- accounts: changes of a batch ---- */

#define CHANGED_MAX 16

/* The last values that a batch gives; `first`: the first command of it that changed something. */
struct changes {
    uint64_t                first;
    const struct batch_row *batch;
    struct {
        bool    is;
        int64_t total, locked;
    } coins[TRUTH_COINS];
    uint64_t positions[CHANGED_MAX];
    uint32_t coin_count, position_count;
};

static void note_position(struct changes *changes, uint64_t id)
{
    for (uint32_t i = 0; i < changes->position_count; i++)
        if (changes->positions[i] == id) return;
    assert(changes->position_count < CHANGED_MAX);
    changes->positions[changes->position_count++] = id;
}

/* Of the first batch behind a command that changed anything; false: there is none. */
static bool find_changes(const struct account_truth *account, uint64_t behind, struct changes *changes)
{
    uint32_t balance = rows_behind(&account->balances, behind), position = rows_behind(&account->positions, behind);

    *changes = (struct changes){ .first = UINT64_MAX };
    if (balance < account->balances.count) changes->first = row_seq(&account->balances, balance);
    if (position < account->positions.count)
        changes->first = min_u64(changes->first, row_seq(&account->positions, position));
    changes->batch = changes->first == UINT64_MAX ? NULL : truth_batch_of(changes->first);
    if (changes->batch == NULL) return false;
    for (; balance < account->balances.count && row_seq(&account->balances, balance) <= changes->batch->seq;
         balance++) {
        const struct balance_row *row = row_at(&account->balances, balance);
        changes->coin_count += !changes->coins[row->coin_id].is;
        changes->coins[row->coin_id].is = true;
        changes->coins[row->coin_id].total = row->total;
        changes->coins[row->coin_id].locked = row->locked;
    }
    for (; position < account->positions.count && row_seq(&account->positions, position) <= changes->batch->seq;
         position++)
        note_position(changes, ((const struct position_row *)row_at(&account->positions, position))->id);
    return true;
}

/* A position in a message has the state at the end of the batch, or a later one. */
static bool position_may_be(const struct account_truth *account, uint64_t id, uint64_t seq, struct slice item)
{
    uint32_t from = rows_behind(&account->positions, seq);

    for (uint32_t i = account->positions.count; i-- > 0;) {
        const struct position_row *row = row_at(&account->positions, i);
        if (row->id != id) continue;
        if (says(item, "sz", row->size, row_of(MARKET_PERPS, 1)->quantity_digits)) return true;
        if (i < from) return false;
    }
    return false;
}

static bool same_balances(const struct received *received, const struct changes *changes, struct slice array)
{
    const char  *at = NULL;
    struct slice item;

    while (json_item(array, &at, &item)) {
        uint64_t id = json_number(item, "i");
        if (id >= TRUTH_COINS || !changes->coins[id].is) return false;
        if (received->market == MARKET_PERPS ? !says(item, "wb", changes->coins[id].total, coin_digits[id])
                                             : !says(item, "t", changes->coins[id].total, coin_digits[id])
                                                   || !says(item, "l", changes->coins[id].locked, coin_digits[id]))
            return false;
    }
    return true;
}

static bool same_positions(const struct changes *changes, const struct account_truth *account, struct slice array)
{
    const char  *at = NULL;
    struct slice item;

    while (json_item(array, &at, &item)) {
        uint64_t id = json_number(item, "i");
        uint32_t i = 0;
        while (i < changes->position_count && changes->positions[i] != id) i++;
        if (i == changes->position_count || !position_may_be(account, id, changes->batch->seq, item)) return false;
    }
    return true;
}

/* `part`: a subscription made in the middle of a batch receives the later part. */
static bool same_changes(const struct received *received, const struct changes *changes, bool part, struct slice data)
{
    const struct account_truth *account = truth_account(received->market, received->account_id);
    struct slice                balances = json_member(data, "B"), positions = json_member(data, "P");

    if (json_number(data, "h") != changes->batch->height || json_number(data, "T") != (uint64_t)changes->batch->time_ms)
        return false;
    if (!part && (json_count(balances) != changes->coin_count || json_count(positions) != changes->position_count))
        return false;
    return same_balances(received, changes, balances) && same_positions(changes, account, positions);
}

void judge_update(struct received *received, struct slice data, bool snapshot)
{
    const struct account_truth *account = truth_account(received->market, received->account_id);
    uint64_t                    behind = received->begun ? received->next_seq : received->asked_seq;
    struct changes              changes;

    (void)snapshot;
    for (;; behind = changes.batch->seq) {
        if (!find_changes(account, behind, &changes)) {
            received_wrong(received, "told of what has not happened", data);
            return;
        }
        if (same_changes(received, &changes, !received->begun && changes.first <= received->since_seq, data)) break;
        if (received->begun || changes.first > received->since_seq) {
            received_wrong(received, "is not what comes next", data);
            return;
        }
    }
    was_received(changes.batch->seq);
    received->next_seq = changes.batch->seq;
    received->begun = true;
}

bool updates_are_whole(struct received *received, uint64_t seq)
{
    struct changes changes;

    return !find_changes(truth_account(received->market, received->account_id),
                         received->begun ? received->next_seq : received->since_seq, &changes)
        || changes.first > seq;
}

/* ---- accounts: everything ---- */

static bool same_coins(const struct received *received, struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     held = 0;

    for (uint32_t id = 0; id < TRUTH_COINS; id++) held += received->standing.coins[id].held;
    if (json_count(array) != held) return false;
    while (json_item(array, &at, &item)) {
        uint64_t id = json_number(item, "i");
        if (id >= TRUTH_COINS || !received->standing.coins[id].held) return false;
        if (!says(item, received->market == MARKET_PERPS ? "wb" : "t", received->standing.coins[id].total,
                  coin_digits[id]))
            return false;
        if (received->market == MARKET_SPOT && !says(item, "l", received->standing.coins[id].locked, coin_digits[id]))
            return false;
    }
    return true;
}

static bool same_open(const struct received *received, struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     most = received->market == MARKET_PERPS ? STATE_ORDERS : UINT32_MAX;

    if (json_count(array) != min_u32(most, received->standing.open_count)) return false;
    while (json_item(array, &at, &item)) {
        uint32_t i = 0;
        while (i < received->standing.open_count && received->standing.open[i].base.order_id != json_number(item, "i"))
            i++;
        if (i == received->standing.open_count) return false;
        if (!same_state(item, &received->standing.open[i].base,
                        row_of(received->market, received->standing.open[i].base.symbol_id)))
            return false;
    }
    return true;
}

static bool same_held(const struct received *received, struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     open = received->standing.positions[0].size != 0;

    if (received->market == MARKET_SPOT) return true;
    if (json_count(array) != open) return false;
    return open == 0
        || (json_item(array, &at, &item) && json_number(item, "i") == received->standing.positions[0].id
            && says(item, "sz", received->standing.positions[0].size, row_of(MARKET_PERPS, 1)->quantity_digits));
}

/* The state of one instant: the end of a block, or of a later batch that made none. */
void judge_state(struct received *received, struct slice data, bool snapshot)
{
    const struct rows *batches = truth_batches();
    uint64_t           height = json_number(data, "blockHeight");

    if (!snapshot) received_wrong(received, "is no snapshot", data);
    for (uint32_t i = received->standing.seq == 0 ? 0 : rows_behind(batches, received->standing.seq - 1);
         i < batches->count; i++) {
        const struct batch_row *batch = row_at(batches, i);
        if (batch->height < height || batch->seq < received->floor_seq) continue;
        if (batch->height > height) break;
        standing_reach(&received->standing, truth_account(received->market, received->account_id), batch->seq);
        if (!same_coins(received, json_member(data, "B")) || !same_open(received, json_member(data, "O"))
            || !same_held(received, json_member(data, "P")))
            continue;
        was_received(batch->seq);
        received->begun = true;
        return;
    }
    received_wrong(received, "was never so, or goes back", data);
}

bool state_is_whole(struct received *received, uint64_t seq)
{
    const struct account_truth *account = truth_account(received->market, received->account_id);

    if (!received->begun) return false;
    if (received->pace_ms > 1000) return true;
    return received->standing.balance >= rows_behind(&account->balances, seq)
        && received->standing.order >= rows_behind(&account->orders, seq)
        && received->standing.position >= rows_behind(&account->positions, seq);
}
