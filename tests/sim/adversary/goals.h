/* SPDX-License-Identifier: MIT */
/*
 * goals.h — what the adversary wants, each with a score that rises as it comes nearer and is above zero only when
 * something was taken that is not theirs (vUSDC units, if nothing else is said):
 *
 *     profit   what left perps or can leave it, and spot, less what was brought in; where the price moves, less what
 *              units fell below zero by the moves of the price alone, unless a TICK before had left them though it
 *              could take them over: that much a jump costs whoever insures it; and less what its net position,
 *              which is against the fund, won by them, and half a per cent of what the fund unwound. Before that, on
 *              paper: what units are worth at the fair price, one below zero being nobody's
 *     fund     what the fund is worth less at the fair price, moves of the index on its own positions left out; where
 *              the price moves, beyond what it may lose in a day, in courses without deleveraging
 *     harm     what a bystander lost at the fair price, or that it was liquidated, or cannot trade or transfer; before
 *              that, how near to its maintenance margin the mark brought it
 *     print    how far beyond the band around the mark a trade was printed (1e-8), beside a slack of 2 %
 *     tier     volume that trades of one user with himself gave it
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

/* What the coalition has: on spot at the first price of all, and on perps on paper, or what can leave. */
int128_t goal_holds(struct world *world, bool paper);

/* How far the coalition's units are below zero at the fair price, all
   together; `unseen`: if what left while nobody knew were there. */
int128_t goal_deficit(const struct world *world, bool unseen);

/* After a move: remembers how near harm has come. */
void goal_watch(struct world *world, struct score *score);

/* After the last move: closes what can be closed among the coalition and judges. True: something was taken. */
bool goal_judge(struct world *world, enum goal goal, struct score *score);

#endif
