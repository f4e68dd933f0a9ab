/* SPDX-License-Identifier: MIT */
/*
 * history.h — what ended: orders that are no longer open, fills, and which transaction a command
 * became, without limit of size, on disk in LMDB.
 *
 * The store is a projection of the log, written behind it by one thread. Each transaction of the store
 * carries the sequence number it reaches, so after a restart the rows at or below it are skipped and
 * the rest come again from the replay. Rows that are not yet on disk are kept in memory and merged
 * into every read (ruling 51), so a read after a reply always shows its effect (ruling 24).
 *
 * Three kinds of thread: one calls history_apply / history_block, one calls history_write, any read.
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "base/keccak.h"
#include "model/events.h"

struct history;

/*
 * Opens or makes the store in `folder` (made when absent). `instance` identifies the log it belongs
 * to (hash of its genesis); a store of another log, of another format, or one that was open when the
 * machine went down (boot_id differs) is emptied and comes back from the replay. So is one that is
 * damaged: nothing of it is used. May fork; call it before threads are made. 0 or errno.
 */
int  history_open(const char *folder, const struct hash256 *instance, struct slice boot_id, struct history **history) MUST_USE;
void history_close(struct history *history);        /* writes what is pending, marks the store clean */

/* What was wrong with a store that was thrown away as damaged by history_open; NULL when none was. */
const char *history_thrown_away(const struct history *history);

/*
 * A read that meets damage answers -EUCLEAN, and the store is thrown away at the next start. `tell` (may be
 * NULL) is called once, by the thread that read. Call before the first read.
 */
void history_on_damage(struct history *history, void (*tell)(void));

/* The last command whose rows are on disk. A log that is shorter than this has lost its end (journal_knows). */
uint64_t history_seq(const struct history *history);

/* Remembers the rows of a batch's events (orders that ended, fills). Never blocks on the disk. */
void history_apply(struct history *history, const struct events *events);

/* The block a batch became: command `seq[i]` is transaction i. Call after history_apply of the same batch. */
struct history_tx { uint64_t seq; struct hash256 hash; };
void history_block(struct history *history, uint64_t number, const struct hash256 *hash, int64_t time_ms,
                   const struct history_tx *txs, uint32_t count);

/* The memory of rows not yet on disk is full: new risk must be shed (ruling 51), a replay must write first. */
bool history_is_full(const struct history *history);

/* Writes what is pending, one transaction; returns rows written, or a negative errno. *pending = rows left. */
int history_write(struct history *history, uint32_t *pending);
/* Makes the written transactions durable (mdb_env_sync); about once a second. 0 or errno. */
int history_sync(struct history *history) MUST_USE;

/* ---- reading (any thread) ---- */
struct history_query {
    uint64_t account_id;
    uint8_t  market;
    uint32_t symbol_id;             /* 0 = all                                            */
    uint64_t order_id;              /* fills only; 0 = all                                */
    int64_t  start_ms, end_ms;      /* inclusive; end INT64_MAX = none                    */
    uint64_t from_id;               /* rows behind this order (or trade id) in the list; 0 = from the top; an order
                                     * that is not in the account's list: only ids below  */
    uint32_t limit;
};

/* Newest first (time of the end, ties by id). Returns how many were copied, or a negative errno (-EUCLEAN: damage). */
int history_orders(struct history *history, const struct history_query *query, struct order_changed *orders);
int history_fills(struct history *history, const struct history_query *query, struct filled *fills);

/* Which transaction a command became. False when none. */
struct history_place { struct hash256 hash; uint64_t block; uint32_t index, reserved; };
bool history_transaction(struct history *history, uint64_t seq, struct history_place *place);

#endif
