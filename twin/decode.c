/* SPDX-License-Identifier: MIT */
/* decode.c — puts back what the encoded form leaves out: folds of arrays, searched from one end to the other. */
#include "decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct decoder {
    struct genesis              genesis;
    struct perps_order_changed *orders; /* as they were told last, while they are open */
    struct balance             *balances;
    uint32_t                    order_count, order_room, balance_count, balance_room;
    uint64_t                    update_ids[MARKET_PERPS + 1][SYMBOLS_MAX + 1];
    uint64_t                    told, newest; /* greatest ids of orders: before this command, and so far */

    /* the command at work */
    const struct command *command;
    struct events        *into;
    struct command_began  began;
    size_t                first_result; /* in `into` */
    uint32_t              result_count, next_result;
    const struct traded  *trade;
    char                  wrong[256];
};

static const char *wrong(struct decoder *decoder, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *wrong(struct decoder *decoder, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(decoder->wrong, sizeof(decoder->wrong), format, args);
    va_end(args);
    return decoder->wrong;
}

struct decoder *decoder_create(const struct genesis *genesis)
{
    struct decoder *decoder = calloc(1, sizeof(*decoder));

    assert(decoder != NULL);
    decoder->genesis = *genesis;
    return decoder;
}

void decoder_free(struct decoder *decoder)
{
    free(decoder->orders);
    free(decoder->balances);
    free(decoder);
}

/* ---- what was told ---- */

static struct perps_order_changed *order_told(struct decoder *decoder, uint64_t id)
{
    for (uint32_t i = 0; i < decoder->order_count; i++)
        if (decoder->orders[i].base.order_id == id) return &decoder->orders[i];
    return NULL;
}

static void tell_order(struct decoder *decoder, const struct order_changed *order)
{
    struct perps_order_changed *known = order_told(decoder, order->order_id);

    if (order->order_id > decoder->newest) decoder->newest = order->order_id;
    if (known == NULL) {
        if (decoder->order_count == decoder->order_room) {
            decoder->order_room = 2 * decoder->order_room + 64;
            decoder->orders = realloc(decoder->orders, decoder->order_room * sizeof(*decoder->orders));
        }
        known = &decoder->orders[decoder->order_count++];
    }
    memset(known, 0, sizeof(*known));
    memcpy(known, order, order->head.bytes);
    if (!status_is_open(order->status)) *known = decoder->orders[--decoder->order_count];
}

static struct balance *balance_told(struct decoder *decoder, uint8_t market, uint64_t account_id, uint32_t coin_id)
{
    for (uint32_t i = 0; i < decoder->balance_count; i++)
        if (decoder->balances[i].head.market == market && decoder->balances[i].account_id == account_id
            && decoder->balances[i].coin_id == coin_id)
            return &decoder->balances[i];
    if (decoder->balance_count == decoder->balance_room) {
        decoder->balance_room = 2 * decoder->balance_room + 64;
        decoder->balances = realloc(decoder->balances, decoder->balance_room * sizeof(*decoder->balances));
    }
    decoder->balances[decoder->balance_count] = (struct balance){
        .head = { EVENT_BALANCE, sizeof(struct balance), market, { 0 } }, .account_id = account_id, .coin_id = coin_id
    };
    return &decoder->balances[decoder->balance_count++];
}

static void tell(struct decoder *decoder, const struct event *event)
{
    const struct balance *balance = (const void *)event;

    if (event->kind == EVENT_ORDER || event->kind == EVENT_PERPS_ORDER) tell_order(decoder, (const void *)event);
    if (event->kind == EVENT_BALANCE)
        *balance_told(decoder, event->market, balance->account_id, balance->coin_id) = *balance;
    if (event->kind == EVENT_LEVEL)
        decoder->update_ids[event->market][((const struct level_changed *)(const void *)event)->symbol_id] =
            ((const struct level_changed *)(const void *)event)->update_id;
}

void decoder_told(struct decoder *decoder, const struct events *events)
{
    for (const struct event *e = events_first(events); e != NULL; e = events_next(events, e)) tell(decoder, e);
}

/* ---- records that are left out ---- */

static void *add(struct decoder *decoder, const void *record, size_t bytes)
{
    void *at = decoder->into->at + decoder->into->len;

    assert(decoder->into->len + bytes <= decoder->into->cap);
    memcpy(at, record, bytes);
    decoder->into->len += bytes;
    return at;
}

/* In the book: not a stop that waits for its price. */
static bool rests(const struct perps_order_changed *order)
{
    if (order->stop_type != 0 && order->triggered == 0) return false;
    return order->base.status == STATUS_NEW || order->base.status == STATUS_PARTIALLY_FILLED;
}

/* The orders of a price that rest in the book. */
static int64_t level_sum(const struct decoder *decoder, const struct level_changed *level)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < decoder->order_count; i++) {
        const struct order_changed *order = &decoder->orders[i].base;

        if (rests(&decoder->orders[i]) && order->head.market == level->head.market
            && order->symbol_id == level->symbol_id && order->side == level->side && order->price == level->price)
            sum += order->quantity - order->executed;
    }
    return sum;
}

