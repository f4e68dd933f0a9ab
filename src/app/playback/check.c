/* SPDX-License-Identifier: MIT */
/* check.c — what is known of a replay before anything is changed: all files are read, their symbols are found, and
 * what the terms of these do not allow is refused. */
#include "app/playback/inside.h"

#include "diagnostics/program_log.h"
#include "io/fetch.h"
#include "io/signals.h"
#include "model/genesis.h"

#include <stdio.h>
#include <stdlib.h>

#define ORDERS_MOST   (PLAYBACK_MAKERS_MAX * PLAYBACK_MAKER_OPEN)
#define EVENTS_A_LOOK 4096
#define METRICS_MS    5000
#define METRICS_BYTES (1024 * 1024)
#define BEGINNING_US  100000 /* what is recorded so soon is the book that it begins with */

/* ---- symbols ---- */

/* The name that a recorded symbol is played as, from "RECORDED=TRADED,…". With a list what is not in it is not played.
 */
static struct slice mapped(const char *maps, struct slice recorded)
{
    if (maps == NULL) return recorded;
    for (const char *at = maps; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        size_t len = strcspn(at, ",="), more = at[len] == '=' ? strcspn(at + len + 1, ",") : 0;

        if (!slice_equal(slice_make(at, len), recorded)) continue;
        return more != 0 ? slice_make(at + len + 1, more) : recorded;
    }
    return SLICE("");
}

static bool resolve(struct player *player, uint32_t symbol)
{
    struct slice name = mapped(player->maps, name_slice(&player->sources->symbols[symbol]));

    if (name.len == 0) return true;
    for (uint32_t i = 0; i < symbol; i++)
        if (player->played[i] != NULL && slice_equal(name_slice(&player->played[i]->market.name), name))
            return player_fail(player, "two recorded symbols would be played as %.*s", (int)name.len, name.at);
    player->played[symbol] = calloc(1, sizeof(struct played));
    if (player->played[symbol] == NULL) return player_fail(player, "not enough memory");
    if (!played_find(player->venue, name, player->played[symbol])) return player_fail(player, "%s", player->venue->why);
    return played_renew_book(player->played[symbol], player->round) || player_fail(player, "not enough memory");
}

/* ---- where it begins ---- */

/* The book that was recorded until the start; where a side is empty, the last trade or the first level before it, or
 * the first price behind it. */
static void see_beginning(struct player *player, uint32_t symbol)
{
    const struct played *played = player->played[symbol];
    struct beginning    *begins = &player->begins[symbol];
    int64_t              price = played_middle(played), index;

    if (played->market.market == MARKET_PERPS && played->index.digits != 0
        && decimal_to_units(played->index, played->market.price_precision, PRICE_MAX, &index))
        price = index;
    if (price == 0) price = begins->seen;
    begins->price = price - price % played->market.tick;
}

/* Behind the first event that lies behind the start, once. */
static void see_beginnings(struct player *player)
{
    for (uint32_t i = 0; i < player->sources->symbol_count && !player->begun; i++)
        if (player->played[i] != NULL) see_beginning(player, i);
    player->begun = true;
}

static void note_price(struct player *player, const struct playback_event *event, int64_t price)
{
    struct beginning *begins = &player->begins[event->symbol];

    if (player->begun && begins->price != 0) return;
    begins->path = player->sources->last->path;
    begins->line = player->sources->last->line;
    if (price != 0 && (begins->seen == 0 || event->kind == PLAYBACK_TRADE)) begins->seen = price;
    if (player->begun) see_beginning(player, event->symbol);
}

static void choose_start(struct player *player, int64_t first_us)
{
    player->first_us = first_us;
    player->start_us = player->from_start ? first_us + player->from_us : player->from_us;
    if (player->start_us < first_us + BEGINNING_US) player->start_us = first_us + BEGINNING_US;
}

