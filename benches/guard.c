/* SPDX-License-Identifier: MIT */
/*
 * guard.c — hot paths as named functions, for benches/guard.py to count the instructions inside them.
 *
 *     bench_guard order|batch|group|reply|book|state [COUNT] [--plant]
 *
 * order, batch: from the bytes of a signed request with one order, with 100, to a command; guard.py leaves out the
 * recovery of the signer, which is a library's code. group: eight such requests with 100 orders that wait for their
 * signers together. reply: from the result of an order to the bytes of its response.
 * book: from the bytes of a read to those of a response with a cached encoding. state: a read of an account with ten
 * open orders. --plant scans the JSON once more than needed: guard.py must notice.
 */
#include "api_world.h"
#include "wire/shape.h"

#include <stdio.h>
#include <stdlib.h>

#define BATCH 100
#define GROUP 8

static struct http_parser *parser;
static char                wire[32768], sent[32768], answer_text[API_ANSWER_BYTES_MAX + 4096];
static size_t              wire_len;
static bool                plants;

/* Parses and handles the bytes of one request, as an I/O thread does. */
static enum api_outcome pass(void)
{
    struct http_request request;
    enum reject         reject = REJECT_NONE;
    bool                headers = false;

    http_parser_init(parser);
    world_expect(http_parse(parser, wire, wire_len, &request, &reject, &headers) == HTTP_DONE, "http");
    if (plants) world_expect(json_is_valid(request.body), "json");
    return world_handle(&request);
}

__attribute__((noinline)) void guard_order(void);
__attribute__((noinline)) void guard_group(void);
__attribute__((noinline)) void guard_reply(struct api_result *result);
__attribute__((noinline)) void guard_book(void);
__attribute__((noinline)) void guard_state(void);

void guard_order(void) { world_expect(pass() == API_COMMAND, "order"); }

void guard_group(void)
{
    static struct member {
        struct api_write   write;
        struct http_answer answer;
        char               body[API_ANSWER_BYTES_MAX];
        struct out         out;
    } members[GROUP];
    static struct pending_signature *pending[GROUP];
    struct http_request              request;
    enum reject                      reject = REJECT_NONE;
    bool                             headers = false;

    for (uint32_t i = 0; i < GROUP; i++) {
        if (pending[i] == NULL) pending[i] = aligned_alloc(64, pending_signature_size());
        members[i].out = out_make(members[i].body, sizeof(members[i].body));
        http_parser_init(parser);
        world_expect(http_parse(parser, wire, wire_len, &request, &reject, &headers) == HTTP_DONE, "http");
        world_expect(api_begin(world.api, &world.context, &request, &members[i].write, &members[i].answer,
                               &members[i].out, pending[i])
                         == API_AWAITS_SIGNATURE,
                     "group");
    }
    api_recover(pending, GROUP);
    for (uint32_t i = 0; i < GROUP; i++) world_expect(api_signature_done(pending[i]) == API_COMMAND, "group");
}

void guard_reply(struct api_result *result)
{
    struct out body = out_make(world.body, sizeof(world.body)), text = out_make(answer_text, sizeof(answer_text));

    api_reply(world.api, &world.context, world.write.endpoint, result, &world.answer, &body);
    http_write(&text, &world.answer, out_slice(&body));
    world_expect(!text.overflow && memcmp(answer_text, "HTTP/1.1 200", 12) == 0, "reply");
}

static void read_once(const char *what)
{
    struct out text = out_make(answer_text, sizeof(answer_text));

    world_expect(pass() == API_ANSWER, what);
    http_write(&text, &world.answer,
               world.answer.kept.at != NULL ? world.answer.kept : slice_make(world.body, world.body_len));
    world_expect(!text.overflow && memcmp(answer_text, "HTTP/1.1 200", 12) == 0, what);
}

void guard_book(void) { read_once("book"); }
void guard_state(void) { read_once("state"); }

/* ---- requests ---- */

