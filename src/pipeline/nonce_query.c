/* SPDX-License-Identifier: MIT */
#include "pipeline/nonce_query.h"

/* ---- the table ---- */

static uint64_t word_at(const struct command *command, size_t at)
{
    uint64_t word;

    memcpy(&word, command->signer.bytes + at, sizeof(word));
    return word;
}

/* An address is a hash; so the rest of it says where the rows of its signer are. */
static uint64_t name_of(const struct nonce_query *query, const struct command *command)
{
    uint64_t salt = (uint64_t)atomic_load_explicit(&query->epoch, memory_order_relaxed) << 8 | command->domain;

    return (word_at(command, 0) ^ salt * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

static struct nonce_query_row *rows_of(struct nonce_query *query, const struct command *command)
{
    uint64_t place = word_at(command, sizeof(command->signer) - sizeof(uint64_t)) + command->domain;

    return query->rows + place % (NONCE_QUERY_SIGNERS / NONCE_QUERY_TOGETHER) * NONCE_QUERY_TOGETHER;
}

/* Two threads may have made a row for the same signer: the higher one counts. NULL = there is none. */
static struct nonce_query_row *find(struct nonce_query_row *rows, uint64_t signer)
{
    struct nonce_query_row *found = NULL;
    uint64_t                highest = 0;

    for (struct nonce_query_row *row = rows; row < rows + NONCE_QUERY_TOGETHER; row++) {
        uint64_t its = atomic_load_explicit(&row->highest, memory_order_relaxed);

        if (atomic_load_explicit(&row->signer, memory_order_relaxed) != signer || its < highest) continue;
        found = row;
        highest = its;
    }
    return found;
}

static void raise_to(struct nonce_query_row *row, uint64_t nonce)
{
    uint64_t its = atomic_load_explicit(&row->highest, memory_order_relaxed);

    while (its < nonce
           && !atomic_compare_exchange_weak_explicit(&row->highest, &its, nonce, memory_order_relaxed,
                                                     memory_order_relaxed)) {}
}

/* Nonces are times: the signer with the lowest one has been silent for longest, and gives up its row. */
static void add(struct nonce_query_row *rows, uint64_t signer, uint64_t nonce)
{
    struct nonce_query_row *lowest = rows;

    for (struct nonce_query_row *row = rows + 1; row < rows + NONCE_QUERY_TOGETHER; row++)
        if (atomic_load_explicit(&row->highest, memory_order_relaxed)
            < atomic_load_explicit(&lowest->highest, memory_order_relaxed))
            lowest = row;
    atomic_store_explicit(&lowest->highest, nonce, memory_order_relaxed);
    atomic_store_explicit(&lowest->signer, signer, memory_order_relaxed);
}

/* ---- the engine ---- */

/* Of a command that reads do not show yet the answer could not name the block: it is still in flight. */
static bool ask(struct nonce_query *query, const struct command *command, struct refused *refused, uint64_t *highest)
{
    bool refuses;

    (void)atomic_fetch_add_explicit(&query->waiting, 1, memory_order_relaxed);
    (void)pthread_mutex_lock(&query->turn);
    (void)pthread_mutex_lock(&query->engine);
    (void)pthread_mutex_unlock(&query->turn);
    (void)atomic_fetch_sub_explicit(&query->waiting, 1, memory_order_relaxed);
    refuses = engine_refuses_nonce(*query->asked, command, refused, highest);
    (void)pthread_mutex_unlock(&query->engine);
    return refuses && refused->used_seq <= atomic_load_explicit(&query->shown, memory_order_acquire);
}

bool nonce_query_refuses(void *self, const struct command *command, struct refused *refused)
{
    struct nonce_query     *query = self;
    uint64_t                signer = name_of(query, command), highest;
    struct nonce_query_row *rows = rows_of(query, command), *row = find(rows, signer);

    if (row != NULL && command->nonce > atomic_load_explicit(&row->highest, memory_order_relaxed)) {
        raise_to(row, command->nonce);
        return false;
    }
    if (ask(query, command, refused, &highest)) return true;
    if (row != NULL) raise_to(row, command->nonce);
    else if (highest != UINT64_MAX) add(rows, signer, max_u64(highest, command->nonce));
    return false;
}

void nonce_query_begin(struct nonce_query *query, bool own)
{
    if (!own) (void)atomic_fetch_add_explicit(&query->epoch, 1, memory_order_relaxed);
    (void)pthread_mutex_lock(&query->engine);
}

void nonce_query_end(struct nonce_query *query) { (void)pthread_mutex_unlock(&query->engine); }

void nonce_query_show(struct nonce_query *query, uint64_t seq)
{
    atomic_store_explicit(&query->shown, seq, memory_order_release);
}

void nonce_query_let_in(struct nonce_query *query)
{
    (void)pthread_mutex_unlock(&query->engine);
    (void)pthread_mutex_lock(&query->turn);
    (void)pthread_mutex_lock(&query->engine);
    (void)pthread_mutex_unlock(&query->turn);
}

void nonce_query_open(struct nonce_query *query, struct engine *const *asked)
{
    query->asked = asked;
    (void)pthread_mutex_init(&query->engine, NULL);
    (void)pthread_mutex_init(&query->turn, NULL);
    nonce_query_show(query, engine_seq(*asked));
}

void nonce_query_close(struct nonce_query *query)
{
    (void)pthread_mutex_destroy(&query->turn);
    (void)pthread_mutex_destroy(&query->engine);
}
