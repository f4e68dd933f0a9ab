/* SPDX-License-Identifier: MIT */
/* histories.c — what is over, page by page: orders, trades,
   positions, fundings (rulings 19 to 21, 41, 42; wire 1.2, 1.4). */
#include <inttypes.h>

#include "ask.h"

/* A row of a history: its position, its filter keys, and the record. */
struct past_row {
    int64_t                  time_ms;
    uint64_t                 id, order_id, other_id;
    uint32_t                 symbol_id;
    const void              *record;
    uint8_t                  market;
    const struct adl_ranked *rank;
};

enum kind { HISTORY_OF_ORDERS, HISTORY_OF_TRADES, HISTORY_OF_POSITIONS, HISTORY_OF_FUNDINGS, HISTORY_OF_RECEIPTS };
#define EVERYBODY UINT64_MAX /* account of the list of all receipts */
/* clang-format off */
static const struct { const char *path, *other; uint32_t usual, most; bool continues; } lists[] = {
    [HISTORY_OF_ORDERS]    = { "orders/history",    NULL,         50,  500,  true },
    [HISTORY_OF_TRADES]    = { "trades",            "orderID",    100, 1000, true },
    [HISTORY_OF_POSITIONS] = { "positions/history", NULL,         50,  500,  true },
    [HISTORY_OF_FUNDINGS]  = { "fundings",          "positionID", 100, 1000, false },
    [HISTORY_OF_RECEIPTS]  = { "liquidations",      "liquidationID", 50, 200, true },
};
/* clang-format on */

/* All rows of an account, in no order; returns how many. The room is good until the next call. */
static uint32_t rows_of(const struct past *past, enum kind list, uint64_t account_id, uint8_t market,
                        const struct past_row **rows)
{
    static struct past_row *room;
    static uint32_t         room_count;
    uint32_t all = past->ended_count + past->fill_count + past->closed_count + past->funding_count + past->receipt_count
                 + past->rank_count,
             count = 0;

    if (all > room_count) room = realloc(room, (room_count = 2 * all) * sizeof(*room));
    *rows = room;
    for (uint32_t i = 0; list == HISTORY_OF_ORDERS && i < past->ended_count; i++) {
        const struct order_changed *o = &past->ended[i].is.base;
        if (o->account_id == account_id && past->ended[i].market == market)
            room[count++] =
                (struct past_row){ o->updated_ms, o->order_id, 0, 0, o->symbol_id, &past->ended[i], market, NULL };
    }
    for (uint32_t i = 0; list == HISTORY_OF_TRADES && i < past->fill_count; i++) {
        const struct filled *f = &past->fills[i];
        if (f->account_id == account_id && f->head.market == market)
            room[count++] =
                (struct past_row){ f->time_ms, f->trade_id, f->order_id, f->order_id, f->symbol_id, f, market, NULL };
    }
    for (uint32_t i = 0; list == HISTORY_OF_POSITIONS && i < past->closed_count; i++) {
        const struct position_changed *p = &past->closed[i];
        if (p->account_id == account_id)
            room[count++] = (struct past_row){ p->updated_ms, p->position_id, 0, 0, p->symbol_id, p, market, NULL };
    }
    for (uint32_t i = 0; list == HISTORY_OF_FUNDINGS && i < past->funding_count; i++) {
        const struct funded *f = &past->fundings[i];
        if (f->account_id == account_id)
            room[count++] =
                (struct past_row){ f->time_ms, f->position_id, 0, f->position_id, f->symbol_id, f, market, NULL };
    }
    for (uint32_t i = 0; list == HISTORY_OF_RECEIPTS && i < past->receipt_count; i++) {
        const struct kept_receipt *r = &past->receipts[i];
        struct past_row row = { r->is.time_ms, r->is.receipt_id, 0, r->is.liquidation_id, r->is.symbol_id, r, market,
                                NULL };

        if (account_id == EVERYBODY || r->is.account_id == account_id) room[count++] = row;
        for (uint32_t n = 0; account_id != EVERYBODY && n < r->is.candidates; n++) {
            row.rank = &past->ranks[r->first_rank + n];
            if (row.rank->account_id == account_id && row.rank->taken != 0) room[count++] = row;
        }
    }
    return count;
}

