/* SPDX-License-Identifier: MIT */
#include "truth.h"

#include "client.h"

#include <stdlib.h>

#define FILLS_MAX 4096

static struct symbol_truth  symbols[TRUTH_SPOT + TRUTH_PERPS];
static struct account_truth accounts[2][CLIENTS];
static struct rows          batches;
static uint64_t             applied; /* the last command with rows here */

/* ---- rows ---- */

static void *rows_add(struct rows *rows, uint32_t bytes, uint64_t seq)
{
    uint8_t *at;

    if (rows->count == rows->cap) {
        uint32_t cap = max_u32(64, 2 * rows->cap);
        uint8_t *more = world_keep((size_t)cap * bytes);
        if (rows->count != 0) memcpy(more, rows->at, (size_t)rows->count * bytes);
        free(rows->at);
        rows->at = more;
        rows->cap = cap;
        rows->bytes = bytes;
    }
    at = rows->at + (size_t)rows->count++ * bytes;
    memset(at, 0, bytes);
    memcpy(at, &seq, sizeof(seq));
    return at;
}
#define ROW_ADD(rows, type, seq) ((struct type *)rows_add((rows), sizeof(struct type), (seq)))

uint32_t rows_behind(const struct rows *rows, uint64_t seq)
{
    uint32_t low = 0, high = rows->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (row_seq(rows, middle) <= seq) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void each_rows(void (*what)(struct rows *rows, uint64_t seq), uint64_t seq)
{
    for (size_t i = 0; i < ARRAY_COUNT(symbols); i++) {
        what(&symbols[i].levels, seq);
        what(&symbols[i].trades, seq);
        what(&symbols[i].prices, seq);
        what(&symbols[i].receipts, seq);
    }
    for (uint32_t i = 0; i < 2 * CLIENTS; i++) {
        struct account_truth *account = &accounts[i / CLIENTS][i % CLIENTS];
        what(&account->orders, seq);
        what(&account->fills, seq);
        what(&account->balances, seq);
        what(&account->positions, seq);
        what(&account->units, seq);
    }
    what(&batches, seq);
}

static void forget(struct rows *rows, uint64_t seq)
{
    (void)seq;
    rows->count = 0;
}

static void keep(struct rows *rows, uint64_t seq) { rows->count = rows_behind(rows, seq); }

static bool is_kept;

void truth_begin(bool kept)
{
    each_rows(forget, 0);
    applied = 0;
    is_kept = kept;
}

bool truth_is_kept(void) { return is_kept; }

void truth_keep(uint64_t last_seq)
{
    each_rows(keep, last_seq);
    applied = min_u64(applied, last_seq);
}

struct symbol_truth *truth_symbol(uint8_t market, uint32_t symbol_id)
{
    uint32_t count = market == MARKET_PERPS ? TRUTH_PERPS : TRUTH_SPOT;

    if (symbol_id == 0 || symbol_id > count) return NULL;
    return &symbols[symbol_id - 1 + (market == MARKET_PERPS ? TRUTH_SPOT : 0)];
}

struct account_truth *truth_account(uint8_t market, uint64_t account_id)
{
    return account_id < CLIENT_ACCOUNT || account_id >= CLIENT_ACCOUNT + CLIENTS
             ? NULL
             : &accounts[market == MARKET_PERPS][account_id - CLIENT_ACCOUNT];
}

const struct rows *truth_batches(void) { return &batches; }

const struct batch_row *truth_batch_of(uint64_t seq)
{
    uint32_t i = seq == 0 ? 0 : rows_behind(&batches, seq - 1);

    return i < batches.count ? row_at(&batches, i) : NULL;
}

uint64_t truth_whole(void) { return batches.count == 0 ? 0 : row_seq(&batches, batches.count - 1); }

/* ---- what happens ---- */

/* The fills of the present command whose order has not been emitted yet. */
static struct {
    struct filled fill;
    int64_t       value;
} fills[FILLS_MAX];
static uint32_t      fill_count;
static struct traded last_trade;

static bool is_execution(uint8_t exec_type) { return exec_type == EXEC_PARTIALLY_FILLED || exec_type == EXEC_FILLED; }

/*
 * One row for each execution, counted back from the order's event after them; the last one is the order's own row when
 * it is the one that changed it.
 */
static void add_order(struct account_truth *account, uint64_t seq, const struct perps_order_changed *order)
{
    struct perps_order_changed now = *order;
    struct order_row          *row;
    uint32_t                   kept = 0, left = 0;

    for (uint32_t i = 0; i < fill_count; i++) {
        if (fills[i].fill.order_id != order->base.order_id) continue;
        left += 1;
        now.base.executed -= fills[i].fill.quantity;
        now.base.executed_value -= fills[i].value;
    }
    for (uint32_t i = 0; i < fill_count; i++) {
        if (fills[i].fill.order_id != order->base.order_id) {
            fills[kept++] = fills[i];
            continue;
        }
        now.base.executed += fills[i].fill.quantity;
        now.base.executed_value += fills[i].value;
        now.base.status = STATUS_PARTIALLY_FILLED;
        now.base.exec_type = EXEC_PARTIALLY_FILLED;
        left -= 1;
        row = ROW_ADD(&account->orders, order_row, seq);
        row->fill = fills[i].fill;
        row->is_state = left == 0 && is_execution(order->base.exec_type);
        row->order = row->is_state ? *order : now;
        if (row->is_state) now.base.order_id = 0;
    }
    fill_count = kept;
    if (now.base.order_id == 0) return;
    row = ROW_ADD(&account->orders, order_row, seq);
    row->order = *order;
    row->is_state = true;
}

static void add_position(struct account_truth *account, uint64_t seq, uint64_t id, uint32_t symbol_id, int64_t size)
{
    *ROW_ADD(&account->positions, position_row, seq) = (struct position_row){ seq, id, symbol_id, size };
}

/* Funding changes a position without an event of its size. */
static void add_funding(struct account_truth *account, uint64_t seq, const struct funded *funded)
{
    int64_t size = 0;

    for (uint32_t i = 0; i < account->positions.count; i++) {
        const struct position_row *row = row_at(&account->positions, i);
        if (row->id == funded->position_id) size = row->size;
    }
    add_position(account, seq, funded->position_id, funded->symbol_id, size);
}

static void add_fill(uint64_t seq, const struct filled *fill)
{
    struct account_truth *account = truth_account(fill->head.market, fill->account_id);

    if (account == NULL) return;
    ROW_ADD(&account->fills, fill_row, seq)->fill = *fill;
    assert(fill_count < FILLS_MAX);
    fills[fill_count].fill = *fill;
    fills[fill_count++].value = last_trade.trade_id == fill->trade_id ? last_trade.value : 0;
}

static void add_balance(uint64_t seq, const struct balance *balance)
{
    struct account_truth *account = truth_account(balance->head.market, balance->account_id);

    if (account != NULL)
        *ROW_ADD(&account->balances, balance_row, seq) =
            (struct balance_row){ seq, balance->coin_id, balance->total, balance->locked };
}

/* An order of either side in the form that has room for both. */
static void add_order_event(uint64_t seq, const struct event *event)
{
    const struct order_changed *base = (const void *)event;
    struct account_truth       *account = truth_account(event->market, base->account_id);
    struct perps_order_changed  order = { .base = *base };

    if (event->kind == EVENT_PERPS_ORDER) order = *(const struct perps_order_changed *)(const void *)event;
    if (account != NULL) add_order(account, seq, &order);
}

static struct index_composed composed[TRUTH_PERPS];

static void add_receipt(uint64_t seq, const struct liquidated *receipt)
{
    struct symbol_truth *symbol = truth_symbol(MARKET_PERPS, receipt->symbol_id);
    struct receipt_row  *row;

    if (symbol == NULL) return;
    row = ROW_ADD(&symbol->receipts, receipt_row, seq);
    row->receipt = *receipt;
    row->made = composed[receipt->symbol_id - 1];
}

static void add_composition(const struct index_composed *event)
{
    if (truth_symbol(MARKET_PERPS, event->symbol_id) != NULL) composed[event->symbol_id - 1] = *event;
}

static void add_of_symbol(uint64_t seq, const struct event *event)
{
    const struct level_changed *level = (const void *)event;
    const struct price_changed *price = (const void *)event;
    struct symbol_truth        *symbol;

    if (event->kind == EVENT_LEVEL && (symbol = truth_symbol(event->market, level->symbol_id)) != NULL)
        ROW_ADD(&symbol->levels, level_row, seq)->level = *level;
    if (event->kind == EVENT_PRICE && (symbol = truth_symbol(event->market, price->symbol_id)) != NULL)
        ROW_ADD(&symbol->prices, price_row, seq)->price = *price;
    if (event->kind != EVENT_TRADE) return;
    last_trade = *(const struct traded *)(const void *)event;
    symbol = truth_symbol(event->market, last_trade.symbol_id);
    if (symbol != NULL) ROW_ADD(&symbol->trades, trade_row, seq)->trade = last_trade;
}

static void add_of_perps(uint64_t seq, const struct event *event)
{
    const struct position_changed *position = (const void *)event;
    const struct funded           *funded = (const void *)event;
    const struct unit_stage       *unit = (const void *)event;
    struct account_truth          *account =
        truth_account(MARKET_PERPS, position->account_id); /* the first member of each of them */

    if (account == NULL) return;
    if (event->kind == EVENT_POSITION)
        add_position(account, seq, position->position_id, position->symbol_id, position->size);
    if (event->kind == EVENT_FUNDING) add_funding(account, seq, funded);
    if (event->kind == EVENT_UNIT && unit->stage != STAGE_HEALTHY)
        ROW_ADD(&account->units, told_unit, seq)->unit = *unit;
}

static void add_event(uint64_t seq, const struct event *event)
{
    switch (event->kind) {
    case EVENT_LEVEL:
    case EVENT_PRICE:
    case EVENT_TRADE: add_of_symbol(seq, event); break;
    case EVENT_FILL: add_fill(seq, (const void *)event); break;
    case EVENT_LIQUIDATION: add_receipt(seq, (const void *)event); break;
    case EVENT_INDEX_COMPOSED: add_composition((const void *)event); break;
    case EVENT_BALANCE: add_balance(seq, (const void *)event); break;
    case EVENT_ORDER:
    case EVENT_PERPS_ORDER: add_order_event(seq, event); break;
    case EVENT_POSITION:
    case EVENT_FUNDING:
    case EVENT_UNIT: add_of_perps(seq, event); break;
    default: break;
    }
}

/* The state before the first command; emitted once. */
void truth_genesis(const struct events *events)
{
    if (batches.count != 0) return;
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event))
        add_event(0, event);
    *ROW_ADD(&batches, batch_row, 0) = (struct batch_row){ 0 };
}

