/* SPDX-License-Identifier: MIT */
#include "told.h"

#include "client.h"
#include "model/enums.h"
#include "model/genesis.h"
#include "wire/json.h"

#define COIN_DIGITS  6                  /* of what is paid in: vUSDC */
#define TRADES_SHOWN 50
#define BOOK_SHOWN   20
#define STATE_ORDERS 100                /* of a perps state          */

/* The symbols of the world (venue.c). */
static const struct symbol_row { uint8_t market; uint32_t id; const char *name; uint32_t price_digits, quantity_digits; } symbol_rows[] = {
    { MARKET_SPOT, 1, "vBTC_vUSDC", 1, 5 }, { MARKET_SPOT, 2, "vETH_vUSDC", 2, 4 }, { MARKET_PERPS, 1, "BTC-USD", 1, 5 },
};
static const uint32_t coin_digits[TRUTH_COINS] = { COIN_DIGITS, 8, 8 };

static uint64_t last_told;

static struct told readers[CLIENTS][TOLD_READS];

uint64_t told_seq(void) { return last_told; }

/* Who read what is gone again begins anew. */
void told_keep(uint64_t seq)
{
    if (seq < last_told) memset(readers, 0, sizeof(readers));
    last_told = min_u64(last_told, seq);
}

static void was_told(uint64_t seq) { last_told = max_u64(last_told, seq); }

static const struct symbol_row *row_of(uint8_t market, uint32_t id)
{
    for (size_t i = 0; i < ARRAY_COUNT(symbol_rows); i++)
        if (symbol_rows[i].market == market && symbol_rows[i].id == id) return &symbol_rows[i];
    return NULL;
}

const char *told_symbol_name(uint8_t market, uint32_t symbol_id)
{
    const struct symbol_row *row = row_of(market, symbol_id);

    return row != NULL ? row->name : "none";
}

uint32_t told_symbol(uint8_t market, struct slice name)
{
    for (size_t i = 0; i < ARRAY_COUNT(symbol_rows); i++)
        if (symbol_rows[i].market == market && slice_is(name, symbol_rows[i].name)) return symbol_rows[i].id;
    return 0;
}

static void wrong(const struct told *told, const char *what, struct slice data)
{
    world_wrong("%s (%s, account %lu): %s: %.*s", told->channel->name, told_symbol_name(told->market, told->symbol_id), (unsigned long)told->account_id, what,
                (int)min_size(data.len, 200), data.at);
}

/* ---- JSON ---- */

struct slice json_member(struct slice object, const char *key)
{
    struct scan  scan = { object.at, object.at + object.len };
    struct slice name, none = { NULL, 0 };
    bool         escaped;

    if (!scan_char(&scan, '{')) return none;
    while (scan_string(&scan, &name, &escaped) && scan_char(&scan, ':')) {
        const char *from = scan.at;
        if (!scan_value(&scan, 8, false)) return none;
        if (slice_is(name, key)) return slice_make(from, (size_t)(scan.at - from));
        if (!scan_char(&scan, ',')) return none;
    }
    return none;
}

bool json_item(struct slice array, const char **at, struct slice *item)
{
    struct scan scan = { *at == NULL ? array.at : *at, array.at + array.len };

    if (array.len == 0 || !scan_char(&scan, *at == NULL ? '[' : ',') || scan_is(&scan, ']')) return false;
    item->at = scan.at;
    if (!scan_value(&scan, 8, false)) return false;
    item->len = (size_t)(scan.at - item->at);
    *at = scan.at;
    return true;
}

struct slice json_text(struct slice object, const char *key)
{
    struct slice value = json_member(object, key);

    if (value.len < 2 || value.at[0] != '"') return (struct slice){ NULL, 0 };
    return slice_make(value.at + 1, value.len - 2);
}

uint64_t json_number(struct slice object, const char *key)
{
    struct slice value = json_member(object, key);
    uint64_t     number = 0;

    if (value.len == 0 || value.len > 18) return UINT64_MAX;
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') return UINT64_MAX;
        number = number * 10 + (uint64_t)(value.at[i] - '0');
    }
    return number;
}

static uint32_t json_count(struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     count = 0;

    while (json_item(array, &at, &item)) count += 1;
    return count;
}

