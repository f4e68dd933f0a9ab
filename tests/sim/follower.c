/* SPDX-License-Identifier: MIT */
#include "follower.h"

#include "base/out.h"
#include "client.h"
#include "network.h"
#include "wire/frame.h"
#include "wire/shape.h"

#include <stdio.h>

#define SUBSCRIPTIONS 12 /* of a connection */
#define ASKS          48
#define IN_BYTES      (1024 * 1024)
#define OUT_BYTES     16384
#define ASK_BYTES     512
#define MINUTE_NS     INT64_C(59900000000) /* a loop's clock is a little behind */

enum pace { READS_AT_ONCE, READS_SLOWLY, READS_NEVER };
enum ask_kind { ASK_SUBSCRIBE, ASK_AGAIN, ASK_UNSUBSCRIBE, ASK_WRONGLY, ASK_PING };

/* The requests to be answered, in this order. */
struct perps_check {
    uint64_t         id;
    uint8_t          kind;
    struct received *received;
};

struct follower {
    int                wire;            /* -1: not connected */
    bool               is_open, closed; /* the handshake is complete; the server has sent a close frame */
    bool               broke;           /* it has sent an invalid frame, or a close frame of its own */
    bool               is_mute;         /* it answers no pings */
    uint8_t            market, pace;
    uint32_t           client; /* the account that it watches */
    int64_t            next_ns, opened_ns, wakes_ns;
    int64_t            spoke_ns, followed_ns; /* when it last sent something; when it last had a subscription */
    uint64_t           id;
    struct received    received[SUBSCRIPTIONS];
    struct perps_check asks[ASKS];
    uint32_t           ask_count;
    char               pings[8][8]; /* payloads of control pings, in the order of their pongs */
    uint32_t           ping_count;
    size_t             in_len, out_len;
    char               in[IN_BYTES], out[OUT_BYTES];
};

static struct follower        followers[FOLLOWERS_MAX];
static uint32_t               follower_count;
static uint64_t               lull_seq;
static int64_t                lull_ns;
static struct follower_counts counts;

static void text(struct out *out, const char *string) { out_bytes(out, string, strlen(string)); }

/* ---- frames of ours ---- */

/* One frame, masked; `fin`: the message ends with it. */
static void put_frame(struct out *out, uint8_t opcode, bool fin, struct slice payload)
{
    uint8_t head[8] = { (uint8_t)(opcode | (fin ? 0x80 : 0)) };
    size_t  len = payload.len < 126 ? 2 : 4;

    head[1] = (uint8_t)(0x80 | (payload.len < 126 ? payload.len : 126));
    head[2] = (uint8_t)(payload.len >> 8);
    head[3] = (uint8_t)payload.len;
    for (int i = 0; i < 4; i++) head[len + (size_t)i] = (uint8_t)world_random(256);
    out_bytes(out, head, len + 4);
    for (size_t i = 0; i < payload.len; i++) out_char(out, (char)(payload.at[i] ^ head[len + i % 4]));
}

static void put_ping(struct follower *follower, struct out *out)
{
    char *payload = follower->pings[follower->ping_count++];

    for (int i = 0; i < 8; i++) payload[i] = (char)world_random(256);
    put_frame(out, FRAME_PING, true, slice_make(payload, 8));
}

/* A message, whole or in two frames with perhaps a ping between them. */
static void say(struct follower *follower, struct slice message)
{
    struct out out = out_make(follower->out + follower->out_len, OUT_BYTES - follower->out_len);
    size_t     part = world_chance(6) ? world_random((uint32_t)message.len) : message.len;

    put_frame(&out, FRAME_TEXT, part == message.len, slice_make(message.at, part));
    if (part != message.len) {
        if (world_chance(2) && follower->ping_count < 8) put_ping(follower, &out);
        put_frame(&out, FRAME_CONTINUATION, true, slice_make(message.at + part, message.len - part));
    }
    assert(!out.overflow);
    follower->out_len += out.len;
}

static void send_ping(struct follower *follower)
{
    struct out out = out_make(follower->out + follower->out_len, OUT_BYTES - follower->out_len);

    put_ping(follower, &out);
    follower->out_len += out.len;
}