static int64_t applied_ms;

/* Again, when a log is read: that it is the same again is looked at elsewhere (client.c). */
void truth_applied(const struct command *command, const struct events *events)
{
    if (command->seq <= applied) return;
    applied = command->seq;
    applied_ms = command->time_ms;
    fill_count = 0;
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event))
        add_event(command->seq, event);
}

void truth_batch_ends(const uint64_t *height)
{
    const struct batch_row *last = batches.count == 0 ? NULL : row_at(&batches, batches.count - 1);
    uint64_t                before = last == NULL ? 0 : last->height, seq = ledger_last_seq();

    if (last != NULL && last->seq >= seq) return;
    assert(seq == applied);
    *ROW_ADD(&batches, batch_row, seq) = (struct batch_row){ seq, height != NULL ? *height : before, applied_ms };
}

/* ---- a book ---- */

void ladder_clear(struct ladder *ladder) { memset(ladder, 0, sizeof(*ladder)); }

void ladder_set(struct ladder *ladder, bool asks, int64_t price, int64_t quantity)
{
    struct truth_level *levels = ladder->levels[asks];
    uint32_t           *count = &ladder->count[asks], i = 0;

    while (i < *count && (asks ? levels[i].price < price : levels[i].price > price)) i++;
    if (i < *count && levels[i].price == price) {
        levels[i].quantity = quantity;
        if (quantity != 0) return;
        memmove(&levels[i], &levels[i + 1], (--*count - i) * sizeof(*levels));
    } else if (quantity != 0 && *count < TRUTH_LEVELS) {
        memmove(&levels[i + 1], &levels[i], ((*count)++ - i) * sizeof(*levels));
        levels[i] = (struct truth_level){ price, quantity };
    }
}

