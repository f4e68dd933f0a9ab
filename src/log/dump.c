/* SPDX-License-Identifier: MIT */
#include "log/dump.h"

#include <stdlib.h>
#include <zstd.h>

#define VERSION   1
#define LEVEL     3
#define BYTES_MAX ((size_t)4 << 30) /* unpacked */
#define CHECK     8

struct dump_head {
    char     magic[8];
    uint32_t version, engine;
};
struct batch_head {
    uint64_t       first_seq;
    int64_t        time_ms;
    uint32_t       count, bytes;
    uint64_t       block;
    struct hash256 block_hash;
};

/* ---- writing ---- */

static bool make_room(struct dump_writer *writer, size_t bytes)
{
    size_t   cap = writer->cap == 0 ? 65536 : writer->cap;
    uint8_t *at;

    if (writer->len + bytes <= writer->cap) return true;
    while (cap < writer->len + bytes) cap *= 2;
    at = realloc(writer->at, cap);
    if (at == NULL) return false;
    writer->at = at;
    writer->cap = cap;
    return true;
}

static void push(struct dump_writer *writer, const void *bytes, size_t len, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = { bytes, len, 0 };
    size_t        left = 1;

    while (!writer->failed && (in.pos < in.size || (end == ZSTD_e_end && left != 0))) {
        ZSTD_outBuffer out;

        if (!make_room(writer, ZSTD_CStreamOutSize())) {
            writer->failed = true;
            return;
        }
        out = (ZSTD_outBuffer){ writer->at, writer->cap, writer->len };
        left = ZSTD_compressStream2(writer->stream, &out, &in, end);
        writer->len = out.pos;
        writer->too_large = writer->len > writer->max;
        writer->failed = writer->too_large || ZSTD_isError(left);
    }
}

static void put(struct dump_writer *writer, const void *bytes, size_t len)
{
    static const uint8_t zeros[8];

    keccak_add(&writer->keccak, bytes, len);
    push(writer, bytes, len, ZSTD_e_continue);
    if (len % 8 == 0) return;
    keccak_add(&writer->keccak, zeros, 8 - len % 8);
    push(writer, zeros, 8 - len % 8, ZSTD_e_continue);
}

void dump_begin(struct dump_writer *writer, struct slice genesis, size_t max)
{
    struct dump_head head = { "DOJIMADP", VERSION, LOG_ENGINE_VERSION };
    uint64_t         bytes = genesis.len;

    *writer = (struct dump_writer){ .stream = ZSTD_createCCtx(), .max = max };
    keccak_init(&writer->keccak);
    writer->failed = writer->stream == NULL || !make_room(writer, sizeof(head))
                  || ZSTD_isError(ZSTD_CCtx_setParameter(writer->stream, ZSTD_c_compressionLevel, LEVEL));
    if (writer->failed) return;
    memcpy(writer->at, &head, sizeof(head));
    writer->len = sizeof(head);
    put(writer, &bytes, sizeof(bytes));
    put(writer, genesis.at, genesis.len);
}

void dump_add(struct dump_writer *writer, const struct log_batch *batch, const struct log_applied *claim)
{
    struct batch_head head = { batch->first_seq, batch->time_ms, batch->count, (uint32_t)(batch->len - LOG_BATCH_HEAD),
                               claim->number,    claim->hash };

    if (writer->failed || batch->count == 0) return; /* a closing batch proves the tail of its own log */
    put(writer, &head, sizeof(head));
    put(writer, batch->at + LOG_BATCH_HEAD, head.bytes);
}

bool dump_end(struct dump_writer *writer, struct slice *bytes)
{
    struct hash256 hash = keccak_end(&writer->keccak);

    push(writer, hash.bytes, CHECK, ZSTD_e_end);
    ZSTD_freeCCtx(writer->stream);
    if (writer->failed) {
        free(writer->at);
        *bytes = (struct slice){ NULL, 0 };
        return false;
    }
    *bytes = slice_make((const char *)writer->at, writer->len);
    return true;
}

/* ---- reading ---- */

static bool fail(struct dump_reader *reader, const char *wrong)
{
    reader->wrong = wrong;
    return false;
}

