/* SPDX-License-Identifier: MIT */
/*
 * arithmetic.c — the arithmetic of perps (src/rules), one question per line on stdin, one answer per line on stdout.
 * arithmetic.py puts the same questions to the reference of the specification. Numbers are decimal integers; tiers are
 * a count, then bound and leverage of each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/funding.h"
#include "rules/leg.h"
#include "rules/liquidation.h"
#include "rules/margin.h"
#include "rules/price.h"

static char *at;

static int128_t next(void)
{
    int128_t value = 0;
    bool     below;

    while (*at == ' ') at++;
    below = *at == '-';
    if (below) at++;
    while (*at >= '0' && *at <= '9') value = value * 10 + (*at++ - '0');
    return below ? -value : value;
}
static int64_t next64(void) { return (int64_t)next(); }

static void print(int128_t value)
{
    char      digits[48];
    int       n = 0;
    uint128_t left = value < 0 ? -(uint128_t)value : (uint128_t)value;

    do {
        digits[n++] = (char)('0' + (int)(left % 10));
        left /= 10;
    } while (left != 0);
    if (value < 0) putchar('-');
    while (n > 0) putchar(digits[--n]);
    putchar(' ');
}

static struct contract tiers(void)
{
    struct contract contract = { .tier_count = (uint32_t)next64(), .init_leverage = 1 };

    for (uint32_t i = 0; i < contract.tier_count; i++) {
        contract.tiers[i].max_notional = next64();
        contract.tiers[i].max_leverage = (uint32_t)next64();
    }
    contract_complete(&contract, 1000000);
    return contract;
}

static void maintain(void)
{
    struct contract contract = tiers();
    print(margin_maintenance(&contract, next()));
}

static void fill(void)
{
    struct exposure  exposure = { 0 };
    bool             isolated;
    uint32_t         leverage;
    int64_t          quantity;
    int128_t         value;
    struct leg_terms terms;
    struct leg       leg;

    exposure.size = next64();
    exposure.cost = next();
    exposure.bucket = next64();
    isolated = next64() != 0;
    leverage = (uint32_t)next64();
    quantity = next64();
    value = next();
    terms = (struct leg_terms){ .leverage = leverage, .worst = next64() };
    terms.power = (int)next64();
    leg = leg_apply(&exposure, quantity, value, isolated ? &terms : NULL);
    print(exposure.size);
    print(exposure.cost);
    print(exposure.bucket);
    print(leg.realized);
    print(leg.cash);
}

static void need(void)
{
    int64_t            size = next64(), mark = next64(), lowest = next64(), highest = next64();
    struct margin_need side[2] = { { .skip = size < 0 ? -size : 0, .worst = lowest, .buy = true },
                                   { .skip = size > 0 ? size : 0, .worst = highest } };
    uint32_t           leverage = (uint32_t)next64();
    int64_t            rate = next64();
    int                power = (int)next64();

    for (int s = 0; s < 2; s++) {
        int64_t count = next64();

        side[s].leverage = leverage;
        side[s].taker_rate = rate;
        side[s].power = power;
        for (int64_t i = 0; i < count; i++) {
            int64_t price = next64();
            (void)margin_need_add(&side[s], price, next64());
        }
    }
    print(margin_required(size, margin_initial(notional_floor(mark, size_abs(size), power), leverage), side[0].total,
                          side[1].total));
}

static void liquidation_price(void)
{
    struct contract contract = tiers();
    int64_t         size = next64();
    int128_t        cost = next(), cash = next();
    int64_t         tick = next64();

    print(margin_liquidation_price(&contract, size, cost, cash, tick, (int)next64()));
}

static void close_quantity(void)
{
    struct contract contract = tiers();
    int128_t        equity = next(), maintenance = next();
    int64_t         mark = next64(), size = next64(), rate = next64(), buffer = next64(), step = next64();

    print(liquidation_quantity(&contract, equity, maintenance, mark, size, rate, buffer, step, (int)next64()));
}

static void score(void)
{
    int128_t profit = next(), cost = next(), notional = next();
    print(adl_score(profit, cost, notional, next()));
}

static void removable(void)
{
    int64_t  worst = next64(), mark = next64(), size = next64();
    int128_t cost = next();
    int64_t  bucket = next64();
    uint32_t leverage = (uint32_t)next64();

    print(margin_removable(worst, mark, size, cost, bucket, leverage, (int)next64()));
}

static void funding(void)
{
    struct contract contract = { .interest_rate = next64(), .funding_clamp = 50000 };
    int128_t        sum;
    uint32_t        count;
    int64_t         rate;
    int128_t        value;

    contract.max_funding = next64();
    contract.min_funding = -contract.max_funding;
    sum = next();
    count = (uint32_t)next64();
    value = next();
    rate = funding_rate(&contract, sum, count);
    print(rate);
    print(funding_payment(value, true, rate));
    print(funding_payment(value, false, rate));
}

static void mark(void)
{
    int64_t            given[10]; /* in the order of the line: members of an initializer have none */
    struct contract    contract = { 0 };
    struct mark_inputs in = { .average_ticks = 150 };
    int128_t           basis;
    struct mark_step   step;

    for (uint32_t i = 0; i < ARRAY_COUNT(given); i++) given[i] = next64();
    contract.mark_band = given[0];
    contract.mark_step_cap = given[1];
    in.index = given[2];
    in.best_bid = given[3];
    in.best_ask = given[4];
    in.last = given[5];
    in.funding_rate = given[6];
    in.to_funding_ms = given[7];
    basis = given[8];
    contract.tiers[0].rate = given[9];
    step = price_mark(&contract, &in, &basis, next64());
    print(basis);
    print(step.p1);
    print(step.p2);
    print(step.p3);
    print(step.mark);
}

int main(void)
{
    /* clang-format off */
    static const struct { const char *name; void (*answer)(void); } questions[] = {
        { "maintain", maintain }, { "fill", fill }, { "need", need }, { "liquidation", liquidation_price },
          { "close", close_quantity },
        { "score", score }, { "removable", removable }, { "funding", funding }, { "mark", mark },
    };
    /* clang-format on */
    static char line[65536];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        size_t i = 0;

        at = line + strcspn(line, " ");
        *at++ = 0;
        while (i < ARRAY_COUNT(questions) && strcmp(line, questions[i].name) != 0) i++;
        if (i == ARRAY_COUNT(questions)) {
            (void)fprintf(stderr, "no question %s\n", line);
            return 2;
        }
        questions[i].answer();
        putchar('\n');
    }
    return 0;
}
