/* SPDX-License-Identifier: MIT */
/*
 * engine.c — the whole engine behind the interface of the public benchmark: each message becomes one signed command
 * with one item, as the log holds it, and the reports are made of its events. One account owns all orders. Included are
 * authorisation, nonce, filters, holds, fees, client ids and all events; nothing is looked ahead for.
 */
#include "adapter.h"
#include "machine.h"

#define MONEY INT64_C(2000000000000000000)

/* What reports and REPLACE need of an order. */
struct known {
    int64_t price, executed;
    uint8_t side; /* of the interface */
};

static struct engine     *engine;
static struct market     *market;
static struct events      events;
static struct known      *orders; /* by the interface's id */
static uint64_t          *ids;    /* the interface's id by the engine's order id */
static uint64_t           placed; /* orders so far: the engine counts them from 1 */
static size_t             bytes;
static struct flash1_sink sink;

/* Room for the largest command here. */
static union {
    struct command command;
    uint8_t        bytes[32768];
} room;

static struct address owner(void) { return (struct address){ { 0xd0, 1 } }; }

static void *begin(uint16_t kind, size_t payload_bytes)
{
    struct command *command = &room.command;

    flash1_expect(sizeof(*command) + payload_bytes <= sizeof(room), "a command too long");
    memset(command, 0, sizeof(*command) + payload_bytes);
    command->bytes = (uint32_t)(sizeof(*command) + payload_bytes);
    command->kind = kind;
    command->market = MARKET_SPOT;
    command->seq = engine->seq + 1;
    command->time_ms = INT64_C(1776000000000) + (int64_t)(command->seq / 100);
    return command + 1;
}

static void *begin_signed(uint16_t kind, size_t payload_bytes)
{
    void *payload = begin(kind, payload_bytes);

    room.command.domain = DOMAIN_SPOT;
    room.command.nonce = UINT64_C(1776000000000) + room.command.seq;
    room.command.signer = owner();
    return payload;
}

/* Whether the command's only item was accepted; its trades are reported, and added up into `traded`. */
static bool apply(uint64_t sequence, int64_t *traded)
{
    bool     accepted = false;
    uint64_t maker = 0;

    events.len = 0;
    engine_apply(engine, &room.command, &events);
    for (const struct event *event = events_first(&events); event != NULL; event = events_next(&events, event)) {
        const struct filled *fill = (const void *)event;

        flash1_expect(event->kind != EVENT_REFUSED, "a command was refused");
        if (event->kind == EVENT_RESULT) accepted = ((const struct result *)(const void *)event)->reject == REJECT_NONE;
        if (event->kind != EVENT_FILL) continue;
        orders[ids[fill->order_id]].executed += fill->quantity;
        if (fill->is_maker) {
            maker = ids[fill->order_id];
            continue;
        }
        *traded += fill->quantity;
        flash1_tell_trade(&sink, sequence, maker, ids[fill->order_id], fill->price, fill->quantity);
    }
    return accepted;
}

static void deposit(uint32_t coin_id)
{
    struct deposit *payload = begin(CMD_DEPOSIT, sizeof(*payload));
    int64_t         traded = 0;

    *payload = (struct deposit){ .address = owner(), .coin_id = coin_id, .amount = MONEY, .engine = MARKET_SPOT };
    memcpy(payload->id.bytes, &room.command.seq, sizeof(room.command.seq));
    flash1_expect(apply(0, &traded), "a deposit was rejected");
}

void flash1_init(uint64_t seed, const struct flash1_transport *transport, void *queue)
{
    struct genesis *g = bench_map(sizeof(*g));
    uint8_t        *memory;

    (void)seed;
    sink = (struct flash1_sink){ transport, queue };
    bare_genesis(g, &(struct limits){ .orders = FLASH1_ORDERS, .levels = FLASH1_LEVELS });
    bytes = engine_size(g);
    memory = bench_map(bytes);
    madvise(memory, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) ((volatile uint8_t *)memory)[i] = 0;
    events = (struct events){ bench_map(engine_events_bytes(g)), 0, engine_events_bytes(g) };
    engine = engine_init(memory, g, &events);
    market = market_find(engine, 1);
    orders = bench_map(FLASH1_IDS * sizeof(*orders));
    ids = bench_map(FLASH1_IDS * sizeof(*ids));
    placed = 0;
    munmap(g, sizeof(*g));
    deposit(0);
    deposit(1);
}

