/* SPDX-License-Identifier: MIT */
/*
 * goals.h — the goals of the adversary, each with a score that rises towards the goal and is above zero only when the
 * coalition took something from others (vUSDC units unless stated otherwise):
 *
 *     profit   money that left perps or can leave it, and spot, less the money brought in; where the price moves,
 *              less the deficits of units that the moves of the price alone caused, unless a TICK before had left
 *              them though it could take them over: that is the cost of a jump to the insurer; and less the gain of
 *              its net position, which is against the fund, by them, and half a per cent of the amount that the fund
 *              unwound. Before that, on paper: the worth of units at the fair price, where one below zero counts as
 *              zero
 *     fund     the loss of the fund at the fair price, without moves of the index on its own positions; where the
 *              price moves, beyond its allowed daily loss, in courses without deleveraging
 *     harm     a bystander's loss at the fair price, its liquidation, or its inability to trade or transfer; before
 *              that, how near to its maintenance margin the mark brought it
 *     print    how far beyond the band around the mark a trade was printed (1e-8), beside a slack of 2 %
 *     tier     fee-tier volume that a user gained by trades with himself
 */
#ifndef ADVERSARY_GOALS_H
#define ADVERSARY_GOALS_H

#include "world.h"

enum goal { GOAL_ALL, GOAL_PROFIT, GOAL_FUND, GOAL_HARM, GOAL_PRINT, GOAL_TIER, GOALS };
extern const char *const goal_names[GOALS];

struct score {
    int128_t value[GOALS];
}; /* by goal; GOAL_ALL: the largest that counts */

/* An account's perps side at the fair price: wallet, buckets, positions. */
int128_t goal_worth(const struct world *world, uint32_t slot);
int128_t goal_both(const struct world *world, uint32_t slot); /* and its spot side */
int128_t goal_fund(const struct world *world);

/* The coalition's holdings: on spot at the initial price, and on perps on paper, or the amount that can leave. */
int128_t goal_holds(struct world *world, bool paper);

/*
 * The sum of the deficits of the coalition's units at the fair price; `unseen`: as if money that left during the
 * silence were still there.
 */
int128_t goal_deficit(const struct world *world, bool unseen);

/* After a move: remembers the least distance to harm. */
void goal_watch(struct world *world, struct score *score);

/* After the last move: closes the coalition's positions as far as possible and judges. True: something was taken. */
bool goal_judge(struct world *world, enum goal goal, struct score *score);

#endif
