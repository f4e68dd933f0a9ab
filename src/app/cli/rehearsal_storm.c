/* SPDX-License-Identifier: MIT */
/* rehearsal_storm.c — clients of a stream that lose their connections at once and come back. */
#include "app/cli/members.h"
#include "app/cli/rehearsal.h"
#include "app/playback/listener.h"
#include "io/clock.h"

#include <stdio.h>
#include <stdlib.h>

#define CLIENTS_MAX 200
#define SNAPSHOT_NS (10 * INT64_C(1000000000))

static bool fail(struct rehearsal *rehearsal, const char *what, const char *why)
{
    (void)snprintf(rehearsal->why, sizeof(rehearsal->why), "%s%.200s", what, why);
    return false;
}

static bool subscribe(struct rehearsal *rehearsal, struct listener *client, const char *symbol, const char *path)
{
    char text[160];

    if (!listener_open(client, rehearsal->venue.url, path)) return fail(rehearsal, "storm: ", client->why);
    (void)snprintf(text, sizeof(text),
                   "{\"op\":\"subscribe\",\"params\":{\"channel\":\"l2Book\",\"symbol\":\"%.40s\"}}", symbol);
    return listener_send(client, slice_of(text)) || fail(rehearsal, "storm: a client lost its connection", "");
}

/* Waits for the book's snapshot. */
static bool await_snapshot(struct rehearsal *rehearsal, struct listener *client)
{
    int64_t      end_ns = clock_mono_ns() + SNAPSHOT_NS;
    struct slice text;

    while (clock_mono_ns() < end_ns) {
        if (!listener_receive(client)) return fail(rehearsal, "storm: ", client->why);
        while (listener_next(client, &text))
            if (memmem(text.at, text.len, "\"snapshot\"", 10) != NULL) return true;
        dial_wait(1, &client->dial, (const bool[]){ false }, 100);
    }
    return fail(rehearsal, "storm: a client that came back got no snapshot within 10 s", "");
}

static bool come(struct rehearsal *rehearsal, struct listener *clients, uint32_t count, const char *symbol,
                 const char *path)
{
    for (uint32_t i = 0; i < count; i++)
        if (!subscribe(rehearsal, &clients[i], symbol, path)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!await_snapshot(rehearsal, &clients[i])) return false;
    return true;
}

static void go(struct listener *clients, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (clients[i].dial != NULL) listener_close(&clients[i]);
}

bool rehearsal_storm(struct rehearsal *rehearsal, const json_t *keys, bool is_perps)
{
    long long        count = number_at(keys, "clients"), times = max_i64(1, number_at(keys, "times"));
    const char      *path = is_perps ? "/ws/perps" : "/ws/spot";
    struct listener *clients;
    bool             ok = true;

    if (count < 1 || count > CLIENTS_MAX) return fail(rehearsal, "clients: 1 to 200", "");
    clients = calloc((size_t)count, sizeof(*clients));
    if (clients == NULL) return fail(rehearsal, "not enough memory", "");
    for (long long round = 0; round <= times && ok; round++) {
        ok = come(rehearsal, clients, (uint32_t)count, text_at(keys, "symbol"), path);
        go(clients, (uint32_t)count);
    }
    free(clients);
    return ok;
}
