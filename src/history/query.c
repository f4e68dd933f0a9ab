/* SPDX-License-Identifier: MIT */
/*
 * query.c — one list out of two: rows in memory, then rows on disk, newest first, none twice.
 *
 * The writer removes a row from memory only after the transaction that holds it is committed. A read
 * looks at memory first and begins its transaction on disk afterwards, so a row can be seen in both
 * places but never in neither; the same rank from both is the same row.
 */
#include "history/state.h"

/* The rows that a read wants. */
struct wanted {
    const struct history_query *query;
    const struct list_row      *list;
    struct rank                 top;        /* ranks below this one */
    uint32_t                    room;       /* rows that the page may have */
    int64_t                     missing_ms; /* time of the newest row that it has no room for */
};

#define NONE_MISSING INT64_MIN

static struct rank rank_of(const struct wanted *wanted, const void *record)
{
    return record_rank(wanted->list, record);
}
static int64_t time_of(const struct wanted *wanted, const void *record) { return record_time(wanted->list, record); }

/* ---- memory ---- */

static bool is_of_account(const struct wanted *wanted, const struct row *row)
{
    const struct history_query *query = wanted->query;

    return row->kind == wanted->list->kind && row->head.market == query->market
        && record_u64(&row->head, wanted->list->account) == query->account_id;
}

static bool is_wanted(const struct wanted *wanted, const void *record)
{
    const struct history_query *query = wanted->query;
    const struct list_row      *list = wanted->list;
    struct rank                 rank = rank_of(wanted, record);

    if (query->symbol_id != 0 && query->symbol_id != record_u32(record, list->symbol)) return false;
    if (list->by_other != NO_TABLE && query->other_id != 0 && query->other_id != record_u64(record, list->other))
        return false;
    return time_of(wanted, record) <= query->end_ms && rank_below(rank, wanted->top);
}

static int64_t time_at(const struct wanted *wanted, const uint8_t *rows, uint32_t at)
{
    return time_of(wanted, rows + at * wanted->list->bytes);
}

/* Whether a page of so many rows ends before a row of this time: there
   are `limit`, and the last of those is of a later millisecond. */
static bool is_beyond(const struct wanted *wanted, const uint8_t *rows, uint32_t count, int64_t time_ms)
{
    uint32_t limit = wanted->query->limit;

    return count >= limit && time_ms < time_at(wanted, rows, limit - 1);
}

static void note_missing(struct wanted *wanted, int64_t time_ms)
{
    if (time_ms > wanted->missing_ms) wanted->missing_ms = time_ms;
}

/* Inserts a row among `count` sorted ones; a row for which the page has no room drops out at the end. */
static uint32_t insert(struct wanted *wanted, uint8_t *rows, uint32_t count, uint32_t at, const void *row)
{
    uint32_t moved = count - at;
    uint8_t *place = rows + at * wanted->list->bytes;

    if (at == wanted->room) {
        note_missing(wanted, time_of(wanted, row));
        return count;
    }
    if (count == wanted->room) {
        note_missing(wanted, time_at(wanted, rows, count - 1));
        moved--;
    } else count++;
    memmove(place + wanted->list->bytes, place, moved * wanted->list->bytes);
    memcpy(place, row, wanted->list->bytes);
    while (count > wanted->query->limit && is_beyond(wanted, rows, count, time_at(wanted, rows, count - 1))) count--;
    return count;
}

/* A page that has no room for all rows of its last millisecond ends with
   the one before, so that reading on by time loses nothing. */
static uint32_t end_page(const struct wanted *wanted, const uint8_t *rows, uint32_t count)
{
    uint32_t whole = count;

    if (wanted->query->most == 0 || wanted->query->from_id != 0 || count < wanted->room) return count;
    if (wanted->missing_ms != time_at(wanted, rows, count - 1)) return count;
    while (whole > 0 && time_at(wanted, rows, whole - 1) == wanted->missing_ms) whole--;
    return whole != 0 ? whole : count;
}

/* Copies the newest wanted rows out of memory. Chains run from new to old, times never rise along them. */
static uint32_t collect_pending(struct history *history, struct wanted *wanted, uint8_t *rows)
{
    const struct history_query *query = wanted->query;
    struct pending             *pending = &history->pending;
    uint32_t                    count = 0;

    pending_read_begin(pending);
    const struct row *row =
        pending_newest(pending, (enum row_kind)wanted->list->kind, query->account_id, query->market);
    for (; row != NULL; row = pending_older(pending, row)) {
        const void *record = &row->head;
        if (!is_of_account(wanted, row)) continue;
        if (time_of(wanted, record) < query->start_ms) break;
        if (is_beyond(wanted, rows, count, time_of(wanted, record))) break;
        if (!is_wanted(wanted, record)) continue;

        uint32_t at = count;
        while (at > 0 && rank_below(rank_of(wanted, rows + (at - 1) * wanted->list->bytes), rank_of(wanted, record)))
            at--;
        count = insert(wanted, rows, count, at, record);
    }
    pending_read_end(pending);
    return count;
}