static void send_frame(struct follower *follower, uint8_t opcode, struct slice payload)
{
    struct out out = out_make(follower->out + follower->out_len, OUT_BYTES - follower->out_len);

    if (OUT_BYTES - follower->out_len < payload.len + 16) return;
    put_frame(&out, opcode, true, payload);
    follower->out_len += out.len;
}

/* ---- requests ---- */

/* `more`: another subscription that differs by its symbol alone, or NULL. */
static void put_params(struct out *out, const struct follower *follower, const struct received *received,
                       const struct received *more)
{
    text(out, "\"params\":{\"channel\":\"");
    text(out, received->channel->name);
    text(out, "\"");
    if (more != NULL) {
        text(out, ",\"symbols\":[\"");
        text(out, received_symbol_name(received->market, received->symbol_id));
        text(out, "\",\"");
        text(out, received_symbol_name(more->market, more->symbol_id));
        text(out, "\"]");
    } else if (received->symbol_id != 0) {
        bool many = world_chance(2);
        text(out, many ? ",\"symbols\":[\"" : ",\"symbol\":\"");
        text(out, received_symbol_name(received->market, received->symbol_id));
        text(out, many ? "\"]" : "\"");
    }
    if (received->level != 0) {
        text(out, ",\"level\":");
        out_u64(out, received->level);
    }
    if (received->tick != 0) text(out, received->tick == 10 ? ",\"tickSize\":\"1\"" : ",\"tickSize\":\"10\"");
    if (received->pace_ms != 0) {
        text(out, ",\"pushInterval\":\"");
        out_u64(out, received->pace_ms);
        text(out, "ms\"");
    }
    if (received->channel->takes == TOLD_TAKES_USER) {
        text(out, ",\"user\":\"0x");
        out_hex(out, client_address(follower->client)->bytes, 20);
        text(out, "\"");
        if (received->by_number) {
            text(out, ",\"accountID\":");
            out_u64(out, received->account_id);
        }
    }
    text(out, "}}");
}

static void ask(struct follower *follower, enum ask_kind kind, struct received *received, struct received *more,
                const char *params)
{
    char       bytes[ASK_BYTES];
    struct out out = out_make(bytes, sizeof(bytes));

    text(&out, kind == ASK_PING          ? "{\"op\":\"ping\",\"id\":"
               : kind == ASK_UNSUBSCRIBE ? "{\"op\":\"unsubscribe\",\"id\":"
                                         : "{\"op\":\"subscribe\",\"id\":");
    out_u64(&out, ++follower->id);
    text(&out, kind == ASK_PING ? "}" : ",");
    if (params != NULL) text(&out, params);
    else if (kind != ASK_PING) put_params(&out, follower, received, more);
    assert(!out.overflow);
    follower->asks[follower->ask_count++] = (struct perps_check){ follower->id, (uint8_t)kind, received };
    if (more != NULL) follower->asks[follower->ask_count++] = (struct perps_check){ follower->id, (uint8_t)kind, more };
    say(follower, out_slice(&out));
}

static struct received *find_received(struct follower *follower, const struct received_channel *channel,
                                      uint32_t symbol_id)
{
    for (uint32_t i = 0; i < SUBSCRIPTIONS; i++) {
        struct received *received = &follower->received[i];
        if (received->used && received->channel == channel
            && (!channel->has_symbol || received->symbol_id == symbol_id))
            return received;
    }
    return NULL;
}

static void draw_params(struct received *received)
{
    static const uint32_t paces[] = { 500, 1000, 3000 }, levels[] = { 10, 20, 100, 500 };
    const char           *name = received->channel->name;

    if (strcmp(name, "l4Book") == 0) received->level = levels[world_random(4)];
    if (strcmp(name, "l2Book") == 0 && received->symbol_id == 1)
        received->tick = (int64_t[]){ 0, 10, 100 }[world_random(3)];
    received->by_number = received->channel->takes == TOLD_TAKES_USER && world_chance(3);
    if (strcmp(name, "l2Book") == 0 || strcmp(name, "accountState") == 0) received->pace_ms = paces[world_random(3)];
}

