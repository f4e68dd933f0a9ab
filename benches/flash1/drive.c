/* SPDX-License-Identifier: MIT */
/*
 * drive.c — both adapters on the same messages: their reports must be equal to the byte, and so must the answers to
 * queries and a plain matcher of this file. Each flow is played in several ways: the messages announced before or not,
 * waiting or not, the reports through a transport of this file or the adapter's own queue.
 *
 *   flash1_drive BOOK.so ENGINE.so [MESSAGES]
 *
 * Five flows: near a middle, walking, wide and sparse, much taken at once, and levels that come and go. A cancel or a
 * change may be of an order that has ended.
 */
#include "abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 20000
#define IDS      (1u << 20)
#define ROOM     (1u << 20)

struct adapter {
    void (*init)(uint64_t, const struct flash1_transport *, void *);
    void (*shutdown)(void);
    void (*placed)(const struct flash1_new *);
    void (*cancel)(const struct flash1_cancel *);
    void (*modify)(const struct flash1_modify *);
    void (*prebuild)(uint8_t, const void *); /* NULL: it has none */
    void (*flush)(void);
    const struct flash1_transport *(*get_transport)(void);
    int64_t (*best_bid)(void);
    int64_t (*best_ask)(void);
    uint64_t (*depth)(int64_t, uint8_t);
};

/* All reports of a run. */
struct reports {
    struct flash1_report *at;
    uint32_t              count;
};

static struct reports played; /* of the adapter */

static void fail(const char *what)
{
    printf("WRONG: %s\n", what);
    exit(1);
}

static int push(void *queue, const struct flash1_report *report)
{
    struct reports *reports = queue;

    if (reports->count == ROOM) fail("more reports than fit");
    reports->at[reports->count++] = *report;
    return 1;
}

static const struct flash1_transport transport = { .push = push };

static void *symbol(void *library, const char *name)
{
    void *at = dlsym(library, name);

    if (at == NULL) fail(name);
    return at;
}

#define LOAD(member, name) *(void **)&adapter.member = symbol(library, name)
static struct adapter load(const char *path)
{
    struct adapter adapter;
    void          *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) fail(dlerror());
    LOAD(init, "engine_init");
    LOAD(shutdown, "engine_shutdown");
    LOAD(placed, "engine_on_new_order");
    LOAD(cancel, "engine_on_cancel");
    LOAD(modify, "engine_on_modify");
    LOAD(flush, "engine_flush");
    LOAD(get_transport, "engine_get_transport");
    *(void **)&adapter.prebuild = dlsym(library, "engine_prebuild");
    LOAD(best_bid, "engine_query_best_bid");
    LOAD(best_ask, "engine_query_best_ask");
    LOAD(depth, "engine_query_depth_at");
    return adapter;
}

/* ---- the plain matcher: a list of resting orders in the order of their placement ---- */

struct resting {
    uint64_t id;
    int64_t  price;
    uint32_t quantity;
    uint8_t  side;
};

struct plain {
    struct resting *at;
    uint32_t        count;
    struct reports  reports;
};

static uint32_t plain_find(const struct plain *plain, uint64_t id)
{
    uint32_t i = 0;

    while (i < plain->count && plain->at[i].id != id) i++;
    return i;
}

static void plain_remove(struct plain *plain, uint32_t i)
{
    memmove(&plain->at[i], &plain->at[i + 1], (plain->count - i - 1) * sizeof(*plain->at));
    plain->count -= 1;
}

static bool crosses(const struct resting *maker, uint8_t side, int64_t price)
{
    return maker->side != side && (side == FLASH1_BUY ? maker->price <= price : maker->price >= price);
}

/* The oldest one at the best price, or count. */
static uint32_t plain_best(const struct plain *plain, uint8_t side, int64_t price)
{
    uint32_t best = plain->count;

    for (uint32_t i = 0; i < plain->count; i++) {
        const struct resting *maker = &plain->at[i];

        if (!crosses(maker, side, price)) continue;
        if (best == plain->count
            || (side == FLASH1_BUY ? maker->price < plain->at[best].price : maker->price > plain->at[best].price))
            best = i;
    }
    return best;
}

