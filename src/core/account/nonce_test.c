/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"

#define DAY INT64_C(86400000)

/* What was said before the command was applied is what happened, but for the window. */
static void check_early(bool refuses, const struct refused *early, const struct refused *event)
{
    assert_int_equal(refuses,
                     event != NULL && (event->nonce_reason == NONCE_USED || event->nonce_reason == NONCE_TOO_SMALL));
    if (!refuses) return;
    assert_int_equal(early->reject, event->reject);
    assert_int_equal(early->nonce_reason, event->nonce_reason);
    assert_int_equal(early->same_payload, event->same_payload);
    assert_int_equal(early->used_seq, event->used_seq);
    assert_int_equal(early->nonce, event->nonce);
    assert_int_equal(early->smallest, event->smallest);
}

/* Sends a cancel without items with this nonce; NONCE_OK when it ran. */
static enum nonce_reason try_nonce(struct fixture *f, uint8_t domain, uint64_t nonce, uint64_t tag)
{
    const struct refused *event;
    struct refused        early;
    uint64_t              before, highest;
    bool                  refuses;

    fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    fixture_sign(f, 1);
    f->room.head.domain = domain;
    f->room.head.nonce = nonce;
    f->room.head.payload_tag = tag;
    f->room.cancel_orders.count = 1;
    f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = cid("none") };
    refuses = engine_refuses_nonce(f->engine, &f->room.head, &early, &before);
    fixture_apply(f);
    engine_verify(f->engine);
    event = event_at(f, EVENT_REFUSED, 0);
    check_early(refuses, &early, event);
    (void)engine_refuses_nonce(f->engine, &f->room.head, &early, &highest);
    assert_int_equal(highest, event == NULL && nonce > before ? nonce : before);
    if (event == NULL) return NONCE_OK;
    assert_int_equal(event->reject, REJECT_BAD_NONCE);
    assert_int_equal(event_count(f, EVENT_RESULT), 0);
    return event->nonce_reason;
}

static struct fixture *start(bool floor_when_full)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.rules.nonce_floor_when_full = floor_when_full;
    fixture_start(f);
    deposit(f, 1, VUSDC, 1000000000);
    return f;
}

static void the_window_is_open_at_both_ends(void **state)
{
    struct fixture *f = start(true);
    uint64_t        now = (uint64_t)f->time_ms;
    (void)state;

    assert_int_equal(try_nonce(f, 1, now - 2 * DAY, 0), NONCE_TOO_OLD);
    assert_int_equal(try_nonce(f, 1, now + DAY, 0), NONCE_TOO_FAR_AHEAD);
    assert_int_equal(try_nonce(f, 1, UINT64_MAX, 0), NONCE_TOO_FAR_AHEAD);
    assert_int_equal(try_nonce(f, 1, 0, 0), NONCE_TOO_OLD);
    assert_int_equal(try_nonce(f, 1, now - 2 * DAY + 1, 0), NONCE_OK);
    assert_int_equal(try_nonce(f, 1, now + DAY - 1, 0), NONCE_OK);
    fixture_free(f);
}

/* The window in 64 bits: two days after the beginning of time its lower end appears, at nonce 0. */
static void nothing_is_too_old_in_the_first_two_days(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.time_ms = 2 * DAY - 1;
    fixture_start(f);
    deposit(f, 1, VUSDC, 1000000000);
    assert_int_equal(try_nonce(f, 1, 3 * DAY - 1, 0), NONCE_TOO_FAR_AHEAD);
    f->time_ms += 1;
    assert_int_equal(try_nonce(f, 1, 0, 0), NONCE_TOO_OLD);
    fixture_free(f);

    f = calloc(1, sizeof(*f));
    fixture_genesis(&f->genesis);
    f->genesis.time_ms = 2 * DAY - 1;
    fixture_start(f);
    deposit(f, 1, VUSDC, 1000000000);
    assert_int_equal(try_nonce(f, 1, 0, 0), NONCE_OK);
    fixture_free(f);
}

