/* SPDX-License-Identifier: MIT */
/* weights.c — what a request weighs, and whether its address has that
   left of its minute (service 8; wire 5.1; rulings 15, 53, 59). */
#include "refused.h"

/* The current second and the 60 before it. */
enum { WINDOW = 60, WEIGHT_OF_OTHERS = 20 };

/* Units that were spent so many seconds ago. */
struct spent {
    uint32_t ago, weight;
};

/* The sum that counts `later` seconds from now. */
static uint32_t sum_of(const struct spent *spent, uint32_t count, uint32_t later)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        if (spent[i].ago + later <= WINDOW) sum += spent[i].weight;
    return sum;
}

/* The requests before this one, of which each that did not fit cost nothing. */
static uint32_t spent_before(const struct sent *asked, struct spent *spent)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < asked->prior_count; i++) {
        uint32_t sum = 0;

        for (uint32_t k = 0; k < count; k++)
            if (spent[k].ago - asked->prior_ago[i] <= WINDOW) sum += spent[k].weight;
        if (sum + WEIGHT_OF_OTHERS <= asked->limit)
            spent[count++] = (struct spent){ asked->prior_ago[i], WEIGHT_OF_OTHERS };
    }
    return count;
}

/* `weight` more, behind `own` that this request has cost already. */
static bool fits(const struct sent *asked, uint32_t own, uint32_t weight, struct verdict *verdict)
{
    struct spent spent[ARRAY_COUNT(asked->prior_ago) + 1];
    uint32_t     count = spent_before(asked, spent);

    if (asked->limit == 0 || sum_of(spent, count, 0) + own + weight <= asked->limit) return true;
    say(verdict, REJECT_RATE_LIMIT, "", "", NULL);
    spent[count++] = (struct spent){ 0, own };
    for (verdict->retry = 1; sum_of(spent, count, verdict->retry) + weight > asked->limit; verdict->retry++) {}
    if (refused_planted == LIE_RETRY) verdict->retry--;
    return false;
}

static uint32_t weight_of(const struct action *action)
{
    if (action == NULL) return WEIGHT_OF_OTHERS;
    switch (action->what) {
    case PLACE:
    case CANCEL:
    case REPLACE:
    case PLACE_PERPS:
    case CANCEL_PERPS: return 1;
    case MODIFY:
    case SCHEDULE:
    case LEVERAGE:
    case MARGIN: return 1;
    case TRANSFER: return 10;
    default: return WEIGHT_OF_OTHERS;
    }
}

bool judge_weight(const struct sent *asked, struct verdict *verdict)
{
    return fits(asked, 0, weight_of(asked->action), verdict);
}

/* A batch of N weighs 1 + floor(N / 40). */
bool judge_items(const struct sent *asked, const struct body *body, struct verdict *verdict)
{
    bool batch = asked->action->what <= CANCEL_PERPS;

    return !batch || body->items < 40 || fits(asked, 1, body->items / 40, verdict);
}
