/* SPDX-License-Identifier: MIT */
/* ask.h — shared by the files about answers: their memory, requests, and comparisons. */
#ifndef TWIN_ASK_H
#define TWIN_ASK_H

#include <inttypes.h>

#include "answers.h"
#include "api/inside.h"
#include "text.h"
#include "workload.h"

static_assert(TEXT_ROOM >= API_ANSWER_BYTES_MAX, "every answer has room");

/* The last state of an ended order; of a spot order the base alone. */
struct ended {
    struct perps_order_changed is;
    uint8_t                    market;
};
/* A receipt of a liquidation, the composition of its prices, and the start of its ranking in `ranks`. */
struct kept_receipt {
    struct liquidated is;
    struct made_of    made;
    uint64_t          seq;
    uint32_t          first_rank;
};

/* A UTC day of the insurance fund, from the events about its wallet. */
struct fund_day {
    int64_t day, begin, end, paid, received, loss, beyond;
};

/* A write of an account that was let in. */
struct did {
    uint64_t account_id;
    bool     cancels;
};

/* All predictions of the twin since the start, oldest first; and the history store, which gets the engine's events. */
struct past {
    struct ended            *ended;
    struct filled           *fills;
    struct position_changed *closed;
    struct funded           *fundings;
    struct traded           *trades;
    struct did              *did;
    struct kept_receipt     *receipts;
    struct adl_ranked       *ranks;
    struct fund_day         *fund_days;
    struct fund_changed      fund[PERPS_MAX + 1]; /* the last event; [0] of the whole */
    int64_t                  fund_wallet;
    bool                     insolvent;
    uint32_t ended_count, fill_count, closed_count, funding_count, trade_count, did_count, receipt_count, rank_count,
        fund_day_count;
    struct history *history; /* NULL: no question about it */
    char            folder[64];
};

struct held {
    uint64_t account_id;
    uint32_t coin_id;
    uint8_t  market;
};

struct answers {
    struct api_shared   shared;
    struct api         *api;
    char               *body;
    size_t              body_len;
    struct text         want;
    int64_t             now_ms;
    uint64_t            height, asked;
    struct held        *held; /* coins that events named for accounts */
    uint32_t            held_count;
    struct past         past;
    struct random_state random_state; /* the question; follows from the last command */
};

extern enum answer_bug answers_planted;

/* The beginning of an answer and of an error in answers->want; the block part of a record. */
void begin(struct answers *answers);
void begin_error(struct answers *answers, const struct reject_row *row);
void block(struct answers *answers);

/* NULL, or the first difference between what came and answers->want. */
const char *differs(const struct answers *answers, const char *what, const char *body, size_t len);

