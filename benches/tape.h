/* SPDX-License-Identifier: MIT */
/*
 * tape.h — a workload of orders as commands of the log: each record one signed command with one item, on spot or on
 * perps, in the bench configuration (ruling 54) or the default one (rulings 31, 50).
 */
#ifndef BENCH_TAPE_H
#define BENCH_TAPE_H

#include "core/engine.h"
#include "fmt.h"
#include "machine.h"

#define CHECK(holds, ...)                                                                                              \
    do {                                                                                                               \
        if (!(holds)) {                                                                                                \
            printf("WRONG: " __VA_ARGS__);                                                                             \
            printf("\n");                                                                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Records in a file of the generator, or made one by one from the engine's open orders. */
struct workload {
    obhdr        header;
    const obcmd *records; /* NULL: workload_big */
    uint64_t     count;
    int64_t      generate_ns;
};

/* "W0" … "W5" with `commands` timed ones, from the generator; exits when it fails. */
struct workload workload_load(const char *name, uint64_t commands);
void            workload_free(struct workload *workload);

/* W4's mix over `users` accounts, `resting` orders and `symbols`
   symbols: 50 % add, 40 % cancel, 8 % marketable, 2 % replace. */
struct workload workload_big(uint32_t users, uint64_t resting, uint32_t symbols, uint64_t commands);

struct plan {
    uint8_t market; /* enum market_kind */
    bool    bench;  /* the configuration of ruling 54 */
};

/* The exchange a workload is for. Exits when there is no such exchange. */
void plan_genesis(const struct plan *plan, const struct workload *workload, struct genesis *genesis);

/* Commands one after the other, as in a batch of the log; those from `timed_from` on are measured. */
struct tape {
    uint8_t       *at;
    size_t         len, cap, timed_from;
    uint64_t       seq, timed;
    struct hash256 state; /* engine_hash after the last one */
};

/* The sums of the events of the whole tape. */
struct replay {
    uint64_t trades, quantity, hash, rejects, refused, rest, rest_quantity, events;
};

/*
 * Builds the tape while running it once, because REPLACE needs the quantity executed by then; ends with engine_verify,
 * and in the bench configuration with the generator's sums and hash, where there are some. The caller unmaps the
 * memory.
 */
struct replay tape_record(const struct plan *plan, const struct workload *workload, const struct genesis *genesis,
                          struct tape *tape);
void          tape_free(struct tape *tape);

#endif
