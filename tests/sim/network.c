/* SPDX-License-Identifier: MIT */
/* network.c — io/net.h in the simulated world. The states of a slot are those of net_loop.c. */
#include "network.h"

#include "io/files.h"
#include "io/net.h"

#include <stdio.h>
#include <stdlib.h>

#define SWEEP_NS  100000000
#define LINGER_MS 2000
#define UP_BYTES  65536
#define DOWN_MAX  262144

/* ---- connections, as both ends see them ---- */

struct wire {
    bool    used, waits;                  /* waits: to be accepted */
    bool    client_ended, reset;          /* no more bytes will go up; all of them are dropped */
    bool    server_ended, gone, detached; /* no more will come down; the client, the server has closed */
    size_t  up_len, down_len, window;
    uint8_t up[UP_BYTES], down[DOWN_MAX];
};

static struct wire wires[WIRES];

struct net_listener {
    uint32_t connections, count;
    struct slice (*refusal)(void);
    struct net_tally tally;
};

enum slot_state { SLOT_FREE = 0, SLOT_OPEN, SLOT_FINISHING, SLOT_LINGERING, SLOT_CLOSING };

struct slot {
    struct net_conn conn;
    struct net     *net;
    int             wire;
    uint8_t         state; /* enum slot_state */
    bool            linger;
    size_t          sent;    /* of conn.output */
    bool            sending; /* output waits for room */
};

struct net {
    struct net_listener *listener;
    struct net_settings  settings;
    struct net_owner     owner;
    struct slot         *slots;
    uint32_t             open_count;
    char                *inputs, *outputs, *owned;
    size_t               owned_stride;
    _Atomic uint32_t     idle; /* 1: nothing to do; others make it 0 */
    bool                 bell, stop;
    int64_t              now_ms, swept_ns;
    int64_t              soon_ns; /* a turn is wanted then, 0 = not */
    int64_t              idle_ns; /* for so long there was nothing to do */
};

static struct net *the_net[8];
static uint32_t    net_number;

static void wake_all(void)
{
    for (uint32_t i = 0; i < 8; i++)
        if (the_net[i] != NULL) the_net[i]->idle = 0;
}

bool wire_listening(void) { return the_net[0] != NULL && !the_net[0]->stop && world.ready; }

int wire_connect(uint32_t window)
{
    if (!wire_listening()) return -1;
    for (int i = 0; i < WIRES; i++) {
        if (wires[i].used) continue;
        wires[i].used = wires[i].waits = true;
        wires[i].client_ended = wires[i].reset = wires[i].server_ended = wires[i].gone = wires[i].detached = false;
        wires[i].up_len = wires[i].down_len = 0;
        wires[i].window = window < DOWN_MAX ? window : DOWN_MAX;
        wake_all();
        return i;
    }
    return -1;
}

size_t wire_send(int number, const void *bytes, size_t len)
{
    struct wire *wire = &wires[number];

    len = min_size(len, UP_BYTES - wire->up_len);
    if (wire->reset || wire->client_ended) return 0;
    memcpy(wire->up + wire->up_len, bytes, len);
    wire->up_len += len;
    wake_all();
    return len;
}

size_t wire_receive(int number, void *bytes, size_t cap, bool *ended)
{
    struct wire *wire = &wires[number];
    size_t       len = min_size(cap, wire->down_len);

    if (len > 1 && world_chance(3)) len = 1 + world_random((uint32_t)len);
    memcpy(bytes, wire->down, len);
    wire->down_len -= len;
    memmove(wire->down, wire->down + len, wire->down_len);
    *ended = wire->reset || (wire->server_ended && wire->down_len == 0);
    if (len != 0) wake_all();
    return len;
}

void wire_cut(int number, bool reset)
{
    struct wire *wire = &wires[number];

    wire->client_ended = wire->gone = true;
    wire->reset |= reset;
    if (reset) wire->up_len = wire->down_len = 0;
    if (wire->waits || wire->detached) wire->used = false;
    wake_all();
}

void network_clear(void)
{
    for (int i = 0; i < WIRES; i++) wires[i].used = false;
    memset(the_net, 0, sizeof(the_net));
    local_clear();
    net_number = 0;
}

/* ---- io/net.h ---- */

