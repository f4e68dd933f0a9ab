/* SPDX-License-Identifier: MIT */
/* leader_url.h — the URL of the node that leads, published by one thread and read by any. */
#ifndef GATEWAY_LEADER_URL_H
#define GATEWAY_LEADER_URL_H

#include <pthread.h>

#include "base/base.h"

#define LEADER_URL_BYTES 256 /* with the zero behind it */

/* All zeros (PTHREAD_MUTEX_INITIALIZER): ready for use, and no leader is known. */
struct leader_url {
    pthread_mutex_t lock;
    char            text[LEADER_URL_BYTES];
};

/* `url` "" = none is known; what is longer than the room is cut off. */
static inline void leader_url_set(struct leader_url *leader, const char *url)
{
    (void)pthread_mutex_lock(&leader->lock);
    memset(leader->text, 0, sizeof(leader->text));
    memcpy(leader->text, url, (size_t)min_u64(strlen(url), sizeof(leader->text) - 1));
    (void)pthread_mutex_unlock(&leader->lock);
}

/* False: no leader is known, and url is "". */
static inline bool leader_url_get(struct leader_url *leader, char url[LEADER_URL_BYTES])
{
    (void)pthread_mutex_lock(&leader->lock);
    memcpy(url, leader->text, sizeof(leader->text));
    (void)pthread_mutex_unlock(&leader->lock);
    return url[0] != '\0';
}

#endif
