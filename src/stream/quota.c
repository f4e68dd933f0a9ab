/* SPDX-License-Identifier: MIT */
#include "stream/quota.h"

static size_t table_bytes(uint32_t rows) { return chained_bytes(chained_heads(rows), rows, sizeof(struct quota_row)); }
static size_t minutes_bytes(uint32_t rows) { return align_up(minutes_size(rows), 64); }

size_t stream_quota_size(uint32_t rows)
{
    return align_up(sizeof(struct stream_quota), 64) + table_bytes(rows) + 2 * minutes_bytes(rows);
}

struct stream_quota *stream_quota_init(void *memory, uint32_t rows, const uint64_t seed[2])
{
    struct stream_quota   *quota = memory;
    struct minute_settings settings = { rows, QUOTA_NEW_PER_MINUTE, { seed[0], seed[1] } };
    uint8_t               *at = (uint8_t *)memory + align_up(sizeof(*quota), 64);

    quota->rows = (void *)(at + chained_head_bytes(chained_heads(rows)));
    quota->table = CHAINED((void *)at, chained_heads(rows) - 1, quota->rows, next, rows,
                           .key = sizeof(struct minute_key), .seed = { seed[0], seed[1] });
    at += table_bytes(rows);
    quota->opened = minutes_init(at, &settings);
    settings.limit = QUOTA_MESSAGES;
    quota->messages = minutes_init(at + minutes_bytes(rows), &settings);
    (void)pthread_mutex_init(&quota->lock, NULL);
    return quota;
}

void stream_quota_deinit(struct stream_quota *quota)
{
    minutes_deinit(quota->opened);
    minutes_deinit(quota->messages);
    (void)pthread_mutex_destroy(&quota->lock);
}

/* The row of an address with a connection. */
static struct quota_row *row_of(struct stream_quota *quota, const struct minute_key *key)
{
    uint32_t ix = chained_find(&quota->table, chained_hash(&quota->table, key), key);

    assert(ix != 0 && quota->rows[ix].connections != 0);
    return &quota->rows[ix];
}

bool stream_quota_open(struct stream_quota *quota, const struct minute_key *key, uint32_t second,
                       struct stream_refused *refused)
{
    uint32_t ix, wait = minutes_spend(quota->opened, key, 1, &second);

    *refused = (struct stream_refused){ wait, QUOTA_NEW_PER_MINUTE, "1m" };
    if (wait != 0) return false;
    (void)pthread_mutex_lock(&quota->lock);
    ix = chained_find_or_take(&quota->table, key);
    if (ix == 0) refused->wait = 1; /* the rows are taken by other addresses */
    else if (quota->rows[ix].connections == QUOTA_CONNECTIONS)
        *refused = (struct stream_refused){ 1, QUOTA_CONNECTIONS, "0s" };
    else quota->rows[ix].connections += 1;
    (void)pthread_mutex_unlock(&quota->lock);
    if (refused->wait == 0) return true;
    minutes_give_back(quota->opened, key, 1, second); /* a refused attempt was no connection */
    return false;
}

void stream_quota_close(struct stream_quota *quota, const struct minute_key *key)
{
    struct quota_row *row;

    (void)pthread_mutex_lock(&quota->lock);
    row = row_of(quota, key);
    row->connections -= 1;
    assert(row->connections != 0 || row->subscriptions == 0);
    if (row->connections == 0) chained_drop(&quota->table, (uint32_t)(row - quota->rows));
    (void)pthread_mutex_unlock(&quota->lock);
}

bool stream_quota_message(struct stream_quota *quota, const struct minute_key *key, uint32_t second)
{
    return minutes_spend(quota->messages, key, 1, &second) == 0;
}

/* The place of a user, or a free one, or NULL. */
static struct quota_user *user_of(struct quota_row *row, const struct address *user)
{
    struct quota_user *vacant = NULL;

    for (uint32_t i = 0; i < QUOTA_USERS; i++) {
        if (row->users[i].count != 0 && address_equal(&row->users[i].user, user)) return &row->users[i];
        if (row->users[i].count == 0 && vacant == NULL) vacant = &row->users[i];
    }
    return vacant;
}

static const char *add(struct quota_row *row, const struct address *user)
{
    struct quota_user *place;

    if (row->subscriptions == QUOTA_SUBSCRIPTIONS) return "too many subscriptions: at most 1000 per address";
    if (user != NULL) {
        place = user_of(row, user);
        if (place == NULL) return "too many users: at most 10 per address";
        place->user = *user;
        place->count += 1;
    }
    row->subscriptions += 1;
    return NULL;
}

const char *stream_quota_add(struct stream_quota *quota, const struct minute_key *key, const struct address *user)
{
    const char *text;

    (void)pthread_mutex_lock(&quota->lock);
    text = add(row_of(quota, key), user);
    (void)pthread_mutex_unlock(&quota->lock);
    return text;
}

void stream_quota_remove(struct stream_quota *quota, const struct minute_key *key, const struct address *user)
{
    struct quota_row *row;

    (void)pthread_mutex_lock(&quota->lock);
    row = row_of(quota, key);
    assert(row->subscriptions != 0);
    row->subscriptions -= 1;
    if (user != NULL) user_of(row, user)->count -= 1;
    (void)pthread_mutex_unlock(&quota->lock);
}
