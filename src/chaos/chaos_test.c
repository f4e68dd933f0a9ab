/* SPDX-License-Identifier: MIT */
/* chaos_test.c — rules: their form, scope, trigger, window and effect; the same seed gives the same faults. */
#include "chaos/chaos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct chaos chaos;

static void set_text(struct chaos_text *text, const char *value)
{
    text->len = (uint8_t)strlen(value);
    memcpy(text->at, value, text->len);
}

static struct chaos_rule rule_of(enum chaos_fault fault)
{
    return (struct chaos_rule){ .fault = (uint8_t)fault, .probability = CHAOS_CERTAIN, .seed = 1 };
}

static const uint8_t        home[16] = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 };
static const uint8_t        away[16] = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1 };
static const struct address alice = { { 1 } }, bob = { { 2 } };

static struct chaos_subject request_of(const char *path)
{
    return (struct chaos_subject){
        .point = POINT_REQUEST,
        .method = 3,
        .path = slice_of(path),
        .account_id = 1001,
        .ip = home,
        .owner = &alice,
        .now_ms = 5000,
    };
}

static struct chaos_verdict judge(const struct chaos_subject *subject)
{
    struct chaos_verdict verdict;

    chaos_judge(&chaos, subject, &verdict);
    return verdict;
}

static int begin(void **state)
{
    (void)state;
    chaos_init(&chaos);
    return 0;
}

static int end(void **state)
{
    (void)state;
    chaos_deinit(&chaos);
    return 0;
}

/* ---- form ---- */

static void faults_have_names(void **state)
{
    (void)state;
    for (uint8_t fault = 1; fault < CHAOS_FAULTS; fault++)
        assert_int_equal(chaos_fault_by_name(slice_of(chaos_fault_name(fault))), fault);
    assert_int_equal(chaos_fault_by_name(SLICE("teapot")), 0);
    assert_int_equal(chaos_fault_by_name(SLICE("")), 0);
    assert_null(chaos_fault_name(CHAOS_FAULTS));
}

static void assert_wrong(const struct chaos_rule *rule, const char *key)
{
    struct chaos_wrong wrong = { NULL, NULL };

    if (chaos_rule_check(rule, &wrong)) fail_msg("fault %u: not refused for %s", rule->fault, key);
    assert_string_equal(wrong.key, key);
    assert_non_null(wrong.need);
}

static void assert_right(const struct chaos_rule *rule)
{
    struct chaos_wrong wrong = { NULL, NULL };

    if (!chaos_rule_check(rule, &wrong)) fail_msg("fault %u: %s needs %s", rule->fault, wrong.key, wrong.need);
}

static void a_wrong_key_is_named(void **state)
{
    struct chaos_rule rule = rule_of(CHAOS_RATE_LIMIT);

    (void)state;
    rule.given = KEY_PATH | KEY_METHOD | KEY_ACCOUNT | KEY_ADDRESS | KEY_RETRY_AFTER;
    assert_right(&rule);
    rule.given = KEY_CHANNEL;
    assert_wrong(&rule, "channel");
    rule = rule_of(CHAOS_CUT);
    rule.given = KEY_SYMBOL;
    assert_wrong(&rule, "symbol");
    rule.given = KEY_CHANNEL | KEY_AT | KEY_CODE;
    assert_right(&rule);
    rule = rule_of(CHAOS_STALE_INDEX);
    rule.given = KEY_ACCOUNT;
    assert_wrong(&rule, "account");
    rule = rule_of(CHAOS_DELAY);
    assert_wrong(&rule, "ms");
    rule.given = KEY_MS | KEY_JITTER;
    assert_right(&rule);
    rule.given = KEY_IN | KEY_JITTER;
    assert_wrong(&rule, "jitter");
    rule.given = KEY_IN | KEY_MS;
    assert_wrong(&rule, "in");
    rule = rule_of(CHAOS_LATENCY);
    assert_wrong(&rule, "in");
    rule.given = KEY_OUT;
    assert_right(&rule);
    rule = rule_of(0);
    assert_wrong(&rule, "fault");
    rule = rule_of(CHAOS_FAULTS);
    assert_wrong(&rule, "fault");
}

