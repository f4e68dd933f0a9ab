/* SPDX-License-Identifier: MIT */
#include "admin/audit.h"

#include "io/child.h"
#include "io/clock.h"
#include "io/files.h"
#include "diagnostics/program_log.h"

#include <stdio.h>

#define SHOWN_OF_LINE 120 /* of an unreadable request: too short for a whole signature */

void audit_init(struct audit *audit, const char *folder)
{
    memset(audit, 0, offsetof(struct audit, kept)); /* its length is 0 */
    audit->folder = folder;
}

/* ---- one line ---- */

/* `room` has AUDIT_LINE_MAX bytes; end_line keeps two of them. */
static struct out begin_line(char *room, const char *event)
{
    struct out out = out_make(room, AUDIT_LINE_MAX - 2);

    out_literal(&out, "{\"time\":");
    out_i64(&out, clock_wall_ms());
    out_literal(&out, ",\"event\":\"");
    out_text(&out, event);
    out_char(&out, '"');
    return out;
}

static void put_number(struct out *out, const char *key, uint64_t number)
{
    out_literal(out, ",\"");
    out_text(out, key);
    out_literal(out, "\":");
    out_u64(out, number);
}

static void put_text(struct out *out, const char *key, struct slice text)
{
    out_literal(out, ",\"");
    out_text(out, key);
    out_literal(out, "\":");
    json_write_string(out, text);
}

static void put_bytes(struct out *out, const char *key, const uint8_t *bytes, size_t len)
{
    out_literal(out, ",\"");
    out_text(out, key);
    out_literal(out, "\":\"0x");
    out_hex(out, bytes, len);
    out_char(out, '"');
}

static void put_hash(struct out *out, const char *key, const struct hash256 *hash)
{
    put_bytes(out, key, hash->bytes, sizeof(hash->bytes));
}

static struct slice end_line(struct out *out)
{
    assert(!out->overflow); /* every member of a line is short */
    out->cap += 2;
    out_literal(out, "}\n");
    return out_slice(out);
}

static int append(struct audit *audit, struct slice lines)
{
    int error = files_append(audit->folder, AUDIT_LOG, lines);

    if (error != 0) tally_add(&audit->failures, 1);
    return error;
}

/* Says once that it has begun to fail, and once that it is over. */
static bool write_line(struct audit *audit, struct slice lines)
{
    int error = append(audit, lines);

    if (atomic_exchange(&audit->failing, error != 0) == (error != 0)) return error == 0;
    if (error != 0)
        log_line(LOG_ERROR, "%s/" AUDIT_LOG " cannot be written: %s; commands of operators are refused until it can",
                 audit->folder, strerror(error));
    else log_line(LOG_WARN, "%s/" AUDIT_LOG " is written again", audit->folder);
    return error == 0;
}

/* ---- commands of operators ---- */

static void put_case(struct out *out, const struct audit_case *said)
{
    static const struct address nobody;

    if (said->number != 0) put_number(out, "number", said->number);
    put_number(out, "engineTime", (uint64_t)said->engine_ms);
    put_number(out, "pid", said->who.pid);
    put_number(out, "uid", said->who.uid);
    if (said->confirmed != NULL) {
        put_bytes(out, "signer", said->confirmed->address.bytes, sizeof(said->confirmed->address.bytes));
        if (said->confirmed->name.len != 0) put_text(out, "signerName", name_slice(&said->confirmed->name));
    }
    if (!address_equal(&said->stranger, &nobody))
        put_bytes(out, "wrongSigner", said->stranger.bytes, sizeof(said->stranger.bytes));
    if (said->command.len != 0) {
        out_literal(out, ",\"command\":");
        out_slice_put(out, said->command);
    } else {
        put_text(out, "line", slice_make(said->line.at, min_size(said->line.len, SHOWN_OF_LINE)));
    }
}

static void put_answer(struct out *out, enum reject reject, const char *text)
{
    put_number(out, "code", reject == REJECT_NONE ? 0 : (uint64_t)reject_row(reject)->code);
    if (reject != REJECT_NONE) put_text(out, "error", slice_of(text));
}

/* A line that could not be written earlier comes first. */
static bool write_kept(struct audit *audit)
{
    if (audit->kept_len == 0) return true;
    if (!write_line(audit, slice_make(audit->kept, audit->kept_len))) return false;
    audit->kept_len = 0;
    return true;
}

