/* SPDX-License-Identifier: MIT */
/*
 * Frames of a client: bytes in one piece and the same bytes in many are the same messages; both agree with a reader
 * that was written from RFC 6455 alone, in the simplest way; a connection that goes on keeps no memory of a message.
 * The first byte is the size of the pieces.
 */
#include "fuzz/fuzz.h"
#include "wire/frame.h"
#include "wire/utf8.h"

#define TOLD_MAX 4096

/* The messages and their results, in order. */
struct told {
    struct {
        uint8_t  opcode;
        uint16_t code;
        uint32_t len;
        uint64_t sum;
    } messages[TOLD_MAX];
    uint32_t count;
};

static uint64_t sum_of(struct slice text)
{
    uint64_t sum = 14695981039346656037u;

    for (size_t i = 0; i < text.len; i++) sum = (sum ^ (uint8_t)text.at[i]) * 1099511628211u;
    return sum;
}

static bool tell(void *self, const struct frame_message *message)
{
    struct told *told = self;

    assert(message->opcode == FRAME_TEXT || message->opcode == FRAME_CLOSE || message->opcode == FRAME_PING
           || message->opcode == FRAME_PONG);
    assert(message->payload.len <= (message->opcode == FRAME_TEXT ? FRAME_MESSAGE_MAX : FRAME_CONTROL_MAX));
    assert((message->opcode == FRAME_CLOSE) == (message->code != 0));
    if (message->opcode == FRAME_TEXT) assert(utf8_is_valid(message->payload));
    if (told->count == TOLD_MAX) return false;
    told->messages[told->count].opcode = message->opcode;
    told->messages[told->count].code = message->code;
    told->messages[told->count].len = (uint32_t)message->payload.len;
    told->messages[told->count++].sum = sum_of(message->payload);
    return true;
}

static void read_all(struct slice bytes, size_t piece, struct told *told)
{
    struct frame_pool   pool = { NULL };
    struct frame_reader reader = { NULL, false };

    told->count = 0;
    while (bytes.len != 0 && !reader.ended) {
        struct slice part = exact_copy(bytes.at, min_size(piece, bytes.len));
        bool         read = frame_read(&pool, &reader, part, tell, told);
        assert(read);
        bytes = slice_make(bytes.at + part.len, bytes.len - part.len);
        free_copy(part);
    }
    if (reader.ended) assert(reader.room == NULL);
    frame_reader_close(&pool, &reader);
    frame_pool_close(&pool);
}

/* ---- the same from the document ---- */

struct head {
    bool     fin, masked;
    uint8_t  reserved, opcode;
    uint64_t len;
    uint8_t  mask[4];
};

/* The head at *at; 0 = incomplete, -1 = against the protocol, else its bytes. */
static int read_head(struct slice bytes, struct head *head)
{
    const uint8_t *at = (const uint8_t *)bytes.at;
    uint32_t       more, bytes_of_len;

    if (bytes.len < 2) return 0;
    *head = (struct head){
        .fin = at[0] >> 7, .reserved = at[0] >> 4 & 7, .opcode = at[0] & 15, .masked = at[1] >> 7, .len = at[1] & 127
    };
    if (head->opcode >= 8 && (!head->fin || head->len > 125)) return -1; /* RFC 6455, 5.5 */
    bytes_of_len = head->len == 126 ? 2 : head->len == 127 ? 8 : 0;
    more = 2 + bytes_of_len + (head->masked ? 4 : 0);
    if (bytes.len < 2 + bytes_of_len) return 0;
    if (bytes_of_len != 0) head->len = 0;
    for (uint32_t i = 0; i < bytes_of_len; i++) head->len = head->len << 8 | at[2 + i];
    if ((bytes_of_len == 2 && head->len < 126) || (bytes_of_len == 8 && (head->len < 65536 || head->len >> 63 != 0)))
        return -1; /* RFC 6455, 5.2 */
    if (bytes.len < more) return 0;
    if (head->masked) memcpy(head->mask, at + 2 + bytes_of_len, 4);
    return (int)more;
}

