/* SPDX-License-Identifier: MIT */
#include "log/position.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the numbers in memory are the bytes on disk");
static_assert(sizeof(struct log_position) == 16 && sizeof(struct log_position_short) == 12, "reach disk");

struct log_position log_position_make(uint64_t first, uint64_t second)
{
    struct log_position position;

    assert(first <= UINT32_MAX);
    memcpy(position.bytes, &first, sizeof(first));
    memcpy(position.bytes + 8, &second, sizeof(second));
    return position;
}

static uint64_t number_at(const uint8_t *bytes)
{
    uint64_t number;

    memcpy(&number, bytes, sizeof(number));
    return number;
}

uint64_t log_position_first(const struct log_position *position) { return number_at(position->bytes); }
uint64_t log_position_second(const struct log_position *position) { return number_at(position->bytes + 8); }

int log_position_compare(const struct log_position *one, const struct log_position *other)
{
    uint64_t first = log_position_first(one), other_first = log_position_first(other);
    uint64_t second = log_position_second(one), other_second = log_position_second(other);

    if (first != other_first) return first < other_first ? -1 : 1;
    return (second > other_second) - (second < other_second);
}

bool log_position_is_none(const struct log_position *position)
{
    return log_position_first(position) == 0 && log_position_second(position) == 0;
}

struct log_position_short log_position_shorten(const struct log_position *position)
{
    struct log_position_short small;

    assert(log_position_first(position) <= UINT32_MAX);
    memcpy(small.bytes, position->bytes + 8, 8);
    memcpy(small.bytes + 8, position->bytes, 4);
    return small;
}

struct log_position log_position_lengthen(const struct log_position_short *small)
{
    struct log_position position = { { 0 } };

    memcpy(position.bytes + 8, small->bytes, 8);
    memcpy(position.bytes, small->bytes + 8, 4);
    return position;
}