bool ladder_reach(struct ladder *ladder, const struct rows *levels, uint64_t update_id)
{
    while (ladder->update_id < update_id && ladder->row < levels->count) {
        const struct level_changed *level = &((const struct level_row *)row_at(levels, ladder->row++))->level;
        ladder_set(ladder, level->side == SIDE_SELL, level->price, level->quantity);
        ladder->update_id = level->update_id;
    }
    return ladder->update_id == update_id;
}

bool ladder_equal(const struct ladder *a, const struct ladder *b, uint32_t most)
{
    for (int side = 0; side < 2; side++) {
        uint32_t count = min_u32(a->count[side], most);
        if (count != min_u32(b->count[side], most)) return false;
        if (memcmp(a->levels[side], b->levels[side], count * sizeof(struct truth_level)) != 0) return false;
    }
    return true;
}

/* ---- an account ---- */

static void stand_order(struct standing *standing, const struct perps_order_changed *order)
{
    uint32_t i = 0;

    while (i < standing->open_count && standing->open[i].base.order_id != order->base.order_id) i++;
    if (status_is_open(order->base.status)) {
        assert(i < TRUTH_ORDERS);
        standing->open[i] = *order;
        standing->open_count += i == standing->open_count;
    } else if (i < standing->open_count) {
        memmove(&standing->open[i], &standing->open[i + 1], (--standing->open_count - i) * sizeof(standing->open[0]));
    }
}

void standing_reach(struct standing *standing, const struct account_truth *account, uint64_t seq)
{
    for (; standing->balance < account->balances.count && row_seq(&account->balances, standing->balance) <= seq;
         standing->balance++) {
        const struct balance_row *row = row_at(&account->balances, standing->balance);
        assert(row->coin_id < TRUTH_COINS);
        standing->coins[row->coin_id].held = true;
        standing->coins[row->coin_id].total = row->total;
        standing->coins[row->coin_id].locked = row->locked;
    }
    for (; standing->order < account->orders.count && row_seq(&account->orders, standing->order) <= seq;
         standing->order++) {
        const struct order_row *row = row_at(&account->orders, standing->order);
        if (row->is_state) stand_order(standing, &row->order);
    }
    for (; standing->position < account->positions.count && row_seq(&account->positions, standing->position) <= seq;
         standing->position++) {
        const struct position_row *row = row_at(&account->positions, standing->position);
        assert(row->symbol_id >= 1 && row->symbol_id <= TRUTH_PERPS);
        standing->positions[row->symbol_id - 1].id = row->id;
        standing->positions[row->symbol_id - 1].size = row->size;
    }
    standing->seq = seq;
}
