/* SPDX-License-Identifier: MIT */
#include "wire/frame_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char key[FRAME_KEY_CHARS] = "dGhlIHNhbXBsZSBub25jZQ=="; /* RFC 6455, 1.3 */

#define ACCEPTED "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nSEC-WebSocket-Accept: "

static void test_handshake(void **state)
{
    static const char answer[] = ACCEPTED "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81";
    char              text[512], made[FRAME_KEY_CHARS];
    struct out        out = out_make(text, sizeof(text));

    (void)state;
    frame_client_key((const uint8_t *)"the sample nonce", made);
    assert_memory_equal(made, key, sizeof(made));
    frame_client_request(&out, SLICE("h:1"), SLICE("/ws/spot"), key);
    assert_non_null(memmem(text, out.len, "GET /ws/spot HTTP/1.1\r\nHost: h:1\r\n", 34));
    assert_int_equal(frame_client_answer(slice_make(answer, sizeof(answer) - 1), key), sizeof(answer) - 2);
    for (size_t len = 0; len < sizeof(answer) - 2; len++)
        assert_int_equal(frame_client_answer(slice_make(answer, len), key), 0);
    assert_int_equal(frame_client_answer(SLICE(ACCEPTED "s3pPLMBiTxaQ9kYGzzhZRbK+xOO=\r\n\r\n"), key), -1);
    assert_int_equal(frame_client_answer(SLICE("HTTP/1.1 426 Upgrade Required\r\n\r\n"), key), -1);
    assert_int_equal(frame_client_answer(SLICE("HTTP/1.1 101 X\r\n\r\n"), key), -1);
}

/* What a client writes, the server's reader takes. */
static bool take(void *self, const struct frame_message *message)
{
    assert_int_equal(message->opcode, FRAME_TEXT);
    assert_true(slice_is(message->payload, "hello"));
    ++*(int *)self;
    return true;
}

static void test_write(void **state)
{
    static const uint8_t mask[4] = { 1, 0xfe, 3, 0x80 };
    char                 bytes[64];
    struct out           out = out_make(bytes, sizeof(bytes));
    struct frame_pool    pool = { 0 };
    struct frame_reader  reader = { 0 };
    int                  taken = 0;

    (void)state;
    frame_client_write(&out, FRAME_TEXT, SLICE("hello"), mask);
    assert_true(frame_read(&pool, &reader, out_slice(&out), take, &taken));
    assert_int_equal(taken, 1);
    frame_reader_close(&pool, &reader);
    frame_pool_close(&pool);
}

/* The messages in pieces of `step` bytes, "1:text|" each; "X" when it is broken. */
static void read_in(struct slice bytes, size_t step, char *said, size_t cap)
{
    struct frame_client client = { 0 };
    struct out          out = out_make(said, cap - 1);

    for (size_t at = 0; at < bytes.len; at += step) {
        size_t                   len = min_size(step, bytes.len - at);
        char                    *room = frame_client_room(&client, len);
        enum frame_client_result result;
        struct slice             payload;
        uint8_t                  opcode;

        assert_non_null(room);
        memcpy(room, bytes.at + at, len);
        client.len += len;
        while ((result = frame_client_next(&client, &opcode, &payload)) == FRAME_CLIENT_MESSAGE) {
            out_u64(&out, opcode);
            out_char(&out, ':');
            if (payload.len > 100) out_u64(&out, payload.len);
            else out_slice_put(&out, payload);
            out_char(&out, '|');
        }
        if (result == FRAME_CLIENT_BROKEN) {
            out_char(&out, 'X');
            break;
        }
    }
    said[out.len] = '\0';
    frame_client_close(&client);
}

static void test_read(void **state)
{
    static char bytes[70000], said[256];
    struct out  out = out_make(bytes, sizeof(bytes));
    char        text[300];

    (void)state;
    memset(text, 'x', sizeof(text));
    frame_write(&out, FRAME_TEXT, SLICE("one"));
    out_bytes(&out, "\x01\x02he", 4); /* a message in three frames, with a ping between them */
    frame_write(&out, FRAME_PING, SLICE("?"));
    out_bytes(&out, "\x00\x01l", 3);
    out_bytes(&out, "\x80\x02lo", 4);
    frame_write(&out, FRAME_TEXT, slice_make(text, sizeof(text)));
    frame_write_close(&out, CLOSE_NORMAL, SLICE(""));
    assert_false(out.overflow);
    for (size_t step = 1; step < 320; step += step < 12 ? 1 : 61) {
        read_in(out_slice(&out), step, said, sizeof(said));
        assert_int_equal(memcmp(said, "1:one|9:?|1:hello|1:300|8:", 26), 0);
    }
}

static void test_broken(void **state)
{
    char said[64];

    (void)state;
    read_in(SLICE("\x81\x81mask"), 64, said, sizeof(said));
    assert_string_equal(said, "X"); /* a server does not mask */
    read_in(SLICE("\xc1\x01x"), 64, said, sizeof(said));
    assert_string_equal(said, "X"); /* an extension */
    read_in(SLICE("\x80\x01x"), 64, said, sizeof(said));
    assert_string_equal(said, "X"); /* goes on with nothing */
    read_in(SLICE("\x01\x01x\x81\x01y"), 64, said, sizeof(said));
    assert_string_equal(said, "X"); /* begins within another */
    read_in(SLICE("\x09\x01x"), 64, said, sizeof(said));
    assert_string_equal(said, "X"); /* a ping in parts */
    read_in(SLICE("\x81\x7f\x00\x00\x00\x00\x7f\x00\x00\x00"), 64, said, sizeof(said));
    assert_string_equal(said, "X"); /* too long */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handshake),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