/* ---- disk ---- */

/* Stands at the newest row below `top` that is not after `end_ms`.
   Times never rise along a list, so halving finds it. */
static int seek_time(struct store_list *list, struct rank top, int64_t end_ms)
{
    uint64_t low = 1, high, best = 0;
    int      error = list_seek(list, top);

    if (error != 0 || !list->at_row || list->time_ms <= end_ms) return error;
    high = list->rank.major;
    while (low <= high && error == 0) {
        uint64_t middle = low + (high - low) / 2;
        error = list_seek(list, (struct rank){ middle, UINT64_MAX });
        if (error == 0 && list->at_row && list->time_ms > end_ms) {
            high = min_u64(middle, list->rank.major) - 1;
            continue;
        }
        if (list->at_row) best = list->rank.major;
        low = middle + 1;
    }
    if (error != 0) return error;
    return list_seek(list, (struct rank){ best, best == 0 ? 0 : UINT64_MAX });
}

/* Puts the row the list stands at among those that are there already. */
static int merge_row(struct wanted *wanted, struct store_list *list, uint8_t *rows, uint32_t *count, uint32_t *at)
{
    union {
        struct filled              fill;
        struct perps_order_changed order;
        struct position_changed    position;
        struct funded              funding;
        struct history_receipt     receipt;
    } row;

    while (*at < *count && rank_below(list->rank, rank_of(wanted, rows + *at * wanted->list->bytes))) ++*at;
    if (is_beyond(wanted, rows, *at, list->time_ms)) return 0;
    if (*at < *count && rank_equal(list->rank, rank_of(wanted, rows + *at * wanted->list->bytes))) return 0;
    void *into = *at == *count && *at < wanted->room ? rows + *at * wanted->list->bytes
                                                     : (void *)&row; /* most stand behind all others */
    int   error = list_row(list, into);
    if (error != 0) return error;
    if (wanted->query->symbol_id != 0 && record_u32(into, wanted->list->symbol) != wanted->query->symbol_id) return 0;
    if (into != &row) *count += 1;
    else *count = insert(wanted, rows, *count, *at, &row);
    return 0;
}

/* Nothing more can come into the page, nor be missing at its end. */
static bool is_complete(const struct wanted *wanted, const uint8_t *rows, uint32_t at, int64_t time_ms)
{
    if (at >= wanted->query->limit && is_beyond(wanted, rows, at, time_ms)) return true;
    return at == wanted->room && (wanted->query->most == 0 || wanted->missing_ms != NONE_MISSING);
}

static int merge_list(struct wanted *wanted, struct store_list *list, uint8_t *rows, uint32_t *count)
{
    const struct history_query *query = wanted->query;
    uint32_t                    at = 0;
    int                         error = seek_time(list, wanted->top, query->end_ms);

    while (error == 0 && list->at_row && !is_complete(wanted, rows, at, list->time_ms)
           && list->time_ms >= query->start_ms) {
        error = merge_row(wanted, list, rows, count, &at);
        if (error == 0) error = list_next(list);
    }
    return error;
}

static int merge_store(struct history *history, struct wanted *wanted, uint8_t *rows, uint32_t *count)
{
    struct store_reader reader;
    struct store_list   list;
    int                 error = store_begin(&history->store, &reader);

    if (error != 0) return error;
    error = list_open(&list, &reader, wanted->list, wanted->query);
    if (error == 0) {
        error = merge_list(wanted, &list, rows, count);
        list_close(&list);
    }
    store_end(&reader);
    return error;
}

/* ---- start of the next page ---- */

/* The same of the rows in memory as store_end_of of those on disk. */
static struct ended pending_end(struct history *history, const struct wanted *wanted)
{
    const struct history_query *query = wanted->query;
    struct pending             *pending = &history->pending;
    struct ended                ended = { 0 };

