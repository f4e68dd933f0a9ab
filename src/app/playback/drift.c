/* SPDX-License-Identifier: MIT */
/* drift.c — the real books beside the recorded ones, and the report. */
#include "app/playback/inside.h"

#include "base/fixed.h"
#include "diagnostics/program_log.h"

#include <stdio.h>

#define LEVELS (PLAYBACK_SHOWN * 5)

/* Parts in ten thousand. */
static int64_t parts(int128_t part, int128_t whole) { return whole == 0 ? 0 : (int64_t)div_floor(part * 10000, whole); }

static bool measure(struct player *player, uint32_t symbol)
{
    static struct playback_level_view real[2][LEVELS];
    const struct played              *played = player->played[symbol];
    struct drift_sum                 *sum = &player->drift[symbol];
    uint32_t                          counts[2];

    if (!played_read_book(player->venue, played, LEVELS, real, counts))
        return player_fail(player, "%s", player->venue->why);
    sum->samples++;
    for (uint32_t i = 0; i < 2; i++) {
        struct playback_drift drift =
            playback_book_drift(played->book, i == 0 ? SIDE_BUY : SIDE_SELL, counts[i], real[i]);

        sum->last[i] = drift;
        sum->recorded += drift.recorded;
        sum->missing += drift.missing;
        sum->surplus += drift.surplus;
        sum->best_most = max_i64(sum->best_most, drift.best / played->market.tick);
    }
    return true;
}

static void tell_symbol(const struct player *player, uint32_t symbol)
{
    const struct drift_sum       *sum = &player->drift[symbol];
    const struct playback_drift  *bid = &sum->last[0], *ask = &sum->last[1];
    const struct playback_counts *counts = playback_book_counts(player->played[symbol]->book);
    int64_t recorded = bid->recorded + ask->recorded, missing = parts(bid->missing + ask->missing, recorded),
            surplus = parts(bid->surplus + ask->surplus, recorded);

    log_line(LOG_INFO, "%.31s at %ld.%03ld: %lu changes, %lu trades; drift: missing %ld.%02ld %%, surplus %ld.%02ld %%",
             player->played[symbol]->market.name.at, (long)(player->now_us / 1000000),
             (long)(player->now_us / 1000 % 1000), (unsigned long)counts->levels, (unsigned long)counts->trades,
             (long)(missing / 100), (long)(missing % 100), (long)(surplus / 100), (long)(surplus % 100));
}

bool player_measure(struct player *player)
{
    for (uint32_t i = 0; i < player->sources->symbol_count; i++) {
        if (player->played[i] == NULL) continue;
        if (!measure(player, i)) return false;
        tell_symbol(player, i);
    }
    return true;
}

/* ---- the report ---- */

static void put_quantity(const struct played *played, const char *key, int64_t units)
{
    char       text[48];
    struct out out = out_make(text, sizeof(text) - 1);

    decimal_write(&out, decimal_make(units, played->market.quantity_precision));
    (void)printf(",\"%s\":\"%.*s\"", key, (int)out.len, text);
}

static void put_hundredths(const char *key, int64_t hundredths)
{
    (void)printf(",\"%s\":%ld.%02ld", key, (long)(hundredths / 100), (long)(hundredths % 100));
}

static void report_symbol(const struct player *player, uint32_t symbol, bool first)
{
    const struct played          *played = player->played[symbol];
    const struct drift_sum       *sum = &player->drift[symbol];
    const struct playback_counts *counts = playback_book_counts(played->book);

    (void)printf("%s{\"symbol\":\"%.31s\",\"changes\":%lu,\"trades\":%lu,\"places\":%lu,\"cancels\":%lu,"
                 "\"reductions\":%lu,\"takers\":%lu,\"refused\":%lu,\"unknownSide\":%lu,\"noAccount\":%lu",
                 first ? "" : ",", played->market.name.at, (unsigned long)counts->levels, (unsigned long)counts->trades,
                 (unsigned long)counts->places, (unsigned long)counts->cancels, (unsigned long)counts->reduces,
                 (unsigned long)counts->takes, (unsigned long)counts->refused, (unsigned long)counts->unknown_side,
                 (unsigned long)counts->no_account);
    put_quantity(played, "wanted", counts->wanted);
    put_quantity(played, "filled", counts->filled);
    put_quantity(played, "userTook", counts->user_took);
    put_quantity(played, "userGave", counts->user_given);
    put_quantity(played, "implied", counts->implied);
    put_quantity(played, "passed", counts->passed);
    put_quantity(played, "leftOver", counts->left_over);
    put_quantity(played, "tooSmall", counts->too_small);
    (void)printf(",\"drift\":{\"samples\":%lu,\"bestTicks\":%ld", (unsigned long)sum->samples, (long)sum->best_most);
    put_hundredths("missingPercent", parts(sum->missing, sum->recorded));
    put_hundredths("surplusPercent", parts(sum->surplus, sum->recorded));
    put_quantity(played, "missingAtEnd", sum->last[0].missing + sum->last[1].missing);
    put_quantity(played, "surplusAtEnd", sum->last[0].surplus + sum->last[1].surplus);
    (void)printf("}}");
}

void player_report(const struct player *player)
{
    int64_t wall_us = max_i64((player->ended_ns - player->began_ns) / 1000, 1),
            played_us = max_i64(player->now_us - player->start_us, 0);
    bool first = true;

    (void)printf("{\"events\":%lu,\"seconds\":%ld.%03ld,\"recordedSeconds\":%ld.%03ld", (unsigned long)player->events,
                 (long)(wall_us / 1000000), (long)(wall_us / 1000 % 1000), (long)(played_us / 1000000),
                 (long)(played_us / 1000 % 1000));
    put_hundredths("speed", played_us * 100 / wall_us);
    (void)printf(",\"requests\":%lu,\"gaps\":%lu,\"connectionsLost\":%lu,\"symbols\":[",
                 (unsigned long)player->trader.requests, (unsigned long)player->sources->gaps,
                 (unsigned long)player->sources->after_last);
    for (uint32_t i = 0; i < player->sources->symbol_count; i++) {
        if (player->played[i] == NULL) continue;
        report_symbol(player, i, first);
        first = false;
    }
    (void)printf("],\"refusals\":[");
    for (size_t i = 0; i < REASONS_MAX && player->reasons[i].count != 0; i++)
        (void)printf("%s{\"code\":%ld,\"count\":%lu,\"error\":\"%s\"}", i == 0 ? "" : ",", player->reasons[i].code,
                     (unsigned long)player->reasons[i].count, player->reasons[i].text);
    (void)printf("]}\n");
}