static void write_order(uint32_t orders)
{
    static char      body[16384];
    char             sign[SIGNATURE_TEXT];
    struct hash256   digest;
    struct signature signature;
    size_t           len = (size_t)snprintf(body, sizeof(body), "{\"accountID\":1001,\"orders\":[");

    for (uint32_t i = 0; i < orders; i++)
        len += (size_t)snprintf(body + len, sizeof(body) - len,
                                "%s{\"symbolID\":1,\"clOrdID\":\"guard-%06u\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                "\"price\":\"95000.1\",\"quantity\":\"0.01\"}",
                                i == 0 ? "" : ",", i);
    len += (size_t)snprintf(body + len, sizeof(body) - len, "]}");
    world_sign(slice_make(body, len), &digest, &signature, sign);
    wire_len = (size_t)snprintf(sent, sizeof(sent),
                                "POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                "Content-Type: application/json\r\nAccept: application/json\r\n"
                                "X-API-Nonce: %lld\r\nX-API-Sign: %.*s\r\nContent-Length: %zu\r\n\r\n%.*s",
                                (long long)NOW, SIGNATURE_TEXT, sign, len, (int)len, body);
}

static void run_orders(uint32_t orders, int count)
{
    write_order(orders);
    for (int i = 0; i < count; i++) {
        memcpy(wire, sent, wire_len);
        guard_order();
    }
}

static void run_order(int count) { run_orders(1, count); }
static void run_batch(int count) { run_orders(BATCH, count); }

static void run_group(int count)
{
    write_order(BATCH);
    memcpy(wire, sent, wire_len);
    for (int i = 0; i < count; i++) guard_group();
}

static void run_reply(int count)
{
    static uint64_t   room[64];
    struct events     events = { (uint8_t *)room, 0, sizeof(room) };
    struct result    *item = EVENT_ADD(&events, RESULT, result, MARKET_SPOT);
    struct api_result result = { .events = events, .is_transaction = true, .place = { .block = 123456, .index = 7 } };

    run_order(1); /* the account of the reply */
    item->client_id = client_id_make(SLICE("guard-000001"));
    item->order_id = 1234567;
    for (int i = 0; i < count; i++) guard_reply(&result);
}

static void run_book(int count)
{
    wire_len = (size_t)snprintf(sent, sizeof(sent),
                                "GET /api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=10 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                "Accept: application/json\r\n\r\n");
    for (int i = 0; i < count; i++) {
        memcpy(wire, sent, wire_len);
        guard_book();
    }
}

static void run_state(int count)
{
    struct address owner;

    world_expect(address_of_secret(world.secret, &owner), "crypto");
    for (uint64_t i = 1; i <= 10; i++) world_open_order(i);
    wire_len = (size_t)snprintf(sent, sizeof(sent), "GET /api/v1/spot/accounts/0x");
    for (size_t i = 0; i < sizeof(owner.bytes); i++)
        wire_len += (size_t)snprintf(sent + wire_len, sizeof(sent) - wire_len, "%02x", owner.bytes[i]);
    wire_len += (size_t)snprintf(sent + wire_len, sizeof(sent) - wire_len,
                                 "/state HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n");
    for (int i = 0; i < count; i++) {
        memcpy(wire, sent, wire_len);
        guard_state();
    }
    world_expect(memcmp(world.body, "{\"code\":0,", 10) == 0 && strstr(world.body, "\"guard-000001\"") != NULL,
                 "state");
}

int main(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *name; void (*run)(int count); } paths[] = {
        { "order", run_order }, { "batch", run_batch }, { "group", run_group }, { "reply", run_reply },
        { "book", run_book },
          { "state", run_state },
    };
    /* clang-format on */
    int count = argc > 2 ? atoi(argv[2]) : 100;

    plants = argc > 3 && strcmp(argv[3], "--plant") == 0;
    parser = calloc(1, http_parser_size());
    world_expect(parser != NULL && argc > 1 && count >= 0, "the arguments");
    world_make();
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++)
        if (strcmp(argv[1], paths[i].name) == 0) paths[i].run(count);
    return 0;
}
