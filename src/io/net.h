/* SPDX-License-Identifier: MIT */
/*
 * net.h — one event loop, its listener and its connections. One struct net per I/O thread; all calls
 * but net_wake and net_stop belong to the thread that runs it.
 *
 * Every connection has a fixed input and a fixed output buffer, taken with the loop and touched when
 * used. The owner reads conn->input, takes bytes off its front with net_consume, appends to
 * conn->output and calls net_flush. A full input buffer stops reading until something is consumed, so
 * a peer can never make us hold more than its two buffers.
 */
#ifndef IO_NET_H
#define IO_NET_H

#include "base/out.h"

#include <stdatomic.h>

/* ---- the listening address, shared by all loops ---- */
struct net_listener;

struct net_fault {
    int  code;      /* errno */
    char text[160]; /* "127.0.0.1:8080: Address already in use" */
};

/* The listening address, and the resources of each connection. */
struct net_address {
    const char *host;              /* a numeric address or a name */
    uint16_t    port;              /* 0 = a free one */
    uint32_t    connections;       /* at once, over all loops */
    uint32_t    per_address;       /* of these from one IPv4 address or one /64 of IPv6 */
    uint32_t    send_bytes;        /* SO_SNDBUF and SO_RCVBUF of each connection: what the kernel */
    uint32_t    receive_bytes;     /* keeps of its bytes, which it doubles for its own needs */
    struct slice (*refusal)(void); /* sent to a refused peer; NULL = nothing */
    bool (*is_proxy)(const void   *self,
                     const uint8_t address[16]); /* many clients are behind it; NULL = there is none */
    const void *self;
};

/*
 * Binds and listens. A peer whose address has all its connections gets the refusal and is closed, unless it is a proxy.
 * A peer that comes when all connections are taken gets in, and some of those that are connected go (ruling 76,
 * io/peer_table.h).
 */
struct net_listener *net_listen(const struct net_address *place, struct net_fault *fault);
uint16_t             net_port(const struct net_listener *listener);
void                 net_unlisten(struct net_listener *listener);

/* Connections that went so that newcomers got in, and peers that did not read and were reset; from any thread. */
struct net_tally {
    _Atomic uint64_t dismissed, reset;
};
const struct net_tally *net_tally(const struct net_listener *listener);

/* ---- connections ---- */
#define NET_GENERATION_MAX ((1u << 24) - 1)

struct net_conn {
    struct out output; /* bytes to be sent: append, then net_flush */
    char      *input;  /* bytes received and not consumed */
    uint32_t   input_len, input_cap;
    uint32_t   slot;        /* its number in this loop */
    uint32_t   generation;  /* 1 .. NET_GENERATION_MAX, another one each time the slot is used */
    bool       ended;       /* the peer will send no more */
    bool       closing;     /* no call of the owner's will come for it but `closed` */
    int64_t    deadline_ms; /* on net_now_ms(): `expired` is called then; INT64_MAX = none */
    void      *owner;       /* owner_bytes of the owner's, zeroed when the slot is taken */
    char       peer[48];    /* address without port */
    uint8_t    address[16]; /* the same as bytes, IPv4 as ::ffff:a.b.c.d */
};

/* Callbacks of the owner, on the loop's thread. */
struct net_owner {
    void *self;
    void (*opened)(void *self, struct net_conn *conn);
    void (*received)(void *self, struct net_conn *conn); /* more input, or `ended` */
    void (*drained)(void *self, struct net_conn *conn);  /* output that had to wait is sent */
    void (*expired)(void *self, struct net_conn *conn);
    void (*closed)(void *self, struct net_conn *conn); /* the slot is free again */
    void (*woken)(void *self);                         /* net_wake was called */
    void (*turned)(void *self);                        /* all ready events have been reported */
    void (*swept)(void *self);                         /* every 100 ms while there is a connection */
};

struct net_settings {
    uint32_t connections; /* slots of this loop */
    uint32_t input_bytes, output_bytes;
    uint32_t owner_bytes;   /* per connection */
    uint32_t first_wait_ms; /* deadline a new connection gets */
    uint64_t unsent_max; /* bytes that wait for slow readers, over all connections; a connection beyond it is closed */
};

struct net;
/* Takes the memory and joins the listener. NULL when memory or file numbers are short. */
struct net *net_open(struct net_listener *listener, const struct net_settings *settings, const struct net_owner *owner);
/* Takes the pages of all slots now, and of each buffer those that it keeps when its connection ends. Before net_run. */
void net_touch(struct net *net);
/* Runs the loop until net_stop. Connections that are open then are closed at once. */
void net_run(struct net *net);
void net_close(struct net *net);

/* From any thread: `woken` will be called on the loop's thread; many calls may become one. */
void net_wake(struct net *net);
/* From any thread: net_run returns soon. */
void net_stop(struct net *net);

/* The loop's own clock: milliseconds, monotonic, one value per turn of the loop. */
int64_t net_now_ms(const struct net *net);
/* The connection in a slot, or NULL when it is free or of another generation. */
struct net_conn *net_find(struct net *net, uint32_t slot, uint32_t generation);
/*
 * From now on the loop polls for this long instead of sleeping when it has no work; a wake costs no system call
 * meanwhile, and events are taken at once. 0: it sleeps again. The time counts as idle.
 */
void net_watch(struct net *net, int64_t ns);
/* Nanoseconds for which the loop has had nothing to do since it began. */
int64_t net_idle_ns(struct net *net);
/* `turned` is called within so many milliseconds, whether or not
   anything happens; 0: the loop does not sleep before it. */
void             net_turn_within(struct net *net, uint32_t ms);
uint32_t         net_count(const struct net *net);
uint32_t         net_slot_count(const struct net *net);
struct net_conn *net_at(struct net *net, uint32_t slot); /* NULL when free */
void net_expect(const struct net *net, uint32_t slot);   /* It will be sent to in a moment: fetches what that needs. */

/*
 * Counts the connection as one of this client's, or of its own peer's again (conn->address). False: that address has
 * all the connections it may, and nothing has changed.
 */
bool net_count_for(struct net *net, struct net_conn *conn, const uint8_t address[16]) MUST_USE;

/* Takes bytes off the front of the input. */
void net_consume(struct net *net, struct net_conn *conn, uint32_t bytes);
/* Sends what can be sent now; the rest goes when the peer reads. May close the connection. */
void net_flush(struct net *net, struct net_conn *conn);
/*
 * Appends bytes, in parts, to the output, but the part that the socket takes at once is sent from its place: for long
 * messages, or ones to many peers. There must be room for all of it, and net_flush sends the rest. May close the
 * connection.
 */
#define NET_PARTS_MAX 7
void net_send(struct net *net, struct net_conn *conn, const struct slice *parts, uint32_t count);
/* Room for `bytes` more of output? Moves unsent bytes to the front when that helps. */
bool net_room(struct net_conn *conn, size_t bytes);
/* Bytes of the output that are not sent. */
size_t net_unsent(const struct net_conn *conn);
/*
 * Sends what is in the output, then closes. With `linger` the peer may still be sending: our half is
 * shut and its bytes are thrown away for up to 2 s, so that the answer is not lost to a reset.
 */
void net_finish(struct net *net, struct net_conn *conn, bool linger);
/* Closes now; unsent output is dropped. */
void net_abort(struct net *net, struct net_conn *conn);
/* The same, and the peer gets a reset. */
void net_reset(struct net *net, struct net_conn *conn);

#endif
