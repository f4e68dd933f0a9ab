/* SPDX-License-Identifier: MIT */
/* statistics.h — answers of tickers and klines, and lists that are kept encoded (api/answer_cache.h). For the files of
 * api/. */
#ifndef API_REST_STATISTICS_H
#define API_REST_STATISTICS_H

#include "api/inside.h"

void statistics_init(struct statistics *statistics, struct row_forms *forms);

void answer_tickers(struct call *call);
void answer_mini_tickers(struct call *call);
void answer_book_tickers(struct call *call);
void answer_klines(struct call *call);

/*
 * Klines number `first` to `last` as a JSON array, without any cache, as the endpoint does on a miss; for the bench.
 * False: the history is damaged.
 */
bool statistics_encode_klines(struct statistics *statistics, const struct api_shared *shared,
                              const struct symbol *symbol, enum interval interval, int64_t first, int64_t last,
                              struct out *out) MUST_USE;

#endif
