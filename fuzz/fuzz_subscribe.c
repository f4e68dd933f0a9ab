/* SPDX-License-Identifier: MIT */
/*
 * Messages of stream clients: the result of the reader is inside the text, has at most the maximum number of names
 * and a wrong parameter has a name; it is the same when the text is read again; an accepted text is one JSON object,
 * and white space around it changes nothing.
 */
#include "fuzz/fuzz.h"
#include "wire/json.h"
#include "wire/message.h"

static void is_inside(struct slice text, struct slice part)
{
    assert(part.at == NULL || (part.at >= text.at && part.at + part.len <= text.at + text.len));
}

static void check(struct slice text, const struct stream_message *message)
{
    is_inside(text, message->id);
    is_inside(text, message->channel);
    is_inside(text, message->interval);
    is_inside(text, message->level);
    is_inside(text, message->user);
    is_inside(text, message->account_id);
    is_inside(text, message->tick_size);
    is_inside(text, message->push_interval);
    is_inside(text, message->wrong);
    assert(message->wrong.at == NULL || (message->wrong.len >= 4 && message->wrong_form != NULL));
    assert(message->name_count <= MESSAGE_NAMES_MAX && (message->name_count == 0 || message->names_given));
    for (uint32_t i = 0; i < message->name_count; i++) is_inside(text, message->names[i]);
}

static void same_text(struct slice a, struct slice b) { assert(slice_equal(a, b) && (a.at == NULL) == (b.at == NULL)); }

static void same(const struct stream_message *a, const struct stream_message *b)
{
    assert(a->op == b->op && a->name_count == b->name_count && a->names_given == b->names_given);
    same_text(a->id, b->id);
    same_text(a->channel, b->channel);
    same_text(a->interval, b->interval);
    same_text(a->level, b->level);
    same_text(a->user, b->user);
    same_text(a->account_id, b->account_id);
    same_text(a->tick_size, b->tick_size);
    same_text(a->push_interval, b->push_interval);
    same_text(a->wrong, b->wrong);
    for (uint32_t i = 0; i < a->name_count; i++) same_text(a->names[i], b->names[i]);
}

static bool is_object(struct slice text)
{
    struct scan scan = { text.at, text.at + text.len };

    scan_space(&scan);
    if (!scan_is(&scan, '{') || !scan_value(&scan, 32, false)) return false;
    scan_space(&scan);
    return scan.at == scan.end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct stream_message first, again;
    struct slice                 text, spaced;
    const char                  *error;
    char                        *wide;
    bool                         read;

    if (size > 4096) return 0;
    text = exact_copy(data, size);
    memset(&again, 0xa5, sizeof(again)); /* the previous contents must not remain */
    read = message_read(text, &first, &error);
    check(text, &first);
    assert(error != NULL && (!read || first.op != OP_UNKNOWN));
    if (read) assert(is_object(text));
    wide = malloc(size + 4);
    assert(wide != NULL);
    memcpy(wide, " \t", 2);
    if (size != 0) memcpy(wide + 2, text.at, size);
    memcpy(wide + 2 + size, "\r\n", 2);
    spaced = slice_make(wide, size + 4);
    assert(message_read(spaced, &again, &error) == read);
    same(&first, &again);
    free(wide);
    free_copy(text);
    return 0;
}
