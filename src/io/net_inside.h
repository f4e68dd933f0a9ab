/* SPDX-License-Identifier: MIT */
/*
 * net_inside.h — shared by the files of the loop: its connections, and the listening address with the table of peers.
 *
 *     net_loop.c        the loop: connections, bytes
 *     net_slot.c        the end of a connection
 *     net_wake.c        what other loops use of one: its clock, and how it is woken
 *     net_sweep.c       periodic work: deadlines, peers that do not read, connections to be closed
 *     net_listener.c    the listening address, shared by all loops
 *     peer_table.c      connected peers, and which of them is closed when a new one finds no slot
 */
#ifndef IO_NET_INSIDE_H
#define IO_NET_INSIDE_H

#include "io/net.h"
#include "io/peer_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <uv.h>

#define NET_SWEEP_MS  100   /* how often deadlines are looked at */
#define NET_BEHIND_MS 10000 /* a peer reads as much as the kernel may hold for it, or is reset */
#define NET_LOOPS_MAX 32

/* ---- the loop ---- */

enum slot_state { SLOT_FREE = 0, SLOT_OPEN, SLOT_FINISHING, SLOT_LINGERING, SLOT_CLOSING };

/* A push to a thousand connections looks at each of them: all that it needs is on the first cache line. */
struct slot {
    _Alignas(64) int handle;
    uint8_t         state;   /* enum slot_state */
    uint8_t         awaited; /* events of libuv's that it is told of */
    bool            linger;
    bool            big_input, big_output; /* more than a page has been touched */
    size_t          sent;                  /* of conn.output */
    size_t          waiting;               /* bytes of it that the socket had no room for; 0 = it may have */
    struct net_conn conn;                  /* begins with `output` */
    uint32_t        order;                 /* its place in net->open */
    uv_poll_t       poll;
    struct net     *net;
    uint32_t        entry;     /* its row in the table of peers */
    bool            heard;     /* it has sent something */
    int64_t         moved_ms;  /* when it sent last, by MOVED_MS */
    uint64_t        taken;     /* bytes that waited here and went */
    int64_t         behind_ms; /* since then bytes have waited for it here; 0 = none do */
    uint64_t        marked;    /* bytes taken at that time */
};

/*
 * State of the wake-up. Both sides change it with an atomic exchange, as in io/thread.c: a caller that finds the loop
 * awake leaves a mark that the loop sees before it sleeps; only a caller that finds it asleep needs a system call.
 */
enum wakeup_state { WAKEUP_AWAKE = 0, WAKEUP_ASLEEP, WAKEUP_SENT };

struct net {
    uv_loop_t            loop;
    uv_poll_t            listener_poll;
    uv_async_t           wakeup;
    uv_timer_t           sweep, soon; /* soon: see net_turn_within */
    uv_check_t           turn;
    uv_prepare_t         rest;  /* nothing is left to do: the loop would sleep now */
    uv_idle_t            again; /* while it is active the loop does not sleep */
    struct net_listener *listener;
    struct net_settings  settings;
    struct net_owner     owner;
    int                  listener_handle;
    _Atomic uint32_t     stop;
    _Atomic uint32_t     dismissals; /* connections that the listener wants closed */
    bool                 stopped;
    bool                 unseen;     /* the set of awaited events changed; the loop tells the kernel in its next turn */
    int64_t              watch_ns;   /* until when it does not sleep */
    _Atomic int64_t      watched_ns; /* for how long it has not, in all */
    uint32_t             free_count, open_count;
    uint64_t             unsent;      /* bytes that wait for room, over all slots */
    size_t               kept;        /* of a buffer, when its connection ends */
    uint32_t            *free, *open; /* slot numbers */
    struct slot         *slots;
    char                *inputs, *outputs, *owned;
    size_t               owned_stride;
    _Alignas(64) _Atomic uint32_t wakeup_state; /* enum wakeup_state */
};

/* ---- the listening address ---- */

struct net_listener {
    int                handle, reserve; /* reserve: a file number to give up when there are no more */
    uint16_t           port;
    struct net_address place;
    pthread_mutex_t    lock; /* of what follows */
    struct peer_table  peers;
    struct net        *loops[NET_LOOPS_MAX];
    uint32_t           loop_count;
    uint32_t           leaving; /* that were chosen and are still there */
    struct net_tally   tally;
};

struct peer peer_of(const struct sockaddr_storage *address);
void        peer_text(const struct peer *peer, char text[48]);

static inline struct peer_entry *listener_entry(const struct net_listener *listener, uint32_t entry)
{
    return &listener->peers.rows[entry];
}

/* Adds a loop to the listener. False: there is no place for another one. */
bool listener_join(struct net_listener *listener, struct net *net) MUST_USE;
/* Removes it. */
void listener_part(struct net_listener *listener, struct net *net);

/* Counts a new connection in; PEER_ROW_NONE: one of the caps is reached. */
uint32_t listener_admit(struct net_listener *listener, const struct peer *peer, struct net *net) MUST_USE;
/* It is a connection of this peer's from now on. False: that one has all it may. */
bool listener_move(struct net_listener *listener, uint32_t entry, const struct peer *peer) MUST_USE;
/* It has ended. */
void listener_release(struct net_listener *listener, uint32_t entry);
/*
 * Whether every slot is taken. When a new connection waits then, others are closed for it (ruling 76): those chosen
 * are marked, and their loops close them. No more are chosen while any of the marked ones still exists.
 */
bool listener_is_full(struct net_listener *listener, int64_t now_ms) MUST_USE;
/* Sends the refusal if the socket takes it at once, and closes the connection in any case. */
void listener_refuse(const struct net_listener *listener, int handle);
/*
 * When no file descriptor is left: accepts one peer with the reserved descriptor and closes it, and chooses other
 * connections to close.
 */
void listener_hang_up(struct net_listener *listener, int64_t now_ms);
/* A peer that did not read has been reset. */
void listener_counts_reset(struct net_listener *listener);

/* ---- what the files of a loop call of each other ---- */

void slot_close(struct slot *slot);
/* Nothing that waits in the kernel is kept for the peer. */
void slot_reset(struct slot *slot);
void net_sweep(uv_timer_t *timer);
/* Closes those of this loop that the listener has chosen. */
void net_dismiss(struct net *net);

#endif
