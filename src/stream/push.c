/* SPDX-License-Identifier: MIT */
/* push.c — messages: written once, given to all, each connection in its own time. */
#include "stream/inside.h"

struct out push_begin(struct stream *stream, const struct channel *channel, bool snapshot)
{
    struct out out;

    if (stream->frame_at > SHARED_BYTES - STREAM_SHARED - FRAME_HEAD_MAX) {
        stream->settings.owner.settle(stream->settings.owner.self);
        stream->frame_at = 0;
    }
    out = out_make(stream->frame + stream->frame_at + FRAME_HEAD_MAX, FRAME_BYTES);
    out_literal(&out, "{\"channel\":\"");
    out_text(&out, channel->name);
    out_literal(&out, "\",\"type\":\"");
    out_text(&out, snapshot ? "snapshot" : channel->type);
    out_literal(&out, "\",\"data\":");
    if (channel->is_list) out_char(&out, '[');
    return out;
}

struct slice push_end(const struct channel *channel, struct out *out)
{
    uint8_t  head[FRAME_HEAD_MAX];
    uint32_t bytes;

    if (channel->is_list) out_char(out, ']');
    out_char(out, '}');
    assert(!out->overflow);
    bytes = frame_head(head, FRAME_TEXT, out->len);
    memcpy(out->at - bytes, head, bytes);
    return slice_make(out->at - bytes, bytes + out->len);
}

/* Subscriptions are dropped later: a caller may be iterating over them. */
void stream_hang_up(struct stream *stream, uint32_t slot, uint16_t code, const char *reason)
{
    const struct stream_owner *owner = &stream->settings.owner;
    struct listener           *listener = &stream->listeners[slot];
    char                       bytes[256];
    struct out                 out = out_make(bytes, sizeof(bytes));

    if (!listener->open || listener->closing) return;
    listener->closing = true;
    listener->reader.ended = true;
    frame_write_close(&out, code, slice_of(reason));
    (void)owner->send(owner->self, slot, out_slice(&out), SIZE_MAX);
    owner->finish(owner->self, slot);
    stream->closing[stream->closing_count++] = slot;
}

/* It was sent, or was not: the consequence depends on the channel. */
static void note_sent(struct stream *stream, struct subscription *subscription, bool sent)
{
    bool is_account = channel_of(stream, &stream->topics[subscription->topic])->is_account;

    if (sent) {
        atomic_store_explicit(&stream->messages, atomic_load_explicit(&stream->messages, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    } else if (is_account) {
        stream_hang_up(stream, subscription->slot, CLOSE_POLICY,
                       "too slow: account data does not fit any more, subscribe again and read the state");
    } else {
        subscription->behind = 1;
        stream->listeners[subscription->slot].behind += 1;
        stream->behind += 1;
        atomic_fetch_add_explicit(&stream->conflations, 1, memory_order_relaxed);
    }
}

static size_t waiting_of(const struct channel *channel)
{
    return channel->is_account ? STREAM_ACCOUNT_WAITING : STREAM_MARKET_WAITING;
}

/*
 * Whether rules of faults leave nothing of a message for this connection; one that is repeated is sent here for the
 * first time.
 */
static bool is_lost(struct stream *stream, const struct subscription *subscription, struct slice frame, size_t most)
{
    const struct stream_owner *owner = &stream->settings.owner;
    const struct topic        *topic = &stream->topics[subscription->topic];
    const struct channel      *channel = channel_of(stream, topic);
    uint32_t                   slot = subscription->slot;
    struct stream_about        about = { .channel = channel->name,
                                         .market = stream->listeners[slot].market,
                                         .account_id = topic->account_id,
                                         .user = channel->takes == TAKES_USER ? &topic->key.user : NULL };
    enum stream_fate           fate = owner->fate(owner->self, slot, &about);

    if (fate == FATE_REPEAT) (void)owner->send(owner->self, slot, frame, most);
    if (fate == FATE_CUT && about.code != 0) stream_hang_up(stream, slot, about.code, "a rule of chaos");
    return fate == FATE_SKIP || fate == FATE_CUT;
}

static bool is_faulty(const struct stream *stream)
{
    return stream->settings.faulty != NULL && *stream->settings.faulty;
}

void push_one(struct stream *stream, struct subscription *subscription, struct slice frame)
{
    const struct stream_owner *owner = &stream->settings.owner;
    const struct channel      *channel = channel_of(stream, &stream->topics[subscription->topic]);

    if (stream->listeners[subscription->slot].closing || subscription->behind != 0) return;
    if (is_faulty(stream) && is_lost(stream, subscription, frame, waiting_of(channel))) return;
    note_sent(stream, subscription, owner->send(owner->self, subscription->slot, frame, waiting_of(channel)));
}

/* A short frame is shared: it stays where it is until the owner is done with it. */
void push_all(struct stream *stream, struct topic *topic, struct slice frame)
{
    const struct stream_owner *owner = &stream->settings.owner;
    bool                       shared = frame.len <= STREAM_SHARED, faulty = is_faulty(stream);
    bool (*send)(void *self, uint32_t slot, struct slice frames, size_t most) = shared ? owner->share : owner->send;
    size_t most = waiting_of(channel_of(stream, topic));

    for (uint32_t ix = topic->first, next; ix != 0; ix = next) {
        struct subscription *subscription = &stream->subscriptions[ix];
        next = subscription->next;
        __builtin_prefetch(&stream->listeners[stream->subscriptions[next].slot]);
        if (stream->listeners[subscription->slot].closing || subscription->behind != 0) continue;
        if (faulty && is_lost(stream, subscription, frame, most)) continue;
        note_sent(stream, subscription, send(owner->self, subscription->slot, frame, most));
    }
    if (shared) stream->frame_at = (size_t)(frame.at + frame.len - stream->frame);
}

void push_snapshot(struct stream *stream, struct subscription *subscription)
{
    struct topic         *topic = &stream->topics[subscription->topic];
    const struct channel *channel = channel_of(stream, topic);
    struct out            out;

    if (channel->snapshot == NULL) return;
    out = push_begin(stream, channel, true);
    if (channel->snapshot(stream, topic, &out)) push_one(stream, subscription, push_end(channel, &out));
}

void push_update(struct stream *stream, struct topic *topic)
{
    const struct channel *channel = channel_of(stream, topic);
    struct out            out = push_begin(stream, channel, false);

    if (channel->update(stream, topic, &out)) push_all(stream, topic, push_end(channel, &out));
}

bool send_text(struct stream *stream, uint32_t slot, struct slice text)
{
    char       bytes[1024];
    struct out out = out_make(bytes, sizeof(bytes));

    frame_write(&out, FRAME_TEXT, text);
    assert(!out.overflow);
    if (stream->settings.owner.send(stream->settings.owner.self, slot, out_slice(&out), STREAM_ACCOUNT_WAITING))
        return true;
    stream_hang_up(stream, slot, CLOSE_POLICY, "answers are not read");
    return false;
}
