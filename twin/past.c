/* SPDX-License-Identifier: MIT */
/* past.c — what is over, in arrays; and the store of the exchange beside them, in a folder of its own. */
#include <stdlib.h>
#include <unistd.h>

#include "ask.h"

/* A new folder, on a file system in memory where there is one: a world is short-lived. */
static bool folder_made(struct past *past, const char *in)
{
    (void)snprintf(past->folder, sizeof(past->folder), "%s/dojima-twin-XXXXXX", in);
    return mkdtemp(past->folder) != NULL;
}

static void store_open_again(struct answers *answers)
{
    struct past *past = &answers->past;

    if (history_open(past->folder, &(struct hash256){ { 2 } }, SLICE("twin"), &past->history) != 0
        || history_thrown_away(past->history) != NULL)
        abort();
    answers->shared.history = past->history;
}

/* The exchange restarts: its history is the store on disk, and the api's caches are empty. */
static void start_over(struct answers *answers)
{
    history_close(answers->past.history);
    store_open_again(answers);
    free(answers->api);
    answers->api = api_init(calloc(1, api_size(&answers->shared)), &answers->shared);
}

void past_open(struct answers *answers)
{
    struct past *past = &answers->past;

    if (!folder_made(past, "/dev/shm") && !folder_made(past, P_tmpdir)) abort();
    store_open_again(answers);
}

void past_close(struct answers *answers)
{
    static const char *const files[] = { "state", "data.mdb", "lock.mdb" };
    struct past             *past = &answers->past;
    char                     path[96];

    free(past->ended);
    free(past->fills);
    free(past->closed);
    free(past->fundings);
    free(past->trades);
    free(past->did);
    free(past->receipts);
    free(past->ranks);
    free(past->fund_days);
    if (past->history == NULL) return;
    history_close(past->history);
    for (uint32_t i = 0; i < ARRAY_COUNT(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", past->folder, files[i]);
        (void)unlink(path);
    }
    if (rmdir(past->folder) != 0) abort();
}

static void *longer(void *at, uint32_t count, size_t bytes)
{
    if ((count & (count - 1)) != 0) return at; /* doubled whenever it is full */
    at = realloc(at, (count == 0 ? 1 : 2 * (size_t)count) * bytes);
    if (at == NULL) abort();
    return at;
}
#define KEEP(list, count, record)                                                                                      \
    do {                                                                                                               \
        (list) = longer((list), (count), sizeof(*(list)));                                                             \
        (list)[(count)++] = (record);                                                                                  \
    } while (0)

/* ---- the fund ---- */

static struct fund_day *day_of_fund(struct past *past, int64_t now_ms)
{
    if (past->fund_day_count == 0 || past->fund_days[past->fund_day_count - 1].day != now_ms / DAY_MS)
        KEEP(past->fund_days, past->fund_day_count,
             ((struct fund_day){ .day = now_ms / DAY_MS, .begin = past->fund_wallet, .end = past->fund_wallet }));
    return &past->fund_days[past->fund_day_count - 1];
}

/* The number of steps in which a wallet moves is the engine's choice, so its days are taken from its events. */
static void past_fund(struct answers *answers, const struct events *told, int64_t now_ms)
{
    struct past *past = &answers->past;

    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        const struct balance      *b = (const void *)e;
        const struct fund_changed *f = (const void *)e;

        if (e->kind == EVENT_COMMAND_BEGAN) now_ms = ((const struct command_began *)(const void *)e)->time_ms;
        if (e->kind == EVENT_VENUE) past->insolvent = ((const struct venue_changed *)(const void *)e)->insolvent != 0;
        if (e->kind == EVENT_BALANCE && e->market == MARKET_PERPS && b->account_id == ACCOUNT_FUND
            && b->coin_id == COIN_MARGIN) {
            struct fund_day *day = day_of_fund(past, now_ms);
            if (b->total < past->fund_wallet) day->paid += past->fund_wallet - b->total;
            else day->received += b->total - past->fund_wallet;
            past->fund_wallet = day->end = b->total;
        }
        if (e->kind != EVENT_FUND) continue;
        past->fund[f->symbol_id] = *f;
        if (f->symbol_id != 0 || f->day_ms != now_ms / DAY_MS * DAY_MS) continue;
        day_of_fund(past, now_ms)->loss = f->loss;
        day_of_fund(past, now_ms)->beyond = f->beyond;
    }
}

/* Each command is a batch. Now and then what waits goes to the disk: reads merge both. */
void past_told(struct answers *answers, const struct events *told)
{
    struct past *past = &answers->past;
    uint32_t     left;

    if (past->history == NULL) return;
    history_apply(past->history, told);
    past_fund(answers, told, answers->now_ms);
    history_block(past->history, &(struct history_block){ .count = 0 }, NULL);
    if (answers->height % 512 == 511 && history_write(past->history, &left) < 0) abort();
    if (answers->height == 1700 || answers->height % 5000 == 4999) start_over(answers);
}

static void hear_order(struct past *past, const struct event *e)
{
    struct ended ended = { .market = e->market };

    memcpy(&ended.is, e, e->bytes);
    if (!status_is_open(ended.is.base.status)) KEEP(past->ended, past->ended_count, ended);
}

static void hear_receipt(struct past *past, const struct twin *twin, const struct liquidated *receipt)
{
    struct kept_receipt kept = { .is = *receipt,
                                 .made = twin->state[MARKET_PERPS][receipt->symbol_id - 1].made,
                                 .seq = twin->seq,
                                 .first_rank = past->rank_count };

    KEEP(past->receipts, past->receipt_count, kept);
}

static bool is_cancel(uint16_t kind) { return kind == CMD_CANCEL_ORDERS || kind == CMD_CANCEL_PERPS; }

void past_hear(struct answers *answers, const struct twin *twin)
{
    struct past *past = &answers->past;

    if (past->history == NULL) return;
    for (const struct event *e = events_first(&twin->events); e != NULL; e = events_next(&twin->events, e)) {
        const struct command_began *began = (const void *)e;

        if (e->kind == EVENT_ORDER || e->kind == EVENT_PERPS_ORDER) hear_order(past, e);
        if (e->kind == EVENT_FILL) KEEP(past->fills, past->fill_count, *(const struct filled *)(const void *)e);
        if (e->kind == EVENT_FUNDING)
            KEEP(past->fundings, past->funding_count, *(const struct funded *)(const void *)e);
        if (e->kind == EVENT_LIQUIDATION) hear_receipt(past, twin, (const void *)e);
        if (e->kind == EVENT_ADL_RANKED)
            KEEP(past->ranks, past->rank_count, *(const struct adl_ranked *)(const void *)e);
        if (e->kind == EVENT_TRADE) KEEP(past->trades, past->trade_count, *(const struct traded *)(const void *)e);
        if (e->kind == EVENT_COMMAND_BEGAN && began->account_id != 0)
            KEEP(past->did, past->did_count, ((struct did){ began->account_id, is_cancel(began->command_kind) }));
    }
    for (uint32_t i = 0; i < twin->closed_count; i++) KEEP(past->closed, past->closed_count, twin->closed[i]);
}
