/* SPDX-License-Identifier: MIT */
/*
 * record.c — dojima record: writes what an exchange of this interface publishes, its symbols by REST and its books,
 * trades and marks by streams, until a signal or for a time.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/cli/venue.h"
#include "app/playback/listener.h"
#include "app/playback/recording.h"
#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FOR_EVER    UINT64_MAX /* seconds */
#define LOOK_MS     100
#define AGAIN_MS    2000
#define SYMBOLS_MAX 200

struct base_recorded {
    const char     *name, *streams, *symbols_path;
    json_t         *symbols; /* the records that are recorded */
    struct listener listener;
    int64_t         again_ns; /* not connected: when to try */
};

struct recorder {
    const char          *out, *only;
    uint64_t             seconds;
    struct venue         venue;
    struct base_recorded bases[2];
    struct recording     recording;
    uint64_t             pushes;
    int                  error; /* of the file */
};

/* Is this one of the names in the list, "A,B"? */
static bool is_named(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0')) return true;
    return false;
}

/* The symbols of a base, checked: an exchange of this interface has names, ticks and steps. */
static bool read_symbols(struct recorder *recorder, struct base_recorded *base)
{
    json_t *rows = venue_read(&recorder->venue, base->symbols_path), *row;
    size_t  i;

    if (rows == NULL) return false;
    base->symbols = json_array();
    json_array_foreach(rows, i, row) {
        const char *name = text_at(row, "name");

        if (*name == '\0' || *text_at(row, "tickSize") == '\0' || *text_at(row, "stepSize") == '\0') {
            json_decref(rows);
            (void)snprintf(recorder->venue.why, sizeof(recorder->venue.why),
                           "%.100s%s does not list symbols with name, tickSize and stepSize", recorder->venue.url,
                           base->symbols_path);
            return false;
        }
        if ((recorder->only == NULL || is_named(recorder->only, name)) && i < SYMBOLS_MAX)
            (void)json_array_append(base->symbols, row);
    }
    json_decref(rows);
    return base->symbols != NULL;
}

/* ---- the file ---- */

static void keep(struct recorder *recorder, const char *base, const char *key, struct slice value)
{
    int error = recorder->error == 0 ? recording_add(&recorder->recording, clock_wall_ms(), base, key, value) : 0;

    if (error != 0) recorder->error = error;
}

static void keep_json(struct recorder *recorder, const char *base, const char *key, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    if (text == NULL) recorder->error = ENOMEM;
    else keep(recorder, base, key, slice_of(text));
    free(text);
}

static void keep_reads(struct recorder *recorder, struct base_recorded *base)
{
    json_t *row, *data;
    size_t  i;

    keep_json(recorder, base->name, "symbols", base->symbols);
    json_array_foreach(base->symbols, i, row) {
        char path[256];

        (void)snprintf(path, sizeof(path), "/api/v1/%s/markets/%.31s/orderbook?limit=1000", base->name,
                       text_at(row, "name"));
        data = venue_read(&recorder->venue, path);
        if (data == NULL) continue;
        (void)json_object_set_new(data, "symbol", json_string(text_at(row, "name")));
        keep_json(recorder, base->name, "orderbook", data);
        json_decref(data);
    }
}

/* ---- streams ---- */

static bool subscribe(struct base_recorded *base, const json_t *params)
{
    json_t *request = json_pack("{s:s,s:O}", "op", "subscribe", "params", (json_t *)params);
    char   *text = request != NULL ? json_dumps(request, JSON_COMPACT) : NULL;
    bool    ok = text != NULL && listener_send(&base->listener, slice_of(text));

    free(text);
    json_decref(request);
    return ok;
}

/* A request is at most 4096 bytes long, so each symbol has its own. */
static bool subscribe_symbol(struct base_recorded *base, const char *name, bool has_marks)
{
    static const char *const lists[] = { "trade", "markPrice" };
    json_t                  *params = json_pack("{s:s,s:s,s:i}", "channel", "l4Book", "symbol", name, "level", 1000);
    bool                     ok = subscribe(base, params);

    json_decref(params);
    for (size_t i = 0; ok && i < (has_marks ? 2 : 1); i++) {
        params = json_pack("{s:s,s:[s]}", "channel", lists[i], "symbols", name);
        ok = subscribe(base, params);
        json_decref(params);
    }
    return ok;
}

static bool begin_streams(struct recorder *recorder, struct base_recorded *base)
{
    json_t *row;
    size_t  i;

    if (!listener_open(&base->listener, recorder->venue.url, base->streams)) return false;
    json_array_foreach(base->symbols, i, row) {
        if (subscribe_symbol(base, text_at(row, "name"), strcmp(base->name, "perps") == 0)) continue;
        listener_close(&base->listener);
        (void)snprintf(base->listener.why, sizeof(base->listener.why), "subscriptions are not taken");
        return false;
    }
    return true;
}

/* A message of the streams; acknowledgements that refuse are told. */
static void take_message(struct recorder *recorder, struct base_recorded *base, struct slice text)
{
    json_t *message = json_loadb(text.at, text.len, 0, NULL);

    if (json_object_get(message, "channel") != NULL) {
        recorder->pushes++;
        if (memchr(text.at, '\n', text.len) == NULL) keep(recorder, base->name, "push", text);
        else keep_json(recorder, base->name, "push", message);
    } else if (json_is_false(json_object_get(message, "success")) || strcmp(text_at(message, "op"), "error") == 0) {
        log_line(LOG_WARN, "%s: a subscription is refused: %.200s", base->name, text_at(message, "error"));
    }
    json_decref(message);
}

