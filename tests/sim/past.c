/* SPDX-License-Identifier: MIT */
/*
 * past.c — history.h in the simulated world: remembers how far it got, in memory, in what is written and in what is
 * synced, because recovery asks it (journal_knows), and nothing else. Reads find nothing; e2e and the tests of the room
 * look at those.
 */
#include "past.h"

#include "history/history.h"
#include "world.h"

/* One for the whole world: what is on its disk outlives a process. */
struct history { uint64_t applied, written, synced; bool open; };

static struct history past;

void past_begin(void)     { past = (struct history){ 0 }; }
void past_kill(void)      { past.applied = past.written; }
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
    history->written = history->synced = history->applied;
    history->open = false;
}

void        history_touch(struct history *history, uint32_t spot_count, uint32_t perps_count) { (void)history, (void)spot_count, (void)perps_count; }
const char *history_thrown_away(const struct history *history)             { (void)history; return NULL; }
void        history_on_damage(struct history *history, void (*tell)(void)) { (void)history, (void)tell; }
uint64_t    history_seq(const struct history *history)                     { return history->written; }
uint64_t    history_knows(const struct history *history)                   { return history->written; }
bool        history_is_full(const struct history *history)                 { return history->applied - history->written > 4000; }

uint32_t history_waiting(const struct history *history) { return (uint32_t)(history->applied - history->written); }

void history_apply(struct history *history, const struct events *events)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event))
        if (event->kind == EVENT_COMMAND_BEGAN) history->applied = ((const struct command_began *)(const void *)event)->seq;
}

void history_block(struct history *history, const struct history_block *block, const struct history_tx *txs) { (void)history, (void)block, (void)txs; }

int history_write(struct history *history, uint32_t *pending)
{
    int rows = (int)(history->applied - history->written);

    history->written = history->applied;
    *pending = 0;
    return rows;
}

int history_reach(struct history *history)
{
    history->written = history->applied;
    return 0;
}

int history_sync(struct history *history)
{
    history->synced = history->written;
    return 0;
}

/* ---- reads ---- */

int history_orders(struct history *h, const struct history_query *q, struct order_changed *o)              { (void)h, (void)q, (void)o; return 0; }
int history_fills(struct history *h, const struct history_query *q, struct filled *f)                      { (void)h, (void)q, (void)f; return 0; }
int history_perps_orders(struct history *h, const struct history_query *q, struct perps_order_changed *o)  { (void)h, (void)q, (void)o; return 0; }
int history_positions(struct history *h, const struct history_query *q, struct position_changed *p)        { (void)h, (void)q, (void)p; return 0; }
int history_fundings(struct history *h, const struct history_query *q, struct funded *f)                   { (void)h, (void)q, (void)f; return 0; }
int history_receipts(struct history *h, const struct history_query *q, struct history_receipt *r)           { (void)h, (void)q, (void)r; return 0; }
int history_composition(struct history *h, uint64_t receipt, struct index_composed *c)                     { (void)h, (void)receipt, (void)c; return 0; }
int history_ranking(struct history *h, uint64_t receipt, uint32_t first, uint32_t max, struct adl_ranked *r) { (void)h, (void)receipt, (void)first, (void)max, (void)r; return 0; }
uint64_t history_newest_receipt(const struct history *h)                                                   { (void)h; return 0; }
bool history_transaction(struct history *h, uint64_t seq, struct history_place *place)                     { (void)h, (void)seq, (void)place; return false; }
int history_block_at(struct history *h, uint64_t number, struct history_block *b)                          { (void)h, (void)number, (void)b; return 0; }
int history_block_of(struct history *h, const struct hash256 *hash, struct history_block *b)               { (void)h, (void)hash, (void)b; return 0; }
int history_transaction_of(struct history *h, const struct hash256 *hash, struct history_transacted *tx)   { (void)h, (void)hash, (void)tx; return 0; }
int history_transaction_at(struct history *h, const struct history_block *b, uint32_t i, struct history_transacted *tx) { (void)h, (void)b, (void)i, (void)tx; return 0; }
int history_transactions(struct history *h, const struct history_block *b, struct history_transacted *txs) { (void)h, (void)b, (void)txs; return 1; }
int history_effects(struct history *h, uint64_t seq, union history_effect *e, uint32_t max)                { (void)h, (void)seq, (void)e, (void)max; return 0; }
uint64_t history_bars_version(const struct history *h, uint8_t market, uint32_t symbol)                    { (void)h, (void)market, (void)symbol; return 0; }
bool history_first_trade(const struct history *h, uint8_t market, uint32_t symbol, int64_t *minute_ms)     { (void)h, (void)market, (void)symbol, (void)minute_ms; return false; }
int history_bars(struct history *h, const struct history_bars_query *q, struct bar bars[HISTORY_BARS_MAX], struct bar *before)
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