static uint16_t judge_head(const struct head *head, bool within, uint32_t had)
{
    if (!head->masked || head->reserved != 0) return CLOSE_PROTOCOL;
    if (head->opcode >= 8) return head->opcode <= 10 ? 0 : CLOSE_PROTOCOL;
    if (head->opcode > 2 || within != (head->opcode == 0)) return CLOSE_PROTOCOL;
    if (head->opcode == 2) return CLOSE_UNSUPPORTED;
    return head->len > FRAME_MESSAGE_MAX - had ? CLOSE_TOO_BIG : 0;
}

static uint16_t judge_close(const uint8_t *at, uint64_t len)
{
    uint16_t code;

    if (len == 0) return CLOSE_NO_STATUS;
    if (len == 1) return CLOSE_PROTOCOL;
    code = (uint16_t)(at[0] * 256 + at[1]);
    if (code < 1000 || code == 1004 || code == 1005 || code == 1006 || (code > 1014 && code < 3000) || code > 4999)
        return CLOSE_PROTOCOL;
    return utf8_is_valid(slice_make((const char *)at + 2, len - 2)) ? code : (uint16_t)CLOSE_BAD_DATA;
}

static void expect(struct slice bytes, struct told *told)
{
    static uint8_t message[FRAME_MESSAGE_MAX], control[FRAME_CONTROL_MAX];
    uint32_t       had = 0;
    bool           within = false;
    struct head    head;
    int            used;

    told->count = 0;
    while ((used = read_head(bytes, &head)) != 0) {
        uint16_t code = used < 0 ? (uint16_t)CLOSE_PROTOCOL : judge_head(&head, within, had);
        uint8_t *to = head.opcode >= 8 ? control : message + had;
        if (code != 0) {
            (void)tell(told, &(struct frame_message){ .opcode = FRAME_CLOSE, .code = code });
            return;
        }
        if (bytes.len - (size_t)used < head.len) return;
        for (uint64_t i = 0; i < head.len; i++) to[i] = (uint8_t)bytes.at[(size_t)used + i] ^ head.mask[i % 4];
        bytes = slice_make(bytes.at + used + head.len, bytes.len - (size_t)used - head.len);
        if (head.opcode >= 8) {
            code = head.opcode == FRAME_CLOSE ? judge_close(control, head.len) : 0;
            if (!tell(told, &(struct frame_message){ .opcode = head.opcode,
                                                     .code = code,
                                                     .payload = slice_make((char *)control, head.len) })
                || code != 0)
                return;
            continue;
        }
        had += (uint32_t)head.len;
        within = !head.fin;
        if (within) continue;
        if (!utf8_is_valid(slice_make((char *)message, had))) {
            (void)tell(told, &(struct frame_message){ .opcode = FRAME_CLOSE, .code = CLOSE_BAD_DATA });
            return;
        }
        if (!tell(told, &(struct frame_message){ .opcode = FRAME_TEXT, .payload = slice_make((char *)message, had) }))
            return;
        had = 0;
    }
}

static void same(const struct told *a, const struct told *b)
{
    assert(a->count == b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert(a->messages[i].opcode == b->messages[i].opcode && a->messages[i].code == b->messages[i].code);
        assert(a->messages[i].len == b->messages[i].len && a->messages[i].sum == b->messages[i].sum);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct told whole, pieces, expected;
    struct slice       bytes;

    if (size < 2 || size > 20000) return 0;
    bytes = slice_make((const char *)data + 1, size - 1);
    read_all(bytes, bytes.len, &whole);
    read_all(bytes, 1 + data[0] % 60, &pieces);
    expect(bytes, &expected);
    same(&whole, &pieces);
    same(&whole, &expected);
    return 0;
}