/* A place for a new subscription; NULL: there is none. */
static struct received *take_place(struct follower *follower, const struct received_channel *channel,
                                   uint32_t symbol_id)
{
    uint32_t i = 0;

    while (i < SUBSCRIPTIONS && follower->received[i].used) i++;
    if (i == SUBSCRIPTIONS) return NULL;
    memset(&follower->received[i], 0, sizeof(struct received));
    follower->received[i].channel = channel;
    follower->received[i].used = true;
    follower->received[i].market = follower->market;
    follower->received[i].symbol_id = symbol_id;
    follower->received[i].asked_seq = truth_whole();
    follower->received[i].account_id = channel->takes == TOLD_TAKES_USER ? CLIENT_ACCOUNT + follower->client : 0;
    return &follower->received[i];
}

/* The symbol to follow; 0: all, or the channel has no symbols. */
static uint32_t draw_symbol(const struct follower *follower, const struct received_channel *channel)
{
    bool narrows = strcmp(channel->name, "accountOrderUpdate") == 0 || strcmp(channel->name, "accountTrade") == 0;

    if (!channel->has_symbol && !(narrows && world_chance(4))) return 0;
    return follower->market == MARKET_PERPS ? 1 : 1 + world_random(TRUTH_SPOT);
}

/* A channel that it does not follow yet; or the same again, which is acknowledged and changes nothing. */
static void subscribe(struct follower *follower)
{
    const struct received_channel *channel = &received_channels[world_random(received_channel_count)];
    uint32_t                       symbol_id = draw_symbol(follower, channel), other = 3 - symbol_id;
    struct received               *received = find_received(follower, channel, symbol_id), *more = NULL;

    if ((channel->markets >> (follower->market - 1) & 1) == 0) return;
    if (received != NULL) {
        if (!received->leaving) ask(follower, ASK_AGAIN, received, NULL, NULL);
        return;
    }
    received = take_place(follower, channel, symbol_id);
    if (received == NULL) return;
    draw_params(received);
    if (channel->has_symbol && follower->market == MARKET_SPOT && received->tick == 0 && world_chance(4)
        && find_received(follower, channel, other) == NULL)
        more = take_place(follower, channel, other);
    if (more != NULL) {
        more->level = received->level;
        more->pace_ms = received->pace_ms;
    }
    ask(follower, ASK_SUBSCRIBE, received, more, NULL);
}

static void unsubscribe(struct follower *follower)
{
    struct received *received = &follower->received[world_random(SUBSCRIPTIONS)];

    if (!received->used || received->leaving || !received->acknowledged) return;
    received->leaving = true;
    ask(follower, ASK_UNSUBSCRIBE, received, NULL, NULL);
}

static void ask_wrongly(struct follower *follower)
{
    /* clang-format off */
    static const char *const params[] = {
        "\"params\":{\"channel\":\"l4Book\"}}", "\"params\":{\"channel\":\"nothing\"}}",
            "\"params\":{\"channel\":\"trade\",\"symbol\":\"vXYZ_vUSDC\"}}",
        "\"params\":{\"channel\":\"accountState\",\"user\":\"0x12\"}}",
            "\"params\":{\"channel\":\"l2Book\",\"symbol\":\"BTC-USD\",\"pushInterval\":\"7ms\"}}",
    };
    /* clang-format on */

    ask(follower, ASK_WRONGLY, NULL, NULL, params[world_random(5)]);
}

/* Frames that no client sends, or a goodbye. */
static void break_off(struct follower *follower)
{
    static const char unmasked[] = "\x81\x02{}";

    follower->broke = true;
    if (world_chance(2)) {
        send_frame(follower, FRAME_CLOSE,
                   SLICE("\x03\xe8"
                         "enough"));
    } else if (OUT_BYTES - follower->out_len > sizeof(unmasked)) {
        memcpy(follower->out + follower->out_len, unmasked, sizeof(unmasked) - 1);
        follower->out_len += sizeof(unmasked) - 1;
    }
}

