/* SPDX-License-Identifier: MIT */
/* explain_index.c — what index and mark of a liquidation were made of, for dojima explain-liquidation. */
#include "app/cli/explain_index.h"

#include "core/perps/perps.h"
#include "rules/price.h"
#include "app/cli/receipts.h"

#include <stdio.h>

struct shown {
    const struct genesis        *genesis;
    const struct engine         *engine;
    const struct index_composed *made;
    const struct symbol         *symbol;
};

static const char *price(const struct shown *shown, int64_t units, char text[64])
{
    return units == 0 ? "none" : receipts_units(units, shown->symbol->price_precision, text);
}

/* ---- sources ---- */

static uint32_t weight_of(const struct genesis *genesis, uint32_t place)
{
    if (place == INDEX_SOURCE_HAND) return 1;
    return place < genesis->feeder_count ? genesis->feeders[place].weight : 0;
}

static void print_name(const struct genesis *genesis, uint32_t place)
{
    char       text[48];
    struct out out = out_make(text, sizeof(text) - 1);

    if (place == INDEX_SOURCE_HAND) {
        (void)printf("    source       set by hand");
        return;
    }
    out_hex(&out, genesis->feeders[place].address.bytes, sizeof(genesis->feeders[place].address.bytes));
    text[out.len] = '\0';
    (void)printf("    source       0x%s", text);
}

static void print_source(const struct shown *shown, uint32_t place)
{
    const struct index_source *source = &shown->made->sources[place];
    char                       text[3][64];

    print_name(shown->genesis, place);
    if (source->price == 0) {
        (void)printf(", weight %u: it never posted\n", weight_of(shown->genesis, place));
        return;
    }
    (void)printf(", weight %u: %s, posted %s s before, its perp price %s, %s\n", weight_of(shown->genesis, place),
                 price(shown, source->price, text[0]),
                 receipts_units(shown->made->time_ms - source->posted_ms, 3, text[1]),
                 price(shown, source->perp_mid, text[2]), source->valid ? "counts" : "does not count");
}

static void print_sources(const struct shown *shown)
{
    const struct index_composed *made = shown->made;
    const struct contract       *contract = &shown->genesis->contracts[made->symbol_id - 1];
    char                         text[64];

    for (uint32_t i = 0; i < shown->genesis->feeder_count; i++) print_source(shown, i);
    if (made->sources[INDEX_SOURCE_HAND].price != 0) print_source(shown, INDEX_SOURCE_HAND);
    if (contract->spot_symbol_id == 0) return;
    (void)printf("    source       own spot book %.*s: %s\n",
                 (int)shown->genesis->spot[contract->spot_symbol_id - 1].name.len,
                 shown->genesis->spot[contract->spot_symbol_id - 1].name.at,
                 made->spot_mid == 0 ? "not used, the other sources suffice" : price(shown, made->spot_mid, text));
}

static void print_candidate(const struct shown *shown)
{
    const struct index_composed *made = shown->made;
    char                         text[64];

    if (made->held_price == 0) (void)printf("    candidate    none is held back\n");
    else
        (void)printf("    candidate    %s is held back: %u of %u seconds in a row agree on it\n",
                     price(shown, made->held_price, text), made->held_count, made->held_need);
}

/* Valid sources, their median and that of their perps prices elsewhere. */
static void check_sources(struct explain_check *check, const struct shown *shown)
{
    const struct index_composed *made = shown->made;
    struct weighted_price        prices[INDEX_SOURCES_MAX], mids[INDEX_SOURCES_MAX];
    uint32_t                     count = 0, mid_count = 0;
    int64_t                      median;

    for (uint32_t i = 0; i < INDEX_SOURCES_MAX; i++) {
        const struct index_source *source = &made->sources[i];
        uint32_t                   weight = weight_of(shown->genesis, i);
        bool                       is_new =
            i == INDEX_SOURCE_HAND || made->time_ms - source->posted_ms < shown->engine->rules.oracle_stale_ms;

        explain_expect(check, "which sources count", source->valid, source->price != 0 && weight != 0 && is_new);
        if (!source->valid) continue;
        prices[count++] = (struct weighted_price){ source->price, weight, 0 };
        if (source->perp_mid != 0) mids[mid_count++] = (struct weighted_price){ source->perp_mid, weight, 0 };
    }
    explain_expect(check, "number of sources", made->valid_count, count);
    median = count != 0 && count >= made->quorum ? price_weighted_median(prices, count) : 0;
    explain_expect(check, "median of the sources", made->median, median);
    if (median != 0 && made->held_price == 0) explain_expect(check, "index", made->index, median);
    explain_expect(check, "perp price of the feeders", made->perp_mid,
                   mid_count != 0 ? price_weighted_median(mids, mid_count) : 0);
}