static void a_used_nonce_names_the_command_that_used_it(void **state)
{
    struct fixture       *f = start(false);
    uint64_t              now = (uint64_t)f->time_ms;
    const struct refused *event;
    (void)state;

    assert_int_equal(try_nonce(f, 1, now, 77), NONCE_OK);
    assert_int_equal(try_nonce(f, 1, now, 77), NONCE_USED);
    event = event_at(f, EVENT_REFUSED, 0);
    assert_int_equal(event->same_payload, 1);
    assert_int_equal(event->used_seq, 2);
    assert_int_equal(try_nonce(f, 1, now, 78), NONCE_USED);
    assert_int_equal(((const struct refused *)event_at(f, EVENT_REFUSED, 0))->same_payload, 0);
    fixture_free(f);
}

/* Decision 244: a payload is recognized by 26 bits of its tag. */
static void a_payload_is_known_by_the_lower_bits_of_its_tag(void **state)
{
    struct fixture *f = start(false);
    uint64_t        now = (uint64_t)f->time_ms, tag = UINT64_C(0x123456789abcdef0);
    (void)state;

    assert_int_equal(try_nonce(f, 1, now, tag), NONCE_OK);
    assert_int_equal(try_nonce(f, 1, now, tag ^ 1u << 25), NONCE_USED);
    assert_int_equal(((const struct refused *)event_at(f, EVENT_REFUSED, 0))->same_payload, 0);
    assert_int_equal(try_nonce(f, 1, now, tag ^ 1u << 26), NONCE_USED);
    assert_int_equal(((const struct refused *)event_at(f, EVENT_REFUSED, 0))->same_payload, 1);
    fixture_free(f);
}

/* Nonces that come late find their places among a full set's, and each names its own command. */
static void late_nonces_are_put_among_the_others(void **state)
{
    struct fixture *f = start(true);
    uint64_t        now = (uint64_t)f->time_ms, seq[200] = { 0 };
    (void)state;

    for (uint64_t i = 0; i < 200; i++) { /* pairs in the wrong order, then each once more */
        uint64_t at = i ^ 1;
        assert_int_equal(try_nonce(f, 1, now + at * 100000, at), NONCE_OK);
        seq[at] = f->seq;
    }
    for (uint64_t at = 100; at < 200; at++) {
        const struct refused *event;

        assert_int_equal(try_nonce(f, 1, now + at * 100000, at), NONCE_USED);
        event = event_at(f, EVENT_REFUSED, 0);
        assert_int_equal(event->used_seq, seq[at]);
        assert_int_equal(event->same_payload, 1);
    }
    assert_int_equal(try_nonce(f, 1, now + 99 * 100000, 99), NONCE_TOO_SMALL);
    assert_int_equal(((const struct refused *)event_at(f, EVENT_REFUSED, 0))->smallest, now + 100 * 100000);
    fixture_free(f);
}

static void a_nonce_must_be_above_the_smallest_stored_one(void **state)
{
    struct fixture *f = start(false);
    uint64_t        now = (uint64_t)f->time_ms;
    (void)state;

    assert_int_equal(try_nonce(f, 1, now + 5, 0), NONCE_OK);
    assert_int_equal(try_nonce(f, 1, now + 4, 0), NONCE_TOO_SMALL);
    assert_int_equal(try_nonce(f, 1, now + 9, 0), NONCE_OK);
    assert_int_equal(try_nonce(f, 1, now + 7, 0), NONCE_OK);
    fixture_free(f);
}