static void numbers_have_bounds(void **state)
{
    struct chaos_rule rule = rule_of(CHAOS_RATE_LIMIT);

    (void)state;
    rule.probability = 0;
    assert_wrong(&rule, "probability");
    rule.probability = 1;
    assert_right(&rule);
    rule.probability = CHAOS_CERTAIN + 1;
    assert_wrong(&rule, "probability");
    rule = rule_of(CHAOS_RATE_LIMIT);
    rule.retry_after = 3600;
    assert_right(&rule);
    rule.retry_after = 3601;
    assert_wrong(&rule, "retryAfter");
    rule = rule_of(CHAOS_SKEW);
    rule.given = KEY_MS;
    rule.skew_ms = -CHAOS_SKEW_MAX;
    assert_right(&rule);
    rule.skew_ms = CHAOS_SKEW_MAX + 1;
    assert_wrong(&rule, "ms");
    rule = rule_of(CHAOS_CUT);
    rule.code = 999;
    assert_wrong(&rule, "code");
    rule.code = 1000;
    assert_right(&rule);
    rule.code = 5000;
    assert_wrong(&rule, "code");
}

/* A rule that kept requests to /rpc away could not be removed. */
static void paths_that_remove_rules_are_refused(void **state)
{
    static const char *const wrong[] = { "/rpc", "/metrics", "/healthz", "/apix", "/w/" }, *const right[] = {
        "/", "/api", "/api/", "/api/v1/spot", "/ws/perps", "/w", "orders", "rpc"
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        struct chaos_rule rule = rule_of(CHAOS_DROP_REPLY);
        set_text(&rule.path, wrong[i]);
        assert_wrong(&rule, "path");
    }
    for (size_t i = 0; i < ARRAY_COUNT(right); i++) {
        struct chaos_rule rule = rule_of(CHAOS_DROP_REPLY);
        set_text(&rule.path, right[i]);
        assert_right(&rule);
    }
}

/* ---- scope ---- */

static void each_part_of_a_scope_narrows(void **state)
{
    struct chaos_subject subject = request_of("/api/v1/perps/trade/orders");
    struct chaos_rule    rule = rule_of(CHAOS_RATE_LIMIT);

    (void)state;
    assert_true(chaos_rule_matches(&rule, &subject));
    set_text(&rule.path, "/api/v1/perps");
    assert_true(chaos_rule_matches(&rule, &subject));
    set_text(&rule.path, "/perps");
    assert_false(chaos_rule_matches(&rule, &subject));
    set_text(&rule.path, "orders");
    assert_true(chaos_rule_matches(&rule, &subject));
    set_text(&rule.path, "order/");
    assert_false(chaos_rule_matches(&rule, &subject));
    set_text(&rule.path, "/api/v1/perps/trade/orders/batch");
    assert_false(chaos_rule_matches(&rule, &subject));

    rule = rule_of(CHAOS_RATE_LIMIT);
    rule.method = 3;
    assert_true(chaos_rule_matches(&rule, &subject));
    rule.method = 1;
    assert_false(chaos_rule_matches(&rule, &subject));

    rule = rule_of(CHAOS_RATE_LIMIT);
    rule.account_id = 1001;
    assert_true(chaos_rule_matches(&rule, &subject));
    rule.account_id = 1002;
    assert_false(chaos_rule_matches(&rule, &subject));

    rule = rule_of(CHAOS_RATE_LIMIT);
    rule.has_ip = true;
    memcpy(rule.ip, home, sizeof(rule.ip));
    assert_true(chaos_rule_matches(&rule, &subject));
    memcpy(rule.ip, away, sizeof(rule.ip));
    assert_false(chaos_rule_matches(&rule, &subject));

    rule = rule_of(CHAOS_RATE_LIMIT);
    rule.has_owner = true;
    rule.owner = alice;
    assert_true(chaos_rule_matches(&rule, &subject));
    rule.owner = bob;
    assert_false(chaos_rule_matches(&rule, &subject));
    subject.owner = NULL;
    assert_false(chaos_rule_matches(&rule, &subject));
}

static void a_fault_acts_where_it_belongs(void **state)
{
    struct chaos_subject message = { .point = POINT_MESSAGE, .path = SLICE("/ws/perps"), .channel = SLICE("l4Book") },
                         request = request_of("/api/v1/time"), index = { .point = POINT_INDEX, .symbol_id = 1 };
    struct chaos_rule rule = rule_of(CHAOS_SKIP);

    (void)state;
    assert_true(chaos_rule_matches(&rule, &message));
    assert_false(chaos_rule_matches(&rule, &request));
    set_text(&rule.channel, "l4Book");
    assert_true(chaos_rule_matches(&rule, &message));
    set_text(&rule.channel, "l4");
    assert_false(chaos_rule_matches(&rule, &message));
    rule = rule_of(CHAOS_STALE_INDEX);
    assert_true(chaos_rule_matches(&rule, &index));
    assert_false(chaos_rule_matches(&rule, &message));
    rule.symbol_id = 2;
    assert_false(chaos_rule_matches(&rule, &index));
    rule = rule_of(CHAOS_LATENCY);
    rule.out = (struct distribution){ DISTRIBUTION_FIXED, 1000, 0 };
    message.point = POINT_FRAME;
    assert_true(chaos_rule_matches(&rule, &message));
    message.point = POINT_INPUT;
    assert_false(chaos_rule_matches(&rule, &message));
}

