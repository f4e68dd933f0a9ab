/* SPDX-License-Identifier: MIT */
#include "io/net_inside.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#define LINGER_MS      2000 /* how long the bytes of a refused peer are drained */
#define ACCEPTS_A_TURN 256
#define MOVED_MS       64    /* how exactly it is known when a connection was used last */
#define SMALL_BYTES    4096  /* memory of a buffer beyond this is returned when the connection ends, */
#define TOUCHED_BYTES  65536 /* or beyond this, where memory has been taken for good */

/* ---- connections ---- */

static struct slot *slot_of(struct net_conn *conn)
{
    return (struct slot *)(void *)((char *)conn - offsetof(struct slot, conn));
}
static_assert(offsetof(struct slot, conn) + offsetof(struct net_conn, output) + sizeof(struct out) <= 64,
              "one cache line");

/*
 * The peer has sent bytes. Other loops see the time a little late, so that this seldom writes to memory that they
 * read.
 */
static void slot_moves(struct slot *slot)
{
    int64_t now_ms = net_now_ms(slot->net);

    if (now_ms - slot->moved_ms < MOVED_MS) return;
    slot->moved_ms = now_ms;
    atomic_store_explicit(&listener_entry(slot->net->listener, slot->entry)->active_ms, now_ms, memory_order_relaxed);
}

static void on_ready(uv_poll_t *poll, int status, int events);

/* It is read while there is room. */
static bool wants_bytes(const struct slot *slot)
{
    return !slot->conn.ended && (slot->state == SLOT_LINGERING || slot->conn.input_len < slot->conn.input_cap);
}

/* Tells the loop what is awaited now. */
static void slot_await(struct slot *slot)
{
    int wanted = (wants_bytes(slot) ? UV_READABLE : 0) | (slot->waiting != 0 ? UV_WRITABLE : 0);

    if (slot->state == SLOT_CLOSING || wanted == slot->awaited) return;
    slot->awaited = (uint8_t)wanted;
    slot->net->unseen = true;
    if (wanted == 0) (void)uv_poll_stop(&slot->poll);
    else if (uv_poll_start(&slot->poll, wanted, on_ready) != 0) slot_close(slot);
}

/* Everything is sent and the connection is to end. */
static void slot_finished(struct slot *slot)
{
    if (!slot->linger || slot->conn.ended) {
        slot_close(slot);
        return;
    }
    (void)shutdown(slot->handle, SHUT_WR);
    slot->state = SLOT_LINGERING;
    slot->conn.deadline_ms = net_now_ms(slot->net) + LINGER_MS;
    slot_await(slot);
}

/* It has ended, by its peer's will or by an error. */
static void slot_ended(struct slot *slot, bool failed)
{
    slot->conn.ended = true;
    slot_await(slot);
    if (failed || slot->state == SLOT_LINGERING) slot_close(slot);
    else if (slot->state == SLOT_OPEN) slot->net->owner.received(slot->net->owner.self, &slot->conn);
}

/* One look, as much as there is room for; the loop tells of the rest. `recv` checks the socket alone, as `send` does.
 */
static void slot_read(struct slot *slot)
{
    struct net      *net = slot->net;
    struct net_conn *conn = &slot->conn;
    ssize_t          got;

    if (slot->state == SLOT_LINGERING) conn->input_len = 0;
    got = recv(slot->handle, conn->input + conn->input_len, conn->input_cap - conn->input_len, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (got <= 0) {
        slot_ended(slot, got < 0);
        return;
    }
    slot_moves(slot);
    if (slot->state != SLOT_OPEN) return; /* bytes after the last request are discarded */
    if (!slot->heard)
        atomic_store_explicit(&listener_entry(net->listener, slot->entry)->heard, 1, memory_order_relaxed);
    slot->heard = true;
    conn->input_len += (uint32_t)got;
    if (conn->input_len > SMALL_BYTES) slot->big_input = true;
    net->owner.received(net->owner.self, conn);
    slot_await(slot);
}

/*
 * Sends as much as the socket takes at once; may close the connection. `send` checks the socket alone, `write` also the
 * file around it.
 */
static size_t slot_write(struct slot *slot, struct iovec *parts, size_t count)
{
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = count };
    ssize_t       sent;

    do
        sent = count == 1 ? send(slot->handle, parts->iov_base, parts->iov_len, MSG_NOSIGNAL | MSG_DONTWAIT)
                          : sendmsg(slot->handle, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) slot_close(slot);
    return sent > 0 ? (size_t)sent : 0;
}

