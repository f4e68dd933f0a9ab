/* SPDX-License-Identifier: MIT */
/* received_market.c — books, prices and trades: public messages. */
#include "received_inside.h"

#include "model/genesis.h"

#define TRADES_SHOWN 50
#define BOOK_SHOWN   20

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
    return load_side(book, true, json_member(data, "a"), symbol)
        && load_side(book, false, json_member(data, "b"), symbol);
}

/* A book in a message is that of the end of a batch; its update id determines which. */
static bool reach_book(struct received *received, struct ladder *at, const struct rows *levels, uint64_t update_id,
                       struct slice data)
{
    const struct batch_row *batch;

    if (!ladder_reach(at, levels, update_id)) {
        received_wrong(received, update_id < at->update_id ? "goes back" : "told of what has not happened", data);
        return false;
    }
    batch = at->row == 0 ? NULL : truth_batch_of(row_seq(levels, at->row - 1));
    if (at->row != 0 && (batch == NULL || (at->row < levels->count && row_seq(levels, at->row) <= batch->seq))) {
        received_wrong(received, "shows half a batch", data);
        return false;
    }
    if (at->row != 0) was_received(row_seq(levels, at->row - 1));
    return true;
}

void judge_l4(struct received *received, struct slice data, bool snapshot)
{
    const struct rows *levels = &truth_symbol(received->market, received->symbol_id)->levels;
    bool               follows = json_number(data, "U") == received->book.update_id + 1;

    if (snapshot) ladder_clear(&received->book);
    if (snapshot ? json_member(data, "U").at != NULL : !follows) {
        received_wrong(received, "U is not what comes next", data);
        return;
    }
    if (!load_book(&received->book, data, row_of(received->market, received->symbol_id)))
        received_wrong(received, "is no book", data);
    received->book.update_id = json_number(data, "u");
    if (reach_book(received, &received->at[0], levels, json_number(data, "u"), data)
        && !ladder_equal(&received->book, &received->at[0], received->level))
        received_wrong(received, "is not the book", data);
    if (received->book.count[0] > received->level || received->book.count[1] > received->level)
        received_wrong(received, "has too many levels", data);
    received->begun = true;
}

static bool book_is_whole(const struct received *received, uint64_t seq)
{
    const struct rows *levels = &truth_symbol(received->market, received->symbol_id)->levels;

    return received->begun && received->at[0].row >= rows_behind(levels, seq);
}

bool l4_is_whole(struct received *received, uint64_t seq) { return book_is_whole(received, seq); }
bool l2_is_whole(struct received *received, uint64_t seq)
{
    return received->pace_ms > 1000 || book_is_whole(received, seq);
}

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

