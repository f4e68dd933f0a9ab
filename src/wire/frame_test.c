/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "wire/frame.h"
#include "wire/utf8.h"
#include "rigs/random.h"

/* The reported messages in order: "T:text", "P:payload", "O:payload" (pong), "C1002". */
static char              said[65536];
static size_t            said_len;
static struct frame_pool pool;

static bool note(void *self, const struct frame_message *message)
{
    struct out out = out_make(said + said_len, sizeof(said) - said_len);

    assert_null(self);
    out_char(&out, message->opcode == FRAME_TEXT   ? 'T'
                   : message->opcode == FRAME_PING ? 'P'
                   : message->opcode == FRAME_PONG ? 'O'
                                                   : 'C');
    if (message->opcode == FRAME_CLOSE) out_u64(&out, message->code);
    else out_slice_put(&out, message->payload);
    out_char(&out, '|');
    assert_false(out.overflow);
    said_len += out.len;
    return true;
}

/* A client's frame. */
static size_t put_frame(uint8_t *to, uint8_t first, struct slice payload)
{
    static const uint8_t mask[4] = { 0x37, 0xfa, 0x21, 0x3d };
    size_t               at = frame_head(to, FRAME_TEXT, payload.len);

    to[0] = first;
    to[1] |= 0x80;
    memcpy(to + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < payload.len; i++) to[at + i] = (uint8_t)payload.at[i] ^ mask[i % 4];
    return at + payload.len;
}

static void forget(void) { said_len = 0; }

/* The bytes in pieces of `step`, on a connection of their own. */
static void read_in(const uint8_t *bytes, size_t len, size_t step)
{
    struct frame_reader reader = { 0 };

    forget();
    for (size_t at = 0; at < len; at += step)
        assert_true(frame_read(&pool, &reader, slice_make(bytes + at, min_size(step, len - at)), note, NULL));
    frame_reader_close(&pool, &reader);
    assert_null(reader.room);
}

/* Any division of the input into pieces gives the same messages. */
static void expect(const uint8_t *bytes, size_t len, const char *text)
{
    for (size_t step = 1; step <= len; step = step < 20 ? step + 1 : step * 2) {
        read_in(bytes, len, step);
        assert_int_equal(said_len, strlen(text));
        assert_memory_equal(said, text, said_len);
    }
    read_in(bytes, len, len);
    assert_int_equal(said_len, strlen(text));
    assert_memory_equal(said, text, said_len);
}

static void whole_messages_and_fragments_are_told_once(void **state)
{
    uint8_t bytes[512];
    size_t  len = put_frame(bytes, 0x81, SLICE("hello"));

    (void)state;
    len += put_frame(bytes + len, 0x81, SLICE(""));
    len += put_frame(bytes + len, 0x01, SLICE("a"));
    len += put_frame(bytes + len, 0x89, SLICE("in between"));
    len += put_frame(bytes + len, 0x00, SLICE("b"));
    len += put_frame(bytes + len, 0x8a, SLICE("pong"));
    len += put_frame(bytes + len, 0x80, SLICE("c"));
    len += put_frame(bytes + len, 0x81, SLICE("z"));
    expect(bytes, len, "Thello|T|Pin between|Opong|Tabc|Tz|");
}

static void a_connection_holds_a_room_only_within_a_message(void **state)
{
    struct frame_reader reader = { 0 };
    uint8_t             bytes[64];
    size_t              len = put_frame(bytes, 0x81, SLICE("hello"));

    (void)state;
    forget();
    assert_true(frame_read(&pool, &reader, slice_make(bytes, len), note, NULL));
    assert_null(reader.room);
    assert_true(frame_read(&pool, &reader, slice_make(bytes, 3), note, NULL));
    assert_non_null(reader.room);
    assert_true(frame_read(&pool, &reader, slice_make(bytes + 3, len - 3), note, NULL));
    assert_null(reader.room);
    len = put_frame(bytes, 0x01, SLICE("he"));
    assert_true(frame_read(&pool, &reader, slice_make(bytes, len), note, NULL));
    assert_non_null(reader.room);
    frame_reader_close(&pool, &reader);
    assert_null(reader.room);
    frame_pool_close(&pool);
}

static void what_breaks_the_protocol_is_named(void **state)
{
    /* clang-format off */
    static const struct { uint8_t first; const char *payload; const char *said; } rows[] = {
        { 0xc1, "x", "C1002|" }, { 0xa1, "x", "C1002|" }, { 0x91, "x", "C1002|" },     /* reserved bits      */
        { 0x83, "x", "C1002|" }, { 0x87, "x", "C1002|" }, { 0x8b, "x", "C1002|" },     /* reserved opcodes   */
        { 0x80, "x", "C1002|" }, { 0x00, "x", "C1002|" },                              /* no first fragment  */
        { 0x09, "x", "C1002|" }, { 0x08, "", "C1002|" },                               /* fragmented control */
        { 0x82, "x", "C1003|" }, { 0x81, "\xc0\xaf", "C1007|" }, { 0x81, "\xed\xa0\x80", "C1007|" },
        { 0x88, "", "C1005|" }, { 0x88, "\x03\xe8", "C1000|" }, { 0x88, "\x03\xe8" "bye", "C1000|" },
          { 0x88, "\x0f\xa0", "C4000|" },
        { 0x88, "x", "C1002|" }, { 0x88, "\x03\xe7", "C1002|" }, { 0x88, "\x03\xed", "C1002|" },
          { 0x88, "\x03\xee", "C1002|" },
        { 0x88, "\x03\xf7", "C1002|" }, { 0x88, "\x13\x88", "C1002|" }, { 0x88, "\x03\xe8\xff", "C1007|" },
    };
    /* clang-format on */
    uint8_t bytes[64];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        size_t len = put_frame(bytes, rows[i].first, slice_of(rows[i].payload));
        len += put_frame(bytes + len, 0x81, SLICE("behind")); /* is not looked at any more */
        expect(bytes, len, rows[i].said);
    }
}