static uint64_t next_update(const struct decoder *decoder, const struct level_changed *level)
{
    return decoder->update_ids[level->head.market][level->symbol_id] + 1;
}

static void add_level(struct decoder *decoder, const struct order_changed *order)
{
    struct level_changed level = { .head = { EVENT_LEVEL, sizeof(level), order->head.market, { 0 } },
                                   .symbol_id = order->symbol_id,
                                   .side = order->side,
                                   .price = order->price };

    level.quantity = level_sum(decoder, &level);
    level.update_id = next_update(decoder, &level);
    tell(decoder, add(decoder, &level, sizeof(level)));
}

static void add_balance(struct decoder *decoder, const struct order_changed *order, int64_t frozen_before)
{
    const struct symbol *symbol = &decoder->genesis.spot[order->symbol_id - 1];
    uint32_t             coin_id = order->side == SIDE_BUY ? symbol->quote_coin_id : symbol->base_coin_id;
    struct balance      *told = balance_told(decoder, order->head.market, order->account_id, coin_id);

    told->locked += order->frozen - frozen_before;
    (void)add(decoder, told, sizeof(*told));
}

/* ---- words that are left out ---- */

static const struct result *result_at(const struct decoder *decoder, uint32_t number)
{
    return (const void *)(decoder->into->at + decoder->first_result + number * sizeof(struct result));
}

static const char *fill_passed(struct decoder *decoder, struct result *result)
{
    const struct command_row         *row = command_row(decoder->command->kind);
    const uint8_t                    *items = (const uint8_t *)command_payload(decoder->command) + row->items_at;
    const struct client_id           *own = (const void *)(items + result->index * row->item_bytes + row->client_id_at);
    const struct perps_order_changed *order = order_told(decoder, result->order_id);

    if (row->item_bytes == 0) return wrong(decoder, "PASSED in a command without items");
    if (own->len <= CLIENT_ID_MAX) result->client_id = *own;
    if (!cancels_orders(row)) return NULL;
    if (order == NULL) return wrong(decoder, "the order %lu is not known", (unsigned long)result->order_id);
    if (result->head.market == MARKET_SPOT) result->orig_client_id = order->base.client_id;
    else if (own->len == 0) result->client_id = order->base.client_id;
    return NULL;
}

/* A new order, of the next result that has one. */
static const char *fill_new(struct decoder *decoder, struct order_changed *order)
{
    const struct result *result;

    while (decoder->next_result < decoder->result_count
           && result_at(decoder, decoder->next_result)->order_id <= decoder->told)
        decoder->next_result += 1;
    if (decoder->next_result == decoder->result_count) return wrong(decoder, "a new order without a result");
    result = result_at(decoder, decoder->next_result++);
    order->order_id = result->order_id;
    order->client_id = result->client_id;
    order->account_id = decoder->began.account_id;
    order->created_ms = order->updated_ms = decoder->began.time_ms;
    return NULL;
}

static const char *fill_known(struct decoder *decoder, struct order_changed *order, bool ended)
{
    const struct perps_order_changed *told = order_told(decoder, order->order_id);

    if (told == NULL) return wrong(decoder, "the order %lu is not known", (unsigned long)order->order_id);
    order->account_id = told->base.account_id;
    order->client_id = told->base.client_id;
    order->price = told->base.price;
    order->quantity = told->base.quantity;
    order->funds = told->base.funds;
    order->created_ms = told->base.created_ms;
    order->updated_ms = decoder->began.time_ms;
    if (!ended) return NULL;
    order->executed = told->base.executed;
    order->executed_value = told->base.executed_value;
    return NULL;
}

static const char *fill_side(struct decoder *decoder, struct filled *fill)
{
    const struct traded              *trade = decoder->trade;
    const struct perps_order_changed *order = order_told(decoder, fill->order_id);

    if (trade == NULL) return wrong(decoder, "a fill without a trade");
    fill->trade_id = trade->trade_id;
    fill->price = trade->price;
    fill->quantity = trade->quantity;
    fill->time_ms = trade->time_ms;
    fill->account_id = fill->side == SIDE_BUY ? trade->buyer_account_id : trade->seller_account_id;
    if (order != NULL) fill->client_id = order->base.client_id;
    for (uint32_t i = 0; order == NULL && i < decoder->result_count; i++)
        if (result_at(decoder, i)->order_id == fill->order_id) fill->client_id = result_at(decoder, i)->client_id;
    return NULL;
}

