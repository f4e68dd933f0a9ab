/* SPDX-License-Identifier: MIT */
/*
 * engine.c — the whole engine behind the interface of the public benchmark: each message becomes one signed command
 * with one item, as the log holds it, and the reports are made of its events. One account owns all orders. Included are
 * authorisation, nonce, filters, holds, fees, client ids and all events.
 *
 * A command is made when the message is announced (flash1_prebuild), as the I/O threads of the exchange make it of a
 * request; without an announcement when the message is delivered.
 */
#include "wait.h"
#include "machine.h"

#define MONEY INT64_C(2000000000000000000)

#define COMMAND_BYTES  256 /* of one with one item, at most */
#define COMMANDS_BYTES ((size_t)FLASH1_IDS * COMMAND_BYTES)
#define TOUCHED_BYTES  (COMMANDS_BYTES / 2) /* room for two million and a half, in memory from the start */

static struct engine      *engine;
static struct market      *market;
static struct events       events;
static uint32_t           *executed; /* by the interface's id, while the order is open */
static uint32_t           *ids;      /* the interface's id by the engine's order id */
static uint64_t            placed;   /* orders so far: the engine counts them from 1 */
static size_t              bytes;
static struct flash1_sink  sink;
static uint8_t            *commands;        /* all that were made of messages */
static size_t              made, looked;    /* bytes of it: so far, and of those delivered */
static uint64_t            seq;             /* of the last one that was made */
static struct command     *at[WAIT_PLACES]; /* of the messages that wait */
static struct engine_ahead ahead[WAIT_PLACES];

static struct address owner(void) { return (struct address){ { 0xd0, 1 } }; }

/* The next command; its payload, which is zero. */
static void *begin(uint16_t kind, size_t payload_bytes)
{
    struct command *command = (void *)(commands + made);

    flash1_expect(sizeof(*command) + payload_bytes <= COMMAND_BYTES && made + COMMAND_BYTES <= COMMANDS_BYTES,
                  "too many messages");
    command->bytes = (uint32_t)(sizeof(*command) + payload_bytes);
    command->kind = kind;
    command->market = MARKET_SPOT;
    command->seq = ++seq;
    command->time_ms = INT64_C(1776000000000) + (int64_t)(seq / 100);
    made += command->bytes;
    return command + 1;
}

static void *begin_signed(uint16_t kind, size_t payload_bytes)
{
    void           *payload = begin(kind, payload_bytes);
    struct command *command = (struct command *)payload - 1;

    command->domain = DOMAIN_SPOT;
    command->nonce = UINT64_C(1776000000000) + seq;
    command->signer = owner();
    return payload;
}

/* 16 hex digits of the interface's id. */
static struct client_id client_id(uint64_t id)
{
    struct client_id text = { .len = 16 };

    for (uint32_t i = 0; i < 16; i++) text.at[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    return text;
}

static void make_new(const struct flash1_new *message)
{
    struct place_orders *place = begin_signed(CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));

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
}

static void make_cancel(const struct flash1_cancel *message)
{
    struct cancel_orders *cancel = begin_signed(CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));

    cancel->account_id = ACCOUNT_FIRST;
    cancel->count = 1;
    cancel->items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = client_id(message->id) };
}

static void make_modify(const struct flash1_modify *message)
{
    struct replace_orders *replace = begin_signed(CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));

    replace->account_id = ACCOUNT_FIRST;
    replace->count = 1;
    replace->items[0] = (struct replace_order){
        .symbol_id = 1,
        .client_id = client_id(message->id),
        .orig_client_id = client_id(message->id),
        .price = decimal_make(message->price, 1),
        .quantity = decimal_make(message->quantity, 5),
    };
}

void flash1_prebuild(uint8_t type, const void *message)
{
    if (type == FLASH1_MESSAGE_NEW) make_new(message);
    else if (type == FLASH1_MESSAGE_CANCEL) make_cancel(message);
    else make_modify(message);
}

