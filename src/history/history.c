/* SPDX-License-Identifier: MIT */
/*
 * history.c — open, collect and write.
 *
 * Beside LMDB's files lies `state`: the log that the rows belong to, the boot of the machine in which the store was
 * opened, whether it was closed, and its file at that time. LMDB runs without syncs, so its writes survive the end of
 * the process but not that of the machine; then the store goes back to a moment that was kept (keep.c), or the files
 * are deleted unread, because a store whose pages arrived in any order must not be opened, and the replay rebuilds the
 * rows.
 */
#include "history/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#define REMOVE_ROWS 512u /* with a batch, beside those that new rows remove: a few dozen microseconds */

#define HASHED_BYTES (256ull << 20) /* of a store: up to here its file is hashed at the close and at the start */
#define HASH_CHUNK   (1u << 20)

static int remove_files(const struct history *history)
{
    static const char *const names[] = { "kept", "state", "data.mdb", "lock.mdb" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        int error = history->disk.remove(history->disk.self, names[i]);
        if (error != 0 && error != ENOENT) return error;
    }
    return 0;
}

/* ---- the data file ---- */

/* The chunks one after the other, each seeded with the hash so far; 0 when it cannot be read. */
static uint64_t hash_data(const struct disk *disk, uint64_t bytes)
{
    uint64_t hash = bytes;
    uint8_t *chunk = malloc(HASH_CHUNK);
    int      handle, error = chunk == NULL ? ENOMEM : disk->open(disk->self, "data.mdb", false, &handle);
    bool     is_open = error == 0;

    for (uint64_t at = 0; at < bytes && error == 0; at += HASH_CHUNK) {
        size_t len = (size_t)min_u64(HASH_CHUNK, bytes - at);

        error = disk->read(disk->self, handle, at, chunk, len);
        if (error == 0) hash = XXH3_64bits_withSeed(chunk, len, hash);
    }
    if (is_open) disk->close(disk->self, handle);
    free(chunk);
    return error == 0 ? hash : 0;
}

/* The same facts about data.mdb now; false when there is none. */
static bool data_read(const struct history *history, struct data_file *data)
{
    const struct disk *disk = &history->disk;

    *data = (struct data_file){ 0 };
    if (disk->size(disk->self, "data.mdb", &data->bytes) != 0) return false;
    if (disk_changed_ns(&history->folder, "data.mdb", &data->changed_ns) != 0) return false;
    if (data->bytes <= HASHED_BYTES) data->hash = hash_data(disk, data->bytes);
    return true;
}

/*
 * A closed store is unchanged when its bytes have the same hash, or, when it is too long to be hashed, the same size
 * and time. Every other store is read as a whole.
 */
static const char *judge_data(const char *folder, const struct state_file *state, const struct data_file *data)
{
    const struct data_file *was = &state->data;

    if (state->kind == STATE_CLOSED && data->bytes != was->bytes)
        return "its file has another size than when it was closed";
    if (state->kind == STATE_CLOSED && was->hash != 0)
        return data->hash == was->hash ? NULL : "its file was changed after it was closed";
    if (state->kind == STATE_CLOSED && data->changed_ns == was->changed_ns) return NULL;
    return store_check(folder) ? NULL : "its pages contradict each other";
}

/* The fault of a state file that state_read refuses. */
static const char *judge_state(struct history *history, const struct state_file *state)
{
    bool whole = memcmp(state->magic, "DOJIMAHI", 8) == 0 && state->check == state_check(state);

    if (!whole || state->version == STORE_VERSION) return "its state file is missing or damaged";
    (void)snprintf(history->version, sizeof(history->version), "it is of version %u, and version %u is read",
                   state->version, STORE_VERSION);
    return history->version;
}

/* An unknown boot is like no other one, nor like another unknown one. */
static bool is_same_boot(const struct history *history, const struct state_file *state)
{
    const struct hash256 unknown = { 0 };

    return !hash256_equal(&history->boot, &unknown) && hash256_equal(&history->boot, &state->boot);
}

/* The disk may lack pages of the store: the machine went down, or the disk refused a part. */
static bool may_lack_pages(const struct history *history, const struct state_file *state)
{
    return state->kind == STATE_LOST || (state->kind == STATE_OPEN && !is_same_boot(history, state));
}

enum store_use history_judge(struct history *history, const char *folder, struct state_file *state)
{
    struct data_file data;
    bool             there = data_read(history, &data);