static void fill_began(struct decoder *decoder, struct command_began *began)
{
    began->seq = decoder->command->seq;
    began->time_ms = decoder->command->time_ms;
    decoder->began = *began;
    decoder->told = decoder->newest;
    decoder->result_count = decoder->next_result = 0;
    decoder->trade = NULL;
}

static const char *fill(struct decoder *decoder, struct event *event, uint8_t form)
{
    switch (form) {
    case FORM_WHOLE:
    case FORM_SPARSE: break;
    case FORM_BEGAN: fill_began(decoder, (void *)event); break;
    case FORM_PASSED: return fill_passed(decoder, (void *)event);
    case FORM_RESTING:
    case FORM_TAKEN: return fill_new(decoder, (void *)event);
    case FORM_TRADED: return fill_known(decoder, (void *)event, false);
    case FORM_ENDED: return fill_known(decoder, (void *)event, true);
    case FORM_MOVED:
        ((struct level_changed *)(void *)event)->update_id = next_update(decoder, (const void *)event);
        break;
    case FORM_DEAL: ((struct traded *)(void *)event)->time_ms = decoder->began.time_ms; break;
    case FORM_SIDE: return fill_side(decoder, (void *)event);
    default: return wrong(decoder, "there is no form %u", form);
    }
    return NULL;
}

/* ---- records ---- */

/* The words of a record as far as they are there; returns the bytes read, 0: it has a form of another kind. */
static size_t take_words(const uint64_t *from, uint8_t form, uint64_t *words)
{
    const struct event *head = (const void *)words;
    uint32_t            count = head->bytes / sizeof(uint64_t), at = 0;
    uint16_t            kind = head->kind == EVENT_PERPS_ORDER ? EVENT_ORDER : head->kind;

    if (form == FORM_WHOLE) {
        memcpy(words + 1, from, (count - 1) * sizeof(uint64_t));
        return (count - 1) * sizeof(uint64_t);
    }
    if (form == FORM_SPARSE) {
        for (uint32_t i = 1; i < count; i++)
            if ((from[0] >> (i - 1) & 1) != 0) words[i] = from[++at];
        return (at + 1) * sizeof(uint64_t);
    }
    if (form >= FORMS || encoded_words[form].kind != kind) return 0;
    for (; at < encoded_words[form].count; at++) words[encoded_words[form].at[at]] = from[at];
    return at * sizeof(uint64_t);
}

static void note(struct decoder *decoder, const struct event *event)
{
    if (event->kind == EVENT_RESULT && decoder->result_count++ == 0)
        decoder->first_result = (size_t)((const uint8_t *)event - decoder->into->at);
    if (event->kind == EVENT_TRADE) decoder->trade = (const void *)event;
}

/* One encoded record and those left out behind it. */
static const char *decode_one(struct decoder *decoder, const uint8_t *at, size_t *bytes)
{
    struct event                      head = *(const struct event *)(const void *)at;
    uint8_t                           form = head.reserved[0], behind = head.reserved[1];
    struct event                     *event = (void *)(decoder->into->at + decoder->into->len);
    const struct perps_order_changed *before;
    int64_t                           frozen;
    const char                       *what;

    head.reserved[0] = head.reserved[1] = 0;
    assert(decoder->into->len + head.bytes <= decoder->into->cap);
    memset(event, 0, head.bytes);
    *event = head;
    decoder->into->len += head.bytes;
    *bytes = take_words((const void *)(at + sizeof(head)), form, (void *)event);
    if (*bytes == 0) return wrong(decoder, "a record of kind %u has the form %u", head.kind, form);
    *bytes += sizeof(head);
    what = fill(decoder, event, form);
    if (what != NULL) return what;
    before = behind != 0 ? order_told(decoder, ((struct order_changed *)(void *)event)->order_id) : NULL;
    frozen = before != NULL ? before->base.frozen : 0;
    note(decoder, event);
    tell(decoder, event);
    if ((behind & BEHIND_LEVEL) != 0) add_level(decoder, (const void *)event);
    if ((behind & BEHIND_BALANCE) != 0) add_balance(decoder, (const void *)event, frozen);
    return NULL;
}

const char *decode_command(struct decoder *decoder, const struct command *command, const uint8_t *at, size_t bytes,
                           struct events *into)
{
    const char *what = NULL;

    decoder->command = command;
    decoder->into = into;
    into->len = 0;
    for (size_t done = 0, read = 0; done < bytes && what == NULL; done += read)
        what = decode_one(decoder, at + done, &read);
    return what;
}
