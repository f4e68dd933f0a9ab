/* SPDX-License-Identifier: MIT */
/*
 * cluster.h — this node among those that share its log: the thread that keeps the lease, tells the pipeline whether to
 * lead, compares state hashes, and hands over when an operator asks (decision 127; docs/cluster.md). A node with a log
 * of files has none of it.
 *
 * A round trip to the database each quarter of a lease: the node tells how far it is, takes or keeps the lease, and
 * sees who holds it. A leader counts its lease from before that round trip was begun, so it stops before another node
 * may begin, whatever its clock; what a client is told never depends on it.
 */
#ifndef APP_CLUSTER_H
#define APP_CLUSTER_H

#include "app/config.h"
#include "io/thread.h"
#include "log/lease.h"
#include "model/shapes_reply.h"
#include "pipeline/server.h"

#define CLUSTER_MARKS 16 /* own state hashes that a later message of the leader is compared with */

/* What the last round trip showed, and more for /metrics. */
struct cluster_facts {
    struct lease_view view;
    int64_t           seen_ns; /* monotonic, when it came; 0 = never */
    int64_t           caught_up_ns;
    uint64_t          steps, failures;
};

struct cluster {
    const struct cluster_settings *settings;
    struct server                 *server;
    struct leadership              lead;
    struct lease                  *lease;
    pthread_t                      thread;
    bool                           runs;
    _Atomic uint32_t               stop;
    pthread_mutex_t                lock; /* of facts, and of the request to hand over */
    struct cluster_facts           facts;
    struct applied_mark            marks[CLUSTER_MARKS]; /* the lease's thread alone, as what follows */
    uint32_t                       mark_count;
    int64_t                        free_ns;    /* when the lease was first seen free; 0 = it is held */
    int64_t                        retired_ns; /* until then it takes the lease only as the heir: it has handed over */
    /* one request to hand over at a time */
    bool hand_asked;
    char hand_to[LEASE_NODE_MAX + 1]; /* "" = to any */
    int  hand_error;
};

/* Before server_prepare: the leadership of `server`. The settings stay. */
void cluster_init(struct cluster *cluster, const struct cluster_settings *settings, struct server *server);

/* The lease of a log that has been opened. EXIT_FINE, or a code whose reason was printed. */
int cluster_open(struct cluster *cluster);

/* EXIT_FINE, or a code whose reason was printed; cluster_stop follows when it has started. */
int cluster_start(struct cluster *cluster);

/* Behind the engine's thread: gives up the lease, so that another node need not wait for its end. */
void cluster_stop(struct cluster *cluster);
void cluster_close(struct cluster *cluster);

/*
 * Of a struct cluster, from the operators' thread, which waits: the leader ends what is on its way, and `to` ("" = any
 * node) leads. True when another node leads; the outcome or the reason is a sentence in `text`.
 */
bool cluster_hand_over(void *self, const char *to, char *text, size_t cap);

/* struct api_node, and for /metrics; any thread. */
void                 cluster_look(void *self, struct ready_record *record, char leader[256]);
int64_t              cluster_age_ms(void *self); /* since this node last knew that it is up to date */
struct cluster_facts cluster_facts(struct cluster *cluster);
int64_t              cluster_lease_ms(struct cluster *cluster); /* the rest of the leader's lease; 0 = no node leads */
uint64_t             cluster_lag(struct cluster *cluster);      /* commands behind the leader's last word */
int64_t              cluster_lag_ms(struct cluster *cluster);   /* for how long it has not caught up with it */

#endif
