/* SPDX-License-Identifier: MIT */
#include "chaos/distribution.h"

#define NUMBER_MAX   60000000 /* thousandths: a minute in microseconds */
#define SIGMA_MAX    4000     /* thousandths */
#define EXPONENT_MIN 100
#define EXPONENT_MAX 100000

/* ---- text ---- */

/* clang-format off */
static const struct kind_row {
    const char *name;
    uint32_t    numbers;
    int64_t     b_min, b_max;
    const char *need;
} kinds[] = {
    [DISTRIBUTION_FIXED] = { "fixed", 1, 0, 0, "milliseconds from 0 to 60000" },
    [DISTRIBUTION_UNIFORM] = { "uniform", 2, 0, NUMBER_MAX, "uniform:LEAST:MOST, ms up to 60000" },
    [DISTRIBUTION_EXPONENTIAL] = { "exponential", 1, 0, 0, "exponential:MEAN, ms up to 60000" },
    [DISTRIBUTION_NORMAL] = { "normal", 2, 0, NUMBER_MAX, "normal:MEAN:DEVIATION, ms up to 60000" },
    [DISTRIBUTION_LOGNORMAL] = { "lognormal", 2, 0, SIGMA_MAX,
                                 "lognormal:MEDIAN:SIGMA, ms up to 60000, sigma up to 4" },
    [DISTRIBUTION_PARETO] = { "pareto", 2, EXPONENT_MIN, EXPONENT_MAX,
                              "pareto:LEAST:EXPONENT, ms up to 60000, exponent from 0.1 to 100" },
};
/* clang-format on */

static const char any_need[] = "milliseconds, or fixed:, uniform:, exponential:, normal:, lognormal: or pareto:";

/* Digits, perhaps a point and one to three more: thousandths. */
static bool read_number(struct slice text, int64_t *number)
{
    size_t at = 0, decimals = 0;
    bool   point = false;

    *number = 0;
    for (; at < text.len; at++) {
        if (text.at[at] == '.' && !point && at != 0) {
            point = true;
            continue;
        }
        if (text.at[at] < '0' || text.at[at] > '9' || decimals == 3 || *number > NUMBER_MAX) return false;
        *number = *number * 10 + (text.at[at] - '0');
        decimals += point;
    }
    if (at == 0 || (point && decimals == 0)) return false;
    for (; decimals < 3; decimals++) *number *= 10;
    return *number <= NUMBER_MAX;
}

/* The text up to the next colon; *text continues behind it. */
static struct slice take_word(struct slice *text)
{
    const char  *colon = text->len != 0 ? memchr(text->at, ':', text->len) : NULL;
    size_t       len = colon != NULL ? (size_t)(colon - text->at) : text->len;
    struct slice word = slice_make(text->at, len);

    *text = slice_make(text->at + len + (colon != NULL), text->len - len - (colon != NULL));
    return word;
}

static bool is_sound(const struct distribution *distribution)
{
    const struct kind_row *row = &kinds[distribution->kind];

    if (row->numbers == 2 && (distribution->b < row->b_min || distribution->b > row->b_max)) return false;
    return distribution->kind != DISTRIBUTION_UNIFORM || distribution->a <= distribution->b;
}

bool distribution_read(struct slice text, struct distribution *distribution, const char **need)
{
    struct slice rest = text, word = take_word(&rest);
    int64_t     *numbers[2] = { &distribution->a, &distribution->b };
    uint32_t     count;

    *distribution = (struct distribution){ .kind = DISTRIBUTION_NONE };
    *need = any_need;
    for (uint8_t kind = DISTRIBUTION_FIXED; kind < ARRAY_COUNT(kinds); kind++)
        if (slice_is(word, kinds[kind].name)) distribution->kind = kind;
    if (distribution->kind == DISTRIBUTION_NONE) {
        distribution->kind = DISTRIBUTION_FIXED;
        return read_number(text, &distribution->a);
    }
    *need = kinds[distribution->kind].need;
    count = kinds[distribution->kind].numbers;
    for (uint32_t i = 0; i < count; i++)
        if (!read_number(take_word(&rest), numbers[i])) return false;
    return rest.len == 0 && text.at[text.len - 1] != ':' && is_sound(distribution);
}

static void write_number(struct out *out, int64_t thousandths)
{
    int64_t part = thousandths % 1000;

    out_i64(out, thousandths / 1000);
    if (part == 0) return;
    out_char(out, '.');
    for (int64_t unit = 100; part != 0; unit /= 10) {
        out_char(out, (char)('0' + part / unit));
        part %= unit;
    }
}

