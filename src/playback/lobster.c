/* SPDX-License-Identifier: MIT */
#include "playback/lobster.h"

#include "playback/columns.h"

#define MESSAGE_COLUMNS 6
#define PRICE_SCALE     4
#define NO_LEVEL        INT64_C(9999999999) /* the price of a level that is not there; of bids below zero */

static bool is_number(struct slice value)
{
    int64_t integer;

    if (columns_integer(value, &integer)) return true;
    return value.len != 0 && columns_decimal(value, &(struct decimal){ 0 });
}

uint32_t lobster_columns(struct slice line)
{
    struct slice value[COLUMNS_MAX];
    uint32_t     count = columns_split(line, COLUMNS_MAX, value);

    if (count > COLUMNS_MAX) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_number(value[i])) return 0;
    return count;
}

bool lobster_differs(struct slice line, char why[PLAYBACK_WHY_BYTES])
{
    struct slice value[COLUMNS_MAX];
    uint32_t     count = columns_split(line, COLUMNS_MAX, value);
    char         problem[64];
    struct out   out = out_make(problem, sizeof(problem) - 1);

    if (count < 2 || !is_number(value[0])) return false;
    if (count > COLUMNS_MAX || (count != MESSAGE_COLUMNS && count % 4 != 0)) {
        (void)columns_refuse(why, "a message of LOBSTER has 6 columns, an order book 4 a level, 200 at most", line);
        return true;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (is_number(value[i])) continue;
        out_literal(&out, "line 1: column ");
        out_u64(&out, i + 1);
        out_text(&out, count == MESSAGE_COLUMNS ? " of the message is no number" : " of the order book is no number");
        problem[out.len] = '\0';
        (void)columns_refuse(why, problem, value[i]);
        return true;
    }
    return false;
}

static bool read_time(struct slice value, int64_t *time_us)
{
    struct decimal seconds;

    if (!columns_decimal(value, &seconds) || seconds.digits >= 86400 * pow10_i64((int)min_u32(seconds.scale, 13)))
        return false;
    if (seconds.scale > 6) *time_us = seconds.digits / pow10_i64((int)seconds.scale - 6);
    else *time_us = seconds.digits * pow10_i64(6 - (int)seconds.scale);
    return true;
}

bool lobster_read_message(struct slice line, struct lobster_message *message, char why[PLAYBACK_WHY_BYTES])
{
    struct slice value[MESSAGE_COLUMNS];
    int64_t      type, order, size, price, direction;

    *message = (struct lobster_message){ 0 };
    if (columns_split(line, MESSAGE_COLUMNS, value) != MESSAGE_COLUMNS)
        return columns_refuse(why, "a message has 6 columns", line);
    if (!read_time(value[0], &message->time_us)) return columns_refuse(why, "time is no second of a day", value[0]);
    if (!columns_integer(value[1], &type) || type < LOBSTER_SUBMITTED || type > LOBSTER_HALT)
        return columns_refuse(why, "type is not 1 to 7", value[1]);
    if (!columns_integer(value[2], &order) || (order < 0 && type != LOBSTER_CROSS))
        return columns_refuse(why, "no order id", value[2]);
    if (!columns_integer(value[3], &size) || size < 0) return columns_refuse(why, "size is no quantity", value[3]);
    if (!columns_integer(value[4], &price) || (price <= 0 && type < LOBSTER_CROSS))
        return columns_refuse(why, "price is no price", value[4]);
    if (!columns_integer(value[5], &direction) || (direction != 1 && direction != -1))
        return columns_refuse(why, "direction is neither 1 nor -1", value[5]);
    message->type = (uint8_t)type;
    message->order = (uint64_t)max_i64(order, 0); /* of auctions -1 to -4, by their kind */
    message->side = direction == 1 ? SIDE_BUY : SIDE_SELL;
    message->quantity = decimal_make(size, 0);
    message->price = decimal_make(max_i64(price, 0), PRICE_SCALE);
    return true;
}

bool lobster_read_book(struct slice line, struct lobster_book *book, char why[PLAYBACK_WHY_BYTES])
{
    struct slice value[COLUMNS_MAX];
    uint32_t     count = columns_split(line, COLUMNS_MAX, value);

    book->count[0] = book->count[1] = 0;
    book->columns = count;
    if (count % 4 != 0 || count > COLUMNS_MAX) return columns_refuse(why, "an order book has 4 columns a level", line);
    for (uint32_t i = 0; i < count; i += 2) {
        uint32_t side = i / 2 % 2 == 0 ? 1 : 0, at = book->count[side];
        int64_t  price, quantity;

        if (!columns_integer(value[i], &price)) return columns_refuse(why, "no price", value[i]);
        if (!columns_integer(value[i + 1], &quantity) || quantity < 0)
            return columns_refuse(why, "no size", value[i + 1]);
        if (price == NO_LEVEL || price == -NO_LEVEL || quantity == 0) continue;
        if (price <= 0) return columns_refuse(why, "price is no price", value[i]);
        book->level[side][at].price = price;
        book->level[side][at].quantity = quantity;
        book->count[side]++;
    }
    return true;
}

bool lobster_trade(const struct lobster_message *message, struct playback_event *event)
{
    if (message->type != LOBSTER_EXECUTED && message->type != LOBSTER_EXECUTED_HIDDEN) return false;
    *event = (struct playback_event){ .time_us = message->time_us,
                                      .kind = PLAYBACK_TRADE,
                                      .price = message->price,
                                      .side = message->side == SIDE_BUY ? SIDE_SELL : SIDE_BUY,
                                      .quantity = message->quantity };
    return message->quantity.digits != 0;
}

/* The quantity that a book has at a price; 0: none. */
static int64_t quantity_at(const struct lobster_book *book, uint32_t side, int64_t price)
{
    for (uint32_t i = 0; i < book->count[side]; i++)
        if (book->level[side][i].price == price) return book->level[side][i].quantity;
    return 0;
}

static struct playback_event level_event(const struct lobster_message *message, uint32_t side, int64_t price,
                                         int64_t quantity)
{
    struct playback_event event = { .time_us = message->time_us,
                                    .kind = PLAYBACK_LEVEL,
                                    .side = side == 0 ? SIDE_BUY : SIDE_SELL,
                                    .price = decimal_make(price, PRICE_SCALE),
                                    .quantity = decimal_make(quantity, 0) };

    if (message->type <= LOBSTER_DELETED && message->side == event.side && message->price.digits == event.price.digits
        && message->price.scale == event.price.scale)
        event.order = message->order;
    return event;
}

uint32_t lobster_changes(const struct lobster_book *before, const struct lobster_book *after,
                         const struct lobster_message *message, struct playback_event events[LOBSTER_CHANGES_MAX])
{
    uint32_t count = 0;

    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < before->count[side]; i++)
            if (quantity_at(after, side, before->level[side][i].price) == 0)
                events[count++] = level_event(message, side, before->level[side][i].price, 0);
        for (uint32_t i = 0; i < after->count[side]; i++) {
            int64_t price = after->level[side][i].price, quantity = after->level[side][i].quantity;

            if (quantity_at(before, side, price) != quantity)
                events[count++] = level_event(message, side, price, quantity);
        }
    }
    return count;
}
