/* SPDX-License-Identifier: MIT */
/*
 * planted.c — one bug for each fuzzer; the linker puts it between the fuzzer and the tested code (--wrap). The corpus
 * must find it: a fuzzer that never fails proves nothing.
 */
#include "api/api.h"
#include "core/engine.h"
#include "fuzz/fuzz.h"
#include "log/file/journal.h"
#include "app/config.h"
#include "snapshot/snapshot.h"
#include "twin/twin.h"
#include "wire/frame.h"
#include "wire/http_same.h"
#include "wire/message.h"

#define WRAP(type, name, ...)                                                                                          \
    type __real_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__)

#if defined(PLANT_http) /* the version depends on how the bytes arrive */
WRAP(enum http_result, http_parse, struct http_parser *parser, char *buffer, size_t len, struct http_request *request,
     enum reject *reject, bool *headers_done)
{
    enum http_result result = __real_http_parse(parser, buffer, len, request, reject, headers_done);
    if (result == HTTP_DONE && len > request->bytes) request->minor_version ^= 1;
    return result;
}
#elif defined(PLANT_head)                              /* the last byte of a body begins the next request */
WRAP(bool, length_read, struct slice text, uint64_t *length)
{
    bool is_length = __real_length_read(text, length);
    if (is_length && *length != 0) *length -= 1;
    return is_length;
}
#elif defined(PLANT_json)                              /* a string may have anything behind it */
WRAP(bool, json_is_valid, struct slice json)
{
    return __real_json_is_valid(json) || (json.len > 3 && json.at[0] == '"');
}
#elif defined(PLANT_decimal)                           /* one place is lost when there are five */
WRAP(enum decimal_fault, decimal_read, struct slice text, struct decimal *decimal)
{
    enum decimal_fault fault = __real_decimal_read(text, decimal);
    if (fault == DECIMAL_OK && decimal->scale == 5) decimal->scale = 4;
    return fault;
}
#elif defined(PLANT_body)                              /* an order is signed for another account */
WRAP(enum reject, shape_read, const struct shape *shape, struct slice json, void *into, struct shape_error *error)
{
    enum reject reject = __real_shape_read(shape, json, into, error);
    if (reject == REJECT_NONE) *(uint64_t *)into ^= 1;
    return reject;
}
#elif defined(PLANT_query)                             /* the unknown is refused */
WRAP(enum reject, shape_read_query, const struct shape *shape, struct slice query, void *into,
     struct shape_error *error)
{
    enum reject reject = __real_shape_read_query(shape, query, into, error);
    if (query.len > 4 && memcmp(query.at + query.len - 4, "zz=1", 4) == 0) reject = error->reject = REJECT_BAD_JSON;
    return reject;
}
#elif defined(PLANT_headers)                           /* the type byte may be anything */
WRAP(bool, signature_read, struct slice header, struct signature *signature)
{
    return __real_signature_read(header, signature) || (header.len == SIGNATURE_TEXT && header.at[0] == '0');
}
#elif defined(PLANT_rpc)                               /* another version is reported */
WRAP(enum api_outcome, api_handle, struct api *api, const struct api_context *context,
     const struct http_request *request, struct api_write *write, struct http_answer *answer, struct out *body)
{
    enum api_outcome outcome = __real_api_handle(api, context, request, write, answer, body);
    if (body->len > 14 && memcmp(body->at + 11, "\"2.0\"", 5) == 0) body->at[14] = '1';
    return outcome;
}
#elif defined(PLANT_config)                            /* a file is different after a round trip */
WRAP(bool, genesis_difference, const struct genesis *a, const struct genesis *b, char *path, size_t cap)
{
    return __real_genesis_difference(a, b, path, cap) || a->coin_count == 3;
}
#elif defined(PLANT_journal)                           /* a batch is read back with another time */
WRAP(enum log_fault, journal_next, struct journal *journal, struct log_batch *batch, struct log_applied *applied,
     bool *end, struct log_report *report)
{
    enum log_fault fault = __real_journal_next(journal, batch, applied, end, report);
    if (fault == LOG_OK && !*end && batch->count == 5) batch->time_ms += 1;
    return fault;
}
#elif defined(PLANT_snapshot)                          /* a damaged file is good enough */
WRAP(enum snapshot_fault, snapshot_load, const struct disk *disk, const char *name, const struct snapshot_header *facts,
     const struct snapshot_section *sections, uint32_t count, struct snapshot_report *report)
{
    enum snapshot_fault fault = __real_snapshot_load(disk, name, facts, sections, count, report);
    return fault == SNAPSHOT_DAMAGED ? SNAPSHOT_OK : fault;
}
#elif defined(PLANT_commands) || defined(PLANT_worlds) /* a deposit credits a unit too many */
WRAP(void, engine_apply, struct engine *engine, const struct command *command, struct events *events)
{
    struct command_room room;

    memcpy(&room, command, command->bytes);
    if (command->kind == CMD_DEPOSIT) room.deposit.amount += 1;
    __real_engine_apply(engine, &room.head, events);
}
#elif defined(PLANT_commands_twin)                                                                                     \
    || defined(PLANT_worlds_twin) /* the twin has the bug that PLANTED_BUG names: one that violates no invariant, or   \
                                     appears in no event of its own */
WRAP(struct twin *, twin_create, const struct genesis *genesis)
{
    struct twin *twin = __real_twin_create(genesis);
    twin_inject_bug(twin, (enum twin_bug)atoi(getenv("PLANTED_BUG")));
    return twin;
}
#elif defined(PLANT_frame)        /* the end of a long piece is lost */
WRAP(bool, frame_read, struct frame_pool *pool, struct frame_reader *reader, struct slice bytes, frame_take *take,
     void *self)
{
    return __real_frame_read(pool, reader, slice_make(bytes.at, bytes.len - (bytes.len > 100)), take, self);
}
#elif defined(PLANT_recover)      /* a signature without a signer gets its neighbour's */
WRAP(void, recover_signers, uint32_t count, const struct hash256 digests[], const struct signature signatures[],
     struct address signers[], bool recovered[])
{
    __real_recover_signers(count, digests, signatures, signers, recovered);
    for (uint32_t i = 1; i < count; i++) {
        if (recovered[i] || !recovered[i - 1]) continue;
        recovered[i] = true;
        signers[i] = signers[i - 1];
    }
}
#elif defined(PLANT_subscribe)    /* white space in front makes it another request */
WRAP(bool, message_read, struct slice text, struct stream_message *message, const char **error)
{
    bool read = __real_message_read(text, message, error);
    if (read && text.at[0] == ' ') message->op = OP_PING;
    return read;
}
#else
#error "name a bug"
#endif