static void a_window_has_both_ends(void **state)
{
    struct chaos_subject subject = request_of("/api/v1/time");
    struct chaos_rule    rule = rule_of(CHAOS_RATE_LIMIT);

    (void)state;
    rule.from_ms = 5000;
    rule.until_ms = 6000;
    assert_true(chaos_rule_matches(&rule, &subject));
    subject.now_ms = 4999;
    assert_false(chaos_rule_matches(&rule, &subject));
    subject.now_ms = 5999;
    assert_true(chaos_rule_matches(&rule, &subject));
    subject.now_ms = 6000;
    assert_false(chaos_rule_matches(&rule, &subject));
}

/* ---- triggers ---- */

static uint32_t acted(const struct chaos_rule *rule, uint32_t requests, uint64_t pattern[4])
{
    struct chaos_subject subject = request_of("/api/v1/time");
    uint32_t             id = chaos_add(&chaos, rule), count = 0;

    assert_int_not_equal(id, 0);
    memset(pattern, 0, 4 * sizeof(*pattern));
    for (uint32_t i = 0; i < requests; i++) {
        bool hit = judge(&subject).refusal != 0;
        count += hit;
        if (hit && i < 256) pattern[i / 64] |= UINT64_C(1) << i % 64;
    }
    assert_true(chaos_remove(&chaos, id));
    return count;
}

static void triggers_choose_among_the_matches(void **state)
{
    struct chaos_rule rule = rule_of(CHAOS_UNAVAILABLE);
    uint64_t          pattern[4];
    uint32_t          count;

    (void)state;
    assert_int_equal(acted(&rule, 100, pattern), 100);
    rule.every = 5;
    assert_int_equal(acted(&rule, 100, pattern), 20);
    assert_int_equal(pattern[0] & 0x3ff, 0x210); /* the fifth and the tenth */
    rule.most = 3;
    assert_int_equal(acted(&rule, 100, pattern), 3);
    rule = rule_of(CHAOS_UNAVAILABLE);
    rule.probability = 200000;
    count = acted(&rule, 10000, pattern);
    assert_true(count > 1850 && count < 2150);
    rule.most = 7;
    assert_int_equal(acted(&rule, 10000, pattern), 7);
}

static void a_seed_gives_the_same_faults(void **state)
{
    struct chaos_rule rule = rule_of(CHAOS_UNAVAILABLE);
    uint64_t          first[4], again[4], other[4];

    (void)state;
    rule.probability = 500000;
    rule.seed = 42;
    (void)acted(&rule, 256, first);
    (void)acted(&rule, 256, again);
    assert_memory_equal(first, again, sizeof(first));
    rule.seed = 43;
    (void)acted(&rule, 256, other);
    assert_memory_not_equal(first, other, sizeof(first));
}

static void a_message_is_counted_by_connection(void **state)
{
    struct chaos_seen    one[CHAOS_RULES_MAX] = { 0 }, two[CHAOS_RULES_MAX] = { 0 };
    struct chaos_subject subject = { .point = POINT_MESSAGE, .channel = SLICE("trade"), .seen = one };
    struct chaos_rule    rule = rule_of(CHAOS_CUT);

    (void)state;
    rule.at = 3;
    rule.code = 1001;
    assert_int_not_equal(chaos_add(&chaos, &rule), 0);
    assert_false(judge(&subject).cut);
    assert_false(judge(&subject).cut);
    subject.seen = two;
    assert_false(judge(&subject).cut);
    subject.seen = one;
    assert_true(judge(&subject).cut);
    assert_false(judge(&subject).cut);
    subject.seen = two;
    assert_false(judge(&subject).cut);
    assert_int_equal(judge(&subject).code, 1001);
}

static void rules_that_come_and_go_count_messages_apart(void **state)
{
    struct chaos_seen    seen[CHAOS_RULES_MAX] = { 0 };
    struct chaos_subject subject = { .point = POINT_MESSAGE, .channel = SLICE("trade"), .seen = seen };
    struct chaos_rule    third = rule_of(CHAOS_CUT), fourth = rule_of(CHAOS_SKIP);
    (void)state;

    third.at = 3;
    third.code = 1001;
    fourth.at = 4;
    assert_int_equal(chaos_add(&chaos, &third), 1);
    for (uint32_t id = 2; id <= CHAOS_RULES_MAX; id++) {
        assert_int_equal(chaos_add(&chaos, &fourth), id);
        assert_true(chaos_remove(&chaos, id));
    }
    assert_int_equal(chaos_add(&chaos, &fourth), CHAOS_RULES_MAX + 1);
    for (uint32_t n = 1; n <= 5; n++) {
        struct chaos_verdict verdict = judge(&subject);
        assert_int_equal(verdict.cut, n == 3);
        assert_int_equal(verdict.skip, n == 4);
    }
}

