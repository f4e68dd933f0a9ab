/* SPDX-License-Identifier: MIT */
#include "app/cli/receipts.h"

#include "io/signals.h"
#include "pipeline/held.h"
#include "diagnostics/program_log.h"
#include "wire/shape.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- replaying ---- */

struct receipts_walk {
    struct held    held;
    receipts_look *look;
    void          *self;
};

/* *code EXIT_FINE and false: the looker wants no more. */
static bool look_at_batch(struct receipts_walk *walk, const struct log_batch *batch, int *code)
{
    struct log_cursor cursor = { 0, 0 };
    struct log_record record;

    while (log_batch_next(batch, &cursor, &record)) {
        if (!held_apply(&walk->held, record.command)) {
            *code = complain(EXIT_GENERAL, "not enough memory for the limits that command %lu raises",
                             (unsigned long)record.command->seq);
            return false;
        }
        for (const struct event *event = events_first(&walk->held.events); event != NULL;
             event = events_next(&walk->held.events, event))
            if (!walk->look(walk->self, walk->held.engine, record.command, event)) return false;
    }
    return true;
}

static int look_at_all(struct replay *replay, struct receipts_walk *walk)
{
    for (;;) {
        bool there;
        int  code = replay_follow(replay, &there);

        if (code != EXIT_FINE) return code;
        if (!there || !look_at_batch(walk, &replay->batch, &code)) return code;
        if (signals_wait(0) != 0) return EXIT_STOPPED;
    }
}

int receipts_replay(struct replay *replay, const struct genesis *genesis, receipts_look *look, void *self)
{
    struct receipts_walk *walk = malloc(sizeof(*walk));
    int                   code = EXIT_GENERAL;

    assert(look != NULL && walk != NULL);
    walk->look = look;
    walk->self = self;
    if (!held_open(&walk->held, genesis)) (void)complain(EXIT_GENERAL, "not enough memory");
    else code = look_at_all(replay, walk);
    held_close(&walk->held);
    free(walk);
    return code;
}

/* ---- a line each ---- */

const char *receipts_units(int64_t units, uint32_t precision, char text[64])
{
    struct out out = out_make(text, 63);

    wide_decimal_write(&out, (struct wide_decimal){ .digits = units, .scale = (uint8_t)precision });
    text[out.len] = '\0';
    return text;
}

static const char *stage_word(uint8_t stage)
{
    return stage == STAGE_BOOK ? "book" : stage == STAGE_TAKEOVER ? "take-over" : "ADL";
}

void receipts_print_line(const struct genesis *genesis, uint64_t seq, const struct liquidated *receipt)
{
    const struct symbol *symbol = &genesis->perps[receipt->symbol_id - 1];
    uint32_t             money = genesis->coins[COIN_MARGIN].precision;
    char                 text[6][64];

    assert(receipt->symbol_id >= 1 && receipt->symbol_id <= genesis->perps_count);
    (void)printf("%lu %ld receipt %lu liquidation %lu %s %.*s account %lu %s", (unsigned long)seq,
                 (long)receipt->time_ms, (unsigned long)receipt->receipt_id, (unsigned long)receipt->liquidation_id,
                 stage_word(receipt->stage), (int)symbol->name.len, symbol->name.at, (unsigned long)receipt->account_id,
                 receipt->side == SIDE_SELL ? "sells" : "buys");
    (void)printf(" %s at %s mark %s index %s fund %s -> %s\n",
                 receipts_units(receipt->quantity, symbol->quantity_precision, text[0]),
                 receipts_units(receipt->price, symbol->price_precision, text[1]),
                 receipts_units(receipt->mark, symbol->price_precision, text[2]),
                 receipts_units(receipt->index, symbol->price_precision, text[3]),
                 receipts_units(receipt->fund_before, money, text[4]),
                 receipts_units(receipt->fund_after, money, text[5]));
}

struct receipts_lines {
    const struct genesis *genesis;
    uint64_t              first, last;
};

static bool print_receipt(void *self, const struct engine *engine, const struct command *command,
                          const struct event *event)
{
    const struct receipts_lines *lines = self;
    (void)engine;

    if (command->seq > lines->last) return false;
    if (event->kind == EVENT_LIQUIDATION && command->seq >= lines->first)
        receipts_print_line(lines->genesis, command->seq, (const void *)event);
    return true;
}

int receipts_print(struct replay *replay, const struct genesis *genesis, uint64_t first, uint64_t last)
{
    struct receipts_lines lines = { genesis, first, last };
    return receipts_replay(replay, genesis, print_receipt, &lines);
}
