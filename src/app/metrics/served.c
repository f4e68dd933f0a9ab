/* SPDX-License-Identifier: MIT */
/* served.c — the rows of what is served: requests, refusals, stages, connections, streams. */
#include "app/metrics/scrape.h"
#include "model/enums.h"
#include "io/forward.h"
#include "app/refusal.h"

/* ---- requests ---- */

static uint64_t sum_requests(const struct scrape *scrape, uint32_t route, uint32_t reject)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++)
        sum += tally_of(&io_of(scrape, i)->requests[route][reject]);
    return sum;
}

static int32_t code_of(uint32_t reject) { return reject == REJECT_NONE ? 0 : reject_row((enum reject)reject)->code; }

static void put_requests(const struct scrape *scrape, const struct metric *row, const struct api_route *route,
                         int32_t code, uint64_t count)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");
    char          path[256];
    struct out    text = out_make(path, sizeof(path));

    out_text(&text, route->base);
    out_text(&text, route->path);
    sample_label(&sample, "method", slice_of(route->method));
    sample_label(&sample, "route", out_slice(&text));
    sample_label_number(&sample, "code", (uint64_t)code);
    sample_end(&sample, (int64_t)count);
}

/* Rejects share codes: each code once, with the sum of its rows.
   Code 0 is always there, others once they were given. */
static void scrape_route(const struct scrape *scrape, const struct metric *row, uint32_t number,
                         const struct api_route *route)
{
    uint64_t counts[REJECT_COUNT];

    for (uint32_t i = 0; i < REJECT_COUNT; i++) counts[i] = sum_requests(scrape, number, i);
    put_requests(scrape, row, route, 0, counts[REJECT_NONE]);
    for (uint32_t i = 1; i < REJECT_COUNT; i++) {
        uint64_t sum = counts[i];
        if (sum == 0) continue;
        for (uint32_t k = i + 1; k < REJECT_COUNT; k++) {
            if (code_of(k) != code_of(i)) continue;
            sum += counts[k];
            counts[k] = 0;
        }
        put_requests(scrape, row, route, code_of(i), sum);
    }
}

void scrape_requests(const struct scrape *scrape, const struct metric *row)
{
    const struct api_route none = { "other", "", "none" };

    for (uint32_t i = api_route_count(scrape->api); i-- > 0;) { /* as the rows stand */
        struct api_route route = api_route(scrape->api, i);
        scrape_route(scrape, row, i, &route);
    }
    scrape_route(scrape, row, API_ROUTES_MAX, &none);
}

void scrape_refusals(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = 1; i < REJECT_COUNT; i++) {
        struct sample sample = sample_begin(scrape->out, row->name, "");
        uint64_t      sum = 0;
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++) sum += tally_of(&io_of(scrape, k)->refusals[i]);
        sample_label(&sample, "rule", slice_of(reject_row((enum reject)i)->name));
        sample_label_number(&sample, "code", (uint64_t)code_of(i));
        sample_end(&sample, (int64_t)sum);
    }
}

void scrape_limits(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = LIMIT_NONE + 1; i < API_LIMITS; i++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++) sum += tally_of(&io_of(scrape, k)->limits[i]);
        put_one(scrape, row, "rule", api_limit_names[i], sum);
    }
}

void scrape_forwards(const struct scrape *scrape, const struct metric *row)
{
    static const char *const outcomes[] = {
        [FORWARD_ANSWERED] = "answered", [FORWARD_NOT_SENT] = "not_sent", [FORWARD_UNKNOWN] = "unknown"
    };

    for (uint32_t i = 0; i < ARRAY_COUNT(outcomes); i++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++) sum += tally_of(&io_of(scrape, k)->forwards[i]);
        put_one(scrape, row, "outcome", outcomes[i], sum);
    }
}

void scrape_stages(const struct scrape *scrape, const struct metric *row)
{
    /* clang-format off */
    static const struct { const char *name; size_t offset; } own[] = {
        { "parse", offsetof(struct io_counters, parse) }, { "verify", offsetof(struct io_counters, verify) },
        { "answer", offsetof(struct io_counters, answer) },
    };
    /* clang-format on */
    const struct pipeline_counters *pipeline = &server_of(scrape)->counters;
    /* clang-format off */
    const struct { const char *name; const struct histogram *histogram; } shared[] = {
        { "queue", &pipeline->queue }, { "durable", &pipeline->durable }, { "apply", &pipeline->apply },
    };
    /* clang-format on */

    for (uint32_t i = 0; i < ARRAY_COUNT(own); i++) {
        struct histogram_sum sum = { .sum_ns = 0 };
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++)
            histogram_sum_add(&sum,
                              (const struct histogram *)(const void *)((const char *)io_of(scrape, k) + own[i].offset));
        exposition_histogram(scrape->out, row->name, "stage", own[i].name, &sum);
    }
    for (uint32_t i = 0; i < ARRAY_COUNT(shared); i++) {
        struct histogram_sum sum = { .sum_ns = 0 };
        histogram_sum_add(&sum, shared[i].histogram);
        exposition_histogram(scrape->out, row->name, "stage", shared[i].name, &sum);
    }
}

/* ---- connections and streams ---- */

void scrape_connections(const struct scrape *scrape, const struct metric *row)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++)
        sum += gateway_connections(server_of(scrape)->gateways[i]);
    put(scrape, row, sum);
}

void scrape_connections_max(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, scrape->instance->options.connections);
}
void scrape_connections_refused(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, refusal_count());
}
void scrape_connections_dismissed(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, net_tally(scrape->instance->listener)->dismissed);
}
void scrape_connections_reset(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, net_tally(scrape->instance->listener)->reset);
}

static struct stream_counts streams_of(const struct scrape *scrape)
{
    struct stream_counts sum = { 0 };

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++) {
        struct stream_counts counts = gateway_streams(server_of(scrape)->gateways[i]);
        sum.connections += counts.connections;
        sum.subscriptions += counts.subscriptions;
        sum.messages += counts.messages;
        sum.conflations += counts.conflations;
    }
    return sum;
}

void scrape_stream_connections(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).connections);
}
void scrape_subscriptions(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).subscriptions);
}
void scrape_messages(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).messages);
}
void scrape_conflations(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).conflations);
}

static void put_handshakes(const struct scrape *scrape, const struct metric *row, uint8_t market, uint32_t reject)
{
    struct sample sample;
    uint64_t      sum = 0;

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++)
        sum += tally_of(&io_of(scrape, i)->handshakes[market - 1][reject]);
    if (sum == 0 && reject != REJECT_NONE) return;
    sample = sample_begin(scrape->out, row->name, "");
    sample_label(&sample, "market", slice_of(market == MARKET_SPOT ? "spot" : "perps"));
    sample_label(&sample, "result",
                 slice_of(reject == REJECT_NONE ? "accepted" : reject_row((enum reject)reject)->name));
    sample_end(&sample, (int64_t)sum);
}

void scrape_handshakes(const struct scrape *scrape, const struct metric *row)
{
    for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++)
        for (uint32_t i = 0; i < REJECT_COUNT; i++) put_handshakes(scrape, row, market, i);
}
