/* SPDX-License-Identifier: MIT */
/* What the I/O threads are told of nonces, over a real pipeline: before, while and after a command is applied. */
#include "pipeline/nonce_query.h"
#include "rigs/pipeline/two_nodes.h"

static struct nonce_query query;

struct signed_cancel {
    struct command       head;
    struct cancel_orders cancels;
};

/* A cancel that the depositor of the rig has signed with this nonce. */
static struct signed_cancel cancel_of(uint64_t nonce)
{
    struct signed_cancel cancel = { 0 };

    cancel.head.kind = CMD_CANCEL_ORDERS;
    cancel.head.bytes = (uint32_t)(sizeof(cancel.head) + PAYLOAD_BYTES(cancel_orders, 1));
    cancel.head.market = MARKET_SPOT;
    cancel.head.domain = DOMAIN_SPOT;
    cancel.head.chain_id = 77;
    cancel.head.nonce = nonce;
    cancel.head.payload_tag = 5;
    cancel.head.signer = (struct address){ { 1, 2, 3 } };
    cancel.cancels.count = 1;
    cancel.cancels.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = { .len = 1, .at = "x" } };
    return cancel;
}

static void send_cancel(struct rig *rig, uint32_t request, uint64_t nonce)
{
    struct signed_cancel cancel = cancel_of(nonce);

    send_command(rig, origin(request), &cancel.head, SLICE("{}"), 0);
}

/* The reason of a refusal at the door, NONCE_OK when it lets it pass. */
static enum nonce_reason ask_of(uint64_t nonce, struct refused *refused)
{
    struct signed_cancel cancel = cancel_of(nonce);

    memset(refused, 0, sizeof(*refused));
    return nonce_query_refuses(&query, &cancel.head, refused) ? (enum nonce_reason)refused->nonce_reason : NONCE_OK;
}

static enum nonce_reason reason_of(uint64_t nonce)
{
    struct refused refused;

    return ask_of(nonce, &refused);
}

static void drop_replies(struct rig *rig)
{
    uint64_t bytes;

    while (ring_peek(&rig->replies, &bytes) != NULL) ring_next(&rig->replies);
}

static void open_query(struct rig *rig)
{
    memset(&query, 0, sizeof(query));
    nonce_query_open(&query, &rig->server.exchange.engine);
    rig->server.exchange.nonce_query = &query;
    send_deposit(rig, 0, 1, 1000);
    turn_until_still(rig);
}

static int open_one(void **state)
{
    make(state);
    open_query(*state);
    return 0;
}

static int close_one(void **state)
{
    nonce_query_close(&query);
    return unmake(state);
}

static void a_nonce_is_used_once_it_is_applied_and_not_before(void **state)
{
    struct rig    *rig = *state;
    uint64_t       now = (uint64_t)clock_wall_ms();
    struct refused refused;

    assert_int_equal(reason_of(now), NONCE_OK);
    send_cancel(rig, 1, now);
    assert_int_equal(server_turn(&rig->server), 2); /* collected, and submitted */
    assert_int_equal(reason_of(now), NONCE_OK);     /* in flight: its second copy gets the engine's answer */
    turn_until_still(rig);
    assert_int_equal(ask_of(now, &refused), NONCE_USED);
    assert_int_equal(refused.used_seq, engine_seq(rig->server.exchange.engine));
    assert_int_equal(refused.same_payload, 1);
    assert_int_equal(refused.nonce, now);
    assert_int_equal(ask_of(now - 1, &refused), NONCE_TOO_SMALL);
    assert_int_equal(refused.smallest, now);
    assert_int_equal(reason_of(now + 1), NONCE_OK);
    assert_int_equal(reason_of(now), NONCE_USED);
    drop_replies(rig);
}

static void a_late_nonce_passes_and_is_used_then(void **state)
{
    struct rig *rig = *state;
    uint64_t    now = (uint64_t)clock_wall_ms();

    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(reason_of(now + 10 * i), NONCE_OK);
        send_cancel(rig, i, now + 10 * i);
    }
    turn_until_still(rig);
    assert_int_equal(reason_of(now + 15), NONCE_OK);
    assert_int_equal(reason_of(now + 15), NONCE_OK); /* it was not sent: nothing has used it */
    send_cancel(rig, 3, now + 15);
    turn_until_still(rig);
    assert_int_equal(reason_of(now + 15), NONCE_USED);
    assert_int_equal(reason_of(now + 14), NONCE_OK);
    drop_replies(rig);
}

