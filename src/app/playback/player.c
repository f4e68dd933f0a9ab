/* SPDX-License-Identifier: MIT */
#include "app/playback/player.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/signals.h"

#include <stdio.h>
#include <stdlib.h>

#define WAIT_MS     20
#define TELL_NS     INT64_C(1000000000)
#define OPS_AT_ONCE 100
#define LAST_MS     300 /* for the trades of the last orders */

/* ---- playing ---- */

static bool play_event(struct player *player, const struct playback_event *event)
{
    struct played *played = player->played[event->symbol];

    if (played == NULL) return true;
    if (event->kind == PLAYBACK_INDEX) {
        played->index = event->price;
        played->index_is_new = true;
        return true;
    }
    player->events++;
    return played_play(played, event)
        || player_fail(player, "%.31s: more than %d levels, or not enough memory", played->market.name.at,
                       PLAYBACK_LEVELS_MAX);
}

/* The exchange at the price that the recording begins with. */
static bool prepare(struct player *player, uint32_t symbol)
{
    struct played *played = player->played[symbol];
    int64_t        price = player->begins[symbol].price;

    played->index_is_new = false;
    /* Money first: only an exchange of development gives it, and any other one is left as it is. */
    return (played_fund(player->venue, played, 0) && played_clear(player->venue, played)
            && (price == 0 || played_approach(player->venue, played, price))
            && played_see_trades(player->venue, played))
        || player_fail(player, "%s", player->venue->why);
}

/* Everything before the start is remembered; *event is the first one behind it. */
static bool begin(struct player *player, struct playback_event *event, bool *more)
{
    uint32_t count = player->sources->symbol_count;

    while ((*more = sources_next(player->sources, event)) && event->time_us <= player->start_us)
        if (!play_event(player, event)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (player->played[i] != NULL && !prepare(player, i)) return false;
    if (!player_listen(player)) return false;
    if (!trader_open(&player->trader, player->venue)) return player_fail(player, "%s", player->trader.why);
    for (uint32_t i = 0; i < count; i++)
        if (player->played[i] != NULL && !playback_book_start(player->played[i]->book))
            return player_fail(player, "not enough memory");
    return player_flush(player) && player_drain(player);
}

/* The index of perps: as recorded, or the middle of the recorded book where none is. */
static bool send_indexes(struct player *player)
{
    for (uint32_t i = 0; i < player->sources->symbol_count; i++) {
        struct played *played = player->played[i];
        int64_t        price;

        if (played == NULL || played->market.market != MARKET_PERPS || player->keep_index) continue;
        if (!player->has_index[i] && (price = played_middle(played)) != 0) {
            played->index = decimal_make(price, played->market.price_precision);
            played->index_is_new = true;
        }
        if (played->index_is_new && !played_set_index(player->venue, played, played->index))
            return player_fail(player, "%s", player->venue->why);
        played->index_is_new = false;
    }
    return true;
}

/* Once a second of the wall clock. */
static bool tell(struct player *player)
{
    if (clock_mono_ns() - player->told_ns < TELL_NS) return true;
    player->told_ns = clock_mono_ns();
    return send_indexes(player) && player_drain(player) && player_hear(player) && player_measure(player);
}

/* The recorded time that is due now. */
static int64_t due_us(const struct player *player)
{
    int64_t passed_us = (clock_mono_ns() - player->began_ns) / 1000;

    return player->speed == 0 ? INT64_MAX : player->start_us + passed_us * (int64_t)player->speed;
}

static bool has_many_ops(const struct player *player)
{
    uint32_t sum = 0, count;

    for (uint32_t i = 0; i < player->sources->symbol_count; i++)
        if (player->played[i] != NULL) {
            (void)playback_book_ops(player->played[i]->book, &count);
            sum += count;
        }
    return sum >= OPS_AT_ONCE;
}

static bool play_due(struct player *player, struct playback_event *event, bool *more)
{
    int64_t due = due_us(player);

    if (!player_hear(player)) return false;
    while (*more && event->time_us <= due && !has_many_ops(player)) {
        player->now_us = event->time_us;
        if (!play_event(player, event)) return false;
        *more = sources_next(player->sources, event);
    }
    return player_flush(player);
}

/* How long nothing is due. */
static int64_t rest_ms(const struct player *player, const struct playback_event *event)
{
    int64_t due = due_us(player);

    if (player->speed == 0 || event->time_us <= due) return 0;
    return min_i64((event->time_us - due) / (int64_t)player->speed / 1000 + 1, WAIT_MS);
}

static bool play_all(struct player *player)
{
    struct playback_event event;
    bool                  more;

    player->now_us = player->start_us;
    if (!begin(player, &event, &more)) return false;
    player->began_ns = player->told_ns = clock_mono_ns();
    log_line(LOG_INFO, "replaying %lu events into %s", (unsigned long)player->checked, player->venue->url);
    while (more && signals_wait(0) == 0) {
        if (!play_due(player, &event, &more) || !tell(player)) return false;
        if (more && !player_pump(player, rest_ms(player, &event))) return false;
    }
    player->ended_ns = clock_mono_ns();
    if (player->sources->why[0] != '\0') return player_fail(player, "%s", player->sources->why);
    for (int i = 0; i < 2; i++) {
        if (!player_drain(player)) return false;
        (void)signals_wait(LAST_MS);
        if (!player_hear(player) || !player_flush(player)) return false;
    }
    return player_drain(player) && player_measure(player);
}

int player_run(struct player *player)
{
    bool ok = player_check(player);

    if (!ok) return complain(EXIT_GENERAL, "replay: nothing was changed: %s", player->why);
    player->sources->checked = true;
    player->trader.self = player;
    player->trader.answered = player_answered;
    ok = (venue_learn_chain(player->venue) || player_fail(player, "%s", player->venue->why)) && play_all(player);
    if (!ok) return complain(EXIT_GENERAL, "replay: %s", player->why);
    player_report(player);
    return EXIT_FINE;
}

void player_close(struct player *player)
{
    for (size_t i = 0; i < SOURCE_SYMBOLS; i++) {
        if (player->played[i] != NULL) {
            playback_book_close(player->played[i]->book);
            playback_rounding_close(player->played[i]->rounding);
        }
        free(player->played[i]);
    }
    for (size_t i = 0; i < 2; i++) listener_close(&player->listeners[i]);
    trader_close(&player->trader);
}