struct net_listener *net_listen(const struct net_address *place, struct net_fault *fault)
{
    struct net_listener *listener = malloc(sizeof(*listener));

    (void)fault;
    *listener = (struct net_listener){ .connections = place->connections, .refusal = place->refusal };
    return listener;
}

const struct net_tally *net_tally(const struct net_listener *listener) { return &listener->tally; }

uint16_t net_port(const struct net_listener *listener)
{
    (void)listener;
    return 8080;
}
void net_unlisten(struct net_listener *listener) { free(listener); }

static struct slot *slot_of(struct net_conn *conn) { return (struct slot *)(void *)conn; }

static void slot_close(struct slot *slot)
{
    slot->state = SLOT_CLOSING;
    slot->conn.closing = true;
    slot->net->idle = 0;
}

/* The loop's own step behind slot_close. */
static void slot_closed(struct net *net, struct slot *slot)
{
    struct wire *wire = &wires[slot->wire];

    wire->server_ended = true;
    wire->detached = true;
    wire->up_len = 0;
    if (wire->gone) wire->used = false;
    net->owner.closed(net->owner.self, &slot->conn);
    net->listener->count -= 1;
    net->open_count -= 1;
    slot->state = SLOT_FREE;
}

/* Moves the bytes that fit towards the client; how many. */
static size_t push_down(struct wire *wire, const char *bytes, size_t len)
{
    size_t room = wire->window > wire->down_len ? wire->window - wire->down_len : 0;

    len = min_size(len, room);
    if (len > 1 && world_chance(4)) len = 1 + world_random((uint32_t)len);
    memcpy(wire->down + wire->down_len, bytes, len);
    wire->down_len += len;
    world_note_bytes(bytes, len);
    return len;
}

static void slot_finished(struct slot *slot)
{
    if (!slot->linger || slot->conn.ended) {
        slot_close(slot);
        return;
    }
    wires[slot->wire].server_ended = true;
    slot->state = SLOT_LINGERING;
    slot->conn.deadline_ms = net_now_ms(slot->net) + LINGER_MS;
}

static void slot_send(struct slot *slot)
{
    struct out  *output = &slot->conn.output;
    struct wire *wire = &wires[slot->wire];

    if (slot->state == SLOT_CLOSING || slot->state == SLOT_LINGERING || slot->state == SLOT_FREE) return;
    if (wire->reset) {
        slot_close(slot);
        return;
    }
    slot->sent += push_down(wire, output->at + slot->sent, output->len - slot->sent);
    slot->sending = slot->sent != output->len;
    if (slot->sending) return;
    slot->sent = output->len = 0;
    if (slot->state == SLOT_FINISHING) slot_finished(slot);
}

static void slot_start(struct net *net, uint32_t number, int wire)
{
    struct slot     *slot = &net->slots[number];
    struct net_conn *conn = &slot->conn;

    slot->net = net;
    slot->wire = wire;
    slot->state = SLOT_OPEN;
    slot->sent = 0;
    slot->sending = slot->linger = false;
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
    memset(conn->address, 0, sizeof(conn->address));
    conn->address[10] = conn->address[11] = 0xff;
    conn->address[12] = 127;
    conn->address[15] = 1;
    (void)snprintf(conn->peer, sizeof(conn->peer), "127.0.0.1");
    net->open_count += 1;
    net->listener->count += 1;
    wires[wire].waits = false;
    net->owner.opened(net->owner.self, conn);
}

static bool accept_some(struct net *net)
{
    bool work = false;

    for (int i = 0; i < WIRES; i++) {
        uint32_t number = 0;
        if (!wires[i].used || !wires[i].waits || world_chance(3)) continue;
        while (number < net->settings.connections && net->slots[number].state != SLOT_FREE) number++;
        work = true;
        if (number < net->settings.connections && net->listener->count < net->listener->connections) {
            slot_start(net, number, i);
            continue;
        }
        struct slice text = net->listener->refusal();
        wires[i].waits = false;
        (void)push_down(&wires[i], text.at, text.len);
        wires[i].server_ended = wires[i].detached = true;
    }
    return work;
}

