/* SPDX-License-Identifier: MIT */
#include "client_inside.h"

#include "base/out.h"
#include "crypto/crypto.h"
#include "network.h"
#include "received.h"
#include "app/dev_accounts.h"

#include <stdio.h>
#include <stdlib.h>

#define REQUEST_MAX  2048
#define PIPELINE     6
#define INPUT_BYTES  65536
#define OUTPUT_BYTES 16384
#define CHAIN_ID     286623
#define READ         UINT32_MAX /* an outstanding request that is no write; … */
#define JUDGED_READ                                                                                                    \
    (READ - TOLD_READS) /* … and those whose replies are checked, from here on (enum received_read)    \ */
#define SET_INDEX (JUDGED_READ - 1) /* a price of the index by hand */

struct client {
    uint8_t        secret[32];
    struct address address;
    uint64_t       account_id;
    int            wire; /* -1: not connected */
    int64_t        next_ns;
    uint32_t       outstanding[PIPELINE], count; /* requests in the order of their answers */
    uint64_t       floors[PIPELINE]; /* of reads: the last command that had been published when they were sent */
    size_t         in_len, out_len;
    char           in[INPUT_BYTES], out[OUTPUT_BYTES];
    uint32_t       unresolved[64], unresolved_count;
};

static struct client clients[CLIENTS];
static uint64_t      last_nonce;
static uint32_t      order_number;

/* ---- signatures ---- */

/*
 * A checksum in the form of a signature: r names the signer, s depends on the digest. It is as good as a signature as
 * long as no client forges it.
 */
static void cheap_signature(const struct hash256 *digest, const struct address *signer, uint8_t r[32], uint8_t s[32])
{
    uint64_t sum = 1, part;

    memset(r, 0, 32);
    memset(s, 0, 32);
    memcpy(r + 12, signer->bytes, 20);
    for (int i = 0; i < 4; i++) {
        memcpy(&part, digest->bytes + 8 * i, 8);
        sum = fold(sum, part);
    }
    sum = fold_bytes(sum, signer->bytes, 16);
    memcpy(s + 8, &sum, 8);
    s[31] = 1;
}

static bool client_signed(const struct hash256 *digest, const uint8_t r[32], const uint8_t s[32],
                          struct address *signer)
{
    uint8_t r_want[32], s_want[32];

    memcpy(signer->bytes, r + 12, 20);
    cheap_signature(digest, signer, r_want, s_want);
    return memcmp(r, r_want, 32) == 0 && memcmp(s, s_want, 32) == 0;
}

bool __real_recover_signer(const struct hash256 *digest, const struct signature *signature, struct address *signer);
bool __wrap_recover_signer(const struct hash256 *digest, const struct signature *signature, struct address *signer);
bool __wrap_recover_signer(const struct hash256 *digest, const struct signature *signature, struct address *signer)
{
    /* Outside of the server it is crypto_init that asks, for its known answers. */
    if (world.signed_for_real || !fiber_here()) return __real_recover_signer(digest, signature, signer);
    return client_signed(digest, signature->r, signature->s, signer);
}

/* ---- requests ---- */

static void text(struct out *out, const char *string) { out_bytes(out, string, strlen(string)); }

static void put_price(struct out *out)
{
    uint32_t fraction = world_random(9) + 1;
    char     number[32];

    (void)snprintf(number, sizeof(number), "%u.%u", 99990 + world_random(20), fraction);
    text(out, number);
}

/* Around the index, so that there are trades at any index. */
static void put_perps_price(struct out *out)
{
    uint32_t fraction = world_random(9) + 1;
    char     number[32];

    (void)snprintf(number, sizeof(number), "%u.%u", index_now - 10 + world_random(20), fraction);
    text(out, number);
}

static void put_number(struct out *out, const char *before, uint64_t number)
{
    text(out, before);
    out_u64(out, number);
}

static void put_spot_orders(struct out *body, const struct client *client, uint32_t items)
{
    put_number(body, "{\"accountID\":", client->account_id);
    text(body, ",\"orders\":[");
    for (uint32_t i = 0; i < items; i++) {
        put_number(body, i == 0 ? "{\"symbolID\":" : ",{\"symbolID\":", 1 + world_random(2));
        put_number(body, ",\"clOrdID\":\"c", world_chance(8) ? 1 + world_random(order_number + 1) : ++order_number);
        put_number(body, "\",\"side\":", 1 + world_random(2));
        put_number(body, ",\"type\":1,\"timeInForce\":", (uint64_t[]){ 1, 1, 1, 3, 4 }[world_random(5)]);
        text(body, ",\"price\":\"");
        put_price(body);
        put_number(body, "\",\"quantity\":\"0.0", 1 + world_random(90));
        text(body, "\"}");
    }
    text(body, "]}");
}

