/* SPDX-License-Identifier: MIT */
/*
 * lease.h — which of the nodes of a shared log should write to it. The lease only decides when a node tries to lead;
 * log_lead decides who leads, and no answer depends on the lease (decision 127). It ends by the database's clock.
 *
 * A lease has a connection of its own, and belongs to one thread.
 */
#ifndef LOG_LEASE_H
#define LOG_LEASE_H

#include "log/log.h"

#define LEASE_NODE_MAX 63
#define LEASE_URL_MAX  255

struct lease;

/* What a node tells about itself, and wishes, each time. */
struct lease_wish {
    bool           lead;           /* take the lease when it is free, keep it when it is ours */
    bool           release;        /* give it up */
    const char    *url;            /* where the other nodes reach this one */
    uint64_t       term;           /* of the leadership in force here; 0 = none */
    uint64_t       command, block; /* applied last */
    uint64_t       compared;       /* the block of the state hash; 0 = there is none yet */
    struct hash256 state;
};

struct lease_view {
    bool           is_ours;
    int64_t        remaining_ms; /* by the database's clock; 0 = free */
    uint64_t       term;         /* that the holder told */
    uint64_t       command;      /* that the holder told */
    uint64_t       compared;     /* the block of the holder's last state hash */
    struct hash256 state;
    char           holder[LEASE_NODE_MAX + 1]; /* "" = no node yet */
    char           url[LEASE_URL_MAX + 1];
    char           next[LEASE_NODE_MAX + 1]; /* to whom it was handed over: others let it be while it is free */
};

/*
 * 0, and lease_close follows; EEXIST: another process with this node's name holds or watches the lease (report->text
 * names it); EPERM: the database must be set up differently (likewise); or errno. The log's settings name database and
 * node, and the log must outlive the lease.
 */
int lease_open(struct log *log, struct lease **lease, struct log_report *report) MUST_USE;

/* One round trip: tells, takes, keeps or gives up, and looks. 0; or errno, and nothing is known. */
int lease_step(struct lease *lease, const struct lease_wish *wish, struct lease_view *view) MUST_USE;

/* By the holder: gives the lease up in favour of `node`. 0; ENOENT: no such node was seen lately; or errno. */
int lease_hand_over(struct lease *lease, const char *node) MUST_USE;

/* Sleeps until a node gives the lease up or lease_nudge is called, at most `ms`. */
void lease_await(struct lease *lease, int64_t ms);

/* Any thread: ends a lease_await that is running, or the next one. */
void lease_nudge(struct lease *lease);

void lease_close(struct lease *lease);

#endif
