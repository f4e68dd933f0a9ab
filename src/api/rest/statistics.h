/* SPDX-License-Identifier: MIT */
/*
 * statistics.h — what a thread keeps for tickers, klines and lists that seldom change: forms of their rows, room for
 * bars, and answers that were encoded, each with the versions it shows. For the files of api/.
 */
#ifndef API_REST_STATISTICS_H
#define API_REST_STATISTICS_H

#include "history/history.h"
#include "model/shapes_statistics.h"
#include "views/views.h"
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

#define KEPT_HEAD 64

/* What an encoded array shows. */
struct statistic_key {
    uint8_t  statistic, market;
    uint8_t  interval;    /* klines */
    uint32_t symbol_id;   /* 0 = all; coins: the id + 1 */
    int64_t  first, last; /* klines: numbers of the bars; tickers: the current minute */
};

struct statistic_slot {
    struct statistic_key key;     /* statistic 0: empty */
    uint64_t             version; /* sum of the versions of what was read; they only rise */
    uint32_t             len;
    uint32_t             final_len; /* klines: bytes of the bars before final_next, which no trade changes any more */
    int64_t              final_next;
    uint32_t             row_count, row_end[SYMBOLS_MAX]; /* tickers: where rows end */
    char                 head[KEPT_HEAD];                 /* room for the envelope, right before the array */
    char                 bytes[STATISTIC_BYTES];
};
static_assert(offsetof(struct statistic_slot, bytes) == offsetof(struct statistic_slot, head) + KEPT_HEAD,
              "they are one piece");

struct statistics {
    const struct row_form *forms[STATISTIC_KLINES + 1], *perps_form; /* the latter: tickers of the perps market */
    struct bar             bars[HISTORY_BARS_MAX];
    char                   text[96]; /* of an error */
    struct statistic_slot  slots[STATISTIC_SLOTS];
};

void statistics_init(struct statistics *statistics, struct row_forms *forms);

struct call;

/*
 * Answers with the envelope put around `len` bytes of JSON where they lie, so that a long answer is copied nowhere. In
 * front of them are KEPT_HEAD bytes of room, behind them one.
 */
void answer_kept(struct call *call, char *bytes, size_t len);

/* Data that is an array, of the rows `first` to `end` - 1 of a
   list, which are written anew when `version` has moved. */
void answer_rows(struct call *call, const struct statistic_key *key, uint64_t version, uint32_t first, uint32_t end,
                 void (*row)(struct call *call, uint32_t id));

void answer_tickers(struct call *call);
void answer_mini_tickers(struct call *call);
void answer_book_tickers(struct call *call);
void answer_klines(struct call *call);

/*
 * Klines number `first` to `last` as a JSON array, without any cache: what the endpoint does when it finds none, for
 * the bench. False: the history is damaged.
 */
struct api_shared;
bool statistics_encode_klines(struct statistics *statistics, const struct api_shared *shared,
                              const struct symbol *symbol, enum interval interval, int64_t first, int64_t last,
                              struct out *out) MUST_USE;

#endif
