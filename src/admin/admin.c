/* SPDX-License-Identifier: MIT */
#include "admin/admin.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"
#include "gateway/engine_messages.h"
#include "wire/shape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RING_BYTES (256 * 1024) /* IN_FLIGHT requests at once are a fraction of it */
#define IN_FLIGHT  32           /* also those of peers that have gone since */

static_assert(API_OPERATOR_BYTES <= LOCAL_LINE_MAX, "an answer is a line");

/* A command between its two lines in the audit log. Its text is without a signature. */
struct in_flight {
    struct audit_case   said;
    struct operator_key key;
    char                command[LOCAL_LINE_MAX];
};
static_assert(65536 % IN_FLIGHT == 0, "the low bits of a number name its place");

struct admin {
    struct gateway_shared      *shared;
    struct local               *local;
    struct api                 *api;
    uint32_t                    ring;
    struct audit               *audit;
    struct api_write            write;                /* of the request at hand */
    const struct admin_cluster *cluster;              /* NULL: one node */
    uint64_t                    number;               /* of the last command */
    struct in_flight            in_flight[IN_FLIGHT]; /* by number; said.number 0 = free */
    struct ring                 writes, replies;
};

static bool join(const char *folder, const char *socket, char *path, size_t cap)
{
    int len = socket[0] == '/' ? snprintf(path, cap, "%s", socket) : snprintf(path, cap, "%s/%s", folder, socket);

    return len > 0 && (size_t)len < cap;
}

bool admin_path(const char *folder, char *path, size_t cap)
{
    char   noted[1024], text[512] = ADMIN_SOCKET;
    size_t len;

    if (!join(folder, ADMIN_PATH, noted, sizeof(noted))) return false;
    if (files_read(noted, text, sizeof(text) - 1, &len) == 0) text[len] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text[0] != '\0' && join(folder, text, path, cap);
}

/* The file is there exactly while the socket is elsewhere. 0 or errno. */
static int note_place(const struct disk *disk, const char *socket)
{
    char line[600];
    int  len = snprintf(line, sizeof(line), "%s\n", socket);
    int  error;

    if (strcmp(socket, ADMIN_SOCKET) != 0) return disk->replace(disk->self, ADMIN_PATH, line, (size_t)len);
    error = disk->remove(disk->self, ADMIN_PATH);
    return error == ENOENT ? 0 : error;
}

static void answer(struct admin *admin, uint32_t peer, uint32_t generation, const struct out *text)
{
    assert(!text->overflow);
    local_answer(admin->local, peer, generation, out_slice(text));
}

/* The request is in the audit log before its author gets an answer. */
static void refuse(struct admin *admin, const struct audit_case *record, const struct api_said *said, uint32_t peer,
                   uint32_t generation, const struct out *text)
{
    audit_refused(admin->audit, record, said->reject, said->text);
    answer(admin, peer, generation, text);
}

/* Into the ring; there is room for all that may fly. */
static void push(struct admin *admin, uint32_t peer, uint32_t generation)
{
    const struct command *command = &admin->write.room.head;
    struct slice          input = admin->write.signed_bytes;
    uint64_t              bytes = sizeof(struct write_message) + command->bytes + input.len;
    struct write_message *message = ring_reserve(&admin->writes, bytes);

    assert(message != NULL);
    *message = (struct write_message){
        .origin = origin_pack((struct origin){ admin->ring, peer, generation, (uint32_t)admin->number & 0xffff }),
        .command_bytes = command->bytes,
        .signed_bytes = (uint32_t)input.len,
        .reply_bytes = reply_bytes_max(1),
        .sent_ns = clock_mono_ns(),
    };
    memcpy(message + 1, command, command->bytes);
    memcpy((uint8_t *)(message + 1) + command->bytes, input.at, input.len);
    ring_commit(&admin->writes, bytes);
    park_wake(&admin->shared->engine);
}

/* The next number's place, where the command stays until it is answered; NULL: too many fly. */
static struct in_flight *take_slot(struct admin *admin, const struct audit_case *said)
{
    struct in_flight *in_flight = &admin->in_flight[(admin->number + 1) % IN_FLIGHT];

    if (in_flight->said.number != 0) return NULL;
    assert(said->command.len <= sizeof(in_flight->command));
    memcpy(in_flight->command, said->command.at, said->command.len);
    in_flight->said = *said;
    in_flight->said.command.at = in_flight->command;
    if (said->confirmed != NULL) {
        in_flight->key = *said->confirmed;
        in_flight->said.confirmed = &in_flight->key;
    }
    in_flight->said.number = admin->number + 1;
    return in_flight;
}