static bool check_start(struct player *player)
{
    if (player->start_us <= player->last_us || player->last_us - player->first_us < BEGINNING_US) return true;
    return player_fail(player, "--from lies behind the last event");
}

/* The price around which orders are taken is the exchange's, and is asked for. */
static bool check_approach(struct player *player, uint32_t symbol)
{
    const struct played    *played = player->played[symbol];
    const struct beginning *begins = &player->begins[symbol];
    char                    text[2][48];
    int64_t                 now;
    bool                    can = true;

    if (begins->price == 0) return true;
    if (!played_can_approach(player->venue, played, begins->price, &now, &can))
        return player_fail(player, "%s", player->venue->why);
    if (can) return true;
    for (int i = 0; i < 2; i++) {
        struct out out = out_make(text[i], sizeof(text[i]) - 1);

        decimal_write(&out, decimal_make(i == 0 ? begins->price : now, played->market.price_precision));
        text[i][out.len] = '\0';
    }
    return player_fail(player, "%.100s:%lu: the recording begins at the price %s, to which %.31s does not come from %s",
                       begins->path, (unsigned long)begins->line, text[0], played->market.name.at, text[1]);
}

/* ---- levels ---- */

/* The places of the pool of levels, from the metrics; 0: they are not given, or have none. */
static uint64_t read_level_pool(const struct venue *venue)
{
    static const char name[] = "\ndojima_pool_size{pool=\"levels\"} ";
    char              url[512];
    struct fetch      fetch = { .url = url, .timeout_ms = METRICS_MS };
    struct fetched    fetched = { .text = malloc(METRICS_BYTES), .cap = METRICS_BYTES - 1 };
    const char       *at = NULL;
    uint64_t          size = 0;

    if (fetched.text != NULL && snprintf(url, sizeof(url), "%s/metrics", venue->url) < (int)sizeof(url)
        && fetch_url(&fetch, &fetched) && fetched.status == 200)
        at = memmem(fetched.text, fetched.len, name, sizeof(name) - 1);
    if (at != NULL) {
        fetched.text[fetched.len] = '\0';
        size = strtoull(at + sizeof(name) - 1, NULL, 10);
    }
    free(fetched.text);
    return size;
}

/* An exchange without a free level refuses everybody's orders at new prices. Before the start nothing is placed. */
static bool check_levels(struct player *player, const struct playback_event *event, uint32_t before, uint32_t after)
{
    char why[PLAYBACK_WHY_BYTES];

    player->levels += (uint64_t)after - before;
    if (!player->begun || player->levels_most == 0 || player->levels <= player->levels_most) return true;
    (void)snprintf(why, sizeof(why), "more than %lu levels at once, which is all that the exchange has (pool levels)",
                   (unsigned long)player->levels_most);
    return sources_refuse(player->sources, event, PLAYBACK_FITS, why);
}

/* ---- events ---- */

/* What all makers can have open bounds a level, and a trade, which needs makers; a wrong unit of amounts is beyond it.
 * The trades of a recording are summed up. */
static bool check_orders(struct player *player, const struct playback_event *event, int64_t price, int64_t quantity)
{
    int64_t  most = price == 0 ? 0 : playback_order_most(&player->played[event->symbol]->market, price);
    int64_t *traded = &player->traded[event->symbol];
    char     why[PLAYBACK_WHY_BYTES];

    if (most != 0 && quantity / most >= ORDERS_MOST) {
        (void)snprintf(why, sizeof(why),
                       "is too large: it would be more than %d orders of the largest size at its price", ORDERS_MOST);
        return sources_refuse(player->sources, event, PLAYBACK_QUANTITY, why);
    }
    if (event->kind != PLAYBACK_TRADE) return true;
    return !__builtin_add_overflow(*traded, quantity, traded)
        || sources_refuse(player->sources, event, PLAYBACK_QUANTITY, "is too large beside the trades before it");
}

