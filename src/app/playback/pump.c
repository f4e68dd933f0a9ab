/* SPDX-License-Identifier: MIT */
/* pump.c — the connections of a replay. */
#include "app/playback/inside.h"

#include "io/clock.h"

#include <stdarg.h>
#include <stdio.h>

#define SILENT_NS (30 * INT64_C(1000000000)) /* of an exchange that owes answers */

bool player_fail(struct player *player, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (player->why[0] == '\0') (void)vsnprintf(player->why, sizeof(player->why), format, arguments);
    va_end(arguments);
    return false;
}

/* Whether the exchange answers, as long as it has something to answer. */
static bool is_answered(struct player *player)
{
    uint64_t answers = player->trader.requests - player->trader.count;

    if (answers != player->answers || player->trader.count == 0 || player->answered_ns == 0)
        player->answered_ns = clock_mono_ns();
    player->answers = answers;
    return clock_mono_ns() - player->answered_ns < SILENT_NS;
}

bool player_pump(struct player *player, int64_t wait_ms)
{
    struct dial *dials[3] = { player->trader.dial };
    bool         writing[3] = { trader_is_writing(&player->trader) };
    uint32_t     count = 1;

    for (size_t i = 0; i < 2; i++)
        if (player->listeners[i].dial != NULL && player->trader.count == 0) dials[count++] = player->listeners[i].dial;
    if (wait_ms != 0) dial_wait(count, dials, writing, wait_ms);
    if (!trader_pump(&player->trader)) return player_fail(player, "%s", player->trader.why);
    if (player->shared != NULL) /* nonces rise, where nobody else signs with the accounts */
        return player_fail(player, "%.31s: a nonce of the replay's accounts was refused: another replay plays it now",
                           player->shared->market.name.at);
    return is_answered(player) || player_fail(player, "the exchange does not answer");
}
