/* SPDX-License-Identifier: MIT */
/*
 * hints.h — what the payload of a command and the tables of the genesis decide alone: keys of client ids, prices and
 * quantities in units, and whether the rules that depend on nothing else are kept. The thread that decodes a command
 * works it out, and it travels beside the command to the engine, which uses it where it is the command's own (decision
 * 938). Hints are neither logged nor hashed; without them the engine finds the same.
 */
#ifndef RULES_HINTS_H
#define RULES_HINTS_H

#include "model/commands.h"
#include "model/genesis.h"

struct item_hint {
    int64_t  price, quantity; /* units of the symbol; 0 = not given. Valid with `passes` */
    uint32_t key;             /* client_key of the item's own client id; valid with hints.owner */
    uint8_t  passes;          /* 1: the rules of payload and symbol are kept (below) */
    uint8_t  reserved[3];
};
static_assert(sizeof(struct item_hint) == 24, "copied beside the command");

/*
 * `passes` of a limit order that is no TP/SL order: its payload is sound (spot place rules 2 to 4, perps place rules 1,
 * 5 and 6), its symbol exists, and price, quantity and value keep rules 5 to 8. Of a cancel: its payload is sound.
 * Other items have it 0.
 */
struct hints {
    uint64_t         nonce, payload_tag; /* of the command that they are of */
    uint32_t         bytes;              /* of the command, as the next: compared as one with its first eight bytes */
    uint16_t         kind;
    uint8_t          market, domain;
    uint32_t         owner; /* owner_of_account; 0 = account 0, which only the engine can find */
    uint8_t          count; /* as many as the payload has items */
    uint8_t          plain; /* 1: it has one item, its form is sound, and the domain is one of users */
    uint8_t          reserved[2];
    struct item_hint items[BATCH_MAX];
};
static_assert(offsetof(struct hints, owner) - offsetof(struct hints, bytes) == offsetof(struct command, seq),
              "compared as one");

/* The bytes of hints with so many items. */
static inline size_t hints_size(uint32_t count)
{
    return offsetof(struct hints, items) + count * sizeof(struct item_hint);
}

/* Tables of a genesis, for hints_make. */
struct hint_tables {
    const struct genesis *genesis;
    uint64_t              seed[2];
    int64_t               value_unit[SYMBOLS_MAX + PERPS_MAX]; /* spot, then perps from SYMBOLS_MAX on */
};

/* The tables of a genesis that was completed and stays where it is. */
void hint_tables_make(const struct genesis *genesis, struct hint_tables *tables);

/*
 * The hints of a signed command with a batch of items, and their bytes (hints_size). 0: it has none, as other kinds,
 * and commands whose form the engine refuses. Any thread; reads nothing behind command.bytes.
 */
size_t hints_make(const struct hint_tables *tables, const struct command *command, struct hints *hints);

static_assert(BATCH_MAX <= UINT8_MAX, "counted in a byte");

/*
 * Whether they are of this command: length, kind, market, domain, nonce and payload are the same. All that a hint says
 * follows from these. Hints are only made of a command that is long enough for its items, so that they are read last.
 */
static inline bool hints_are_of(const struct hints *hints, const struct command *command)
{
    return memcmp(&hints->bytes, command, offsetof(struct command, seq)) == 0 && hints->nonce == command->nonce
        && hints->payload_tag == command->payload_tag
        && hints->count == ((const struct items_head *)command_payload(command))->count;
}

#endif