    pending_read_begin(pending);
    const struct row *row =
        pending_newest(pending, (enum row_kind)wanted->list->kind, query->account_id, query->market);
    for (; row != NULL && ended.id != query->from_id; row = pending_older(pending, row)) {
        uint64_t id = record_u64(&row->head, wanted->list->minor);
        if (!is_of_account(wanted, row) || id > query->from_id || id <= ended.id) continue;
        ended = (struct ended){ id, time_of(wanted, &row->head) };
    }
    pending_read_end(pending);
    return ended;
}

/*
 * Orders and positions are sorted by the time of their end, so a page continues below the rank of from_id in the list.
 * An id that is not in the list of this account has the place of the next lower one that is: to go through the list for
 * all lower ids would take as long as the list is, for a page of any size.
 */
static int location_from_id(struct history *history, struct wanted *wanted)
{
    const struct history_query *query = wanted->query;
    struct store_reader         reader;
    struct ended                ended = pending_end(history, wanted), stored;

    if (ended.id != query->from_id) {
        int error = store_begin(&history->store, &reader);
        if (error != 0) return error;
        error = store_end_of(&reader, wanted->list, query->account_id, query->market, query->from_id, &stored);
        store_end(&reader);
        if (error != 0) return error;
        if (stored.id > ended.id) ended = stored;
    }
    if (ended.id == 0) wanted->top = (struct rank){ 0, 0 }; /* nothing is below */
    else wanted->top = (struct rank){ time_rank(ended.time_ms), ended.id == query->from_id ? ended.id : ended.id + 1 };
    return 0;
}

/* ---- interface ---- */

static int answer(struct history *history, struct wanted *wanted, void *rows)
{
    const struct history_query *query = wanted->query;
    uint32_t                    count;
    int                         error;

    if (query->limit == 0 || query->start_ms > query->end_ms || query->end_ms < 0) return 0;
    wanted->room = query->from_id != 0 ? query->limit : max_u32(query->limit, query->most);
    wanted->missing_ms = NONE_MISSING;
    count = collect_pending(history, wanted, rows);
    error = merge_store(history, wanted, rows, &count);
    return error != 0 ? history_note(history, error) : (int)end_page(wanted, rows, count);
}

/* A page of a list starts where its `ends` point, or below a trade id, which is the order of the list itself. */
static int read_list(struct history *history, enum list_kind kind, const struct history_query *query, void *rows)
{
    struct wanted wanted = { query, &store_lists[kind], { UINT64_MAX, UINT64_MAX }, 0, NONE_MISSING };
    bool          by_end = query->from_id != 0 && wanted.list->ends != NO_TABLE;
    int           error = by_end ? location_from_id(history, &wanted) : 0;

    if ((kind == LIST_FILLS || kind == LIST_RECEIPTS) && query->from_id != 0)
        wanted.top = (struct rank){ query->from_id, 0 };
    if (kind == LIST_RECEIPTS)
        wanted.top = (struct rank){ min_u64(wanted.top.major, history_newest_receipt(history) + 1), 0 };
    return error != 0 ? history_note(history, error) : answer(history, &wanted, rows);
}

int history_orders(struct history *history, const struct history_query *query, struct order_changed *orders)
{
    return read_list(history, LIST_ORDERS, query, orders);
}

int history_fills(struct history *history, const struct history_query *query, struct filled *fills)
{
    return read_list(history, LIST_FILLS, query, fills);
}

int history_perps_orders(struct history *history, const struct history_query *query, struct perps_order_changed *orders)
{
    return read_list(history, LIST_PERPS_ORDERS, query, orders);
}

int history_positions(struct history *history, const struct history_query *query, struct position_changed *positions)
{
    return read_list(history, LIST_POSITIONS, query, positions);
}

int history_fundings(struct history *history, const struct history_query *query, struct funded *fundings)
{
    return read_list(history, LIST_FUNDINGS, query, fundings);
}

int history_receipts(struct history *history, const struct history_query *query, struct history_receipt *receipts)
{
    return read_list(history, LIST_RECEIPTS, query, receipts);
}

bool history_transaction(struct history *history, uint64_t seq, struct tx_location *place)
{
    struct pending     *pending = &history->pending;
    struct store_reader reader;
    bool                found = false;

    pending_read_begin(pending);
    const struct row *row = pending_newest(pending, ROW_TX, seq, 0);
    for (; row != NULL && !found; row = pending_older(pending, row)) {
        if (row->kind != ROW_TX || row->tx.seq != seq) continue;
        *place = row->tx.place;
        found = true;
    }
    pending_read_end(pending);
    if (found || store_begin(&history->store, &reader) != 0) return found;
    if (history_note(history, store_tx_location(&reader, seq, &found, place)) != 0) found = false;
    store_end(&reader);
    return found;
}