/* A decimal in quotes, in units of so many digits; false: it is none. */
static bool read_units(struct slice value, uint32_t digits, int64_t *units)
{
    bool     negative = value.len > 1 && value.at[1] == '-', point = false;
    uint32_t decimals = 0;

    *units = 0;
    if (value.len < 3 || value.at[0] != '"') return false;
    for (size_t i = negative ? 2 : 1; i + 1 < value.len; i++) {
        if (value.at[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (value.at[i] < '0' || value.at[i] > '9') return false;
        *units = *units * 10 + (value.at[i] - '0');
        decimals += point;
    }
    if (decimals > digits) return false;
    for (; decimals < digits; decimals++) *units *= 10;
    if (negative) *units = -*units;
    return true;
}

static bool says(struct slice object, const char *key, int64_t units, uint32_t digits)
{
    int64_t came;

    return read_units(json_member(object, key), digits, &came) && came == units;
}

static bool says_name(struct slice object, const char *key, const struct enum_name *names, uint8_t value)
{
    return slice_is(json_text(object, key), enum_name_of(names, value));
}

static bool says_bool(struct slice object, const char *key, bool value) { return slice_is(json_member(object, key), value ? "true" : "false"); }

/* ---- rows that are told one by one, none left out, none twice ---- */

typedef bool row_is_same(const struct told *told, const void *row, struct slice data);
typedef uint32_t row_symbol(const void *row);

static uint32_t next_wanted(const struct told *told, const struct rows *rows, row_symbol *symbol, uint32_t i)
{
    while (i < rows->count && symbol != NULL && told->symbol_id != 0 && symbol(row_at(rows, i)) != told->symbol_id) i++;
    return i;
}

/*
 * Where the first one stands is known within bounds: what happened before somebody subscribed is not told, and what happens
 * behind the acknowledgement is. From there on each follows the one before it.
 */
static void judge_row(struct told *told, const struct rows *rows, struct slice data, row_is_same *same, row_symbol *symbol)
{
    uint32_t i = next_wanted(told, rows, symbol, told->begun ? told->next : rows_behind(rows, told->asked_seq));
    uint32_t last = told->begun ? i : next_wanted(told, rows, symbol, rows_behind(rows, told->since_seq));

    while (i < last && !same(told, row_at(rows, i), data)) i = next_wanted(told, rows, symbol, i + 1);
    if (i >= rows->count) {
        wrong(told, "told of what has not happened", data);
    } else if (!same(told, row_at(rows, i), data)) {
        wrong(told, "is not what comes next", data);
    } else {
        was_told(row_seq(rows, i));
        told->next = i + 1;
        told->begun = true;
    }
}

static bool rows_are_whole(const struct told *told, const struct rows *rows, row_symbol *symbol, uint64_t seq)
{
    uint32_t i = next_wanted(told, rows, symbol, told->begun ? told->next : rows_behind(rows, told->since_seq));

    return i == rows->count || row_seq(rows, i) > seq;
}

/* ---- books ---- */

static bool load_side(struct ladder *book, bool asks, struct slice array, const struct symbol_row *symbol)
{
    const char  *at = NULL;
    struct slice level, part;

    while (json_item(array, &at, &level)) {
        const char *in = NULL;
        int64_t     price, quantity;
        if (!json_item(level, &in, &part) || !read_units(part, symbol->price_digits, &price)) return false;
        if (!json_item(level, &in, &part) || !read_units(part, symbol->quantity_digits, &quantity)) return false;
        ladder_set(book, asks, price, quantity);
    }
    return true;
}

static bool load_book(struct ladder *book, struct slice data, const struct symbol_row *symbol)
{
    return load_side(book, true, json_member(data, "a"), symbol) && load_side(book, false, json_member(data, "b"), symbol);
}

/* A book goes on to what it was when a batch had ended; its update id says which. */
static bool reach_book(struct told *told, struct ladder *at, const struct rows *levels, uint64_t update_id, struct slice data)
{
    const struct batch_row *batch;

    if (!ladder_reach(at, levels, update_id)) {
        wrong(told, update_id < at->update_id ? "goes back" : "told of what has not happened", data);
        return false;
    }
    batch = at->row == 0 ? NULL : truth_batch_of(row_seq(levels, at->row - 1));
    if (at->row != 0 && (batch == NULL || (at->row < levels->count && row_seq(levels, at->row) <= batch->seq))) {
        wrong(told, "shows half a batch", data);
        return false;
    }
    if (at->row != 0) was_told(row_seq(levels, at->row - 1));
    return true;
}

static void judge_l4(struct told *told, struct slice data, bool snapshot)
{
    const struct rows *levels = &truth_symbol(told->market, told->symbol_id)->levels;
    bool               follows = json_number(data, "U") == told->book.update_id + 1;

    if (snapshot) ladder_clear(&told->book);
    if (snapshot ? json_member(data, "U").at != NULL : !follows) {
        wrong(told, "U is not what comes next", data);
        return;
    }
    if (!load_book(&told->book, data, row_of(told->market, told->symbol_id))) wrong(told, "is no book", data);
    told->book.update_id = json_number(data, "u");
    if (reach_book(told, &told->at[0], levels, json_number(data, "u"), data) && !ladder_equal(&told->book, &told->at[0], told->level)) wrong(told, "is not the book", data);
    if (told->book.count[0] > told->level || told->book.count[1] > told->level) wrong(told, "has too many levels", data);
    told->begun = true;
}

static bool book_is_whole(const struct told *told, uint64_t seq)
{
    const struct rows *levels = &truth_symbol(told->market, told->symbol_id)->levels;

    return told->begun && told->at[0].row >= rows_behind(levels, seq);
}

static bool l4_is_whole(struct told *told, uint64_t seq) { return book_is_whole(told, seq); }
static bool l2_is_whole(struct told *told, uint64_t seq) { return told->pace_ms > 1000 || book_is_whole(told, seq); }

/* Levels merged to multiples of a tick: bids down, asks up. */
static void merge_side(const struct ladder *from, struct ladder *to, bool asks, int64_t tick)
{
    for (uint32_t i = 0; i < from->count[asks]; i++) {
        int64_t price = from->levels[asks][i].price, quantity = from->levels[asks][i].quantity;
        price = asks ? (price + tick - 1) / tick * tick : price / tick * tick;
        for (uint32_t k = 0; k < to->count[asks]; k++)
            if (to->levels[asks][k].price == price) quantity += to->levels[asks][k].quantity;
        ladder_set(to, asks, price, quantity);
    }
}

static void judge_l2(struct told *told, struct slice data, bool snapshot)
{
    static struct ladder shown, merged;
    const struct rows   *levels = &truth_symbol(told->market, told->symbol_id)->levels;

    ladder_clear(&shown);
    ladder_clear(&merged);
    if (!snapshot) wrong(told, "is no snapshot", data);
    if (!load_book(&shown, data, row_of(told->market, told->symbol_id))) wrong(told, "is no book", data);
    if (!reach_book(told, &told->at[0], levels, json_number(data, "u"), data)) return;
    merge_side(&told->at[0], &merged, false, max_i64(1, told->tick));
    merge_side(&told->at[0], &merged, true, max_i64(1, told->tick));
    if (shown.count[0] > BOOK_SHOWN || shown.count[1] > BOOK_SHOWN || !ladder_equal(&shown, &merged, BOOK_SHOWN)) wrong(told, "is not the book", data);
    told->begun = true;
}

static struct truth_level best_of(const struct ladder *ladder, bool asks)
{
    return ladder->count[asks] != 0 ? ladder->levels[asks][0] : (struct truth_level){ 0, 0 };
}

static bool same_best(const struct ladder *a, const struct ladder *b)
{
    for (int side = 0; side < 2; side++) {
        struct truth_level x = best_of(a, side), y = best_of(b, side);
        if (x.price != y.price || x.quantity != y.quantity) return false;
    }
    return true;
}

static void judge_best(struct told *told, struct slice data, bool snapshot)
{
    const char  *at = NULL;
    struct slice item;

    while (json_item(data, &at, &item)) {
        uint32_t                 id = told_symbol(told->market, json_text(item, "s"));
        const struct symbol_row *symbol = row_of(told->market, id);
        struct ladder           *now;
        struct truth_level       bid, ask;

        if (symbol == NULL || (told->symbol_id != 0 && id != told->symbol_id)) {
            wrong(told, "is another symbol", item);
            return;
        }
        now = &told->at[id - 1];
        if (!reach_book(told, now, &truth_symbol(told->market, id)->levels, json_number(item, "u"), item)) return;
        bid = best_of(now, false);
        ask = best_of(now, true);
        if (!says(item, "b", bid.price, symbol->price_digits) || !says(item, "B", bid.quantity, symbol->quantity_digits)
            || !says(item, "a", ask.price, symbol->price_digits) || !says(item, "A", ask.quantity, symbol->quantity_digits)) wrong(told, "is not the best", item);
        if (!snapshot && !told->begun) wrong(told, "begins without a snapshot", item);
        told->best_told[id - 1] = true;
    }
    told->begun = true;
}

static bool best_is_whole(struct told *told, uint64_t seq)
{
    static struct ladder then;
    uint32_t             first = told->symbol_id != 0 ? told->symbol_id : 1, last = told->symbol_id != 0 ? first : told->market == MARKET_PERPS ? TRUTH_PERPS : TRUTH_SPOT;

    for (uint32_t id = first; id <= last; id++) {
        const struct rows *levels = &truth_symbol(told->market, id)->levels;
        uint32_t           count = rows_behind(levels, seq);

        then = told->at[id - 1];
        if (then.row < count) (void)ladder_reach(&then, levels, ((const struct level_row *)row_at(levels, count - 1))->level.update_id);
        if (!told->best_told[id - 1] || !same_best(&then, &told->at[id - 1])) return false;
    }
    return true;
}

/* ---- prices ---- */

static bool same_price(const struct price_changed *price, struct slice item, const struct symbol_row *symbol)
{
    return says(item, "oi", price->open_interest, symbol->quantity_digits) && says(item, "p", price->mark, symbol->price_digits)
           && says(item, "i", price->index, symbol->price_digits) && says(item, "r", price->funding_rate, FUNDING_DECIMALS)
           && json_number(item, "T") == (uint64_t)price->next_funding_ms;
}

static void judge_mark(struct told *told, struct slice data, bool snapshot)
{
    const struct rows         *prices = &truth_symbol(MARKET_PERPS, 1)->prices;
    const struct price_changed none = { .symbol_id = 1 };
    const char                *at = NULL;
    struct slice               item;
    uint32_t                   i = told->next;

    if (!json_item(data, &at, &item) || told_symbol(MARKET_PERPS, json_text(item, "s")) != 1) {
        wrong(told, "is not the symbol", data);
        return;
    }
    if (!snapshot && !told->begun) wrong(told, "begins without a snapshot", item);
    told->begun = true;
    if (i == 0 && same_price(&none, item, row_of(MARKET_PERPS, 1))) return;             /* nobody has said anything yet */
    for (i = i == 0 ? 0 : i - 1; i < prices->count; i++)
        if (same_price(&((const struct price_row *)row_at(prices, i))->price, item, row_of(MARKET_PERPS, 1))) break;
    if (i == prices->count) {
        wrong(told, "was never the price, or goes back", item);
        return;
    }
    was_told(row_seq(prices, i));
    told->next = i + 1;
}

/* In what is told of them: the state of the oracle is not. */
static bool same_prices(const struct price_row *a, const struct price_row *b)
{
    return a->price.open_interest == b->price.open_interest && a->price.mark == b->price.mark && a->price.index == b->price.index
           && a->price.funding_rate == b->price.funding_rate && a->price.next_funding_ms == b->price.next_funding_ms;
}

/* The same prices may have come twice, so only what they are is compared, not which of them it was. */
static bool mark_is_whole(struct told *told, uint64_t seq)
{
    const struct rows *prices = &truth_symbol(MARKET_PERPS, 1)->prices;
    uint32_t           last = rows_behind(prices, seq);

    if (!told->begun || last == 0) return told->begun;
    for (uint32_t i = last - 1; i < prices->count && told->next != 0; i++)
        if (same_prices(row_at(prices, i), row_at(prices, told->next - 1))) return true;
    return false;
}

/* ---- trades ---- */

static bool same_trade(const struct told *told, const void *row, struct slice data)
{
    const struct traded     *trade = &((const struct trade_row *)row)->trade;
    const struct symbol_row *symbol = row_of(told->market, told->symbol_id);

    return json_number(data, "t") == trade->trade_id && json_number(data, "T") == (uint64_t)trade->time_ms && slice_is(json_text(data, "s"), symbol->name)
           && says_name(data, "S", side_names, trade->taker_side) && says(data, "p", trade->price, symbol->price_digits)
           && says(data, "q", trade->quantity, symbol->quantity_digits) && json_number(data, "bi") == trade->buyer_account_id
           && json_number(data, "si") == trade->seller_account_id;
}

/* The newest ones, newest first, without a hole; nothing that was told before is behind them. */
static void judge_newest(struct told *told, const struct rows *trades, struct slice data)
{
    uint32_t     count = json_count(data), end = trades->count, i, held;
    const char  *at = NULL;
    struct slice item;

    if (count != 0 && json_item(data, &at, &item))
        while (end > 0 && ((const struct trade_row *)row_at(trades, end - 1))->trade.trade_id != json_number(item, "t")) end--;
    else end = told->begun ? told->next : 0;
    i = end;
    at = NULL;
    while (json_item(data, &at, &item)) {
        if (i == 0 || !same_trade(told, row_at(trades, i - 1), item)) {
            wrong(told, "is not the newest trades", item);
            return;
        }
        i -= 1;
    }
    held = min_u32(TRADES_SHOWN, end);
    if (count > TRADES_SHOWN || count + (trades->count - end) < held) wrong(told, "leaves trades out of a snapshot", data);
    if (told->begun ? end < told->next : end < rows_behind(trades, told->asked_seq)) wrong(told, "goes back", data);
    if (end != 0) was_told(row_seq(trades, end - 1));
    told->next = end;
    told->begun = true;
}

bool told_may_be_empty(const struct told *told)
{
    if (told->symbol_id == 0) return false;
    return told->begun ? told->next == 0 : rows_behind(&truth_symbol(told->market, told->symbol_id)->trades, told->asked_seq) == 0;
}

static void judge_trades(struct told *told, struct slice data, bool snapshot)
{
    const struct rows *trades = &truth_symbol(told->market, told->symbol_id)->trades;
    const char        *at = NULL;
    struct slice       item;

    if (snapshot) {
        judge_newest(told, trades, data);
        return;
    }
    if (!told->begun) wrong(told, "begins without a snapshot", data);
    while (json_item(data, &at, &item)) judge_row(told, trades, item, same_trade, NULL);
}

static bool trades_are_whole(struct told *told, uint64_t seq)
{
    return told->begun && rows_are_whole(told, &truth_symbol(told->market, told->symbol_id)->trades, NULL, seq);
}

/* ---- accounts: orders and fills ---- */

static bool same_execution(struct slice data, const struct filled *fill, const struct symbol_row *symbol)
{
    if (fill->trade_id == 0) return json_member(data, "t").at == NULL && says(data, "l", 0, 0) && says(data, "L", 0, 0) && says(data, "n", 0, 0);
    return json_number(data, "t") == fill->trade_id && says(data, "l", fill->quantity, symbol->quantity_digits) && says(data, "L", fill->price, symbol->price_digits)
           && says(data, "n", fill->fee, coin_digits[fill->fee_coin_id]) && says_bool(data, "m", fill->is_maker);
}

static bool same_price_of(struct slice data, const struct order_changed *order, const struct symbol_row *symbol)
{
    return order->price == 0 ? slice_is(json_member(data, "p"), "null") : says(data, "p", order->price, symbol->price_digits);
}

/* What is said of an order wherever it is shown. */
static bool same_state(struct slice data, const struct order_changed *order, const struct symbol_row *symbol)
{
    uint32_t spent = order->side == SIDE_BUY ? COIN_DIGITS : coin_digits[symbol->id];

    return json_number(data, "i") == order->order_id && slice_is(json_text(data, "s"), symbol->name)
           && slice_equal(json_text(data, "c"), client_id_slice(&order->client_id)) && says_name(data, "S", side_names, order->side)
           && says_name(data, "o", order_type_names, order->type) && says_name(data, "f", time_in_force_names, order->time_in_force)
           && says_name(data, "X", order_status_names, order->status) && same_price_of(data, order, symbol)
           && says(data, "z", order->executed, symbol->quantity_digits) && says(data, "v", order->executed_value, COIN_DIGITS)
           && (symbol->market == MARKET_PERPS || says(data, "M", order->frozen, spent)) && json_number(data, "ct") == (uint64_t)order->created_ms
           && json_number(data, "ut") == (uint64_t)order->updated_ms;
}

static bool same_order(const struct told *told, const void *at, struct slice data)
{
    const struct order_row     *row = at;
    const struct order_changed *order = &row->order.base;
    const struct symbol_row    *symbol = row_of(told->market, order->symbol_id);
    uint8_t                     reason = status_is_open(order->status) ? (uint8_t)REASON_NONE : order->reason;

    return same_state(data, order, symbol) && same_execution(data, &row->fill, symbol) && says_name(data, "x", exec_type_names, order->exec_type)
           && (reason == REASON_NONE ? json_member(data, "r").at == NULL : says_name(data, "r", end_reason_names, reason));
}

static uint32_t order_symbol(const void *row) { return ((const struct order_row *)row)->order.base.symbol_id; }

static void judge_orders(struct told *told, struct slice data, bool snapshot)
{
    (void)snapshot;
    judge_row(told, &truth_account(told->market, told->account_id)->orders, data, same_order, order_symbol);
}

static bool orders_are_whole(struct told *told, uint64_t seq)
{
    return rows_are_whole(told, &truth_account(told->market, told->account_id)->orders, order_symbol, seq);
}

static bool same_fill(const struct told *told, const void *row, struct slice data)
{
    const struct filled     *fill = &((const struct fill_row *)row)->fill;
    const struct symbol_row *symbol = row_of(told->market, fill->symbol_id);

    return json_number(data, "t") == fill->trade_id && json_number(data, "i") == fill->order_id && json_number(data, "T") == (uint64_t)fill->time_ms
           && slice_is(json_text(data, "s"), symbol->name) && slice_equal(json_text(data, "c"), client_id_slice(&fill->client_id))
           && says_name(data, "S", side_names, fill->side) && says(data, "p", fill->price, symbol->price_digits)
           && says(data, "q", fill->quantity, symbol->quantity_digits) && says(data, "f", fill->fee, coin_digits[fill->fee_coin_id])
           && says_bool(data, "m", fill->is_maker);
}

static uint32_t fill_symbol(const void *row) { return ((const struct fill_row *)row)->fill.symbol_id; }

static void judge_fills(struct told *told, struct slice data, bool snapshot)
{
    (void)snapshot;
    judge_row(told, &truth_account(told->market, told->account_id)->fills, data, same_fill, fill_symbol);
}

static bool fills_are_whole(struct told *told, uint64_t seq)
{
    return rows_are_whole(told, &truth_account(told->market, told->account_id)->fills, fill_symbol, seq);
}

static bool same_unit(const struct told *told, const void *row, struct slice data)
{
    const struct unit_stage *unit = &((const struct unit_row *)row)->unit;

    (void)told;
    return json_number(data, "lid") == unit->liquidation_id && json_number(data, "aid") == unit->account_id && json_number(data, "E") == (uint64_t)unit->time_ms
           && says(data, "av", unit->equity, COIN_DIGITS) && says(data, "mm", unit->maintenance, COIN_DIGITS) && json_count(json_member(data, "P")) == unit->positions;
}

static void judge_units(struct told *told, struct slice data, bool snapshot)
{
    (void)snapshot;
    judge_row(told, &truth_account(MARKET_PERPS, told->account_id)->units, data, same_unit, NULL);
}

static bool units_are_whole(struct told *told, uint64_t seq) { return rows_are_whole(told, &truth_account(MARKET_PERPS, told->account_id)->units, NULL, seq); }

/* ---- accounts: what a batch changed ---- */

#define CHANGED_MAX 16

/* The last values that a batch gives; `first`: the first command of it that changed something. */
struct changes {
    uint64_t first;
    const struct batch_row *batch;
    struct { bool is; int64_t total, locked; } coins[TRUTH_COINS];
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
    if (position < account->positions.count) changes->first = min_u64(changes->first, row_seq(&account->positions, position));
    changes->batch = changes->first == UINT64_MAX ? NULL : truth_batch_of(changes->first);
    if (changes->batch == NULL) return false;
    for (; balance < account->balances.count && row_seq(&account->balances, balance) <= changes->batch->seq; balance++) {
        const struct balance_row *row = row_at(&account->balances, balance);
        changes->coin_count += !changes->coins[row->coin_id].is;
        changes->coins[row->coin_id].is = true;
        changes->coins[row->coin_id].total = row->total;
        changes->coins[row->coin_id].locked = row->locked;
    }
    for (; position < account->positions.count && row_seq(&account->positions, position) <= changes->batch->seq; position++)
        note_position(changes, ((const struct position_row *)row_at(&account->positions, position))->id);
    return true;
}

/* A position is told as it stands then: as the batch left it, or later. */
static bool position_may_be(const struct account_truth *account, uint64_t id, uint64_t seq, struct slice item)
{
    uint32_t from = rows_behind(&account->positions, seq);

    for (uint32_t i = account->positions.count; i-- > 0;) {
        const struct position_row *row = row_at(&account->positions, i);
        if (row->id != id) continue;
        if (says(item, "sz", row->size, symbol_rows[2].quantity_digits)) return true;
        if (i < from) return false;
    }
    return false;
}

static bool same_balances(const struct told *told, const struct changes *changes, struct slice array)
{
    const char  *at = NULL;
    struct slice item;

    while (json_item(array, &at, &item)) {
        uint64_t id = json_number(item, "i");
        if (id >= TRUTH_COINS || !changes->coins[id].is) return false;
        if (told->market == MARKET_PERPS ? !says(item, "wb", changes->coins[id].total, coin_digits[id])
                                         : !says(item, "t", changes->coins[id].total, coin_digits[id]) || !says(item, "l", changes->coins[id].locked, coin_digits[id])) return false;
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

/* `part`: who subscribed in the middle of a batch is told what came behind. */
static bool same_changes(const struct told *told, const struct changes *changes, bool part, struct slice data)
{
    const struct account_truth *account = truth_account(told->market, told->account_id);
    struct slice                balances = json_member(data, "B"), positions = json_member(data, "P");

    if (json_number(data, "h") != changes->batch->height || json_number(data, "T") != (uint64_t)changes->batch->time_ms) return false;
    if (!part && (json_count(balances) != changes->coin_count || json_count(positions) != changes->position_count)) return false;
    return same_balances(told, changes, balances) && same_positions(changes, account, positions);
}

static void judge_update(struct told *told, struct slice data, bool snapshot)
{
    const struct account_truth *account = truth_account(told->market, told->account_id);
    uint64_t                    behind = told->begun ? told->next_seq : told->asked_seq;
    struct changes              changes;

    (void)snapshot;
    for (;; behind = changes.batch->seq) {
        if (!find_changes(account, behind, &changes)) {
            wrong(told, "told of what has not happened", data);
            return;
        }
        if (same_changes(told, &changes, !told->begun && changes.first <= told->since_seq, data)) break;
        if (told->begun || changes.first > told->since_seq) {
            wrong(told, "is not what comes next", data);
            return;
        }
    }
    was_told(changes.batch->seq);
    told->next_seq = changes.batch->seq;
    told->begun = true;
}

static bool updates_are_whole(struct told *told, uint64_t seq)
{
    struct changes changes;

    return !find_changes(truth_account(told->market, told->account_id), told->begun ? told->next_seq : told->since_seq, &changes) || changes.first > seq;
}

/* ---- accounts: everything ---- */

static bool same_coins(const struct told *told, struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     held = 0;

    for (uint32_t id = 0; id < TRUTH_COINS; id++) held += told->standing.coins[id].held;
    if (json_count(array) != held) return false;
    while (json_item(array, &at, &item)) {
        uint64_t id = json_number(item, "i");
        if (id >= TRUTH_COINS || !told->standing.coins[id].held) return false;
        if (!says(item, told->market == MARKET_PERPS ? "wb" : "t", told->standing.coins[id].total, coin_digits[id])) return false;
        if (told->market == MARKET_SPOT && !says(item, "l", told->standing.coins[id].locked, coin_digits[id])) return false;
    }
    return true;
}

static bool same_open(const struct told *told, struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     most = told->market == MARKET_PERPS ? STATE_ORDERS : UINT32_MAX;

    if (json_count(array) != min_u32(most, told->standing.open_count)) return false;
    while (json_item(array, &at, &item)) {
        uint32_t i = 0;
        while (i < told->standing.open_count && told->standing.open[i].base.order_id != json_number(item, "i")) i++;
        if (i == told->standing.open_count) return false;
        if (!same_state(item, &told->standing.open[i].base, row_of(told->market, told->standing.open[i].base.symbol_id))) return false;
    }
    return true;
}

static bool same_held(const struct told *told, struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     open = told->standing.positions[0].size != 0;

    if (told->market == MARKET_SPOT) return true;
    if (json_count(array) != open) return false;
    return open == 0 || (json_item(array, &at, &item) && json_number(item, "i") == told->standing.positions[0].id
                         && says(item, "sz", told->standing.positions[0].size, symbol_rows[2].quantity_digits));
}

/* The state of one instant: the end of a block, or of a batch behind it that made none. */
static void judge_state(struct told *told, struct slice data, bool snapshot)
{
    const struct rows *batches = truth_batches();
    uint64_t           height = json_number(data, "blockHeight");

    if (!snapshot) wrong(told, "is no snapshot", data);
    for (uint32_t i = told->standing.seq == 0 ? 0 : rows_behind(batches, told->standing.seq - 1); i < batches->count; i++) {
        const struct batch_row *batch = row_at(batches, i);
        if (batch->height < height || batch->seq < told->floor_seq) continue;
        if (batch->height > height) break;
        standing_reach(&told->standing, truth_account(told->market, told->account_id), batch->seq);
        if (!same_coins(told, json_member(data, "B")) || !same_open(told, json_member(data, "O")) || !same_held(told, json_member(data, "P"))) continue;
        was_told(batch->seq);
        told->begun = true;
        return;
    }
    wrong(told, "was never so, or goes back", data);
}

static bool state_is_whole(struct told *told, uint64_t seq)
{
    const struct account_truth *account = truth_account(told->market, told->account_id);

    if (!told->begun) return false;
    if (told->pace_ms > 1000) return true;
    return told->standing.balance >= rows_behind(&account->balances, seq) && told->standing.order >= rows_behind(&account->orders, seq)
           && told->standing.position >= rows_behind(&account->positions, seq);
}

/* ---- reads ---- */

static const struct read_row { const char *before, *behind, *name; uint8_t market; uint32_t symbol_id, level; } read_rows[TOLD_READS] = {
    [TOLD_READ_BOOK]        = { "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=5", NULL, "a read of the book", MARKET_SPOT, 1, 5 },
    [TOLD_READ_PERPS_BOOK]  = { "/api/v1/perps/markets/BTC-USD/orderbook?limit=20", NULL, "a read of the book", MARKET_PERPS, 1, 20 },
    [TOLD_READ_STATE]       = { "/api/v1/spot/accounts/0x", "/state", "a read of the state", MARKET_SPOT, 0, 0 },
    [TOLD_READ_PERPS_STATE] = { "/api/v1/perps/accounts/0x", "/state", "a read of the state", MARKET_PERPS, 0, 0 },
};

void told_read_path(enum told_read read, const struct address *user, struct out *out)
{
    out_text(out, read_rows[read].before);
    if (read_rows[read].behind == NULL) return;
    out_hex(out, user->bytes, 20);
    out_text(out, read_rows[read].behind);
}

static void judge_read_book(struct told *told, struct slice data)
{
    static struct ladder     shown;
    const struct symbol_row *symbol = row_of(told->market, told->symbol_id);
    const struct rows       *levels = &truth_symbol(told->market, told->symbol_id)->levels;

    ladder_clear(&shown);
    if (!load_side(&shown, true, json_member(data, "asks"), symbol) || !load_side(&shown, false, json_member(data, "bids"), symbol)) wrong(told, "is no book", data);
    if (!reach_book(told, &told->at[0], levels, json_number(data, "updateID"), data)) return;
    if (told->at[0].row < rows_behind(levels, told->floor_seq)) wrong(told, "is older than what was told before it was asked for", data);
    if (shown.count[0] > told->level || shown.count[1] > told->level || !ladder_equal(&shown, &told->at[0], told->level)) wrong(told, "is not the book", data);
}

void told_read(enum told_read read, uint32_t client, struct slice body, uint64_t floor_seq)
{
    const struct read_row *row = &read_rows[read];
    struct told_channel    channel = { .name = row->name };
    struct told           *told = &readers[client][read];

    told->channel = &channel;
    told->market = row->market;
    told->symbol_id = row->symbol_id;
    told->level = row->level;
    told->account_id = CLIENT_ACCOUNT + client;
    told->floor_seq = floor_seq;
    if (row->level != 0) judge_read_book(told, json_member(body, "data"));
    else                 judge_state(told, json_member(body, "data"), true);
}

/* ---- what is only listened to ---- */

static void judge_nothing(struct told *told, struct slice data, bool snapshot)
{
    (void)data, (void)snapshot;
    told->begun = true;
}

#define PERPS 2
#define BOTH  3

const struct told_channel told_channels[] = {
    { "l4Book",             BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_l4,      l4_is_whole },
    { "l2Book",             BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_l2,      l2_is_whole },
    { "trade",              BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_trades,  trades_are_whole },
    { "bookTicker",         BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_best,    best_is_whole },
    { "allBookTicker",      BOTH,  TOLD_TAKES_NOTHING, true,  false, false, judge_best,    best_is_whole },
    { "markPrice",          PERPS, TOLD_TAKES_SYMBOL,  true,  false, true,  judge_mark,    mark_is_whole },
    { "allMarkPrice",       PERPS, TOLD_TAKES_NOTHING, true,  false, false, judge_mark,    mark_is_whole },
    { "ticker",             BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_nothing, NULL },
    { "allMiniTicker",      BOTH,  TOLD_TAKES_NOTHING, true,  false, false, judge_nothing, NULL },
    { "allCoinPrice",       PERPS, TOLD_TAKES_NOTHING, true,  false, false, judge_nothing, NULL },
    { "accountState",       BOTH,  TOLD_TAKES_USER,    true,  false, false, judge_state,   state_is_whole },
    { "accountUpdate",      BOTH,  TOLD_TAKES_USER,    false, true,  false, judge_update,  updates_are_whole },
    { "accountOrderUpdate", BOTH,  TOLD_TAKES_USER,    false, true,  false, judge_orders,  orders_are_whole },
    { "accountTrade",       BOTH,  TOLD_TAKES_USER,    false, true,  false, judge_fills,   fills_are_whole },
    { "accountEvent",       PERPS, TOLD_TAKES_USER,    false, true,  false, judge_units,   units_are_whole },
};
const uint32_t told_channel_count = ARRAY_COUNT(told_channels);