void judge_l2(struct received *received, struct slice data, bool snapshot)
{
    static struct ladder shown, merged;
    const struct rows   *levels = &truth_symbol(received->market, received->symbol_id)->levels;

    ladder_clear(&shown);
    ladder_clear(&merged);
    if (!snapshot) received_wrong(received, "is no snapshot", data);
    if (!load_book(&shown, data, row_of(received->market, received->symbol_id)))
        received_wrong(received, "is no book", data);
    if (!reach_book(received, &received->at[0], levels, json_number(data, "u"), data)) return;
    merge_side(&received->at[0], &merged, false, max_i64(1, received->tick));
    merge_side(&received->at[0], &merged, true, max_i64(1, received->tick));
    if (shown.count[0] > BOOK_SHOWN || shown.count[1] > BOOK_SHOWN || !ladder_equal(&shown, &merged, BOOK_SHOWN))
        received_wrong(received, "is not the book", data);
    received->begun = true;
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

void judge_best(struct received *received, struct slice data, bool snapshot)
{
    const char  *at = NULL;
    struct slice item;

    while (json_item(data, &at, &item)) {
        uint32_t                 id = received_symbol(received->market, json_text(item, "s"));
        const struct symbol_row *symbol = row_of(received->market, id);
        struct ladder           *now;
        struct truth_level       bid, ask;

        if (symbol == NULL || (received->symbol_id != 0 && id != received->symbol_id)) {
            received_wrong(received, "is another symbol", item);
            return;
        }
        now = &received->at[id - 1];
        if (!reach_book(received, now, &truth_symbol(received->market, id)->levels, json_number(item, "u"), item))
            return;
        bid = best_of(now, false);
        ask = best_of(now, true);
        if (!says(item, "b", bid.price, symbol->price_digits) || !says(item, "B", bid.quantity, symbol->quantity_digits)
            || !says(item, "a", ask.price, symbol->price_digits)
            || !says(item, "A", ask.quantity, symbol->quantity_digits))
            received_wrong(received, "is not the best", item);
        if (!snapshot && !received->begun) received_wrong(received, "begins without a snapshot", item);
        received->best_received[id - 1] = true;
    }
    received->begun = true;
}

bool best_is_whole(struct received *received, uint64_t seq)
{
    static struct ladder then;
    uint32_t first = received->symbol_id != 0 ? received->symbol_id : 1, last = received->symbol_id != 0 ? first
                                                                              : received->market == MARKET_PERPS
                                                                                  ? TRUTH_PERPS
                                                                                  : TRUTH_SPOT;

    for (uint32_t id = first; id <= last; id++) {
        const struct rows *levels = &truth_symbol(received->market, id)->levels;
        uint32_t           count = rows_behind(levels, seq);

        then = received->at[id - 1];
        if (then.row < count)
            (void)ladder_reach(&then, levels, ((const struct level_row *)row_at(levels, count - 1))->level.update_id);
        if (!received->best_received[id - 1] || !same_best(&then, &received->at[id - 1])) return false;
    }
    return true;
}

/* ---- prices ---- */

static bool same_price(const struct price_changed *price, struct slice item, const struct symbol_row *symbol)
{
    return says(item, "oi", price->open_interest, symbol->quantity_digits)
        && says(item, "p", price->mark, symbol->price_digits) && says(item, "i", price->index, symbol->price_digits)
        && says(item, "r", price->funding_rate, FUNDING_DECIMALS)
        && json_number(item, "T") == (uint64_t)price->next_funding_ms;
}

void judge_mark(struct received *received, struct slice data, bool snapshot)
{
    const struct rows         *prices = &truth_symbol(MARKET_PERPS, 1)->prices;
    const struct price_changed none = { .symbol_id = 1 };
    const char                *at = NULL;
    struct slice               item;
    uint32_t                   i = received->next;

    if (!json_item(data, &at, &item) || received_symbol(MARKET_PERPS, json_text(item, "s")) != 1) {
        received_wrong(received, "is not the symbol", data);
        return;
    }
    if (!snapshot && !received->begun) received_wrong(received, "begins without a snapshot", item);
    received->begun = true;
    if (i == 0 && same_price(&none, item, row_of(MARKET_PERPS, 1))) return; /* no feeder has posted yet */
    for (i = i == 0 ? 0 : i - 1; i < prices->count; i++)
        if (same_price(&((const struct price_row *)row_at(prices, i))->price, item, row_of(MARKET_PERPS, 1))) break;
    if (i == prices->count) {
        received_wrong(received, "was never the price, or goes back", item);
        return;
    }
    was_received(row_seq(prices, i));
    received->next = i + 1;
}

/* Compares the members of a message: the state of the oracle is not among them. */
static bool same_prices(const struct price_row *a, const struct price_row *b)
{
    return a->price.open_interest == b->price.open_interest && a->price.mark == b->price.mark
        && a->price.index == b->price.index && a->price.funding_rate == b->price.funding_rate
        && a->price.next_funding_ms == b->price.next_funding_ms;
}

/* The same prices may occur twice, so only the values are compared, not which of them it was. */
bool mark_is_whole(struct received *received, uint64_t seq)
{
    const struct rows *prices = &truth_symbol(MARKET_PERPS, 1)->prices;
    uint32_t           last = rows_behind(prices, seq);

    if (!received->begun || last == 0) return received->begun;
    for (uint32_t i = last - 1; i < prices->count && received->next != 0; i++)
        if (same_prices(row_at(prices, i), row_at(prices, received->next - 1))) return true;
    return false;
}

/* ---- trades ---- */

static bool same_trade(const struct received *received, const void *row, struct slice data)
{
    const struct traded     *trade = &((const struct trade_row *)row)->trade;
    const struct symbol_row *symbol = row_of(received->market, received->symbol_id);

    return json_number(data, "t") == trade->trade_id && json_number(data, "T") == (uint64_t)trade->time_ms
        && slice_is(json_text(data, "s"), symbol->name) && says_name(data, "S", side_names, trade->taker_side)
        && says(data, "p", trade->price, symbol->price_digits)
        && says(data, "q", trade->quantity, symbol->quantity_digits)
        && json_number(data, "bi") == trade->buyer_account_id
        && (json_member(data, "self").at != NULL) == (trade->self != 0)
        && json_number(data, "si") == trade->seller_account_id;
}

/* The newest ones, newest first, without a gap; no message before had a later one. */
static void judge_newest(struct received *received, const struct rows *trades, struct slice data)
{
    uint32_t     count = json_count(data), end = trades->count, i, held;
    const char  *at = NULL;
    struct slice item;

    if (count != 0 && json_item(data, &at, &item))
        while (end > 0 && ((const struct trade_row *)row_at(trades, end - 1))->trade.trade_id != json_number(item, "t"))
            end--;
    else end = received->begun ? received->next : 0;
    i = end;
    at = NULL;
    while (json_item(data, &at, &item)) {
        if (i == 0 || !same_trade(received, row_at(trades, i - 1), item)) {
            received_wrong(received, "is not the newest trades", item);
            return;
        }
        i -= 1;
    }
    held = min_u32(TRADES_SHOWN, end);
    if (count > TRADES_SHOWN || count + (trades->count - end) < held)
        received_wrong(received, "leaves trades out of a snapshot", data);
    if (received->begun ? end < received->next : end < rows_behind(trades, received->asked_seq))
        received_wrong(received, "goes back", data);
    if (end != 0) was_received(row_seq(trades, end - 1));
    received->next = end;
    received->begun = true;
}

bool received_may_be_empty(const struct received *received)
{
    if (received->symbol_id == 0) return false;
    if (strcmp(received->channel->name, "liquidation") == 0)
        return !received->begun || received->next == 0; /* the snapshot of a symbol without receipts */
    return received->begun
             ? received->next == 0
             : rows_behind(&truth_symbol(received->market, received->symbol_id)->trades, received->asked_seq) == 0;
}

void judge_trades(struct received *received, struct slice data, bool snapshot)
{
    const struct rows *trades = &truth_symbol(received->market, received->symbol_id)->trades;
    const char        *at = NULL;
    struct slice       item;

    if (snapshot) {
        judge_newest(received, trades, data);
        return;
    }
    if (!received->begun) received_wrong(received, "begins without a snapshot", data);
    while (json_item(data, &at, &item)) judge_row(received, trades, item, same_trade, NULL);
}

bool trades_are_whole(struct received *received, uint64_t seq)
{
    return received->begun
        && rows_are_whole(received, &truth_symbol(received->market, received->symbol_id)->trades, NULL, seq);
}

/* ---- reads ---- */

void judge_read_book(struct received *received, struct slice data)
{
    static struct ladder     shown;
    const struct symbol_row *symbol = row_of(received->market, received->symbol_id);
    const struct rows       *levels = &truth_symbol(received->market, received->symbol_id)->levels;

    ladder_clear(&shown);
    if (!load_side(&shown, true, json_member(data, "asks"), symbol)
        || !load_side(&shown, false, json_member(data, "bids"), symbol))
        received_wrong(received, "is no book", data);
    if (!reach_book(received, &received->at[0], levels, json_number(data, "updateID"), data)) return;
    if (received->at[0].row < rows_behind(levels, received->floor_seq))
        received_wrong(received, "is older than what was told before it was asked for", data);
    if (shown.count[0] > received->level || shown.count[1] > received->level
        || !ladder_equal(&shown, &received->at[0], received->level))
        received_wrong(received, "is not the book", data);
}
