/* SPDX-License-Identifier: MIT */
/* pump.c — the connections of a replay. */
#include "app/playback/inside.h"

#include <stdarg.h>
#include <stdio.h>

bool player_fail(struct player *player, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (player->why[0] == '\0') (void)vsnprintf(player->why, sizeof(player->why), format, arguments);
    va_end(arguments);
    return false;
}

bool player_pump(struct player *player, int64_t wait_ms)
{
    struct dial *dials[3] = { player->trader.dial };
    bool         writing[3] = { trader_is_writing(&player->trader) };
    uint32_t     count = 1;

    for (size_t i = 0; i < 2; i++)
        if (player->listeners[i].dial != NULL && player->trader.count == 0) dials[count++] = player->listeners[i].dial;
    if (wait_ms != 0) dial_wait(count, dials, writing, wait_ms);
    return trader_pump(&player->trader) || player_fail(player, "%s", player->trader.why);
}
