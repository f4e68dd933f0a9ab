/* SPDX-License-Identifier: MIT */
/*
 * match.c — matches a file of orders with libdojima and prints what happens to them.
 *
 *     cc match.c $(pkg-config --cflags --libs dojima) -o match && ./match market.json orders.txt
 *
 * A line of the orders: SECONDS ACCOUNT SYMBOL buy|sell PRICE QUANTITY, SECONDS after the genesis.
 */
#include <dojima/engine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dojima_genesis *genesis;
static struct dojima_engine  *engine;
static struct dojima_events   events;
static struct dojima_address  owners[64]; /* of the accounts from 1001 on */

static void *memory(size_t bytes)
{
    void *at = aligned_alloc(DOJIMA_ALIGN, (bytes + DOJIMA_ALIGN - 1) / DOJIMA_ALIGN * DOJIMA_ALIGN);

    if (at == NULL) exit(1);
    return memset(at, 0, bytes);
}

static void check(enum dojima_status status, const char *why)
{
    if (status == DOJIMA_OK) return;
    fprintf(stderr, "%s: %s\n", dojima_status_name(status), why);
    exit(1);
}

/* Prices and quantities are integers in units of the symbol: here 0.1 and 0.00001. */
static const char *text(int64_t units, uint32_t decimals)
{
    static char texts[4][32], *next = texts[0];

    next = next == texts[3] ? texts[0] : next + sizeof(texts[0]);
    dojima_decimal_write(dojima_decimal_make(units, decimals), next, sizeof(texts[0]));
    return next;
}

static void print(const struct dojima_event *event)
{
    const struct dojima_account_opened *account = (const void *)event;
    const struct dojima_result         *result = (const void *)event;
    const struct dojima_refused        *refused = (const void *)event;
    const struct dojima_traded         *trade = (const void *)event;
    const struct dojima_order_changed  *order = (const void *)event;

    if (event->kind == DOJIMA_EVENT_ACCOUNT && account->account_id - 1001 < 64)
        owners[account->account_id - 1001] = account->owner;
    if (event->kind == DOJIMA_EVENT_REFUSED) printf("  refused %s\n", dojima_reject_name(refused->reject));
    if (event->kind == DOJIMA_EVENT_RESULT && result->reject != 0)
        printf("  refused %s (%d)\n", dojima_reject_name(result->reject), dojima_reject_code(result->reject));
    if (event->kind == DOJIMA_EVENT_TRADE)
        printf("  trade %s at %s, %d buys from %d\n", text(trade->quantity, 5), text(trade->price, 1),
               (int)trade->buyer_account_id, (int)trade->seller_account_id);
    if (event->kind == DOJIMA_EVENT_ORDER || event->kind == DOJIMA_EVENT_PERPS_ORDER)
        printf("  order %d of %d is %s, %s of %s filled\n", (int)order->order_id, (int)order->account_id,
               dojima_order_status_name(order->status), text(order->executed, 5), text(order->quantity, 5));
}

static void apply(struct dojima_command *head, int64_t time_ms)
{
    head->time_ms = time_ms;
    events.bytes = 0;
    check(dojima_engine_apply(engine, head, &events), "a command");
    for (const struct dojima_event *e = dojima_events_at(&events, 0); e; e = dojima_events_next(&events, e)) print(e);
}