static void a_frame_without_mask_ends_it(void **state)
{
    static const uint8_t bytes[] = { 0x81, 0x02, 'h', 'i' };

    (void)state;
    expect(bytes, sizeof(bytes), "C1002|");
}

static void a_text_within_a_fragmented_text_ends_it(void **state)
{
    uint8_t bytes[64];
    size_t  len = put_frame(bytes, 0x01, SLICE("a"));

    (void)state;
    len += put_frame(bytes + len, 0x81, SLICE("b"));
    expect(bytes, len, "C1002|");
}

static void lengths_are_limited_at_the_boundary(void **state)
{
    static char    text[FRAME_MESSAGE_MAX + 2];
    static uint8_t bytes[2 * FRAME_MESSAGE_MAX];
    size_t         len;

    (void)state;
    memset(text, 'x', sizeof(text));
    len = put_frame(bytes, 0x81, slice_make(text, FRAME_MESSAGE_MAX));
    read_in(bytes, len, len);
    assert_int_equal(said_len, FRAME_MESSAGE_MAX + 2);
    len = put_frame(bytes, 0x81, slice_make(text, FRAME_MESSAGE_MAX + 1));
    expect(bytes, len, "C1009|");
    len = put_frame(bytes, 0x01, slice_make(text, FRAME_MESSAGE_MAX));
    len += put_frame(bytes + len, 0x80, slice_make(text, 1));
    expect(bytes, len, "C1009|");
    len = put_frame(bytes, 0x89, slice_make(text, FRAME_CONTROL_MAX));
    read_in(bytes, len, 7);
    assert_int_equal(said_len, FRAME_CONTROL_MAX + 2);
    len = put_frame(bytes, 0x89, slice_make(text, FRAME_CONTROL_MAX + 1));
    expect(bytes, len, "C1002|");
}

static void lengths_are_written_in_the_shortest_way_only(void **state)
{
    static const uint8_t two[] = { 0x81, 0xfe, 0, 125, 0, 0, 0, 0 },
                         eight[] = { 0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0 },
                         negative[] = { 0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

    (void)state;
    expect(two, sizeof(two), "C1002|");
    expect(eight, sizeof(eight), "C1002|");
    expect(negative, sizeof(negative), "C1002|");
}

static void any_bytes_end_in_a_message_or_a_close(void **state)
{
    uint64_t seed = 88172645463325252;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[48];
        for (size_t i = 0; i < sizeof(bytes); i++) { bytes[i] = (uint8_t)(random_xorshift(&seed) >> 32); }
        bytes[0] &= 0x8f;
        bytes[1] = (uint8_t)(0x80 | (bytes[1] & 15));
        read_in(bytes, sizeof(bytes), 1 + seed % 48);
        forget();
    }
    frame_pool_close(&pool);
}