static void put_cancels(struct out *body, const struct client *client, uint32_t items)
{
    put_number(body, "{\"accountID\":", client->account_id);
    text(body, ",\"cancels\":[");
    for (uint32_t i = 0; i < items; i++) {
        put_number(body, i == 0 ? "{\"symbolID\":" : ",{\"symbolID\":", 1 + world_random(2));
        put_number(body, ",\"clOrdID\":\"c",
                   1 + order_number - world_random(order_number < 30 ? order_number + 1 : 30));
        text(body, "\"}");
    }
    text(body, "]}");
}

static void put_replace(struct out *body, const struct client *client)
{
    put_number(body, "{\"accountID\":", client->account_id);
    put_number(body, ",\"orders\":[{\"symbolID\":", 1 + world_random(2));
    put_number(body, ",\"clOrdID\":\"c", ++order_number);
    put_number(body, "\",\"origClOrdID\":\"c", 1 + world_random(order_number));
    text(body, "\",\"price\":\"");
    put_price(body);
    text(body, "\"}]}");
}

static void put_perps_orders(struct out *body, const struct client *client, uint32_t items)
{
    bool market = world_chance(3);

    put_number(body, "{\"accountID\":", client->account_id);
    text(body, ",\"symbolID\":1,\"orders\":[");
    for (uint32_t i = 0; i < items; i++) {
        put_number(body, i == 0 ? "{\"clOrdID\":\"p" : ",{\"clOrdID\":\"p", ++order_number);
        put_number(body, "\",\"modifier\":1,\"side\":", 1 + world_random(2));
        text(body, market ? ",\"type\":2,\"timeInForce\":3" : ",\"type\":1,\"timeInForce\":1,\"price\":\"");
        if (!market) put_perps_price(body);
        text(body, market ? ",\"quantity\":\"" : "\",\"quantity\":\"");
        put_number(body, world.by_hand ? "0." : "0.0", 1 + world_random(90));
        text(body, world_chance(6) ? "\",\"reduceOnly\":true,\"positionSide\":1}"
                                   : "\",\"reduceOnly\":false,\"positionSide\":1}");
    }
    text(body, "]}");
}

/* The request of a write. */
/* clang-format off */
static const struct kind { const char *method, *path, *type; uint8_t domain; bool single, many; } kinds[] = {
    { "POST",   "/api/v1/spot/trade/orders/batch",            "batchNewOrder",    DOMAIN_SPOT,    false, true  },
    { "DELETE", "/api/v1/spot/trade/orders/batch",            "batchCancelOrder", DOMAIN_SPOT,    false, true  },
    { "POST",   "/api/v1/spot/trade/orders/replace",          "replaceOrder",     DOMAIN_SPOT,    false, false },
    { "POST",   "/api/v1/perps/trade/orders",                 "newOrder",         DOMAIN_FUTURES, false, true  },
    { "POST",   "/api/v1/spot/trade/orders/schedule-cancel",  "scheduleCancel",   DOMAIN_SPOT,    true,  false },
    { "POST",   "/api/v1/perps/trade/leverage",               "updateLeverage",   DOMAIN_FUTURES, true,  false },
};
/* clang-format on */

static void put_body(struct out *body, const struct client *client, uint32_t kind, uint32_t items)
{
    switch (kind) {
    case 0: put_spot_orders(body, client, items); break;
    case 1: put_cancels(body, client, items); break;
    case 2: put_replace(body, client); break;
    case 3: put_perps_orders(body, client, items); break;
    case 4:
        put_number(body, "{\"accountID\":", client->account_id);
        put_number(body, ",\"scheduledTimestamp\":", (uint64_t)world_wall_ms() + 4000 + world_random(10000));
        text(body, "}");
        break;
    default:
        put_number(body, "{\"accountID\":", client->account_id);
        put_number(body, ",\"symbolID\":1,\"leverage\":", world.by_hand && world_chance(2) ? 25 : 1 + world_random(25));
        put_number(body, ",\"marginMode\":", 1 + world_random(2));
        text(body, "}");
    }
}

static void sign(const struct client *client, const struct kind *kind, struct slice body, uint64_t nonce,
                 struct write *write, char signature_text[SIGNATURE_TEXT])
{
    struct hash256 separator = domain_separator(kind->domain, CHAIN_ID),
                   payload = payload_hash(slice_of(kind->type), body);
    struct hash256   digest = action_digest(&separator, &payload, nonce);
    struct signature signature = { .type = 1 };