static uint32_t plain_match(struct plain *plain, uint64_t sequence, struct resting taker)
{
    uint32_t best;

    while (taker.quantity != 0 && (best = plain_best(plain, taker.side, taker.price)) != plain->count) {
        struct resting *maker = &plain->at[best];
        uint32_t        quantity = maker->quantity < taker.quantity ? maker->quantity : taker.quantity;

        push(&plain->reports, &(struct flash1_report){ .type = FLASH1_TRADE,
                                                       .sequence = sequence,
                                                       .price = maker->price,
                                                       .quantity = quantity,
                                                       .maker = maker->id,
                                                       .taker = taker.id });
        maker->quantity -= quantity;
        taker.quantity -= quantity;
        if (maker->quantity == 0) plain_remove(plain, best);
    }
    return taker.quantity;
}

static void plain_tell(struct plain *plain, uint8_t type, uint64_t sequence, const struct resting *order)
{
    push(&plain->reports, &(struct flash1_report){ .type = type,
                                                   .side = order->side,
                                                   .sequence = sequence,
                                                   .id = order->id,
                                                   .price = order->price,
                                                   .quantity = order->quantity });
}

static void plain_new(struct plain *plain, const struct flash1_new *message)
{
    struct resting order = { message->id, message->price, message->quantity, message->side };

    plain_tell(plain, FLASH1_ORDER_ACK, message->sequence, &order);
    order.quantity = plain_match(plain, message->sequence, order);
    if (order.quantity == 0) return;
    if (message->ioc != 0) plain_tell(plain, FLASH1_CANCEL_ACK, message->sequence, &order);
    else plain->at[plain->count++] = order;
}

static void plain_end(struct plain *plain, const struct flash1_message *message)
{
    bool           cancels = message->type == FLASH1_MESSAGE_CANCEL;
    uint64_t       sequence = cancels ? message->cancel.sequence : message->modify.sequence;
    struct resting order = { .id = cancels ? message->cancel.id : message->modify.id };
    uint32_t       i = plain_find(plain, order.id);

    if (i == plain->count) {
        plain_tell(plain, cancels ? FLASH1_CANCEL_REJECT : FLASH1_MODIFY_REJECT, sequence, &order);
        return;
    }
    order = plain->at[i];
    plain_remove(plain, i);
    if (cancels) {
        order.quantity = 0;
        plain_tell(plain, FLASH1_CANCEL_ACK, sequence, &order);
        return;
    }
    order.price = message->modify.price;
    order.quantity =
        plain_match(plain, sequence, (struct resting){ order.id, order.price, message->modify.quantity, order.side });
    if (order.quantity != 0) plain->at[plain->count++] = order;
    order.quantity = message->modify.quantity;
    plain_tell(plain, FLASH1_MODIFY_ACK, sequence, &order);
}

/* ---- flows ---- */

struct flow {
    const char *name;
    int64_t     width, walk;              /* of prices around the middle; of the middle, in 1,000 messages */
    uint32_t    cancels, modifies, takes; /* per cent; the rest is placed */
};

static const struct flow flows[] = {
    { "near", 40, 0, 35, 10, 10 },
    { "walking", 60, 400, 35, 10, 10 },
    { "sparse", 400000, 0, 30, 5, 5 },
    { "taken at once", 200, 0, 5, 5, 4 },
    { "levels come and go", 3000, 50, 48, 0, 0 },
};

static uint64_t random_state;

static uint64_t draw(uint64_t count)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return (random_state >> 8) % count;
}

/* Prices of a side gather behind the middle and now and then cross it. */
static int64_t draw_price(const struct flow *flow, int64_t middle, uint8_t side)
{
    int64_t far = (int64_t)draw((uint64_t)flow->width) - flow->width / 20;

    return side == FLASH1_BUY ? middle - far : middle + 1 + far;
}

static void draw_flow(const struct flow *flow, struct flash1_message *messages, uint32_t count)
{
    uint64_t id = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct flash1_message *message = &messages[i];
        int64_t                middle = 1000000 + flow->walk * i / 1000;
        uint64_t               roll = draw(100), target = 1 + (id == 0 ? 0 : id - 1 - draw(id < 900 ? id : 900));
        uint8_t                side = (uint8_t)draw(2);
        uint32_t               quantity = 1 + (uint32_t)draw(100);

        *message = (struct flash1_message){ 0 };
        if (roll < flow->cancels && id != 0) {
            message->type = FLASH1_MESSAGE_CANCEL;
            message->cancel = (struct flash1_cancel){ target, i + 1 };
        } else if (roll < flow->cancels + flow->modifies && id != 0) {
            message->type = FLASH1_MESSAGE_MODIFY;
            for (uint32_t back = i; back-- > 0;)
                if (messages[back].type == FLASH1_MESSAGE_NEW && messages[back].placed.id == target) {
                    side = messages[back].placed.side;
                    break;
                }
            message->modify = (struct flash1_modify){ .id = target,
                                                      .sequence = i + 1,
                                                      .quantity = quantity,
                                                      .side = side,
                                                      .price = draw_price(flow, middle, side) };
        } else {
            bool takes = roll >= 100 - flow->takes;
            message->placed = (struct flash1_new){ .id = ++id, .sequence = i + 1, .side = side, .ioc = takes };
            message->placed.quantity = takes ? quantity * 20 : quantity;
            message->placed.price =
                takes ? middle + (side == FLASH1_BUY ? flow->width : -flow->width) : draw_price(flow, middle, side);
        }
    }
}

