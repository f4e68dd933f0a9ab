/* SPDX-License-Identifier: MIT */
/* received_json.c — reads the JSON of a message: members, items, numbers. */
#include "received_inside.h"

#include "wire/json.h"

struct slice json_member(struct slice object, const char *key)
{
    struct scan  scan = { object.at, object.at + object.len };
    struct slice name, none = { NULL, 0 };
    bool         escaped;

    if (!scan_char(&scan, '{')) return none;
    while (scan_string(&scan, &name, &escaped) && scan_char(&scan, ':')) {
        const char *from = scan.at;
        if (!scan_value(&scan, 8, false)) return none;
        if (slice_is(name, key)) return slice_make(from, (size_t)(scan.at - from));
        if (!scan_char(&scan, ',')) return none;
    }
    return none;
}

bool json_item(struct slice array, const char **at, struct slice *item)
{
    struct scan scan = { *at == NULL ? array.at : *at, array.at + array.len };

    if (array.len == 0 || !scan_char(&scan, *at == NULL ? '[' : ',') || scan_is(&scan, ']')) return false;
    item->at = scan.at;
    if (!scan_value(&scan, 8, false)) return false;
    item->len = (size_t)(scan.at - item->at);
    *at = scan.at;
    return true;
}

struct slice json_text(struct slice object, const char *key)
{
    struct slice value = json_member(object, key);

    if (value.len < 2 || value.at[0] != '"') return (struct slice){ NULL, 0 };
    return slice_make(value.at + 1, value.len - 2);
}

uint64_t json_number(struct slice object, const char *key)
{
    struct slice value = json_member(object, key);
    uint64_t     number = 0;

    if (value.len == 0 || value.len > 18) return UINT64_MAX;
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') return UINT64_MAX;
        number = number * 10 + (uint64_t)(value.at[i] - '0');
    }
    return number;
}

uint32_t json_count(struct slice array)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     count = 0;

    while (json_item(array, &at, &item)) count += 1;
    return count;
}

/* A decimal in quotes, in units of so many digits; false: it is none. */
bool read_units(struct slice value, uint32_t digits, int64_t *units)
{
    bool     negative = value.len > 1 && value.at[1] == '-', point = false;
    uint32_t decimals = 0;

    *units = 0;
    if (value.len < 3 || value.at[0] != '"') return false;
    for (size_t i = negative ? 2 : 1; i + 1 < value.len; i++) {
        if (value.at[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (value.at[i] < '0' || value.at[i] > '9') return false;
        *units = *units * 10 + (value.at[i] - '0');
        decimals += point;
    }
    if (decimals > digits) return false;
    for (; decimals < digits; decimals++) *units *= 10;
    if (negative) *units = -*units;
    return true;
}

bool says(struct slice object, const char *key, int64_t units, uint32_t digits)
{
    int64_t came;

    return read_units(json_member(object, key), digits, &came) && came == units;
}

bool says_name(struct slice object, const char *key, const struct enum_name *names, uint8_t value)
{
    return slice_is(json_text(object, key), enum_name_of(names, value));
}

bool says_bool(struct slice object, const char *key, bool value)
{
    return slice_is(json_member(object, key), value ? "true" : "false");
}
