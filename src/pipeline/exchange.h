/* SPDX-License-Identifier: MIT */
/*
 * exchange.h — everything that a durable batch changes: the engine, the blocks, the views, the history. Live
 * operation, the replay at the start and dojima verify all run exchange_run; there is no second code path.
 *
 * One thread calls it. Other threads may read `time_ms`, the views and the history while it runs.
 */
#ifndef PIPELINE_EXCHANGE_H
#define PIPELINE_EXCHANGE_H

#include <stdatomic.h>

#include "core/engine.h"
#include "history/history.h"
#include "pipeline/blocks.h"
#include "pipeline/command_batch.h"
#include "views/views.h"

/* Replies of a batch, one reply_message each with its events, in log order. */
struct replies {
    uint8_t *at;
    size_t   len, cap;
};
#define REPLIES_BYTES (BATCH_RECORDS_MAX * 256 + 4 * 1024 * 1024)

/* Memory that cannot be had for a pool with so many places. */
struct exchange_lack {
    uint8_t  pool; /* enum limit_pool */
    uint32_t places;
    uint64_t wanted, has; /* bytes for all full pools, and the process's memory limit; 0 = unknown */
};

struct nonce_query;
struct console_log;
struct event_queues;

struct exchange {
    const struct genesis *genesis;
    struct genesis       *room; /* the same with the limits in force: the layout of the memory */
    struct engine        *engine;
    struct views         *views;       /* NULL in dojima verify */
    struct history       *history;     /* NULL in dojima verify */
    uint64_t              history_seq; /* rows of commands up to here are on disk already */
    struct blocks         blocks;
    struct events         events;
    size_t                events_worst; /* the most that one command may need of it */
    size_t                folded;       /* bytes of it that views, history and streams have been given */
    int64_t               batch_ms;     /* time of the batch at hand */
    struct history_tx    *txs;
    struct replies        replies;
    void                 *engine_memory, *views_memory;
    void                 *views_base; /* with readers, where the views themselves lie after a raise; else NULL */
    size_t                views_base_bytes;
    bool                  is_read; /* other threads read the views */
    /* memory for a raise that is on its way to the log, nothing else of it is used; NULL: none */
    struct exchange           *beside;
    uint64_t                   memory_max;               /* bytes that engine and views may need; 0 = not known */
    const struct event_queues *streams;                  /* NULL: no streams */
    struct console_log        *console_log;              /* NULL: no callback per command */
    struct nonce_query        *nonce_query;              /* NULL: no other thread asks the engine */
    _Atomic uint64_t           oracle_seqs[FEEDERS_MAX]; /* of each feeder, the last one */
    _Atomic int64_t            time_ms;                  /* engine time: of the last batch */
};

/*
 * Takes the memory and makes the exchange of a genesis, with block 0 applied. `touch` takes the pages that
 * exchange_bytes counts now (ruling 52). Without `folds` there are no views. False when the machine has not enough
 * memory.
 */
bool exchange_init(struct exchange *exchange, const struct genesis *genesis, struct slice genesis_json, bool folds,
                   bool touch);

/* The same in two steps: the memory, and block 0 in it. Between them a snapshot may be loaded instead (restore.h). */
bool exchange_take(struct exchange *exchange, const struct genesis *genesis, bool folds, bool touch);
void exchange_begin(struct exchange *exchange, struct slice genesis_json);

/* The memory for other limits, all of it zeros: a snapshot that was
   written behind a raise is loaded into it. False: not enough. */
bool exchange_reshape(struct exchange *exchange, const struct limits *limits);

/*
 * Allocates the memory that a raise of a limit will need, before it is in the log; exchange_run moves into it. Does
 * nothing for other commands, and for a raise that the engine refuses. All raises before it have been applied. False:
 * memory is short by *lack, and nothing has changed.
 */
bool exchange_reserve(struct exchange *exchange, const struct command *command, struct exchange_lack *lack) MUST_USE;

/* Bytes that engine and views of a genesis need once every place
   that is not reserved for later accounts has been used. */
uint64_t exchange_bytes(const struct genesis *genesis);

/* Engine and views are zeros again, as exchange_take made them. */
void exchange_forget(struct exchange *exchange);

/* Back to block 0, in the memory of the genesis' limits, which may lie elsewhere; no other thread reads. */
void exchange_begin_again(struct exchange *exchange, struct slice genesis_json);

/* Takes the pages of engine, views and buffers now; of the events those that all but the largest batches need. */
void exchange_touch(struct exchange *exchange);

/* Publishes the values for other threads, after engine and blocks have changed. */
void exchange_show(struct exchange *exchange);

/* Gives the memory back. */
void exchange_close(struct exchange *exchange);

/*
 * Applies a durable batch: engine, blocks, views, history, in this order. `own` is the batch that `batch` is the
 * records of, with the destination of each record's reply and its hints; NULL: it was read from the log, so there are
 * neither. The replies are in exchange->replies until the next call.
 */
void exchange_run(struct exchange *exchange, const struct log_batch *batch, const struct command_batch *own);

#endif