/* ---- mark ---- */

static void print_mark(const struct shown *shown)
{
    const struct index_composed *made = shown->made;
    char                         text[5][64];

    (void)printf("    mark's book  bid %s, ask %s, last %s", price(shown, made->bid, text[0]),
                 price(shown, made->ask, text[1]), price(shown, made->last, text[2]));
    (void)printf(", perp price of the feeders %s\n", price(shown, made->perp_mid, text[3]));
    (void)printf("    mark         %s: the median of %s by the basis, %s by the book, %s by the feeders is %s,",
                 price(shown, made->mark, text[0]), price(shown, made->by_basis, text[1]),
                 price(shown, made->by_book, text[2]), price(shown, made->by_feeders, text[3]),
                 price(shown, made->raw, text[4]));
    (void)printf(" within the band around the index and a step from the mark before\n");
}

/* The basis is an average of many seconds and the funding rate one of an hour:
   where the replay did not see the TICK before, both parts stand. */
static void check_mark(struct explain_check *check, const struct contract *contract, const struct index_composed *made,
                       const struct explain_before *before, uint32_t average_ticks)
{
    struct mark_inputs    in = { .index = made->index,
                                 .best_bid = made->bid,
                                 .best_ask = made->ask,
                                 .mid = before->mid,
                                 .last = made->last,
                                 .perp_mid = made->perp_mid,
                                 .funding_rate = before->funding_rate,
                                 .to_funding_ms = before->to_funding_ms,
                                 .average_ticks = average_ticks };
    int128_t              basis = before->basis;
    struct mark_step      step = price_mark(contract, &in, &basis, 0);
    struct weighted_price three[3] = { { made->by_basis, 1, 0 }, { made->by_book, 1, 0 }, { made->by_feeders, 1, 0 } };
    int64_t               mark = price_clamp(made->raw, price_below(made->index, contract->mark_band),
                                             price_above(made->index, contract->mark_band));

    if (before->known) explain_expect(check, "price by the basis", made->by_basis, step.p1);
    explain_expect(check, "price by the book", made->by_book, step.p2);
    if (made->perp_mid != 0 || before->known) explain_expect(check, "price by the feeders", made->by_feeders, step.p3);
    explain_expect(check, "median of the three", made->raw, price_weighted_median(three, 3));
    mark = price_clamp(mark, price_below(before->mark, contract->mark_step_cap),
                       price_above(before->mark, contract->mark_step_cap));
    explain_expect(check, "mark", made->mark, max_i64(mark, 1));
}

void explain_index(struct explain_check *check, const struct genesis *genesis, const struct engine *engine,
                   const struct index_composed *made, const struct explain_before *before,
                   const struct liquidated *receipt)
{
    const struct shown   shown = { genesis, engine, made, &genesis->perps[made->symbol_id - 1] };
    const struct market *market = market_at(engine, (uint8_t)(PERPS_FIRST + made->symbol_id - 1));
    char                 text[2][64];

    assert(made->symbol_id == receipt->symbol_id && before->mark > 0);
    (void)printf("    index        %s, %s; the median of the sources that count is %s, %u count and %u are needed\n",
                 price(&shown, made->index, text[0]), enum_name_of(oracle_state_names, made->state),
                 price(&shown, made->median, text[1]), made->valid_count, made->quorum);
    print_sources(&shown);
    print_candidate(&shown);
    print_mark(&shown);
    explain_expect(check, "time of the prices", 1, made->time_ms <= receipt->time_ms);
    explain_expect(check, "index of the receipt", receipt->index, made->index);
    explain_expect(check, "mark of the receipt", receipt->mark, made->mark);
    if (market_is_settled(market)) return; /* its prices stand still */
    check_sources(check, &shown);
    check_mark(check, &perps_of(engine, market)->contract, made, before, engine->rules.mark_average_ticks);
}
