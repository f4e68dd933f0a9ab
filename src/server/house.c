/* SPDX-License-Identifier: MIT */
#include "server/house.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"
#include "server/engine_messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RING_BYTES (256 * 1024)         /* IN_FLIGHT requests at once are a fraction of it */
#define IN_FLIGHT  32                   /* also those of peers that have gone since        */

static_assert(API_OPERATOR_BYTES <= LOCAL_LINE_MAX, "an answer is a line");

/* A command between its two lines in the audit log. Its text is without a signature. */
struct flying { struct audit_case said; struct operator_key key; char command[LOCAL_LINE_MAX]; };
static_assert(65536 % IN_FLIGHT == 0, "the low bits of a number name its place");

struct house {
    struct gateway_shared *shared;
    struct local          *local;
    struct api            *api;
    uint32_t               ring;
    struct audit          *audit;
    struct api_write       write;               /* of the request at hand */
    uint64_t               number;              /* of the last command    */
    struct flying          flying[IN_FLIGHT];   /* by number; said.number 0 = free */
    struct ring            writes, replies;
};

static bool join(const char *folder, const char *socket, char *path, size_t cap)
{
    int len = socket[0] == '/' ? snprintf(path, cap, "%s", socket) : snprintf(path, cap, "%s/%s", folder, socket);

    return len > 0 && (size_t)len < cap;
}

bool house_path(const char *folder, char *path, size_t cap)
{
    char   noted[1024], text[512] = HOUSE_SOCKET;
    size_t len;

    if (!join(folder, HOUSE_PATH, noted, sizeof(noted))) return false;
    if (files_read(noted, text, sizeof(text) - 1, &len) == 0) text[len] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text[0] != '\0' && join(folder, text, path, cap);
}

/* The file is there exactly while the socket is elsewhere. 0 or errno. */
static int note_place(const struct disk *disk, const char *socket)
{
    char   line[600];
    int    len = snprintf(line, sizeof(line), "%s\n", socket);
    int    error;

    if (strcmp(socket, HOUSE_SOCKET) != 0) return disk->replace(disk->self, HOUSE_PATH, line, (size_t)len);
    error = disk->remove(disk->self, HOUSE_PATH);
    return error == ENOENT ? 0 : error;
}

static void answer(struct house *house, uint32_t peer, uint32_t generation, const struct out *text)
{
    assert(!text->overflow);
    local_answer(house->local, peer, generation, out_slice(text));
}

/* It is on record before its author knows. */
static void refuse(struct house *house, const struct audit_case *record, const struct api_said *said, uint32_t peer, uint32_t generation,
                   const struct out *text)
{
    audit_refused(house->audit, record, said->reject, said->text);
    answer(house, peer, generation, text);
}

/* Into the ring; there is room for all that may fly. */
static void push(struct house *house, uint32_t peer, uint32_t generation)
{
    const struct command *command = &house->write.room.head;
    struct slice          input = house->write.signed_bytes;
    uint64_t              bytes = sizeof(struct write_message) + command->bytes + input.len;
    struct write_message *message = ring_reserve(&house->writes, bytes);

    assert(message != NULL);
    *message = (struct write_message){
        .origin = origin_pack((struct origin){ house->ring, peer, generation, (uint32_t)house->number & 0xffff }),
        .command_bytes = command->bytes, .signed_bytes = (uint32_t)input.len, .reply_bytes = reply_bytes_max(1),
        .sent_ns = clock_mono_ns(),
    };
    memcpy(message + 1, command, command->bytes);
    memcpy((uint8_t *)(message + 1) + command->bytes, input.at, input.len);
    ring_commit(&house->writes, bytes);
    park_wake(&house->shared->engine);
}

/* The next number's place, where the command stays until it is answered; NULL: too many fly. */
static struct flying *take_place(struct house *house, const struct audit_case *said)
{
    struct flying *flying = &house->flying[(house->number + 1) % IN_FLIGHT];

    if (flying->said.number != 0) return NULL;
    assert(said->command.len <= sizeof(flying->command));
    memcpy(flying->command, said->command.at, said->command.len);
    flying->said = *said;
    flying->said.command.at = flying->command;
    if (said->confirmed != NULL) {
        flying->key = *said->confirmed;
        flying->said.confirmed = &flying->key;
    }
    flying->said.number = house->number + 1;
    return flying;
}

/* What keeps a command from the log that could go there; it goes, unless this says why not. */
static enum reject take(struct house *house, const struct api_context *context, const struct audit_case *said, uint32_t peer, uint32_t generation)
{
    struct flying *flying = NULL;

    if (context->ready && atomic_load_explicit(&house->shared->shed, memory_order_relaxed) == 0) flying = take_place(house, said);
    if (flying == NULL) return REJECT_BUSY;
    if (!audit_asked(house->audit, &flying->said)) {
        flying->said.number = 0;
        return REJECT_NOT_AUDITED;
    }
    house->number += 1;
    push(house, peer, generation);
    return REJECT_NONE;
}

