/* SPDX-License-Identifier: MIT */
/* push.c — messages: written once, given to all, each connection in its own time. */
#include "stream/inside.h"

struct out push_begin(struct stream *stream, const struct channel *channel, bool snapshot)
{
    struct out out = out_make(stream->frame + FRAME_HEAD_MAX, FRAME_BYTES);

    out_literal(&out, "{\"channel\":\"");
    out_text(&out, channel->name);
    out_literal(&out, "\",\"type\":\"");
    out_text(&out, snapshot ? "snapshot" : channel->type);
    out_literal(&out, "\",\"data\":");
    if (channel->is_list) out_char(&out, '[');
    return out;
}

struct slice push_end(struct stream *stream, const struct channel *channel, struct out *out)
{
    uint8_t  head[FRAME_HEAD_MAX];
    uint32_t bytes;

    if (channel->is_list) out_char(out, ']');
    out_char(out, '}');
    assert(!out->overflow);
    bytes = frame_head(head, FRAME_TEXT, out->len);
    memcpy(stream->frame + FRAME_HEAD_MAX - bytes, head, bytes);
    return slice_make(stream->frame + FRAME_HEAD_MAX - bytes, bytes + out->len);
}

static void count(struct stream *stream, struct listener *listener)
{
    listener->used_ms = stream->mono_ms;
    atomic_store_explicit(&stream->messages, atomic_load_explicit(&stream->messages, memory_order_relaxed) + 1, memory_order_relaxed);
}

void push_one(struct stream *stream, struct subscription *subscription, struct slice frame)
{
    const struct stream_owner *owner = &stream->settings.owner;
    struct listener *listener = &stream->listeners[subscription->slot];
    bool is_account = channels[stream->topics[subscription->topic].key.channel].is_account;

    if (listener->doomed || subscription->behind != 0) return;
    if (owner->send(owner->self, subscription->slot, frame, is_account ? STREAM_ACCOUNT_WAITING : STREAM_MARKET_WAITING)) {
        count(stream, listener);
    } else if (is_account) {
        stream_hang_up(stream, subscription->slot, CLOSE_POLICY, "too slow: account data does not fit any more, subscribe again and read the state");
    } else {
        subscription->behind = 1;
        listener->behind += 1;
        atomic_fetch_add_explicit(&stream->conflations, 1, memory_order_relaxed);
    }
}

void push_all(struct stream *stream, struct topic *topic, struct slice frame)
{
    for (uint32_t ix = topic->first; ix != 0; ix = stream->subscriptions[ix].next)
        push_one(stream, &stream->subscriptions[ix], frame);
}

void push_snapshot(struct stream *stream, struct subscription *subscription)
{
    struct topic         *topic = &stream->topics[subscription->topic];
    const struct channel *channel = channel_of(topic);
    struct out            out;

    if (channel->snapshot == NULL) return;
    out = push_begin(stream, channel, true);
    if (channel->snapshot(stream, topic, &out)) push_one(stream, subscription, push_end(stream, channel, &out));
}

void push_update(struct stream *stream, struct topic *topic)
{
    const struct channel *channel = channel_of(topic);
    struct out            out = push_begin(stream, channel, false);

    if (channel->update(stream, topic, &out)) push_all(stream, topic, push_end(stream, channel, &out));
}

bool send_text(struct stream *stream, uint32_t slot, struct slice text)
{
    char       bytes[1024];
    struct out out = out_make(bytes, sizeof(bytes));

    frame_write(&out, FRAME_TEXT, text);
    assert(!out.overflow);
    if (stream->settings.owner.send(stream->settings.owner.self, slot, out_slice(&out), STREAM_ACCOUNT_WAITING)) return true;
    stream_hang_up(stream, slot, CLOSE_POLICY, "answers are not read");
    return false;
}
