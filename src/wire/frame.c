/* SPDX-License-Identifier: MIT */
#include "wire/frame.h"
#include "wire/utf8.h"

#include <stdlib.h>
#include <wslay/wslay.h>

/* A message in the making, and the frames it comes in. */
struct frame_room {
    struct frame_room      *next; /* in the pool */
    wslay_frame_context_ptr frames;
    struct slice            bytes;           /* bytes not yet given to wslay */
    uint64_t                given, used;     /* bytes given to it, and bytes of the frames that it has reported */
    uint64_t                left;            /* of the payload of the frame at hand */
    uint8_t                 opcode;          /* of the frame at hand */
    bool                    fin, fragmented; /* of this message; a text message continues in the next frame */
    uint32_t                len, control_len;
    char                    message[FRAME_MESSAGE_MAX], control[FRAME_CONTROL_MAX];
};

/* ---- memory ---- */

static ssize_t give_bytes(uint8_t *to, size_t len, int flags, void *self)
{
    struct frame_room *room = self;
    size_t             count = min_size(len, room->bytes.len);

    (void)flags;
    if (count == 0) return -1;
    memcpy(to, room->bytes.at, count);
    room->bytes = slice_make(room->bytes.at + count, room->bytes.len - count);
    room->given += count;
    return (ssize_t)count;
}

static struct frame_room *room_take(struct frame_pool *pool)
{
    static const struct wslay_frame_callbacks callbacks = { .recv_callback = give_bytes };
    struct frame_room                        *room = pool->free;

    if (room != NULL) {
        pool->free = room->next;
        return room;
    }
    room = calloc(1, sizeof(*room));
    if (room == NULL) return NULL;
    if (wslay_frame_context_init(&room->frames, &callbacks, room) == 0) return room;
    free(room);
    return NULL;
}

static void room_free(struct frame_room *room)
{
    wslay_frame_context_free(room->frames);
    free(room);
}

/* A room goes back when nothing is left in it; a connection that ends within a frame takes its room along. */
static void room_give(struct frame_pool *pool, struct frame_reader *reader, bool empty)
{
    struct frame_room *room = reader->room;

    reader->room = NULL;
    if (!empty) {
        room_free(room);
        return;
    }
    room->next = pool->free;
    pool->free = room;
}

void frame_reader_close(struct frame_pool *pool, struct frame_reader *reader)
{
    if (reader->room != NULL) room_give(pool, reader, false);
    reader->ended = true;
}

void frame_pool_close(struct frame_pool *pool)
{
    while (pool->free != NULL) {
        struct frame_room *room = pool->free;
        pool->free = room->next;
        room_free(room);
    }
}

/* ---- reading ---- */

static uint64_t head_bytes(uint64_t payload) { return 2 + 4 + (payload < 126 ? 0u : payload < 65536 ? 2u : 8u); }

/* Codes that may be sent (RFC 6455, 7.4.1 and 7.4.2). */
static bool code_is_valid(uint16_t code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006)
        || (code >= 3000 && code <= 4999);
}

/* The answer to a close frame. */
static uint16_t close_code(struct slice payload)
{
    const uint8_t *at = (const uint8_t *)payload.at;
    uint16_t       code;

    if (payload.len == 0) return CLOSE_NO_STATUS;
    if (payload.len == 1) return CLOSE_PROTOCOL;
    code = (uint16_t)(at[0] << 8 | at[1]);
    if (!code_is_valid(code)) return CLOSE_PROTOCOL;
    return utf8_is_valid(slice_make(payload.at + 2, payload.len - 2)) ? code : (uint16_t)CLOSE_BAD_DATA;
}

/* The first look at a frame: 0, or why it ends the connection. */
static uint16_t begin_frame(struct frame_room *room, const struct wslay_frame_iocb *frame)
{
    room->used += head_bytes(frame->payload_length);
    room->left = frame->payload_length;
    room->opcode = frame->opcode;
    room->fin = frame->fin;
    if (!frame->mask || frame->rsv != 0) return CLOSE_PROTOCOL;
    if (wslay_is_ctrl_frame(frame->opcode)) {
        room->control_len = 0;
        return frame->opcode <= FRAME_PONG ? 0 : CLOSE_PROTOCOL;
    }
    if (frame->opcode > FRAME_BINARY || room->fragmented != (frame->opcode == FRAME_CONTINUATION))
        return CLOSE_PROTOCOL;
    if (frame->opcode == FRAME_BINARY) return CLOSE_UNSUPPORTED;
    return room->left > FRAME_MESSAGE_MAX - room->len ? CLOSE_TOO_BIG : 0;
}