static void on_line(void *self, uint32_t peer, uint32_t generation, struct slice line)
{
    struct house      *house = self;
    struct api_context context = gateway_context(house->shared);
    char               room[API_OPERATOR_BYTES - 1];
    struct out         text = out_make(room, sizeof(room));
    struct api_said    said;
    enum api_outcome   outcome = api_operator(house->api, &context, line, &house->write, &said, &text);
    struct audit_case  record = { .engine_ms = context.now_ms, .who = local_who(house->local, peer), .confirmed = said.confirmed,
                                  .stranger = said.stranger, .command = said.command, .line = line };

    if (outcome == API_COMMAND) {
        said.reject = take(house, &context, &record, peer, generation);
        if (said.reject == REJECT_NONE) return;
        said.text = reject_row(said.reject)->text;
        api_operator_refuse(&context, said.reject, &text);
    }
    if (said.only_looks) answer(house, peer, generation, &text);
    else refuse(house, &record, &said, peer, generation, &text);
}

static void take_reply(struct house *house, const struct reply_message *message)
{
    struct origin      origin = origin_unpack(message->origin);
    struct flying     *flying = &house->flying[origin.request % IN_FLIGHT];
    struct api_context context = gateway_context(house->shared);
    char               room[API_OPERATOR_BYTES - 1];
    struct out         text = out_make(room, sizeof(room));
    struct api_result  result;
    enum reject        reject;

    assert(flying->said.number != 0 && (flying->said.number & 0xffff) == origin.request);
    result.events = (struct events){ (uint8_t *)(uintptr_t)(message + 1), message->events_bytes, message->events_bytes };
    result.is_transaction = message->is_transaction != 0;
    result.place = message->place;
    reject = api_operator_reply(&context, flying->said.command, &result, &text);
    flying->said.engine_ms = context.now_ms;
    audit_answered(house->audit, &flying->said, reject, message);
    flying->said.number = 0;
    answer(house, origin.slot, origin.generation, &text);       /* nobody hears it when the peer has gone */
}

static void on_stranger(void *self, struct local_who who) { audit_stranger(((struct house *)self)->audit, who); }


static void on_woken(void *self)
{
    struct house *house = self;
    void         *message;
    uint64_t      bytes;

    for (; (message = ring_peek(&house->replies, &bytes)) != NULL; ring_next(&house->replies)) take_reply(house, message);
}

static bool open_local(struct house *house, const struct house_place *place, const struct disk *disk, struct local_fault *fault)
{
    const struct local_owner owner = { house, on_line, on_woken, on_stranger };
    const char              *socket = place->socket != NULL ? place->socket : HOUSE_SOCKET;
    char                     path[1024];
    int                      error;

    if (!join(place->folder, socket, path, sizeof(path))) {
        *fault = (struct local_fault){ ENAMETOOLONG, "the path is too long for a socket" };
        return false;
    }
    house->local = local_open(path, &owner, fault);
    if (house->local == NULL) return false;
    error = note_place(disk, socket);
    if (error == 0) return true;
    fault->code = error;
    (void)snprintf(fault->text, sizeof(fault->text), "%.200s/" HOUSE_PATH ": %s", place->folder, strerror(error));
    return false;
}

struct house *house_open(struct gateway_shared *shared, const struct house_place *place, const struct disk *disk, struct audit *audit,
                         uint32_t ring, struct local_fault *fault)
{
    struct house *house = aligned_alloc(64, align_up(sizeof(*house), 64));
    void         *api = files_take_memory(api_size(shared->api), false);
    void         *writes = files_take_memory(RING_BYTES, false), *replies = files_take_memory(RING_BYTES, false);

    *fault = (struct local_fault){ 0, "not enough memory" };
    if (house == NULL || api == NULL || writes == NULL || replies == NULL) return NULL;
    memset(house, 0, sizeof(*house));
    house->shared = shared;
    house->ring = ring;
    house->audit = audit;
    house->api = api_init(api, shared->api);
    ring_init(&house->writes, writes, RING_BYTES);
    ring_init(&house->replies, replies, RING_BYTES);
    if (open_local(house, place, disk, fault)) return house;
    house_close(house);
    return NULL;
}

void house_close(struct house *house)
{
    if (house->local != NULL) local_close(house->local);
    files_give_memory(house->api, api_size(house->shared->api));
    files_give_memory(house->writes.at, RING_BYTES);
    files_give_memory(house->replies.at, RING_BYTES);
    free(house);
}

void house_touch(struct house *house)
{
    memory_touch(house, sizeof(*house));
    memory_touch(house->api, api_size(house->shared->api));
    memory_touch(house->writes.at, RING_BYTES);
    memory_touch(house->replies.at, RING_BYTES);
}

void         house_run(struct house *house)     { local_run(house->local); }
struct ring *house_writes(struct house *house)  { return &house->writes; }
struct ring *house_replies(struct house *house) { return &house->replies; }
void         house_wake(struct house *house)    { local_wake(house->local); }
void         house_stop(struct house *house)    { local_stop(house->local); }
