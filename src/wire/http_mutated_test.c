/* SPDX-License-Identifier: MIT */
/* Spoilt requests: none crashes the parser, none can be read in two ways. */
#include "rigs/wire/http_rig.h"
#include "rigs/random.h"

static uint64_t seed = 88172645463325252u;

static uint32_t random_below(uint32_t sides) { return (uint32_t)(random_xorshift(&seed) >> 20) % sides; }

static size_t mutate(char *text, size_t len, size_t cap)
{
    static const char spice[] = "\r\n\t :;,+-0159aAfFxX_\"\0\x7f\x80/?#*";

    for (uint32_t turns = 1 + random_below(3); turns > 0; turns--) {
        size_t at = random_below((uint32_t)len);
        switch (random_below(5)) {
        case 0: text[at] = spice[random_below(sizeof(spice) - 1)]; break;
        case 1:
            memmove(text + at, text + at + 1, len - at - 1);
            len -= len > 1;
            break;
        case 2:
            if (len == cap) break;
            memmove(text + at + 1, text + at, len - at);
            text[at] = spice[random_below(sizeof(spice) - 1)];
            len += 1;
            break;
        case 3: text[at] = (char)random_below(256); break;
        default: {
            size_t from = random_below((uint32_t)len),
                   part = min_size(min_size(random_below(24), len - from), cap - len);
            memmove(text + from + part, text + from, len - from);
            len += part;
            break;
        }
        }
    }
    return len;
}

static bool starts_with(struct slice line, const char *name)
{
    for (size_t i = 0; name[i] != '\0'; i++)
        if (i == line.len || (line.at[i] | 0x20) != (name[i] | 0x20)) return false;
    return true;
}

/*
 * The reading of a naive peer: lines end with LF, a length is any digits. An accepted request must not let such a peer
 * find another end of the body.
 */
static void assert_one_reading(struct slice text, const struct http_request *request)
{
    const char *end = memmem(text.at, text.len, "\r\n\r\n", 4), *line = text.at;
    size_t      head, lengths = 0, encodings = 0, hosts = 0, length = 0;

    assert_non_null(end);
    head = (size_t)(end - text.at) + 4;
    while (line < end) {
        const char  *stop = memchr(line, '\n', (size_t)(text.at + text.len - line));
        struct slice one = slice_make(line, (size_t)(stop - line));

        assert_true(one.len >= 1 && one.at[one.len - 1] == '\r');
        assert_null(memchr(one.at, '\r', one.len - 1));
        assert_true(*line != ' ' && *line != '\t');
        if (starts_with(one, "content-length:")) {
            lengths += 1;
            length = (size_t)strtoull(one.at + 15, NULL, 10);
        }
        encodings += starts_with(one, "transfer-encoding:");
        hosts += starts_with(one, "host:");
        line = stop + 1;
    }
    assert_true(lengths + encodings <= 1);
    assert_true(request->minor_version == 0 ? hosts <= 1 : hosts == 1);
    if (encodings == 0) {
        assert_int_equal(request->body.len, length);
        assert_int_equal(request->bytes, head + length);
    } else {
        assert_true(request->bytes >= head + request->body.len + 5);
    }
}

static void mutated_requests_never_crash_and_never_read_two_ways(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());
    size_t              accepted = 0, refused = 0;

    (void)state;
    for (int round = 0; round < 300000; round++) {
        const char         *base = pieces[random_below(ARRAY_COUNT(pieces))];
        char                text[512], whole_text[1024], split_text[1024], *buffer;
        size_t              len = strlen(base), split;
        struct http_request request;
        enum reject         reject;
        enum http_result    result;
        struct parsed       whole;

        memcpy(text, base, len);
        len = mutate(text, len, sizeof(text));
        whole = parse(slice_make(text, len), &buffer);
        describe(&whole.request, whole_text);
        free(buffer);

        split = random_below((uint32_t)len);
        buffer = malloc(len);
        memcpy(buffer, text, len);
        http_parser_init(parser);
        result = http_parse(parser, buffer, split, &request, &reject, NULL);
        if (result == HTTP_MORE) result = http_parse(parser, buffer, len, &request, &reject, NULL);
        assert_int_equal(result, whole.result);
        assert_int_equal(reject, whole.reject);
        if (result == HTTP_DONE) {
            describe(&request, split_text);
            assert_string_equal(split_text, whole_text);
            assert_one_reading(slice_make(text, len), &request);
            accepted += 1;
        }
        refused += result == HTTP_ERROR;
        free(buffer);
    }
    assert_true(accepted > 1000 && refused > 1000);
    free(parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_requests_never_crash_and_never_read_two_ways),
    };
    return cmocka_run_group_tests_name("http, spoilt", tests, NULL, NULL);
}