/* What the socket has no room for waits until the loop says that it has. */
static void slot_push(struct slot *slot)
{
    struct net *net = slot->net;
    struct out *output = &slot->conn.output;
    size_t      before = slot->sent;

    if (slot->state == SLOT_CLOSING || slot->state == SLOT_LINGERING) return;
    if (output->len > SMALL_BYTES) slot->big_output = true;
    if (slot->sent != output->len)
        slot->sent += slot_write(slot, &(struct iovec){ output->at + slot->sent, output->len - slot->sent }, 1);
    if (slot->state == SLOT_CLOSING) return;
    slot->taken += slot->sent - before;
    net->unsent += output->len - slot->sent - slot->waiting;
    slot->waiting = output->len - slot->sent;
    if (slot->waiting != 0 && net->unsent > net->settings.unsent_max) {
        slot_close(slot);
        return;
    }
    slot_await(slot);
    if (slot->waiting != 0) return;
    slot->sent = output->len = 0;
    if (slot->state == SLOT_FINISHING) slot_finished(slot);
}

static void slot_send(struct slot *slot)
{
    if (slot->waiting == 0) slot_push(slot);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct slot *slot = poll->data;
    struct net  *net = slot->net;

    if (status < 0) { /* what came before the error is read, and then the error */
        slot->awaited = 0;
        if (wants_bytes(slot)) slot_read(slot);
        slot_close(slot);
        return;
    }
    if ((events & UV_READABLE) != 0 && wants_bytes(slot)) slot_read(slot);
    if ((events & UV_WRITABLE) == 0 || slot->waiting == 0) return;
    slot_push(slot);
    if (slot->state == SLOT_OPEN && slot->waiting == 0) net->owner.drained(net->owner.self, &slot->conn);
}

/* ---- new connections ---- */

static void slot_start(struct net *net, struct slot *slot, int handle, uint32_t entry)
{
    struct net_conn *conn = &slot->conn;
    uint32_t         number = (uint32_t)(slot - net->slots);
    int              one = 1;

    (void)setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    slot->net = net;
    slot->handle = handle;
    slot->entry = entry;
    slot->sent = slot->waiting = 0;
    slot->taken = slot->marked = 0;
    slot->moved_ms = slot->behind_ms = 0;
    slot->linger = slot->big_input = slot->big_output = slot->heard = false;
    slot->awaited = 0;
    slot->state = SLOT_OPEN;
    slot->order = net->open_count;
    net->open[net->open_count++] = number;
    conn->input = net->inputs + (size_t)number * net->settings.input_bytes;
    conn->input_len = 0;
    conn->input_cap = net->settings.input_bytes;
    conn->output = out_make(net->outputs + (size_t)number * net->settings.output_bytes, net->settings.output_bytes);
    conn->slot = number;
    conn->generation = conn->generation == NET_GENERATION_MAX ? 1 : conn->generation + 1;
    conn->ended = conn->closing = false;
    conn->deadline_ms = net_now_ms(net) + net->settings.first_wait_ms;
    conn->owner = net->owned + number * net->owned_stride;
    memset(conn->owner, 0, net->settings.owner_bytes);
    slot->poll.data = slot;
    if (!uv_is_active((uv_handle_t *)&net->sweep)) (void)uv_timer_again(&net->sweep);
    net->owner.opened(net->owner.self, conn);
    slot_await(slot);
}

/*
 * When every slot is taken, a new connection waits in the kernel's queue until those that are closed for it are gone:
 * a turn or two.
 */