static void lose_streams(struct recorder *recorder, struct base_recorded *base)
{
    log_line(LOG_WARN, "%s: %s; again in %d s", base->name, base->listener.why, AGAIN_MS / 1000);
    keep(recorder, base->name, "lost", SLICE("true"));
    listener_close(&base->listener);
    base->again_ns = clock_mono_ns() + AGAIN_MS * INT64_C(1000000);
}

static void listen_to(struct recorder *recorder, struct base_recorded *base)
{
    struct slice text;

    if (json_array_size(base->symbols) == 0) return;
    if (base->listener.dial == NULL) {
        if (clock_mono_ns() < base->again_ns) return;
        if (!begin_streams(recorder, base)) {
            lose_streams(recorder, base);
            return;
        }
    }
    if (!listener_receive(&base->listener)) {
        lose_streams(recorder, base);
        return;
    }
    while (listener_next(&base->listener, &text)) take_message(recorder, base, text);
}

/* ---- its life ---- */

static void wait_for_streams(const struct recorder *recorder)
{
    struct dial *dials[2];
    uint32_t     count = 0;

    for (size_t i = 0; i < 2; i++)
        if (recorder->bases[i].listener.dial != NULL) dials[count++] = recorder->bases[i].listener.dial;
    if (count != 0) dial_wait(count, dials, (const bool[]){ false, false }, LOOK_MS);
    else (void)signals_wait(LOOK_MS);
}

static int listen_until_end(struct recorder *recorder)
{
    int64_t end_ns =
        recorder->seconds == FOR_EVER ? INT64_MAX : clock_mono_ns() + (int64_t)recorder->seconds * INT64_C(1000000000);
    int error;

    while (recorder->error == 0 && clock_mono_ns() < end_ns && signals_wait(0) == 0) {
        for (size_t i = 0; i < 2; i++) listen_to(recorder, &recorder->bases[i]);
        wait_for_streams(recorder);
    }
    error = recording_finish(&recorder->recording, clock_wall_ms());
    if (recorder->error == 0) recorder->error = error;
    if (recorder->error != 0) return complain(EXIT_DISK, "record: %s: %s", recorder->out, strerror(recorder->error));
    (void)printf("%s: %lu messages of %zu symbols\n", recorder->out, (unsigned long)recorder->pushes,
                 json_array_size(recorder->bases[0].symbols) + json_array_size(recorder->bases[1].symbols));
    return EXIT_FINE;
}

static int run(struct recorder *recorder)
{
    int error;

    for (size_t i = 0; i < 2; i++)
        if (!read_symbols(recorder, &recorder->bases[i]))
            return complain(EXIT_GENERAL, "record: %s", recorder->venue.why);
    if (json_array_size(recorder->bases[0].symbols) + json_array_size(recorder->bases[1].symbols) == 0)
        return complain(EXIT_USAGE, "record: the exchange has none of the symbols %s",
                        recorder->only != NULL ? recorder->only : "");
    for (size_t i = 0; i < 2; i++)
        if (json_array_size(recorder->bases[i].symbols) != 0 && !begin_streams(recorder, &recorder->bases[i]))
            return complain(EXIT_GENERAL, "record: %s", recorder->bases[i].listener.why);
    error = recording_create(&recorder->recording, recorder->out, recorder->venue.url, clock_wall_ms());
    if (error != 0) return complain(EXIT_DISK, "record: %s: %s", recorder->out, strerror(error));
    for (size_t i = 0; i < 2; i++) keep_reads(recorder, &recorder->bases[i]);
    log_line(LOG_INFO, "recording %s into %s; Ctrl-C ends it", recorder->venue.url, recorder->out);
    return listen_until_end(recorder);
}

int command_record(int argc, char **argv)
{
    struct recorder recorder = {
        .seconds = FOR_EVER,
        .bases = { { .name = "spot", .streams = "/ws/spot", .symbols_path = "/api/v1/spot/markets/symbols" },
                   { .name = "perps", .streams = "/ws/perps", .symbols_path = "/api/v1/perps/markets/symbols" } }
    };
    /* clang-format off */
    const struct argument rows[] = {
        { "out", ARGUMENT_TEXT, 0, &recorder.out, "FILE", "The recording, a new file." },
        { "symbols", ARGUMENT_TEXT, 0, &recorder.only, "A,B", "Only these symbols; all when not given." },
        { "seconds", ARGUMENT_U64, 86400 * 366, &recorder.seconds, "N",
          "How long, from 1; until Ctrl-C when not given." },
    };
    /* clang-format on */
    const struct arguments arguments = {
        "record",
        "URL",
        "Writes what an exchange publishes into a file for dojima replay: its symbols, and the streams of its books, "
        "trades and mark prices. URL is http://HOST:PORT or https://HOST.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    log_init(false);
    if (operand + 1 != argc) return complain(EXIT_USAGE, "record: name the address of one exchange");
    if (recorder.seconds == 0) return complain(EXIT_USAGE, "record: --seconds 0: at least 1; without it until Ctrl-C");
    if (recorder.out == NULL) return complain(EXIT_USAGE, "record: --out FILE is needed");
    code = venue_open(&recorder.venue, argv[operand]) ? run(&recorder)
                                                      : complain(EXIT_USAGE, "record: %s", recorder.venue.why);
    for (size_t i = 0; i < 2; i++) {
        listener_close(&recorder.bases[i].listener);
        json_decref(recorder.bases[i].symbols);
    }
    venue_close(&recorder.venue);
    return code;
}
