/* SPDX-License-Identifier: MIT */
#include "core/state/refuse.h"

bool refuse(struct result *result, enum reject reject, struct decimal got, struct decimal need)
{
    assert(reject != REJECT_NONE);
    result->reject = (uint16_t)reject;
    result->said = SAID_GOT | SAID_NEED;
    result->got = got;
    result->need = need;
    return false;
}

bool refuse_plainly(struct result *result, enum reject reject)
{
    assert(reject != REJECT_NONE);
    result->reject = (uint16_t)reject;
    return false;
}

bool refuse_field(struct result *result, enum reject reject, enum item_field field)
{
    result->field = (uint8_t)field;
    return refuse_plainly(result, reject);
}

/* A number that no decimal of ours holds is told as text. */
static bool say_digits(struct result *result, uint64_t got)
{
    char     text[20];
    uint32_t at = sizeof(text);

    for (; got != 0; got /= 10) text[--at] = (char)('0' + got % 10);
    assert(at < sizeof(text));
    result->orig_client_id = client_id_make((struct slice){ text + at, sizeof(text) - at });
    result->said = SAID_ID;
    return false;
}

bool refuse_number(struct result *result, enum reject reject, enum item_field field, uint64_t got)
{
    assert(reject != REJECT_NONE);
    result->reject = (uint16_t)reject;
    result->field = (uint8_t)field;
    if (got > INT64_MAX) return say_digits(result, got);
    result->said = SAID_GOT;
    result->got = decimal_make((int64_t)got, 0);
    return false;
}

bool refuse_id(struct result *result, enum reject reject, enum item_field field, const struct client_id *got)
{
    assert(reject != REJECT_NONE);
    result->reject = (uint16_t)reject;
    result->field = (uint8_t)field;
    if (got->len > CLIENT_ID_MAX) return false;
    result->said = SAID_ID;
    result->orig_client_id = *got;
    return false;
}

struct decimal coin_amount(const struct engine *e, uint32_t coin_id, int128_t amount)
{
    assert(coin_id < e->coin_count);
    return decimal_make((int64_t)(amount > INT64_MAX ? INT64_MAX : amount), (int)e->coins[coin_id].precision);
}