/* Asks the api, ends the envelope of the twin's text, and compares. */
const char *check(struct answers *answers, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value does not fit the parameter or the rule: `got` and `need` may be NULL. */
void put_fault(struct answers *answers, enum reject reject, const char *field, const char *got, const char *need);

#define ALL          UINT32_MAX /* not one of them only, by name */
#define BASE(market) ((market) == MARKET_PERPS ? "/api/v1/perps" : "/api/v1/spot")
/* One of the reads of an account. */
#define ASK(market, account, what)                                                                                     \
    do {                                                                                                               \
        char owner_[43];                                                                                               \
        owner_text(account, owner_);                                                                                   \
        TRY(check(answers, "%s/accounts/%s/" what "accountID=%" PRIu64, BASE(market), owner_, (account)->id));         \
    } while (0)
#define TRY(what)                                                                                                      \
    do {                                                                                                               \
        const char *wrong_ = (what);                                                                                   \
        if (wrong_ != NULL) return wrong_;                                                                             \
    } while (0)

/* ---- symbols (answers.c) and accounts (answers_account.c) ---- */
uint32_t             symbol_count(const struct twin *twin, uint8_t market);
const struct symbol *symbol_of(const struct twin *twin, uint8_t market, uint32_t id);
const struct coin   *quote_of(const struct twin *twin, const struct symbol *s);
void                 owner_text(const struct account *account, char into[43]);
bool                 ever_held(const struct answers *answers, uint64_t account_id, uint8_t market, uint32_t coin);

/* ---- past.c ---- */
void past_open(struct answers *answers);
void past_close(struct answers *answers);
void past_told(struct answers *answers, const struct events *told);
void past_hear(struct answers *answers, const struct twin *twin);

/* ---- query.c: parameters of a read, as they are sent and as they are meant ---- */
struct parameter {
    const char *key, *need;
    char        text[48];
    bool        known;
    enum reject reject;
    uint64_t    value;
};
struct question {
    struct parameter at[16];
    uint32_t         count;
    char             line[512];
};

/* Adds a whole number that is meant as `value`, but now and then something that is none. */
void query_number(struct answers *answers, struct question *query, const char *key, uint64_t value);
/* … a text; with its refusal, if any. */
void query_text(struct question *query, const char *key, const char *text, enum reject reject, const char *need);
/* A symbol of the market, or none, or one that there is not. */
void query_symbol(struct answers *answers, struct question *query, const struct twin *twin, uint8_t market);
/* A limit, often next to 1 or to the most there may be. */
void query_limit(struct answers *answers, struct question *query, const char *key, uint32_t most);
/* Some of them twice, some unknown; then the text of all in `line`. */
void query_end(struct answers *answers, struct question *query);
/* The one of this key; NULL: it was not sent. */
const struct parameter *query_find(const struct question *query, const char *key);
/* The meaning of `limit`, at most `most`. */
uint32_t query_limit_of(const struct question *query, uint32_t most, uint32_t usual);
/* Writes what is wrong with the parameters into answers->want; false: nothing is. */
bool query_fault(struct answers *answers, const struct question *query, const char *required);
/* The symbol of the parameter, 0 = all; false: there is none of this name, which is written. */
bool query_symbol_of(struct answers *answers, const struct question *query, const struct twin *twin, uint8_t market,
                     uint32_t *symbol_id);

/* ---- all questions of one kind: answers_market.c, answers_account.c,
   answers_user.c, bars.c, histories.c, lights.c, ratelimit.c, faults.c ---- */
/* answers_receipts.c */
/* A receipt as everybody reads it (account_id 0), or as the account does;
   `rank`: its row of the ranking, NULL = it was liquidated. */
void        put_receipt(struct text *t, const struct twin *twin, const struct kept_receipt *receipt,
                        const struct adl_ranked *rank, uint64_t account_id);
const char *check_rankings(struct answers *answers, struct twin *twin);
const char *check_fund(struct answers *answers, struct twin *twin);
const char *check_compositions(struct answers *answers, struct twin *twin, uint32_t only);

const char *check_market(struct answers *answers, struct twin *twin, uint8_t market);
const char *check_spot_account(struct answers *answers, struct twin *twin, const struct account *account);
const char *check_perps_account(struct answers *answers, struct twin *twin, const struct account *account);
const char *check_one_symbol(struct answers *answers, struct twin *twin, const struct account *account, uint8_t market);
const char *check_user(struct answers *answers, struct twin *twin, const struct account *account);
const char *check_statistics(struct answers *answers, struct twin *twin, uint8_t market);
const char *check_histories(struct answers *answers, struct twin *twin, const struct account *account);
uint32_t    light_of(struct twin *twin, const struct account *account, const struct symbol *s);
/*
 * The requested account, NULL = none; false: it does not belong to the address, or there is no such address, which is
 * written.
 */
bool        account_fault(struct answers *answers, struct twin *twin, const char *owner, uint64_t account_id,
                          const struct account **account);
const char *check_faults(struct answers *answers, struct twin *twin, const struct account *account);
const char *check_ratelimit(struct answers *answers, struct twin *twin, const struct account *account);

/* ---- orders (answers_orders.c), averages (answers_account.c), levels (answers_market.c) ---- */

/* A key has a long and a short spelling, and a member absent in one is null in the other. */
struct spelling {
    bool brief;
};
static inline const char *say(struct spelling spelling, const char *whole_word, const char *letter)
{
    return spelling.brief ? letter : whole_word;
}
static inline int64_t size_of(int64_t size) { return size < 0 ? -size : size; }
void put_order_begin(struct text *t, const struct symbol *s, const struct order_changed *o, struct spelling spelling);
void put_order_numbers(struct text *t, const struct twin *twin, const struct symbol *s, const struct order_changed *o,
                       int128_t held, uint32_t held_precision, struct spelling spelling);
void put_stop(struct text *t, const struct symbol *s, const struct perps_order_changed *o, struct spelling spelling);
void put_orders(struct text *t, struct twin *twin, const struct account *account, uint8_t market, uint32_t only,
                uint32_t most, struct spelling spelling);
void put_times(struct text *t, const struct order_changed *o, struct spelling spelling);
int128_t average(const struct twin *twin, const struct symbol *s, int128_t value, int64_t size);
int64_t  next_level(struct twin *twin, const struct symbol *s, uint8_t side, int64_t behind, int64_t *quantity);

#endif
