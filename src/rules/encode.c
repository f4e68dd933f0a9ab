/* SPDX-License-Identifier: MIT */
#include "rules/encode.h"

#define EXTRA_WORDS ((sizeof(struct perps_order_changed) - sizeof(struct order_changed)) / sizeof(uint64_t))

#define X(number, NAME, type) static_assert(sizeof(struct type) + 2 * sizeof(uint64_t) <= ENCODE_ROOM, "one fits");
EVENTS(X)
#undef X

struct encoding encode_begin(struct encoder *encoder, const struct events *events)
{
    return (struct encoding){ .encoder = encoder, .at = events->at, .end = events->at + events->len };
}

/* Behind a record; the next one, or NULL. */
static ALWAYS_INLINE const struct event *after(const struct encoding *encoding, const void *record, size_t bytes)
{
    const uint8_t *next = (const uint8_t *)record + bytes;

    return next < encoding->end ? (const void *)next : NULL;
}

/* ---- writing ---- */

static ALWAYS_INLINE uint64_t *put_head(uint64_t *to, const struct event *event, uint8_t form, uint8_t behind)
{
    struct event head = *event;

    head.reserved[0] = form;
    head.reserved[1] = behind;
    memcpy(to, &head, sizeof(head));
    return to + 1;
}

/* The head and the words of a form. */
static ALWAYS_INLINE uint64_t *put(uint64_t *to, const struct event *event, enum encoded_form form, uint8_t behind)
{
    const uint64_t *words = (const void *)event;

    to = put_head(to, event, (uint8_t)form, behind);
#pragma GCC unroll 12
    for (uint32_t i = 0; i < encoded_words[form].count; i++) *to++ = words[encoded_words[form].at[i]];
    return to;
}

static uint64_t *put_sparse(uint64_t *to, const struct event *event, uint8_t behind)
{
    const uint64_t *words = (const void *)event;
    uint32_t        count = event->bytes / sizeof(uint64_t);
    uint64_t       *map, bits = 0;

    if (count > SPARSE_WORDS_MAX) {
        to = put_head(to, event, FORM_WHOLE, behind);
        memcpy(to, words + 1, event->bytes - sizeof(*event));
        return to + count - 1;
    }
    map = put_head(to, event, FORM_SPARSE, behind);
    to = map + 1;
    for (uint32_t i = 1; i < count; i++) {
        *to = words[i];
        to += words[i] != 0;
        bits |= (uint64_t)(words[i] != 0) << (i - 1);
    }
    *map = bits;
    return to;
}

/* ---- results ---- */

static ALWAYS_INLINE bool is_nothing(const struct decimal *a, const struct decimal *b)
{
    static const struct decimal nothing[2];

    assert(b == a + 1);
    return memcmp(a, nothing, sizeof(nothing)) == 0;
}

/* The first of a command's results: those of its other items are right behind it. */
static ALWAYS_INLINE void see_results(struct encoding *encoding, const struct result *first)
{
    if (first->index != 0) return;
    encoding->result = encoding->results_end = first;
    while ((const uint8_t *)encoding->results_end < encoding->end && encoding->results_end->head.kind == EVENT_RESULT)
        encoding->results_end += 1;
}

static ALWAYS_INLINE uint64_t *encode_result(struct encoding *encoding, uint64_t *to, const struct result *result)
{
    static const struct client_id none;

    see_results(encoding, result);
    if (encoding->is_of_items && result->reject == REJECT_NONE && result->said == 0
        && is_nothing(&result->got, &result->need)
        && (client_id_equal(&result->orig_client_id, &none)
            || cancels_orders(command_row(encoding->began->command_kind))))
        return put(to, &result->head, FORM_PASSED, 0);
    return put_sparse(to, &result->head, 0);
}

/* ---- orders ---- */

/* Whether a new order is that of the command's next result that has one; the result is passed over with `take`. */
static ALWAYS_INLINE bool is_of_result(struct encoding *encoding, uint64_t order_id, const struct client_id *client_id,
                                       bool take)
{
    const struct result *result = encoding->result;

    while (result != encoding->results_end && result->order_id <= encoding->encoder->emitted_id) result += 1;
    if (result == encoding->results_end || result->order_id != order_id
        || !client_id_equal(&result->client_id, client_id))
        return false;
    encoding->result = take ? result + 1 : result;
    return true;
}

/* Whether an order of perps has none of the members that spot orders have not. */
static ALWAYS_INLINE bool is_plain(const struct order_changed *order)
{
    const uint64_t *words = (const void *)(order + 1);
    uint64_t        any = 0;

    if (order->head.kind == EVENT_ORDER) return true;
    for (uint32_t i = 0; i < EXTRA_WORDS; i++) any |= words[i];
    return any == 0;
}

static ALWAYS_INLINE enum encoded_form form_of_new(struct encoding *encoding, const struct order_changed *order)
{
    if (order->funds != 0 || order->created_ms != order->updated_ms || order->account_id != encoding->began->account_id
        || !is_of_result(encoding, order->order_id, &order->client_id, true))
        return FORM_SPARSE;
    return order->executed == 0 && order->executed_value == 0 ? FORM_RESTING : FORM_TAKEN;
}

static ALWAYS_INLINE enum encoded_form form_of_order(struct encoding *encoding, const struct order_changed *order)
{
    if (order->updated_ms != encoding->began->time_ms || !is_plain(order)) return FORM_SPARSE;
    if (order->order_id > encoding->encoder->emitted_id) return form_of_new(encoding, order);
    if (order->exec_type == EXEC_PARTIALLY_FILLED || order->exec_type == EXEC_FILLED) return FORM_TRADED;
    if ((order->exec_type == EXEC_CANCELED || order->exec_type == EXEC_EXPIRED) && order->frozen == 0)
        return FORM_ENDED;
    return FORM_SPARSE;
}

