/* SPDX-License-Identifier: MIT */
/* hear.c — public trades of the exchange come back to the books. */
#include "app/playback/inside.h"

#include "app/cli/members.h"
#include "io/clock.h"

#include <stdio.h>
#include <stdlib.h>

#define ACKNOWLEDGE_NS (10 * INT64_C(1000000000))

/* The account of the replay with this id; PLAYBACK_FOREIGN: it is none. Makers come first. */
static uint16_t find_account(const struct played *played, int64_t id)
{
    for (uint16_t i = 0; i < PLAYED_ACCOUNTS; i++)
        if (played->accounts[i].id != 0 && played->accounts[i].id == (uint64_t)id) return i;
    return PLAYBACK_FOREIGN;
}

static struct played *find_played(struct player *player, const char *name, uint8_t market)
{
    for (uint32_t i = 0; i < player->sources->symbol_count; i++) {
        struct played *played = player->played[i];

        if (played != NULL && played->market.market == market && slice_is(name_slice(&played->market.name), name))
            return played;
    }
    return NULL;
}

static void hear_trade(struct played *played, const json_t *record)
{
    struct playback_traded trade = { .side = strcmp(text_at(record, "S"), "BUY") == 0 ? SIDE_BUY : SIDE_SELL };
    bool                   is_buy = trade.side == SIDE_BUY;
    uint16_t               taker = find_account(played, number_at(record, is_buy ? "bi" : "si"));

    if (number_at(record, "t") <= played->trade_id) return;
    played->trade_id = number_at(record, "t");
    if (!played_units(record, "p", played->market.price_precision, &trade.price)
        || !played_units(record, "q", played->market.quantity_precision, &trade.quantity))
        return;
    trade.taker_ours = taker != PLAYBACK_FOREIGN;
    trade.maker = find_account(played, number_at(record, is_buy ? "si" : "bi"));
    if (trade.maker >= PLAYBACK_MAKERS_MAX) trade.maker = PLAYBACK_FOREIGN;
    playback_traded(played->book, &trade);
}

/* A snapshot has the newest first; what is older than the replay is known by its id. */
static void hear_trades(struct player *player, uint8_t market, const json_t *trades, bool is_snapshot)
{
    size_t count = json_array_size(trades);

    for (size_t i = 0; i < count; i++) {
        const json_t  *record = json_array_get(trades, is_snapshot ? count - 1 - i : i);
        struct played *played = find_played(player, text_at(record, "s"), market);

        if (played != NULL) hear_trade(played, record);
    }
}

/* 1: an acknowledgement, 0: something else, -1: a refusal. */
static int hear_message(struct player *player, uint8_t market, struct slice text)
{
    json_t *message = json_loadb(text.at, text.len, 0, NULL);
    int     result = json_is_true(json_object_get(message, "success")) ? 1 : 0;

    if (strcmp(text_at(message, "channel"), "trade") == 0)
        hear_trades(player, market, json_object_get(message, "data"),
                    strcmp(text_at(message, "type"), "snapshot") == 0);
    if (json_is_false(json_object_get(message, "success")) || strcmp(text_at(message, "op"), "error") == 0) {
        (void)player_fail(player, "the trades of the exchange cannot be heard: %.120s", text_at(message, "error"));
        result = -1;
    }
    json_decref(message);
    return result;
}

bool player_hear(struct player *player)
{
    for (uint8_t i = 0; i < 2; i++) {
        struct listener *listener = &player->listeners[i];
        struct slice     text;

        if (listener->dial == NULL) continue;
        if (!listener_receive(listener)) return player_fail(player, "%s", listener->why);
        while (listener_next(listener, &text))
            if (hear_message(player, i == 0 ? MARKET_SPOT : MARKET_PERPS, text) < 0) return false;
    }
    return true;
}

static bool subscribe(struct player *player, struct listener *listener, const char *name)
{
    char    text[160];
    int     len = snprintf(text, sizeof(text),
                           "{\"op\":\"subscribe\",\"params\":{\"channel\":\"trade\",\"symbols\":[\"%.31s\"]}}", name);
    int64_t end_ns = clock_mono_ns() + ACKNOWLEDGE_NS;

    if (!listener_send(listener, slice_make(text, (size_t)len))) return player_fail(player, "%s", "streams have ended");
    while (clock_mono_ns() < end_ns) {
        struct slice message;

        if (!listener_receive(listener)) return player_fail(player, "%s", listener->why);
        while (listener_next(listener, &message)) {
            int heard = hear_message(player, listener == &player->listeners[0] ? MARKET_SPOT : MARKET_PERPS, message);
            if (heard != 0) return heard > 0;
        }
        dial_wait(1, &listener->dial, (const bool[]){ false }, 50);
    }
    return player_fail(player, "the subscription to trades is not acknowledged");
}

bool player_listen(struct player *player)
{
    for (uint32_t i = 0; i < player->sources->symbol_count; i++) {
        struct played   *played = player->played[i];
        bool             is_spot = played != NULL && played->market.market == MARKET_SPOT;
        struct listener *listener = &player->listeners[is_spot ? 0 : 1];

        if (played == NULL) continue;
        if (listener->dial == NULL && !listener_open(listener, player->venue->url, is_spot ? "/ws/spot" : "/ws/perps"))
            return player_fail(player, "%s", listener->why);
        if (!subscribe(player, listener, played->market.name.at)) return false;
    }
    return true;
}
