/* SPDX-License-Identifier: MIT */
/* connections.c — opening, input, keep-alive and end of connections; and the turns of the feed. */
#include "stream/inside.h"
#include "stream/request.h"

#include "base/touch.h"

#include <stdlib.h>

#define CHECK_MS 1000  /* how often quiet connections are looked for */
#define PING_MS  30000 /* of silence, then we ask */
#define IDLE_MS  60000 /* of silence, or with neither a subscription nor a push (wire 6.1) */
#define PATIENCE 100   /* messages above the limit, then 1008 */

/* ---- its life ---- */

static bool take_memory(struct stream *stream, uint32_t connections)
{
    /* Without limits of addresses there is no secret seed; the address of the memory is hard to guess, too. */
    const uint64_t  address[2] = { stream->next_id, ~stream->next_id };
    const uint64_t *seed = stream->settings.quota != NULL ? stream->settings.quota->table.seed : address;

    stream->listeners = calloc(connections, sizeof(*stream->listeners));
    stream->subscriptions = calloc(SUBSCRIPTIONS_MAX, sizeof(*stream->subscriptions));
    stream->pool = CHAINED(NULL, 0, stream->subscriptions, next, SUBSCRIPTIONS_MAX - 1);
    stream->topics = calloc(TOPICS_MAX, sizeof(*stream->topics));
    stream->by_key = CHAINED(calloc(TOPIC_HEADS, sizeof(uint32_t)), TOPIC_HEADS - 1, stream->topics, next_by_key,
                             TOPICS_MAX - 1, .key = sizeof(struct topic_key), .seed = { seed[0], seed[1] });
    stream->by_account =
        CHAINED(calloc(TOPIC_HEADS, sizeof(uint32_t)), TOPIC_HEADS - 1, stream->topics, next_by_account, 0);
    stream->live = calloc(TOPICS_MAX, sizeof(uint32_t));
    stream->paced = calloc(TOPICS_MAX, sizeof(uint32_t));
    stream->closing = calloc(connections, sizeof(uint32_t));
    stream->frame = malloc(SHARED_BYTES + FRAME_HEAD_MAX + FRAME_BYTES);
    return stream->listeners != NULL && stream->subscriptions != NULL && stream->topics != NULL
        && stream->by_key.heads != NULL && stream->by_account.heads != NULL && stream->live != NULL
        && stream->paced != NULL && stream->closing != NULL && stream->frame != NULL;
}

struct stream *stream_new(const struct stream_settings *settings)
{
    struct stream *stream = calloc(1, sizeof(*stream));

    if (stream == NULL) return NULL;
    stream->settings = *settings;
    stream->channels = channels;
    stream->channel_count = channel_count;
    stream->next_id = (uint64_t)(uintptr_t)stream * UINT64_C(0x9e3779b97f4a7c15);
    if (take_memory(stream, settings->connections)) return stream;
    stream_free(stream);
    return NULL;
}

void stream_free(struct stream *stream)
{
    for (uint32_t ix = 1; stream->topics != NULL && ix <= stream->by_key.used; ix++) {
        free(stream->topics[ix].book);
        free(stream->topics[ix].last_published);
    }
    frame_pool_close(&stream->frames);
    deep_books_free(stream);
    free(stream->listeners);
    free(stream->subscriptions);
    free(stream->topics);
    free(stream->by_key.heads);
    free(stream->by_account.heads);
    free(stream->live);
    free(stream->paced);
    free(stream->closing);
    free(stream->frame);
    free(stream);
}

void stream_touch(struct stream *stream)
{
    memory_touch(stream->listeners, stream->settings.connections * sizeof(*stream->listeners));
    memory_touch(stream->subscriptions, SUBSCRIPTIONS_MAX * sizeof(*stream->subscriptions));
    memory_touch(stream->topics, TOPICS_MAX * sizeof(*stream->topics));
    memory_touch(stream->by_key.heads, TOPIC_HEADS * sizeof(uint32_t));
    memory_touch(stream->by_account.heads, TOPIC_HEADS * sizeof(uint32_t));
    memory_touch(stream->live, TOPICS_MAX * sizeof(uint32_t));
    memory_touch(stream->paced, TOPICS_MAX * sizeof(uint32_t));
    memory_touch(stream->closing, stream->settings.connections * sizeof(uint32_t));
    memory_touch(stream->frame, SHARED_BYTES + FRAME_HEAD_MAX + FRAME_BYTES);
}

void stream_clock(struct stream *stream, int64_t engine_ms, int64_t mono_ms)
{
    stream->now_ms = max_i64(engine_ms, views_time_ms(stream->settings.present->views));
    stream->mono_ms = mono_ms;
}

struct stream_counts stream_counts(const struct stream *stream)
{
    return (struct stream_counts){ atomic_load_explicit(&stream->connections, memory_order_relaxed),
                                   atomic_load_explicit(&stream->subscribed, memory_order_relaxed),
                                   atomic_load_explicit(&stream->messages, memory_order_relaxed),
                                   atomic_load_explicit(&stream->conflations, memory_order_relaxed) };
}