/* Newest first, ties by id; both sides of a trade with oneself by order. */
static bool stands_before(const struct past_row *a, const struct past_row *b)
{
    if (a->time_ms != b->time_ms && answers_planted != ANSWER_BUG_BY_ID) return a->time_ms > b->time_ms;
    return a->id != b->id ? a->id > b->id : a->order_id > b->order_id;
}

/* ---- records ---- */

static void put_reason(struct text *t, uint8_t reason)
{
    if (reason != REASON_NONE && answers_planted != ANSWER_BUG_REASON)
        word(t, "reason", enum_name_of(end_reason_names, reason));
}

static void put_incident(struct text *t, uint64_t number)
{
    if (number != 0) count_of(t, "liquidationID", number);
}

static void put_ended(struct text *t, const struct twin *twin, const struct ended *ended)
{
    const struct order_changed *o = &ended->is.base;
    const struct symbol        *s = symbol_of(twin, ended->market, o->symbol_id);
    struct spelling             full = { false };

    put_order_begin(t, s, o, full);
    put_order_numbers(t, twin, s, o, 0, 0, full); /* an ended order holds nothing */
    if (ended->market == MARKET_PERPS) {
        word(t, "positionSide", "BOTH");
        flag(t, "reduceOnly", ended->is.reduce_only != 0);
        word(t, "modifier", enum_name_of(order_modifier_names, ended->is.modifier));
        put_stop(t, s, &ended->is, full);
    }
    put_times(t, o, full);
    put_reason(t, o->reason);
}

static void put_fill(struct text *t, const struct twin *twin, const struct filled *f)
{
    const struct symbol *s = symbol_of(twin, f->head.market, f->symbol_id);
    const struct coin   *coin = &twin->genesis.coins[f->fee_coin_id];

    named(t, "symbol", &s->name);
    count_of(t, "tradeID", f->trade_id);
    count_of(t, "orderID", f->order_id);
    client(t, "clOrdID", &f->client_id);
    word(t, "side", f->side == SIDE_BUY ? "BUY" : "SELL");
    amount(t, "price", f->price, s->price_precision);
    amount(t, "quantity", f->quantity, s->quantity_precision);
    amount(t, "fee", answers_planted == ANSWER_BUG_FEE && f->fee < 0 ? -f->fee : f->fee, coin->precision);
    named(t, "feeCoin", &coin->name);
    number(t, "time", f->time_ms);
    flag(t, "isMaker", f->is_maker != 0);
    put_reason(t, f->reason);
    if (f->self) flag(t, "self", true);
    put_incident(t, answers_planted == ANSWER_BUG_INCIDENT ? 0 : f->liquidation_id);
}

