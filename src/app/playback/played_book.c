/* SPDX-License-Identifier: MIT */
/* played_book.c — the recorded book of a symbol: played into memory alone. */
#include "app/playback/market.h"

bool played_renew_book(struct played *played, bool round)
{
    playback_book_close(played->book);
    playback_rounding_close(played->rounding);
    played->rounding = NULL;
    played->book = playback_book_open(&played->market);
    if (round) played->rounding = playback_rounding_open(&played->market);
    return played->book != NULL && (!round || played->rounding != NULL);
}

bool played_play(struct played *played, const struct playback_event *event)
{
    int64_t price = 0, quantity = 0;
    char    why[PLAYBACK_WHY_BYTES];

    if (played->rounding != NULL) return playback_rounding_play(played->rounding, played->book, event);
    if ((event->kind == PLAYBACK_LEVEL || event->kind == PLAYBACK_TRADE)
        && playback_scale(&played->market, event, false, &price, &quantity, why) != PLAYBACK_FITS)
        return false;
    return playback_book_play(played->book, event, price, quantity);
}

int64_t played_middle(const struct played *played)
{
    struct playback_level_view bid, ask;

    if (playback_book_best(played->book, SIDE_BUY, 1, &bid) == 0
        || playback_book_best(played->book, SIDE_SELL, 1, &ask) == 0)
        return 0;
    return (bid.price + ask.price) / 2;
}