static void think(struct follower *follower)
{
    uint32_t what = world_random(100);

    if (follower->ask_count + 4 > ASKS || follower->ping_count == 8 || follower->out_len + 4 * ASK_BYTES > OUT_BYTES
        || follower->broke || world.is_lull)
        return;
    if (what < 40) subscribe(follower);
    else if (what < 50) unsubscribe(follower);
    else if (what < 60) ask(follower, ASK_PING, NULL, NULL, NULL);
    else if (what < 65) send_ping(follower);
    else if (what < 70) ask_wrongly(follower);
    else if (what == 99 && world_chance(6)) break_off(follower);
}

/* ---- what is answered ---- */

static void on_answer(struct follower *follower, struct slice message)
{
    struct perps_check asked = follower->asks[0];
    struct slice       op = json_text(message, "op");
    bool               good = slice_is(json_member(message, "success"), "true");

    counts.answers += 1;
    if (follower->ask_count == 0 || (json_number(message, "id") != asked.id)) {
        world_wrong("a follower is answered what it has not asked: %.*s", (int)min_size(message.len, 200), message.at);
        return;
    }
    follower->ask_count -= 1;
    memmove(follower->asks, follower->asks + 1, follower->ask_count * sizeof(struct perps_check));
    if (asked.kind == ASK_PING ? !slice_is(op, "pong")
                               : !slice_is(op, asked.kind == ASK_UNSUBSCRIBE ? "unsubscribe" : "subscribe"))
        world_wrong("a follower is answered otherwise than it asked: %.*s", (int)min_size(message.len, 200),
                    message.at);
    if (asked.kind != ASK_PING && good != (asked.kind != ASK_WRONGLY))
        world_wrong("a follower's request came out wrong: %.*s", (int)min_size(message.len, 200), message.at);
    if (asked.kind == ASK_SUBSCRIBE) {
        asked.received->acknowledged = true;
        asked.received->since_seq = truth_whole();
    }
    if (asked.kind == ASK_UNSUBSCRIBE) asked.received->used = false;
}

/* ---- messages ---- */

/* Receipts have long names. */
static struct slice symbol_in(struct slice data)
{
    struct slice name = json_text(data, "s");

    return name.at != NULL ? name : json_text(data, "symbol");
}

/* An empty list names no symbol: it belongs to a subscription that waits for its first message, if there is one. */
static struct received *received_of(struct follower *follower, struct slice name, struct slice data)
{
    const char      *at = NULL;
    struct slice     first = data;
    struct received *likely = NULL;
    bool             is_list = data.len > 0 && data.at[0] == '[', is_empty = is_list && !json_item(data, &at, &first);

    for (uint32_t i = 0; i < SUBSCRIPTIONS; i++) {
        struct received *received = &follower->received[i];
        if (!received->used || !received->acknowledged || !slice_is(name, received->channel->name)) continue;
        if (!received->channel->has_symbol) return received;
        if (is_empty && received_may_be_empty(received) && (likely == NULL || !received->begun)) likely = received;
        if (!is_empty && received_symbol(follower->market, symbol_in(first)) == received->symbol_id) return received;
    }
    return likely;
}

static void on_received_rows(struct follower *follower, struct slice message)
{
    struct slice     type = json_text(message, "type"), data = json_member(message, "data");
    struct received *received = received_of(follower, json_text(message, "channel"), data);

    counts.messages += 1;
    if (received == NULL) {
        world_wrong("a follower is told what it does not follow: %.*s", (int)min_size(message.len, 200), message.at);
        return;
    }
    counts.trades += strcmp(received->channel->name, "trade") == 0;
    counts.books += received->level != 0;
    counts.states += strcmp(received->channel->name, "accountState") == 0;
    counts.account_messages += received->channel->is_account;
    counts.behind += received->begun && (strcmp(received->channel->name, "trade") == 0 || received->level != 0)
                  && slice_is(type, "snapshot");
    if (!received->begun && received->channel->begins && !slice_is(type, "snapshot"))
        world_wrong("%s begins without a snapshot: %.*s", received->channel->name, (int)min_size(message.len, 200),
                    message.at);
    received->channel->judge(received, data, slice_is(type, "snapshot"));
}

