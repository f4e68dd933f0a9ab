/* SPDX-License-Identifier: MIT */
/*
 * quota.h — how much of the streams one address may use (wire 5.3): connections, new connections and messages per
 * rolling minute, subscriptions, distinct users. Shared by all I/O threads.
 */
#ifndef STREAM_QUOTA_H
#define STREAM_QUOTA_H

#include <pthread.h>

#include "base/chained.h"
#include "base/keccak.h"
#include "limits/minute.h"
#include "model/text.h"

#define QUOTA_CONNECTIONS    10
#define QUOTA_NEW_PER_MINUTE 30
#define QUOTA_SUBSCRIPTIONS  1000
#define QUOTA_USERS          10
#define QUOTA_MESSAGES       2000

struct quota_user {
    struct address user;
    uint32_t       count;
};

/* One address with at least one connection. */
struct quota_row {
    struct minute_key key;
    uint32_t          next;
    uint16_t          connections, subscriptions;
    struct quota_user users[QUOTA_USERS];
};

struct stream_quota {
    pthread_mutex_t   lock;
    struct chained    table;
    struct quota_row *rows; /* from 1 */
    struct minutes   *opened, *messages;
};

size_t stream_quota_size(uint32_t rows);
/* In zeroed memory of stream_quota_size() bytes, aligned to 64. */
struct stream_quota *stream_quota_init(void *memory, uint32_t rows, const uint64_t seed[2]);
void                 stream_quota_deinit(struct stream_quota *quota);

/* Why there is no connection more. */
struct stream_refused {
    uint32_t    wait;   /* it may be tried again in so many seconds */
    uint32_t    limit;  /* the bound that is reached, */
    const char *window; /* and its time: "1m", or "0s" for what is open at once */
};
/* A connection more; false: it is not counted. */
bool stream_quota_open(struct stream_quota *quota, const struct minute_key *key, uint32_t second,
                       struct stream_refused *refused) MUST_USE;
void stream_quota_close(struct stream_quota *quota, const struct minute_key *key);

/* Everything below is for an address with a connection. */
bool stream_quota_message(struct stream_quota *quota, const struct minute_key *key, uint32_t second) MUST_USE;

/* A subscription more, of `user` when it is about one: NULL = counted, else what there is too much of. */
const char *stream_quota_add(struct stream_quota *quota, const struct minute_key *key,
                             const struct address *user) MUST_USE;
void        stream_quota_remove(struct stream_quota *quota, const struct minute_key *key, const struct address *user);

#endif
