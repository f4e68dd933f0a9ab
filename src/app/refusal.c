/* SPDX-License-Identifier: MIT */
#include "app/refusal.h"

#include "api/api.h"
#include "base/histogram.h"
#include "io/clock.h"
#include "wire/http.h"

static tally refused;

uint64_t refusal_count(void) { return tally_of(&refused); }

struct slice refusal(void)
{
    static _Thread_local char             text[1024];
    static _Thread_local struct http_date date;
    char                                  body_text[512];
    struct out         out = out_make(text, sizeof(text)), body = out_make(body_text, sizeof(body_text));
    struct http_answer answer = { 0 };
    struct api_context context = { .now_ms = clock_wall_ms(), .ready = true };

    atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
    api_error(&context, REJECT_BUSY, &answer, &body);
    answer.close = true;
    answer.date = http_date_line(&date, context.now_ms);
    http_write(&out, &answer, out_slice(&body));
    return out.overflow || body.overflow ? slice_make(NULL, 0) : out_slice(&out);
}
