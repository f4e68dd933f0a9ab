/* SPDX-License-Identifier: MIT */
/* topics.c — topics by key and by account. */
#include "stream/inside.h"

#include "base/table.h"

uint32_t topic_number(const struct stream *stream, const struct topic *topic)
{
    return (uint32_t)(topic - stream->topics);
}

struct topic *topic_find(struct stream *stream, const struct topic_key *key)
{
    uint32_t ix = chained_find(&stream->by_key, chained_hash(&stream->by_key, key), key);

    return ix != 0 ? &stream->topics[ix] : NULL;
}

void topic_add_of_account(struct stream *stream, const struct topic *topic)
{
    chained_add(&stream->by_account, table_key_u64(topic->account_id), topic_number(stream, topic));
}

void topics_opened(struct stream *stream, const struct account_opened *event)
{
    for (uint32_t ix = 1; ix <= stream->by_key.used; ix++) {
        struct topic *topic = &stream->topics[ix];
        if (topic->count == 0 || channel_of(stream, topic)->takes != TAKES_USER || topic->account_id != 0) continue;
        if (!event->is_primary || !address_equal(&topic->key.user, &event->owner)) continue;
        topic->account_id = event->account_id;
        topic_add_of_account(stream, topic);
    }
}

/* The first topic about an account from number `ix` of its chain on. */
static struct topic *about(struct stream *stream, uint32_t ix, uint64_t account_id)
{
    while (ix != 0 && stream->topics[ix].account_id != account_id) ix = chained_next(&stream->by_account, ix);
    return ix != 0 ? &stream->topics[ix] : NULL;
}

struct topic *topic_of_account(struct stream *stream, uint64_t account_id)
{
    return about(stream, chained_first(&stream->by_account, table_key_u64(account_id)), account_id);
}

struct topic *topic_next_of_account(struct stream *stream, const struct topic *topic)
{
    return about(stream, chained_next(&stream->by_account, topic_number(stream, topic)), topic->account_id);
}

bool account_is_listened_to(struct stream *stream, uint64_t account_id, enum channel_says what)
{
    const struct topic *topic = topic_of_account(stream, account_id);

    while (topic != NULL && channel_of(stream, topic)->says != what) topic = topic_next_of_account(stream, topic);
    return topic != NULL;
}