/* Best prices and depths along the way, as reports of a type of their own, so that they are compared with the rest. */
static void ask(const struct adapter *adapter, const struct flash1_message *message, struct reports *reports)
{
    int64_t price = message->type == FLASH1_MESSAGE_NEW ? message->placed.price : 1000000;

    push(reports, &(struct flash1_report){ .type = 255,
                                           .price = adapter->best_bid(),
                                           .maker = (uint64_t)adapter->best_ask(),
                                           .id = adapter->depth(price, FLASH1_BUY),
                                           .taker = adapter->depth(price, FLASH1_SELL) });
}

static void plain_ask(struct plain *plain, const struct flash1_message *message)
{
    int64_t              price = message->type == FLASH1_MESSAGE_NEW ? message->placed.price : 1000000;
    struct flash1_report report = { .type = 255, .price = INT64_MIN, .maker = (uint64_t)INT64_MAX };

    for (uint32_t i = 0; i < plain->count; i++) {
        const struct resting *order = &plain->at[i];

        if (order->side == FLASH1_BUY && order->price > report.price) report.price = order->price;
        if (order->side == FLASH1_SELL && order->price < (int64_t)report.maker) report.maker = (uint64_t)order->price;
        if (order->price != price) continue;
        if (order->side == FLASH1_BUY) report.id += order->quantity;
        else report.taker += order->quantity;
    }
    push(&plain->reports, &report);
}

#define RUN 7 /* messages between two queries */

/* A way of playing a flow. */
struct way {
    const char *name;
    bool        announced, waits, own_queue;
};

static const struct way ways[] = {
    { "one at a time", false, false, false },
    { "waiting", false, true, false },
    { "announced", true, false, false },
    { "announced, waiting, through its own queue", true, true, true },
};

static void deliver(const struct adapter *adapter, const struct flash1_message *message)
{
    if (message->type == FLASH1_MESSAGE_NEW) adapter->placed(&message->placed);
    else if (message->type == FLASH1_MESSAGE_CANCEL) adapter->cancel(&message->cancel);
    else adapter->modify(&message->modify);
}

static void drain(const struct flash1_transport *own, void *queue, struct reports *reports)
{
    own->flush(queue);
    reports->count += own->drain(queue, reports->at + reports->count, ROOM - reports->count);
}

static void play(const struct adapter *adapter, const struct way *way, const struct flash1_message *messages,
                 uint32_t count, struct reports *reports)
{
    const struct flash1_transport *own = way->own_queue ? adapter->get_transport() : NULL;
    void                          *queue = own != NULL ? own->create(1u << 12) : NULL;

    reports->count = 0;
    if (own != NULL) adapter->init(1, own, queue);
    else adapter->init(1, &transport, reports);
    for (uint32_t i = 0; i < count && way->announced && adapter->prebuild != NULL; i++)
        adapter->prebuild(messages[i].type, &messages[i].placed);
    for (uint32_t i = 0; i < count; i++) {
        deliver(adapter, &messages[i]);
        if (i % RUN != RUN - 1 && i != count - 1) continue;
        (void)adapter->best_bid(); /* the adapter runs waiting messages before it answers */
        if (own != NULL) drain(own, queue, reports);
        ask(adapter, &messages[i], reports);
    }
    adapter->flush();
    if (own != NULL) {
        drain(own, queue, reports);
        own->destroy(queue);
    }
    adapter->shutdown();
}

/* ---- the adapter's own queue between two threads ---- */

#define PASSED 300000

struct passing {
    const struct flash1_transport *own;
    void                          *queue;
};