static void heads_have_their_length(void **state)
{
    uint8_t head[FRAME_HEAD_MAX];

    (void)state;
    assert_int_equal(frame_head(head, FRAME_TEXT, 125), 2);
    assert_memory_equal(head, "\x81\x7d", 2);
    assert_int_equal(frame_head(head, FRAME_TEXT, 126), 4);
    assert_memory_equal(head, "\x81\x7e\x00\x7e", 4);
    assert_int_equal(frame_head(head, FRAME_PONG, 65535), 4);
    assert_memory_equal(head, "\x8a\x7e\xff\xff", 4);
    assert_int_equal(frame_head(head, FRAME_TEXT, 65536), 10);
    assert_memory_equal(head, "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10);
}

static void closes_carry_code_and_reason(void **state)
{
    char       bytes[256];
    char       longest[200];
    struct out out = out_make(bytes, sizeof(bytes));

    (void)state;
    frame_write_close(&out, CLOSE_POLICY, SLICE("no"));
    assert_int_equal(out.len, 6);
    assert_memory_equal(bytes, "\x88\x04\x03\xf0no", 6);
    memset(longest, 'x', sizeof(longest));
    out = out_make(bytes, sizeof(bytes));
    frame_write_close(&out, CLOSE_NORMAL, slice_make(longest, sizeof(longest)));
    assert_int_equal(out.len, 2 + FRAME_CONTROL_MAX);
    out = out_make(bytes, sizeof(bytes));
    frame_write_close(&out, CLOSE_NO_STATUS, SLICE("x"));
    assert_int_equal(out.len, 2);
    out = out_make(bytes, sizeof(bytes));
    frame_write_close(&out, CLOSE_NORMAL, SLICE(""));
    assert_int_equal(out.len, 4);
}

static bool take_one(void *self, const struct frame_message *message)
{
    (void)message;
    *(int *)self += 1;
    return false;
}

static void who_takes_no_more_is_told_no_more(void **state)
{
    struct frame_reader reader = { 0 };
    uint8_t             bytes[64];
    size_t              len = put_frame(bytes, 0x81, SLICE("a"));
    int                 taken = 0;

    (void)state;
    len += put_frame(bytes + len, 0x81, SLICE("b"));
    assert_true(frame_read(&pool, &reader, slice_make(bytes, 0), take_one, &taken));
    assert_null(reader.room);
    assert_true(frame_read(&pool, &reader, slice_make(bytes, len), take_one, &taken));
    assert_true(reader.ended);
    assert_true(frame_read(&pool, &reader, slice_make(bytes, len), take_one, &taken));
    assert_int_equal(taken, 1);
    frame_reader_close(&pool, &reader);
}

/* The first is of RFC 6455, 1.3; the others are of Python's hashlib and base64. */
static void the_handshake_answers_the_key(void **state)
{
    static const struct {
        const char *key, *accept;
    } rows[] = {
        { "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" },
        { "AAAAAAAAAAAAAAAAAAAAAA==", "ICX+Yqv66kxgM0FcWaLWlFLwTAI=" },
        { "/////////////////////w==", "XXpj4jYzLM2yUE0C7TIgMwTQh2g=" },
        { "AAECAwQFBgcICQoLDA0ODw==", "Bz3qJYTGdOe8gUSpLosEdiLKDrk=" },
        { "CzBVep/E6Q4zWH2ix+wRNg==", "lz5pPkb2gLreqRUNl9CqyRDlOog=" },
        { "//jx6uPc1c7HwLmyq6Sdlg==", "2852YQkoNS/FVSmva5n+3A7d/fA=" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char       text[64];
        struct out out = out_make(text, sizeof(text));

        assert_true(frame_key_is_valid(slice_of(rows[i].key)));
        frame_accept(&out, slice_of(rows[i].key));
        assert_int_equal(out.len, strlen(rows[i].accept));
        assert_memory_equal(text, rows[i].accept, out.len);
    }
}

static void keys_are_sixteen_bytes(void **state)
{
    (void)state;
    assert_false(frame_key_is_valid(SLICE("")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25jZQ=")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25jZQ===")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25jZR=="))); /* bits that are not there */
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25j*Q==")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25jZQAA")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25jZQ=A")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25j\0Q==")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25jZQ= ")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25jZ  =")));
    assert_false(frame_key_is_valid(SLICE(" dGhlIHNhbXBsZSBub25jZQ=")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub25 ZQ==")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub2\r\nZQ==")));
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBub2-_ZQ=="))); /* of the other alphabet */
    assert_false(frame_key_is_valid(SLICE("dGhlIHNhbXBsZSBu\xff"
                                          "25jZQ==")));
}

static void utf8_is_judged_at_its_boundaries(void **state)
{
    (void)state;
    assert_true(utf8_is_valid(SLICE("")));
    assert_true(utf8_is_valid(SLICE(
        "a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf")));
    assert_false(utf8_is_valid(SLICE("\x80")));
    assert_false(utf8_is_valid(SLICE("\xc1\xbf")));
    assert_false(utf8_is_valid(SLICE("\xe0\x9f\xbf")));
    assert_false(utf8_is_valid(SLICE("\xed\xa0\x80")));
    assert_false(utf8_is_valid(SLICE("\xf0\x8f\xbf\xbf")));
    assert_false(utf8_is_valid(SLICE("\xf4\x90\x80\x80")));
    assert_false(utf8_is_valid(SLICE("\xf5\x80\x80\x80")));
    assert_false(utf8_is_valid(SLICE("\xe2\x82")));
    assert_false(utf8_is_valid(SLICE("\xe2\x82"
                                     "a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_messages_and_fragments_are_told_once),
        cmocka_unit_test(a_connection_holds_a_room_only_within_a_message),
        cmocka_unit_test(what_breaks_the_protocol_is_named),
        cmocka_unit_test(a_frame_without_mask_ends_it),
        cmocka_unit_test(a_text_within_a_fragmented_text_ends_it),
        cmocka_unit_test(lengths_are_limited_at_the_boundary),
        cmocka_unit_test(lengths_are_written_in_the_shortest_way_only),
        cmocka_unit_test(any_bytes_end_in_a_message_or_a_close),
        cmocka_unit_test(heads_have_their_length),
        cmocka_unit_test(closes_carry_code_and_reason),
        cmocka_unit_test(who_takes_no_more_is_told_no_more),
        cmocka_unit_test(the_handshake_answers_the_key),
        cmocka_unit_test(keys_are_sixteen_bytes),
        cmocka_unit_test(utf8_is_judged_at_its_boundaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