void flash1_shutdown(void)
{
    munmap(engine, bytes);
    munmap(events.at, events.cap);
    munmap(orders, FLASH1_IDS * sizeof(*orders));
    munmap(ids, FLASH1_IDS * sizeof(*ids));
}

void flash1_flush(void) {}

/* 16 hex digits of the interface's id. */
static struct client_id client_id(uint64_t id)
{
    struct client_id text = { .len = 16 };

    for (uint32_t i = 0; i < 16; i++) text.at[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    return text;
}

void flash1_new(const struct flash1_new *message)
{
    struct place_orders *place = begin_signed(CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    int64_t              left = 0;

    flash1_expect(message->id < FLASH1_IDS && placed + 1 < FLASH1_IDS, "too many orders");
    place->account_id = ACCOUNT_FIRST;
    place->count = 1;
    place->items[0] = (struct new_order){
        .symbol_id = 1,
        .client_id = client_id(message->id),
        .side = flash1_side(message->side),
        .type = TYPE_LIMIT,
        .time_in_force = message->ioc != 0 ? TIF_IOC : TIF_GTC,
        .price = decimal_make(message->price, 1),
        .quantity = decimal_make(message->quantity, 5),
    };
    flash1_tell(&sink, FLASH1_ORDER_ACK, message->sequence, message->id, message->side, message->price,
                message->quantity);
    ids[++placed] = message->id;
    orders[message->id] = (struct known){ message->price, 0, message->side };
    flash1_expect(apply(message->sequence, &left), "an order was rejected");
    left = (int64_t)message->quantity - left;
    if (message->ioc != 0 && left != 0)
        flash1_tell(&sink, FLASH1_CANCEL_ACK, message->sequence, message->id, message->side, message->price, left);
}

void flash1_cancel(const struct flash1_cancel *message)
{
    struct cancel_orders *cancel = begin_signed(CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    int64_t               traded = 0;

    cancel->account_id = ACCOUNT_FIRST;
    cancel->count = 1;
    cancel->items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = client_id(message->id) };
    if (apply(message->sequence, &traded))
        flash1_tell(&sink, FLASH1_CANCEL_ACK, message->sequence, message->id, orders[message->id].side,
                    orders[message->id].price, 0);
    else flash1_tell(&sink, FLASH1_CANCEL_REJECT, message->sequence, message->id, 0, 0, 0);
}

/* The message names the new open quantity, the command the new total: what was executed is added. */
void flash1_modify(const struct flash1_modify *message)
{
    struct replace_orders *replace = begin_signed(CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    int64_t                traded = 0, executed = message->id < FLASH1_IDS ? orders[message->id].executed : 0;

    replace->account_id = ACCOUNT_FIRST;
    replace->count = 1;
    replace->items[0] = (struct replace_order){
        .symbol_id = 1,
        .client_id = client_id(message->id),
        .orig_client_id = client_id(message->id),
        .price = decimal_make(message->price, 1),
        .quantity = decimal_make(message->quantity + executed, 5),
    };
    if (!apply(message->sequence, &traded)) {
        flash1_tell(&sink, FLASH1_MODIFY_REJECT, message->sequence, message->id, 0, 0, 0);
        return;
    }
    orders[message->id].price = message->price;
    flash1_tell(&sink, FLASH1_MODIFY_ACK, message->sequence, message->id, message->side, message->price,
                message->quantity);
}

int64_t flash1_best_bid(void) { return flash1_best(engine, market, SIDE_BUY, INT64_MIN); }
int64_t flash1_best_ask(void) { return flash1_best(engine, market, SIDE_SELL, INT64_MAX); }

uint64_t flash1_depth(int64_t price, uint8_t side)
{
    return price <= 0 ? 0 : (uint64_t)book_quantity(engine, market, flash1_side(side), price);
}

void flash1_batch(const struct flash1_message *messages, uint32_t count) { flash1_each(messages, count); }