/*
 * Not behind an order that left its level for another one; on perps only behind a new one, because there the level that
 * an order leaves is emitted before the order.
 */
static ALWAYS_INLINE bool is_level_of(const struct event *event, const struct order_changed *order,
                                      enum encoded_form form)
{
    const struct level_changed *level = (const void *)event;

    if (order->exec_type == EXEC_REPLACED || order->exec_type == EXEC_MODIFIED) return false;
    if (order->head.kind == EVENT_PERPS_ORDER && form != FORM_RESTING && form != FORM_TAKEN) return false;
    return event != NULL && event->kind == EVENT_LEVEL && event->market == order->head.market
        && level->symbol_id == order->symbol_id && level->side == order->side && level->price == order->price;
}

static ALWAYS_INLINE bool is_balance_of(const struct event *event, const struct order_changed *order)
{
    return event != NULL && event->kind == EVENT_BALANCE && event->market == MARKET_SPOT
        && ((const struct balance *)event)->account_id == order->account_id;
}

/* The order's record and those right behind it; `first`: the item has emitted no other order. */
static ALWAYS_INLINE uint64_t *encode_order(struct encoding *encoding, uint64_t *to, const struct order_changed *order,
                                            bool first)
{
    enum encoded_form   form = form_of_order(encoding, order);
    const struct event *next = after(encoding, order, order->head.bytes);
    uint8_t             behind = 0;

    encoding->encoder->newest = max_u64(encoding->encoder->newest, order->order_id);
    if (is_level_of(next, order, form)) {
        behind |= BEHIND_LEVEL;
        next = after(encoding, next, sizeof(struct level_changed));
    }
    if (first && order->head.kind == EVENT_ORDER && is_balance_of(next, order)) {
        behind |= BEHIND_BALANCE;
        next = after(encoding, next, sizeof(struct balance));
    }
    encoding->at = next != NULL ? (const uint8_t *)next : encoding->end;
    encoding->item_begins = (behind & BEHIND_BALANCE) != 0;
    switch (form) {
    case FORM_RESTING: return put(to, &order->head, FORM_RESTING, behind);
    case FORM_TAKEN: return put(to, &order->head, FORM_TAKEN, behind);
    case FORM_TRADED: return put(to, &order->head, FORM_TRADED, behind);
    case FORM_ENDED: return put(to, &order->head, FORM_ENDED, behind);
    default: return put_sparse(to, &order->head, behind);
    }
}

/* ---- trades ---- */

static ALWAYS_INLINE uint64_t *encode_trade(struct encoding *encoding, uint64_t *to, const struct traded *trade)
{
    encoding->trade = trade;
    if (trade->time_ms == encoding->began->time_ms) return put(to, &trade->head, FORM_DEAL, 0);
    return put_sparse(to, &trade->head, 0);
}

/* Whether all that SIDE leaves out is what the trade says, or the order. */
static ALWAYS_INLINE bool is_side(struct encoding *encoding, const struct filled *fill)
{
    const struct traded *trade = encoding->trade;

    return trade != NULL && fill->trade_id == trade->trade_id && fill->price == trade->price
        && fill->quantity == trade->quantity && fill->time_ms == trade->time_ms && fill->liquidation_id == 0
        && fill->account_id == (fill->side == SIDE_BUY ? trade->buyer_account_id : trade->seller_account_id)
        && (fill->order_id <= encoding->encoder->emitted_id
                ? fill->order_id != 0
                : is_of_result(encoding, fill->order_id, &fill->client_id, false));
}

/* ---- all ---- */

static ALWAYS_INLINE uint64_t *encode_began(struct encoding *encoding, uint64_t *to, const struct command_began *began)
{
    encoding->began = began;
    encoding->is_of_items = command_row(began->command_kind)->item_bytes != 0;
    encoding->result = encoding->results_end = NULL;
    encoding->trade = NULL;
    encoding->encoder->emitted_id = encoding->encoder->newest;
    return put(to, &began->head, FORM_BEGAN, 0);
}

static ALWAYS_INLINE uint64_t *encode_one(struct encoding *encoding, uint64_t *to, const struct event *event)
{
    bool first = encoding->item_begins;

    encoding->at += event->bytes;
    encoding->item_begins = event->kind == EVENT_RESULT || event->kind == EVENT_BALANCE;
    switch (event->kind) {
    case EVENT_COMMAND_BEGAN: return encode_began(encoding, to, (const void *)event);
    case EVENT_RESULT: return encode_result(encoding, to, (const void *)event);
    case EVENT_ORDER:
    case EVENT_PERPS_ORDER: return encode_order(encoding, to, (const void *)event, first);
    case EVENT_TRADE: return encode_trade(encoding, to, (const void *)event);
    case EVENT_FILL:
        if (is_side(encoding, (const void *)event)) return put(to, event, FORM_SIDE, 0);
        return put_sparse(to, event, 0);
    case EVENT_LEVEL: return put(to, event, FORM_MOVED, 0);
    default: return put_sparse(to, event, 0);
    }
}

size_t encode_next(struct encoding *encoding, uint8_t *to, size_t room)
{
    uint64_t      *at = (void *)to;
    const uint8_t *last = to + room - ENCODE_ROOM;

    assert(room >= ENCODE_ROOM);
    while (encoding->at < encoding->end && (const uint8_t *)at <= last)
        at = encode_one(encoding, at, (const void *)encoding->at);
    return (size_t)((uint8_t *)at - to);
}