    memcpy(&write->tag, payload.bytes, sizeof(write->tag));
    if (world.signed_for_real) {
        bool made = sign_digest(&digest, client->secret, 1, &signature);
        assert(made);
    } else {
        cheap_signature(&digest, &client->address, signature.r, signature.s);
    }
    signature_write(&signature, signature_text);
}

/* Makes a write that no client has sent yet. */
static uint32_t new_write(uint32_t who)
{
    static const uint8_t often[] = { 0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 5 },
                         often_by_hand[] = { 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 4, 5 };
    struct client     *client = &clients[who];
    struct write      *write = &writes[write_count];
    uint32_t           roll = world_random(sizeof(often));
    const struct kind *kind = &kinds[world.by_hand ? often_by_hand[roll] : often[roll]];
    char               body_text[REQUEST_MAX], request_text[REQUEST_MAX + 512], signature[SIGNATURE_TEXT];
    struct out body = out_make(body_text, sizeof(body_text)), request = out_make(request_text, sizeof(request_text));

    assert(write_count < WRITES_MAX);
    last_nonce = max_u64(last_nonce + 1, (uint64_t)world_wall_ms());
    *write = (struct write){ .nonce = last_nonce,
                             .client = who,
                             .items = kind->many ? 1 + world_random(world_chance(4) ? 5 : 1) : 1,
                             .single = kind->single };
    put_body(&body, client, (uint32_t)(kind - kinds), write->items);
    sign(client, kind, out_slice(&body), write->nonce, write, signature);
    text(&request, kind->method);
    text(&request, " ");
    text(&request, kind->path);
    put_number(&request,
               " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-API-Chain: 286623\r\n"
               "X-API-Nonce: ",
               write->nonce);
    text(&request, "\r\nX-API-Sign: ");
    out_bytes(&request, signature, SIGNATURE_TEXT);
    put_number(&request, "\r\nContent-Length: ", body.len);
    text(&request, "\r\n\r\n");
    out_bytes(&request, body.at, body.len);
    assert(!body.overflow && !request.overflow);
    write->bytes = (uint32_t)request.len;
    write->request = world_keep(request.len);
    memcpy(write->request, request.at, request.len);
    ledger_sums.writes += 1;
    return write_count++;
}

/* ---- what is answered ---- */

/* The number behind `key`, from `at` on; *next: behind it. False: there is none before `end`. */
static bool number_behind(const char *at, const char *end, const char *key, uint64_t *number, const char **next)
{
    const char *found = memmem(at, (size_t)(end - at), key, strlen(key));

    if (found == NULL) return false;
    found += strlen(key);
    if (found < end && *found == '"') found += 1;
    for (*number = 0; found < end && *found >= '0' && *found <= '9'; found++)
        *number = *number * 10 + (uint64_t)(*found - '0');
    *next = found;
    return true;
}

/* The results of a batch, folded as the ledger folds them. */
static uint64_t fold_batch(const char *body, const char *end)
{
    const char *at = memmem(body, (size_t)(end - body), "\"data\":[", 8), *next, *after;
    uint64_t    sum = 0, code, id;

    while (at != NULL && number_behind(at, end, "{\"code\":", &code, &next)) {
        const char *limit = memmem(next, (size_t)(end - next), "{\"code\":", 8);
        if (!number_behind(next, limit == NULL ? end : limit, "\"orderID\":", &id, &after)) id = 0;
        sum = fold(fold(sum, code), code == 0 ? id : 0);
        at = next;
    }
    return sum;
}

static void on_acknowledged(struct write *write, uint64_t answer)
{
    if (write->acknowledged && write->answer != answer)
        world_wrong("write %lu was answered twice, and differently", (unsigned long)write->nonce);
    ledger_sums.acknowledged += !write->acknowledged;
    write->acknowledged = true;
    write->answer = answer;
    acknowledged_seq = max_u64(acknowledged_seq, write->executed.seq);
    ledger_check(write);
}

