/* SPDX-License-Identifier: MIT */
#include "rules/price.h"

#define SAMPLE_CLAMP                                                                                                   \
    1000000                /* one mid moves the average by at most 1 % of the index, or mmr_0 / 2 where that is less */
#define BOOK_CLAMP 5000000 /* the book counts within 5 % of the index */

static void sort_posts(struct weighted_price *posts, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct weighted_price post = posts[i];
        uint32_t              at = i;

        for (; at > 0 && posts[at - 1].price > post.price; at--) posts[at] = posts[at - 1];
        posts[at] = post;
    }
}

int64_t price_weighted_median(struct weighted_price *posts, uint32_t count)
{
    uint64_t total = 0, below = 0;

    assert(count != 0);
    sort_posts(posts, count);
    assert(posts[0].price > 0 && posts[0].price <= posts[count - 1].price);
    if (count == 2)
        return posts[0].price + (posts[1].price - posts[0].price) / 2; /* two: their mean, whatever their weights */
    for (uint32_t i = 0; i < count; i++) total += posts[i].weight;
    for (uint32_t i = 0; i < count; i++) {
        below += posts[i].weight;
        if (2 * below == total && i + 1 < count) return posts[i].price + (posts[i + 1].price - posts[i].price) / 2;
        if (2 * below > total) return posts[i].price;
    }
    return posts[count - 1].price;
}

static int64_t median3(int64_t a, int64_t b, int64_t c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/*
 * The most that quotes alone may move the mark away from the index: at most half of the smallest maintenance margin
 * (mechanics 3.9, 1).
 */
static int64_t sample_clamp(const struct contract *contract)
{
    int64_t half = contract->tiers[0].rate / 2;

    assert(half > 0);
    return half < SAMPLE_CLAMP ? half : SAMPLE_CLAMP;
}

/* Index and the slow average of the book's distance from it. A missing side counts as no distance. */
static int64_t with_basis(const struct contract *contract, const struct mark_inputs *in, int128_t *basis)
{
    int64_t both =
        in->best_bid != 0 && in->best_ask != 0 ? in->best_bid + (in->best_ask - in->best_bid) / 2 : in->index;
    int64_t  mid = in->mid != 0 ? in->mid : both;
    int64_t  most = (int64_t)((int128_t)in->index * sample_clamp(contract) / RATE_ONE);
    int128_t sample = (int128_t)price_clamp(mid - in->index, -most, most) * BASIS_SCALE;

    assert(most >= 0 && sample <= (int128_t)most * BASIS_SCALE && sample >= -(int128_t)most * BASIS_SCALE);

    *basis += (sample - *basis) / in->average_ticks;
    return in->index + (int64_t)(*basis / BASIS_SCALE);
}

/* Median of best bid, best ask and last, of those there are. */
static int64_t of_book(const struct mark_inputs *in)
{
    struct weighted_price prices[3];
    uint32_t              count = 0;
    const int64_t         all[3] = { in->best_bid, in->best_ask, in->last };

    for (uint32_t i = 0; i < 3; i++)
        if (all[i] != 0) prices[count++] = (struct weighted_price){ all[i], 1, 0 };
    if (count == 0) return in->index;
    return price_clamp(price_weighted_median(prices, count), price_below(in->index, BOOK_CLAMP),
                       price_above(in->index, BOOK_CLAMP));
}

static int64_t of_outside(const struct mark_inputs *in)
{
    assert(in->to_funding_ms >= 0 && in->to_funding_ms <= FUNDING_HOUR_MS);
    if (in->perp_mid != 0) return in->perp_mid;
    return in->index
         + (int64_t)((int128_t)in->index * in->funding_rate * in->to_funding_ms
                     / ((int128_t)FUNDING_ONE * FUNDING_HOUR_MS));
}

struct mark_step price_mark(const struct contract *contract, const struct mark_inputs *in, int128_t *basis,
                            int64_t mark)
{
    struct mark_step step;

    assert(in->index > 0 && in->average_ticks > 0);
    assert(contract->mark_band > 0 && contract->mark_step_cap > 0 && mark >= 0);
    step = (struct mark_step){ .p1 = with_basis(contract, in, basis), .p2 = of_book(in), .p3 = of_outside(in) };
    step.raw = median3(step.p1, step.p2, step.p3);
    step.mark =
        price_clamp(step.raw, price_below(in->index, contract->mark_band), price_above(in->index, contract->mark_band));
    if (mark != 0)
        step.mark = price_clamp(step.mark, price_below(mark, contract->mark_step_cap),
                                price_above(mark, contract->mark_step_cap));
    if (step.mark < 1) step.mark = 1;
    return step;
}
