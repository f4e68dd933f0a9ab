/* SPDX-License-Identifier: MIT */
/*
 * follower.h — clients of the streams: each has a WebSocket, subscribes and unsubscribes as it likes, reads at once,
 * slowly or not at all, breaks off; and compares everything that it is told with what the exchange holds (truth.h).
 */
#ifndef SIM_FOLLOWER_H
#define SIM_FOLLOWER_H

#include "received.h"

/* behind: snapshots instead of what did not fit; slow, lost, idle: connections that were ended because nobody read,
   because events were lost, because nobody said anything for a minute. */
struct follower_counts {
    uint64_t handshakes, messages, trades, books, states, receipts, account_messages, answers, behind, slow, lost, idle,
        lulls;
};

/* How many there are in this world, 0 … FOLLOWERS_MAX. */
#define FOLLOWERS_MAX 3
void followers_begin(uint32_t count);
/* One step of one of them; *wake_ns as clients_step. */
bool followers_step(int64_t *wake_ns);
/* The server has gone; what had left it may still arrive. */
void followers_lost(void);
/* A time with nothing new begins; at its end all have been told everything that had happened when it began. */
void followers_lull(bool begins);
/* The log has been read to its end: what anybody was told of is in it. */
void                   followers_recovered(uint64_t last_seq);
struct follower_counts follower_counts(void);

#endif
