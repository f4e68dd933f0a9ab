/* SPDX-License-Identifier: MIT */
/* http_date.c — the time of an answer, as HTTP writes it: "Date: Sun, 06 Nov 1994 08:49:37 GMT". */
#include "model/interval.h"
#include "wire/http.h"

#define DAY_SECONDS INT64_C(86400)

static const char week_days[7][4] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" }; /* 1970-01-01 was a Thursday */
static const char months[12][4] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
};

static void write_two(struct out *out, int64_t number)
{
    out_char(out, (char)('0' + number / 10));
    out_char(out, (char)('0' + number % 10));
}

static void write_line(struct out *out, int64_t second)
{
    int64_t month = interval_index(INTERVAL_1MONTH, second * 1000), day = second / DAY_SECONDS,
            rest = second % DAY_SECONDS;

    out_literal(out, "Date: ");
    out_text(out, week_days[day % 7]);
    out_literal(out, ", ");
    write_two(out, day - interval_start(INTERVAL_1MONTH, month) / (DAY_SECONDS * 1000) + 1);
    out_char(out, ' ');
    out_text(out, months[month % 12]);
    out_char(out, ' ');
    out_i64(out, 1970 + month / 12);
    out_char(out, ' ');
    write_two(out, rest / 3600);
    out_char(out, ':');
    write_two(out, rest / 60 % 60);
    out_char(out, ':');
    write_two(out, rest % 60);
    out_literal(out, " GMT\r\n");
}

struct slice http_date_line(struct http_date *date, int64_t time_ms)
{
    struct out out = out_make(date->line, sizeof(date->line));

    assert(time_ms >= 0);
    out.len = HTTP_DATE_BYTES;
    if (date->second != time_ms / 1000 || date->line[0] == '\0') {
        date->second = time_ms / 1000;
        out.len = 0;
        write_line(&out, date->second);
        assert(out.len == HTTP_DATE_BYTES && !out.overflow);
    }
    return out_slice(&out);
}