/* An order on either market: a head and the payload of its kind behind it. */
static void place(uint64_t account, const char *name, uint8_t side, const char *price, const char *quantity)
{
    static struct {
        struct dojima_command      head;
        struct dojima_place_orders payload;
    } spot;
    static struct {
        struct dojima_command     head;
        struct dojima_place_perps payload;
    } perps;
    struct dojima_new_order   *a = &spot.payload.items[0];
    struct dojima_perps_order *b = &perps.payload.items[0];
    char                       id[16];

    snprintf(id, sizeof(id), "order-%d", (int)dojima_engine_seq(engine));
    *a = (struct dojima_new_order){ dojima_symbol_id(genesis, DOJIMA_SPOT, name),
                                    dojima_client_id_make(id),
                                    side,
                                    DOJIMA_LIMIT,
                                    DOJIMA_GTC,
                                    { 0 },
                                    { 0, 0, 0 },
                                    { 0, 0, 0 },
                                    { 0, 0, 0 } };
    if (!dojima_decimal_read(price, strlen(price), &a->price)) check(DOJIMA_BAD_COMMAND, price);
    if (!dojima_decimal_read(quantity, strlen(quantity), &a->quantity)) check(DOJIMA_BAD_COMMAND, quantity);
    *b = (struct dojima_perps_order){ .client_id = a->client_id,
                                      .modifier = DOJIMA_NORMAL,
                                      .side = side,
                                      .type = DOJIMA_LIMIT,
                                      .time_in_force = DOJIMA_GTC,
                                      .position_side = DOJIMA_BOTH,
                                      .price = a->price,
                                      .quantity = a->quantity };
    spot.payload.account_id = perps.payload.account_id = account;
    spot.payload.count = perps.payload.count = 1;
    perps.payload.symbol_id = dojima_symbol_id(genesis, DOJIMA_PERPS, name);
    spot.head = (struct dojima_command){ .bytes = sizeof(spot.head) + 16 + sizeof(*a),
                                         .kind = DOJIMA_PLACE_ORDERS,
                                         .market = DOJIMA_SPOT,
                                         .domain = DOJIMA_IMPERSONATED | DOJIMA_DOMAIN_SPOT,
                                         .signer = owners[account % 1001 % 64] };
    perps.head = (struct dojima_command){ .bytes = sizeof(perps.head) + 24 + sizeof(*b),
                                          .kind = DOJIMA_PLACE_PERPS,
                                          .market = DOJIMA_PERPS,
                                          .signer = spot.head.signer,
                                          .domain = DOJIMA_IMPERSONATED | DOJIMA_DOMAIN_FUTURES };
    apply(a->symbol_id != 0 ? &spot.head : &perps.head, dojima_engine_time_ms(engine));
}

/* Time passes with TICKs: each instant at which the exchange wants one. */
static void pass(int64_t until_ms)
{
    struct {
        struct dojima_command head;
        struct dojima_tick    tick;
    } room = { .head = { .bytes = sizeof(room), .kind = DOJIMA_TICK } };

    for (; dojima_engine_due_ms(engine) <= until_ms; room.head.seq = 0) apply(&room.head, dojima_engine_due_ms(engine));
}

static void create(const char *path)
{
    static char         json[1 << 20];
    struct dojima_error error;
    struct dojima_setup setup = { .bytes = sizeof(setup), .abi = DOJIMA_ABI, .events = &events };
    FILE               *file = fopen(path, "r");
    size_t              length = file == NULL ? 0 : fread(json, 1, sizeof(json), file), bytes = dojima_genesis_bytes();

    check(dojima_genesis_read(memory(bytes), bytes, json, length, &genesis, &error), error.text);
    setup.genesis = genesis;
    setup.memory = memory(setup.memory_bytes = dojima_engine_bytes(genesis));
    events.at = memory(events.room = dojima_events_bytes(genesis));
    check(dojima_engine_create(&setup, &engine), "the engine");
    for (const struct dojima_event *e = dojima_events_at(&events, 0); e; e = dojima_events_next(&events, e)) print(e);
}

int main(int argc, char **argv)
{
    FILE   *orders = argc == 3 ? fopen(argv[2], "r") : NULL;
    char    symbol[32], side[8], price[32], quantity[32];
    int     seconds, account;
    uint8_t hash[32];

    if (orders == NULL) return fprintf(stderr, "usage: match GENESIS ORDERS\n"), 64;
    create(argv[1]);
    while (fscanf(orders, "%d %d %31s %7s %31s %31s", &seconds, &account, symbol, side, price, quantity) == 6) {
        pass(dojima_genesis_time_ms(genesis) + seconds * INT64_C(1000));
        printf("%d %s %s %s at %s\n", account, side, quantity, symbol, price);
        place((uint64_t)account, symbol, strcmp(side, "buy") == 0 ? DOJIMA_BUY : DOJIMA_SELL, price, quantity);
    }
    dojima_engine_hash(engine, hash);
    for (int i = 0; i < 32; i++) printf("%02x", hash[i]);
    printf("\n");
    return fclose(orders);
}
