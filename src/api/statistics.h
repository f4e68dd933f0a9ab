/* SPDX-License-Identifier: MIT */
/*
 * statistics.h — what a thread keeps for tickers and klines: forms of their rows, room for bars, and
 * answers that were encoded, each with the versions it shows. For the files of api/.
 */
#ifndef API_STATISTICS_H
#define API_STATISTICS_H

#include "history/history.h"
#include "model/shapes_statistics.h"
#include "views/views.h"
#include "wire/rows.h"

enum statistic { STATISTIC_TICKER = 1, STATISTIC_MINI, STATISTIC_BOOK, STATISTIC_KLINES };

#define STATISTIC_SLOTS 32
#define STATISTIC_BYTES (384 * 1024)    /* 1,500 klines of 262 bytes: the longest has four prices of 17, sums of 32 and 36, ids of 16 */

#define STATISTIC_HEAD  64

/* What an encoded array shows. */
struct statistic_key {
    uint8_t  statistic, market;
    uint8_t  interval;                  /* klines                                                   */
    uint32_t symbol_id;                 /* 0 = all                                                  */
    int64_t  first, last;               /* klines: numbers of the bars; tickers: the current minute */
};

struct statistic_slot {
    struct statistic_key key;           /* statistic 0: empty                                       */
    uint64_t version;                   /* sum of the versions of what was read; they only rise     */
    uint32_t len;
    uint32_t final_len;                 /* klines: bytes of the bars before final_next, which no trade changes any more */
    int64_t  final_next;
    uint32_t row_count, row_end[SYMBOLS_MAX];   /* tickers: where rows end                          */
    char     head[STATISTIC_HEAD];      /* klines: room for the envelope, right before the array    */
    char     bytes[STATISTIC_BYTES];
};
static_assert(offsetof(struct statistic_slot, bytes) == offsetof(struct statistic_slot, head) + STATISTIC_HEAD, "they are one piece");

struct statistics {
    const struct row_form *forms[STATISTIC_KLINES + 1], *perps_form;    /* the latter: tickers of the perps market */
    struct bar            bars[HISTORY_BARS_MAX];
    char                  text[96];     /* of an error                                              */
    struct statistic_slot slots[STATISTIC_SLOTS];
};

void statistics_init(struct statistics *statistics, struct row_forms *forms);

struct call;
void answer_tickers(struct call *call);
void answer_mini_tickers(struct call *call);
void answer_book_tickers(struct call *call);
void answer_klines(struct call *call);

/*
 * Klines number `first` to `last` as a JSON array, without any cache: what the endpoint does when it finds none, for
 * the bench. False: the history is damaged.
 */
struct api_shared;
bool statistics_encode_klines(struct statistics *statistics, const struct api_shared *shared, const struct symbol *symbol,
                              enum interval interval, int64_t first, int64_t last, struct out *out) MUST_USE;

#endif