void distribution_write(struct out *out, const struct distribution *distribution)
{
    if (distribution->kind == DISTRIBUTION_NONE) return;
    if (distribution->kind != DISTRIBUTION_FIXED) {
        out_text(out, kinds[distribution->kind].name);
        out_char(out, ':');
    }
    write_number(out, distribution->a);
    if (kinds[distribution->kind].numbers == 1) return;
    out_char(out, ':');
    write_number(out, distribution->b);
}

/* ---- logarithm and power of two, 32 bits behind the point ---- */

#define ONE     (INT64_C(1) << 32)
#define LN_2    INT64_C(2977044472) /* of ONE */
#define LOG_2_E INT64_C(6196328019)

/* -log2(u / 2^64) for u from 1 on, 0 .. 64. */
static int64_t minus_log2(uint64_t u)
{
    int       shift = __builtin_clzll(u);
    uint128_t y = u << shift; /* 1 .. 2, 63 bits behind the point */
    int64_t   log = (int64_t)(63 - shift) * ONE;

    for (int bit = 31; bit >= 0; bit--) {
        y = y * y >> 63;
        if (y >> 64 == 0) continue;
        y >>= 1;
        log += INT64_C(1) << bit;
    }
    return 64 * ONE - log;
}

/* 2^(x / ONE) in units of ONE; more than 2^30 counts as that. */
static int64_t power2(int64_t x)
{
    /* 2^(1/2), 2^(1/4), …, 62 bits behind the point */
    static const uint64_t roots[] = {
        UINT64_C(0x5a827999fcef3242), UINT64_C(0x4c1bf828c6dc54b7), UINT64_C(0x45cae0f1f545eb73),
        UINT64_C(0x42d561b3e6243d8a), UINT64_C(0x4166c34c5615d0eb), UINT64_C(0x40b268f9de0183b9),
        UINT64_C(0x4058f6a7ecccd5b6), UINT64_C(0x402c6be96af2fb58), UINT64_C(0x4016321b687027a8),
        UINT64_C(0x400b18178ba33b14), UINT64_C(0x40058bce410147e8), UINT64_C(0x4002c5d7bff71dae),
        UINT64_C(0x400162e807ee7e5b), UINT64_C(0x4000b1730df6a524), UINT64_C(0x400058b9497b8151),
        UINT64_C(0x40002c5c955dd701), UINT64_C(0x4000162e46d6f26b), UINT64_C(0x40000b1722757b1b),
        UINT64_C(0x4000058b90fd3e0c), UINT64_C(0x400002c5c86f3f26),
    };
    int64_t   whole = x >> 32;
    uint128_t y = (uint128_t)1 << 62;

    if (whole >= 30) return ONE << 30;
    if (whole < -32) return 0;
    for (uint32_t i = 0; i < ARRAY_COUNT(roots); i++)
        if ((x >> (31 - i) & 1) != 0) y = y * roots[i] >> 62;
    return whole >= 0 ? (int64_t)(y >> 30) << whole : (int64_t)(y >> (30 - whole));
}

/* ---- draws ---- */

static int64_t times(int64_t value, int64_t factor) /* factor in units of ONE */
{
    int128_t product = (int128_t)value * factor >> 32;

    return product > DISTRIBUTION_MAX_US ? DISTRIBUTION_MAX_US : (int64_t)product;
}

/* -log2 of a number between 0 and 1. */
static int64_t draw_log2(struct draw *draw)
{
    uint64_t bits = draw_bits(draw);

    return minus_log2(bits | 1);
}

/* About the standard normal distribution, in units of ONE: twelve uniform numbers less six, from -6 to 6. */
static int64_t draw_normal(struct draw *draw)
{
    int64_t sum = -6 * ONE;

    for (int i = 0; i < 12; i++) {
        uint64_t bits = draw_bits(draw);
        sum += (int64_t)(bits >> 32);
    }
    return sum;
}

static int64_t within(int64_t us) { return us < 0 ? 0 : min_i64(us, DISTRIBUTION_MAX_US); }

int64_t distribution_draw(const struct distribution *distribution, struct draw *draw)
{
    int64_t a = distribution->a, b = distribution->b;

    switch (distribution->kind) {
    case DISTRIBUTION_FIXED: return a;
    case DISTRIBUTION_UNIFORM: return a + (int64_t)draw_below(draw, (uint64_t)(b - a) + 1);
    case DISTRIBUTION_EXPONENTIAL: return within(times(a, (int64_t)((int128_t)draw_log2(draw) * LN_2 >> 32)));
    case DISTRIBUTION_NORMAL: return within(a + times(b, draw_normal(draw)));
    case DISTRIBUTION_LOGNORMAL:
        return within(times(a, power2((int64_t)((int128_t)draw_normal(draw) * b / 1000 * LOG_2_E >> 32))));
    case DISTRIBUTION_PARETO: return within(times(a, power2(draw_log2(draw) * 1000 / b)));
    default: return 0;
    }
}
