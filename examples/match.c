/* SPDX-License-Identifier: MIT */
/*
 * match.c — matches a file of spot orders with libdojima and prints what happens to them.
 *
 *     cc match.c $(pkg-config --cflags --libs dojima) -o match && ./match market.json orders.txt
 *
 * A line of the orders: ACCOUNT SYMBOL buy|sell PRICE QUANTITY. All happen at the time of the genesis.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign, with -std=c99 too */

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
    void *at;

    if (posix_memalign(&at, DOJIMA_ALIGN, bytes) != 0) exit(1);
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
    static char texts[2][32], *next = texts[0];

    next = next == texts[0] ? texts[1] : texts[0];
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
    if (event->kind == DOJIMA_EVENT_ORDER)
        printf("  order %d of %d is %s, %s of %s filled\n", (int)order->order_id, (int)order->account_id,
               dojima_order_status_name(order->status), text(order->executed, 5), text(order->quantity, 5));
}

static void print_all(void)
{
    for (const struct dojima_event *e = dojima_events_at(&events, 0); e; e = dojima_events_next(&events, e)) print(e);
    events.bytes = 0;
}

static void place(uint64_t account, const char *symbol, uint8_t side, const char *price, const char *quantity)
{
    struct {
        struct dojima_command      head;
        struct dojima_place_orders payload;
    } room = { .head = { .bytes = sizeof(room.head) + 16 + sizeof(room.payload.items[0]),
                         .kind = DOJIMA_PLACE_ORDERS,
                         .market = DOJIMA_SPOT,
                         .domain = DOJIMA_IMPERSONATED | DOJIMA_DOMAIN_SPOT,
                         .signer = owners[account % 1001 % 64] },
               .payload = { .account_id = account, .count = 1 } };
    struct dojima_new_order *order = &room.payload.items[0];
    char                     id[32];

    snprintf(id, sizeof(id), "order-%d", (int)dojima_engine_seq(engine));
    order->symbol_id = dojima_symbol_id(genesis, DOJIMA_SPOT, symbol);
    order->client_id = dojima_client_id_make(id);
    order->side = side;
    order->type = DOJIMA_LIMIT;
    order->time_in_force = DOJIMA_GTC;
    if (!dojima_decimal_read(price, strlen(price), &order->price)) check(DOJIMA_BAD_COMMAND, price);
    if (!dojima_decimal_read(quantity, strlen(quantity), &order->quantity)) check(DOJIMA_BAD_COMMAND, quantity);
    room.head.time_ms = dojima_engine_time_ms(engine);
    check(dojima_engine_apply(engine, &room.head, &events), "a command");
    print_all();
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
    print_all();
}

int main(int argc, char **argv)
{
    FILE   *orders = argc == 3 ? fopen(argv[2], "r") : NULL;
    char    symbol[32], side[8], price[32], quantity[32];
    int     account;
    uint8_t hash[32];

    if (orders == NULL) return fprintf(stderr, "usage: match GENESIS ORDERS\n"), 64;
    create(argv[1]);
    while (fscanf(orders, "%d %31s %7s %31s %31s", &account, symbol, side, price, quantity) == 5) {
        printf("%d %s %s %s at %s\n", account, side, quantity, symbol, price);
        place((uint64_t)account, symbol, strcmp(side, "buy") == 0 ? DOJIMA_BUY : DOJIMA_SELL, price, quantity);
    }
    dojima_engine_hash(engine, hash);
    for (int i = 0; i < 32; i++) printf("%02x", hash[i]);
    printf("\n");
    return fclose(orders);
}
