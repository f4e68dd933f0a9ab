/* SPDX-License-Identifier: MIT */
#include "pipeline/asks.h"

/* ---- the table ---- */

static uint64_t word_at(const struct command *command, size_t at)
{
    uint64_t word;

    memcpy(&word, command->signer.bytes + at, sizeof(word));
    return word;
}

/* An address is a hash; so the rest of it says where the rows of its signer are. */
static uint64_t name_of(const struct asks *asks, const struct command *command)
{
    uint64_t salt = (uint64_t)atomic_load_explicit(&asks->epoch, memory_order_relaxed) << 8 | command->domain;

    return (word_at(command, 0) ^ salt * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

static struct ask_row *rows_of(struct asks *asks, const struct command *command)
{
    uint64_t place = word_at(command, sizeof(command->signer) - sizeof(uint64_t)) + command->domain;

    return asks->rows + place % (ASKS_SIGNERS / ASKS_TOGETHER) * ASKS_TOGETHER;
}

/* Two threads may have made a row for the same signer: the higher one counts. NULL = there is none. */
static struct ask_row *find(struct ask_row *rows, uint64_t signer)
{
    struct ask_row *found = NULL;
    uint64_t        highest = 0;

    for (struct ask_row *row = rows; row < rows + ASKS_TOGETHER; row++) {
        uint64_t its = atomic_load_explicit(&row->highest, memory_order_relaxed);

        if (atomic_load_explicit(&row->signer, memory_order_relaxed) != signer || its < highest) continue;
        found = row;
        highest = its;
    }
    return found;
}

static void raise_to(struct ask_row *row, uint64_t nonce)
{
    uint64_t its = atomic_load_explicit(&row->highest, memory_order_relaxed);

    while (its < nonce
           && !atomic_compare_exchange_weak_explicit(&row->highest, &its, nonce, memory_order_relaxed,
                                                     memory_order_relaxed)) {}
}

/* Nonces are times: the signer with the lowest one has been silent for longest, and gives up its row. */
static void add(struct ask_row *rows, uint64_t signer, uint64_t nonce)
{
    struct ask_row *lowest = rows;

    for (struct ask_row *row = rows + 1; row < rows + ASKS_TOGETHER; row++)
        if (atomic_load_explicit(&row->highest, memory_order_relaxed)
            < atomic_load_explicit(&lowest->highest, memory_order_relaxed))
            lowest = row;
    atomic_store_explicit(&lowest->highest, nonce, memory_order_relaxed);
    atomic_store_explicit(&lowest->signer, signer, memory_order_relaxed);
}

/* ---- the engine ---- */

/* Of a command that reads do not show yet the answer could not name the block: it is still in flight. */
static bool ask(struct asks *asks, const struct command *command, struct refused *refused, uint64_t *highest)
{
    bool refuses;

    (void)atomic_fetch_add_explicit(&asks->waiting, 1, memory_order_relaxed);
    (void)pthread_mutex_lock(&asks->turn);
    (void)pthread_mutex_lock(&asks->engine);
    (void)pthread_mutex_unlock(&asks->turn);
    (void)atomic_fetch_sub_explicit(&asks->waiting, 1, memory_order_relaxed);
    refuses = engine_refuses_nonce(*asks->asked, command, refused, highest);
    (void)pthread_mutex_unlock(&asks->engine);
    return refuses && refused->used_seq <= atomic_load_explicit(&asks->shown, memory_order_acquire);
}

bool asks_refuse_nonce(void *self, const struct command *command, struct refused *refused)
{
    struct asks    *asks = self;
    uint64_t        signer = name_of(asks, command), highest;
    struct ask_row *rows = rows_of(asks, command), *row = find(rows, signer);

    if (row != NULL && command->nonce > atomic_load_explicit(&row->highest, memory_order_relaxed)) {
        raise_to(row, command->nonce);
        return false;
    }
    if (ask(asks, command, refused, &highest)) return true;
    if (row != NULL) raise_to(row, command->nonce);
    else if (highest != UINT64_MAX) add(rows, signer, max_u64(highest, command->nonce));
    return false;
}

void asks_begin(struct asks *asks, bool own)
{
    if (!own) (void)atomic_fetch_add_explicit(&asks->epoch, 1, memory_order_relaxed);
    (void)pthread_mutex_lock(&asks->engine);
}

void asks_end(struct asks *asks) { (void)pthread_mutex_unlock(&asks->engine); }

void asks_show(struct asks *asks, uint64_t seq) { atomic_store_explicit(&asks->shown, seq, memory_order_release); }

void asks_let_in(struct asks *asks)
{
    (void)pthread_mutex_unlock(&asks->engine);
    (void)pthread_mutex_lock(&asks->turn);
    (void)pthread_mutex_lock(&asks->engine);
    (void)pthread_mutex_unlock(&asks->turn);
}

void asks_open(struct asks *asks, struct engine *const *asked)
{
    asks->asked = asked;
    (void)pthread_mutex_init(&asks->engine, NULL);
    (void)pthread_mutex_init(&asks->turn, NULL);
    asks_show(asks, engine_seq(*asked));
}

void asks_close(struct asks *asks)
{
    (void)pthread_mutex_destroy(&asks->turn);
    (void)pthread_mutex_destroy(&asks->engine);
}
