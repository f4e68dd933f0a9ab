/* SPDX-License-Identifier: MIT */
/* market.c — reads that are about no account. */
#include "api/rest/kept.h"

const struct symbol *call_symbol(struct call *call, struct slice name)
{
    const struct symbol *symbol = views_symbol_by_name(call->api->shared->views, call->market, name);

    if (symbol == NULL) fail(&call->failure, REJECT_SYMBOL_NOT_FOUND, SLICE("symbol"), name);
    return symbol;
}

bool call_symbols(struct call *call, uint32_t *first, uint32_t *last)
{
    const struct name   *name = &call->query.symbol.symbol;
    const struct symbol *symbol;

    *first = 1;
    *last = views_symbol_count(call->api->shared->views, call->market);
    if (name->len == 0) return true;
    symbol = call_symbol(call, name_slice(name));
    if (symbol == NULL) return false;
    *first = *last = symbol->id;
    return true;
}

void call_symbol_rows(struct call *call, enum statistic kept, void (*row)(struct call *call, uint32_t id))
{
    struct statistic_key key = { .statistic = (uint8_t)kept, .market = call->market };
    uint64_t             version = views_version(call->api->shared->views);
    uint32_t             first, last;

    if (!call_symbols(call, &first, &last)) return;
    if (call->query.symbol.symbol.len != 0) key.symbol_id = first;
    answer_rows(call, &key, version, first, last + 1, row);
}

static void symbol_row(struct call *call, uint32_t id)
{
    const struct views       *views = call->api->shared->views;
    struct spot_symbol_record record;

    record_symbol(views, views_symbol(views, MARKET_SPOT, id), &record);
    call_row(call, &record);
}

void answer_symbols(struct call *call) { call_symbol_rows(call, KEPT_SYMBOLS, symbol_row); }

/* The coins a read is about, first … end - 1; false when there is none of the name. */
static bool call_coins(struct call *call, uint32_t *first, uint32_t *end)
{
    const struct views *views = call->api->shared->views;
    const struct name  *name = &call->query.coin.coin;
    const struct coin  *coin;

    *first = 0;
    *end = views_coin_count(views);
    if (name->len == 0) return true;
    coin = views_coin_by_name(views, name_slice(name));
    if (coin == NULL) {
        fail(&call->failure, REJECT_COIN_NOT_FOUND, SLICE("coin"), name_slice(name));
        return false;
    }
    *first = coin->id;
    *end = *first + 1;
    return true;
}

void call_coin_rows(struct call *call, void (*row)(struct call *call, uint32_t id))
{
    struct statistic_key key = { .statistic = KEPT_COINS, .market = call->market };
    uint32_t             first, end;

    if (!call_coins(call, &first, &end)) return;
    if (call->query.coin.coin.len != 0) key.symbol_id = end;
    answer_rows(call, &key, 0, first, end, row); /* coins are of the genesis: no version */
}

static void coin_row(struct call *call, uint32_t id)
{
    const struct coin *coin = views_coin(call->api->shared->views, id);

    call_row(call, &(struct spot_coin_record){ coin->id, coin->name, coin->precision });
}

void answer_coins(struct call *call) { call_coin_rows(call, coin_row); }

/* ---- order book, encoded at most once per change and thread ---- */

static struct list level_list(const struct view_level *levels, uint32_t count, const struct symbol *symbol,
                              struct level_record *records)
{
    for (uint32_t i = 0; i < count; i++) {
        records[i].price = decimal_plain(levels[i].price, symbol->price_precision);
        records[i].size = decimal_plain(levels[i].quantity, symbol->quantity_precision);
    }
    return (struct list){ records, count, 0 };
}

