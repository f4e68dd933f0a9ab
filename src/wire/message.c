/* SPDX-License-Identifier: MIT */
#include "wire/message.h"
#include "wire/json.h"

#define ID_MAX 64

/* A string without escapes: names, addresses and numbers need none. */
static bool read_text(struct scan *scan, struct slice *text)
{
    bool escaped;
    return scan_string(scan, text, &escaped) && !escaped;
}

/* A string, or a number as it stands there. */
static bool read_word(struct scan *scan, struct slice *word)
{
    bool whole;
    return scan_is(scan, '"') ? read_text(scan, word) : scan_number(scan, word, &whole);
}

static bool read_null(struct scan *scan)
{
    if (scan->end - scan->at < 4 || memcmp(scan->at, "null", 4) != 0) return false;
    scan->at += 4;
    return true;
}

static bool add_name(struct scan *scan, struct stream_message *message)
{
    return message->name_count < MESSAGE_NAMES_MAX && read_word(scan, &message->names[message->name_count])
        && ++message->name_count != 0;
}

/* One name, or a list of them. */
static bool read_names(struct scan *scan, struct stream_message *message)
{
    message->names_given = true;
    if (!scan_char(scan, '[')) return add_name(scan, message);
    scan_space(scan);
    if (scan_char(scan, ']')) return true;
    for (;;) {
        scan_space(scan);
        if (!add_name(scan, message)) return false;
        scan_space(scan);
        if (scan_char(scan, ']')) return true;
        if (!scan_char(scan, ',')) return false;
    }
}

static struct slice *param_of(struct stream_message *message, struct slice key)
{
    if (slice_is(key, "channel")) return &message->channel;
    if (slice_is(key, "interval")) return &message->interval;
    if (slice_is(key, "level")) return &message->level;
    if (slice_is(key, "user")) return &message->user;
    if (slice_is(key, "accountID")) return &message->account_id;
    if (slice_is(key, "tickSize")) return &message->tick_size;
    if (slice_is(key, "pushInterval")) return &message->push_interval;
    return NULL;
}

static bool is_names(struct slice key)
{
    return slice_is(key, "symbol") || slice_is(key, "symbols") || slice_is(key, "coin") || slice_is(key, "coins");
}

typedef bool read_value(struct scan *scan, struct slice key, struct stream_message *message);

/* The members of an object, one after the other. */
static bool read_object(struct scan *scan, read_value *read, struct stream_message *message)
{
    struct slice key;

    if (!scan_char(scan, '{')) return false;
    scan_space(scan);
    if (scan_char(scan, '}')) return true;
    for (;;) {
        scan_space(scan);
        if (!read_text(scan, &key)) return false;
        scan_space(scan);
        if (!scan_char(scan, ':')) return false;
        scan_space(scan);
        if (!read(scan, key, message)) return false;
        scan_space(scan);
        if (scan_char(scan, '}')) return true;
        if (!scan_char(scan, ',')) return false;
    }
}

static void keep_wrong(struct stream_message *message, struct slice key)
{
    static_assert(MESSAGE_NAMES_MAX == 128, "the text says so");
    if (message->wrong.at != NULL) return;
    message->wrong = key;
    message->wrong_form = is_names(key) ? "a name, or a list of up to 128" : "a text without escapes, or a number";
}

/* A value of another form is skipped: op and id may stand behind it. */
static bool read_param(struct scan *scan, struct slice key, struct stream_message *message)
{
    struct slice *param = param_of(message, key);
    const char   *from = scan->at;

    if (param == NULL && !is_names(key)) return scan_value(scan, JSON_DEPTH_MAX, false);
    if (read_null(scan)) return true;
    if (param != NULL ? read_word(scan, param) : read_names(scan, message)) return true;
    scan->at = from;
    keep_wrong(message, key);
    return scan_value(scan, JSON_DEPTH_MAX, false);
}

static bool read_member(struct scan *scan, struct slice key, struct stream_message *message)
{
    struct slice op;
    const char  *from = scan->at;

    if (slice_is(key, "params")) return read_null(scan) || read_object(scan, read_param, message);
    if (slice_is(key, "op")) {
        if (!read_text(scan, &op)) return false;
        message->op = slice_is(op, "subscribe")   ? OP_SUBSCRIBE
                    : slice_is(op, "unsubscribe") ? OP_UNSUBSCRIBE
                    : slice_is(op, "ping")        ? OP_PING
                                                  : OP_UNKNOWN;
        return true;
    }
    if (!scan_value(scan, JSON_DEPTH_MAX, false)) return false;
    if (!slice_is(key, "id") || *from == 'n' || *from == '{' || *from == '[') return true;
    if (scan->at - from > ID_MAX) return false;
    message->id = slice_make(from, (size_t)(scan->at - from));
    return true;
}

bool message_read(struct slice text, struct stream_message *message, const char **error)
{
    struct scan scan = { text.at, text.at + text.len };

    memset(message, 0, offsetof(struct stream_message, names));
    message->name_count = 0;
    message->names_given = false;
    message->wrong = (struct slice){ NULL, 0 };
    scan_space(&scan);
    *error = "invalid message: one JSON object with op, id and params";
    if (!read_object(&scan, read_member, message)) return false;
    scan_space(&scan);
    if (scan.at != scan.end) return false;
    *error = "op is invalid: subscribe, unsubscribe or ping";
    return message->op != OP_UNKNOWN;
}