static void add_payload(struct frame_room *room, const struct wslay_frame_iocb *frame)
{
    bool control = wslay_is_ctrl_frame(room->opcode);

    if (frame->data_length == 0) return;
    memcpy(control ? room->control + room->control_len : room->message + room->len, frame->data, frame->data_length);
    if (control) room->control_len += (uint32_t)frame->data_length;
    else room->len += (uint32_t)frame->data_length;
    room->left -= frame->data_length;
    room->used += frame->data_length;
}

/* A frame is complete: true when it ends a message, or is one. */
static bool end_frame(struct frame_room *room, struct frame_message *message)
{
    *message = (struct frame_message){ .opcode = room->opcode };
    if (wslay_is_ctrl_frame(room->opcode)) {
        message->payload = slice_make(room->control, room->control_len);
        if (room->opcode == FRAME_CLOSE) message->code = close_code(message->payload);
        return true;
    }
    room->fragmented = !room->fin;
    if (!room->fin) return false;
    message->opcode = FRAME_TEXT;
    message->payload = slice_make(room->message, room->len);
    room->len = 0;
    if (utf8_is_valid(message->payload)) return true;
    *message = (struct frame_message){ .opcode = FRAME_CLOSE, .code = CLOSE_BAD_DATA };
    return true;
}

/* One step of wslay: true when *message is complete. */
static bool read_step(struct frame_room *room, struct frame_message *message, bool *more)
{
    struct wslay_frame_iocb frame = { 0 };
    bool                    begins = room->left == 0;
    ssize_t                 got = wslay_frame_recv(room->frames, &frame);
    uint16_t                code = 0;

    *more = got >= 0;
    if (got == WSLAY_ERR_WANT_READ) return false;
    if (got < 0) code = CLOSE_PROTOCOL;
    else if (begins) code = begin_frame(room, &frame);
    if (code != 0) {
        *message = (struct frame_message){ .opcode = FRAME_CLOSE, .code = code };
        return true;
    }
    add_payload(room, &frame);
    return room->left == 0 && end_frame(room, message);
}

bool frame_read(struct frame_pool *pool, struct frame_reader *reader, struct slice bytes, frame_take *take, void *self)
{
    struct frame_message message;
    bool                 more = true;

    if (reader->ended || bytes.len == 0) return true;
    if (reader->room == NULL) reader->room = room_take(pool);
    if (reader->room == NULL) return false;
    reader->room->bytes = bytes;
    while (more && !reader->ended) {
        if (!read_step(reader->room, &message, &more)) continue;
        if (message.opcode == FRAME_CLOSE) reader->ended = true;
        if (!take(self, &message)) reader->ended = true;
    }
    if (reader->ended) room_give(pool, reader, false);
    else if (reader->room->given == reader->room->used && reader->room->left == 0 && !reader->room->fragmented)
        room_give(pool, reader, true);
    return true;
}

/* ---- writing ---- */

uint32_t frame_head(uint8_t head[FRAME_HEAD_MAX], enum frame_opcode opcode, uint64_t len)
{
    uint32_t bytes = len < 126 ? 0 : len < 65536 ? 2 : 8;

    head[0] = (uint8_t)(0x80 | opcode);
    head[1] = bytes == 0 ? (uint8_t)len : bytes == 2 ? 126 : 127;
    for (uint32_t i = 0; i < bytes; i++) head[2 + i] = (uint8_t)(len >> 8 * (bytes - 1 - i));
    return 2 + bytes;
}

void frame_write(struct out *out, enum frame_opcode opcode, struct slice payload)
{
    uint8_t head[FRAME_HEAD_MAX];

    out_bytes(out, head, frame_head(head, opcode, payload.len));
    out_slice_put(out, payload);
}

void frame_write_close(struct out *out, uint16_t code, struct slice reason)
{
    char     payload[FRAME_CONTROL_MAX];
    uint32_t len = (uint32_t)min_size(reason.len, sizeof(payload) - 2);

    if (code == CLOSE_NO_STATUS) {
        frame_write(out, FRAME_CLOSE, SLICE(""));
        return;
    }
    payload[0] = (char)(code >> 8);
    payload[1] = (char)(code & 0xff);
    if (len != 0) memcpy(payload + 2, reason.at, len);
    frame_write(out, FRAME_CLOSE, slice_make(payload, len + 2));
}
