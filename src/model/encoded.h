/* SPDX-License-Identifier: MIT */
/*
 * encoded.h — the forms in which a block's events are hashed (mechanics 8.1 "encoded events"; decision 940).
 *
 * The state root is fed with the events of a block without those words that a reader of the log knows already, from
 * the command, or from events before. A record is encoded as its head, whose `reserved[0]` is the form, and some of its
 * words; kind and bytes in the head are those of the whole record. What each form leaves out is said here, and
 * twin/decode.c puts it back.
 *
 *   WHOLE    every word follows
 *   SPARSE   a word with a bit for each word behind the head that is not zero, then these words
 *   others   the words named in the table
 */
#ifndef MODEL_ENCODED_H
#define MODEL_ENCODED_H

#include "model/events.h"

/*
 * X(FORM, kind, words kept): the number of a word is that in the record; the head is word 0.
 *
 *   BEGAN      kind of the command and account; the rest is the command's, and the origin is 0
 *   PASSED     an item without a value sent back or required, of a command with items: the client id is the item's (of
 *              a cancel on perps without one: the order's), the original client id of a spot cancel is the order's
 *   RESTING    an order of this command that has not traded: its id is that of the next result with its client id; the
 *              account is the command's
 *   TAKEN      the same of an order that has
 *   TRADED     an order emitted before, after a trade: account, client id, price, quantity, funds and time of creation
 *              are those emitted before
 *   ENDED      an order emitted before, cancelled or expired: so are its executed quantity and value; nothing is frozen
 *   MOVED      a level; its update id follows the last one of the symbol
 *   DEAL       a trade at the time of the command
 *   SIDE       a fill of the trade before it; the account is the buyer or the seller, the client id the order's
 *
 * RESTING, TAKEN, TRADED and ENDED leave out the time of the change, which is that of the command.
 */
#define ENCODED_FORMS(X)                                                                                               \
    X(BEGAN, COMMAND_BEGAN, 4)                                                                                         \
    X(PASSED, RESULT, 1, 2)                                                                                            \
    X(RESTING, ORDER, 3, 4, 10, 11, 15)                                                                                \
    X(TAKEN, ORDER, 3, 4, 10, 11, 13, 14, 15)                                                                          \
    X(TRADED, ORDER, 1, 3, 4, 13, 14, 15)                                                                              \
    X(ENDED, ORDER, 1, 3, 4)                                                                                           \
    X(MOVED, LEVEL, 1, 2, 3)                                                                                           \
    X(DEAL, TRADE, 1, 2, 3, 4, 5, 6, 7)                                                                                \
    X(SIDE, FILL, 2, 4, 12, 13)

enum encoded_form {
    FORM_WHOLE,
    FORM_SPARSE,
#define X(NAME, ...) FORM_##NAME,
    ENCODED_FORMS(X)
#undef X
        FORMS
};

/*
 * In `reserved[1]` of the head of an order's record: records right behind it that are left out, in this order.
 * LEVEL: of the order's symbol, side and price; its quantity is what the orders at that price have open. BALANCE: of
 * the account in the coin that the order spends; the total is as emitted before, and as much more is locked as the
 * order has frozen more than before.
 */
enum encoded_behind { BEHIND_LEVEL = 1, BEHIND_BALANCE = 2 };

#define ENCODED_WORDS_MAX 12
struct encoded_words {
    uint16_t kind; /* enum event_kind; FORM_… of ORDER are also of PERPS_ORDER, whose last six words are then 0 */
    uint8_t  count, at[ENCODED_WORDS_MAX];
};

static const struct encoded_words encoded_words[FORMS] = {
#define X(NAME, KIND, ...) [FORM_##NAME] = { EVENT_##KIND, sizeof((uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ } },
    ENCODED_FORMS(X)
#undef X
};

#define SPARSE_WORDS_MAX 65 /* records with more words are encoded WHOLE */

static_assert(sizeof(struct command_began) == 5 * 8 && offsetof(struct command_began, command_kind) == 4 * 8, "words");
static_assert(sizeof(struct result) == 17 * 8 && offsetof(struct result, client_id) == 3 * 8, "words");
static_assert(offsetof(struct order_changed, symbol_id) == 3 * 8 && offsetof(struct order_changed, price) == 10 * 8
                  && offsetof(struct order_changed, executed) == 13 * 8 && sizeof(struct order_changed) == 18 * 8,
              "words");
static_assert(offsetof(struct level_changed, price) == 2 * 8, "words");
static_assert(offsetof(struct traded, time_ms) == 8 * 8, "words");
static_assert(offsetof(struct filled, fee) == 12 * 8 && offsetof(struct filled, symbol_id) == 4 * 8, "words");

#endif
