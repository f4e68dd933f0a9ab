/* SPDX-License-Identifier: MIT */
/*
 * answer_cache.h — what a thread keeps for tickers, klines and lists that seldom change: forms of their rows, room for
 * bars, and answers that were encoded, each with the versions it shows. For the files of api/.
 */
#ifndef API_ANSWER_CACHE_H
#define API_ANSWER_CACHE_H

#include "history/history.h"
#include "model/shapes_statistics.h"
#include "views/views.h"
#include "wire/http.h"
#include "wire/rows.h"

enum statistic {
    STATISTIC_TICKER = 1,
    STATISTIC_MINI,
    STATISTIC_BOOK,
    STATISTIC_KLINES,
    KEPT_SYMBOLS,
    KEPT_COINS,
    KEPT_PRICES
};

#define STATISTIC_SLOTS 32
#define STATISTIC_BYTES                                                                                                \
    (384 * 1024) /* 1,500 klines of 262 bytes: the longest has four prices of 17, sums of 32 and 36, ids of 16 */

#define KEPT_ENVELOPE 64
#define KEPT_HEAD     (HTTP_HEAD_ROOM + KEPT_ENVELOPE)

/* The contents of an encoded array. */
struct statistic_key {
    uint8_t  statistic, market;
    uint8_t  interval;    /* klines */
    uint32_t symbol_id;   /* 0 = all; coins: the id + 1 */
    int64_t  first, last; /* klines: numbers of the bars; tickers: the current minute */
};

struct statistic_slot {
    struct statistic_key key;     /* statistic 0: empty */
    uint64_t             version; /* sum of the versions of everything read; versions only rise */
    uint32_t             epoch;   /* of statistics.epoch; another one: empty */
    uint32_t             len;
    uint32_t             final_len; /* klines: bytes of the bars before final_next, which no trade changes any more */
    int64_t              final_next;
    uint32_t             row_count, row_end[SYMBOLS_MAX]; /* tickers: where rows end */
    char                 head[KEPT_HEAD];                 /* room for head and envelope, right before the array */
    char                 bytes[STATISTIC_BYTES];
};
static_assert(offsetof(struct statistic_slot, bytes) == offsetof(struct statistic_slot, head) + KEPT_HEAD,
              "they are one piece");

struct statistics {
    const struct row_form *forms[STATISTIC_KLINES + 1], *perps_form; /* the latter: tickers of the perps market */
    struct bar             bars[HISTORY_BARS_MAX];
    char                   text[96]; /* of an error */
    uint32_t               epoch;    /* from 1; the next one empties all slots without touching them */
    struct statistic_slot  slots[STATISTIC_SLOTS];
};

#endif
