/* SPDX-License-Identifier: MIT */
/*
 * past.c — history.h in the simulated world: remembers its progress in memory, in what is written of it, because
 * recovery reads it (log_knows), and blocks, because it compares the last ones; and the receipts of liquidations with
 * their rows, because streams publish them. Other reads find nothing; e2e and the tests of history/ check those.
 */
#include "past.h"

#include "history/history.h"
#include "venue.h"

#include <errno.h>

#define RECEIPTS_MAX 8192 /* of a world */
#define PERPS_SEEN   4    /* symbols, more than the world has */
#define BLOCKS_KEPT  8192 /* more than can wait to be written */

/* A receipt, the composition of its index, and the transaction of its command. */
struct past_receipt {
    struct history_receipt receipt;
    struct index_composed  composition;
    struct tx_location     place;
};

/* One for the whole world: its disk outlives a process. */
struct history {
    uint64_t              applied, complete, written; /* complete: the end of the last whole batch */
    uint64_t              shown;                      /* receipts up to this one belong to complete batches */
    uint32_t              count;                      /* of receipts */
    uint64_t              newest_block;               /* of complete batches; 0 = none */
    bool                  open;
    struct index_composed compositions[PERPS_SEEN]; /* the last event; of a process, not of the disk */
};

static struct history       past;
static struct past_receipt  receipts[RECEIPTS_MAX]; /* numbered without a hole from 1 on */
static struct history_block blocks[BLOCKS_KEPT];    /* the newest, each at its number modulo as many */

static struct history_block *block_of(uint64_t number) { return &blocks[number % BLOCKS_KEPT]; }

void past_begin(void) { past = (struct history){ 0 }; }

/* Unwritten rows are lost; the log brings them again. */
void past_kill(void)
{
    past.applied = past.complete = past.written;
    while (past.count != 0 && receipts[past.count - 1].receipt.seq > past.written) past.count -= 1;
    past.shown = past.count;
    while (past.newest_block != 0 && block_of(past.newest_block)->last_seq > past.written) past.newest_block -= 1;
    memset(past.compositions, 0, sizeof(past.compositions));
}

/* Another boot: a store that was open when the machine went down is made anew (history_open). */
void past_power_cut(void) { past = (struct history){ 0 }; }

int history_open(const char *folder, const struct hash256 *instance, struct slice boot_id, struct history **history)
{
    (void)folder, (void)instance, (void)boot_id;
    past.open = true;
    *history = &past;
    return 0;
}

void history_close(struct history *history)
{
    history->written = history->complete;
    history->open = false;
}

void history_touch(struct history *history, uint32_t spot_count, uint32_t perps_count)
{
    (void)history, (void)spot_count, (void)perps_count;
}
/* A moment is kept of a shared log alone, which the simulated venue has not. */
int history_keep(struct history *history)
{
    (void)history;
    return ENOTSUP;
}
uint64_t history_kept(const struct history *history) { return (void)history, 0; }
uint64_t history_kept_in(const char *folder, const struct hash256 *instance)
{
    (void)folder, (void)instance;
    return 0;
}
bool history_went_back(const struct history *history) { return (void)history, false; }
int  history_copy(struct history *history, const char *folder)
{
    (void)history, (void)folder;
    return ENOTSUP;
}
const char *history_thrown_away(const struct history *history)
{
    (void)history;
    return NULL;
}
void     history_on_damage(struct history *history, void (*tell)(void)) { (void)history, (void)tell; }
uint64_t history_seq(const struct history *history) { return history->written; }
uint64_t history_knows(const struct history *history) { return history->written; }
bool     history_is_full(const struct history *history) { return history->applied - history->written > 4000; }
bool     history_is_short(const struct history *history) { return (void)history, false; }

/* Of a log that never goes back. */
int history_branch(struct history *history, struct log_position *branch)
{
    (void)history;
    *branch = (struct log_position){ { 0 } };
    return 0;
}
int history_begin_anew(struct history *history, const struct log_position *branch)
{
    (void)history, (void)branch;
    return ENOSYS;
}
void history_note_undo(struct history *history) { (void)history; }
int  history_flush(struct history *history)
{
    (void)history;
    return 0;
}
bool history_go_back(struct history *history, uint64_t seq, const struct log_position *branch)
{
    (void)history, (void)seq, (void)branch;
    return false;
}

uint32_t history_waiting(const struct history *history) { return (uint32_t)(history->complete - history->written); }

/* A replay brings receipts again that are here. */
static void keep_receipt(struct history *history, const struct liquidated *event)
{
    struct past_receipt *kept = &receipts[history->count];

    assert(event->symbol_id >= 1 && event->symbol_id <= PERPS_SEEN && event->receipt_id <= history->count + 1);
    if (event->receipt_id <= history->count) return;
    assert(history->count < RECEIPTS_MAX);
    kept->receipt = (struct history_receipt){ .is = *event, .seq = history->applied };
    kept->composition = history->compositions[event->symbol_id - 1];
    kept->place = (struct tx_location){ .block = 0 };
    history->count += 1;
}

void history_apply(struct history *history, const struct events *events)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        const struct index_composed *composed = (const void *)event;

        if (event->kind == EVENT_COMMAND_BEGAN)
            history->applied = ((const struct command_began *)(const void *)event)->seq;
        if (event->kind == EVENT_INDEX_COMPOSED && composed->symbol_id <= PERPS_SEEN)
            history->compositions[composed->symbol_id - 1] = *composed;
        if (event->kind == EVENT_LIQUIDATION) keep_receipt(history, (const void *)event);
    }
}

