/* SPDX-License-Identifier: MIT */
/*
 * market.h — one account in the market of `dojima dev`, in lock-step: libdojima_market. The traders of the built-in
 * market (docs/market.md) play around the account, in your process and on your thread, over libdojima. Same genesis,
 * seed and actions: the same history, byte for byte.
 *
 * A step is: the account's actions, if any, each a command of its own; then the next command that is not the account's,
 * which is a trader's message or the exchange's own TICK. Time advances to that command's; the account acts at the time
 * of the last one. Traders decide each 100 ms from what the exchange shows then, as they do in the program.
 *
 * Like the engine it allocates nothing, makes no thread and reads no clock. Both libraries must be of one version.
 */
#ifndef DOJIMA_MARKET_H
#define DOJIMA_MARKET_H

#include "dojima/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dojima_environment;

#define DOJIMA_MARKET_ABI 1

/* The market around the account (docs/market.md). */
enum dojima_preset {
    DOJIMA_CALM = 1,
    DOJIMA_TREND = 2,
    DOJIMA_VOLATILE = 3,
    DOJIMA_CRASH = 4,
    DOJIMA_THIN = 5,
};

/*
 * What makes an environment. Zero the whole, then fill in. The account is 1001, the first of the genesis, which must
 * be one of development. Symbols are numbered from 0: those of spot, then those of perps.
 */
struct dojima_environment_setup {
    uint32_t                     bytes, abi; /* sizeof(struct dojima_environment_setup), DOJIMA_MARKET_ABI */
    const struct dojima_genesis *genesis;    /* lives as long as the environment */
    uint32_t                     preset;     /* enum dojima_preset */
    uint32_t                     levels;     /* of a book's side in the observation, 1 to 256 */
    uint32_t                     orders;     /* own open orders, 1 to 256 */
    uint32_t                     actions;    /* rows of actions in a step, 1 to 100 */
    uint32_t                     absolute;   /* 1: prices of actions are in ticks; 0: ticks from the best price */
    uint32_t                     warm_up_ms; /* time that passes in a reset before the account sees the market */
    uint64_t                     max_steps;  /* of an episode; 0 = no limit */
    void                        *memory;     /* zeroed, aligned to 64 */
    size_t                       memory_bytes;
    int64_t                     *observation; /* dojima_environment_words of them; written by reset and step */
    uint8_t                     *log;         /* gets the commands that were applied, behind each other; or NULL */
    size_t                       log_bytes;
    uint64_t                     reserved[8];
};

/* Words of the observation of an account, in this order; `symbols`, `coins`: of the genesis. */
#define DOJIMA_ACCOUNT_WORDS 8 /* time, value, steps, open orders, reject, fills, perps wallet, refused actions */
#define DOJIMA_SYMBOL_WORDS                                                                                            \
    8                           /* last price, its signed quantity, trades, index, mark, funding rate, bid, ask levels \
                                 */
#define DOJIMA_LEVEL_WORDS    2 /* price, quantity; per symbol bids, then asks, best first */
#define DOJIMA_BALANCE_WORDS  2 /* of a coin on spot: total, locked */
#define DOJIMA_POSITION_WORDS 4 /* of a symbol: size, cost, bucket, leverage */
#define DOJIMA_ORDER_WORDS    8 /* id, symbol + 1, side, price, quantity, executed, created, time in force */
#define DOJIMA_ACTION_WORDS   7 /* kind, symbol, side, price, quantity, time in force, slot */

/*
 * Kinds of actions. PLACE: side 0 buys, 1 sells; price: ticks above the best bid for a purchase, below the best ask for
 * a sale (0 joins it, more than the spread takes), or the price in ticks; quantity in steps; time in force 0 GTC, 1
 * IOC, 2 GTX. CANCEL: the order in `slot`. REPLACE: that order gets this price and quantity; quantity 0 stays as it
 * was. CANCEL_ALL: those of the symbol.
 */
enum dojima_action {
    DOJIMA_ACT_NONE = 0,
    DOJIMA_ACT_PLACE = 1,
    DOJIMA_ACT_CANCEL = 2,
    DOJIMA_ACT_REPLACE = 3,
    DOJIMA_ACT_CANCEL_ALL = 4,
};

/* What a step says about the episode. */
enum dojima_episode { DOJIMA_GOES_ON = 0, DOJIMA_TERMINATED = 1, DOJIMA_TRUNCATED = 2 };

DOJIMA_API uint32_t dojima_market_abi(void);

/* Words of an observation, and bytes of memory; 0 of a setup that is not valid. */
DOJIMA_API uint32_t dojima_environment_words(const struct dojima_environment_setup *setup);
DOJIMA_API size_t   dojima_environment_bytes(const struct dojima_environment_setup *setup);

/* WRONG_ABI, BAD_GENESIS, BAD_MEMORY. The environment has no episode yet. */
DOJIMA_API enum dojima_status dojima_environment_create(const struct dojima_environment_setup *setup,
                                                        struct dojima_environment            **environment);

/* Begins an episode: a new exchange, the warm-up, and the first observation, there or (NULL) at the same place. */
DOJIMA_API void dojima_environment_reset(struct dojima_environment *environment, uint64_t seed, int64_t *observation);

/*
 * One step of an episode, which reset has begun. `actions`: rows of DOJIMA_ACTION_WORDS, as many as the setup says.
 * *reward: change of the account's value in units of the first coin: spot balances at the middle of their books,
 * wallet, and positions at mark. TERMINATED: the value is gone; TRUNCATED: max_steps. What is out of range in an action
 * makes it a refused one.
 * `observation`: where it is written from now on, so that the last one stays; or NULL for the same place.
 */
DOJIMA_API enum dojima_episode dojima_environment_step(struct dojima_environment *environment, const int64_t *actions,
                                                       int64_t *observation, int64_t *reward);

/*
 * A step of each of `count` environments, one after the other. A finished one is begun again first, in place of its
 * step, when seeds is not NULL (with seeds[i]; its reward is 0). `episodes` has the state of each before and after.
 */
DOJIMA_API void dojima_environments_step(struct dojima_environment *const *environments, uint32_t count,
                                         const int64_t *actions, const uint64_t *seeds, int64_t *rewards,
                                         uint8_t *episodes);

/* The account's engine, to look at, or NULL before the first reset; and the bytes of the log so far (more than
   log_bytes: it did not fit). */
DOJIMA_API const struct dojima_engine *dojima_environment_engine(const struct dojima_environment *environment);
DOJIMA_API size_t                      dojima_environment_logged(const struct dojima_environment *environment);

#ifdef __cplusplus
}
#endif
#endif