/* Averages of a closed position are over all that was opened and closed; values that depend on a mark are zero. */
static void put_closed(struct text *t, const struct twin *twin, const struct position_changed *p)
{
    const struct symbol *s = symbol_of(twin, MARKET_PERPS, p->symbol_id);
    uint32_t             q = s->quantity_precision, n = quote_of(twin, s)->precision, a = s->price_precision + 4;
    int128_t entry = answers_planted == ANSWER_BUG_CLOSED ? 0 : average(twin, s, p->open_value, p->closed_size);

    count_of(t, "id", p->position_id);
    named(t, "symbol", &s->name);
    word(t, "marginMode", p->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
    word(t, "side", "BOTH");
    word(t, "positionSide", "BOTH");
    amount(t, "size", 0, 0);
    amount(t, "initialMargin", 0, 0);
    amount(t, "avgEntryPrice", entry, a);
    amount(t, "cumOpenCost", p->open_value, n);
    amount(t, "cumTradingFee", p->fees, n);
    amount(t, "cumClosedSize", p->closed_size, q);
    amount(t, "avgClosePrice", average(twin, s, p->close_value, p->closed_size), a);
    amount(t, "maxSize", p->max_size, q);
    amount(t, "realizedPnL", p->realized, n);
    number(t, "leverage", p->leverage);
    flag(t, "active", false);
    flag(t, "isTakenOver", p->taken_over != 0);
    amount(t, "takeOverPrice", p->take_over_price, s->price_precision);
    number(t, "createdAt", p->created_ms);
    number(t, "updatedAt", p->updated_ms);
    number(t, "symbolID", s->id);
    count_of(t, "accountID", p->account_id);
    amount(t, "quantity", 0, 0);
    amount(t, "entryPrice", entry, a);
    amount(t, "markPrice", 0, 0);
    amount(t, "liquidationPrice", 0, 0);
    amount(t, "unrealizedPnl", 0, 0);
    amount(t, "margin", 0, 0);
    put_reason(t, p->reason);
    put_incident(t, p->liquidation_id);
}

static void put_funding(struct text *t, const struct twin *twin, const struct funded *f)
{
    const struct coin *coin = &twin->genesis.coins[COIN_MARGIN];

    named(t, "symbol", &symbol_of(twin, MARKET_PERPS, f->symbol_id)->name);
    count_of(t, "positionID", f->position_id);
    word(t, "positionSide", "BOTH");
    amount(t, "fundingFee", answers_planted == ANSWER_BUG_FUNDING ? -f->payment : f->payment, coin->precision);
    named(t, "feeCoin", &coin->name);
    number(t, "timestamp", f->time_ms);
    amount(t, "fundingRate", f->rate, 12);
}

static void put_row(struct text *t, const struct twin *twin, enum kind list, const struct past_row *row,
                    uint64_t account_id)
{
    open_object(t);
    switch (list) {
    case HISTORY_OF_ORDERS: put_ended(t, twin, row->record); break;
    case HISTORY_OF_TRADES: put_fill(t, twin, row->record); break;
    case HISTORY_OF_RECEIPTS:
        put_receipt(t, twin, row->record, row->rank, account_id == EVERYBODY ? 0 : account_id);
        break;
    case HISTORY_OF_POSITIONS: put_closed(t, twin, row->record); break;
    default: put_funding(t, twin, row->record); break;
    }
    close_object(t);
}

/* ---- a page ---- */

/* The page that the parameters mean. */
struct page {
    uint64_t account_id, other_id, from_id, start, end;
    uint32_t symbol_id, limit;
    bool     has_end;
    uint8_t  market;
};

/*
 * A page continues behind fromID; where the list has no such id, it begins with the next smaller one, `from`. A trade's
 * rank is its id.
 */
static bool is_behind(const struct past_row *row, const struct past_row *from, const struct page *page, enum kind list)
{
    bool too = answers_planted == ANSWER_BUG_FROM && row->id == page->from_id;

    if (page->from_id == 0 || !lists[list].continues) return true;
    if (list == HISTORY_OF_TRADES) return too || row->id < page->from_id;
    if (from == NULL) return false;
    return too || stands_before(from, row) || (row == from && from->id != page->from_id);
}

static bool is_on(const struct past_row *row, const struct page *page)
{
    bool ended =
        answers_planted == ANSWER_BUG_END ? (uint64_t)row->time_ms >= page->end : (uint64_t)row->time_ms > page->end;

    if ((page->symbol_id != 0 && row->symbol_id != page->symbol_id)
        || (page->other_id != 0 && row->other_id != page->other_id))
        return false;
    return (uint64_t)row->time_ms >= page->start && (!page->has_end || !ended);
}

/* The rows a page could show in their order, one more than the most that it may. */
static uint32_t in_order(const struct past_row *rows, uint32_t count, const struct page *page, enum kind list,
                         const struct past_row **into)
{
    const struct past_row *from = NULL;
    uint32_t               found = 0;

    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id <= page->from_id && (from == NULL || rows[i].id > from->id)) from = &rows[i];
    while (found <= lists[list].most) {
        const struct past_row *next = NULL;

        for (uint32_t i = 0; i < count; i++) {
            if (!is_on(&rows[i], page) || !is_behind(&rows[i], from, page, list)
                || (found != 0 && !stands_before(into[found - 1], &rows[i])))
                continue;
            if (next == NULL || stands_before(&rows[i], next)) next = &rows[i];
        }
        if (next == NULL) break;
        into[found++] = next;
        if (found > page->limit && next->time_ms != into[page->limit - 1]->time_ms)
            break; /* no question asks for the part behind it */
    }
    return found;
}