/* Whose leader is known. A user's write is forwarded there, an operator's is not: the audit log is the node's. */
static bool follows(struct admin *admin, char leader[LEADER_URL_BYTES])
{
    return admin->cluster != NULL && atomic_load_explicit(&admin->shared->role, memory_order_relaxed) == NODE_FOLLOWER
        && leader_url_get(&admin->shared->leader, leader);
}

/* The reason that keeps a command out of the log; NULL lets it go there. */
static enum reject take(struct admin *admin, const struct api_context *context, const struct audit_case *said,
                        uint32_t peer, uint32_t generation)
{
    struct in_flight *in_flight = NULL;
    char              leader[LEADER_URL_BYTES];

    if (follows(admin, leader)) return REJECT_NO_LEADER;
    if (context->ready && atomic_load_explicit(&admin->shared->shed, memory_order_relaxed) == 0)
        in_flight = take_slot(admin, said);
    if (in_flight == NULL) return REJECT_BUSY;
    if (!audit_asked(admin->audit, &in_flight->said)) {
        in_flight->said.number = 0;
        return REJECT_NOT_AUDITED;
    }
    admin->number += 1;
    push(admin, peer, generation);
    return REJECT_NONE;
}

/* ---- a node among others ---- */

#define HAND_OVER "{\"type\":\"handover\",\"params\":{\"to\":\""

/* {"type":"handover","params":{"to":"NODE"}}: the node's name, without escapes. */
static bool is_hand_over(struct slice line, char to[64])
{
    char       room[256];
    struct out text = out_make(room, sizeof(room));
    size_t     head = sizeof(HAND_OVER) - 1, len;

    if (!json_is_valid(line)) return false;
    json_compact(line, &text);
    if (text.overflow || text.len < head + 3 || memcmp(room, HAND_OVER, head) != 0
        || memcmp(room + text.len - 3, "\"}}", 3) != 0)
        return false;
    len = text.len - head - 3;
    if (len >= 64 || memchr(room + head, '"', len) != NULL || memchr(room + head, '\\', len) != NULL) return false;
    memcpy(to, room + head, len);
    to[len] = '\0';
    return true;
}

static void write_outcome(struct out *out, const struct api_context *context, bool done, const char *outcome)
{
    out_literal(out, "{\"code\":");
    out_u64(out, done ? 0 : (uint64_t)reject_row(REJECT_MODE_FORBIDS)->code);
    out_literal(out, ",\"timestamp\":");
    out_i64(out, context->now_ms);
    out_text(out, done ? ",\"data\":{\"type\":\"handover\",\"outcome\":" : ",\"error\":");
    json_write_string(out, slice_of(outcome));
    out_text(out, done ? "}}" : "}");
}

/* It is no command of the log: the operators' thread waits for it, and it is in the audit log as any request. */
static void hand_over(struct admin *admin, const struct api_context *context, struct audit_case *record, const char *to,
                      struct out *text)
{
    char outcome[256] = "this exchange has a log of its own: there is no other node";
    bool done = false;

    record->command = record->line;
    record->number = ++admin->number;
    if (!audit_asked(admin->audit, record)) {
        api_operator_refuse(context, REJECT_NOT_AUDITED, text);
        return;
    }
    if (admin->cluster != NULL) done = admin->cluster->hand_over(admin->cluster->self, to, outcome, sizeof(outcome));
    if (done) audit_answered(admin->audit, record, REJECT_NONE, &(struct reply_message){ .seq = 0 });
    else audit_refused(admin->audit, record, REJECT_MODE_FORBIDS, outcome);
    write_outcome(text, context, done, outcome);
}

void admin_share(struct admin *admin, const struct admin_cluster *cluster) { admin->cluster = cluster; }

/* ---- lines ---- */

/* Instead of the log: the command is refused. */
static void refuse_command(struct admin *admin, const struct api_context *context, struct api_said *said,
                           struct out *text)
{
    char leader[LEADER_URL_BYTES];

    said->text = reject_row(said->reject)->text;
    if (said->reject == REJECT_NO_LEADER && follows(admin, leader)) api_operator_elsewhere(context, leader, text);
    else api_operator_refuse(context, said->reject, text);
}

static void on_line(void *self, uint32_t peer, uint32_t generation, struct slice line)
{
    struct admin      *admin = self;
    struct api_context context = gateway_context(admin->shared);
    char               room[API_OPERATOR_BYTES - 1];
    struct out         text = out_make(room, sizeof(room));
    struct api_said    said;
    enum api_outcome   outcome;
    struct audit_case  record = { .engine_ms = context.now_ms, .who = local_who(admin->local, peer), .line = line };
    char               to[64];

    if (is_hand_over(line, to)) {
        hand_over(admin, &context, &record, to, &text);
        answer(admin, peer, generation, &text);
        return;
    }
    outcome = api_operator(admin->api, &context, line, &admin->write, &said, &text);
    record.confirmed = said.confirmed;
    record.stranger = said.stranger;
    record.command = said.command;
    if (outcome == API_COMMAND) {
        said.reject = take(admin, &context, &record, peer, generation);
        if (said.reject == REJECT_NONE) return;
        refuse_command(admin, &context, &said, &text);
    }
    if (said.only_looks) answer(admin, peer, generation, &text);
    else refuse(admin, &record, &said, peer, generation, &text);
}

