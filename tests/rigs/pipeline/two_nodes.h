/* SPDX-License-Identifier: MIT */
/* two_nodes.h — two nodes in one thread, with one log in memory, for tests: a and b, each with a pipeline of its own.
 */
#ifndef RIGS_PIPELINE_TWO_NODES_H
#define RIGS_PIPELINE_TWO_NODES_H

#include "io/clock.h"
#include "rigs/pipeline/shared_log.h"
#include "rigs/pipeline/turn_rig.h"

#define FAR_NS (INT64_C(3600) * 1000000000)

struct node {
    struct rig        rig;
    struct shared_log log;
    struct leadership lead;
};

static struct shared_store store;
static struct node        *a, *b;

static inline struct node *open_node(int64_t time_ms)
{
    struct node   *node = aligned_alloc(64, align_up(sizeof(*node), 64));
    struct rig    *rig;
    struct server *server;
    char           error[256];
    struct slice   json;

    assert_non_null(node);
    memset(node, 0, sizeof(*node));
    rig = &node->rig;
    server = &rig->server;
    rig->memory = aligned_alloc(64, 2 << 20);
    assert_true(config_read(CONFIG, "test", false, &rig->config, error, sizeof(error)));
    rig->config.genesis.time_ms = time_ms; /* time and secret are the log's */
    memset(rig->config.genesis.table_secret, 0, sizeof(rig->config.genesis.table_secret));
    shared_open(&node->log, &store);
    leadership_init(&node->lead, 1);
    json = genesis_write(&rig->config.genesis);
    assert_true(exchange_init(&server->exchange, &rig->config.genesis, json, true, false));
    free((void *)(uintptr_t)json.at);
    server->lead = &node->lead;
    assert_true(server_prepare(server, &node->log.head));
    server->commit.inline_writes = true;
    ring_init(&rig->writes, rig->memory, 1 << 20);
    ring_init(&rig->replies, rig->memory + (1 << 20), 1 << 20);
    server->writes[0] = &rig->writes;
    server->replies[0] = &rig->replies;
    server->thread_count = server->ring_count = 1;
    return node;
}

static inline void close_node(struct node *node)
{
    exchange_close(&node->rig.server.exchange);
    free(node->rig.memory);
    free(node);
}

static inline int open_two(void **state)
{
    int64_t time_ms = clock_wall_ms();

    (void)state;
    a = open_node(time_ms);
    b = open_node(time_ms);
    return 0;
}

static inline int close_two(void **state)
{
    (void)state;
    close_node(a);
    close_node(b);
    shared_forget(&store);
    return 0;
}

static inline void turn(struct node *node)
{
    while (server_turn(&node->rig.server) != 0) {}
}

/* The lease of a node: it may lead, from now on and for long. */
static inline void lease(struct node *node)
{
    atomic_store(&node->lead.until_ns, clock_mono_ns() + FAR_NS);
    atomic_store(&node->lead.wish, WISH_LEAD);
}

static inline void lose_lease(struct node *node)
{
    atomic_store(&node->lead.until_ns, 0);
    atomic_store(&node->lead.wish, WISH_FOLLOW);
}

static inline void make_leader(struct node *node)
{
    lease(node);
    turn(node);
    assert_int_equal(atomic_load(&node->rig.server.shared.role), NODE_LEADER);
}

/* The next reply: REJECT_NONE for a command that was applied. */
static inline enum reject next_reply(struct node *node, uint32_t request)
{
    uint64_t                    bytes = 0;
    const struct reply_message *reply = ring_peek(&node->rig.replies, &bytes);
    const struct event         *event;
    enum reject                 reject;

    assert_non_null(reply);
    assert_int_equal(reply->origin, origin(request));
    event = (const struct event *)(const void *)(reply + 1);
    reject = event->kind == EVENT_REFUSED ? (enum reject)((const struct refused *)(const void *)event)->reject
                                          : (enum reject)((const struct result *)(const void *)event)->reject;
    assert_int_equal(reply->lost, reject == REJECT_NO_LEADER || reject == REJECT_OUTCOME_UNKNOWN);
    assert_int_equal(reply->reply_bytes, reply_bytes_max(1)); /* the gateway takes back the room it had promised */
    ring_next(&node->rig.replies);
    return reject;
}

static inline void assert_same_state(void)
{
    struct hash256 one = engine_hash(a->rig.server.exchange.engine), two = engine_hash(b->rig.server.exchange.engine);

    assert_memory_equal(one.bytes, two.bytes, 32);
    assert_memory_equal(&a->rig.server.exchange.blocks.applied, &b->rig.server.exchange.blocks.applied,
                        sizeof(struct log_applied));
}

static inline uint64_t applied(const struct node *node) { return engine_seq(node->rig.server.exchange.engine); }

#endif
