/* SPDX-License-Identifier: MIT */
#include "wire/frame.h"

#include "wire/frame_header.h"
#include "wire/utf8.h"

#include <stdlib.h>

/* A message in the making, and the frames it comes in. */
struct frame_room {
    struct frame_room  *next;  /* in the pool */
    struct slice        bytes; /* bytes not yet read */
    struct frame_header frame; /* the frame at hand */
    bool                begun; /* its header is whole */
    uint64_t            left;  /* of its payload */
    uint32_t            header_len;
    uint8_t             header[FRAME_HEADER_MAX];
    bool                fragmented; /* a text message continues in the next frame */
    uint32_t            len, control_len;
    char                message[FRAME_MESSAGE_MAX], control[FRAME_CONTROL_MAX];
};

/* ---- memory ---- */

static struct frame_room *room_take(struct frame_pool *pool)
{
    struct frame_room *room = pool->free;

    if (room == NULL) return calloc(1, sizeof(*room));
    pool->free = room->next;
    return room;
}

/* A room goes back when nothing is left in it; a connection that ends within a frame takes its room along. */
static void room_give(struct frame_pool *pool, struct frame_reader *reader, bool empty)
{
    struct frame_room *room = reader->room;

    reader->room = NULL;
    if (!empty) {
        free(room);
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
        free(room);
    }
}

/* ---- reading ---- */

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

static bool is_control(const struct frame_header *frame) { return frame->opcode >= FRAME_CLOSE; }

static struct slice read_bytes(struct frame_room *room, uint64_t most)
{
    struct slice read = slice_make(room->bytes.at, min_size(room->bytes.len, most));

    room->bytes = slice_make(room->bytes.at + read.len, room->bytes.len - read.len);
    return read;
}

/* Headers come in pieces too. */
static enum frame_header_result read_header(struct frame_room *room)
{
    enum frame_header_result result = FRAME_HEADER_MORE;

    while (result == FRAME_HEADER_MORE && room->bytes.len != 0) {
        assert(room->header_len < FRAME_HEADER_MAX);
        room->header[room->header_len] = (uint8_t)*read_bytes(room, 1).at;
        room->header_len += 1;
        result = frame_header_read(slice_make((const char *)room->header, room->header_len), &room->frame);
    }
    return result;
}

/* The first look at a frame: 0, or why it ends the connection. */
static uint16_t begin_frame(struct frame_room *room)
{
    const struct frame_header *frame = &room->frame;

    room->begun = true;
    room->left = frame->payload;
    if (!frame->masked || frame->reserved != 0) return CLOSE_PROTOCOL;
    if (is_control(frame)) {
        room->control_len = 0;
        return frame->opcode <= FRAME_PONG ? 0 : CLOSE_PROTOCOL;
    }
    if (frame->opcode > FRAME_BINARY || room->fragmented != (frame->opcode == FRAME_CONTINUATION))
        return CLOSE_PROTOCOL;
    if (frame->opcode == FRAME_BINARY) return CLOSE_UNSUPPORTED;
    return room->left > FRAME_MESSAGE_MAX - room->len ? CLOSE_TOO_BIG : 0;
}

static void add_payload(struct frame_room *room)
{
    struct slice masked = read_bytes(room, room->left);
    bool         control = is_control(&room->frame);
    char        *to = control ? room->control + room->control_len : room->message + room->len;
    uint64_t     at = room->frame.payload - room->left;

    for (size_t i = 0; i < masked.len; i++) to[i] = (char)((uint8_t)masked.at[i] ^ room->frame.mask[(at + i) % 4]);
    if (control) room->control_len += (uint32_t)masked.len;
    else room->len += (uint32_t)masked.len;
    room->left -= masked.len;
}

/* A frame is complete: true when it ends a message, or is one. */
static bool end_frame(struct frame_room *room, struct frame_message *message)
{
    room->begun = false;
    room->header_len = 0;
    *message = (struct frame_message){ .opcode = room->frame.opcode };
    if (is_control(&room->frame)) {
        message->payload = slice_make(room->control, room->control_len);
        if (room->frame.opcode == FRAME_CLOSE) message->code = close_code(message->payload);
        return true;
    }
    room->fragmented = !room->frame.fin;
    if (room->fragmented) return false;
    message->opcode = FRAME_TEXT;
    message->payload = slice_make(room->message, room->len);
    room->len = 0;
    if (utf8_is_valid(message->payload)) return true;
    *message = (struct frame_message){ .opcode = FRAME_CLOSE, .code = CLOSE_BAD_DATA };
    return true;
}

static bool refuse_frame(struct frame_message *message, uint16_t code)
{
    *message = (struct frame_message){ .opcode = FRAME_CLOSE, .code = code };
    return true;
}

/* Reads to the end of a frame, or of the bytes: true when *message is complete. */
static bool read_step(struct frame_room *room, struct frame_message *message, bool *more)
{
    if (!room->begun) {
        enum frame_header_result result = read_header(room);
        uint16_t                 code;

        *more = result != FRAME_HEADER_MORE;
        if (result == FRAME_HEADER_MORE) return false;
        code = result == FRAME_HEADER_BROKEN ? (uint16_t)CLOSE_PROTOCOL : begin_frame(room);
        if (code != 0) return refuse_frame(message, code);
    }
    add_payload(room);
    *more = room->left == 0;
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
    else if (!reader->room->begun && reader->room->header_len == 0 && !reader->room->fragmented)
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