static void on_text(struct follower *follower, struct slice message)
{
    if (!json_is_valid(message))
        world_wrong("a follower is told what is no JSON: %.*s", (int)min_size(message.len, 200), message.at);
    else if (json_member(message, "channel").at != NULL) on_received_rows(follower, message);
    else on_answer(follower, message);
}

static void on_pong(struct follower *follower, struct slice payload)
{
    if (follower->ping_count == 0 || payload.len != 8 || memcmp(payload.at, follower->pings[0], 8) != 0) {
        world_wrong("a pong that answers no ping");
        return;
    }
    follower->ping_count -= 1;
    memmove(follower->pings, follower->pings + 1, follower->ping_count * sizeof(follower->pings[0]));
}

/*
 * Reasons for the server to close: it stops; the follower does not read; events were lost; the follower is no client,
 * closed first, or sent nothing for a minute.
 */
static void on_close(struct follower *follower, struct slice payload)
{
    uint32_t code = payload.len >= 2 ? (uint32_t)((uint8_t)payload.at[0] << 8 | (uint8_t)payload.at[1]) : 0;
    bool     is_silent = world.mono_ns - follower->spoke_ns >= MINUTE_NS,
         is_idle = world.mono_ns - follower->followed_ns >= MINUTE_NS;

    follower->closed = true;
    if (code == CLOSE_POLICY && (follower->pace != READS_AT_ONCE || world.is_narrow)) counts.slow += 1;
    else if (code == CLOSE_GOING_AWAY && world.stop_asked) return;
    else if (code == CLOSE_GOING_AWAY && is_silent && follower->is_mute) counts.idle += 1;
    else if (code == CLOSE_NORMAL && is_idle) counts.idle += 1;
    else if (code == CLOSE_NORMAL && follower->broke) return;
    else if (code == CLOSE_PROTOCOL && follower->broke) return;
    else if (code == CLOSE_OVERLOADED && world.loses) counts.lost += 1;
    else
        world_wrong("a stream ends with %u: %.*s", code, (int)min_size(payload.len < 2 ? 0 : payload.len - 2, 120),
                    payload.at + 2);
}

static void on_frame(struct follower *follower, uint8_t opcode, struct slice payload)
{
    if (follower->closed) world_wrong("a frame behind the goodbye");
    switch (opcode) {
    case FRAME_TEXT: on_text(follower, payload); break;
    case FRAME_PING:
        if (!follower->is_mute) send_frame(follower, FRAME_PONG, payload);
        break;
    case FRAME_PONG: on_pong(follower, payload); break;
    case FRAME_CLOSE: on_close(follower, payload); break;
    default: world_wrong("a frame with opcode %u", opcode);
    }
}

/* Takes whole frames off the front of the input: final, not masked, with the length in as few bytes as possible. */
static void take_frames(struct follower *follower)
{
    size_t done = 0;

    while (world_what_is_wrong() == NULL) {
        const uint8_t *at = (const uint8_t *)follower->in + done;
        size_t         left = follower->in_len - done, head = 2;
        uint64_t       len;

        if (left < 2) break;
        len = at[1] & 0x7f;
        head += len == 126 ? 2 : len == 127 ? 8 : 0;
        if (left < head) break;
        if (head > 2) len = 0;
        for (size_t i = 2; i < head; i++) len = len << 8 | at[i];
        if ((at[0] & 0xf0) != 0x80 || (at[1] & 0x80) != 0 || (head == 4 && len < 126) || (head == 10 && len < 65536))
            world_wrong("a frame that begins with %02x %02x", at[0], at[1]);
        if (head + len > IN_BYTES) world_wrong("a frame of %lu bytes", (unsigned long)len);
        if (left < head + len) break;
        on_frame(follower, at[0] & 0x0f, slice_make(at + head, len));
        done += head + len;
    }
    follower->in_len -= done;
    memmove(follower->in, follower->in + done, follower->in_len);
}

/* The example of RFC 6455, 1.3. */
#define KEY    "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

