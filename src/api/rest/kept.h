/* SPDX-License-Identifier: MIT */
/* kept.h — answers that are kept encoded (api/answer_cache.h). */
#ifndef API_REST_KEPT_H
#define API_REST_KEPT_H

#include "api/inside.h"

bool statistic_key_equal(const struct statistic_key *a, const struct statistic_key *b);

/* One slot per question, whatever the time: a question of a minute ago is replaced. */
struct statistic_slot *statistic_slot_of(struct statistics *statistics, const struct statistic_key *key);

/*
 * Answers with the envelope put around `len` bytes of JSON in place, so that a long answer is not copied. In front of
 * them are KEPT_HEAD free bytes, behind them one.
 */
void answer_kept(struct call *call, char *bytes, size_t len);

/* Data that is an array, of the rows `first` to `end` - 1 of a
   list, which are written anew when `version` has moved. */
void answer_rows(struct call *call, const struct statistic_key *key, uint64_t version, uint32_t first, uint32_t end,
                 void (*row)(struct call *call, uint32_t id));

#endif
