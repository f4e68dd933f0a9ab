/* SPDX-License-Identifier: MIT */
/* play.c — recorded events. */
#include "playback/inside.h"

/* What was recorded at a level changes by `change`, never below nothing. */
static void change_level(struct playback_book *book, struct level *level, int64_t change, uint64_t recorded)
{
    int64_t before = level->recorded, by;

    level->recorded = max_i64(before + change, 0);
    level->changed_us = book->now_us;
    by = level->recorded - before;
    if (!book->started) return;
    if (by < 0) {
        if (book->now_us - level->cut_us > PLAYBACK_LATE_US) level->cut = 0;
        level->cut -= by;
        level->cut_us = book->now_us;
    }
    by -= level->left_over;
    level->left_over = 0;
    if (level->recorded == 0) makers_clear(book, level);
    else if (by > 0) makers_add(book, level, by, recorded);
    else makers_remove(book, level, -by, recorded);
}

static bool play_level(struct playback_book *book, const struct playback_event *event, int64_t price, int64_t quantity)
{
    struct level *level = level_take(book, event->side, price);

    book->now_us = event->time_us;
    book->counts.levels += book->started;
    if (level == NULL) return false;
    level->seen = book->snapshot;
    change_level(book, level, quantity - level->recorded, event->order);
    level_settle(book, level);
    return !book->full;
}

/* Levels that the snapshot did not have are gone. */
static void settle_snapshot(struct playback_book *book)
{
    for (uint32_t i = 1; i < book->levels_used; i++) {
        struct level *level = &book->levels[i];

        if (level->price == 0 || level->seen == book->snapshot) continue;
        change_level(book, level, -level->recorded, 0);
        level_settle(book, level);
    }
}

/* The side that the recorded book shows for a price; 0: neither. */
static uint8_t side_of(const struct playback_book *book, int64_t price)
{
    struct playback_level_view bid, ask;

    if (playback_book_best(book, SIDE_SELL, 1, &ask) != 0 && price >= ask.price) return SIDE_BUY;
    if (playback_book_best(book, SIDE_BUY, 1, &bid) != 0 && price <= bid.price) return SIDE_SELL;
    return 0;
}

/* Quantity for a recorded taker, beyond what the recorded book has left for him: what a change of the book that came
 * before the trade took away, and what was never in it. Returns what the recorded level loses by the trade. */
static int64_t complete_level(struct playback_book *book, struct level *level, int64_t quantity)
{
    int64_t late = book->now_us - level->cut_us <= PLAYBACK_LATE_US ? min_i64(level->cut, quantity) : 0;
    int64_t implied = max_i64(quantity - late - level->recorded, 0);

    level->cut -= late;
    book->counts.implied += implied;
    if (late + implied != 0) makers_add(book, level, late + implied, 0);
    return quantity - late - implied;
}

/* A maker of this side at `price` was there, and the best: better levels, and those that he would have met, were not.
 */
static bool is_disproved(const struct level *level, uint8_t side, int64_t price)
{
    bool is_lower_gone = (side == SIDE_BUY) != (level->side == side);

    if (level->price == price) return level->side != side;
    return is_lower_gone ? level->price < price : level->price > price;
}

/* Levels that a trade disproves are gone, unless the feed of trades is late. */
static void remove_disproved(struct playback_book *book, uint8_t side, int64_t price)
{
    for (uint32_t i = 1; i < book->levels_used; i++) {
        struct level *level = &book->levels[i];

        if (level->price == 0 || level->recorded == 0 || !is_disproved(level, side, price)
            || book->now_us - level->changed_us < PLAYBACK_FRESH_US)
            continue;
        book->counts.passed += level->recorded;
        change_level(book, level, -level->recorded, 0);
        level_settle(book, level);
    }
}

static void play_trade(struct playback_book *book, uint8_t side, int64_t price, int64_t quantity)
{
    struct level *level = level_take(book, other_side(side), price);
    int64_t       loss;

    if (level == NULL) return;
    if (!book->started) {
        level->recorded -= min_i64(level->recorded, quantity);
    } else if (quantity < order_least(book, price)) {
        book->counts.too_small += quantity;
        loss = min_i64(level->recorded, quantity);
        level->recorded -= loss;
        level->left_over += min_i64(loss, max_i64(level->own - level->left_over, 0));
    } else {
        remove_disproved(book, other_side(side), price);
        loss = complete_level(book, level, quantity);
        level->recorded -= loss;
        takers_send(book, side, price, quantity);
        if (level->recorded == 0) makers_clear(book, level); /* what met a better price than it was placed for */
    }
    level_settle(book, level);
}

bool playback_book_play(struct playback_book *book, const struct playback_event *event, int64_t price, int64_t quantity)
{
    uint8_t side = event->side;

    book->now_us = event->time_us;
    switch (event->kind) {
    case PLAYBACK_LEVEL: return play_level(book, event, price, quantity);
    case PLAYBACK_TRADE:
        if (side == 0) side = side_of(book, price);
        book->counts.trades += book->started;
        book->counts.unknown_side += side == 0;
        if (side != 0) play_trade(book, side, price, quantity);
        break;
    case PLAYBACK_SNAPSHOT: book->snapshot++; break;
    case PLAYBACK_SETTLED: settle_snapshot(book); break;
    default: break;
    }
    return !book->full;
}

bool playback_book_start(struct playback_book *book)
{
    assert(!book->started);
    book->started = true;
    for (uint32_t i = 1; i < book->levels_used; i++)
        if (book->levels[i].price != 0) makers_add(book, &book->levels[i], book->levels[i].recorded, 0);
    return !book->full;
}

const struct playback_counts *playback_book_counts(const struct playback_book *book) { return &book->counts; }