/* Moves some of the client's bytes. */
static bool read_some(struct net *net, struct slot *slot)
{
    struct wire *wire = &wires[slot->wire];
    size_t       room = slot->conn.input_cap - slot->conn.input_len, len = wire->up_len;

    if (wire->reset) {
        slot_close(slot);
        return true;
    }
    if (slot->state == SLOT_LINGERING) room = len;
    len = min_size(len, room);
    if (len > 1 && world_chance(2)) len = 1 + world_random((uint32_t)len);
    if (len == 0) {
        if (slot->conn.ended || !wire->client_ended || wire->up_len != 0) return false;
        slot->conn.ended = true;
        if (slot->state == SLOT_LINGERING) slot_close(slot);
        else if (slot->state == SLOT_OPEN) net->owner.received(net->owner.self, &slot->conn);
        return true;
    }
    if (slot->state == SLOT_OPEN) {
        memcpy(slot->conn.input + slot->conn.input_len, wire->up, len);
        slot->conn.input_len += (uint32_t)len;
    }
    wire->up_len -= len;
    memmove(wire->up, wire->up + len, wire->up_len);
    if (slot->state == SLOT_OPEN) net->owner.received(net->owner.self, &slot->conn);
    return true;
}

static bool write_some(struct net *net, struct slot *slot)
{
    size_t before = slot->sent;

    if (!slot->sending) return false;
    slot_send(slot);
    if (slot->state == SLOT_OPEN && !slot->sending) net->owner.drained(net->owner.self, &slot->conn);
    return slot->sent != before || !slot->sending || slot->state == SLOT_CLOSING;
}

static void sweep(struct net *net)
{
    if (net->open_count == 0 || world.mono_ns - net->swept_ns < SWEEP_NS) return;
    net->swept_ns = world.mono_ns;
    for (uint32_t i = 0; i < net->settings.connections; i++) {
        struct slot *slot = &net->slots[i];
        if (slot->state == SLOT_FREE || slot->state == SLOT_CLOSING || net->now_ms < slot->conn.deadline_ms) continue;
        slot->conn.deadline_ms = INT64_MAX;
        if (slot->state == SLOT_OPEN) net->owner.expired(net->owner.self, &slot->conn);
        else slot_close(slot);
    }
    net->owner.swept(net->owner.self);
}

static bool net_turn(struct net *net)
{
    bool work = false;

    net->now_ms = world.mono_ns / 1000000;
    net->idle = 1;
    sweep(net);
    if (net->bell) {
        net->bell = false;
        net->owner.woken(net->owner.self);
        work = true;
    }
    work |= accept_some(net);
    for (uint32_t i = 0; i < net->settings.connections; i++) {
        struct slot *slot = &net->slots[i];
        if (slot->state != SLOT_FREE && slot->state != SLOT_CLOSING) work |= write_some(net, slot);
        if (slot->state != SLOT_FREE && slot->state != SLOT_CLOSING) work |= read_some(net, slot);
        if (slot->state == SLOT_CLOSING) {
            slot_closed(net, slot);
            work = true;
        }
    }
    net->owner.turned(net->owner.self);
    return work;
}

void net_touch(struct net *net) { (void)net; } /* memory of the simulation is there when it is wanted */

void net_run(struct net *net)
{
    while (!net->stop) {
        int64_t until_ns = net->open_count != 0 ? world.mono_ns + SWEEP_NS : INT64_MAX, slept_ns;

        if (net->soon_ns != 0 && world.mono_ns >= net->soon_ns) net->soon_ns = 0;
        if (net_turn(net)) {
            fiber_yield();
        } else if (!net->stop) {
            slept_ns = world.mono_ns;
            fiber_wait(&net->idle, net->soon_ns != 0 ? min_i64(until_ns, net->soon_ns) : until_ns);
            net->idle_ns += world.mono_ns - slept_ns;
        }
    }
    for (uint32_t i = 0; i < net->settings.connections; i++)
        if (net->slots[i].state != SLOT_FREE) slot_closed(net, &net->slots[i]);
}

struct net *net_open(struct net_listener *listener, const struct net_settings *settings, const struct net_owner *owner)
{
    struct net *net = calloc(1, sizeof(*net));