static void *pass(void *arg)
{
    const struct passing *passing = arg;

    for (uint64_t i = 1; i <= PASSED; i++) {
        struct flash1_report report = { .type = (uint8_t)(i % 6), .side = i % 2, .sequence = i, .id = i * 3 };

        report.price = -(int64_t)i, report.quantity = (uint32_t)i, report.maker = i + 1, report.taker = i + 2;
        while (passing->own->push(passing->queue, &report) == 0) {}
    }
    passing->own->flush(passing->queue);
    return NULL;
}

/* A queue that is full most of the time passes every report once, whole and in order. */
static void check_queue(const struct adapter *adapter)
{
    struct passing       passing = { .own = adapter->get_transport() };
    struct flash1_report some[100];
    pthread_t            thread;

    passing.queue = passing.own->create(40);
    if (passing.queue == NULL || pthread_create(&thread, NULL, pass, &passing) != 0) fail("no memory");
    for (uint64_t i = 1; i <= PASSED;) {
        uint32_t count = passing.own->drain(passing.queue, some, 100);

        for (uint32_t k = 0; k < count; k++, i++) {
            struct flash1_report report = { .type = (uint8_t)(i % 6), .side = i % 2, .sequence = i, .id = i * 3 };

            report.price = -(int64_t)i, report.quantity = (uint32_t)i, report.maker = i + 1, report.taker = i + 2;
            if (memcmp(&report, &some[k], sizeof(report)) != 0) fail("the queue changed a report");
        }
    }
    (void)pthread_join(thread, NULL);
    if (passing.own->drain(passing.queue, some, 100) != 0) fail("the queue has one report more");
    passing.own->destroy(passing.queue);
}

static void play_plain(struct plain *plain, const struct flash1_message *messages, uint32_t count)
{
    plain->count = plain->reports.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (messages[i].type == FLASH1_MESSAGE_NEW) plain_new(plain, &messages[i].placed);
        else plain_end(plain, &messages[i]);
        if (i % RUN == RUN - 1 || i == count - 1) plain_ask(plain, &messages[i]);
    }
}

static void compare(const struct flow *flow, const char *name, const struct way *way, const struct reports *a,
                    const struct reports *b)
{
    uint32_t i = 0;

    while (i < a->count && i < b->count && memcmp(&a->at[i], &b->at[i], sizeof(*a->at)) == 0) i++;
    if (i == a->count && i == b->count) return;
    printf("WRONG: %s: %s, %s, differs from the plain matcher at report %u of %u and %u\n", flow->name, name, way->name,
           i, a->count, b->count);
    exit(1);
}

/* One adapter, in all ways. */
static void play_ways(const struct flow *flow, const char *name, const char *path,
                      const struct flash1_message *messages, uint32_t count, const struct reports *expected)
{
    struct adapter adapter = load(path);

    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        (void)setenv("DOJIMA_FLASH1_WAIT", ways[w].waits ? "6" : "0", 1);
        play(&adapter, &ways[w], messages, count, &played);
        compare(flow, name, &ways[w], &played, expected);
    }
}

int main(int argc, char **argv)
{
    struct plain           plain = { .at = calloc(IDS, sizeof(struct resting)) };
    uint32_t               count = argc > 3 ? (uint32_t)atoi(argv[3]) : MESSAGES;
    struct flash1_message *messages = calloc(count, sizeof(*messages));

    plain.reports.at = calloc(ROOM, sizeof(struct flash1_report));
    played.at = calloc(ROOM, sizeof(struct flash1_report));
    if (argc < 3) fail("usage: flash1_drive BOOK.so ENGINE.so [MESSAGES]");
    if (plain.at == NULL || plain.reports.at == NULL || played.at == NULL || messages == NULL) fail("no memory");
    for (int i = 1; i <= 2; i++) {
        struct adapter adapter = load(argv[i]);

        check_queue(&adapter);
    }
    for (size_t f = 0; f < sizeof(flows) / sizeof(flows[0]); f++) {
        random_state = 88172645463325252u + f;
        draw_flow(&flows[f], messages, count);
        play_plain(&plain, messages, count);
        for (int i = 1; i <= 2; i++)
            play_ways(&flows[f], i == 1 ? "the book" : "the engine", argv[i], messages, count, &plain.reports);
        printf("%s: %u messages, %u reports and answers, book and engine as the plain matcher\n", flows[f].name, count,
               plain.reports.count);
    }
    return 0;
}
