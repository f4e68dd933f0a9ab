/* SPDX-License-Identifier: MIT */
/* subscriptions.c — topics begin and end with their subscriptions, which are listed by
   topic and by connection. Fixed pools, lists by index. */
#include "stream/inside.h"

#include "base/table.h"

#include <stdlib.h>

/* ---- topics ---- */

/* Tells the producer what this thread wants to hear. */
static void show_wants(struct stream *stream)
{
    uint32_t wants = 0;

    for (uint32_t bit = 0; bit < 3; bit++) wants |= stream->want_counts[bit] != 0 ? 1u << bit : 0;
    atomic_store_explicit(&stream->settings.queue->wants, wants, memory_order_seq_cst);
}

static void count_wants(struct stream *stream, const struct topic *topic, uint32_t by)
{
    uint32_t wants = channel_of(stream, topic)->wants | WANT_TURNS;

    for (uint32_t bit = 0; bit < 3; bit++)
        if ((wants >> bit & 1) != 0) stream->want_counts[bit] += by;
    show_wants(stream);
}

/* The account's owner, as far as known. */
static void resolve_account(struct stream *stream, struct topic *topic)
{
    struct view_account account;

    if (channel_of(stream, topic)->takes != TAKES_USER) return;
    if (topic->key.account_id != 0) topic->account_id = topic->key.account_id;
    else if (views_primary_account(stream->settings.present->views, &topic->key.user, &account))
        topic->account_id = account.account_id;
    if (topic->account_id != 0) topic_add_of_account(stream, topic);
}

static void list_add(struct stream *stream, struct topic *topic)
{
    bool      live = channel_of(stream, topic)->live;
    uint32_t *list = live ? stream->live : stream->paced, *count = live ? &stream->live_count : &stream->paced_count;

    topic->place = *count;
    list[(*count)++] = topic_number(stream, topic);
}

static void list_remove(struct stream *stream, const struct topic *topic)
{
    bool      live = channel_of(stream, topic)->live;
    uint32_t *list = live ? stream->live : stream->paced, *count = live ? &stream->live_count : &stream->paced_count;

    list[topic->place] = list[--*count];
    stream->topics[list[topic->place]].place = topic->place;
}

/* Wants are published before the views are read: anything that they lack comes through the queue. */
static struct topic *topic_make(struct stream *stream, const struct topic_key *key)
{
    uint32_t      ix = chained_find_or_take(&stream->by_key, key);
    struct topic *topic = &stream->topics[ix];

    if (ix == 0) return NULL;
    count_wants(stream, topic, 1);
    resolve_account(stream, topic);
    list_add(stream, topic);
    return topic;
}

static void topic_end(struct stream *stream, struct topic *topic)
{
    uint32_t ix = topic_number(stream, topic);

    changes_forget(stream, topic);
    if (topic->account_id != 0) chained_remove(&stream->by_account, table_key_u64(topic->account_id), ix);
    list_remove(stream, topic);
    count_wants(stream, topic, (uint32_t)-1);
    free(topic->book);
    free(topic->last_published);
    topic->book = NULL;
    topic->last_published = NULL;
    chained_drop(&stream->by_key, ix);
}

struct topic *topic_open(struct stream *stream, const struct topic_key *key)
{
    struct topic *topic = topic_find(stream, key);

    if (topic != NULL) return topic;
    topic = topic_make(stream, key);
    if (topic == NULL || topic_begin(stream, topic)) return topic;
    topic_end(stream, topic);
    return NULL;
}

/* ---- subscriptions ---- */

static uint32_t find(const struct stream *stream, uint32_t slot, const struct topic *topic)
{
    uint32_t wanted = topic_number(stream, topic), ix = stream->listeners[slot].first;

    while (ix != 0 && stream->subscriptions[ix].topic != wanted) ix = stream->subscriptions[ix].next_of_slot;
    return ix;
}

uint32_t subscription_add(struct stream *stream, uint32_t slot, struct topic *topic, bool *full)
{
    struct listener     *listener = &stream->listeners[slot];
    struct subscription *all = stream->subscriptions;
    uint32_t             ix;

    *full = false;
    if (find(stream, slot, topic) != 0) return 0;
    ix = listener->count < PER_CONNECTION_MAX ? chained_take(&stream->pool) : 0;
    *full = ix == 0;
    if (ix == 0) {
        if (topic->count == 0) topic_end(stream, topic);
        return 0;
    }
    all[ix] = (struct subscription){
        .topic = topic_number(stream, topic), .slot = slot, .next = topic->first, .next_of_slot = listener->first
    };
    if (topic->first != 0) all[topic->first].before = ix;
    if (listener->first != 0) all[listener->first].before_of_slot = ix;
    topic->first = listener->first = ix;
    topic->count += 1;
    listener->count += 1;
    atomic_fetch_add_explicit(&stream->subscribed, 1, memory_order_relaxed);
    return ix;
}

static void drop(struct stream *stream, uint32_t ix)
{
    struct subscription *all = stream->subscriptions, *own = &all[ix];
    struct listener     *listener = &stream->listeners[own->slot];
    struct topic        *topic = &stream->topics[own->topic];
    bool                 is_user = channel_of(stream, topic)->takes == TAKES_USER;

    if (own->before != 0) all[own->before].next = own->next;
    else topic->first = own->next;
    if (own->next != 0) all[own->next].before = own->before;
    if (own->before_of_slot != 0) all[own->before_of_slot].next_of_slot = own->next_of_slot;
    else listener->first = own->next_of_slot;
    if (own->next_of_slot != 0) all[own->next_of_slot].before_of_slot = own->before_of_slot;
    listener->count -= 1;
    listener->used_ms = stream->mono_ms;
    listener->behind -= own->behind;
    stream->behind -= own->behind;
    topic->count -= 1;
    if (stream->settings.quota != NULL)
        stream_quota_remove(stream->settings.quota, &listener->key, is_user ? &topic->key.user : NULL);
    if (topic->count == 0) topic_end(stream, topic);
    chained_give(&stream->pool, ix);
    atomic_fetch_sub_explicit(&stream->subscribed, 1, memory_order_relaxed);
}

bool subscription_remove(struct stream *stream, uint32_t slot, struct topic *topic)
{
    uint32_t ix = find(stream, slot, topic);

    if (ix != 0) drop(stream, ix);
    return ix != 0;
}

void subscriptions_drop(struct stream *stream, uint32_t slot)
{
    while (stream->listeners[slot].first != 0) drop(stream, stream->listeners[slot].first);
}