/* ---- connections ---- */

static uint32_t second_of(const struct stream *stream) { return (uint32_t)(stream->mono_ms / 1000); }

static void make_id(struct stream *stream, uint8_t id[16])
{
    uint64_t words[2] = { stream->next_id += UINT64_C(0x9e3779b97f4a7c15), (uint64_t)stream->now_ms };

    words[0] = (words[0] ^ words[0] >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    words[1] = (words[1] ^ words[0]) * UINT64_C(0x94d049bb133111eb);
    memcpy(id, words, 16);
}

bool stream_open(struct stream *stream, uint32_t slot, uint8_t market, const struct ip *ip,
                 struct stream_refused *refused)
{
    struct listener  *listener = &stream->listeners[slot];
    struct minute_key key = ip_key(ip);

    if (stream->settings.quota != NULL && !stream_quota_open(stream->settings.quota, &key, second_of(stream), refused))
        return false;
    assert(!listener->open);
    *listener = (struct listener){
        .open = true, .market = market, .key = key, .used_ms = stream->mono_ms, .heard_ms = stream->mono_ms
    };
    make_id(stream, listener->id);
    atomic_fetch_add_explicit(&stream->connections, 1, memory_order_relaxed);
    return true;
}

void stream_closed(struct stream *stream, uint32_t slot)
{
    struct listener *listener = &stream->listeners[slot];

    if (!listener->open) return;
    subscriptions_drop(stream, slot);
    frame_reader_close(&stream->frames, &listener->reader);
    if (stream->settings.quota != NULL) stream_quota_close(stream->settings.quota, &listener->key);
    listener->open = false;
    atomic_fetch_sub_explicit(&stream->connections, 1, memory_order_relaxed);
}

static void hang_up(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->closing_count; i++) subscriptions_drop(stream, stream->closing[i]);
    stream->closing_count = 0;
}

/* ---- what a client sends ---- */

struct reading {
    struct stream *stream;
    uint32_t       slot;
};

static void answer_close(struct stream *stream, uint32_t slot, const struct frame_message *message)
{
    /* clang-format off */
    static const struct { uint16_t code; const char *text; } reasons[] = {
        { CLOSE_PROTOCOL, "protocol error" }, { CLOSE_UNSUPPORTED, "text messages only" },
          { CLOSE_BAD_DATA, "text is not UTF-8" },
        { CLOSE_TOO_BIG, "message is longer than 4096 bytes" },
    };
    /* clang-format on */
    const char *reason = "";

    for (size_t i = 0; i < ARRAY_COUNT(reasons); i++)
        if (message->payload.len == 0 && reasons[i].code == message->code) reason = reasons[i].text;
    stream_hang_up(stream, slot, message->code, reason);
}

/* Counts messages that need an answer, a text or a ping (wire 5.3). False: too many; the client was told. */
static bool may_ask(struct stream *stream, uint32_t slot)
{
    struct listener *listener = &stream->listeners[slot];

    if (stream->settings.quota == NULL
        || stream_quota_message(stream->settings.quota, &listener->key, second_of(stream)))
        return true;
    if (++listener->excess > PATIENCE) stream_hang_up(stream, slot, CLOSE_POLICY, "too many messages");
    else
        (void)send_text(stream, slot,
                        SLICE("{\"op\":\"error\",\"code\":\"TOO_MANY_MESSAGES\",\"error\":\"at most 2000 messages a "
                              "minute and address\"}"));
    return false;
}

static void answer_frame_ping(struct stream *stream, uint32_t slot, struct slice payload)
{
    char       bytes[FRAME_HEAD_MAX + FRAME_CONTROL_MAX];
    struct out out = out_make(bytes, sizeof(bytes));

    frame_write(&out, FRAME_PONG, payload);
    if (stream->settings.owner.send(stream->settings.owner.self, slot, out_slice(&out), STREAM_ACCOUNT_WAITING)) return;
    stream_hang_up(stream, slot, CLOSE_POLICY, "answers are not read");
}

static bool take_message(void *self, const struct frame_message *message)
{
    const struct reading *reading = self;
    struct stream        *stream = reading->stream;

    switch (message->opcode) {
    case FRAME_TEXT:
        if (may_ask(stream, reading->slot)) request_handle(stream, reading->slot, message->payload);
        break;
    case FRAME_PING:
        if (may_ask(stream, reading->slot)) answer_frame_ping(stream, reading->slot, message->payload);
        break;
    case FRAME_CLOSE: answer_close(stream, reading->slot, message); break;
    default: break;
    }
    return !stream->listeners[reading->slot].closing;
}

void stream_received(struct stream *stream, uint32_t slot, struct slice bytes)
{
    struct listener *listener = &stream->listeners[slot];
    struct reading   reading = { stream, slot };

    listener->heard_ms = stream->mono_ms;
    if (!frame_read(&stream->frames, &listener->reader, bytes, take_message, &reading))
        stream_hang_up(stream, slot, CLOSE_OVERLOADED, "no memory");
    hang_up(stream);
}