static void only_a_full_set_has_a_floor_when_the_rule_says_so(void **state)
{
    struct fixture *f = start(true);
    uint64_t        now = (uint64_t)f->time_ms;
    (void)state;

    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(try_nonce(f, 1, now + 1000 - 10 * i, 0), NONCE_OK); /* 1000 .. 10 */
    assert_int_equal(try_nonce(f, 1, now + 9, 0), NONCE_TOO_SMALL);
    assert_int_equal(try_nonce(f, 1, now + 11, 0), NONCE_OK); /* 10 falls out */
    assert_int_equal(try_nonce(f, 1, now + 10, 0), NONCE_TOO_SMALL);
    for (uint64_t i = 0; i < 300; i++) assert_int_equal(try_nonce(f, 1, now + 2000 + i, 0), NONCE_OK);
    assert_int_equal(try_nonce(f, 1, now + 2200, 0), NONCE_USED);
    assert_int_equal(try_nonce(f, 1, now + 2199, 0), NONCE_TOO_SMALL); /* 2200 .. 2299 are kept */
    fixture_free(f);
}

static void each_domain_has_its_own_set(void **state)
{
    struct fixture *f = start(false);
    uint64_t        now = (uint64_t)f->time_ms;
    (void)state;

    assert_int_equal(try_nonce(f, DOMAIN_SPOT, now, 0), NONCE_OK);
    assert_int_equal(try_nonce(f, DOMAIN_UNIVERSAL, now, 0), NONCE_OK);
    assert_int_equal(try_nonce(f, DOMAIN_UNIVERSAL, now, 0), NONCE_USED);
    assert_int_equal(engine_counts(f->engine).signers, 0); /* a wallet's are its account's own (ruling 73) */
    fixture_free(f);
}

static void a_rejected_item_has_used_its_nonce(void **state)
{
    struct fixture *f = start(false);
    uint64_t        now = (uint64_t)f->time_ms;
    (void)state;

    assert_int_equal(try_nonce(f, 1, now, 0), NONCE_OK); /* the cancel itself finds nothing */
    assert_int_equal(result_at(f, 0)->reject, REJECT_ORDER_NOT_FOUND);
    assert_int_equal(try_nonce(f, 1, now, 0), NONCE_USED);
    fixture_free(f);
}

/* What the engine refuses for another reason is left to it. */
static void nothing_is_said_of_a_command_with_another_fault(void **state)
{
    struct fixture *f = start(false);
    struct refused  refused;
    uint64_t        now = (uint64_t)f->time_ms, highest;
    (void)state;

    assert_int_equal(try_nonce(f, 1, now, 0), NONCE_OK);
    assert_true(engine_refuses_nonce(f->engine, &f->room.head, &refused, &highest));
    f->room.head.signer.bytes[3] ^= 1; /* has no account */
    assert_false(engine_refuses_nonce(f->engine, &f->room.head, &refused, &highest));
    assert_true(highest == UINT64_MAX);
    f->room.head.signer.bytes[3] ^= 1;
    f->room.head.key_id = 7; /* is none */
    assert_false(engine_refuses_nonce(f->engine, &f->room.head, &refused, &highest));
    f->room.head.key_id = 0;
    f->room.head.domain = DOMAIN_ORACLE;
    assert_false(engine_refuses_nonce(f->engine, &f->room.head, &refused, &highest));
    f->room.head.domain = 1;
    f->room.cancel_orders.count = 0;
    assert_false(engine_refuses_nonce(f->engine, &f->room.head, &refused, &highest));
    f->room.head.kind = UINT16_MAX;
    assert_false(engine_refuses_nonce(f->engine, &f->room.head, &refused, &highest));
    assert_true(highest == UINT64_MAX);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_is_open_at_both_ends),
        cmocka_unit_test(nothing_is_too_old_in_the_first_two_days),
        cmocka_unit_test(a_used_nonce_names_the_command_that_used_it),
        cmocka_unit_test(a_payload_is_known_by_the_lower_bits_of_its_tag),
        cmocka_unit_test(late_nonces_are_put_among_the_others),
        cmocka_unit_test(a_nonce_must_be_above_the_smallest_stored_one),
        cmocka_unit_test(only_a_full_set_has_a_floor_when_the_rule_says_so),
        cmocka_unit_test(each_domain_has_its_own_set),
        cmocka_unit_test(a_rejected_item_has_used_its_nonce),
        cmocka_unit_test(nothing_is_said_of_a_command_with_another_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
