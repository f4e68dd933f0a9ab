/* SPDX-License-Identifier: MIT */
/* The development methods of /rpc: who may use them, and what commands they make. */
#include "api/node/rpc.h"
#include "rigs/api/test_rig.h"

#define WHO "0x7777777777777777777777777777777777777777"

static enum api_outcome rpc_through(const char *method, const char *params, const uint8_t peer[16],
                                    enum http_header header, const char *forwarded)
{
    struct http_request request = rig_request(HTTP_POST, "/rpc");
    char                body[1024];

    (void)snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method,
                   params);
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json");
    rig_put_header(&request, header, forwarded);
    request.body = slice_of(body);
    memcpy(rig_context.peer.bytes, peer, 16);
    return rig_handle(&request);
}

static enum api_outcome rpc(const char *method, const char *params, const uint8_t peer[16], const char *forwarded)
{
    return rpc_through(method, params, peer, HEADER_FORWARDED_FOR, forwarded);
}

static const uint8_t here[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 }, here_too[16] = { [10] = 0xff, 0xff, 127, 8, 9, 1 },
                     here_six[16] = { [15] = 1 };
static const uint8_t there[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 }, there_six[16] = { 0x20, 1, [15] = 1 },
                     nowhere[16] = { 0 };

/* clang-format off */
static const struct { const char *method, *params; } commands[] = {
    { "dojima_deposit", "[{\"address\":\"" WHO "\",\"coin\":\"vUSDC\",\"amount\":\"1\"}]" },
    { "evm_increaseTime", "[60]" }, { "evm_setNextBlockTimestamp", "[1760001000]" }, { "evm_mine", "[]" },
};
/* clang-format on */

static void development_methods_are_for_clients_on_this_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        const char *method = commands[i].method, *params = commands[i].params;
        assert_int_equal(rpc(method, params, here, NULL), API_COMMAND);
        assert_int_equal(rpc(method, params, here_too, NULL), API_COMMAND);
        assert_int_equal(rpc(method, params, here_six, NULL), API_COMMAND);
        assert_int_equal(rpc(method, params, there, NULL), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc(method, params, there_six, NULL), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc(method, params, nowhere, NULL), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc(method, params, here, "10.0.0.1"), API_ANSWER); /* a proxy forwards for another client */
        rig_expect("-32601");
        assert_int_equal(rpc_through(method, params, here, HEADER_FORWARDED, "for=10.0.0.1"), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc_through(method, params, here, HEADER_FORWARDED, ""), API_ANSWER);
        rig_expect("-32601");
    }
}

/* A browser on this machine may show a page from elsewhere, even under a name that leads here (DNS rebinding). */
static void development_methods_are_not_for_pages_from_elsewhere(void **state)
{
    static const char *const own_hosts[] = { "127.0.0.1:8080",     "127.1.2.3", "localhost", "LocalHost:1",
                                             "app.localhost:3000", "[::1]",     "[::1]:8080" };
    static const char *const foreign_hosts[] = { "",
                                                 "example.org",
                                                 "example.org:8080",
                                                 "127.0.0.1.example.org",
                                                 "127.example",
                                                 "notlocalhost",
                                                 "localhost.example.org",
                                                 "[::2]",
                                                 "[::1]x",
                                                 "10.0.0.1",
                                                 "0.0.0.0:8080",
                                                 "127.0.0.1:evil",
                                                 "127.0.0.1:8080:evil",
                                                 "127.0.0.1:99999",
                                                 "[::1]:evil",
                                                 "localhost:evil",
                                                 "127.0.0.1.1" };
    char                     origin[64];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(own_hosts); i++) {
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_HOST, own_hosts[i]), API_COMMAND);
        (void)snprintf(origin, sizeof(origin), "http://%s", own_hosts[i]);
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, origin), API_COMMAND);
    }
    for (size_t i = 0; i < ARRAY_COUNT(foreign_hosts); i++) {
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_HOST, foreign_hosts[i]), API_ANSWER);
        rig_expect("-32601");
        (void)snprintf(origin, sizeof(origin), "https://%s", foreign_hosts[i]);
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, origin), API_ANSWER);
        rig_expect("-32601");
    }
    assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, "null"), API_ANSWER);
    assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, "localhost"), API_ANSWER);
    assert_int_equal(rpc_through("eth_chainId", "[]", here, HEADER_ORIGIN, "https://example.org"),
                     API_ANSWER); /* any origin may read */
    rig_expect("\"result\"");
}

/* Who may use a method: its bytes go to the sequencer, or -32601 says that there is none. */
static void mine(const uint8_t peer[16], const char *host, const char *origin, bool may)
{
    struct http_request request = rig_request(HTTP_POST, "/rpc");

    request.body = SLICE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"evm_mine\",\"params\":[]}");
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json");
    memcpy(rig_context.peer.bytes, peer, 16);
    if (host != NULL) rig_put_header(&request, HEADER_HOST, host);
    if (origin != NULL) rig_put_header(&request, HEADER_ORIGIN, origin);
    assert_int_equal(rig_handle(&request), may ? API_COMMAND : API_ANSWER);
    if (!may) rig_expect("-32601");
}

