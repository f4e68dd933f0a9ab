/* SPDX-License-Identifier: MIT */
/*
 * watch.c — dojima watch: a live table of all symbols, or the book and trades of one, until q or a signal. What is
 * shown comes from the streams; a lost connection is said, and made again.
 */
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/watch_screen.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/signals.h"
#include "io/terminal.h"

#include <stdio.h>
#include <stdlib.h>

#define WAIT_MS  50
#define AGAIN_NS (2 * INT64_C(1000000000))
#define FRAME_NS (100 * INT64_C(1000000)) /* between two drawings */

/* ---- streams ---- */

static bool subscribe(struct listener *listener, const char *format, const char *symbol)
{
    char text[256];
    int  len = snprintf(text, sizeof(text), format, symbol);

    assert(len > 0 && len < (int)sizeof(text));
    return listener_send(listener, slice_make(text, (size_t)len));
}

#define SUBSCRIBE(PARAMS) "{\"op\":\"subscribe\",\"params\":{" PARAMS "}}"

static bool subscribe_all(struct watch *watch, struct watch_side *side)
{
    bool is_perps = strcmp(side->name, "perps") == 0;

    if (watch->symbol.name[0] != '\0')
        return subscribe(&side->listener,
                         SUBSCRIBE("\"channel\":\"l2Book\",\"pushInterval\":\"500ms\",\"symbol\":\"%s\""),
                         watch->symbol.name)
            && subscribe(&side->listener, SUBSCRIBE("\"channel\":\"trade\",\"symbols\":[\"%s\"]"), watch->symbol.name);
    return subscribe(&side->listener, SUBSCRIBE("\"channel\":\"%s\""), "allTicker")
        && (!is_perps || subscribe(&side->listener, SUBSCRIBE("\"channel\":\"%s\""), "allMarkPrice"));
}

static void lose(struct watch *watch, struct watch_side *side)
{
    (void)snprintf(watch->status, sizeof(watch->status), "%s: %.150s; connecting again", side->name,
                   side->listener.why);
    plain_clean(watch->status);
    listener_close(&side->listener);
    side->again_ns = clock_mono_ns() + AGAIN_NS;
    watch->changed = true;
}

static void take_message(struct watch *watch, struct watch_side *side, struct slice text)
{
    json_t *message = json_loadb(text.at, text.len, 0, NULL);

    if (json_object_get(message, "channel") != NULL) {
        watch->status[0] = '\0';
        watch->changed = true;
        if (watch->client->json) (void)plain_json(stdout, message);
        else watch_take(watch, side, message);
    }
    json_decref(message);
}

static void listen_to(struct watch *watch, struct watch_side *side)
{
    struct slice text;

    if (!side->wanted || (side->listener.dial == NULL && clock_mono_ns() < side->again_ns)) return;
    if (side->listener.dial == NULL
        && (!listener_open(&side->listener, watch->client->origin, side->path) || !subscribe_all(watch, side))) {
        lose(watch, side);
        return;
    }
    if (!listener_receive(&side->listener)) {
        lose(watch, side);
        return;
    }
    while (listener_next(&side->listener, &text)) take_message(watch, side, text);
}

/* Waits until a side has something. *stop: a signal has come. */
static void wait(struct watch *watch, bool *stop)
{
    struct dial *dials[2];
    bool         writing[2] = { false, false };
    uint32_t     count = 0;

    for (size_t i = 0; i < 2; i++)
        if (watch->sides[i].listener.dial != NULL) dials[count++] = watch->sides[i].listener.dial;
    if (count != 0) dial_wait(count, dials, writing, WAIT_MS);
    *stop = signals_wait(count != 0 ? 0 : WAIT_MS) != 0;
}

/* ---- its life ---- */

static bool draw_when_due(struct watch *watch)
{
    uint32_t columns, rows;

    terminal_size(&columns, &rows);
    if (columns != watch->columns || rows != watch->rows) watch->changed = true;
    watch->columns = columns;
    watch->rows = rows;
    if (!watch->changed || clock_mono_ns() < watch->drawn_ns + FRAME_NS) return true;
    watch->changed = false;
    watch->drawn_ns = clock_mono_ns();
    return watch_draw(watch);
}

static void show(struct watch *watch)
{
    bool stop = false;

    while (!stop) {
        int key = watch->client->json ? 0 : terminal_key();

        if (key == 'q' || key == 'Q' || key == 3 || key < 0) return;
        for (size_t i = 0; i < 2; i++) listen_to(watch, &watch->sides[i]);
        if (watch->client->json ? fflush(stdout) != 0 : !draw_when_due(watch)) return;
        wait(watch, &stop);
    }
}

/* The first figures come by a read, so that a mistake is said in the usual way. */
static int begin(struct watch *watch)
{
    struct client *client = watch->client;
    int            code = EXIT_FINE;

    if (!client->json && (!files_is_terminal(0) || !files_is_terminal(1)))
        return complain(EXIT_USAGE, "watch: this is no terminal; --json prints the messages of the streams");
    if (client->count == 1) code = symbol_find(client, client->words[0], &watch->symbol);
    if (code != EXIT_FINE) return code;
    for (size_t i = 0; i < 2; i++)
        watch->sides[i].wanted = client->count == 0 || watch->symbol.market == (i == 0 ? MARKET_SPOT : MARKET_PERPS);
    watch->tickers = client_read_both(client, "/markets/tickers");
    if (watch->tickers == NULL) return EXIT_GENERAL;
    if (client->json || terminal_begin_screen()) return EXIT_FINE;
    return complain(EXIT_GENERAL, "watch: the terminal cannot be used");
}

static int run_watch(struct client *client)
{
    struct watch watch = { .client = client,
                           .trades = json_array(),
                           .changed = true,
                           .sides = { { .name = "spot", .path = "/ws/spot" },
                                      { .name = "perps", .path = "/ws/perps" } } };
    int          code = begin(&watch);

    if (code == EXIT_FINE) show(&watch);
    terminal_end_screen();
    for (size_t i = 0; i < 2; i++)
        if (watch.sides[i].listener.dial != NULL) listener_close(&watch.sides[i].listener);
    json_decref(watch.tickers);
    json_decref(watch.trades);
    json_decref(watch.book);
    return code;
}

int command_watch(int argc, char **argv)
{
    struct client          client = { .command = "watch" };
    const struct argument  rows[] = { ROW_CLIENT(client) };
    const struct arguments arguments = { "watch",
                                         "[SYMBOL]",
                                         "A live table of prices, or of the book and trades of a symbol; q ends it. "
                                         "With --json the messages of the streams, one a line.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };

    return client_run(&client, &arguments, argc, argv, 0, 1, run_watch);
}
