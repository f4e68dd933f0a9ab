/* SPDX-License-Identifier: MIT */
/* reply_test.c — results and refusals of the engine as responses. */
#include "rigs/api/test_rig.h"

static struct api_result result;
static uint8_t           result_bytes[1 << 16];

static const struct endpoint *row_named(const char *name)
{
    for (uint32_t i = 0; i < endpoint_count; i++)
        if (strcmp(endpoints[i].name, name) == 0) return &endpoints[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void reply(const char *name)
{
    struct out out = out_make(rig_body, sizeof(rig_body) - 1);

    api_reply(rig_api, &rig_context, row_named(name), &result, &rig_answer, &out);
    rig_body[out.len] = '\0';
}

static void begin(bool is_transaction)
{
    memset(&result, 0, sizeof(result));
    result.events = (struct events){ result_bytes, 0, sizeof(result_bytes) };
    result.is_transaction = is_transaction;
    memset(result.place.hash.bytes, 0xab, 32);
    result.place.block = 4821;
    result.place.index = 0;
}

static struct result *add_result(uint32_t index, enum reject reject, uint8_t status, uint64_t order_id,
                                 const char *client_id)
{
    struct result *event = EVENT_ADD(&result.events, RESULT, result, MARKET_SPOT);

    event->index = (uint16_t)index;
    event->reject = (uint16_t)reject;
    event->status = status;
    event->order_id = order_id;
    event->client_id = client_id_make(slice_of(client_id));
    return event;
}

static void a_stop_that_sleeps_is_new_in_its_result_too(void **state)
{
    (void)state;
    begin(true);
    add_result(0, REJECT_NONE, STATUS_NEW, 7, "parent");
    add_result(1, REJECT_NONE, STATUS_PENDING_NEW, 8, "child");
    reply("POST /trade/orders");
    assert_string_equal(rig_body, OK_BODY("[{\"code\":0,\"clOrdID\":\"parent\",\"orderID\":7,\"status\":\"NEW\"},"
                                          "{\"code\":0,\"clOrdID\":\"child\",\"orderID\":8,\"status\":\"NEW\"}]"));
}

static void a_batch_has_one_result_per_item_in_order(void **state)
{
    struct result *failed;

    (void)state;
    begin(true);
    add_result(0, REJECT_NONE, STATUS_NEW, 1274981537, "a-1");
    failed = add_result(1, REJECT_NOTIONAL_MIN, 0, 0, "a-2");
    failed->got = decimal_make(45, 1);
    failed->need = decimal_make(5, 0);
    failed->said = SAID_GOT | SAID_NEED;
    add_result(2, REJECT_INSUFFICIENT_BALANCE, 0, 0, "a-3");
    reply("POST /trade/orders/batch");
    assert_string_equal(rig_body,
                        OK_BODY("[{\"code\":0,\"clOrdID\":\"a-1\",\"orderID\":1274981537,\"status\":\"NEW\"},"
                                "{\"code\":42204,\"clOrdID\":\"a-2\",\"error\":\"order value is "
                                "invalid\",\"status\":\"REJECTED\",\"message\":\"order value is invalid\","
                                "\"details\":{\"rule\":\"at least minNotional "
                                "(spot place rule 8)\",\"field\":\"notional\",\"got\":\"4.5\",\"need\":\"5\"}},"
                                "{\"code\":42001,\"clOrdID\":\"a-3\",\"error\":\"insufficient "
                                "balance\",\"status\":\"REJECTED\",\"message\":\"insufficient balance\","
                                "\"details\":{\"rule\":\"enough available balance; for an order in its worst "
                                "case\",\"field\":\"quantity\"}}]"));
    assert_int_equal(rig_answer.status, 200);
    assert_true(slice_is(rig_answer.allow_origin, "*"));
    assert_true(slice_is(rig_answer.extra,
                         "X-Chain-Tx: 0xabababababababababababababababababababababababababababababababab\r\n"
                         "X-Chain-Block: 0x12d5\r\nX-Chain-Index: 0x0\r\n"));
}

/* Together with the largest of all other lines it fits its room. */
static void the_number_of_the_command_is_told(void **state)
{
    (void)state;
    begin(true);
    add_result(0, REJECT_NONE, STATUS_NEW, 1, "a-1");
    result.seq = 4821;
    reply("POST /trade/orders/batch");
    assert_true(slice_is(rig_answer.extra,
                         "X-Chain-Tx: 0xabababababababababababababababababababababababababababababababab\r\n"
                         "X-Chain-Block: 0x12d5\r\nX-Chain-Index: 0x0\r\nX-Dojima-Seq: 4821\r\n"));
    begin(true);
    add_result(0, REJECT_NONE, STATUS_NEW, 1, "a-1");
    result.place.block = result.seq = UINT64_MAX;
    result.place.index = UINT32_MAX;
    result.quota = (struct quota){ .limit = UINT32_MAX, .remaining = UINT32_MAX, .reset_ms = INT64_MIN };
    reply("POST /trade/orders/batch");
    assert_non_null(memmem(rig_answer.extra.at, rig_answer.extra.len, "X-Dojima-Seq: 18446744073709551615\r\n", 36));
    begin(false);
    add_result(0, REJECT_NONE, STATUS_NEW, 1, "a-1");
    reply("POST /trade/orders/batch");
    assert_int_equal(rig_answer.extra.len, 0);
}

static void a_post_only_order_that_would_cross_has_no_order_id(void **state)
{
    (void)state;
    begin(true);
    add_result(0, REJECT_POST_ONLY_CROSS, STATUS_EXPIRED, 12, "a-1");
    reply("POST /trade/orders/batch");
    rig_expect(
        "[{\"code\":42007,\"clOrdID\":\"a-1\",\"error\":\"post-only order would cross\",\"status\":\"EXPIRED\",");
    rig_expect_not("orderID");
}

static void a_cancel_tells_the_orders_own_client_id(void **state)
{
    struct result *event;

    (void)state;
    begin(true);
    event = add_result(0, REJECT_NONE, STATUS_CANCELED, 7, "");
    event->orig_client_id = client_id_make(SLICE("mine"));
    event = add_result(1, REJECT_ORDER_NOT_FOUND, 0, 0, "c-2");
    event->orig_client_id = client_id_make(SLICE("other")); /* the id sent: in the details, never as origClOrdID */
    event->field = FIELD_ORIG_CLIENT_ID;
    event->said = SAID_ID;
    reply("DELETE /trade/orders/batch");
    rig_expect("[{\"code\":0,\"clOrdID\":\"\",\"orderID\":7,\"origClOrdID\":\"mine\",\"status\":\"CANCELED\"},"
               "{\"code\":40402,\"clOrdID\":\"c-2\",\"error\":\"order not found\",\"status\":\"REJECTED\",");
    rig_expect("\"field\":\"origClOrdID\",\"got\":\"other\"");
    rig_expect_not("\"origClOrdID\":\"other\"");
}

/* Ruling 64: the engine names symbol and state, the reply adds the condition that would have been enough. */
static void money_that_stays_is_told_what_would_free_it(void **state)
{
    /* clang-format off */
    static const struct { const char *got, *need; } rows[] = {
        { "BTC-USD HELD_BACK", "BTC-USD LIVE with no price held back" }, { "BTC-USD FALLBACK", "BTC-USD LIVE" },
        { "BTC-USD BOOTSTRAP", "BTC-USD LIVE" },   { "BTC-USD STALE", "BTC-USD LIVE" },
        { "BTC-USD HALT", "BTC-USD TRADING" },     { "BTC-USD SETTLED", "no position in BTC-USD" },
        { "BTC-USD CANCEL_ONLY", "mode RUN" },     { "BTC-USD REDUCE_ONLY", "mode RUN" },
    };
    /* clang-format on */
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct result *event;
        char           text[128];

        begin(true);
        event = add_result(0, REJECT_PRICES_NOT_LIVE, 0, 0, "");
        event->orig_client_id = client_id_make(slice_of(rows[i].got));
        event->said = SAID_ID;
        reply("POST /trade/orders/schedule-cancel");
        (void)snprintf(text, sizeof(text), "\"field\":\"symbolID\",\"got\":\"%s\",\"need\":\"%s\"}}", rows[i].got,
                       rows[i].need);
        rig_expect(text);
    }
}

static void the_largest_batch_of_failures_fits(void **state)
{
    (void)state;
    begin(true);
    for (uint32_t i = 0; i < BATCH_MAX; i++)
        add_result(i, REJECT_BUY_PRICE_LIMIT, 0, 0, "abcdefghijklmnopqrstuvwxyz0123456789");
    reply("POST /trade/orders/replace");
    assert_int_equal(rig_code(), 0);
    assert_string_equal(rig_body + strlen(rig_body) - 2, "]}");
}

static void a_schedule_has_no_data_and_fails_in_the_envelope(void **state)
{
    struct result *event;

    (void)state;
    begin(true);
    add_result(0, REJECT_NONE, 0, 0, "");
    reply("POST /trade/orders/schedule-cancel");
    assert_string_equal(rig_body, "{\"code\":0,\"timestamp\":" NOW_TEXT "}");
    assert_true(rig_answer.extra.len != 0);
    begin(true);
    event = add_result(0, REJECT_SCHEDULE_TOO_SOON, 0, 0, "");
    event->got = decimal_make(NOW + 4999, 0);
    event->said = SAID_GOT;
    reply("POST /trade/orders/schedule-cancel");
    assert_string_equal(rig_body, "{\"code\":42023,\"timestamp\":" NOW_TEXT
                                  ",\"error\":\"scheduled time is too soon\",\"details\":{"
                                  "\"rule\":\"at least 5 seconds after the current "
                                  "time\",\"field\":\"scheduledTimestamp\",\"got\":\"1760000004999\"}}");
    assert_int_equal(rig_answer.status, 200);
    begin(true);
    add_result(0, REJECT_SCHEDULE_TOO_SOON, 0, 0, "")->said = SAID_GOT; /* a zero that was sent is shown */
    reply("POST /trade/orders/schedule-cancel");
    rig_expect("\"field\":\"scheduledTimestamp\",\"got\":\"0\"");
    begin(true);
    add_result(0, REJECT_NOT_SUPPORTED, 0, 0, "")->field = FIELD_COIN_ID;
    reply("POST /accounts/transfers");
    rig_expect("\"details\":{\"rule\":\"coin 0 alone moves to and from perps (ruling 39)\",\"field\":\"coinID\"");
}

static void a_used_nonce_tells_what_the_same_payload_became(void **state)
{
    struct refused *refused;

    (void)state;
    rig_history.place_seq = 99;
    memset(rig_history.place.hash.bytes, 0xcd, 32);
    rig_history.place.block = 12;
    for (int same = 0; same < 2; same++) {
        begin(false);
        refused = EVENT_ADD(&result.events, REFUSED, refused, MARKET_SPOT);
        refused->reject = REJECT_BAD_NONCE;
        refused->nonce_reason = NONCE_USED;
        refused->same_payload = (uint32_t)same;
        refused->used_seq = 99;
        refused->nonce = 1760000000001;
        reply("POST /trade/orders/batch");
        assert_int_equal(rig_answer.status, 200);
        assert_int_equal(rig_answer.extra.len, 0);
        rig_expect("{\"code\":40102,\"timestamp\":" NOW_TEXT ",\"error\":\"nonce is invalid\",");
        rig_expect("\"field\":\"X-API-Nonce\",\"got\":\"1760000000001\",\"reason\":\"used\",\"serverTime\":" NOW_TEXT);
        rig_expect_not("not used");
        rig_context.offset_ms = 3; /* time was advanced: nonces still follow the clock */
        reply("POST /trade/orders/batch");
        rig_expect_not("\"serverTime\":" NOW_TEXT);
        rig_context.offset_ms = 0;
        reply("POST /trade/orders/batch");
        if (same)
            rig_expect("\"hash\":\"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd\",\"block\":12,"
                       "\"index\":0}");
        else rig_expect_not("\"hash\"");
    }
}

static void other_refusals_leave_the_nonce_and_say_so(void **state)
{
    /* clang-format off */
    static const struct { enum reject reject; enum nonce_reason reason; int code; const char *part; } rows[] = {
        { REJECT_BAD_NONCE, NONCE_TOO_SMALL, 40102, "\"got\":\"41\",\"need\":\"more than 42\"" },
        { REJECT_BAD_NONCE, NONCE_TOO_SMALL, 40102, "\"reason\":\"too small\"" },
        { REJECT_BAD_NONCE, NONCE_TOO_OLD, 40102, "\"reason\":\"too old\"" },
        { REJECT_BAD_NONCE, NONCE_TOO_FAR_AHEAD, 40102, "\"reason\":\"too far ahead\"" },
        { REJECT_CAPACITY, NONCE_OK, 42026, "the exchange is at capacity" },
        { REJECT_ACCOUNT_NOT_FOUND, NONCE_OK, 40403, "account not found" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct refused *refused;
        begin(false);
        refused = EVENT_ADD(&result.events, REFUSED, refused, MARKET_SPOT);
        refused->reject = (uint16_t)rows[i].reject;
        refused->nonce_reason = (uint16_t)rows[i].reason;
        refused->nonce = 41;
        refused->smallest = 42;
        reply("POST /trade/orders/schedule-cancel");
        assert_int_equal(rig_code(), rows[i].code);
        rig_expect(rows[i].part);
        rig_expect("\"nonce\":\"not used\"");
    }
}

static void what_was_accepted_may_carry_a_warning(void **state)
{
    (void)state;
    begin(true);
    add_result(0, REJECT_NONE, STATUS_NEW, 7, "sl")->warning = WARNING_STOP_BEYOND_LIQUIDATION;
    add_result(1, REJECT_NONE, STATUS_NEW, 8, "tp");
    reply("POST /trade/orders");
    assert_string_equal(
        rig_body,
        OK_BODY(
            "[{\"code\":0,\"clOrdID\":\"sl\",\"orderID\":7,\"status\":\"NEW\",\"warning\":\"STOP_BEYOND_LIQUIDATION\"},"
            "{\"code\":0,\"clOrdID\":\"tp\",\"orderID\":8,\"status\":\"NEW\"}]"));
}

static void a_change_of_leverage_is_answered_with_what_holds_now(void **state)
{
    static const struct {
        uint8_t     mode;
        const char *name;
    } modes[] = { { MARGIN_CROSS, "CROSS" }, { MARGIN_ISOLATED, "ISOLATED" } };
    char                     expected[256];
    struct leverage_changed *event;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(modes); i++) {
        begin(true);
        add_result(0, REJECT_NONE, 0, 0, "");
        event = EVENT_ADD(&result.events, LEVERAGE, leverage_changed, MARKET_PERPS);
        event->account_id = 1001;
        event->symbol_id = 1;
        event->leverage = 20;
        event->margin_mode = modes[i].mode;
        reply("POST /trade/leverage");
        snprintf(expected, sizeof(expected),
                 OK_BODY("{\"symbol\":\"BTC-USD\",\"symbolID\":1,\"leverage\":20,\"marginMode\":\"%s\"}"),
                 modes[i].name);
        assert_string_equal(rig_body, expected);
    }
    begin(true);
    add_result(0, REJECT_LEVERAGE_LOCKED, 0, 0, "");
    reply("POST /trade/leverage");
    assert_int_equal(rig_code(), 42012);
    rig_expect_not("\"data\"");
}

static void modify_and_margin_are_answered_without_data(void **state)
{
    static const char *const names[] = { "POST /trade/orders/modify", "POST /trade/margin" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        begin(true);
        add_result(0, REJECT_NONE, 0, 7, "");
        reply(names[i]);
        assert_string_equal(rig_body, "{\"code\":0,\"timestamp\":" NOW_TEXT "}");
        begin(true);
        add_result(0, REJECT_LEVERAGE_LOCKED, 0, 0, "");
        reply(names[i]);
        assert_int_equal(rig_code(), 42012);
        rig_expect("\"error\":\"leverage is locked\"");
    }
}

/* A node that does not lead says that nothing was done, one that has lost the log that the outcome is unknown. */
static void a_lost_write_is_answered_503_and_only_a_sure_one_says_that_the_nonce_is_free(void **state)
{
    static const struct {
        enum reject reject;
        int32_t     code;
        const char *text;
        bool        is_free;
    } rows[] = { { REJECT_NO_LEADER, 50302, "no node leads now, the request was not executed", true },
                 { REJECT_OUTCOME_UNKNOWN, 50303, "outcome unknown: ask again with the same nonce and clOrdID",
                   false } };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct refused *refused;

        begin(false);
        refused = EVENT_ADD(&result.events, REFUSED, refused, MARKET_SPOT);
        refused->reject = (uint16_t)rows[i].reject;
        reply("POST /trade/orders");
        assert_int_equal(rig_answer.status, 503);
        assert_int_equal(rig_code(), rows[i].code);
        assert_true(slice_is(rig_answer.extra, "Retry-After: 1\r\n"));
        rig_expect(rows[i].text);
        assert_int_equal(strstr(rig_body, "\"nonce\":\"not used\"") != NULL, rows[i].is_free);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stop_that_sleeps_is_new_in_its_result_too),
        TEST(a_batch_has_one_result_per_item_in_order),
        TEST(the_number_of_the_command_is_told),
        TEST(a_post_only_order_that_would_cross_has_no_order_id),
        TEST(a_cancel_tells_the_orders_own_client_id),
        TEST(money_that_stays_is_told_what_would_free_it),
        TEST(the_largest_batch_of_failures_fits),
        TEST(a_schedule_has_no_data_and_fails_in_the_envelope),
        TEST(a_used_nonce_tells_what_the_same_payload_became),
        TEST(other_refusals_leave_the_nonce_and_say_so),
        TEST(what_was_accepted_may_carry_a_warning),
        TEST(a_change_of_leverage_is_answered_with_what_holds_now),
        TEST(modify_and_margin_are_answered_without_data),
        TEST(a_lost_write_is_answered_503_and_only_a_sure_one_says_that_the_nonce_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
