/* SPDX-License-Identifier: MIT */
#include "wire/exposition.h"

#define NANOSECOND 9 /* decimals of a second */

/* Text of a HELP line, or (quoted) of a label. */
static void put_escaped(struct out *out, struct slice text, bool quoted)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '\n') out_literal(out, "\\n");
        else if (c == '\\') out_literal(out, "\\\\");
        else if (c == '"' && quoted) out_literal(out, "\\\"");
        else out_char(out, c);
    }
}

void exposition_head(struct out *out, const char *name, const char *type, const char *help)
{
    out_literal(out, "# HELP ");
    out_text(out, name);
    out_char(out, ' ');
    put_escaped(out, slice_of(help), false);
    out_literal(out, "\n# TYPE ");
    out_text(out, name);
    out_char(out, ' ');
    out_text(out, type);
    out_char(out, '\n');
}

struct sample sample_begin(struct out *out, const char *name, const char *suffix)
{
    out_text(out, name);
    out_text(out, suffix);
    return (struct sample){ out, 0 };
}

static void label_begin(struct sample *sample, const char *key)
{
    out_char(sample->out, sample->labels++ == 0 ? '{' : ',');
    out_text(sample->out, key);
    out_literal(sample->out, "=\"");
}

void sample_label(struct sample *sample, const char *key, struct slice value)
{
    label_begin(sample, key);
    put_escaped(sample->out, value, true);
    out_char(sample->out, '"');
}

void sample_label_number(struct sample *sample, const char *key, uint64_t value)
{
    label_begin(sample, key);
    out_u64(sample->out, value);
    out_char(sample->out, '"');
}

static void value_begin(struct sample *sample)
{
    if (sample->labels != 0) out_char(sample->out, '}');
    out_char(sample->out, ' ');
}

void sample_end(struct sample *sample, int64_t value)
{
    value_begin(sample);
    out_i64(sample->out, value);
    out_char(sample->out, '\n');
}

/* Integer and fraction, which loses its zeros at the end. */
static void put_decimal(struct out *out, int64_t units, uint32_t decimals)
{
    uint64_t one = (uint64_t)pow10_i64((int)decimals), size = units < 0 ? 0 - (uint64_t)units : (uint64_t)units,
             rest = size % one;

    if (units < 0) out_char(out, '-');
    out_u64(out, size / one);
    if (rest == 0) return;
    out_char(out, '.');
    for (one /= 10; rest != 0; one /= 10) {
        out_char(out, (char)('0' + rest / one));
        rest %= one;
    }
}

void sample_end_decimal(struct sample *sample, int64_t units, uint32_t decimals)
{
    value_begin(sample);
    put_decimal(sample->out, units, decimals);
    out_char(sample->out, '\n');
}

static struct sample part_begin(struct out *out, const char *name, const char *suffix, const char *key,
                                const char *value)
{
    struct sample sample = sample_begin(out, name, suffix);

    if (key != NULL) sample_label(&sample, key, slice_of(value));
    return sample;
}

void exposition_histogram(struct out *out, const char *name, const char *key, const char *value,
                          const struct histogram_sum *sum)
{
    struct sample sample;
    uint64_t      count = 0;

    for (uint32_t i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        count += sum->buckets[i];
        sample = part_begin(out, name, "_bucket", key, value);
        label_begin(&sample, "le");
        if (i < HISTOGRAM_BOUNDS) put_decimal(out, (int64_t)histogram_bound(i), NANOSECOND);
        else out_literal(out, "+Inf");
        out_char(out, '"');
        sample_end(&sample, (int64_t)count);
    }
    sample = part_begin(out, name, "_sum", key, value);
    sample_end_decimal(&sample, (int64_t)sum->sum_ns, NANOSECOND);
    sample = part_begin(out, name, "_count", key, value);
    sample_end(&sample, (int64_t)count);
}
