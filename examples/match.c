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

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static const char *text_of(int64_t units, uint32_t decimals)
{
    static char texts[4][32];
    static int  next;
    char       *text = texts[next++ % 4];

    dojima_decimal_write(dojima_decimal_make(units, decimals), text, sizeof(texts[0]));
    return text;
}

static void print(const struct dojima_event *event)
{
    const struct dojima_result         *result = (const void *)event;
    const struct dojima_refused        *refused = (const void *)event;
    const struct dojima_order_changed  *order = (const void *)event;
    const struct dojima_traded         *trade = (const void *)event;
    const struct dojima_account_opened *account = (const void *)event;
    uint32_t                            price = 0, quantity = 0;

    if (event->kind == DOJIMA_EVENT_ACCOUNT && account->account_id - 1001 < 64) {
        owners[account->account_id - 1001] = account->owner;
    } else if (event->kind == DOJIMA_EVENT_RESULT && result->reject != 0) {
        printf("  refused %s (%d)\n", dojima_reject_name(result->reject), dojima_reject_code(result->reject));
    } else if (event->kind == DOJIMA_EVENT_REFUSED) {
        printf("  refused %s (%d)\n", dojima_reject_name(refused->reject), dojima_reject_code(refused->reject));
    } else if (event->kind == DOJIMA_EVENT_TRADE) {
        dojima_symbol_units(genesis, event->market, trade->symbol_id, &price, &quantity);
        printf("  trade %s at %s, %lu buys from %lu\n", text_of(trade->quantity, quantity),
               text_of(trade->price, price), (unsigned long)trade->buyer_account_id,
               (unsigned long)trade->seller_account_id);
    } else if (event->kind == DOJIMA_EVENT_ORDER || event->kind == DOJIMA_EVENT_PERPS_ORDER) {
        dojima_symbol_units(genesis, event->market, order->symbol_id, &price, &quantity);
        printf("  order %lu of %lu is %s, %s of %s filled\n", (unsigned long)order->order_id,
               (unsigned long)order->account_id, dojima_order_status_name(order->status),
               text_of(order->executed, quantity), text_of(order->quantity, quantity));
    }
}

static void print_all(void)
{
    const struct dojima_event *event = dojima_events_at(&events, 0);

    for (; event != NULL; event = dojima_events_next(&events, event)) print(event);
    events.bytes = 0;
}

static void apply(struct dojima_command *head, int64_t time_ms)
{
    enum dojima_status status;

    head->time_ms = time_ms;
    status = dojima_engine_apply(engine, head, &events);
    if (status != DOJIMA_OK) stop("the command was not applied", dojima_status_name(status));
    print_all();
}

/* Time passes with TICKs: each instant at which the exchange wants one. */
static void pass(int64_t until_ms)
{
    for (int64_t due = dojima_engine_due_ms(engine); due <= until_ms; due = dojima_engine_due_ms(engine)) {
        struct {
            struct dojima_command head;
            struct dojima_tick    tick;
        } room = { { 0 }, { 0 } };

        room.head.bytes = sizeof(room);
        room.head.kind = DOJIMA_TICK;
        apply(&room.head, due);
    }
}

/* Orders of one item, on either market. */
struct place_spot {
    struct dojima_command      head;
    struct dojima_place_orders payload;
};
struct place_perps {
    struct dojima_command     head;
    struct dojima_place_perps payload;
};

static struct dojima_decimal decimal(const char *text)
{
    struct dojima_decimal value;

    if (!dojima_decimal_read(text, strlen(text), &value)) stop(text, "not a decimal number");
    return value;
}

static struct dojima_command head_of(uint8_t market, uint16_t kind, uint64_t account, size_t payload)
{
    struct dojima_command head = { .bytes = (uint32_t)(sizeof(head) + payload), .kind = kind, .market = market };

    head.domain = DOJIMA_IMPERSONATED | (market == DOJIMA_PERPS ? DOJIMA_DOMAIN_FUTURES : DOJIMA_DOMAIN_SPOT);
    if (account - 1001 < 64) head.signer = owners[account - 1001];
    return head;
}

