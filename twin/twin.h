/* SPDX-License-Identifier: MIT */
/*
 * twin.h — the slow, obviously right exchange: arrays, linear search, sums by loops. It gets the same commands as the
 * engine and predicts their outcome. It shares the vocabulary of model/ with the engine and no line of code; each
 * function cites the rule that it implements.
 *
 *     struct twin *twin = twin_create(&genesis);
 *     engine_apply(engine, command, &told);
 *     twin_apply(twin, command);
 *     if ((wrong = twin_compare(twin, &told)) != NULL) …        the first difference, as a sentence
 *     if ((wrong = twin_compare_state(twin)) != NULL) …         the state by all events, against the twin's
 */
#ifndef TWIN_TWIN_H
#define TWIN_TWIN_H

#include "model/events.h"
#include "model/genesis.h"

struct twin;

/* An exchange before its first command. The genesis has passed the engine's check and been completed; it is copied. */
struct twin *twin_create(const struct genesis *genesis);
void         twin_free(struct twin *twin);

/* The predicted outcome of a command. The events are the twin's own and valid until the next call. */
const struct events *twin_apply(struct twin *twin, const struct command *command);

/*
 * The engine's events of the same command (or of its start, before the first) against the twin's prediction: results,
 * orders, trades and fills in their order, balances, levels, positions and prices by their final values. NULL, or a
 * sentence about the first difference, valid until the next call.
 */
const char *twin_compare(struct twin *twin, const struct events *told);

/*
 * The state by all events since the start against the twin's whole state: balances, wallets, EVM ledger, depth,
 * positions.
 */
const char *twin_compare_state(struct twin *twin);

/*
 * A planted bug, to show that a difference is noticed; TWIN_BUG_NONE is the correct exchange. Each is a plausible bug
 * of an exchange, planted here in the twin: the comparison is symmetric.
 */
enum twin_bug {
    TWIN_BUG_NONE = 0,
    TWIN_BUG_FEE_FLOOR,         /* a fee rounded down instead of up */
    TWIN_BUG_LAST_FIRST,        /* at one price, the last order is served first */
    TWIN_BUG_HOLD_FLOOR,        /* a hold of one unit less */
    TWIN_BUG_MISSED_RELEASE,    /* a cancelled order's hold stays */
    TWIN_BUG_BAND_EXCLUSIVE,    /* the limit band without its ends */
    TWIN_BUG_NONCE_KEPT,        /* a nonce is not consumed by a command that a rule rejects */
    TWIN_BUG_KEEPS_PLACE,       /* a replacement that grows keeps its place */
    TWIN_BUG_SELF_TRADE,        /* an account trades with itself */
    TWIN_BUG_FUNDING_CEIL,      /* the receiver of funding gets the fraction too */
    TWIN_BUG_MISSED_TRIM,       /* reduce-only orders stay when the position shrinks */
    TWIN_BUG_COST_CEIL,         /* a partial close takes a fraction too much of the cost */
    TWIN_BUG_MARGIN_FLOOR,      /* initial margin rounded down */
    TWIN_BUG_TRIGGER_EXCLUSIVE, /* a stop waits until the price is beyond it */
    TWIN_BUG_PROFIT_FIRST,      /* take-profits fire before stop-losses */
    TWIN_BUG_NO_OCO,            /* a child's fill leaves its sibling as it was */
    TWIN_BUG_TWO_GLOBALS,       /* a position may have two global stop-losses */
    TWIN_BUG_MEDIAN_OF_TWO,     /* of two feeders the heavier one decides */
    TWIN_BUG_NO_DRIFT_CAP,      /* the own spot book pulls the index as fast as at the beginning */
    TWIN_BUG_FUND_UNLIMITED,    /* the fund takes over more than it may hold */
    TWIN_BUG_LOSERS_FIRST,      /* deleveraging begins with the smallest profit */
    TWIN_BUG_SETTLED_UP,        /* the price of a settlement is rounded up */
    TWIN_BUG_STILL_OPENS,       /* a position to be reduced may grow */
    TWIN_BUG_NO_STAKING,        /* the staking tier gives no discount */
    TWIN_BUG_NO_MODE,           /* the venue's mode is emitted without effect */
    TWIN_BUG_MODE_FORGETS,      /* back to RUN, every symbol is open, whatever its mode */
    TWIN_BUG_SELF_COUNTS,       /* a trade of a user with himself counts as any other */
    TWIN_BUG_BAND_SKIPPED,      /* a stop's limit works wherever it was placed */
    TWIN_BUG_NO_TOTAL,          /* the fund's losses of all symbols together have no limit */
    TWIN_BUG_WORST_IS_MARK,     /* margin is checked at the mark alone */
    TWIN_BUG_LEAVES_ANYWAY,     /* money leaves while prices are not live */
    TWIN_BUG_FILL_UNCOVERED,    /* a taker opens without the margin for it */
    TWIN_BUG_RECEIPT_LATE,      /* a receipt has the fund after the stage in place of before it */
    TWIN_BUG_NO_INCIDENT,       /* closings by deleveraging lack their liquidation */
    TWIN_BUG_DAY_UNCHARGED,     /* the fund's losses are charged to no day */
    TWIN_BUG_BEST_QUOTES,       /* of the perps book the best prices count, whatever their quantity */
    TWIN_BUG_LAST_STRETCH,      /* a second's book is the one that stood at its end, for all of it */
    TWIN_BUG_DUST_PRINTS,       /* trades of any worth are a last price */
    TWIN_BUG_LONG_MINUTE,       /* trades count for a second longer than a minute */
    TWIN_BUG_NO_DRIFT_HOUR,     /* the own spot book pulls the index further than 1 % in an hour */
    TWIN_BUG_BOOTSTRAP_HALF,    /* BOOTSTRAP allows half of the open interest, as FALLBACK does */
    TWIN_BUG_STALE_OPENS,       /* positions open without a price */
    TWIN_BUG_CLOSES_ALONE,      /* an order closes as if no other of its side rested */
    TWIN_BUG_TIER_PLACED,       /* a fill is not asked for its tier, placement alone is */
    TWIN_BUG_BUCKETS_OPEN,      /* money goes into a bucket beside a cross position whose price is unknown */
    TWIN_BUG_COUNT,
};
void twin_inject_bug(struct twin *twin, enum twin_bug bug);

#endif