/* As behind a restart: the engine knows, the table does not; neither of what was used ahead of the clock. */
static void an_empty_table_asks_the_engine(void **state)
{
    struct rig *rig = *state;
    uint64_t    now = (uint64_t)clock_wall_ms();

    send_cancel(rig, 1, now);
    send_cancel(rig, 2, now + 5000);
    turn_until_still(rig);
    memset(query.rows, 0, sizeof(query.rows));
    assert_int_equal(reason_of(now), NONCE_USED);
    assert_int_equal(reason_of(now + 1), NONCE_OK);
    assert_int_equal(reason_of(now + 5000), NONCE_USED);
    drop_replies(rig);
}

/* Whoever has no account gets no row, so strangers take none from others. */
static void only_signers_with_an_account_have_a_row(void **state)
{
    struct signed_cancel cancel = cancel_of((uint64_t)clock_wall_ms());
    struct refused       refused;

    (void)state;
    assert_int_equal(reason_of(cancel.head.nonce), NONCE_OK);
    for (uint32_t i = 0; i < 100; i++) { /* all in the same cache line */
        cancel.head.signer.bytes[0] = (uint8_t)(2 + i);
        assert_false(nonce_query_refuses(&query, &cancel.head, &refused));
    }
    for (uint32_t i = 0, used = 0; i < NONCE_QUERY_SIGNERS; i++) {
        used += atomic_load(&query.rows[i].signer) != 0;
        if (i == NONCE_QUERY_SIGNERS - 1) assert_int_equal(used, 1);
    }
}

/* ---- with two nodes ---- */

static int open_nodes(void **state)
{
    open_two(state);
    make_leader(a);
    send_deposit(&a->rig, 0, 1, 1000);
    turn(a);
    memset(&query, 0, sizeof(query));
    nonce_query_open(&query, &a->rig.server.exchange.engine);
    a->rig.server.exchange.nonce_query = &query;
    return 0;
}

static int close_nodes(void **state)
{
    nonce_query_close(&query);
    return close_two(state);
}

/* While another node led, its door was used and not this one's. */
static void what_another_node_took_is_known_here(void **state)
{
    uint64_t now = (uint64_t)clock_wall_ms();

    (void)state;
    assert_int_equal(reason_of(now), NONCE_OK);
    send_cancel(&a->rig, 1, now);
    turn(a);
    lose_lease(a);
    turn(a);
    make_leader(b);
    send_cancel(&b->rig, 2, now + 10);
    turn(b);
    turn(a);
    assert_int_equal(reason_of(now + 10), NONCE_USED);
    assert_int_equal(reason_of(now), NONCE_USED);
    assert_int_equal(reason_of(now + 11), NONCE_OK);
    drop_replies(&a->rig);
    drop_replies(&b->rig);
}

/* ---- with two threads ---- */

#define ROUNDS 200
#define BATCH  64

struct asker {
    pthread_t    thread;
    uint64_t     nonce; /* used before */
    _Atomic bool ends;
    uint64_t     asked, wrong;
};

static void *ask_again(void *self)
{
    struct asker *asker = self;

    while (!atomic_load(&asker->ends)) {
        asker->wrong += reason_of(asker->nonce) != NONCE_TOO_SMALL;
        asker->asked += 1;
    }
    return NULL;
}

static void answers_come_while_commands_are_applied(void **state)
{
    struct rig  *rig = *state;
    uint64_t     now = (uint64_t)clock_wall_ms();
    struct asker asker = { .nonce = now - 1 };

    send_cancel(rig, 1, now);
    turn_until_still(rig);
    drop_replies(rig);
    assert_int_equal(pthread_create(&asker.thread, NULL, ask_again, &asker), 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 1; i <= BATCH; i++) send_cancel(rig, i, now + round * BATCH + i);
        turn_until_still(rig);
        drop_replies(rig);
    }
    atomic_store(&asker.ends, true);
    pthread_join(asker.thread, NULL);
    assert_int_equal(asker.wrong, 0);
    assert_true(asker.asked > 0);
    assert_int_equal(reason_of(now + ROUNDS * BATCH), NONCE_USED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_nonce_is_used_once_it_is_applied_and_not_before, open_one, close_one),
        cmocka_unit_test_setup_teardown(a_late_nonce_passes_and_is_used_then, open_one, close_one),
        cmocka_unit_test_setup_teardown(an_empty_table_asks_the_engine, open_one, close_one),
        cmocka_unit_test_setup_teardown(only_signers_with_an_account_have_a_row, open_one, close_one),
        cmocka_unit_test_setup_teardown(what_another_node_took_is_known_here, open_nodes, close_nodes),
        cmocka_unit_test_setup_teardown(answers_come_while_commands_are_applied, open_one, close_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