static void place(uint64_t account, const char *name, uint8_t side, const char *price, const char *quantity, int number)
{
    static struct place_spot   spot;
    static struct place_perps  perps;
    struct dojima_new_order   *a = &spot.payload.items[0];
    struct dojima_perps_order *b = &perps.payload.items[0];
    char                       id[16];
    uint32_t                   symbol = dojima_symbol_id(genesis, DOJIMA_SPOT, name);
    size_t                     a_bytes = offsetof(struct dojima_place_orders, items) + sizeof(*a);
    size_t                     b_bytes = offsetof(struct dojima_place_perps, items) + sizeof(*b);

    snprintf(id, sizeof(id), "line-%d", number);
    spot.head = head_of(DOJIMA_SPOT, DOJIMA_PLACE_ORDERS, account, a_bytes);
    perps.head = head_of(DOJIMA_PERPS, DOJIMA_PLACE_PERPS, account, b_bytes);
    spot.payload.account_id = perps.payload.account_id = account;
    spot.payload.count = perps.payload.count = 1;
    *a = (struct dojima_new_order){ symbol,         dojima_client_id_make(id), side, DOJIMA_LIMIT, DOJIMA_GTC, { 0 },
                                    decimal(price), decimal(quantity),         { 0 } };
    *b =
        (struct dojima_perps_order){ a->client_id, DOJIMA_NORMAL, side,  DOJIMA_LIMIT, DOJIMA_GTC, 0, 0, DOJIMA_BOTH, 0,
                                     a->price,     a->quantity,   { 0 }, { 0 } };
    perps.payload.symbol_id = dojima_symbol_id(genesis, DOJIMA_PERPS, name);
    apply(symbol != 0 ? &spot.head : &perps.head, dojima_engine_time_ms(engine));
}

static void create(const char *path)
{
    static char         json[1 << 20];
    struct dojima_error error;
    struct dojima_setup setup = { .bytes = sizeof(setup), .abi = DOJIMA_ABI, .events = &events };
    FILE               *file = fopen(path, "r");
    size_t              length = file == NULL ? 0 : fread(json, 1, sizeof(json), file);
    enum dojima_status  status =
        dojima_genesis_read(memory(dojima_genesis_bytes()), dojima_genesis_bytes(), json, length, &genesis, &error);

    if (status != DOJIMA_OK) stop(path, error.text);
    fclose(file);
    setup.genesis = genesis;
    setup.memory = memory(setup.memory_bytes = dojima_engine_bytes(genesis));
    events.at = memory(events.room = dojima_events_bytes(genesis));
    status = dojima_engine_create(&setup, &engine);
    if (status != DOJIMA_OK) stop("no engine", dojima_status_name(status));
    print_all();
}

int main(int argc, char **argv)
{
    FILE              *orders = argc == 3 ? fopen(argv[2], "r") : NULL;
    char               symbol[32], side[8], price[32], quantity[32];
    unsigned long long seconds, account;
    uint8_t            hash[32];

    if (orders == NULL) stop("usage", "match GENESIS ORDERS");
    create(argv[1]);
    for (int line = 1;
         fscanf(orders, "%llu %llu %31s %7s %31s %31s", &seconds, &account, symbol, side, price, quantity) == 6;
         line++) {
        pass(dojima_genesis_time_ms(genesis) + (int64_t)seconds * 1000);
        printf("%d: %llu %s %s %s at %s\n", line, account, side, quantity, symbol, price);
        place(account, symbol, strcmp(side, "buy") == 0 ? DOJIMA_BUY : DOJIMA_SELL, price, quantity, line);
    }
    fclose(orders);
    dojima_engine_verify(engine);
    dojima_engine_hash(engine, hash);
    printf("state ");
    for (int i = 0; i < 32; i++) printf("%02x", hash[i]);
    printf("\n");
    return 0;
}