/* A reply is one of three: executed, not executed, or executed before. */
static void on_answer(struct client *client, uint32_t outstanding, uint32_t status, const char *body, const char *end)
{
    struct write *write = outstanding >= SET_INDEX ? NULL : &writes[outstanding];
    uint64_t      code = 0;
    const char   *next;
    bool          has_code = number_behind(body, end, "\"code\":", &code, &next);

    if (outstanding >= JUDGED_READ && outstanding != READ && status == 200 && truth_is_kept())
        received_read((enum received_read)(outstanding - JUDGED_READ), (uint32_t)(client - clients),
                      slice_make(body, (size_t)(end - body)), client->floors[0]);
    if (write == NULL) return;
    if (status == 200 && has_code && code == 0) {
        on_acknowledged(write, write->single ? fold(0, 0) : fold_batch(body, end));
    } else if (status == 503 || memmem(body, (size_t)(end - body), "\"nonce\":\"not used\"", 18) != NULL) {
        write->refused += 1;
        ledger_sums.refused += 1;
        ledger_check(write);
    } else if (code == 40102) { /* used: by an earlier copy of the same bytes, and by nothing else */
        ledger_sums.answers_of_used += 1;
        write->refused += 1;
        if (write->executed.seq == 0)
            world_wrong("write %lu is answered as used and was never executed", (unsigned long)write->nonce);
    } else if (status == 200 && has_code && write->single) {
        on_acknowledged(write, fold(0, code));
    } else {
        world_wrong("write %lu is answered with status %u: %.*s", (unsigned long)write->nonce, status,
                    (int)min_size((size_t)(end - body), 120), body);
    }
}

/* Takes complete replies off the front of the input. False: the input is no reply. */
static bool take_answers(struct client *client)
{
    for (;;) {
        const char *head_end = memmem(client->in, client->in_len, "\r\n\r\n", 4), *next;
        uint64_t    status = 0, length = 0;
        size_t      whole;

        if (head_end == NULL) return client->in_len < INPUT_BYTES;
        if (memcmp(client->in, "HTTP/1.1 ", 9) != 0
            || !number_behind(client->in, head_end, "HTTP/1.1 ", &status, &next))
            return false;
        if (!number_behind(client->in, head_end + 2, "Content-Length: ", &length, &next)) return false;
        whole = (size_t)(head_end + 4 - client->in) + length;
        if (whole > INPUT_BYTES) return false;
        if (client->in_len < whole) return true;
        if (client->count == 0) {
            if (status != 408 && status != 503) return false;
        } else {
            on_answer(client, client->outstanding[0], (uint32_t)status, head_end + 4, client->in + whole);
            client->count -= 1;
            memmove(client->outstanding, client->outstanding + 1, client->count * sizeof(uint32_t));
            memmove(client->floors, client->floors + 1, client->count * sizeof(uint64_t));
        }
        client->in_len -= whole;
        memmove(client->in, client->in + whole, client->in_len);
    }
}

/* ---- what a client does ---- */

/* The outcome of outstanding requests is unknown now, and they may be sent again. */
static void let_go(struct client *client)
{
    for (uint32_t i = 0; i < client->count; i++)
        if (client->outstanding[i] < SET_INDEX && client->unresolved_count < 64)
            client->unresolved[client->unresolved_count++] = client->outstanding[i];
    client->count = 0;
    client->in_len = client->out_len = 0;
    client->wire = -1;
}

static size_t put_read(const struct client *client, uint32_t number, char *at, size_t cap)
{
    static const char *const paths[] = { "/api/v1/perps/markets/mark-prices", "/readyz", "/api/v1/gateway/time" };
    struct out               out = out_make(at, cap);

    text(&out, "GET ");
    if (number == READ) text(&out, paths[world_random(3)]);
    else received_read_path((enum received_read)(number - JUDGED_READ), &client->address, &out);
    text(&out, " HTTP/1.1\r\nHost: x\r\n\r\n");
    assert(!out.overflow);
    return out.len;
}

static size_t put_index(char *at, size_t cap)
{
    char       body[160];
    struct out out = out_make(at, cap);
    int        len;

    draw_index();
    len = snprintf(body, sizeof(body),
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"dojima_setIndexPrice\",\"params\":[{\"symbol\":\"BTC-"
                   "USD\",\"price\":\"%u\"}]}",
                   index_now);
    put_number(&out,
               "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               "Content-Length: ",
               (uint64_t)len);
    text(&out, "\r\n\r\n");
    out_bytes(&out, body, (size_t)len);
    assert(!out.overflow);
    return out.len;
}

static void ask(struct client *client, uint32_t number)
{
    const char *request = NULL;
    size_t      len;
    char        read[400];

    if (number >= SET_INDEX) {
        len = number == SET_INDEX ? put_index(read, sizeof(read)) : put_read(client, number, read, sizeof(read));
        request = read;
        ledger_sums.reads += number != SET_INDEX;
    } else {
        request = writes[number].request;
        len = writes[number].bytes;
        writes[number].sent += 1;
    }
    memcpy(client->out + client->out_len, request, len);
    client->out_len += len;
    client->floors[client->count] = max_u64(acknowledged_seq, received_seq());
    client->outstanding[client->count++] = number;
}

