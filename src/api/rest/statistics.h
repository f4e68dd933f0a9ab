/* SPDX-License-Identifier: MIT */
/* statistics.h — answers of tickers and klines, and lists that are kept encoded (api/answer_cache.h). For the files of
 * api/. */
#ifndef API_REST_STATISTICS_H
#define API_REST_STATISTICS_H

#include "api/inside.h"

void statistics_init(struct statistics *statistics, struct row_forms *forms);

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
bool statistics_encode_klines(struct statistics *statistics, const struct api_shared *shared,
                              const struct symbol *symbol, enum interval interval, int64_t first, int64_t last,
                              struct out *out) MUST_USE;

#endif