/*
 * Their number: `limit`, and, unless fromID gives the start, all of a millisecond or nothing of it, where the largest
 * page allows it.
 */
static uint32_t page_length(const struct past_row **rows, uint32_t count, const struct page *page, enum kind list)
{
    uint32_t most = lists[list].most, shown = page->limit < count ? page->limit : count, before = most;

    if ((page->from_id != 0 && lists[list].continues) || answers_planted == ANSWER_BUG_TORN_PAGE) return shown;
    while (shown > 0 && shown < count && rows[shown]->time_ms == rows[shown - 1]->time_ms) shown++;
    if (shown <= most) return shown;
    while (before > 0 && rows[before - 1]->time_ms == rows[most]->time_ms) before--;
    return before == 0 ? most : before;
}

static void put_page(struct answers *answers, const struct twin *twin, enum kind list, const struct page *page)
{
    const struct past_row  *rows;
    uint32_t                count = rows_of(&answers->past, list, page->account_id, page->market, &rows);
    const struct past_row **shown = malloc((lists[list].most + 2) * sizeof(const struct past_row *));
    uint32_t                length = page_length(shown, in_order(rows, count, page, list, shown), page, list);
    struct text            *t = &answers->want;

    begin(answers);
    put(t, "[");
    for (uint32_t i = 0; i < length; i++) {
        if (i != 0) put(t, ",");
        put_row(t, twin, list, shown[i], page->account_id);
    }
    put(t, "]");
    free(shown);
}

/* ---- questions ---- */

/* Of a row, right beside it, of the next moment, or of no row at all. */
static uint64_t a_time(struct answers *answers, const struct past_row *rows, uint32_t count)
{
    struct random_state *d = &answers->random_state;
    uint32_t             row;

    if (one_in(d, 15))
        return one_in(d, 3) ? UINT64_MAX : one_in(d, 2) ? (uint64_t)INT64_MAX + random_below(d, 2) : random_below(d, 2);
    if (count == 0 || one_in(d, 6)) return (uint64_t)answers->now_ms - 1 + random_below(d, 3);
    row = random_below(d, count);
    return (uint64_t)rows[row].time_ms - 1 + random_below(d, 3);
}

static uint64_t an_id(struct answers *answers, uint64_t id)
{
    return one_in(&answers->random_state, 4) ? id + 1 : one_in(&answers->random_state, 12) ? 0 : id;
}

static void draw(struct answers *answers, const struct twin *twin, enum kind list, const struct account *account,
                 uint8_t market, struct question *query)
{
    struct random_state   *d = &answers->random_state;
    const struct past_row *rows;
    uint32_t count = rows_of(&answers->past, list, account != NULL ? account->id : EVERYBODY, market, &rows);

    if (account != NULL && (!account->primary || one_in(d, 3)))
        query_number(answers, query, "accountID",
                     one_in(d, 12)   ? 999999
                     : one_in(d, 12) ? ACCOUNT_FUND
                     : one_in(d, 12) ? twin->accounts[random_below(d, twin->account_count)].id
                                     : account->id);
    query_symbol(answers, query, twin, market);
    query_limit(answers, query, "limit", lists[list].most);
    if (one_in(d, 3)) query_number(answers, query, "startTime", a_time(answers, rows, count));
    if (one_in(d, 3)) query_number(answers, query, "endTime", a_time(answers, rows, count));
    if (lists[list].other != NULL && count != 0 && one_in(d, 4))
        query_number(answers, query, lists[list].other, an_id(answers, rows[random_below(d, count)].other_id));
    if (lists[list].continues && count != 0 && one_in(d, 3))
        query_number(answers, query, "fromID", an_id(answers, rows[random_below(d, count)].id));
    query_end(answers, query);
}

