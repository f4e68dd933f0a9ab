/* SPDX-License-Identifier: MIT */
/*
 * Decimals: the result is that of a slow reader of digits, the written text is its shortest spelling, and round trips
 * in both directions change nothing. The units of a decimal are checked in 128 bits.
 */
#include "fuzz/fuzz.h"
#include "model/decimal.h"

struct slow {
    bool     is_number, fits, negative;
    uint32_t decimals;
    int128_t digits;
};

static bool digit_at(struct slice text, size_t i) { return i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; }

/* [-]digits[.digits], no zero before another digit, never "-0"; 18 digits without the zeros around them. */
static struct slow read_slowly(struct slice text)
{
    struct slow slow = { .negative = text.len != 0 && text.at[0] == '-' };
    size_t      start = slow.negative ? 1 : 0, point = start, end;

    while (digit_at(text, point)) point++;
    if (point == start || (point - start > 1 && text.at[start] == '0')) return slow;
    end = point;
    if (point < text.len) {
        if (text.at[point] != '.' || !digit_at(text, point + 1)) return slow;
        end = point + 1;
        while (digit_at(text, end)) end++;
        if (end != text.len) return slow;
        while (text.at[end - 1] == '0') end--;
    }
    slow.decimals = end > point + 1 ? (uint32_t)(end - point - 1) : 0;
    slow.is_number = true;
    size_t whole = point - start == 1 && text.at[start] == '0' ? 0 : point - start;
    slow.fits = whole + slow.decimals <= DECIMAL_DIGITS_MAX;
    if (!slow.fits) return slow;
    for (size_t i = start; i < point + 1 + slow.decimals && i < text.len; i++)
        if (text.at[i] != '.') slow.digits = slow.digits * 10 + (text.at[i] - '0');
    if (slow.negative && slow.digits == 0) slow.is_number = false;
    if (slow.negative) slow.digits = -slow.digits;
    return slow;
}

/* The text without its redundant zeros. */
static void check_spelling(struct slice text, struct slice canonical)
{
    if (memchr(text.at, '.', text.len) != NULL) {
        while (text.at[text.len - 1] == '0') text.len--;
        if (text.at[text.len - 1] == '.') text.len--;
    }
    assert(slice_equal(text, canonical));
}

static void check_units(struct decimal decimal, uint32_t scale, int64_t max)
{
    int64_t  units;
    bool     fits = decimal_to_units(decimal, (int)scale, max, &units);
    int128_t want = decimal.digits;

    if (decimal.scale > scale) {
        assert(!fits);
        return;
    }
    for (uint32_t i = decimal.scale; i < scale; i++) want *= 10;
    assert(fits == (want <= max && want >= -(int128_t)max));
    if (!fits) return;
    assert(units == want);
    struct decimal back = decimal_make(units, (int)scale);
    assert(back.digits == decimal.digits && back.scale == decimal.scale);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char               spelled[64];
    struct out         out = out_make(spelled, sizeof(spelled));
    struct decimal     decimal, again;
    enum decimal_fault fault;
    struct slice       text;
    struct slow        slow;

    if (size < 2) return 0;
    text = exact_copy(data + 2, size - 2);
    slow = read_slowly(text);
    fault = decimal_read(text, &decimal);
    assert((fault == DECIMAL_OK) == (slow.is_number && slow.fits));
    if (slow.is_number && !slow.fits) assert(fault == DECIMAL_TOO_LONG);
    if (fault == DECIMAL_OK) {
        assert(decimal.digits == slow.digits && decimal.scale == slow.decimals && decimal.reserved == 0);
        decimal_write(&out, decimal);
        check_spelling(text, out_slice(&out));
        assert(decimal_read(out_slice(&out), &again) == DECIMAL_OK && memcmp(&decimal, &again, sizeof(again)) == 0);
        out.len = 0;
        wide_decimal_write(&out, (struct wide_decimal){ decimal.digits, decimal.scale });
        check_spelling(text, out_slice(&out));
        check_units(decimal, data[0] % (DECIMAL_DIGITS_MAX + 1), INT64_MAX >> data[1] % 63);
    }
    free_copy(text);
    return 0;
}