static void keep(struct audit *audit, struct slice line)
{
    if (line.len > sizeof(audit->kept) - audit->kept_len) {
        log_line(LOG_ERROR, "a line for " AUDIT_LOG " is lost: %.*s", (int)line.len - 1, line.at);
        return;
    }
    memcpy(audit->kept + audit->kept_len, line.at, line.len);
    audit->kept_len += line.len;
}

bool audit_asked(struct audit *audit, const struct audit_case *said)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "asked");

    put_case(&out, said);
    return write_kept(audit) && write_line(audit, end_line(&out));
}

void audit_answered(struct audit *audit, const struct audit_case *said, enum reject reject,
                    const struct reply_message *reply)
{
    char         room[AUDIT_LINE_MAX];
    struct out   out = begin_line(room, "answered");
    struct slice line;

    put_case(&out, said);
    put_answer(&out, reject, reject == REJECT_NONE ? "" : reject_row(reject)->text);
    put_number(&out, "seq", reply->seq);
    if (reply->is_transaction != 0) {
        put_hash(&out, "tx", &reply->place.hash);
        put_number(&out, "block", reply->place.block);
        put_number(&out, "index", reply->place.index);
    }
    out_text(&out, reply->repeated != 0 ? ",\"repeated\":true" : "");
    line = end_line(&out);
    if (!write_kept(audit) || !write_line(audit, line)) keep(audit, line);
}

void audit_refused(struct audit *audit, const struct audit_case *said, enum reject reject, const char *text)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "refused");

    put_case(&out, said);
    put_answer(&out, reject, text);
    if (write_kept(audit)) (void)write_line(audit, end_line(&out));
}

void audit_stranger(struct audit *audit, struct local_who who)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "stranger");

    put_number(&out, "pid", who.pid);
    put_number(&out, "uid", who.uid);
    (void)write_line(audit, end_line(&out));
}

/* ---- the life of the process ---- */

static void put_position(struct out *out, const struct audit_position *place)
{
    put_number(out, "seq", place->seq);
    put_number(out, "block", place->block);
    put_hash(out, "blockHash", &place->block_hash);
    put_hash(out, "chain", &place->chain);
}

void audit_started(struct audit *audit, const struct audit_start *start)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "started");

    put_number(&out, "pid", child_self());
    put_text(&out, "version", SLICE(DOJIMA_VERSION));
    put_text(&out, "commit", slice_of(build_commit));
    put_hash(&out, "genesis", &start->genesis);
    if (start->config != NULL) put_hash(&out, "config", start->config);
    put_number(&out, "operators", start->operators);
    put_position(&out, &start->place);
    put_hash(&out, "state", &start->state);
    (void)write_line(audit, end_line(&out));
}

void audit_not_started(struct audit *audit, int code, const char *reason)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "notStarted");

    put_number(&out, "pid", child_self());
    put_text(&out, "version", SLICE(DOJIMA_VERSION));
    put_text(&out, "commit", slice_of(build_commit));
    put_number(&out, "exit", (uint64_t)code);
    put_text(&out, "reason", slice_of(reason));
    (void)append(audit, end_line(&out));
}

void audit_torn(struct audit *audit, uint64_t bytes, uint64_t after_seq, const char *kept)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "torn");

    put_number(&out, "bytes", bytes);
    put_number(&out, "afterSeq", after_seq);
    put_text(&out, "kept", slice_of(kept));
    (void)write_line(audit, end_line(&out));
}

void audit_head(struct audit *audit, uint64_t seq, uint64_t block, const struct hash256 *hash)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "head");

    put_number(&out, "seq", seq);
    put_number(&out, "block", block);
    put_hash(&out, "blockHash", hash);
    (void)write_line(audit, end_line(&out));
}

void audit_stopped(struct audit *audit, int code, const struct audit_position *place)
{
    char       room[AUDIT_LINE_MAX];
    struct out out = begin_line(room, "stopped");

    put_number(&out, "pid", child_self());
    put_number(&out, "exit", (uint64_t)code);
    put_position(&out, place);
    if (write_kept(audit)) (void)write_line(audit, end_line(&out));
}
