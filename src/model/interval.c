/* SPDX-License-Identifier: MIT */
#include "model/interval.h"

#include "model/enums.h"

/* The intervals of service.md. `lower` is the other spelling of D and W (ruling 23). Minutes 0: a calendar month. */
/* clang-format off */
static const struct interval_row {
    const char *name, *lower;
    uint32_t    minutes;
    uint32_t    shift_days;         /* how long before 1970-01-01 bar 0 began */
    bool        on_perps;
} rows[INTERVALS] = {
    [INTERVAL_1M]     = { "1m",  "1m",  1,         0, true },
    [INTERVAL_5M]     = { "5m",  "5m",  5,         0, true },
    [INTERVAL_15M]    = { "15m", "15m", 15,        0, true },
    [INTERVAL_30M]    = { "30m", "30m", 30,        0, true },
    [INTERVAL_1H]     = { "1h",  "1h",  60,        0, true },
    [INTERVAL_4H]     = { "4h",  "4h",  4 * 60,    0, true },
    [INTERVAL_8H]     = { "8h",  "8h",  8 * 60,    0, false },
    [INTERVAL_12H]    = { "12h", "12h", 12 * 60,   0, false },
    [INTERVAL_1D]     = { "1D",  "1d",  1440,      0, true },
    [INTERVAL_3D]     = { "3D",  "3d",  3 * 1440,  0, false },
    [INTERVAL_1W]     = { "1W",  "1w",  7 * 1440,  3, true },      /* 1970-01-01 was a Thursday */
    [INTERVAL_1MONTH] = { "1M",  "1M",  0,         0, true },
};
/* clang-format on */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* ---- months ---- */

static bool is_leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/* Leap years from year 1 up to and including `year`. */
static int64_t leaps_until(int64_t year) { return year / 4 - year / 100 + year / 400; }

/* Days from 1970-01-01 to the first of January of `year`. */
static int64_t days_to_year(int64_t year) { return 365 * (year - 1970) + leaps_until(year - 1) - leaps_until(1969); }

static int64_t days_to_month(int64_t year, int64_t month)
{
    static const int16_t before[12] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    return before[month] + (month >= 2 && is_leap(year) ? 1 : 0);
}

static int64_t month_index(int64_t days)
{
    int64_t year = 1970 + days * 400 / 146097 + 1, month = 11; /* 146097 days are 400 years; at most two too late */

    while (days_to_year(year) > days) year--;
    days -= days_to_year(year);
    while (days_to_month(year, month) > days) month--;
    return (year - 1970) * 12 + month;
}

/* ---- any interval ---- */

int64_t interval_index(enum interval interval, int64_t time_ms)
{
    const struct interval_row *row = &rows[interval];

    assert(interval < INTERVALS && time_ms >= 0);
    if (row->minutes == 0) return month_index(time_ms / DAY_MS);
    return (time_ms + row->shift_days * DAY_MS) / (row->minutes * MINUTE_MS);
}

int64_t interval_start(enum interval interval, int64_t index)
{
    const struct interval_row *row = &rows[interval];
    int64_t                    year = floor_div(index, 12);

    assert(interval < INTERVALS);
    if (row->minutes != 0) return index * (row->minutes * MINUTE_MS) - row->shift_days * DAY_MS;
    return (days_to_year(1970 + year) + days_to_month(1970 + year, index - year * 12)) * DAY_MS;
}

static bool is_offered(uint8_t market, const struct interval_row *row)
{
    return market == MARKET_SPOT || row->on_perps;
}

bool interval_by_name(uint8_t market, struct slice name, enum interval *interval)
{
    for (enum interval i = 0; i < INTERVALS; i++) {
        if (!is_offered(market, &rows[i]) || (!slice_is(name, rows[i].name) && !slice_is(name, rows[i].lower)))
            continue;
        *interval = i;
        return true;
    }
    return false;
}

void interval_names(uint8_t market, struct out *out)
{
    for (enum interval i = 0; i < INTERVALS; i++) {
        if (!is_offered(market, &rows[i])) continue;
        if (i != 0) out_literal(out, ", ");
        out_text(out, rows[i].name);
    }
}
