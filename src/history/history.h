/* SPDX-License-Identifier: MIT */
/*
 * history.h — what ended: orders that are no longer open, positions, fills, fundings, which transaction a command
 * became, and the bars of all trades (klines), without limit of size, on disk in LMDB.
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
#include "log/position.h"
#include "model/bar.h"
#include "model/events.h"
#include "model/genesis.h"
#include "model/interval.h"
#include "model/transaction.h"

struct history;

/*
 * Opens or makes the store in `folder` (made when absent). `instance` identifies the log it belongs
 * to (hash of its genesis); a store of another log, of another format, or one that was open when the
 * machine went down (boot_id differs) and kept no moment is emptied and comes back from the replay. So is every one
 * that was open, when boot_id is empty (unknown), and one that is damaged: nothing of it is used. May fork; call it
 * before threads are made. 0 or errno.
 */
int history_open(const char *folder, const struct hash256 *instance, struct slice boot_id,
                 struct history **history) MUST_USE;
/*
 * Faults in the pages that normal operation writes to: the bars of `symbols` symbols of each market, and room for the
 * rows of a few seconds of slow disk. Before any thread folds, writes or reads.
 */
void history_touch(struct history *history, uint32_t spot_count, uint32_t perps_count);
void history_close(struct history *history); /* writes what is pending, marks the store clean */

/* The damage for which history_open discarded a store; NULL when it discarded none. */
const char *history_thrown_away(const struct history *history);

/*
 * A read that meets damage answers -EUCLEAN, and the store is thrown away at the next start. `on_damage` (may be
 * NULL) is called once, by the thread that read. Call before the first read.
 */
void history_on_damage(struct history *history, void (*on_damage)(void));

/* The last command whose rows are all on disk. */
uint64_t history_seq(const struct history *history);

/*
 * The last command of which anything at all is on disk: at least history_seq. A log that ends before it has
 * lost its end.
 */
uint64_t history_knows(const struct history *history);

/*
 * The same of a store that no process has open, as a start would find it, and nothing is written (knows.c): 0 when that
 * start would make it anew, or has the rows of another branch than `branch` (see history_branch). May fork.
 */
uint64_t history_knows_in(const char *folder, const struct hash256 *instance, struct slice boot_id,
                          const struct log_position *branch);

/* Remembers the rows of a batch's events (orders that ended, fills, trades as bars). Never blocks on the disk. */
void history_apply(struct history *history, const struct events *events);

/* A block as it is kept. Its other two roots follow from the places of its transactions. */
struct history_block {
    struct hash256            hash, state_root;
    uint64_t                  number;
    int64_t                   time_ms;
    uint64_t                  first_seq, last_seq; /* commands that are its first and its last transaction */
    struct log_position_short position;            /* where its batch stands in the log */
    uint32_t                  count;               /* transactions */
};
static_assert(sizeof(struct history_block) == 112, "reaches disk");

/* The block a batch became: command txs[i].seq is transaction i, `count` of them. Call after history_apply of the same
 * batch. Count 0: the batch became no block, and its rows are complete. */
struct history_tx {
    uint64_t       seq;
    struct hash256 hash;
    uint32_t       status, reserved;
};
void history_block(struct history *history, const struct history_block *block, const struct history_tx *txs);

/* The memory of rows not yet on disk is full: new risk must be shed (ruling 51), a replay must write first. */
bool history_is_full(const struct history *history);

/* It takes the rows of one batch more, but not of many: for long nothing was written, and cancels, which are not shed,
   have rows too. The exchange must end. */
bool history_is_short(const struct history *history);

/* Rows that are in memory alone; a glance, from any thread. */
uint32_t history_waiting(const struct history *history);

/* Writes what is pending, one transaction; returns rows written, or a negative errno. *pending = rows left. */
int history_write(struct history *history, uint32_t *pending);
/*
 * When no row waits: writes down how far the store has come, although nothing came of the last commands, so that a
 * start need not read them once more. For the thread that calls history_write, now and then. 0 or errno.
 */
int history_reach(struct history *history) MUST_USE;
/*
 * A log that goes back (development): the place of the REVERT behind which the rows were made, none: there was none.
 * And: all rows go, in memory and on disk, and those of another branch are expected. No other thread may be in this
 * room. 0 or errno; a negative errno of history_branch.
 */
int history_branch(struct history *history, struct log_position *branch) MUST_USE;
int history_begin_anew(struct history *history, const struct log_position *branch) MUST_USE;