static void book_encode(struct api *api, const struct symbol *symbol, uint32_t limit, struct out *out)
{
    struct order_book_record record;
    struct view_book         book;

    views_book(api->shared->views, symbol->market, symbol->id, limit, api->levels[0], api->levels[1], &book);
    record = (struct order_book_record){
        .block_time = book.block.time_ms,
        .block_height = book.block.height,
        .update_id = book.update_id,
        .bids = level_list(api->levels[0], book.bid_count, symbol, api->level_records[0]),
        .asks = level_list(api->levels[1], book.ask_count, symbol, api->level_records[1]),
    };
    row_write(out, api->book_form, &record);
}

/*
 * The version is read before the book is copied: a slot's contents are never older than its version, so an answer is
 * never older than the last released reply (ruling 24).
 */
static struct book_slot *book_cached(struct api *api, const struct symbol *symbol, uint32_t limit)
{
    struct book_slot *slot = &api->books[(limit * 13 + symbol->id * 7) % BOOK_SLOTS];
    uint64_t          version = views_book_version(api->shared->views, symbol->market, symbol->id);
    struct out        out = out_make(slot->bytes, sizeof(slot->bytes) - 1); /* the end of the envelope */

    if (slot->epoch == api->books_epoch && slot->version == version && slot->limit == limit
        && slot->symbol_id == symbol->id && slot->market == symbol->market)
        return slot;
    book_encode(api, symbol, limit, &out);
    assert(!out.overflow);
    slot->epoch = api->books_epoch;
    slot->version = version;
    slot->limit = limit;
    slot->symbol_id = symbol->id;
    slot->market = symbol->market;
    slot->len = (uint32_t)out.len;
    return slot;
}

void answer_order_book(struct call *call)
{
    const struct symbol *symbol = call_symbol(call, call->parameter);
    struct book_slot    *slot;

    if (symbol == NULL) return;
    slot = book_cached(call->api, symbol, call->query.limit.limit);
    answer_kept(call, slot->bytes, slot->len);
}

void answer_trades(struct call *call)
{
    const struct views  *views = call->api->shared->views;
    const struct symbol *symbol = call_symbol(call, call->parameter);
    struct trade_record  record;
    uint32_t             count;

    if (symbol == NULL) return;
    count = views_trades(views, symbol->market, symbol->id, call->query.limit.limit, call->api->trades);
    call_rows_begin(call);
    for (uint32_t i = 0; i < count; i++) {
        record_trade(views, &call->api->trades[i], &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}

/* ---- the process ---- */

void answer_health(struct call *call) { call_record(call, &(struct health_record){ SLICE("ok") }); }

static void fail_old(struct call *call, int64_t age_ms)
{
    struct failure *failure = &call->failure;
    struct out      got = out_make(failure->got, sizeof(failure->got));

    out_i64(&got, (age_ms + 999) / 1000);
    out_literal(&got, " s");
    fail(failure, REJECT_BUSY, SLICE(""), out_slice(&got));
    failure->text = "this node has not been up to date for too long; what it shows may be old";
    failure->details.rule = SLICE("a node that hears from the log that it shares and keeps up with it");
    failure->details.need = SLICE("at most 30 s");
    static_assert(READY_AGE_MAX_MS == 30000, "said so");
}

void answer_ready(struct call *call)
{
    const struct api_node *node = call->api->shared->node;
    struct ready_record    record = { .status = SLICE("ok") };
    int64_t                age_ms = node != NULL ? node->age_ms(node->self) : 0;
    char                   leader[256];

    if (call->context->ready && age_ms > READY_AGE_MAX_MS) {
        fail_old(call, age_ms);
        return;
    }
    if (call->context->ready) {
        if (node != NULL) node->look(node->self, &record, leader);
        call_record(call, &record);
        return;
    }
    fail(&call->failure, REJECT_BUSY, SLICE(""), SLICE(""));
    call->failure.text = "not ready";
    call->failure.details.rule = SLICE("replay finished and log healthy");
}

void answer_version(struct call *call)
{
    const struct api_shared *shared = call->api->shared;

    call_record(call, &(struct version_record){ SLICE("dojima"), shared->version, shared->genesis->chain_ids[0] });
}
