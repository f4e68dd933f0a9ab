/* SPDX-License-Identifier: MIT */
/*
 * answers.h — what a client gets to read, byte for byte: the answers of api/ to GETs, and its replies to writes,
 * against texts that the twin writes by itself from its own arrays, with its own decimals.
 */
#ifndef TWIN_ANSWERS_H
#define TWIN_ANSWERS_H

#include "views/views.h"
#include "twin.h"

extern uint64_t answers_asked; /* a digest of all questions there were (digest.h) */

struct answers;

struct answers *answers_open(struct views *views, const struct genesis *genesis);
void            answers_close(struct answers *answers);

/* Events of the engine before the first command: the coins of each account. */
void answers_told(struct answers *answers, const struct events *told);

/* A command was applied: compares its reply, built from the engine's events. NULL or the first difference. */
const char *answers_reply(struct answers *answers, struct twin *twin, const struct command *command,
                          const struct events *told);

/* Every read of every account and symbol; NULL or the first difference.
   Asked at each `rate`-th call (0: never), as it is dear. */
void        answers_rate(uint32_t rate);
const char *answers_compare(struct answers *answers, struct twin *twin);

/* A bug of an encoder, planted here in the twin's texts. 0 = none; for all instances opened from now on. */
enum answer_bug {
    ANSWER_BUG_NONE = 0,
    ANSWER_BUG_ZEROS,        /* a decimal keeps a zero at its end */
    ANSWER_BUG_SIGN,         /* values below zero lose their sign */
    ANSWER_BUG_LAST,         /* before the first trade the reference is not shown */
    ANSWER_BUG_UPDATE_ID,    /* a book without its number */
    ANSWER_BUG_SECOND_LEVEL, /* the best level is left out of the best prices */
    ANSWER_BUG_TAKER,        /* a trade has its maker's side */
    ANSWER_BUG_MARK,         /* index and mark are exchanged */
    ANSWER_BUG_LOCKED,       /* nothing is locked */
    ANSWER_BUG_FROZEN,       /* an order that closes freezes margin */
    ANSWER_BUG_SLEEPING,     /* a dormant child is shown as dormant */
    ANSWER_BUG_OLDEST_FIRST, /* orders the wrong way round */
    ANSWER_BUG_ENTRY,        /* an average rounded down */
    ANSWER_BUG_LIQUIDATION,  /* the liquidation price of a cross position as if isolated: none */
    ANSWER_BUG_AVAILABLE,    /* the reserve of isolated orders counts as available */
    ANSWER_BUG_RATIO,        /* a maintenance ratio rounded down */
    ANSWER_BUG_SETTING,      /* everybody has the first leverage */
    ANSWER_BUG_TIER,         /* fees without their tier */
    ANSWER_BUG_KEYS,         /* a revoked key is still shown */
    ANSWER_BUG_SUBACCOUNTS,  /* a sub-account is left out */
    ANSWER_BUG_ORIGINAL,     /* a cancel without the id of the order */
    ANSWER_BUG_GOT,          /* the value sent and the value required are exchanged */
    ANSWER_BUG_NONCE,        /* a refused write does not report that its nonce is free */
    ANSWER_BUG_TRANSFER,     /* a transfer without its id */
    ANSWER_BUG_WINDOW,       /* 24 hours without the current minute */
    ANSWER_BUG_VWAP,         /* an average price rounded down */
    ANSWER_BUG_PERCENT,      /* a percentage cut off */
    ANSWER_BUG_GAP,          /* a bar without trades is of zeros */
    ANSWER_BUG_WEEK,         /* the week begins on a Thursday, as time did */
    ANSWER_BUG_LAST_BARS,    /* with startTime the last bars instead of the first */
    ANSWER_BUG_CLAMP,        /* a limit above the most there may be */
    ANSWER_BUG_END,          /* endTime is not part of the range */
    ANSWER_BUG_FROM,         /* fromID is part of the page it continues */
    ANSWER_BUG_BY_ID,        /* ended orders are sorted by number */
    ANSWER_BUG_REASON,       /* the reason of an order's end is missing */
    ANSWER_BUG_FEE,          /* a maker's rebate looks like a fee */
    ANSWER_BUG_CLOSED,       /* a closed position has no entry price */
    ANSWER_BUG_FUNDING,      /* the payer of funding seems to receive it */
    ANSWER_BUG_FOREIGN,      /* an account of another address is shown */
    ANSWER_BUG_REPEATED,     /* the first of a repeated parameter counts */
    ANSWER_BUG_FILTER,       /* orders of all symbols instead of one */
    ANSWER_BUG_PATH,         /* a path that there is not is an unknown symbol */
    ANSWER_BUG_LIGHT,        /* a light by number instead of rank */
    ANSWER_BUG_VOLUME,       /* volume as taker alone */
    ANSWER_BUG_TORN_PAGE,    /* a page ends within a millisecond */
    ANSWER_BUG_LEVERAGE,     /* a change of leverage answers the margin mode it was not */
    ANSWER_BUG_OPEN_LIMIT,   /* all open orders and positions, whatever the limit */
    ANSWER_BUG_INCIDENT,     /* a trade does not name its liquidation */
    ANSWER_BUG_FUND_DAY,     /* a day of the fund begins with its end */
    ANSWER_BUG_ENOUGH,       /* the reason that holds money lacks its remedy */
    ANSWER_BUG_COUNT,
};
void answers_inject_bug(enum answer_bug bug);

#endif
