/* SPDX-License-Identifier: MIT */
#include "wire/http_chunk.h"

#include "base/hex.h"
#include "wire/http_head.h"
#include "wire/http_limits.h"

/*
 *   size [;extension] CR LF  data CR LF   …   0 [;extension] CR LF  (name: value CR LF)*  CR LF
 */
/* clang-format off */
enum chunk_state {
    SIZE, EXTENSION, SIZE_LF,
    DATA, DATA_CR, DATA_LF,
    TRAILER, TRAILER_NAME, TRAILER_VALUE, TRAILER_LF, LAST_LF,
};
/* clang-format on */

#define SIZE_DIGITS_MAX 16 /* more could overflow */

void chunks_init(struct chunks *chunks) { memset(chunks, 0, sizeof(*chunks)); }

static bool is_text(char c) { return (uint8_t)c >= 0x20 ? c != 0x7f : c == '\t'; }

/* One byte of a chunk's size line. */
static enum reject read_size(struct chunks *chunks, char c)
{
    int digit = hex_digit(c);

    if (digit >= 0) {
        if (++chunks->digits > SIZE_DIGITS_MAX) return REJECT_BAD_HTTP;
        chunks->left = chunks->left << 4 | (uint64_t)digit;
        return REJECT_NONE;
    }
    if (chunks->digits == 0) return REJECT_BAD_HTTP;
    if (c != ';' && c != '\r') return REJECT_BAD_HTTP;
    if (chunks->left > HTTP_BODY_MAX - chunks->body_bytes) return REJECT_BODY_TOO_LARGE;
    chunks->extension = 0;
    chunks->state = c == ';' ? EXTENSION : SIZE_LF;
    return REJECT_NONE;
}

static enum reject read_extension(struct chunks *chunks, char c)
{
    if (c == '\r') {
        chunks->state = SIZE_LF;
        return REJECT_NONE;
    }
    if (!is_text(c) || ++chunks->extension > HTTP_CHUNK_EXTENSION_MAX) return REJECT_BAD_HTTP;
    return REJECT_NONE;
}

/* The first byte of a trailer line, or of the line that ends the body. */
static enum reject begin_trailer(struct chunks *chunks, char c)
{
    if (c == '\r') {
        chunks->state = LAST_LF;
        return REJECT_NONE;
    }
    if (++chunks->trailers > HTTP_HEADER_LINES_MAX) return REJECT_HEADERS_TOO_LARGE;
    chunks->state = TRAILER_NAME;
    return head_is_token_char(c) ? REJECT_NONE : REJECT_BAD_HTTP;
}

static void begin_size(struct chunks *chunks)
{
    chunks->state = SIZE;
    chunks->digits = 0;
    chunks->left = 0;
}

/* Requires one byte, and sets the state after it. */
static enum reject expect(struct chunks *chunks, char c, char wanted, enum chunk_state next)
{
    if (c != wanted) return REJECT_BAD_HTTP;
    chunks->state = (uint8_t)next;
    if (next == SIZE) begin_size(chunks);
    return REJECT_NONE;
}

static enum reject read_framing(struct chunks *chunks, char c)
{
    switch ((enum chunk_state)chunks->state) {
    case SIZE: return read_size(chunks, c);
    case EXTENSION: return read_extension(chunks, c);
    case SIZE_LF: return expect(chunks, c, '\n', chunks->left == 0 ? TRAILER : DATA);
    case DATA_CR: return expect(chunks, c, '\r', DATA_LF);
    case DATA_LF: return expect(chunks, c, '\n', SIZE);
    case TRAILER: return begin_trailer(chunks, c);
    case TRAILER_NAME:
        if (c == ':') chunks->state = TRAILER_VALUE;
        return c == ':' || head_is_token_char(c) ? REJECT_NONE : REJECT_BAD_HTTP;
    case TRAILER_VALUE:
        if (c == '\r') chunks->state = TRAILER_LF;
        return c == '\r' || is_text(c) ? REJECT_NONE : REJECT_BAD_HTTP;
    case TRAILER_LF: return expect(chunks, c, '\n', TRAILER);
    case LAST_LF: chunks->complete = c == '\n'; return chunks->complete ? REJECT_NONE : REJECT_BAD_HTTP;
    case DATA: break;
    }
    assert(false);
    return REJECT_BAD_HTTP;
}

/* Moves what has come of the current chunk to the end of the body so far. */
static void take_data(struct chunks *chunks, char *bytes, size_t len)
{
    size_t part = (size_t)min_u64(chunks->left, len - chunks->consumed);

    assert(chunks->body_bytes <= chunks->consumed);
    memmove(bytes + chunks->body_bytes, bytes + chunks->consumed, part);
    chunks->body_bytes += part;
    chunks->consumed += part;
    chunks->left -= part;
    if (chunks->left == 0) chunks->state = DATA_CR;
}

enum reject chunks_read(struct chunks *chunks, char *bytes, size_t len)
{
    while (chunks->consumed < len && !chunks->complete) {
        enum reject reject;

        if (chunks->state == DATA) {
            take_data(chunks, bytes, len);
            continue;
        }
        if (chunks->consumed - chunks->body_bytes >= CHUNK_FRAMING_MAX) return REJECT_BAD_HTTP;
        reject = read_framing(chunks, bytes[chunks->consumed]);
        if (reject != REJECT_NONE) return reject;
        chunks->consumed += 1;
    }
    return REJECT_NONE;
}