/* False: it was refused. */
static bool take_handshake(struct follower *follower)
{
    const char *end = memmem(follower->in, follower->in_len, "\r\n\r\n", 4);
    size_t      head;

    if (end == NULL) return true;
    head = (size_t)(end + 4 - follower->in);
    if (head > 12 && memcmp(follower->in, "HTTP/1.1 503", 12) == 0) return false;
    if (head < 12 || memcmp(follower->in, "HTTP/1.1 101", 12) != 0
        || memmem(follower->in, head, ACCEPT, strlen(ACCEPT)) == NULL)
        world_wrong("a handshake is answered with %.*s", (int)min_size(head, 200), follower->in);
    follower->is_open = true;
    counts.handshakes += 1;
    follower->in_len -= head;
    memmove(follower->in, follower->in + head, follower->in_len);
    return true;
}

/* ---- what a follower does ---- */

static void let_go(struct follower *follower)
{
    if (follower->wire >= 0) wire_cut(follower->wire, world_chance(2));
    follower->wire = -1;
    follower->is_open = false;
}

/* The connection may end without a close frame only for a follower that does not read, or when the server stops. */
static void on_end(struct follower *follower)
{
    if (follower->is_open && !follower->closed && !follower->broke && !world.stop_asked
        && follower->pace == READS_AT_ONCE)
        world_wrong("a stream ends without a reason");
    let_go(follower);
}

static void take_bytes(struct follower *follower, size_t most)
{
    bool   ended = false;
    size_t came = wire_receive(follower->wire, follower->in + follower->in_len,
                               min_size(most, IN_BYTES - follower->in_len), &ended);

    follower->in_len += came;
    if (world.is_lull && came != 0)
        follower->next_ns = world.mono_ns + 100000; /* there may be a lot of it behind a small window */
    if (!follower->is_open && !take_handshake(follower)) {
        let_go(follower);
        return;
    }
    if (follower->is_open) take_frames(follower);
    if (ended) on_end(follower);
}