    if (!state_read(history, state)) {
        if (there) history->thrown_away = judge_state(history, state);
        return USE_NONE;
    }
    if (!hash256_equal(&state->instance, &history->instance)) return USE_NONE;
    if (may_lack_pages(history, state)) return there ? USE_KEPT : USE_NONE;
    if (state->kind == STATE_DAMAGED) history->thrown_away = "a read found it damaged";
    else if (!there) history->thrown_away = "its file is missing";
    else history->thrown_away = judge_data(folder, state, &data);
    return history->thrown_away == NULL ? USE_ALL : USE_NONE;
}

static bool goes_back(struct history *history, const char *folder, const struct state_file *state)
{
    if (keep_restore(history, folder)) return true;
    if (state->kind == STATE_LOST && history->thrown_away == NULL)
        history->thrown_away = "the disk did not take all that was written to it";
    return false;
}

/* Whether the store that lies there is used; when it is not although it should be good, why. */
static bool store_is_good(struct history *history, const char *folder)
{
    struct state_file state;
    enum store_use    use = history_judge(history, folder, &state);

    return use == USE_KEPT ? goes_back(history, folder, &state) : use == USE_ALL;
}

/* ---- opening and closing ---- */

/* Errors that a new store would meet too. All others are the store's own. */
static bool is_of_the_machine(int error)
{
    static const int errors[] = { EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM };

    for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
        if (error == errors[i]) return true;
    return false;
}

static int make_anew(struct history *history)
{
    int error = remove_files(history);
    return error != 0 ? error : history_tell_state(history, STATE_OPEN);
}

static int open_store(struct history *history, const char *folder)
{
    bool good = store_is_good(history, folder);
    int  error = good ? history_tell_state(history, STATE_OPEN) : make_anew(history);

    if (error == 0) error = store_open(&history->store, folder, &history->seq);
    if (error == 0) {
        error = -store_load_bars(&history->store, &history->bars);
        if (error == 0) error = -receipts_load(history);
        if (error == 0 && good) error = keep_again(history);
        if (error != 0) store_close(&history->store);
    }
    if (error == 0 || !good || is_of_the_machine(error)) return error;
    bars_deinit(&history->bars);
    history->thrown_away = "it cannot be opened";
    error = bars_init(&history->bars);
    if (error == 0) error = make_anew(history);
    return error != 0 ? error : store_open(&history->store, folder, &history->seq);
}

static int open_parts(struct history *history, const char *folder)
{
    int error = pending_init(&history->pending);

    if (error != 0) return error;
    error = bars_init(&history->bars);
    if (error == 0) error = open_store(history, folder);
    if (error != 0) {
        bars_deinit(&history->bars);
        pending_deinit(&history->pending);
    }
    history->skip_seq = history->seq;
    return error;
}

int history_open(const char *folder, const struct hash256 *instance, struct slice boot_id, struct history **history_out)
{
    struct history *history = calloc(1, sizeof(*history));

    if (history == NULL) return ENOMEM;
    history->instance = *instance;
    history->boot = history_boot(boot_id);
    int error = disk_open(&history->folder, folder, DISK_WRITE, true, &history->disk);
    if (error == 0) {
        error = open_parts(history, folder);
        if (error != 0) disk_close(&history->folder);
    }
    if (error != 0) {
        free(history);
        return error;
    }
    *history_out = history;
    return 0;
}

/* Everything there is, with the seq of the last batch: no more rows can come. */
static int write_all(struct history *history)
{
    uint32_t left = 1;

    history->pending.batch_closed = true;
    pending_show(&history->pending);
    uint64_t last = history->pending.batch_last;
    while (left > 0) {
        int written = history_write(history, &left);
        if (written < 0) return -written;
    }
    if (last <= history_seq(history)) return 0;
    history->bars.row_count = 0;
    int error = store_write(&history->store, &history->pending, 0, &history->bars, last);
    if (error != 0) return -loss_note_write(history, error);
    __atomic_store_n(&history->seq, last, __ATOMIC_RELEASE);
    return 0;
}

const char *history_thrown_away(const struct history *history) { return history->thrown_away; }

void history_on_damage(struct history *history, void (*on_damage)(void)) { history->on_damage = on_damage; }

int history_mark_closed(const struct history *history)
{
    struct data_file data;

    if (__atomic_load_n(&history->damaged, __ATOMIC_ACQUIRE)) return 0; /* stays marked */
    return data_read(history, &data) ? state_write(history, STATE_CLOSED, data) : ENOENT;
}