/*
 * Development: from now on what each transaction replaces is noted in memory, at most some hundreds of MiB. Everything
 * that waits is written, 0 or errno: a place to which history_go_back can go. And it goes back to such a place, `seq`
 * being its last command, by undoing transactions; false: it cannot, history_begin_anew does it. No other thread may
 * write meanwhile, or, for the last one, be in this room.
 */
void history_note_undo(struct history *history);
int  history_flush(struct history *history) MUST_USE;
bool history_go_back(struct history *history, uint64_t seq, const struct log_position *branch) MUST_USE;

/*
 * The store need not be durable before it is closed: a store that was open when the machine went down is thrown away
 * unread (decision 134), unless a moment of it was kept. This only keeps what the system holds back small. It writes
 * back the part of the file that is due after `elapsed_ns` more, so that every transaction is with the disk after at
 * most 20 s, in pieces that leave room between them for a sync of the log. The thread that writes calls it, after each
 * round. 0 or errno: once the disk has refused a part, always that one, and nothing more of the store is kept until it
 * is opened again (decision 160).
 */
int history_write_back(struct history *history, int64_t elapsed_ns) MUST_USE;

/*
 * What the store was given and the disk has not taken: since when, at most (clock_mono_ns; 0 = nothing), and how many
 * bytes of rows. After the disk refused a part both only grow. Any thread.
 */
struct history_unkept {
    int64_t  since_ns;
    uint64_t bytes;
};
struct history_unkept history_unkept(const struct history *history);

/* ---- what survives the machine (keep.c) ---- */

/*
 * Makes durable what the store has, and keeps that moment in place of the one before: a store that was open when the
 * machine went down goes back to it at the next start, instead of being thrown away (decision 147). Until the next call
 * its pages are not used again, so the file grows by what is written meanwhile. For the thread that calls
 * history_write. 0 or errno: the moment before stays, and where the disk refused a part of the store it stays until the
 * store is opened again.
 */
int history_keep(struct history *history) MUST_USE;

/* The last command of that moment; of a store that another process has open, too. 0: there is none. */
uint64_t history_kept(const struct history *history);
uint64_t history_kept_in(const char *folder, const struct hash256 *instance);

/* history_open found such a store, and went back. */
bool history_went_back(const struct history *history);

/* ---- for another node (copy.c) ---- */

/*
 * Copies the store as it is now, without pages that are free, to `folder`/data.mdb, which must not exist. Any thread;
 * others go on reading and writing, but the file grows meanwhile instead of using old pages again. 0 or errno, also of
 * a disk that refused a part of the store.
 */
int history_copy(struct history *history, const char *folder) MUST_USE;

/*
 * Makes a store of a file data.mdb that history_copy has made, of the log `instance`: reads all of it, and marks it as
 * closed, so that history_open takes it. *seq: history_seq. 0; EUCLEAN: it is no whole store; or errno. May fork.
 */
int history_adopt(const char *folder, const struct hash256 *instance, uint64_t *seq) MUST_USE;

/* ---- reading (any thread) ---- */
struct history_query {
    uint64_t account_id;
    uint8_t  market;
    uint32_t symbol_id; /* 0 = all */
    uint64_t other_id;  /* fills: of this order; fundings: of this position; receipts: of this liquidation; 0 = all */
    int64_t  start_ms, end_ms; /* inclusive; end INT64_MAX = none */
    uint64_t from_id;          /* rows behind this order, position or trade id in the list; 0 = from the top; an id
                                * that is not in the account's list: from the next lower one that is. Fundings have
                                * none: by time */
    uint32_t limit;
    uint32_t most; /* a page that begins without from_id ends with its last millisecond, after at most this number of
                      rows; a millisecond that does not fit is left out as a whole, unless the page has only that one.
                      0: `limit` rows, regardless of time */
};

/* Newest first (time of the end, ties by id). Returns how many were copied, or a negative errno (-EUCLEAN: damage). */
int history_orders(struct history *history, const struct history_query *query, struct order_changed *orders);
int history_fills(struct history *history, const struct history_query *query, struct filled *fills);
/* Of the perps market: orders with their perps part, closed positions, and funding payments of positions. */
int history_perps_orders(struct history *history, const struct history_query *query,
                         struct perps_order_changed *orders);
int history_positions(struct history *history, const struct history_query *query, struct position_changed *positions);
int history_fundings(struct history *history, const struct history_query *query, struct funded *fundings);

/*
 * Receipts of liquidations (receipts.c). Each is in the list of all, whose account_id is 0, in that of the liquidated
 * account, and in that of every account that took part in its deleveraging. A receipt is visible once its batch is
 * complete.
 */