    net->listener = listener;
    net->settings = *settings;
    net->owner = *owner;
    net->now_ms = world.mono_ns / 1000000;
    net->owned_stride = align_up(settings->owner_bytes, 64);
    net->slots = calloc(settings->connections, sizeof(struct slot));
    net->inputs = files_take_memory((size_t)settings->connections * settings->input_bytes);
    net->outputs = files_take_memory((size_t)settings->connections * settings->output_bytes);
    net->owned = files_take_memory(settings->connections * net->owned_stride);
    assert(net_number < 8);
    the_net[net_number++] = net;
    return net;
}

/* In the simulation no address has a bound of its own. */
bool net_count_for(struct net *net, struct net_conn *conn, const uint8_t address[16])
{
    (void)net, (void)conn, (void)address;
    return true;
}

void net_close(struct net *net)
{
    for (uint32_t i = 0; i < 8; i++)
        if (the_net[i] == net) the_net[i] = NULL;
}

void net_wake(struct net *net)
{
    net->bell = true;
    net->idle = 0;
}

void net_watch(struct net *net, int64_t ns)
{
    (void)net;
    (void)ns;
}

void net_turn_within(struct net *net, uint32_t ms)
{
    int64_t soon_ns = world.mono_ns + (int64_t)ms * 1000000;

    if (net->soon_ns == 0 || net->soon_ns > soon_ns) net->soon_ns = soon_ns;
}

void net_stop(struct net *net)
{
    net->stop = true;
    net->idle = 0;
}

int64_t  net_now_ms(const struct net *net) { return net->now_ms; }
int64_t  net_idle_ns(struct net *net) { return net->idle_ns; }
uint32_t net_count(const struct net *net) { return net->open_count; }
uint32_t net_slot_count(const struct net *net) { return net->settings.connections; }

struct net_conn *net_at(struct net *net, uint32_t slot)
{
    struct slot *at = slot < net->settings.connections ? &net->slots[slot] : NULL;

    return at != NULL && at->state == SLOT_OPEN ? &at->conn : NULL;
}

struct net_conn *net_find(struct net *net, uint32_t slot, uint32_t generation)
{
    struct net_conn *conn = net_at(net, slot);

    return conn != NULL && conn->generation == generation ? conn : NULL;
}

/* Nothing is far away here. */
void net_expect(const struct net *net, uint32_t slot)
{
    (void)net;
    (void)slot;
}

void net_consume(struct net *net, struct net_conn *conn, uint32_t bytes)
{
    assert(bytes <= conn->input_len);
    conn->input_len -= bytes;
    if (conn->input_len != 0 && bytes != 0) memmove(conn->input, conn->input + bytes, conn->input_len);
    net->idle = 0;
}

void net_flush(struct net *net, struct net_conn *conn)
{
    (void)net;
    if (!slot_of(conn)->sending) slot_send(slot_of(conn));
}

void net_send(struct net *net, struct net_conn *conn, const struct slice *parts, uint32_t count)
{
    (void)net;
    for (uint32_t i = 0; i < count; i++) out_bytes(&conn->output, parts[i].at, parts[i].len);
    if (!slot_of(conn)->sending) slot_send(slot_of(conn));
}

bool net_room(struct net_conn *conn, size_t bytes)
{
    struct slot *slot = slot_of(conn);
    struct out  *output = &conn->output;

    if (bytes <= output->cap - output->len) return true;
    if (slot->sending || slot->sent == 0) return false;
    output->len -= slot->sent;
    memmove(output->at, output->at + slot->sent, output->len);
    slot->sent = 0;
    return bytes <= output->cap - output->len;
}

size_t net_unsent(const struct net_conn *conn)
{
    return conn->output.len - ((const struct slot *)(const void *)conn)->sent;
}

void net_finish(struct net *net, struct net_conn *conn, bool linger)
{
    struct slot *slot = slot_of(conn);

    if (slot->state != SLOT_OPEN) return;
    slot->state = SLOT_FINISHING;
    slot->linger = linger;
    conn->closing = true;
    conn->input_len = 0;
    conn->deadline_ms = net_now_ms(net) + 10000;
    net->idle = 0;
    slot_send(slot);
}

void net_abort(struct net *net, struct net_conn *conn)
{
    (void)net;
    slot_close(slot_of(conn));
}

void net_reset(struct net *net, struct net_conn *conn) { net_abort(net, conn); }