/* decision 924 */
static void development_methods_are_for_every_peer_where_dev_listens_to_all(void **state)
{
    static const uint8_t elsewhere[16] = { [10] = 0xff, 0xff, 10, 0, 0, 7 };

    (void)state;
    mine(elsewhere, NULL, NULL, false);
    rig_shared.settings.open_to_all = true;
    mine(elsewhere, NULL, NULL, true);
    mine(elsewhere, "exchange:8080", NULL, true);
    mine(elsewhere, "exchange:8080", "http://localhost:3000", true);
    mine(elsewhere, "192.168.0.2:8080", "http://192.168.0.2:8080", true);
    mine(elsewhere, "[fd00::1]:8080", "http://[fd00::1]:8080", true);
    mine(elsewhere, "192.168.0.2:8080", "http://192.168.0.3:8080", false);
    mine(elsewhere, "192.168.0.2:8080", "http://192.168.0.2:8081", false);
    mine(elsewhere, "192.168.0.2:8080", "http://example.org", false);
    mine(elsewhere, "example.org:8080", "http://example.org:8080", false);
    mine(elsewhere, NULL, "http://192.168.0.2:8080", false);
    mine(here, "localhost:8080", "http://example.org", false);
    mine(here, "localhost:8080", "null", false);
    rig_shared.settings.development = false;
    mine(elsewhere, NULL, NULL, false);
}

static void a_venue_has_no_development_methods(void **state)
{
    (void)state;
    rig_shared.settings.development = false;
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        assert_int_equal(rpc(commands[i].method, commands[i].params, here, NULL), API_ANSWER);
        rig_expect("-32601");
    }
}

static void time_is_asked_for_in_seconds(void **state)
{
    (void)state;
    assert_int_equal(rpc("evm_increaseTime", "[3600]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.advance_kind, ADVANCE_BY);
    assert_int_equal(rig_write.room.advance_time.offset_ms, 3600000);
    assert_int_equal(rpc("evm_increaseTime", "[\"0xe10\"]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.room.advance_time.offset_ms, 3600000);
    assert_int_equal(rpc("evm_increaseTime", "[\"0xffffffffffffffff\"]", here, NULL), API_COMMAND);
    assert_true(rig_write.room.advance_time.offset_ms == INT64_MAX); /* the sequencer refuses it */
    assert_int_equal(rpc("evm_increaseTime", "[\"0x20c49ba5e353f7\"]", here, NULL), API_COMMAND);
    assert_true(rig_write.room.advance_time.offset_ms == INT64_MAX / 1000 * 1000);
    assert_int_equal(rpc("evm_setNextBlockTimestamp", "[1760001000]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.advance_kind, ADVANCE_TO);
    assert_int_equal(rig_write.room.advance_time.offset_ms, INT64_C(1760001000000));
    assert_int_equal(rpc("evm_mine", "[]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.advance_kind, ADVANCE_NONE);
    assert_int_equal(rig_write.room.head.kind, CMD_TICK);
}

static void deposits_without_an_id_are_told_apart(void **state)
{
    struct operator_id first;

    (void)state;
    assert_int_equal(rpc(commands[0].method, commands[0].params, here, NULL), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_DEPOSIT);
    assert_int_equal(rig_write.room.deposit.engine, MARKET_SPOT);
    first = rig_write.room.deposit.id;
    assert_int_equal(rpc(commands[0].method, commands[0].params, here, NULL), API_COMMAND);
    assert_memory_not_equal(&first, &rig_write.room.deposit.id, sizeof(first));
    assert_int_equal(rpc("dojima_deposit",
                         "[{\"address\":\"" WHO
                         "\",\"engine\":\"perps\",\"coin\":\"vUSDC\",\"amount\":\"1\",\"id\":\"d-1\"}]",
                         here, NULL),
                     API_COMMAND);
    assert_int_equal(rig_write.room.deposit.engine, MARKET_PERPS);
    first = rig_write.room.deposit.id;
    assert_memory_equal(first.bytes, keccak256("d-1", 3).bytes, 16);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_begin, rig_end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(development_methods_are_for_clients_on_this_machine),
        TEST(development_methods_are_not_for_pages_from_elsewhere),
        TEST(development_methods_are_for_every_peer_where_dev_listens_to_all),
        TEST(a_venue_has_no_development_methods),
        TEST(time_is_asked_for_in_seconds),
        TEST(deposits_without_an_id_are_told_apart),
    };
    return cmocka_run_group_tests_name("api/node/rpc_dev", tests, NULL, NULL);
}
