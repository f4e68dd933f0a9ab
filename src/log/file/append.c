/* SPDX-License-Identifier: MIT */
/* append.c — the next batch of a log, and the files that are made ahead of it. */
#include "log/file/state.h"

#include <errno.h>

size_t journal_size(void) { return sizeof(struct journal); }

struct journal *journal_init(void *memory, const struct disk *disk, const struct log_settings *options)
{
    struct journal *journal = memory;

    assert((uintptr_t)memory % alignof(struct journal) == 0);
    assert(options->file_bytes >= JOURNAL_SEGMENT_MIN && options->file_bytes % JOURNAL_BLOCK == 0);
    memset(journal, 0, offsetof(struct journal, scratch));
    journal->disk = *disk;
    journal->options = *options;
    if (options->engine == 0) journal->options.engine = LOG_ENGINE_VERSION;
    assert(journal->options.engine == LOG_ENGINE_VERSION || options->read_only);
    journal->expected = (struct batch_expected){ .next_seq = 1, .time_ms = INT64_MIN };
    journal->segment.handle = -1;
    pthread_mutex_init(&journal->ahead_lock, NULL);
    return journal;
}

/* ---- files ahead ---- */

static bool is_full(int error) { return error == ENOSPC || error == EDQUOT; }

/*
 * The file, made when it is absent; on a full disk in place of the ballast, which is there for this. A spare shorter
 * than the setting holds nothing (recovery has checked it) and might not hold a batch: it is made anew.
 */
static int create_segment(struct journal *journal, const char *name)
{
    struct disk *disk = &journal->disk;
    uint64_t     bytes;
    int          error = disk->size(disk->self, name, &bytes);

    if (error == 0 && bytes < journal->options.file_bytes) {
        error = disk->remove(disk->self, name);
        if (error == 0) error = ENOENT;
    }
    if (error != ENOENT) return error;
    error = disk->create(disk->self, name, journal->options.file_bytes);
    if (!is_full(error)) return error;
    __atomic_store_n(&journal->is_short, true, __ATOMIC_RELAXED);
    if (disk->remove(disk->self, JOURNAL_BALLAST_NAME) != 0) return error;
    return disk->create(disk->self, name, journal->options.file_bytes);
}

static int rotate_locked(struct journal *journal, uint64_t cut_offset, uint64_t cut_bytes)
{
    struct disk   *disk = &journal->disk;
    struct segment next = { 0 };
    uint64_t       number = journal->segment.header.number + 1, bytes;
    char           name[SEGMENT_NAME_MAX];
    int            error;

    assert(journal->segment.handle >= 0 && (cut_offset != 0 || cut_bytes == 0));
    segment_name(number, name);
    error = create_segment(journal, name);
    if (error == 0) error = disk->size(disk->self, name, &bytes);
    if (error == 0) error = disk->open(disk->self, name, true, &next.handle);
    if (error != 0) return error;

    next.header = (struct segment_header){ .instance = journal->instance,
                                           .number = number,
                                           .bytes = bytes,
                                           .first_seq = journal->expected.next_seq,
                                           .chain = journal->expected.chain,
                                           .cut_offset = cut_offset,
                                           .cut_segment = cut_offset != 0 ? number - 1 : 0,
                                           .cut_bytes = cut_bytes };
    segment_header_seal(&next.header);
    error = segment_header_write(journal, next.handle, &next.header);
    if (error != 0) {
        disk->close(disk->self, next.handle);
        return error;
    }
    disk->close(disk->self, journal->segment.handle);
    next.offset = next.zeroed = segment_first(&next.header);
    journal->segment = next;
    journal->segments += 1;
    __atomic_store_n(&journal->spare_missing, true, __ATOMIC_RELAXED);
    return 0;
}

int journal_rotate(struct journal *journal, uint64_t cut_offset, uint64_t cut_bytes)
{
    pthread_mutex_lock(&journal->ahead_lock);
    int error = rotate_locked(journal, cut_offset, cut_bytes);
    pthread_mutex_unlock(&journal->ahead_lock);
    return error;
}

bool journal_wants_spare(const struct journal *journal)
{
    return journal->options.spare && __atomic_load_n(&journal->spare_missing, __ATOMIC_RELAXED);
}