static uint64_t value_of(const struct question *query, const char *name)
{
    const struct parameter *parameter = name != NULL ? query_find(query, name) : NULL;

    return parameter != NULL ? parameter->value : 0;
}

/* Errors in the order of the checks: parameters, range, address, account, symbol. */
static void put_history(struct answers *answers, struct twin *twin, enum kind list, const char *owner, uint8_t market,
                        const struct question *query)
{
    struct page           page = { .start = value_of(query, "startTime"),
                                   .end = value_of(query, "endTime"),
                                   .has_end = query_find(query, "endTime") != NULL,
                                   .from_id = value_of(query, "fromID"),
                                   .other_id = value_of(query, lists[list].other),
                                   .account_id = value_of(query, "accountID"),
                                   .market = market };
    const struct account *account = NULL;
    char                  text[24];

    if (query_fault(answers, query, NULL)) return;
    page.limit = query_limit_of(query, lists[list].most, lists[list].usual);
    (void)snprintf(text, sizeof(text), "%" PRIu64, page.start);
    if (page.has_end && page.start > page.end) {
        put_fault(answers, REJECT_BAD_TIME_RANGE, "startTime", text, NULL);
        return;
    }
    if (owner != NULL && !account_fault(answers, twin, owner, page.account_id, &account)) return;
    if (!query_symbol_of(answers, query, twin, market, &page.symbol_id)) return;
    page.account_id = owner == NULL ? EVERYBODY : account != NULL ? account->id : 0;
    put_page(answers, twin, list, &page);
}

static const char *check_history(struct answers *answers, struct twin *twin, enum kind list,
                                 const struct account *account, uint8_t market)
{
    struct random_state *d = &answers->random_state;
    struct question      query = { .count = 0 };
    char                 owner[43];

    owner_text(account, owner);
    if (one_in(d, 40))
        (void)snprintf(owner, sizeof(owner), "%s",
                       one_in(d, 2) ? "0x12" : "0x0000000000000000000000000000000000000bad");
    draw(answers, twin, list, account, market, &query);
    put_history(answers, twin, list, owner, market, &query);
    return check(answers, "%s/accounts/%s/%s?%s", BASE(market), owner, lists[list].path, query.line);
}

/* The list of all receipts, which is of no account. */
static const char *check_all_receipts(struct answers *answers, struct twin *twin)
{
    struct question query = { .count = 0 };

    draw(answers, twin, HISTORY_OF_RECEIPTS, NULL, MARKET_PERPS, &query);
    put_history(answers, twin, HISTORY_OF_RECEIPTS, NULL, MARKET_PERPS, &query);
    return check(answers, "/api/v1/perps/liquidations?%s", query.line);
}

const char *check_histories(struct answers *answers, struct twin *twin, const struct account *account)
{
    for (uint32_t again = 0; again < 2; again++) {
        TRY(check_history(answers, twin, HISTORY_OF_ORDERS, account, MARKET_SPOT));
        TRY(check_history(answers, twin, HISTORY_OF_TRADES, account, MARKET_SPOT));
        if (twin->genesis.perps_count == 0) continue;
        TRY(check_history(answers, twin, HISTORY_OF_ORDERS, account, MARKET_PERPS));
        TRY(check_history(answers, twin, HISTORY_OF_TRADES, account, MARKET_PERPS));
        TRY(check_history(answers, twin, HISTORY_OF_POSITIONS, account, MARKET_PERPS));
        TRY(check_history(answers, twin, HISTORY_OF_FUNDINGS, account, MARKET_PERPS));
        TRY(check_history(answers, twin, HISTORY_OF_RECEIPTS, account, MARKET_PERPS));
        if (one_in(&answers->random_state, 4)) TRY(check_all_receipts(answers, twin));
    }
    return NULL;
}
