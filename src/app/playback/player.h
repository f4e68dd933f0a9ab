/* SPDX-License-Identifier: MIT */
/* player.h — a replay, from its files to its report. */
#ifndef APP_PLAYBACK_PLAYER_H
#define APP_PLAYBACK_PLAYER_H

#include "app/playback/inside.h"

/* Reads all that is played and finds its symbols; nothing is changed. Then plays it. An exit code, after the message.
 * `player` has the members up to `keep_index`, and is zero otherwise; player_close follows in any case. */
int  player_run(struct player *player) MUST_USE;
void player_close(struct player *player);

#endif
