/* SPDX-License-Identifier: MIT */
#include "wire/frame_client.h"

#include "wire/frame_header.h"

#include <nettle/base64.h>
#include <stdlib.h>

#define ACCEPT_CHARS 28
#define ANSWER_MAX   16384

/* ---- handshake ---- */

void frame_client_key(const uint8_t random[16], char key[FRAME_KEY_CHARS])
{
    static_assert(BASE64_ENCODE_RAW_LENGTH(16) == FRAME_KEY_CHARS, "a key is 16 bytes");
    base64_encode_raw(key, 16, random);
}

void frame_client_request(struct out *out, struct slice host, struct slice path, const char key[FRAME_KEY_CHARS])
{
    out_literal(out, "GET ");
    out_slice_put(out, path);
    out_literal(out, " HTTP/1.1\r\nHost: ");
    out_slice_put(out, host);
    out_literal(out,
                "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ");
    out_bytes(out, key, FRAME_KEY_CHARS);
    out_literal(out, "\r\n\r\n");
}

/* Is there a header line "Sec-WebSocket-Accept: VALUE"? Names have no case. */
static bool has_accept(struct slice head, const char value[ACCEPT_CHARS])
{
    static const char name[] = "sec-websocket-accept:";
    size_t            len = sizeof(name) - 1;

    for (const char *line = head.at, *end = head.at + head.len; line < end;) {
        const char *next = memmem(line, (size_t)(end - line), "\r\n", 2);
        size_t      at = 0;

        if (next == NULL) return false;
        while (at < len && line + at < next && (line[at] | (line[at] >= 'A' && line[at] <= 'Z' ? 32 : 0)) == name[at])
            at++;
        if (at == len) {
            while (line + at < next && line[at] == ' ') at++;
            return (size_t)(next - line) >= at + ACCEPT_CHARS && memcmp(line + at, value, ACCEPT_CHARS) == 0;
        }
        line = next + 2;
    }
    return false;
}

int64_t frame_client_answer(struct slice bytes, const char key[FRAME_KEY_CHARS])
{
    const char *end = bytes.len == 0 ? NULL : memmem(bytes.at, bytes.len, "\r\n\r\n", 4);
    char        accept[ACCEPT_CHARS];
    struct out  out = out_make(accept, sizeof(accept));
    size_t      len;

    if (end == NULL) return bytes.len > ANSWER_MAX ? -1 : 0;
    len = (size_t)(end - bytes.at) + 4;
    frame_accept(&out, slice_make(key, FRAME_KEY_CHARS));
    assert(!out.overflow && out.len == ACCEPT_CHARS);
    if (bytes.len < 12 || memcmp(bytes.at, "HTTP/1.1 101", 12) != 0) return -1;
    return has_accept(slice_make(bytes.at, len), accept) ? (int64_t)len : -1;
}

/* ---- writing ---- */

void frame_client_write(struct out *out, enum frame_opcode opcode, struct slice payload, const uint8_t mask[4])
{
    uint8_t  head[FRAME_HEAD_MAX];
    uint32_t len = frame_head(head, opcode, payload.len);

    head[1] |= 0x80;
    out_bytes(out, head, len);
    out_bytes(out, mask, 4);
    for (size_t i = 0; i < payload.len; i++) out_char(out, (char)((uint8_t)payload.at[i] ^ mask[i % 4]));
}

/* ---- reading ---- */

void frame_client_close(struct frame_client *client)
{
    free(client->bytes);
    free(client->message);
    *client = (struct frame_client){ 0 };
}

/* At least `cap` bytes; what is there stays. */
static bool grow(char **at, size_t *cap, size_t wanted)
{
    char *more;

    if (wanted <= *cap) return true;
    wanted = align_up(wanted + wanted / 2, 4096);
    more = realloc(*at, wanted);
    if (more == NULL) return false;
    *at = more;
    *cap = wanted;
    return true;
}

char *frame_client_room(struct frame_client *client, size_t more)
{
    if (client->used != 0) {
        memmove(client->bytes, client->bytes + client->used, client->len - client->used);
        client->len -= client->used;
        client->used = 0;
    }
    return grow(&client->bytes, &client->cap, client->len + more) ? client->bytes + client->len : NULL;
}

/* The header of the next frame, when the whole frame is there. */
static enum frame_client_result read_header(struct slice bytes, struct frame_header *header)
{
    enum frame_header_result result = frame_header_read(bytes, header);

    if (result == FRAME_HEADER_MORE) return FRAME_CLIENT_MORE;
    if (result == FRAME_HEADER_BROKEN || header->reserved != 0 || header->masked || header->payload > FRAME_CLIENT_MAX)
        return FRAME_CLIENT_BROKEN;
    return bytes.len - header->bytes < header->payload ? FRAME_CLIENT_MORE : FRAME_CLIENT_MESSAGE;
}

/* A part of a message in several frames. MESSAGE: the last one. */
static enum frame_client_result take_part(struct frame_client *client, const struct frame_header *head,
                                          struct slice part)
{
    if (client->fragmented != (head->opcode == FRAME_CONTINUATION)) return FRAME_CLIENT_BROKEN;
    if (!client->fragmented) client->message_len = 0;
    if (client->message_len + part.len > FRAME_CLIENT_MAX
        || !grow(&client->message, &client->message_cap, client->message_len + part.len + 1))
        return FRAME_CLIENT_BROKEN;
    if (part.len != 0) memcpy(client->message + client->message_len, part.at, part.len);
    client->message_len += part.len;
    client->fragmented = !head->fin;
    return head->fin ? FRAME_CLIENT_MESSAGE : FRAME_CLIENT_MORE;
}

enum frame_client_result frame_client_next(struct frame_client *client, uint8_t *opcode, struct slice *payload)
{
    for (;;) {
        struct slice             bytes = slice_make(client->bytes + client->used, client->len - client->used);
        struct frame_header      head;
        enum frame_client_result result = client->bytes == NULL ? FRAME_CLIENT_MORE : read_header(bytes, &head);

        if (result != FRAME_CLIENT_MESSAGE) return result;
        *payload = slice_make(bytes.at + head.bytes, head.payload);
        *opcode = head.opcode;
        client->used += head.bytes + head.payload;
        if (head.opcode >= FRAME_CLOSE || (head.fin && head.opcode != FRAME_CONTINUATION && !client->fragmented))
            return FRAME_CLIENT_MESSAGE;
        result = take_part(client, &head, *payload);
        *payload = slice_make(client->message, client->message_len);
        *opcode = FRAME_TEXT;
        if (result != FRAME_CLIENT_MORE) return result;
    }
}