/* Can the exchange have this price and quantity? */
static bool check_event(struct player *player, const struct playback_event *event)
{
    struct played     *played = player->played[event->symbol];
    int64_t            price, quantity;
    enum playback_part wrong;
    uint32_t           before;
    char               why[PLAYBACK_WHY_BYTES];

    if (event->kind == PLAYBACK_INDEX) {
        player->has_index[event->symbol] = true;
        if (!player->begun) played->index = event->price;
        return true;
    }
    if (event->kind == PLAYBACK_LEVEL || event->kind == PLAYBACK_TRADE) {
        wrong = playback_scale(&played->market, event, player->round, &price, &quantity, why);
        if (wrong != PLAYBACK_FITS) return sources_refuse(player->sources, event, wrong, why);
        if (!check_orders(player, event, price, quantity)) return false;
        note_price(player, event, price);
    }
    before = playback_book_levels(played->book);
    (void)snprintf(why, sizeof(why), "more than %d levels at once, or not enough memory", PLAYBACK_LEVELS_MAX - 1);
    if (!played_play(played, event)) return sources_refuse(player->sources, event, PLAYBACK_FITS, why);
    return check_levels(player, event, before, playback_book_levels(played->book));
}

static bool check_next(struct player *player, const struct playback_event *event, uint32_t *known)
{
    for (; *known < player->sources->symbol_count; ++*known)
        if (!resolve(player, *known)) return false;
    if (player->checked++ == 0) {
        choose_start(player, event->time_us);
        player->levels_most = read_level_pool(player->venue);
    }
    player->last_us = event->time_us;
    if (event->time_us > player->start_us) see_beginnings(player);
    return player->played[event->symbol] == NULL || check_event(player, event);
}

/* Files of other days may lack it; who wrote it wrongly sees it here. */
static void tell_unrecorded(const struct player *player)
{
    for (const char *at = player->maps; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        struct slice name = slice_make(at, strcspn(at, ",="));
        bool         found = false;

        for (uint32_t i = 0; i < player->sources->symbol_count; i++)
            found = found || slice_equal(name_slice(&player->sources->symbols[i]), name);
        if (!found) log_line(LOG_WARN, "--map names %.*s, which is not recorded", (int)min_size(name.len, 40), name.at);
    }
}

/* Files of a day are read for minutes. */
static bool is_stopped(struct player *player)
{
    if (player->checked % EVENTS_A_LOOK != 0 || signals_wait(0) == 0) return false;
    return !player_fail(player, "stopped by a signal while the files were read");
}

static bool check_events(struct player *player)
{
    struct sources       *sources = player->sources;
    struct playback_event event = { 0 }; /* the last one when all were good */
    uint32_t              known = 0;

    while (sources_next(sources, &event))
        if (!check_next(player, &event, &known) || is_stopped(player)) break;
    if (sources->why[0] != '\0') return player_fail(player, "%s", sources->why);
    if (player->why[0] != '\0') return false;
    see_beginnings(player);
    tell_unrecorded(player);
    for (uint32_t i = 0; i < known; i++)
        if (player->played[i] != NULL)
            return check_levels(player, &event, 0, 0) || player_fail(player, "%s", sources->why);
    return player_fail(player, "nothing to replay: %s",
                       player->checked == 0 ? "no event is recorded" : "--map names no recorded symbol");
}

/* The books were played into only to look, and begin again. */
static bool begin_again(struct player *player)
{
    for (uint32_t i = 0; i < player->sources->symbol_count; i++)
        if (player->played[i] != NULL && !played_renew_book(player->played[i], player->round))
            return player_fail(player, "not enough memory");
    return sources_rewind(player->sources) || player_fail(player, "%s", player->sources->why);
}

bool player_check(struct player *player)
{
    if (!check_events(player) || !check_start(player)) return false;
    for (uint32_t i = 0; i < player->sources->symbol_count; i++)
        if (player->played[i] != NULL && !check_approach(player, i)) return false;
    return begin_again(player);
}
