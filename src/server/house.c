/* SPDX-License-Identifier: MIT */
#include "server/house.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"
#include "server/mail.h"

#include <stdio.h>
#include <stdlib.h>

#define RING_BYTES (256 * 1024)         /* LOCAL_PEERS requests at once are a fraction of it */

static_assert(API_OPERATOR_BYTES <= LOCAL_LINE_MAX, "an answer is a line");

/* What a peer waits for: the bytes that became its command, to answer with. */
struct waiting { uint32_t generation; size_t len; char input[LOCAL_LINE_MAX]; };

struct house {
    struct gateway_shared *shared;
    struct local          *local;
    struct api            *api;
    uint32_t               ring;
    struct api_write       write;               /* of the request at hand */
    struct waiting         waiting[LOCAL_PEERS];
    struct ring            writes, replies;
};

void house_path(const char *folder, char *path, size_t cap) { (void)snprintf(path, cap, "%s/" HOUSE_SOCKET, folder); }

static void answer(struct house *house, uint32_t peer, uint32_t generation, const struct out *text)
{
    assert(!text->overflow);
    local_answer(house->local, peer, generation, out_slice(text));
}

static void answer_busy(struct house *house, const struct api_context *context, uint32_t peer, uint32_t generation, struct out *text)
{
    struct http_answer unused;

    text->len = 0;
    api_error(context, REJECT_BUSY, &unused, text);
    answer(house, peer, generation, text);
}

/* Into the ring; each peer has one request at a time, so there is room for all. */
static void push(struct house *house, uint32_t peer, uint32_t generation)
{
    const struct command *command = &house->write.room.head;
    struct slice          input = house->write.signed_bytes;
    uint64_t              bytes = sizeof(struct write_message) + command->bytes + input.len;
    struct write_message *message = ring_reserve(&house->writes, bytes);
    struct waiting       *waiting = &house->waiting[peer];

    assert(message != NULL && input.len <= sizeof(waiting->input));
    *message = (struct write_message){
        .origin = origin_pack((struct origin){ house->ring, peer, generation, 0 }),
        .command_bytes = command->bytes, .signed_bytes = (uint32_t)input.len, .reply_bytes = reply_bytes_max(1),
        .sent_ns = clock_mono_ns(),
    };
    memcpy(message + 1, command, command->bytes);
    memcpy((uint8_t *)(message + 1) + command->bytes, input.at, input.len);
    *waiting = (struct waiting){ .generation = generation, .len = input.len };
    memcpy(waiting->input, input.at, input.len);
    ring_commit(&house->writes, bytes);
    park_wake(&house->shared->engine);
}

static void on_line(void *self, uint32_t peer, uint32_t generation, struct slice line)
{
    struct house      *house = self;
    struct api_context context = gateway_context(house->shared);
    char               room[API_OPERATOR_BYTES - 1];
    struct out         text = out_make(room, sizeof(room));

    if (api_operator(house->api, &context, line, &house->write, &text) == API_ANSWER) answer(house, peer, generation, &text);
    else if (!context.ready || atomic_load_explicit(&house->shared->shed, memory_order_relaxed) != 0)
        answer_busy(house, &context, peer, generation, &text);
    else push(house, peer, generation);
}

static void take_reply(struct house *house, const struct reply_message *message)
{
    struct origin      origin = origin_unpack(message->origin);
    struct waiting    *waiting = &house->waiting[origin.slot];
    struct api_context context = gateway_context(house->shared);
    char               room[API_OPERATOR_BYTES - 1];
    struct out         text = out_make(room, sizeof(room));
    struct api_result  result;

    if (waiting->generation != origin.generation) return;       /* the peer has gone, and another one sits there */
    result.events = (struct events){ (uint8_t *)(uintptr_t)(message + 1), message->events_bytes, message->events_bytes };
    result.is_transaction = message->is_transaction != 0;
    result.place = message->place;
    api_operator_reply(&context, slice_make(waiting->input, waiting->len), &result, &text);
    answer(house, origin.slot, origin.generation, &text);
}

static void on_woken(void *self)
{
    struct house *house = self;
    void         *message;
    uint64_t      bytes;

    for (; (message = ring_peek(&house->replies, &bytes)) != NULL; ring_next(&house->replies)) take_reply(house, message);
}

struct house *house_open(struct gateway_shared *shared, const char *folder, uint32_t ring, struct local_fault *fault)
{
    struct house            *house = aligned_alloc(64, align_up(sizeof(*house), 64));
    void                    *api = files_take_memory(api_size(shared->api), false);
    void                    *writes = files_take_memory(RING_BYTES, false), *replies = files_take_memory(RING_BYTES, false);
    const struct local_owner owner = { house, on_line, on_woken };
    char                     path[1024];

    *fault = (struct local_fault){ 0, "not enough memory" };
    if (house == NULL || api == NULL || writes == NULL || replies == NULL) return NULL;
    memset(house, 0, sizeof(*house));
    house->shared = shared;
    house->ring = ring;
    house->api = api_init(api, shared->api);
    ring_init(&house->writes, writes, RING_BYTES);
    ring_init(&house->replies, replies, RING_BYTES);
    house_path(folder, path, sizeof(path));
    house->local = local_open(path, &owner, fault);
    if (house->local != NULL) return house;
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