static void connect_to(struct follower *follower)
{
    struct out out = out_make(follower->out, OUT_BYTES);

    follower->pace = (uint8_t)(world_chance(2) ? READS_AT_ONCE : world_random(3));
    follower->wire = wire_connect(follower->pace != READS_AT_ONCE ? 64 + world_random(2000)
                                  : world_chance(4)               ? 2000
                                                                  : 262144);
    if (follower->wire < 0) {
        follower->next_ns += 2000000;
        return;
    }
    follower->market = world_chance(2) ? MARKET_SPOT : MARKET_PERPS;
    follower->client = world_random(CLIENTS);
    follower->is_open = follower->closed = follower->broke = false;
    follower->ask_count = follower->ping_count = 0;
    follower->in_len = 0;
    follower->opened_ns = follower->spoke_ns = follower->followed_ns = world.mono_ns;
    follower->is_mute = world_chance(4);
    follower->wakes_ns = world.mono_ns + world_random(60000000);
    for (uint32_t i = 0; i < SUBSCRIPTIONS; i++) follower->received[i].used = false;
    text(&out, follower->market == MARKET_SPOT ? "GET /ws/spot" : "GET /ws/perps");
    text(&out, " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY "\r\n\r\n");
    follower->out_len = out.len;
    for (uint32_t i = world_chance(2) ? 10 : 0; i > 0; i--) subscribe(follower); /* before the handshake's response */
}

static void send_some(struct follower *follower)
{
    size_t part = follower->out_len;

    if (part == 0) return;
    if (world_chance(3)) part = 1 + world_random((uint32_t)part);
    part = wire_send(follower->wire, follower->out, part);
    follower->spoke_ns = world.mono_ns;
    follower->out_len -= part;
    memmove(follower->out, follower->out + part, follower->out_len);
}

static void follower_step(struct follower *follower)
{
    uint8_t pace = world.is_lull ? (uint8_t)READS_AT_ONCE : follower->pace;

    follower->next_ns = world.mono_ns
                      + (world.is_lull     ? world_lull_step_ns()
                         : world_chance(3) ? world_random(2000000)
                                           : world_random(200000));
    if (follower->wire < 0) {
        if (!world.is_lull && !world.stop_asked) connect_to(follower);
        return;
    }
    if (!world.is_lull && world_chance(500)) {
        let_go(follower);
        return;
    }
    for (uint32_t i = 0; i < SUBSCRIPTIONS; i++)
        if (follower->received[i].used) follower->followed_ns = world.mono_ns;
    if (follower->is_open && world_chance(3)) think(follower);
    send_some(follower);
    if (pace == READS_NEVER && world.mono_ns < follower->wakes_ns) return;
    if (pace == READS_SLOWLY && !world_chance(4)) return;
    take_bytes(follower, pace == READS_AT_ONCE ? IN_BYTES : 1 + world_random(400));
}

bool followers_step(int64_t *wake_ns)
{
    uint32_t able[FOLLOWERS_MAX], count = 0;

    *wake_ns = INT64_MAX;
    for (uint32_t i = 0; i < follower_count; i++) {
        if (followers[i].next_ns <= world.mono_ns) able[count++] = i;
        else *wake_ns = min_i64(*wake_ns, followers[i].next_ns);
    }
    if (count == 0) return false;
    follower_step(&followers[able[world_random(count)]]);
    return true;
}

/* Bytes that had left the server when it was killed still arrive. */
void followers_lost(void)
{
    for (uint32_t i = 0; i < follower_count; i++) {
        struct follower *follower = &followers[i];
        size_t           before = SIZE_MAX;

        while (follower->wire >= 0 && follower->is_open && !world.stop_asked && before != follower->in_len
               && world_what_is_wrong() == NULL) {
            before = follower->in_len;
            take_bytes(follower, IN_BYTES);
        }
        follower->wire = -1;
        follower->is_open = false;
    }
    world.is_lull = false;
}

/* ---- when nothing new happens ---- */

/* After more than a minute without any message, a follower with a subscription that answers pings is still connected.
 */
static void judge_silence(const struct follower *follower)
{
    bool lives = follower->wire >= 0 && !follower->closed;

    if (!lives || world.lull_ns < MINUTE_NS + INT64_C(5000000000)) return;
    if (world.mono_ns - follower->spoke_ns > world.lull_ns - INT64_C(1000000000))
        world_wrong("a stream that has not been heard of for a minute is not ended");
    if (world.mono_ns - follower->followed_ns > world.lull_ns - INT64_C(1000000000))
        world_wrong("a stream without a subscription is not ended");
}

static void judge_rest(const struct follower *follower)
{
    if (follower->is_open && follower->opened_ns <= lull_ns) judge_silence(follower);
    if (follower->wire < 0 || !follower->is_open || follower->closed || follower->broke
        || follower->opened_ns > lull_ns)
        return;
    if (follower->ask_count != 0)
        world_wrong("a follower waits for the answer to request %lu", (unsigned long)follower->asks[0].id);
    for (uint32_t i = 0; i < SUBSCRIPTIONS; i++) {
        const struct received *received = &follower->received[i];
        if (!received->used || received->channel->is_whole == NULL
            || received->channel->is_whole((struct received *)(uintptr_t)received, lull_seq))
            continue;
        world_wrong("%s (%s) has not told everything up to command %lu", received->channel->name,
                    received_symbol_name(received->market, received->symbol_id), (unsigned long)lull_seq);
    }
}

void followers_lull(bool begins)
{
    world.is_lull = begins;
    if (begins) {
        lull_seq = truth_whole();
        lull_ns = world.mono_ns;
        return;
    }
    counts.lulls += 1;
    for (uint32_t i = 0; i < follower_count; i++) judge_rest(&followers[i]);
}

void followers_recovered(uint64_t last_seq)
{
    if (!world.forgives && received_seq() > last_seq)
        world_wrong("somebody was told of command %lu, and the log ends with %lu", (unsigned long)received_seq(),
                    (unsigned long)last_seq);
    received_keep(last_seq);
}

void followers_begin(uint32_t count)
{
    assert(count <= FOLLOWERS_MAX);
    follower_count = count;
    world.is_lull = false;
    received_keep(0);
    received_receipts_begin();
    counts = (struct follower_counts){ 0 };
    for (uint32_t i = 0; i < FOLLOWERS_MAX; i++) {
        followers[i].wire = -1;
        followers[i].is_open = false;
        followers[i].next_ns = 0;
        followers[i].id = 0;
    }
}

struct follower_counts follower_counts(void)
{
    counts.receipts = received_receipts();
    return counts;
}