/* ---- applying ---- */

/* What the events say of the command's only item. */
struct outcome {
    bool    accepted;
    uint8_t side; /* of the interface; of the last change of an order, like the price */
    int64_t price, traded;
};

/* Reports a trade at the taker's event, which follows the maker's. */
static void tell_fill(const struct filled *fill, uint64_t sequence, uint64_t *maker, struct outcome *outcome)
{
    uint32_t id = ids[fill->order_id];

    executed[id] += (uint32_t)fill->quantity;
    if (fill->is_maker) {
        *maker = id;
        return;
    }
    outcome->traded += fill->quantity;
    flash1_tell_trade(&sink, sequence, *maker, id, fill->price, fill->quantity);
}

static struct outcome apply(const struct command *command, const struct engine_ahead *hints, uint64_t sequence)
{
    struct outcome outcome = { 0 };
    uint64_t       maker = 0;

    events.len = 0;
    engine_apply_ahead(engine, command, hints, &events);
    for (const struct event *event = events_first(&events); event != NULL; event = events_next(&events, event)) {
        const struct order_changed *order = (const void *)event;

        flash1_expect(event->kind != EVENT_REFUSED, "a command was refused");
        if (event->kind == EVENT_FILL) tell_fill((const void *)event, sequence, &maker, &outcome);
        else if (event->kind == EVENT_RESULT)
            outcome.accepted = ((const struct result *)(const void *)event)->reject == REJECT_NONE;
        else if (event->kind == EVENT_ORDER)
            outcome.side = order->side == SIDE_BUY ? FLASH1_BUY : FLASH1_SELL, outcome.price = order->price;
    }
    return outcome;
}

static void deposit(uint32_t coin_id)
{
    static const struct engine_ahead none;
    struct command                  *command = (void *)(commands + made);
    struct deposit                  *payload = begin(CMD_DEPOSIT, sizeof(*payload));

    *payload = (struct deposit){ .address = owner(), .coin_id = coin_id, .amount = MONEY, .engine = MARKET_SPOT };
    memcpy(payload->id.bytes, &seq, sizeof(seq));
    flash1_expect(apply(command, &none, 0).accepted, "a deposit was rejected");
}

/* Memory whose first bytes are in memory from the start. */
static void *map_touched(size_t map_bytes, size_t touched)
{
    uint8_t *map = bench_map(map_bytes);

    (void)madvise(map, map_bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < touched; i += 4096) ((volatile uint8_t *)map)[i] = 0;
    return map;
}

void flash1_init(uint64_t seed, const struct flash1_transport *transport, void *queue)
{
    struct genesis *g = bench_map(sizeof(*g));

    (void)seed;
    sink = (struct flash1_sink){ transport, queue };
    bare_genesis(g, &(struct limits){ .orders = FLASH1_ORDERS, .levels = FLASH1_LEVELS });
    bytes = engine_size(g);
    events = (struct events){ map_touched(engine_events_bytes(g), 0), 0, engine_events_bytes(g) };
    engine = engine_init(map_touched(bytes, bytes), g, &events);
    market = market_find(engine, 1);
    executed = map_touched(FLASH1_IDS * sizeof(*executed), FLASH1_IDS * sizeof(*executed));
    ids = map_touched(FLASH1_IDS * sizeof(*ids), FLASH1_IDS * sizeof(*ids));
    commands = map_touched(COMMANDS_BYTES, TOUCHED_BYTES);
    placed = made = seq = 0;
    munmap(g, sizeof(*g));
    deposit(0);
    deposit(1);
    looked = made;
    wait_begin();
}

void flash1_shutdown(void)
{
    munmap(engine, bytes);
    munmap(events.at, events.cap);
    munmap(executed, FLASH1_IDS * sizeof(*executed));
    munmap(ids, FLASH1_IDS * sizeof(*ids));
    munmap(commands, COMMANDS_BYTES);
}

