/* SPDX-License-Identifier: MIT */
/* answers_receipts.c — what is asked about how the venue decided: what prices are made of. */
#include "ask.h"

/* ---- what index and mark are made of ---- */

static void put_source(struct text *t, const char *type, const struct address *who, const struct name *symbol, uint32_t weight)
{
    open_object(t);
    word(t, "type", type);
    if (who != NULL) address(t, "address", who);
    if (symbol != NULL) named(t, "symbol", symbol);
    number(t, "weight", weight);
}

static void put_word_of_source(struct text *t, uint32_t p, int64_t price, int64_t mid, int64_t time_ms, bool valid, int64_t now_ms)
{
    amount_if(t, "price", price, p);
    amount_if(t, "perpMid", mid, p);
    if (time_ms != 0) number(t, "updatedAt", time_ms);
    number(t, "age", price != 0 ? now_ms - time_ms : 0);
    flag(t, "valid", valid);
    close_object(t);
}

static void put_sources(struct text *t, const struct twin *twin, const struct symbol *s, const struct made_of *made, int64_t now_ms)
{
    const struct contract *c = &twin->genesis.contracts[s->id - 1];
    uint32_t               p = s->price_precision, shown = 0;

    key(t, "sources");
    put(t, "[");
    for (uint32_t i = 0; i <= FEEDERS_MAX; i++) {
        bool hand = i == FEEDERS_MAX;

        if (hand ? made->from[i].price == 0 : i >= twin->genesis.feeder_count) continue;
        if (shown++ != 0) put(t, ",");
        put_source(t, hand ? "HAND" : "FEEDER", hand ? NULL : &twin->genesis.feeders[i].address, NULL, hand ? 1 : twin->genesis.feeders[i].weight);
        put_word_of_source(t, p, made->from[i].price, made->from[i].mid, made->from[i].time_ms, made->from[i].valid != 0, now_ms);
    }
    if (c->spot_symbol_id != 0) {
        if (shown != 0) put(t, ",");
        put_source(t, "SPOT_BOOK", NULL, &twin->genesis.spot[c->spot_symbol_id - 1].name, 0);
        put_word_of_source(t, p, made->spot, 0, made->spot != 0 ? made->time_ms : 0, made->spot != 0, now_ms);
    }
    put(t, "]");
    t->first = false;
}

static void put_composition(struct text *t, const struct twin *twin, const struct symbol *s, const struct made_of *made, int64_t now_ms)
{
    uint32_t p = s->price_precision;

    open_object(t);
    named(t, "symbol", &s->name);
    number(t, "symbolID", s->id);
    word(t, "state", enum_name_of(oracle_state_names, (uint8_t)made->oracle));
    flag(t, "heldBack", made->agreed != 0);
    amount(t, "indexPrice", made->index, p);
    amount(t, "markPrice", made->mark, p);
    number(t, "time", made->time_ms);
    number(t, "validSources", made->valid);
    number(t, "quorum", made->quorum);
    amount_if(t, "medianPrice", made->median, p);
    amount_if(t, "candidatePrice", made->held, p);
    if (made->agreed != 0) number(t, "candidateSeen", made->agreed);
    if (made->agreed != 0) number(t, "candidateNeeded", made->need);
    put_sources(t, twin, s, made, now_ms);
    amount_if(t, "bidPrice", made->bid, p);
    amount_if(t, "askPrice", made->ask, p);
    amount_if(t, "lastPrice", made->last, p);
    amount_if(t, "perpMidPrice", made->mid, p);
    amount_if(t, "basisPrice", made->p1, p);
    amount_if(t, "bookPrice", made->p2, p);
    amount_if(t, "feederPrice", made->p3, p);
    amount_if(t, "rawMarkPrice", made->raw, p);
    close_object(t);
}

const char *check_compositions(struct answers *answers, struct twin *twin, uint32_t only)
{
    struct text *t = &answers->want;

    begin(answers);
    put(t, "[");
    for (uint32_t id = 1; id <= twin->genesis.perps_count; id++) {
        if (only != ALL && id != only) continue;
        if (id != 1 && only == ALL) put(t, ",");
        put_composition(t, twin, symbol_of(twin, MARKET_PERPS, id), &twin->state[MARKET_PERPS][id - 1].made, answers->now_ms);
    }
    put(t, "]");
    return check(answers, "/api/v1/perps/markets/index-composition?symbol=%s", only != ALL ? symbol_of(twin, MARKET_PERPS, only)->name.at : "");
}
