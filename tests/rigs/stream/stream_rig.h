/* SPDX-License-Identifier: MIT */
/*
 * stream_rig.h — the streams without sockets: views with events made by hand, an owner that can be set to accept
 * nothing.
 */
#ifndef RIGS_STREAM_STREAM_RIG_H
#define RIGS_STREAM_STREAM_RIG_H

#include "rigs/api/test_rig.h"
#include "stream/share.h"
#include "stream/stream.h"
#include "wire/frame.h"

#define SLOTS 4

/* The messages of each connection; one that is stuck accepts none. */
static struct peer {
    char   bytes[1 << 20];
    size_t len;
    bool   stuck, finished;
} peers[SLOTS];
static struct stream      *stream;
static struct event_queue *queue;
static void               *queue_memory;
static int64_t             mono_ms;

/* Frames that were shared with a connection and are not copied yet, in their order. */
static struct {
    uint32_t     slot;
    struct slice frame;
} shared[1024];
static uint32_t shared_count;

static inline void copy(uint32_t slot, struct slice frames)
{
    struct peer *peer = &peers[slot];

    assert_true(peer->len + frames.len <= sizeof(peer->bytes));
    memcpy(peer->bytes + peer->len, frames.at, frames.len);
    peer->len += frames.len;
}

static inline void settle(void *self)
{
    (void)self;
    for (uint32_t i = 0; i < shared_count; i++) copy(shared[i].slot, shared[i].frame);
    shared_count = 0;
}

static inline bool take(void *self, uint32_t slot, struct slice frames, size_t most)
{
    struct peer *peer = &peers[slot];

    if (peer->finished) return true;
    if (peer->stuck && most != SIZE_MAX) return false;
    settle(self);
    copy(slot, frames);
    return true;
}

static inline bool share(void *self, uint32_t slot, struct slice frame, size_t most)
{
    (void)self;
    assert_true(frame.len <= STREAM_SHARED && shared_count < ARRAY_COUNT(shared));
    if (peers[slot].finished) return true;
    if (peers[slot].stuck && most != SIZE_MAX) return false;
    shared[shared_count].slot = slot;
    shared[shared_count++].frame = frame;
    return true;
}

static inline void finish(void *self, uint32_t slot) { (void)self, peers[slot].finished = true; }

/* The gateway's part after the stream's. */
static inline void gather(void)
{
    settle(NULL);
    stream_settled(stream);
}

/* A batch has ended. */
static inline void turn(void)
{
    (void)event_queue_show(queue, true);
    stream_turn(stream);
    gather();
}

static inline void tick(void)
{
    stream_tick(stream);
    gather();
}

static inline int begin(void **state)
{
    rig_begin(state);
    memset(peers, 0, sizeof(peers));
    mono_ms = 1000000;
    queue = aligned_alloc(64, align_up(sizeof(*queue), 64));
    queue_memory = aligned_alloc(64, EVENT_QUEUE_BYTES);
    event_queue_init(queue, queue_memory);
    stream = stream_new(&(struct stream_settings){
        api_present(rig_api), NULL, queue, { NULL, take, share, settle, finish, NULL }, SLOTS, NULL });
    assert_non_null(stream);
    stream_clock(stream, NOW, mono_ms);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        struct stream_refused refused;
        assert_true(stream_open(stream, slot, MARKET_SPOT, &(struct ip){ { 0 } }, &refused));
    }
    return 0;
}

static inline int end(void **state)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) stream_closed(stream, slot);
    assert_int_equal(stream_counts(stream).connections, 0);
    assert_int_equal(stream_counts(stream).subscriptions, 0);
    assert_int_equal(atomic_load(&queue->wants), 0); /* a connection that has ended wants no events */
    stream_free(stream);
    free(queue_memory);
    free(queue);
    return rig_end(state);
}

static inline void say(uint32_t slot, struct slice text)
{
    uint8_t  bytes[FRAME_MESSAGE_MAX + 16];
    uint32_t at = frame_head(bytes, FRAME_TEXT, text.len);

    bytes[1] |= 0x80;
    memset(bytes + at, 0, 4);
    memcpy(bytes + at + 4, text.at, text.len);
    stream_received(stream, slot, slice_make(bytes, at + 4 + text.len));
    gather();
}

static inline bool said(uint32_t slot, const char *text)
{
    return memmem(peers[slot].bytes, peers[slot].len, text, strlen(text)) != NULL;
}
static inline void forget(void)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) peers[slot].len = 0;
}

static inline void subscribe(uint32_t slot, const char *params)
{
    char       text[512];
    struct out out = out_make(text, sizeof(text));

    out_literal(&out, "{\"op\":\"subscribe\",\"id\":1,\"params\":{");
    out_text(&out, params);
    out_literal(&out, "}}");
    peers[slot].len = 0;
    say(slot, out_slice(&out));
}

#define L4     "\"channel\":\"l4Book\",\"symbol\":\"vBTC_vUSDC\""
#define ORDERS "\"channel\":\"accountOrderUpdate\",\"user\":\"0x%s\""

static inline void follow_orders(uint32_t slot)
{
    char params[256];

    (void)snprintf(params, sizeof(params), ORDERS, rig_owner_hex(0) + 2);
    subscribe(slot, params);
    assert_true(said(slot, "\"success\":true"));
}

static inline struct order_changed new_order(uint64_t id)
{
    struct order_changed order = rig_order(id, STATUS_NEW);

    order.exec_type = EXEC_NEW;
    return order;
}

/* A batch of one order event, through views and feed, shown. */
static inline void emit_order(uint64_t id)
{
    struct order_changed order = new_order(id);
    struct events        events = { (uint8_t *)&order, sizeof(order), sizeof(order) };

    rig_emit_order(&order);
    event_queue_add(queue, &events, 7, NOW, true);
    (void)event_queue_show(queue, true);
    turn();
}

#endif
