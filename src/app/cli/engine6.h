/* SPDX-License-Identifier: MIT */
/*
 * engine6.h — engine version 6 (commit 02a0440), as far as dojima convert must know it. Its commands have the same
 * layout as today's. Its events have fewer members and fewer kinds, its genesis has fewer members, and its snapshots
 * are memory of another layout.
 */
#ifndef APP_CLI_ENGINE6_H
#define APP_CLI_ENGINE6_H

#include "base/outside.h"
#include "model/events.h"
#include "model/genesis.h"
#include "snapshot/snapshot.h"

#define ENGINE6              6
#define ENGINE6_LAST_COMMAND CMD_SET_MODE

/* Gives the members that version 6 did not have their values in a converted log (decision 125). */
void engine6_genesis(struct genesis *genesis);

/* The same events as version 6 would have written them. `into` has room for from->len bytes and is overwritten. */
void engine6_events(const struct events *from, struct events *into);

/* ---- the state in a snapshot of version 6 ---- */

struct engine6_state {
    struct snapshot_header  facts;
    struct snapshot_section sections[SNAPSHOT_SECTIONS_MAX];
    const uint8_t          *engine; /* NULL: not loaded */
    const struct genesis   *genesis;
};

/* Accounts by their row: 0 .. engine6_account_count() - 1; the first ENGINE6_HOUSE_ROWS are system accounts. */
#define ENGINE6_HOUSE_ROWS 4
struct engine6_account {
    uint64_t       account_id;
    struct address owner;
    uint32_t       open_orders;
    int64_t        wallet; /* of the perps side, vUSDC units */
    struct {
        int64_t total, locked, evm;
    } coins[COINS_MAX];
};

/* An account's position in a perps symbol; size 0: none. */
struct engine6_position {
    int64_t  size, bucket;
    int128_t cost;
};

/*
 * Loads a snapshot taken behind command `seq` of the log of `genesis`, whose hash is `instance`. SNAPSHOT_ABSENT:
 * there is none. Another fault: report->text has the reason. engine6_close follows in any case.
 */
enum snapshot_fault engine6_load(struct engine6_state *state, const struct disk *disk, const struct genesis *genesis,
                                 const struct hash256 *instance, uint64_t seq, struct snapshot_report *report) MUST_USE;
void                engine6_close(struct engine6_state *state);

uint32_t engine6_account_count(const struct engine6_state *state);
void     engine6_account(const struct engine6_state *state, uint32_t row, struct engine6_account *account);

/* The positions of all accounts in one symbol (from 1), by row of the account. `positions` has a place for each
 * account. */
void engine6_positions(const struct engine6_state *state, uint32_t symbol_id, struct engine6_position *positions);

#endif
