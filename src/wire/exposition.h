/* SPDX-License-Identifier: MIT */
/*
 * exposition.h — numbers in the text format of Prometheus, version 0.0.4. A family of samples is its head, then its
 * samples, one after the other:
 *
 *     # HELP name What it is.
 *     # TYPE name counter
 *     name{label="value"} 1
 *
 * The caller chooses names, in ASCII and in the form that the format requires; values of labels may be any text.
 */
#ifndef WIRE_EXPOSITION_H
#define WIRE_EXPOSITION_H

#include "base/fixed.h"
#include "base/histogram.h"
#include "base/out.h"

#define EXPOSITION_TYPE "text/plain; version=0.0.4; charset=utf-8"

void exposition_head(struct out *out, const char *name, const char *type, const char *help);

/* One sample: its name, its labels, and a value, which ends it. `suffix` may be "". */
struct sample {
    struct out *out;
    uint32_t    labels;
};
struct sample sample_begin(struct out *out, const char *name, const char *suffix);
void          sample_label(struct sample *sample, const char *key, struct slice value);
void          sample_label_number(struct sample *sample, const char *key, uint64_t value);
void          sample_end(struct sample *sample, int64_t value);
/* The value is `units` of 10^-decimals, `decimals` from 0 to 18. */
void sample_end_decimal(struct sample *sample, int64_t units, uint32_t decimals);

/* A histogram in seconds: the lines of its buckets, its sum and its
   count, each with one label of the caller's (NULL = none). */
void exposition_histogram(struct out *out, const char *name, const char *key, const char *value,
                          const struct histogram_sum *sum);

#endif