static bool may_ask(const struct client *client)
{
    return client->count < PIPELINE && client->out_len + REQUEST_MAX + 512 < OUTPUT_BYTES && write_count < WRITES_MAX;
}

static void think(struct client *client)
{
    uint32_t who = (uint32_t)(client - clients);

    if (!may_ask(client)) return;
    if (client->unresolved_count != 0 && world_chance(2)) {
        uint32_t number = client->unresolved[--client->unresolved_count];
        if (world_chance(4)) return; /* this one is never sent again */
        ledger_sums.retried += 1;
        ask(client, number);
    } else if (world.by_hand && world_chance(8)) {
        ask(client, SET_INDEX);
    } else if (world_chance(12)) {
        ask(client, READ - world_random(TOLD_READS + 1));
    } else if (world_chance(16) && write_count != 0) { /* bytes of before, for no reason */
        uint32_t number =
            write_count - 1 - world_random(min_u64(write_count, 40) == 0 ? 1 : (uint32_t)min_u64(write_count, 40));
        if (writes[number].client != who) return;
        ledger_sums.retried += 1;
        ask(client, number);
    } else {
        ask(client, new_write(who));
    }
}

static void exchange_bytes(struct client *client)
{
    bool   ended = false;
    size_t part = client->out_len;

    if (part != 0) {
        if (world_chance(3)) part = 1 + world_random((uint32_t)part);
        part = wire_send(client->wire, client->out, part);
        client->out_len -= part;
        memmove(client->out, client->out + part, client->out_len);
    }
    if (world_chance(4)) return; /* it does not read just now */
    client->in_len += wire_receive(client->wire, client->in + client->in_len, INPUT_BYTES - client->in_len, &ended);
    if (!take_answers(client)) world_wrong("what client %u got is no answer", (unsigned)(client - clients));
    if (!ended) return;
    wire_cut(client->wire, false);
    let_go(client);
}

static void client_step(struct client *client)
{
    client->next_ns = world.mono_ns + (world_chance(3) ? world_random(2000000) : world_random(100000));
    if (world.stop_asked && !world_chance(10))
        client->next_ns += 30000000; /* or a stop would be nothing but refusals */
    if (world.is_lull) client->next_ns += world_lull_step_ns();
    if (client->wire < 0) {
        if (world.is_lull) return;
        client->wire = wire_connect(world_chance(4) ? 64 + world_random(2000) : 262144);
        if (client->wire < 0) client->next_ns += 2000000;
        return;
    }
    if (world_chance(300)) {
        ledger_sums.cuts += 1;
        wire_cut(client->wire, world_chance(2));
        let_go(client);
        return;
    }
    if (world_chance(2) && !world.is_lull) think(client);
    exchange_bytes(client);
}

bool clients_step(int64_t *wake_ns)
{
    uint32_t able[CLIENTS], count = 0;

    *wake_ns = INT64_MAX;
    if (world.mono_ns >= operator_ns) operator_step();
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (clients[i].next_ns <= world.mono_ns) able[count++] = i;
        else *wake_ns = min_i64(*wake_ns, clients[i].next_ns);
    }
    if (count == 0) return false;
    client_step(&clients[able[world_random(count)]]);
    return true;
}

bool clients_wait(void)
{
    for (uint32_t i = 0; i < CLIENTS; i++)
        if (clients[i].wire >= 0 && clients[i].count != 0) return true;
    return false;
}

const struct address *client_address(uint32_t client) { return &clients[client].address; }

void clients_lost(void)
{
    for (uint32_t i = 0; i < CLIENTS; i++)
        if (clients[i].wire >= 0) let_go(&clients[i]);
    operator_lost();
}

void clients_begin(void)
{
    for (uint32_t i = 0; i < write_count; i++) free(writes[i].request);
    ledger_begin();
    order_number = 0;
    last_nonce = 0;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct client *client = &clients[i];
        bool           made;

        memset(client, 0, offsetof(struct client, in));
        memcpy(client->secret, dev_secrets[i], 32);
        made = address_of_secret(client->secret, &client->address);
        assert(made);
        client->account_id = CLIENT_ACCOUNT + i;
        client->wire = -1;
        client->unresolved_count = 0;
    }
}
