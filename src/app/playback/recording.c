/* SPDX-License-Identifier: MIT */
#include "app/playback/recording.h"

#include "base/out.h"
#include "wire/shape.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_WORDS "{\"dojima\":\"recording\","
#define LINE_MORE   256 /* of a line, besides its value */

static int put(struct recording *recording, struct slice line)
{
    keccak_add(&recording->hash, line.at, line.len);
    keccak_add(&recording->hash, "\n", 1);
    recording->lines++;
    return lines_put(&recording->writer, line);
}

int recording_create(struct recording *recording, const char *path, const char *url, int64_t now_ms)
{
    char       text[1024];
    struct out out = out_make(text, sizeof(text));
    int        error;

    *recording = (struct recording){ .last_ms = now_ms };
    keccak_init(&recording->hash);
    out_literal(&out, FIRST_WORDS "\"version\":");
    out_u64(&out, RECORDING_VERSION);
    out_literal(&out, ",\"url\":");
    json_write_string(&out, slice_of(url));
    out_literal(&out, ",\"t\":");
    out_i64(&out, now_ms);
    out_char(&out, '}');
    if (out.overflow) return ENAMETOOLONG;
    error = lines_create(&recording->writer, path);
    return error != 0 ? error : put(recording, out_slice(&out));
}

int recording_add(struct recording *recording, int64_t now_ms, const char *base, const char *key, struct slice value)
{
    size_t     cap = value.len + LINE_MORE;
    struct out out = out_make(malloc(cap), cap);
    int        error;

    if (out.at == NULL) return ENOMEM;
    recording->last_ms = max_i64(recording->last_ms, now_ms);
    out_literal(&out, "{\"t\":");
    out_i64(&out, recording->last_ms);
    if (base != NULL) {
        out_literal(&out, ",\"base\":\"");
        out_text(&out, base);
        out_char(&out, '"');
    }
    out_literal(&out, ",\"");
    out_text(&out, key);
    out_literal(&out, "\":");
    out_slice_put(&out, value);
    out_char(&out, '}');
    assert(!out.overflow);
    error = put(recording, out_slice(&out));
    free(out.at);
    return error;
}

int recording_finish(struct recording *recording, int64_t now_ms)
{
    char           text[256];
    struct out     out = out_make(text, sizeof(text));
    struct hash256 hash = keccak_end(&recording->hash);
    int            error, finished;

    out_literal(&out, "{\"end\":");
    out_i64(&out, max_i64(recording->last_ms, now_ms));
    out_literal(&out, ",\"lines\":");
    out_u64(&out, recording->lines);
    out_literal(&out, ",\"keccak256\":\"0x");
    out_hex(&out, hash.bytes, sizeof(hash.bytes));
    out_literal(&out, "\"}");
    error = lines_put(&recording->writer, out_slice(&out));
    finished = lines_finish(&recording->writer);
    return error != 0 ? error : finished;
}

bool recording_begins(struct slice line)
{
    return line.len >= sizeof(FIRST_WORDS) - 1 && memcmp(line.at, FIRST_WORDS, sizeof(FIRST_WORDS) - 1) == 0;
}