enum receipt_role { RECEIPT_PUBLIC = 0, RECEIPT_LIQUIDATED = 1, RECEIPT_DELEVERAGED = 2 };
struct history_receipt {
    struct liquidated is;
    uint64_t          owner;      /* account of the list; 0 = all accounts */
    uint64_t          seq;        /* of the TICK; history_transaction gives its block */
    uint32_t          role, rank; /* enum receipt_role; DELEVERAGED: place in the ranking */
};
static_assert(sizeof(struct history_receipt) % 8 == 0, "reaches disk");
int history_receipts(struct history *history, const struct history_query *query, struct history_receipt *receipts);

/* The composition of index and mark for a receipt; 1 = found, 0 = none, or a negative errno. */
int history_composition(struct history *history, uint64_t receipt_id, struct index_composed *composition);
/* Rows of the ranking of a receipt from place `first` on, at most `max`. Returns how many, or a negative errno. */
int history_ranking(struct history *history, uint64_t receipt_id, uint32_t first, uint32_t max,
                    struct adl_ranked *ranks);

/* The newest receipt that shows; 0: there is none. Atomic. */
uint64_t history_newest_receipt(const struct history *history);

/* Which transaction a command became. False when none. */
bool history_transaction(struct history *history, uint64_t seq, struct tx_location *place);

/* ---- blocks and transactions (chain.c): 1 found, 0 there is none, or a negative errno (-EUCLEAN: damage) ---- */
int history_block_at(struct history *history, uint64_t number, struct history_block *block);
int history_block_of(struct history *history, const struct hash256 *hash, struct history_block *block);

/* A transaction: the command and its place. */
struct history_transacted {
    uint64_t           seq;
    struct tx_location place;
};
int history_transaction_of(struct history *history, const struct hash256 *hash, struct history_transacted *tx);
int history_transaction_at(struct history *history, const struct history_block *block, uint32_t index,
                           struct history_transacted *tx);

/* All of a block, `count` of them, in their order; 1 or a negative errno. */
int history_transactions(struct history *history, const struct history_block *block, struct history_transacted *txs);

/* Movements of money by a transaction in order: fills and transfers. Returns their number, copies at most `max`. */
union history_effect {
    struct event       head;
    struct filled      fill;
    struct transferred transfer;
};
int history_effects(struct history *history, uint64_t seq, union history_effect *effects, uint32_t max);

/* ---- bars ---- */

#define HISTORY_BARS_MAX 1500 /* of one read: spot klines (service) */

/* Changes with every trade of the symbol; 0 before the first. Atomic, no lock: a later read is at least as new. */
uint64_t history_bars_version(const struct history *history, uint8_t market, uint32_t symbol_id);

/* The minute of the symbol's first trade, which every bar of an interval comes after or contains. False: none yet. */
bool history_first_trade(const struct history *history, uint8_t market, uint32_t symbol_id, int64_t *minute_ms);

/* Bars number `first` to `last` of an interval (interval_index), at most HISTORY_BARS_MAX numbers. */
struct history_bars_query {
    uint8_t       market;
    enum interval interval;
    uint32_t      symbol_id;
    int64_t       first, last;
};
/*
 * The bars that have trades, ascending, and the last one before them (trades 0: none). The newest are copied from
 * memory, all others come from the disk. Returns how many, or a negative errno (-EUCLEAN: damage).
 */
int history_bars(struct history *history, const struct history_bars_query *query, struct bar bars[HISTORY_BARS_MAX],
                 struct bar *before);

/*
 * The current minute and the 1,440 before it as one bar (ruling 46); start_ms is when that window began.
 * Without a trade in it trades is 0 and open, high, low, close are the last trade's price. False: never traded.
 */
bool history_window(const struct history *history, uint8_t market, uint32_t symbol_id, int64_t now_ms,
                    struct bar *window);

/*
 * Bars of the time before the first command, which are no trades (development, decision 628). Every read of bars above
 * shows them before those of trades; the bar that contains the beginning is made of both. They are computed when they
 * are read, by any thread, and stored nowhere, so that no restart and no revert changes them.
 */
struct history_backfill {
    const void *self;
    int64_t     first_ms, end_ms; /* whole minutes; the first command is not before the end */
    /* Whether a symbol has bars: all of its minutes, or none. */
    bool (*has)(const void *self, uint8_t market, uint32_t symbol_id);
    /* The bars of a query, each of which has a minute of the span. They name no last quantity and no command. */
    void (*copy)(const void *self, const struct history_bars_query *query, struct bar *bars);
};
/* `backfill` stays valid until history_close. Before the first read. */
void history_set_backfill(struct history *history, const struct history_backfill *backfill);

#endif
