/* SPDX-License-Identifier: MIT */
/* replay.c — dojima replay: plays a recorded market into the books of a development exchange. */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/playback/player.h"
#include "diagnostics/program_log.h"

#include <stdlib.h>

/* "+90" seconds behind the beginning, or seconds of the recording's own time, with at most 6 decimals. */
static bool read_from(const char *text, struct player *player)
{
    struct decimal seconds;

    player->from_start = text == NULL || text[0] == '+';
    if (text == NULL) return true;
    return decimal_read(slice_of(text + (player->from_start ? 1 : 0)), &seconds) == DECIMAL_OK
        && decimal_to_units(seconds, 6, INT64_MAX / 4, &player->from_us) && player->from_us >= 0;
}

/* "A=B,C": names that are there, each recorded one once. */
static bool check_maps(const char *maps)
{
    for (const char *at = maps; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        struct slice item = slice_make(at, strcspn(at, ","));
        size_t       len = strcspn(at, "=,");

        if (len == 0 || (len < item.len && strcspn(at + len + 1, "=,") != item.len - len - 1) || len + 1 == item.len)
            return false;
        for (const char *other = maps; other < at; other = strchr(other, ',') + 1)
            if (slice_equal(slice_make(other, strcspn(other, "=,")), slice_make(at, len))) return false;
    }
    return true;
}

static int run(struct player *player, const char *url, int count, char **paths)
{
    struct sources *sources = player->sources;
    int             code;

    if (!venue_open(player->venue, venue_url(url))) return complain(EXIT_USAGE, "replay: %s", player->venue->why);
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    if (!sources_open(sources, count, paths)) return complain(EXIT_GENERAL, "replay: %s", sources->why);
    code = player_run(player);
    player_close(player);
    return code;
}

int command_replay(int argc, char **argv)
{
    struct venue    venue = { 0 };
    struct sources *sources = calloc(1, sizeof(*sources));
    struct player  *player = calloc(1, sizeof(*player));
    const char     *url = NULL, *from = NULL;
    int             operand, code;

    if (sources == NULL || player == NULL) return complain(EXIT_GENERAL, "not enough memory");
    player->venue = &venue;
    player->sources = sources;
    player->speed = 1;
    /* clang-format off */
    const struct argument rows[] = {
        { "to", ARGUMENT_TEXT, 0, &url, "URL",
          "The development exchange; else DOJIMA_URL, else " VENUE_URL ". Start it with --no-limits and without "
          "traders of its own." },
        { "speed", ARGUMENT_U64, 1000000, &player->speed, "N",
          "So many times as fast as recorded; 1 when not given, 0: as fast as possible." },
        { "from", ARGUMENT_TEXT, 0, &from, "T",
          "Where to begin: +SECONDS behind the first event, or the second of the recording's own time." },
        { "map", ARGUMENT_TEXT, 0, &player->maps, "A=B,C=D",
          "Plays the recorded symbol A as B, C as D and no other; a name alone is played as itself. All, by their own "
          "names, when not given." },
        { "keep-index", ARGUMENT_FLAG, 0, &player->keep_index, "",
          "Leaves the index prices of perps alone once it has begun." },
        { "round", ARGUMENT_FLAG, 0, &player->round, "",
          "Rounds prices to the tick, away from the middle, and quantities down to the step; refused when not given." },
        { "cut", ARGUMENT_FLAG, 0, &sources->may_be_cut, "",
          "Plays a recording whose end is missing up to its last whole line." },
    };
    /* clang-format on */
    const struct arguments arguments = {
        "replay",
        "FILE…",
        "Plays a recorded market into a development exchange, by orders of accounts of its own: a file of dojima "
        "record, or incremental_book_L2 and trades of Tardis, or the message and order book files of LOBSTER. Your "
        "orders trade in it. Prints what was played and how far the books are from the recorded ones, as JSON.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) goto done;
    log_init(false);
    if (!read_from(from, player))
        code = complain(EXIT_USAGE, "replay: --from is +SECONDS or a second, not %.40s", from);
    else if (!check_maps(player->maps))
        code = complain(EXIT_USAGE, "replay: --map is RECORDED=PLAYED,…, each recorded symbol once, not %.80s",
                        player->maps);
    else if (operand == argc) code = complain(EXIT_USAGE, "replay: name the recorded file");
    else code = run(player, url, argc - operand, argv + operand);
done:
    sources_close(sources);
    venue_close(&venue);
    free(sources);
    free(player);
    return code;
}