static int create_if_absent(struct journal *journal, const char *name, uint64_t bytes)
{
    uint64_t there;
    int      error = journal->disk.size(journal->disk.self, name, &there);
    return error == ENOENT ? journal->disk.create(journal->disk.self, name, bytes) : error;
}

int journal_prepare(struct journal *journal)
{
    char name[SEGMENT_NAME_MAX];

    assert(journal->ended && !journal->options.read_only);
    pthread_mutex_lock(&journal->ahead_lock);
    segment_name(journal->segment.header.number + 1, name);
    int error = create_if_absent(journal, name, journal->options.file_bytes);
    if (error == 0) error = create_if_absent(journal, JOURNAL_BALLAST_NAME, JOURNAL_BALLAST_BYTES);
    __atomic_store_n(&journal->spare_missing, error != 0, __ATOMIC_RELAXED);
    if (error == 0 || is_full(error)) __atomic_store_n(&journal->is_short, error != 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&journal->ahead_lock);
    return error;
}

bool journal_is_short(const struct journal *journal) { return __atomic_load_n(&journal->is_short, __ATOMIC_RELAXED); }

/* ---- the next batch ---- */

/*
 * Without pre-zeroed files: zeros a little ahead, so that most syncs find their blocks allocated. No more than there is
 * already: what begins small, as a log does, need not wait for them.
 */
static int zero_ahead(struct journal *journal, uint64_t end)
{
    struct segment *segment = &journal->segment;
    uint64_t        len = min_u64(min_u64(SCRATCH_BYTES, end), segment->header.bytes - end);

    assert(end % JOURNAL_BLOCK == 0 && end <= segment->header.bytes);
    if (journal->options.spare || end < segment->zeroed || len == 0) return 0;
    memset(journal->scratch, 0, (size_t)len);
    segment->zeroed = end + len;
    return journal->disk.write(journal->disk.self, segment->handle, end, journal->scratch, (size_t)len);
}

static int write_batch(struct journal *journal, struct log_batch *batch, const struct log_applied *applied)
{
    struct segment *segment = &journal->segment;
    struct disk    *disk = &journal->disk;
    size_t          padded = batch_padded(batch);
    struct hash256  chain;
    int             error = 0;

    assert(segment->handle >= 0 && segment->offset <= segment->header.bytes);
    if (padded > segment->header.bytes - segment->offset) error = journal_rotate(journal, 0, 0);
    if (error != 0) return error;
    if (padded > segment->header.bytes - segment->offset) return EFBIG;

    struct batch_position position = { &journal->instance, segment->header.number, segment->offset };
    batch_seal(batch, &position, &journal->expected, applied, &chain);
    batch->position = log_position_make(position.segment, position.offset);
    error = disk->write(disk->self, segment->handle, segment->offset, batch->at, padded);
    return error != 0 ? error : zero_ahead(journal, segment->offset + padded);
}

void journal_submit(struct journal *journal, struct log_batch *batch, const struct log_applied *applied)
{
    assert(journal->ended && !journal->options.read_only && journal->submitted == NULL);
    journal->submitted = batch;
    if (journal->error != 0) return;
    assert(batch->first_seq == journal->expected.next_seq && batch->time_ms >= journal->expected.time_ms);
    journal->error = write_batch(journal, batch, applied);
}

int journal_wait(struct journal *journal)
{
    struct segment         *segment = &journal->segment;
    const struct log_batch *batch = journal->submitted;

    assert(journal->ended && batch != NULL);
    journal->submitted = NULL;
    if (journal->error == 0) journal->error = journal->disk.sync(journal->disk.self, segment->handle);
    if (journal->error != 0) return journal->error;

    segment->last_offset = segment->offset;
    segment->last_bytes = batch_padded(batch);
    segment->offset += segment->last_bytes;
    journal->expected = expected_behind(batch);
    return 0;
}

struct hash256 journal_chain(const struct journal *journal) { return journal->expected.chain; }
uint64_t       journal_next_seq(const struct journal *journal) { return journal->expected.next_seq; }

void journal_close(struct journal *journal)
{
    if (journal->segment.handle >= 0) journal->disk.close(journal->disk.self, journal->segment.handle);
    pthread_mutex_destroy(&journal->ahead_lock);
}