/* The batch is complete: its receipts show, with the transactions that their commands became. */
void history_block(struct history *history, const struct history_block *block, const struct history_tx *txs)
{
    for (uint32_t i = (uint32_t)history->shown; i < history->count; i++)
        for (uint32_t k = 0; k < block->count; k++)
            if (txs[k].seq == receipts[i].receipt.seq)
                receipts[i].place = (struct tx_location){ txs[k].hash, block->number, k, txs[k].status };
    history->shown = history->count;
    history->complete = history->applied;
    if (block->count == 0) return;
    assert(history->newest_block == 0 || block->number == history->newest_block + 1);
    *block_of(block->number) = *block;
    history->newest_block = block->number;
}

int history_write(struct history *history, uint32_t *pending)
{
    int rows = (int)(history->complete - history->written);

    history->written = history->complete;
    *pending = 0;
    return rows;
}

int history_reach(struct history *history)
{
    history->written = history->complete;
    return 0;
}

int history_write_back(struct history *history, int64_t elapsed_ns)
{
    (void)history, (void)elapsed_ns;
    return 0;
}

struct history_unkept history_unkept(const struct history *history)
{
    (void)history;
    return (struct history_unkept){ 0 };
}

/* ---- reads ---- */

uint64_t history_newest_receipt(const struct history *history) { return history->shown; }

/* The list of all accounts alone. */
int history_receipts(struct history *history, const struct history_query *query, struct history_receipt *found)
{
    uint64_t from = query->from_id == 0 ? history->shown : min_u64(history->shown, query->from_id - 1);
    uint32_t count = 0;

    if (query->account_id != 0) return 0;
    for (uint64_t id = from; id > 0 && count < query->limit; id--) {
        const struct history_receipt *receipt = &receipts[id - 1].receipt;

        if (injected_faults.receipt_hole && id + 1 == from) continue;
        if (query->symbol_id != 0 && receipt->is.symbol_id != query->symbol_id) continue;
        if (query->other_id != 0 && receipt->is.liquidation_id != query->other_id) continue;
        if (receipt->is.time_ms >= query->start_ms && receipt->is.time_ms <= query->end_ms) found[count++] = *receipt;
    }
    return (int)count;
}

int history_composition(struct history *history, uint64_t receipt_id, struct index_composed *composition)
{
    if (receipt_id == 0 || receipt_id > history->shown || receipts[receipt_id - 1].composition.symbol_id == 0) return 0;
    *composition = receipts[receipt_id - 1].composition;
    return 1;
}

/* Of receipts alone. */
bool history_transaction(struct history *history, uint64_t seq, struct tx_location *place)
{
    for (uint64_t i = history->shown; i > 0; i--) {
        if (receipts[i - 1].receipt.seq != seq) continue;
        *place = receipts[i - 1].place;
        return true;
    }
    return false;
}

int history_orders(struct history *h, const struct history_query *q, struct order_changed *o)
{
    (void)h, (void)q, (void)o;
    return 0;
}
int history_fills(struct history *h, const struct history_query *q, struct filled *f)
{
    (void)h, (void)q, (void)f;
    return 0;
}
int history_perps_orders(struct history *h, const struct history_query *q, struct perps_order_changed *o)
{
    (void)h, (void)q, (void)o;
    return 0;
}
int history_positions(struct history *h, const struct history_query *q, struct position_changed *p)
{
    (void)h, (void)q, (void)p;
    return 0;
}
int history_fundings(struct history *h, const struct history_query *q, struct funded *f)
{
    (void)h, (void)q, (void)f;
    return 0;
}
int history_ranking(struct history *h, uint64_t receipt, uint32_t first, uint32_t max, struct adl_ranked *r)
{
    (void)h, (void)receipt, (void)first, (void)max, (void)r;
    return 0;
}
int history_block_at(struct history *history, uint64_t number, struct history_block *block)
{
    if (number == 0 || number > history->newest_block || block_of(number)->number != number) return 0;
    *block = *block_of(number);
    return 1;
}
int history_block_of(struct history *h, const struct hash256 *hash, struct history_block *b)
{
    (void)h, (void)hash, (void)b;
    return 0;
}
int history_transaction_of(struct history *h, const struct hash256 *hash, struct history_transacted *tx)
{
    (void)h, (void)hash, (void)tx;
    return 0;
}
int history_transaction_at(struct history *h, const struct history_block *b, uint32_t i, struct history_transacted *tx)
{
    (void)h, (void)b, (void)i, (void)tx;
    return 0;
}
int history_transactions(struct history *h, const struct history_block *b, struct history_transacted *txs)
{
    (void)h, (void)b, (void)txs;
    return 1;
}
int history_effects(struct history *h, uint64_t seq, union history_effect *e, uint32_t max)
{
    (void)h, (void)seq, (void)e, (void)max;
    return 0;
}
void     history_set_backfill(struct history *h, const struct history_backfill *backfill) { (void)h, (void)backfill; }
uint64_t history_bars_version(const struct history *h, uint8_t market, uint32_t symbol)
{
    (void)h, (void)market, (void)symbol;
    return 0;
}
bool history_first_trade(const struct history *h, uint8_t market, uint32_t symbol, int64_t *minute_ms)
{
    (void)h, (void)market, (void)symbol, (void)minute_ms;
    return false;
}
int history_bars(struct history *h, const struct history_bars_query *q, struct bar bars[HISTORY_BARS_MAX],
                 struct bar *before)
{
    (void)h, (void)q, (void)bars;
    *before = (struct bar){ 0 };
    return 0;
}
bool history_window(const struct history *h, uint8_t market, uint32_t symbol, int64_t now_ms, struct bar *window)
{
    (void)h, (void)market, (void)symbol;
    *window = (struct bar){ .start_ms = now_ms };
    return false;
}
