/* SPDX-License-Identifier: MIT */
/* command_table.c — the rows of command_rows.h as a table, with what must hold of their payloads. */
#include "model/commands.h"
#include "model/operator.h"
#include "model/shape.h"

#define PLACE_ONE(payload, item)  sizeof(struct payload), sizeof(struct payload), 0, 0
#define PLACE_LIST(payload, item) sizeof(struct payload), offsetof(struct payload, items), 0, 0
#define PLACE_BATCH(payload, item)                                                                                     \
    sizeof(struct payload), offsetof(struct payload, items), sizeof(struct item), offsetof(struct item, client_id)

const struct command_row command_rows[COMMAND_KINDS] = {
#define X(number, NAME, name, payload, form, item, sides, right, sender, whose, class, weight, gives, apply, shape)    \
    [CMD_##NAME] = { name,          shape,         PLACE_##form(payload, item),                                        \
                     SIDES_##sides, RIGHT_##right, SENDER_##sender,                                                    \
                     WHOSE_##whose, CLASS_##class, GIVES_##gives },
    COMMANDS(X)
#undef X
};

/* Assertions about the payloads of the rows. */
#define HEAD_ONE(payload)
#define HEAD_LIST(payload)
#define HEAD_BATCH(payload)                                                                                            \
    static_assert(offsetof(struct payload, count) == offsetof(struct items_head, count), "the head of a BATCH");
#define HEAD_NOBODY(payload)
#define HEAD_USER(payload)
#define HEAD_ACCOUNT(payload) static_assert(offsetof(struct payload, account_id) == 0, "the account comes first");
#define X(number, NAME, name, payload, form, item, sides, right, sender, whose, ...)                                   \
    HEAD_##form(payload) HEAD_##whose(payload) static_assert(                                                          \
        sizeof(struct payload) <= UINT16_MAX && sizeof(struct payload) % 8 == 0, "bytes of a row");
COMMANDS(X)
#undef X
