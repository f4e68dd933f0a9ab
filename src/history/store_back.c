/* SPDX-License-Identifier: MIT */
/*
 * store_back.c — what transactions wrote is taken by the disk, and what it has not taken is counted.
 *
 * What was written before a round through the file began is with the disk when the round is over; what is written
 * meanwhile waits for the next one. A page that the disk refuses is dropped by the system, which says so once: later
 * rounds and syncs prove nothing any more.
 */
#include "history/store.h"

#include "io/clock.h"
#include "io/files.h"

#define PIECE    ((uint64_t)256 << 10) /* bytes of the store that may stand in the way of a sync of the log */
#define SWEEP_NS INT64_C(20000000000)  /* below the age at which Linux writes all there is (30 s) */

/* ---- what the disk has not taken ---- */

static struct unkept unkept_of(const struct unkept *unkept)
{
    return (struct unkept){ __atomic_load_n(&unkept->since_ns, __ATOMIC_RELAXED),
                            __atomic_load_n(&unkept->bytes, __ATOMIC_RELAXED) };
}

static void unkept_set(struct unkept *unkept, struct unkept to)
{
    __atomic_store_n(&unkept->since_ns, to.since_ns, __ATOMIC_RELAXED);
    __atomic_store_n(&unkept->bytes, to.bytes, __ATOMIC_RELAXED);
}

static void unkept_add(struct unkept *unkept, uint64_t bytes)
{
    unkept_set(unkept,
               (struct unkept){ unkept->since_ns != 0 ? unkept->since_ns : clock_mono_ns(), unkept->bytes + bytes });
}

static void begin_round(struct sweep *sweep)
{
    unkept_set(&sweep->passing, sweep->coming);
    unkept_set(&sweep->coming, (struct unkept){ 0 });
    sweep->round = sweep->passing.since_ns != 0 ? UINT64_MAX : 0;
}

void store_wrote(struct store *store, uint64_t bytes)
{
    struct sweep *sweep = &store->sweep;
    bool          begins = sweep->round == 0 || sweep->round == UINT64_MAX; /* none yet, or it has passed nothing yet */

    sweep->left = UINT64_MAX;
    if (begins) sweep->round = UINT64_MAX;
    unkept_add(begins ? &sweep->passing : &sweep->coming, bytes);
}

/* All of it is with the disk. */
static void all_is_taken(struct sweep *sweep)
{
    if (sweep->refused) return;
    unkept_set(&sweep->coming, (struct unkept){ 0 });
    begin_round(sweep);
}

static void refuse(struct sweep *sweep)
{
    sweep->refused = true;
    unkept_add(&sweep->passing, 0);
}

struct unkept store_unkept(const struct store *store)
{
    struct unkept passing = unkept_of(&store->sweep.passing), coming = unkept_of(&store->sweep.coming);

    return (struct unkept){ passing.since_ns, passing.bytes + coming.bytes };
}

/* ---- the way to the disk ---- */

int store_sync(struct store *store)
{
    int error = -store_error(mdb_env_sync(store->env, 1));

    if (error == 0) all_is_taken(&store->sweep);
    else refuse(&store->sweep);
    return error;
}

/* The file has become longer behind what the round has passed, or before it. */
static void measure(struct sweep *sweep, uint64_t bytes)
{
    if (sweep->round == UINT64_MAX) sweep->round = bytes;
    else if (sweep->round != 0) sweep->round += bytes - sweep->bytes;
    sweep->bytes = bytes;
    sweep->left = min_u64(sweep->left, bytes);
}

static int write_piece_back(struct sweep *sweep, mdb_filehandle_t file)
{
    if (sweep->at >= sweep->bytes) sweep->at = 0;
    int error = files_write_back(file, sweep->at, PIECE);
    sweep->at += PIECE;
    sweep->left -= min_u64(sweep->left, PIECE);
    sweep->round -= min_u64(sweep->round, PIECE);
    if (error != 0) refuse(sweep);
    else if (sweep->left == 0) all_is_taken(sweep);
    else if (sweep->round == 0 && !sweep->refused) begin_round(sweep);
    return error;
}

/*
 * Pages that a transaction wrote lie anywhere in the file, so all of it is gone through in SWEEP_NS; of the parts in
 * which nothing was written the system says so at once.
 */
int store_write_back(struct store *store, int64_t elapsed_ns)
{
    struct sweep    *sweep = &store->sweep;
    MDB_envinfo      info;
    MDB_stat         stat;
    mdb_filehandle_t file;
    int              error = 0;

    if (sweep->left == 0) return 0;
    (void)mdb_env_info(store->env, &info); /* none of the three fails for an environment that is open */
    (void)mdb_env_stat(store->env, &stat);
    (void)mdb_env_get_fd(store->env, &file);
    measure(sweep, align_up((info.me_last_pgno + 1) * (uint64_t)stat.ms_psize, PIECE));
    sweep->due += (uint64_t)((uint128_t)sweep->bytes * (uint64_t)min_i64(elapsed_ns, SWEEP_NS) / SWEEP_NS);
    for (; sweep->due >= PIECE && sweep->left != 0 && error == 0; sweep->due -= PIECE)
        error = write_piece_back(sweep, file);
    if (sweep->left == 0) sweep->due = 0;
    return -error;
}