void stream_drained(struct stream *stream, uint32_t slot)
{
    struct listener *listener = &stream->listeners[slot];

    if (listener->behind == 0 || listener->closing) return;
    for (uint32_t ix = listener->first, next; ix != 0; ix = next) {
        struct subscription *subscription = &stream->subscriptions[ix];
        next = subscription->next_of_slot;
        if (subscription->behind == 0) continue;
        subscription->behind = 0;
        listener->behind -= 1;
        stream->behind -= 1;
        push_snapshot(stream, subscription);
    }
    hang_up(stream);
}

bool stream_is_behind(const struct stream *stream) { return stream->behind != 0; }
void stream_settled(struct stream *stream) { stream->frame_at = 0; }

/* ---- what happened ---- */

/* A book that has not changed since its last message. */
static bool is_still(const struct stream *stream, const struct topic *topic)
{
    return topic->key.symbol_id != 0
        && topic->version
               == views_depth_version(stream->settings.present->views, topic->key.market, topic->key.symbol_id);
}

bool stream_is_due(const struct stream *stream)
{
    return atomic_load_explicit(&stream->settings.queue->shown, memory_order_acquire) != stream->seen;
}

/* Books and best prices that have changed. */
static void publish_live(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->live_count; i++) {
        struct topic *topic = &stream->topics[stream->live[i]];
        if (channel_of(stream, topic)->update != NULL && !is_still(stream, topic)) push_update(stream, topic);
    }
}

/* Subscriptions go at once, so that a topic which is asked for again begins with a snapshot. */
void stream_begin_anew(struct stream *stream)
{
    void    *part;
    uint64_t bytes;

    while ((part = ring_peek(&stream->settings.queue->ring, &bytes)) != NULL) ring_next(&stream->settings.queue->ring);
    (void)atomic_exchange_explicit(&stream->settings.queue->lost, 0, memory_order_acq_rel);
    stream->change_count = stream->fill_count = 0;
    stream->unit_open = false;
    deep_books_forget(stream);
    for (uint32_t slot = 0; slot < stream->settings.connections; slot++) {
        if (!stream->listeners[slot].open || stream->listeners[slot].closing) continue;
        subscriptions_drop(stream, slot);
        stream_hang_up(stream, slot, CLOSE_RESTART, "the exchange went back to a snapshot");
    }
    hang_up(stream);
}

/* In the middle of a batch there are events, and views that cannot be read before its end. */
void stream_turn(struct stream *stream)
{
    uint32_t turns;

    stream->seen = atomic_load_explicit(&stream->settings.queue->shown, memory_order_acquire);
    turns = atomic_load_explicit(&stream->settings.queue->turns, memory_order_acquire);
    stream_take_events(stream);
    if (turns != stream->turned) publish_live(stream);
    stream->turned = turns;
    hang_up(stream);
}

/* ---- time ---- */

static void check_quiet(struct stream *stream, uint32_t slot)
{
    struct listener *listener = &stream->listeners[slot];
    char             bytes[16];
    struct out       out = out_make(bytes, sizeof(bytes));

    if (!listener->open || listener->closing) return;
    if (listener->count == 0 && stream->mono_ms - listener->used_ms >= IDLE_MS) {
        stream_hang_up(stream, slot, CLOSE_NORMAL, "no subscription for 60 s");
    } else if (stream->mono_ms - listener->heard_ms >= IDLE_MS) {
        stream_hang_up(stream, slot, CLOSE_GOING_AWAY, "no answer to a ping");
    } else if (stream->mono_ms - max_i64(listener->heard_ms, listener->pinged_ms) >= PING_MS) {
        listener->pinged_ms = stream->mono_ms;
        frame_write(&out, FRAME_PING, SLICE(""));
        (void)stream->settings.owner.send(stream->settings.owner.self, slot, out_slice(&out), STREAM_ACCOUNT_WAITING);
    }
}

void stream_tick(struct stream *stream)
{
    stream->round += 1;
    for (uint32_t i = 0; i < stream->paced_count; i++) {
        struct topic *topic = &stream->topics[stream->paced[i]];
        if (topic->pushed_ms != 0 && stream->mono_ms - topic->pushed_ms < topic->key.pace_ms) continue;
        struct out out = push_begin(stream, channel_of(stream, topic), false);
        if (!channel_of(stream, topic)->update(stream, topic, &out)) continue;
        topic->pushed_ms = stream->mono_ms;
        push_all(stream, topic, push_end(channel_of(stream, topic), &out));
    }
    stream_take_events(stream);
    publish_live(stream); /* deep books have an interval of their own */
    hang_up(stream);
    if (stream->mono_ms - stream->checked_ms < CHECK_MS) return;
    stream->checked_ms = stream->mono_ms;
    for (uint32_t slot = 0; slot < stream->settings.connections; slot++) check_quiet(stream, slot);
    hang_up(stream);
}