static bool unpack(struct dump_reader *reader, struct slice packed)
{
    ZSTD_DCtx    *stream = ZSTD_createDCtx();
    ZSTD_inBuffer in = { packed.at, packed.len, 0 };
    size_t        cap = 0, left = 1;

    while (stream != NULL && left != 0 && !ZSTD_isError(left)) {
        ZSTD_outBuffer out;

        if (reader->len == cap) {
            uint8_t *at = cap < BYTES_MAX ? realloc(reader->at, cap = cap == 0 ? 1 << 20 : 2 * cap) : NULL;

            if (at == NULL) break;
            reader->at = at;
        }
        out = (ZSTD_outBuffer){ reader->at, cap, reader->len };
        left = ZSTD_decompressStream(stream, &out, &in);
        if (out.pos == reader->len && in.pos == in.size && left != 0 && !ZSTD_isError(left)) break; /* it is cut */
        reader->len = out.pos;
    }
    ZSTD_freeDCtx(stream);
    return left == 0 && in.pos == in.size;
}

static bool is_whole(const struct dump_reader *reader)
{
    struct hash256 hash;

    if (reader->len < 8 + CHECK || reader->len % 8 != 0) return false;
    hash = keccak256(reader->at, reader->len - CHECK);
    return memcmp(hash.bytes, reader->at + reader->len - CHECK, CHECK) == 0;
}

/* Each batch is where the one before it ends, and its records are what a log would take. */
static bool judge_batches(const struct dump_reader *reader)
{
    struct batch_head head;
    uint64_t          next_seq = 1;
    size_t            at = reader->next, end = reader->len - CHECK;

    for (; at < end; at += head.bytes) {
        size_t offset = 0;

        if (end - at < sizeof(head)) return false;
        memcpy(&head, reader->at + at, sizeof(head));
        at += sizeof(head);
        if (head.bytes > end - at || head.count == 0 || head.first_seq != next_seq) return false;
        for (uint32_t i = 0; i < head.count; i++) {
            const uint8_t *record = reader->at + at + offset;

            if (!log_record_is_valid(record, head.bytes - offset, head.first_seq, i, head.time_ms)) return false;
            offset += ((const struct log_record_header *)(const void *)record)->bytes;
        }
        if (offset != head.bytes) return false;
        next_seq += head.count;
    }
    return true;
}

bool dump_open(struct dump_reader *reader, struct slice bytes)
{
    struct dump_head head;
    uint64_t         genesis;

    *reader = (struct dump_reader){ .at = NULL };
    if (bytes.len < sizeof(head) || memcmp(bytes.at, "DOJIMADP", 8) != 0) return fail(reader, "it is no state");
    memcpy(&head, bytes.at, sizeof(head));
    if (head.version != VERSION || head.engine != LOG_ENGINE_VERSION) return fail(reader, "it is of another version");
    if (!unpack(reader, slice_make(bytes.at + sizeof(head), bytes.len - sizeof(head))) || !is_whole(reader))
        return fail(reader, "it is cut or damaged");
    memcpy(&genesis, reader->at, sizeof(genesis));
    if (genesis > reader->len - 8 - CHECK) return fail(reader, "it is damaged");
    reader->genesis = slice_make((const char *)reader->at + 8, (size_t)genesis);
    reader->next = 8 + align_up((size_t)genesis, 8);
    return judge_batches(reader) || fail(reader, "its commands do not follow one another");
}

void dump_close(struct dump_reader *reader)
{
    free(reader->at);
    *reader = (struct dump_reader){ 0 };
}

bool dump_next(struct dump_reader *reader, struct log_batch *batch, struct log_applied *claim)
{
    struct batch_head head;

    if (reader->next >= reader->len - CHECK) return false;
    memcpy(&head, reader->at + reader->next, sizeof(head));
    assert(LOG_BATCH_HEAD + head.bytes + sizeof(struct hash256) + LOG_BATCH_BLOCK <= batch->cap);
    log_batch_begin(batch, head.first_seq, head.time_ms);
    memcpy(batch->at + LOG_BATCH_HEAD, reader->at + reader->next + sizeof(head), head.bytes);
    batch->len += head.bytes;
    batch->count = head.count;
    *claim = (struct log_applied){ head.block, head.block_hash };
    reader->next += sizeof(head) + head.bytes;
    return true;
}
