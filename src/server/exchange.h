/* SPDX-License-Identifier: MIT */
/*
 * exchange.h — everything a durable batch changes: the engine, the blocks, the views, the history. The
 * live wheel, the replay at start and dojima verify all turn through exchange_run; there is no second
 * code path.
 *
 * One thread calls it. What others may look at while it runs is `time_ms`, the views and the history.
 */
#ifndef SERVER_EXCHANGE_H
#define SERVER_EXCHANGE_H

#include <stdatomic.h>

#include "core/engine.h"
#include "history/history.h"
#include "journal/journal.h"
#include "server/blocks.h"
#include "server/mail.h"
#include "views/views.h"

#define BATCH_RECORDS_MAX 4096          /* commands in one batch of ours */

/* Replies of a batch, one reply_message each with its events, in log order. */
struct replies {
    uint8_t *at;
    size_t   len, cap;
};
#define REPLIES_BYTES (BATCH_RECORDS_MAX * 256 + 4 * 1024 * 1024)

struct tell;
struct stream_feeds;

struct exchange {
    const struct genesis *genesis;
    struct genesis       *room;         /* the same with the limits in force: what the memory is laid out for */
    struct engine        *engine;
    struct views         *views;        /* NULL in dojima verify                                        */
    struct history       *history;      /* NULL in dojima verify                                        */
    uint64_t              history_seq;  /* rows of commands up to here are on disk already              */
    struct blocks         blocks;
    struct events         events;
    size_t                events_worst; /* what one command may need of it                              */
    size_t                folded;       /* bytes of it that views, history and streams have been given  */
    int64_t               batch_ms;     /* time of the batch at hand                                    */
    struct history_tx    *txs;
    struct replies        replies;
    void                 *engine_memory, *views_memory;
    void                 *views_base;   /* with readers, where the views themselves lie after a raise; else NULL */
    size_t                views_base_bytes;
    bool                  is_read;      /* other threads read the views                                 */
    const struct stream_feeds   *streams;        /* NULL: nobody streams                                          */
    struct tell          *tell;         /* NULL: nobody is told about single commands                   */
    _Atomic uint64_t      oracle_seqs[FEEDERS_MAX]; /* of each feeder, the last one                     */
    _Atomic int64_t       time_ms;      /* engine time: of the last batch                               */
};

/*
 * Takes the memory and makes the exchange of a genesis, with block 0 applied. `touch` takes the pages
 * now (ruling 52). Without `folds` there are no views. False when the machine has not enough memory.
 */
bool exchange_init(struct exchange *exchange, const struct genesis *genesis, struct slice genesis_json, bool folds, bool touch);

/* The same in two steps: the memory, and block 0 in it. Between them a snapshot may be loaded instead (restore.h). */
bool exchange_take(struct exchange *exchange, const struct genesis *genesis, bool folds, bool touch);
void exchange_begin(struct exchange *exchange, struct slice genesis_json);

/* The memory for other limits, all of it zeros: a snapshot that was written behind a raise is loaded into it. False: not enough. */
bool exchange_reshape(struct exchange *exchange, const struct limits *limits);

/* Engine and views are zeros again, as exchange_take made them. */
void exchange_forget(struct exchange *exchange);

/* Takes the pages of engine, views and buffers now; of the events those that all but the largest batches need. */
void exchange_touch(struct exchange *exchange);

/* What other threads look at, once engine and blocks stand where they stand. */
void exchange_show(struct exchange *exchange);

/* Gives the memory back. */
void exchange_close(struct exchange *exchange);

/*
 * Applies a durable batch: engine, blocks, views, history, in this order. `asked` says for each record
 * who waits for it (NULL: nobody); their replies are in exchange->replies until the next call.
 */
void exchange_run(struct exchange *exchange, const struct journal_batch *batch, const struct asked *asked);

#endif
