/* SPDX-License-Identifier: MIT */
/*
 * random_flow_log.h — a log of random flow, for tests and long runs. Header only. The generator's own engine applies
 * each command when it is made; an exchange applies the batches as they get into the log; both end in the same state.
 */
#ifndef RIGS_PIPELINE_RANDOM_FLOW_LOG_H
#define RIGS_PIPELINE_RANDOM_FLOW_LOG_H

#include "rigs/core/perps_random_flow.h"
#include "io/files.h"
#include "pipeline/replay.h"

/* The final state of the generator's engine. */
struct flow_result {
    struct genesis     genesis;
    struct hash256     state;
    struct log_applied block; /* the last one */
    uint64_t           seq, batches;
    uint64_t           raises; /* of limits */
};

/* A folder's log and the exchange that runs it. */
struct reader {
    struct replay   replay;
    struct genesis  genesis;
    struct exchange exchange;
};

static inline void flow_log_seal(struct reader *reader, struct log_batch *batch, struct flow_result *flow_result)
{
    struct log_applied applied = reader->exchange.blocks.applied;

    if (batch->count == 0) return;
    assert(log_append(reader->replay.log, batch, &applied) == 0);
    exchange_run(&reader->exchange, batch, NULL);
    batch->count = 0;
    flow_result->batches++;
}

/* First deposits for all accounts, on both markets; then random flow. */
static inline void flow_log_step(struct fixture *f, const struct random_flow *flow)
{
    uint32_t who = 1 + (uint32_t)f->seq / 2;

    if (f->seq >= 2 * flow->users) flow_step(f, flow);
    else if (f->seq % 2 == 0) perps_deposit(f, who, flow->each);
    else (void)deposit(f, who, VUSDC, flow->each);
}

/*
 * A log of flow->commands commands in an empty folder, in batches that end where the time changes or at random: after
 * `batch` commands on average. Genesis holds no money of the flow: all of it comes from deposits.
 */
static inline void flow_log_write(const char *folder, const struct random_flow *flow,
                                  const struct log_settings *options, uint32_t batch_size,
                                  struct flow_result *flow_result)
{
    struct fixture *f = flow_start(
        &(struct random_flow){ .seed = flow->seed, .users = 0, .fund = flow->fund, .commands = flow->commands });
    struct reader   *reader = calloc(1, sizeof(*reader));
    struct log_batch batch = { .at = aligned_alloc(4096, 1 << 20), .cap = 1 << 20 };
    struct hash256   state;

    assert(reader != NULL && batch.at != NULL);
    *flow_result = (struct flow_result){ 0 };
    assert(replay_open(&reader->replay, folder, DISK_WRITE, options, &f->genesis) == 0);
    assert(replay_genesis(&reader->replay, &reader->genesis) == 0);
    assert(exchange_init(&reader->exchange, &reader->genesis, reader->replay.genesis_json, false, false));
    assert(replay_run(&reader->replay, &reader->exchange, NULL, NULL) == 0);
    while (f->seq < flow->commands) {
        struct hash256    hash;
        struct log_record record = { .command = &f->room.head, .tx_hash = &hash };

        flow_log_step(f, flow);
        assert(f->seq == ++flow_result->seq);
        flow_result->raises += f->room.head.kind == CMD_RAISE_LIMIT;
        if (batch.time_ms != f->time_ms || random_below(batch_size) == 0) flow_log_seal(reader, &batch, flow_result);
        if (batch.count == 0) log_batch_begin(&batch, f->seq, f->time_ms);
        hash = keccak256(&f->seq, sizeof(f->seq));
        assert(log_batch_add(&batch, &record));
    }
    flow_log_seal(reader, &batch, flow_result);
    flow_result->genesis = f->genesis;
    flow_result->state = engine_hash(reader->exchange.engine);
    flow_result->block = reader->exchange.blocks.applied;
    state = engine_hash(f->engine);
    assert(memcmp(&flow_result->state, &state, sizeof(state)) == 0);
    exchange_close(&reader->exchange);
    replay_close(&reader->replay);
    free(batch.at);
    free(reader);
    fixture_free(f);
}

#endif