static void on_listener(uv_poll_t *listener_poll, int status, int events)
{
    struct net *net = listener_poll->data;

    (void)status, (void)events;
    for (int i = 0; i < ACCEPTS_A_TURN; i++) {
        struct sockaddr_storage address;
        socklen_t               len = sizeof(address);
        struct peer             peer;
        struct slot            *slot;
        uint32_t                entry;
        int                     handle;

        if (listener_is_full(net->listener, net_now_ms(net))) return;
        handle = accept4(net->listener_handle, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (handle < 0 && (errno == EMFILE || errno == ENFILE)) listener_hang_up(net->listener, net_now_ms(net));
        if (handle < 0) return;
        peer = peer_of(&address);
        entry = net->free_count != 0 ? listener_admit(net->listener, &peer, net) : PEER_ROW_NONE;
        if (entry == PEER_ROW_NONE) {
            listener_refuse(net->listener, handle);
            continue;
        }
        slot = &net->slots[net->free[net->free_count - 1]];
        if (uv_poll_init(&net->loop, &slot->poll, handle) != 0) {
            listener_release(net->listener, entry);
            (void)close(handle);
            continue;
        }
        net->free_count -= 1;
        peer_text(&peer, slot->conn.peer);
        memcpy(slot->conn.address, peer.bytes, sizeof(slot->conn.address));
        slot_start(net, slot, handle, entry);
    }
}

/* ---- wake-ups ---- */

static void close_any(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void on_wakeup(uv_async_t *wakeup)
{
    struct net *net = wakeup->data;

    if (atomic_load_explicit(&net->stop, memory_order_acquire) == 0) {
        atomic_exchange_explicit(&net->wakeup_state, WAKEUP_AWAKE, memory_order_acq_rel);
        net->owner.woken(net->owner.self);
    } else if (!net->stopped) {
        net->stopped = true;
        for (uint32_t i = 0; i < net->open_count; i++) slot_close(&net->slots[net->open[i]]);
        uv_walk(&net->loop, close_any, NULL);
    }
}

static void on_turn(uv_check_t *turn)
{
    struct net *net = turn->data;

    (void)uv_idle_stop(&net->again);
    if (uv_timer_get_due_in(&net->soon) == 0) (void)uv_timer_stop(&net->soon); /* this is its turn */
    if (atomic_load_explicit(&net->dismissals, memory_order_relaxed) != 0) net_dismiss(net);
    if (atomic_exchange_explicit(&net->wakeup_state, WAKEUP_AWAKE, memory_order_acq_rel) == WAKEUP_SENT)
        net->owner.woken(net->owner.self);
    net->owner.turned(net->owner.self);
}

static bool has_wakeup(const struct net *net)
{
    return atomic_load_explicit(&net->wakeup_state, memory_order_acquire) == WAKEUP_SENT;
}

/* Something has happened to a connection; it is left there for the loop. */
static bool is_ready(struct net *net)
{
    struct epoll_event event;

    return epoll_wait(uv_backend_fd(&net->loop), &event, 1, 0) != 0;
}

/* Polls for a while instead of sleeping: waking a thread on another core takes longer than the expected wait. */
static void watch(struct net *net)
{
    int64_t began_ns = clock_mono_ns(), now_ns = began_ns;

    while (now_ns < net->watch_ns && !has_wakeup(net) && !is_ready(net)) now_ns = clock_mono_ns();
    atomic_store_explicit(&net->watched_ns,
                          atomic_load_explicit(&net->watched_ns, memory_order_relaxed) + now_ns - began_ns,
                          memory_order_relaxed);
}

static void on_rest(uv_prepare_t *rest)
{
    struct net *net = rest->data;
    uint32_t    awake = WAKEUP_AWAKE;
    bool        unseen = net->unseen;

    net->unseen = false;
    if (uv_is_active((uv_handle_t *)&net->again)) return;
    if (net->watch_ns != 0 && unseen) { /* a handle changed: re-arm epoll before polling */
        net_turn_within(net, 0);
        return;
    }
    if (net->watch_ns != 0) watch(net);
    if (atomic_compare_exchange_strong_explicit(&net->wakeup_state, &awake, WAKEUP_ASLEEP, memory_order_acq_rel,
                                                memory_order_acquire))
        return;
    assert(awake == WAKEUP_SENT); /* a turn of the owner's comes between two rests, and begins awake */
    atomic_exchange_explicit(&net->wakeup_state, WAKEUP_AWAKE, memory_order_acq_rel);
    net->owner.woken(net->owner.self);
    net_turn_within(net, 0);
}

void net_watch(struct net *net, int64_t ns) { net->watch_ns = ns != 0 ? clock_mono_ns() + ns : 0; }

void net_stop(struct net *net)
{
    atomic_store_explicit(&net->stop, 1, memory_order_release);
    (void)uv_async_send(&net->wakeup);
}

int64_t net_idle_ns(struct net *net)
{
    return (int64_t)uv_metrics_idle_time(&net->loop) + atomic_load_explicit(&net->watched_ns, memory_order_relaxed);
}

static void on_again(uv_idle_t *again) { (void)again; }

/* The end of its time ends the sleep, and the turn behind it stops the timer. It runs where it was due before. */
static void on_timer_due(uv_timer_t *timer) { net_turn_within(timer->data, 0); }

void net_turn_within(struct net *net, uint32_t ms)
{
    if (ms == 0) {
        (void)uv_idle_start(&net->again, on_again);
        return;
    }
    if (!uv_is_active((uv_handle_t *)&net->soon) || uv_timer_get_due_in(&net->soon) > ms)
        (void)uv_timer_start(&net->soon, on_timer_due, ms, 0);
}

/* ---- opening and closing the loop ---- */

static bool take_memory(struct net *net)
{
    const struct net_settings *s = &net->settings;

    net->owned_stride = align_up(s->owner_bytes, 64);
    net->slots = files_take_memory((size_t)s->connections * sizeof(struct slot));
    net->free = calloc(s->connections, sizeof(uint32_t));
    net->open = calloc(s->connections, sizeof(uint32_t));
    net->inputs = files_take_memory((size_t)s->connections * s->input_bytes);
    net->outputs = files_take_memory((size_t)s->connections * s->output_bytes);
    net->owned = files_take_memory(s->connections * net->owned_stride);
    if (net->slots == NULL || net->free == NULL || net->open == NULL || net->inputs == NULL || net->outputs == NULL
        || net->owned == NULL)
        return false;
    for (uint32_t i = 0; i < s->connections; i++) net->free[i] = s->connections - 1 - i;
    net->free_count = s->connections;
    return true;
}

struct net *net_open(struct net_listener *listener, const struct net_settings *settings, const struct net_owner *owner)
{
    struct net *net = aligned_alloc(64, align_up(sizeof(*net), 64));

    if (net == NULL) return NULL;
    memset(net, 0, sizeof(*net));
    net->listener = listener;
    net->settings = *settings;
    net->owner = *owner;
    net->kept = SMALL_BYTES;
    net->listener_handle = fcntl(listener->handle, F_DUPFD_CLOEXEC, 0);
    if (net->listener_handle < 0 || !take_memory(net) || !listener_join(listener, net) || uv_loop_init(&net->loop) != 0)
        return NULL;
    (void)uv_loop_configure(&net->loop, UV_METRICS_IDLE_TIME);
    if (uv_poll_init(&net->loop, &net->listener_poll, net->listener_handle) != 0
        || uv_async_init(&net->loop, &net->wakeup, on_wakeup) != 0 || uv_timer_init(&net->loop, &net->sweep) != 0
        || uv_timer_init(&net->loop, &net->soon) != 0 || uv_check_init(&net->loop, &net->turn) != 0
        || uv_prepare_init(&net->loop, &net->rest) != 0 || uv_idle_init(&net->loop, &net->again) != 0)
        return NULL;
    net->listener_poll.data = net->wakeup.data = net->sweep.data = net->soon.data = net->turn.data = net->rest.data =
        net;
    (void)uv_check_start(&net->turn, on_turn);
    (void)uv_prepare_start(&net->rest, on_rest);
    (void)uv_timer_start(&net->sweep, net_sweep, NET_SWEEP_MS, NET_SWEEP_MS);
    (void)uv_timer_stop(&net->sweep);
    return net;
}

void net_touch(struct net *net)
{
    const struct net_settings *s = &net->settings;

    net->kept = TOUCHED_BYTES;
    memory_touch(net->slots, (size_t)s->connections * sizeof(struct slot));
    memory_touch(net->owned, s->connections * net->owned_stride);
    for (size_t i = 0; i < s->connections; i++) {
        memory_touch(net->inputs + i * s->input_bytes, min_size(s->input_bytes, TOUCHED_BYTES));
        memory_touch(net->outputs + i * s->output_bytes, min_size(s->output_bytes, TOUCHED_BYTES));
    }
}

void net_run(struct net *net)
{
    (void)uv_poll_start(&net->listener_poll, UV_READABLE, on_listener);
    (void)uv_run(&net->loop, UV_RUN_DEFAULT);
}

void net_close(struct net *net)
{
    uv_walk(&net->loop, close_any, NULL);
    (void)uv_run(&net->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&net->loop);
    listener_part(net->listener, net);
    (void)close(net->listener_handle);
    files_give_memory(net->slots, (size_t)net->settings.connections * sizeof(struct slot));
    free(net->free);
    free(net->open);
    files_give_memory(net->inputs, (size_t)net->settings.connections * net->settings.input_bytes);
    files_give_memory(net->outputs, (size_t)net->settings.connections * net->settings.output_bytes);
    files_give_memory(net->owned, net->settings.connections * net->owned_stride);
    free(net);
}

/* ---- the owner's calls ---- */

struct net_conn *net_at(struct net *net, uint32_t slot)
{
    struct slot *at = slot < net->settings.connections ? &net->slots[slot] : NULL;
    return at != NULL && at->state == SLOT_OPEN ? &at->conn : NULL;
}

void net_expect(const struct net *net, uint32_t slot) { __builtin_prefetch(&net->slots[slot], 1); }

bool net_count_for(struct net *net, struct net_conn *conn, const uint8_t address[16])
{
    struct peer peer;

    memcpy(peer.bytes, address, sizeof(peer.bytes));
    return listener_move(net->listener, slot_of(conn)->entry, &peer);
}

struct net_conn *net_find(struct net *net, uint32_t slot, uint32_t generation)
{
    struct net_conn *conn = net_at(net, slot);
    return conn != NULL && conn->generation == generation ? conn : NULL;
}

uint32_t net_count(const struct net *net) { return net->open_count; }
uint32_t net_slot_count(const struct net *net) { return net->settings.connections; }

void net_consume(struct net *net, struct net_conn *conn, uint32_t bytes)
{
    assert(bytes <= conn->input_len);
    (void)net;
    conn->input_len -= bytes;
    if (conn->input_len != 0 && bytes != 0) memmove(conn->input, conn->input + bytes, conn->input_len);
    slot_await(slot_of(conn));
}

void net_flush(struct net *net, struct net_conn *conn)
{
    (void)net;
    slot_send(slot_of(conn));
}

void net_send(struct net *net, struct net_conn *conn, const struct slice *parts, uint32_t count)
{
    struct slot *slot = slot_of(conn);
    struct out  *output = &conn->output;
    struct iovec places[NET_PARTS_MAX + 1];
    size_t       before = output->len - slot->sent, went = 0, n = 0;

    (void)net;
    assert(count <= NET_PARTS_MAX);
    if (slot->state == SLOT_OPEN && slot->waiting == 0) {
        if (before != 0) places[n++] = (struct iovec){ output->at + slot->sent, before };
        for (uint32_t i = 0; i < count; i++)
            places[n++] = (struct iovec){ (char *)(uintptr_t)parts[i].at, parts[i].len };
        went = slot_write(slot, places, n);
        if (slot->state == SLOT_CLOSING) return;
    }
    slot->sent += min_size(went, before);
    if (slot->sent == output->len) slot->sent = output->len = 0;
    went -= min_size(went, before);
    for (uint32_t i = 0; i < count; i++) {
        size_t gone = min_size(went, parts[i].len);
        went -= gone;
        if (gone != parts[i].len) out_bytes(output, parts[i].at + gone, parts[i].len - gone);
    }
}

bool net_room(struct net_conn *conn, size_t bytes)
{
    struct slot *slot = slot_of(conn);
    struct out  *output = &conn->output;

    if (bytes <= output->cap - output->len) return true;
    if (slot->sent == 0) return false;
    output->len -= slot->sent;
    memmove(output->at, output->at + slot->sent, output->len);
    slot->sent = 0;
    return bytes <= output->cap - output->len;
}

size_t net_unsent(const struct net_conn *conn)
{
    const struct slot *slot = (const struct slot *)(const void *)((const char *)conn - offsetof(struct slot, conn));
    return conn->output.len - slot->sent;
}

void net_finish(struct net *net, struct net_conn *conn, bool linger)
{
    struct slot *slot = slot_of(conn);

    if (slot->state != SLOT_OPEN) return;
    slot->state = SLOT_FINISHING;
    slot->linger = linger;
    conn->closing = true;
    conn->input_len = 0;
    conn->deadline_ms = net_now_ms(net) + 10000; /* a peer that does not read is not waited for */
    slot_await(slot);
    slot_send(slot);
}

void net_abort(struct net *net, struct net_conn *conn)
{
    (void)net;
    slot_close(slot_of(conn));
}

void net_reset(struct net *net, struct net_conn *conn)
{
    (void)net;
    slot_reset(slot_of(conn));
}
