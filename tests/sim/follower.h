/* SPDX-License-Identifier: MIT */
/*
 * follower.h — clients of the streams: each has a WebSocket, subscribes and unsubscribes at random, reads at once,
 * slowly or not at all, disconnects; and compares every message with the state of the exchange (truth.h).
 */
#ifndef SIM_FOLLOWER_H
#define SIM_FOLLOWER_H

#include "received.h"

/*
 * behind: snapshots instead of messages that did not fit; slow, lost, idle: connections ended because the client did
 * not read, because events were lost, because the client sent nothing for a minute.
 */
struct follower_counts {
    uint64_t handshakes, messages, trades, books, states, receipts, account_messages, answers, behind, slow, lost, idle,
        lulls;
};

/* How many there are in this world, 0 … FOLLOWERS_MAX. */
#define FOLLOWERS_MAX 3
void followers_begin(uint32_t count);
/* One step of one of them; *wake_ns as clients_step. */
bool followers_step(int64_t *wake_ns);
/* The server has ended; bytes that had left it may still arrive. */
void followers_lost(void);
/*
 * A time without new requests begins; at its end all followers have received everything that had happened at its
 * start.
 */
void followers_lull(bool begins);
/* The log has been read to its end: it contains every command that a follower has seen. */
void                   followers_recovered(uint64_t last_seq);
struct follower_counts follower_counts(void);

#endif