/* The command of the message at the place: the next one that was made, or made now. */
static struct command *take_command(const struct flash1_message *message, uint32_t place)
{
    if (looked == made) flash1_prebuild(message->type, &message->placed);
    at[place] = (void *)(commands + looked);
    looked += at[place]->bytes;
    return at[place];
}

static void work_new(const struct flash1_new *message, uint32_t place)
{
    struct outcome outcome;
    int64_t        left;

    flash1_expect(message->id < FLASH1_IDS && placed + 1 < FLASH1_IDS, "too many orders");
    flash1_tell(&sink, FLASH1_ORDER_ACK, message->sequence, message->id, message->side, message->price,
                message->quantity);
    ids[++placed] = (uint32_t)message->id;
    if (executed[message->id] != 0) executed[message->id] = 0; /* a store to a distant line holds up all later ones */
    outcome = apply(at[place], &ahead[place], message->sequence);
    flash1_expect(outcome.accepted, "an order was rejected");
    left = (int64_t)message->quantity - outcome.traded;
    if (message->ioc != 0 && left != 0)
        flash1_tell(&sink, FLASH1_CANCEL_ACK, message->sequence, message->id, message->side, message->price, left);
}

static void work_cancel(const struct flash1_cancel *message, uint32_t place)
{
    struct outcome outcome = apply(at[place], &ahead[place], message->sequence);

    if (outcome.accepted)
        flash1_tell(&sink, FLASH1_CANCEL_ACK, message->sequence, message->id, outcome.side, outcome.price, 0);
    else flash1_tell(&sink, FLASH1_CANCEL_REJECT, message->sequence, message->id, 0, 0, 0);
}

/* The message names the new open quantity, the command the new total: what was executed is added. */
static void work_modify(const struct flash1_modify *message, uint32_t place)
{
    struct replace_orders *replace = (void *)(at[place] + 1);
    uint32_t               before = message->id < FLASH1_IDS ? executed[message->id] : 0;

    if (before != 0) replace->items[0].quantity = decimal_make((int64_t)message->quantity + before, 5);
    if (!apply(at[place], &ahead[place], message->sequence).accepted) {
        flash1_tell(&sink, FLASH1_MODIFY_REJECT, message->sequence, message->id, 0, 0, 0);
        return;
    }
    flash1_tell(&sink, FLASH1_MODIFY_ACK, message->sequence, message->id, message->side, message->price,
                message->quantity);
}

static void wait_work(const struct flash1_message *message, uint32_t place)
{
    if (wait_none) {
        (void)take_command(message, place);
        ahead[place] = (struct engine_ahead){ 0 };
    }
    if (message->type == FLASH1_MESSAGE_NEW) work_new(&message->placed, place);
    else if (message->type == FLASH1_MESSAGE_CANCEL) work_cancel(&message->cancel, place);
    else work_modify(&message->modify, place);
}

static void wait_far(const struct flash1_message *message, uint32_t place)
{
    ahead[place] = (struct engine_ahead){ 0 };
    if (message->placed.id < FLASH1_IDS) FETCH(&executed[message->placed.id]);
    engine_prefetch_far(engine, take_command(message, place), NULL, &ahead[place]);
}

static void wait_near(const struct flash1_message *message, uint32_t place)
{
    (void)message;
    engine_prefetch_near(engine, &ahead[place]);
}

static void wait_close(const struct flash1_message *message, uint32_t place)
{
    (void)message;
    engine_prefetch_close(engine, &ahead[place]);
}

int64_t  flash1_best_bid(void) { return wait_best(engine, market, SIDE_BUY, INT64_MIN); }
int64_t  flash1_best_ask(void) { return wait_best(engine, market, SIDE_SELL, INT64_MAX); }
uint64_t flash1_depth(int64_t price, uint8_t side) { return wait_depth(engine, market, price, side); }
