/* SPDX-License-Identifier: MIT */
/*
 * message.h — a message from a client of the streams (wire 6.1): {"op":…,"id":…,"params":{…}}. Read leniently, as wire
 * 6.4 requires: unknown keys are ignored, a list may be one name and the reverse, numbers may be strings.
 */
#ifndef WIRE_MESSAGE_H
#define WIRE_MESSAGE_H

#include "base/slice.h"

#define MESSAGE_NAMES_MAX 128

enum message_op { OP_UNKNOWN = 0, OP_SUBSCRIBE, OP_UNSUBSCRIBE, OP_PING };

/* Slices point into the text; one that is not given has at == NULL. */
struct stream_message {
    uint8_t      op; /* enum message_op */
    struct slice id; /* as it was sent, a number or a string */
    struct slice channel, interval, level, user, account_id, tick_size, push_interval;
    struct slice names[MESSAGE_NAMES_MAX]; /* symbols or coins */
    uint32_t     name_count;
    bool         names_given; /* also when the list is empty */
    struct slice wrong;       /* key of the first parameter whose value has another form; at NULL = none */
    const char  *wrong_form;  /* the form that it must have */
};

/*
 * False: not such an object; *error is the reason for the client. Members read until then are kept (op and id).
 * True with a `wrong` parameter: an object, of which nothing but op and id may be used (decision 246).
 */
bool message_read(struct slice text, struct stream_message *message, const char **error) MUST_USE;

#endif
