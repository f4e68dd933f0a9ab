/* SPDX-License-Identifier: MIT */
/* ask.h — what the files about answers share: what is remembered for them, asking, and comparing. */
#ifndef TWIN_ASK_H
#define TWIN_ASK_H

#include "answers.h"
#include "api/inside.h"
#include "text.h"

static_assert(TEXT_ROOM >= API_ANSWER_BYTES_MAX, "every answer has room");

#define TRADES_HERE 50                      /* default of the parameter limit */
#define SYMBOLS_HERE 8

struct held { uint64_t account_id; uint32_t coin_id; uint8_t market; };

struct answers {
    struct api_shared shared;
    struct api       *api;
    char             *body;
    size_t            body_len;
    struct text       want;
    int64_t           now_ms;
    uint64_t          height, asked;
    struct traded     trades[3][SYMBOLS_HERE][TRADES_HERE];     /* newest first, as the twin predicted them */
    uint32_t          trade_count[3][SYMBOLS_HERE];
    struct held      *held;                     /* coins that accounts were told to have had */
    uint32_t          held_count;
};

extern enum answer_bug answers_planted;

/* The beginning of an answer and of an error in answers->want; what a record says of its block. */
void begin(struct answers *answers);
void begin_error(struct answers *answers, const struct reject_row *row);
void block(struct answers *answers);

/* NULL, or the first difference between what came and answers->want. */
const char *differs(const struct answers *answers, const char *what, const char *body, size_t len);

/* Asks the api, ends the envelope of the twin's text, and compares. */
const char *check(struct answers *answers, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define BASE(market) ((market) == MARKET_PERPS ? "/api/v1/perps" : "/api/v1/spot")
#define TRY(what) do { const char *wrong_ = (what); if (wrong_ != NULL) return wrong_; } while (0)

/* ---- symbols and accounts (answers.c) ---- */
uint32_t             symbol_count(const struct twin *twin, uint8_t market);
const struct symbol *symbol_of(const struct twin *twin, uint8_t market, uint32_t id);
const struct coin   *quote_of(const struct twin *twin, const struct symbol *s);
void                 owner_text(const struct account *account, char into[43]);

#endif
