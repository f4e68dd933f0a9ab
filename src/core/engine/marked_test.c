/* SPDX-License-Identifier: MIT */
/* marked_test.c — commands that have a signer and no signature (decision 237): in development alone, as if by the main
   wallet, without a nonce. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"

static struct fixture *fixture_of(bool development)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.development = development;
    fixture_start(f);
    assert_int_equal(deposit(f, 1, VUSDC, 1000000000), REJECT_NONE);
    assert_int_equal(deposit(f, 2, VUSDC, 1000000000), REJECT_NONE);
    return f;
}

/* A purchase of user number `who` with a domain byte of any kind, in the name of account `account_id`. */
static enum reject marked(struct fixture *f, uint32_t who, uint8_t domain, uint64_t account_id, const char *client_id)
{
    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    f->room.head.signer = user(who);
    f->room.head.domain = domain;
    f->room.head.nonce = f->seq + 1;
    f->room.place_orders.account_id = account_id;
    f->room.place_orders.count = 1;
    f->room.place_orders.items[0] = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001", NULL, client_id);
    fixture_apply(f);
    return verdict(f);
}

static void a_mark_stands_for_the_main_wallet(void **state)
{
    struct fixture *f = fixture_of(true);
    (void)state;

    assert_int_equal(marked(f, 1, COMMAND_BY_TRADER | DOMAIN_SPOT, 0, "t1"), REJECT_NONE);
    assert_int_equal(marked(f, 1, COMMAND_IMPERSONATED | DOMAIN_SPOT, 1001, "i1"), REJECT_NONE);
    assert_int_equal(((const struct command_began *)events_first(&f->events))->account_id, 1001);
    assert_int_equal(engine_counts(f->engine).open_orders, 2);
    assert_int_equal(engine_counts(f->engine).signers, 0); /* no nonce was used */
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_mark_is_a_bad_signature_outside_development(void **state)
{
    struct fixture *f = fixture_of(false);
    (void)state;

    assert_int_equal(marked(f, 1, COMMAND_BY_TRADER | DOMAIN_SPOT, 1001, "t1"), REJECT_BAD_SIGNATURE);
    assert_int_equal(marked(f, 1, COMMAND_IMPERSONATED | DOMAIN_SPOT, 1001, "i1"), REJECT_BAD_SIGNATURE);
    assert_int_equal(engine_counts(f->engine).open_orders, 0);
    fixture_free(f);
}

static void a_marked_command_is_of_its_signer_and_of_a_domain(void **state)
{
    struct fixture *f = fixture_of(true);
    (void)state;

    assert_int_equal(marked(f, 1, COMMAND_BY_TRADER | DOMAIN_SPOT, 1002, "t1"), REJECT_BAD_SIGNATURE);
    assert_int_equal(marked(f, 9, COMMAND_BY_TRADER | DOMAIN_SPOT, 0, "t1"), REJECT_ACCOUNT_NOT_FOUND);
    assert_int_equal(marked(f, 1, COMMAND_BY_TRADER, 0, "t1"), REJECT_BAD_SIGNATURE);
    assert_int_equal(marked(f, 1, COMMAND_BY_TRADER | DOMAIN_ORACLE, 0, "t1"), REJECT_BAD_SIGNATURE);
    assert_int_equal(marked(f, 1, COMMAND_BY_TRADER | DOMAIN_UNIVERSAL, 0, "t1"), REJECT_NONE);
    assert_int_equal(marked(f, 1, COMMAND_BY_TRADER | DOMAIN_UNIVERSAL, 0, "t1"), REJECT_DUPLICATE_CLIENT_ID);
    fixture_free(f);
}

static void the_form_of_a_marked_command_is_judged_first(void **state)
{
    struct fixture *f = fixture_of(true);
    (void)state;

    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    f->room.head.signer = user(1);
    f->room.head.domain = COMMAND_BY_TRADER | DOMAIN_SPOT;
    fixture_apply(f); /* no item */
    assert_int_equal(verdict(f), REJECT_BATCH_SIZE);
    f->room.head.bytes = sizeof(struct command);
    fixture_apply(f);
    assert_int_equal(verdict(f), REJECT_NOT_SUPPORTED);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_stands_for_the_main_wallet),
        cmocka_unit_test(a_mark_is_a_bad_signature_outside_development),
        cmocka_unit_test(a_marked_command_is_of_its_signer_and_of_a_domain),
        cmocka_unit_test(the_form_of_a_marked_command_is_judged_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