/* ---- all rules ---- */

static void rules_act_together_and_are_named(void **state)
{
    struct chaos_subject subject = request_of("/api/v1/time");
    struct chaos_rule    delay = rule_of(CHAOS_DELAY), latency = rule_of(CHAOS_LATENCY),
                      refusal = rule_of(CHAOS_RATE_LIMIT), second = rule_of(CHAOS_UNAVAILABLE),
                      skew = rule_of(CHAOS_SKEW);
    struct chaos_verdict verdict;
    struct chaos_entry   entries[CHAOS_RULES_MAX];

    (void)state;
    delay.in = (struct distribution){ DISTRIBUTION_FIXED, 5000, 0 };
    latency.in = (struct distribution){ DISTRIBUTION_FIXED, 100, 0 };
    latency.out = (struct distribution){ DISTRIBUTION_FIXED, 200, 0 };
    refusal.retry_after = 9;
    skew.skew_ms = -77;
    assert_false(chaos_is_active(&chaos));
    assert_int_equal(chaos_add(&chaos, &delay), 1);
    assert_int_equal(chaos_add(&chaos, &latency), 2);
    assert_int_equal(chaos_add(&chaos, &refusal), 3);
    assert_int_equal(chaos_add(&chaos, &second), 4);
    assert_int_equal(chaos_add(&chaos, &skew), 5);
    assert_true(chaos_is_active(&chaos));
    verdict = judge(&subject);
    assert_int_equal(verdict.in_us, 5100);
    assert_int_equal(verdict.out_us, 200);
    assert_int_equal(verdict.refusal, CHAOS_RATE_LIMIT);
    assert_int_equal(verdict.retry_after, 9);
    assert_int_equal(verdict.skew_ms, -77);
    assert_int_equal(verdict.count, 4);
    assert_int_equal(verdict.ids[2], 3);
    assert_int_equal(verdict.ids[3], 5);
    assert_int_equal(chaos_list(&chaos, entries), 5);
    assert_int_equal(entries[3].acted, 0); /* the first refusal decides */
    assert_int_equal(entries[2].acted, 1);
}

static void rules_come_and_go(void **state)
{
    struct chaos_subject subject = request_of("/api/v1/time");
    struct chaos_rule    rule = rule_of(CHAOS_RATE_LIMIT);
    struct chaos_entry   entries[CHAOS_RULES_MAX];

    (void)state;
    for (uint32_t i = 0; i < CHAOS_RULES_MAX; i++) assert_int_equal(chaos_add(&chaos, &rule), i + 1);
    assert_int_equal(chaos_add(&chaos, &rule), 0);
    assert_false(chaos_remove(&chaos, 0));
    assert_false(chaos_remove(&chaos, CHAOS_RULES_MAX + 1));
    assert_true(chaos_remove(&chaos, 2));
    assert_false(chaos_remove(&chaos, 2));
    assert_int_equal(chaos_add(&chaos, &rule), CHAOS_RULES_MAX + 1); /* an id is not used again */
    assert_int_equal(chaos_list(&chaos, entries), CHAOS_RULES_MAX);
    assert_int_equal(entries[0].id, 1);
    assert_int_equal(entries[1].id, 3);
    assert_int_equal(entries[CHAOS_RULES_MAX - 1].id, CHAOS_RULES_MAX + 1);
    assert_int_equal(chaos_clear(&chaos), CHAOS_RULES_MAX);
    assert_false(chaos_is_active(&chaos));
    assert_int_equal(judge(&subject).count, 0);
    assert_int_equal(chaos_add(&chaos, &rule), CHAOS_RULES_MAX + 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(faults_have_names),
        TEST(a_wrong_key_is_named),
        TEST(numbers_have_bounds),
        TEST(paths_that_remove_rules_are_refused),
        TEST(each_part_of_a_scope_narrows),
        TEST(a_fault_acts_where_it_belongs),
        TEST(a_window_has_both_ends),
        TEST(triggers_choose_among_the_matches),
        TEST(a_seed_gives_the_same_faults),
        TEST(a_message_is_counted_by_connection),
        TEST(rules_that_come_and_go_count_messages_apart),
        TEST(rules_act_together_and_are_named),
        TEST(rules_come_and_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