void history_touch(struct history *history, uint32_t spot_count, uint32_t perps_count)
{
    pending_touch(&history->pending);
    bars_touch(&history->bars, spot_count, perps_count);
}

void history_close(struct history *history)
{
    int error = write_all(history), loss = loss_note(history, error == 0 ? store_sync(&history->store) : 0);

    if (error == 0) error = loss;
    if (error == 0 && history->kept_seq != 0) (void)!history_keep(history); /* failed: the moment before is as good */
    keep_end(history);
    store_close(&history->store);
    if (error == 0) error = history_mark_closed(history); /* failed: the store stays marked as open, which is safe */
    bars_deinit(&history->bars);
    pending_deinit(&history->pending);
    disk_close(&history->folder);
    free(history);
}

uint64_t history_seq(const struct history *history) { return __atomic_load_n(&history->seq, __ATOMIC_ACQUIRE); }

uint64_t history_knows(const struct history *history)
{
    uint64_t knows = history_seq(history);

    for (uint32_t slot = 0; slot < BAR_SYMBOLS; slot++) knows = max_u64(knows, history->bars.heads[slot].skip_seq);
    return knows;
}

/* ---- remembering ---- */

static void remember_order(struct pending *pending, const struct order_changed *order)
{
    if (status_is_open(order->status)) return;
    struct row *row = pending_add(pending, ROW_ORDER);
    row->order = *order;
    pending_link(pending, row);
}

static void remember_fill(struct pending *pending, const struct filled *fill, uint64_t seq)
{
    struct row *row = pending_add(pending, ROW_FILL);
    row->fill = *fill;
    pending_link_effect(pending, row, seq);
    pending_link(pending, row);
}

static void remember_perps_order(struct pending *pending, const struct perps_order_changed *order)
{
    if (status_is_open(order->base.status)) return;
    struct row *row = pending_add(pending, ROW_PERPS_ORDER);
    row->perps_order = *order;
    pending_link(pending, row);
}

/* The last word on a position has size 0. */
static void remember_position(struct pending *pending, const struct position_changed *position)
{
    if (position->size != 0) return;
    struct row *row = pending_add(pending, ROW_POSITION);
    row->position = *position;
    pending_link(pending, row);
}

static void remember_funding(struct pending *pending, const struct funded *funding)
{
    struct row *row = pending_add(pending, ROW_FUNDING);
    row->funding = *funding;
    pending_link(pending, row);
}

static void remember_transfer(struct pending *pending, const struct transferred *transfer, uint64_t seq)
{
    struct row *row = pending_add(pending, ROW_TRANSFER);
    row->transfer = *transfer;
    pending_link_effect(pending, row, seq);
    pending_link(pending, row);
}

static void begin_command(struct pending *pending, uint64_t seq, bool first)
{
    assert(seq > pending->batch_last);
    if (first) pending->batch_first = seq;
    pending->batch_last = seq;
    pending->batch_closed = false;
}

void history_apply(struct history *history, const struct events *events)
{
    struct pending *pending = &history->pending;
    uint64_t        seq = 0;

    pthread_mutex_lock(&pending->lock);
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        const void *record = event;
        if (event->kind == EVENT_COMMAND_BEGAN) {
            bool first = seq == 0;
            seq = ((const struct command_began *)record)->seq;
            begin_command(pending, seq, first);
        }
        if (history->piece.bytes != 0 && event->kind != EVENT_ADL_RANKED) receipts_end(history);
        if (seq <= history->skip_seq) continue;
        switch (event->kind) {
        case EVENT_ORDER: remember_order(pending, record); break;
        case EVENT_FILL: remember_fill(pending, record, seq); break;
        case EVENT_TRADE: bars_trade(&history->bars, record, seq); break;
        case EVENT_PERPS_ORDER: remember_perps_order(pending, record); break;
        case EVENT_POSITION: remember_position(pending, record); break;
        case EVENT_FUNDING: remember_funding(pending, record); break;
        case EVENT_TRANSFER: remember_transfer(pending, record, seq); break;
        case EVENT_INDEX_COMPOSED: receipts_composed(history, record); break;
        case EVENT_LIQUIDATION: receipts_liquidated(history, record, seq); break;
        case EVENT_ADL_RANKED: receipts_ranked(history, record); break;
        default: break;
        }
    }
    bars_end(&history->bars);
    pending_show(pending);
    pthread_mutex_unlock(&pending->lock);
}