static void take_reply(struct admin *admin, const struct reply_message *message)
{
    struct origin      origin = origin_unpack(message->origin);
    struct in_flight  *in_flight = &admin->in_flight[origin.request % IN_FLIGHT];
    struct api_context context = gateway_context(admin->shared);
    char               room[API_OPERATOR_BYTES - 1];
    struct out         text = out_make(room, sizeof(room));
    struct api_result  result;
    enum reject        reject;

    assert(in_flight->said.number != 0 && (in_flight->said.number & 0xffff) == origin.request);
    result.events =
        (struct events){ (uint8_t *)(uintptr_t)(message + 1), message->events_bytes, message->events_bytes };
    result.is_transaction = message->is_transaction != 0;
    result.place = message->place;
    reject = api_operator_reply(&context, in_flight->said.command, &result, &text);
    in_flight->said.engine_ms = context.now_ms;
    audit_answered(admin->audit, &in_flight->said, reject, message);
    in_flight->said.number = 0;
    answer(admin, origin.slot, origin.generation, &text); /* the peer may have gone */
}

static void on_stranger(void *self, struct local_who who) { audit_stranger(((struct admin *)self)->audit, who); }

static void on_woken(void *self)
{
    struct admin *admin = self;
    void         *message;
    uint64_t      bytes;

    hold_here(admin->shared->hold);
    for (; (message = ring_peek(&admin->replies, &bytes)) != NULL; ring_next(&admin->replies))
        take_reply(admin, message);
}

static bool open_local(struct admin *admin, const struct admin_place *place, const struct disk *disk,
                       struct local_fault *fault)
{
    const struct local_owner owner = { admin, on_line, on_woken, on_stranger };
    const char              *socket = place->socket != NULL ? place->socket : ADMIN_SOCKET;
    char                     path[1024];
    int                      error;

    if (!join(place->folder, socket, path, sizeof(path))) {
        *fault = (struct local_fault){ ENAMETOOLONG, "the path is too long for a socket" };
        return false;
    }
    admin->local = local_open(path, &owner, fault);
    if (admin->local == NULL) return false;
    error = note_place(disk, socket);
    if (error == 0) return true;
    fault->code = error;
    (void)snprintf(fault->text, sizeof(fault->text), "%.200s/" ADMIN_PATH ": %s", place->folder, strerror(error));
    return false;
}

struct admin *admin_open(struct gateway_shared *shared, const struct admin_place *place, const struct disk *disk,
                         struct audit *audit, uint32_t ring, struct local_fault *fault)
{
    struct admin *admin = files_take_memory(sizeof(*admin));
    void         *api = files_take_memory(api_size(shared->api));
    void         *writes = files_take_memory(RING_BYTES), *replies = files_take_memory(RING_BYTES);

    *fault = (struct local_fault){ 0, "not enough memory" };
    if (admin == NULL || api == NULL || writes == NULL || replies == NULL) return NULL;
    admin->shared = shared;
    admin->ring = ring;
    admin->audit = audit;
    admin->api = api_init(api, shared->api);
    ring_init(&admin->writes, writes, RING_BYTES);
    ring_init(&admin->replies, replies, RING_BYTES);
    if (open_local(admin, place, disk, fault)) return admin;
    admin_close(admin);
    return NULL;
}

void admin_close(struct admin *admin)
{
    if (admin->local != NULL) local_close(admin->local);
    files_give_memory(admin->api, api_size(admin->shared->api));
    files_give_memory(admin->writes.at, RING_BYTES);
    files_give_memory(admin->replies.at, RING_BYTES);
    files_give_memory(admin, sizeof(*admin));
}

void admin_touch(struct admin *admin)
{
    memory_touch(admin, sizeof(*admin));
    memory_touch(admin->api, api_size(admin->shared->api));
    memory_touch(admin->writes.at, RING_BYTES);
    memory_touch(admin->replies.at, RING_BYTES);
}

void         admin_run(struct admin *admin) { local_run(admin->local); }
struct ring *admin_writes(struct admin *admin) { return &admin->writes; }
struct ring *admin_replies(struct admin *admin) { return &admin->replies; }
void         admin_wake(struct admin *admin) { local_wake(admin->local); }
void         admin_stop(struct admin *admin) { local_stop(admin->local); }