static void remember_block(struct pending *pending, const struct history_block *block)
{
    struct row *row = pending_add(pending, ROW_BLOCK);
    row->block = *block;
    row->seq = block->first_seq;
    pending_link_hash(pending, row);
    pending_link(pending, row);
}

static void remember_transaction(struct pending *pending, uint64_t number, uint32_t index, const struct history_tx *tx)
{
    struct row *row = pending_add(pending, ROW_TX);
    row->tx = (struct row_tx){ tx->seq, { tx->hash, number, index, tx->status } };
    row->seq = tx->seq;
    pending_take_effects(pending, row);
    pending_link_hash(pending, row);
    pending_link(pending, row);
}

void history_block(struct history *history, const struct history_block *block, const struct history_tx *txs)
{
    struct pending *pending = &history->pending;

    assert(block->count == 0 || (block->first_seq == txs[0].seq && block->last_seq == txs[block->count - 1].seq));
    assert(block->last_seq <= pending->batch_last);
    pthread_mutex_lock(&pending->lock);
    receipts_end(history);
    if (block->count != 0 && block->last_seq > history->skip_seq) {
        remember_block(pending, block);
        for (uint32_t i = 0; i < block->count; i++) remember_transaction(pending, block->number, i, &txs[i]);
    }
    pending->batch_closed = true;
    pending_show(pending);
    pending_remove_stored(pending, REMOVE_ROWS);
    __atomic_store_n(&history->newest_receipt, history->heard_receipt, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&pending->lock);
}

bool history_is_full(const struct history *history)
{
    return pending_waiting(&history->pending) >= PENDING_FULL
        || __atomic_load_n(&history->bars.waiting, __ATOMIC_RELAXED) >= BARS_FULL;
}

bool history_is_short(const struct history *history) { return pending_is_short(&history->pending); }

uint32_t history_waiting(const struct history *history) { return pending_waiting(&history->pending); }

/* ---- writing ---- */

/* The oldest rows, as they are taken to the disk. */
struct part {
    uint32_t count;
    uint64_t seq;
};

/*
 * Up to STORE_ROWS of them, and the seq that is reached with them: that of the last batch of which no row is
 * missing.
 */
static struct part oldest_part(struct history *history)
{
    const struct pending *pending = &history->pending;
    struct pending_part   there = pending_look(pending);
    struct part           part = { .count = min_u32(there.count, STORE_ROWS) };

    if (part.count == 0) return part;
    pending_list(pending, history->store.slots, part.count);
    uint64_t first = pending->rows[history->store.slots[part.count - 1]].batch_first;
    part.seq = first == 0 ? 0 : first - 1;
    if (part.count == there.count) part.seq = max_u64(part.seq, there.closed);
    part.seq = max_u64(history->seq, part.seq);
    return part;
}

/*
 * Bars are taken after the last seq of the rows is known, so they contain all trades up to it, and perhaps later ones:
 * their own seq tells which.
 */
int history_write(struct history *history, uint32_t *left)
{
    struct pending *pending = &history->pending;
    struct bars    *bars = &history->bars;
    struct part     part = oldest_part(history);
    uint32_t        count = part.count;
    uint64_t        seq = count != 0 ? part.seq : history->seq;

    *left = count;
    if (bars_take(bars) != 0) return -ENOMEM;
    *left = 0;
    if (count == 0 && bars->row_count == 0) return 0;
    int error = store_write(&history->store, pending, count, bars, seq);
    bars_taken(bars, error == 0);
    *left = pending_waiting(pending);
    if (error != 0) return loss_note_write(history, error);
    __atomic_store_n(&history->seq, seq, __ATOMIC_RELEASE);
    pending_stored(pending, count);
    *left = pending_waiting(pending);
    return (int)(count + bars->row_count);
}

/* The bars are taken behind the look at the rows, as in history_write: they hold every trade up to `seq`. */
int history_reach(struct history *history)
{
    struct pending *pending = &history->pending;
    struct bars    *bars = &history->bars;

    struct pending_part part = pending_look(pending);
    uint64_t            seq = part.count == 0 ? part.closed : 0;

    if (seq <= history->seq) return 0;
    if (bars_take(bars) != 0) return ENOMEM;
    int error = store_write(&history->store, pending, 0, bars, seq);
    bars_taken(bars, error == 0);
    if (error != 0) return -loss_note_write(history, error);
    __atomic_store_n(&history->seq, seq, __ATOMIC_RELEASE);
    return 0;
}
