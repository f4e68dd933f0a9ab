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
    pthread_mutex_init(&journal->name_lock, NULL);
    pthread_mutex_init(&journal->make_lock, NULL);
    return journal;
}

/* ---- files ahead ---- */

static bool is_full(int error) { return error == ENOSPC || error == EDQUOT; }

/*
 * Whether a file made ahead is there, whole: 0, ENOENT or another errno. A shorter one than the setting holds nothing
 * (recovery has checked it) and might not hold a batch: it is removed.
 */
static int look_ahead(struct journal *journal, const char *name)
{
    struct disk *disk = &journal->disk;
    uint64_t     bytes;
    int          error = disk->size(disk->self, name, &bytes);

    if (error != 0 || bytes >= journal->options.file_bytes) return error;
    error = disk->remove(disk->self, name);
    return error == 0 ? ENOENT : error;
}

/*
 * Whether a whole spare is there that holds nothing: 0, ENOENT or another errno. Where a crash came between the two
 * halves of its renaming, the name may still stand for a segment that has batches since: then the name is removed.
 */
static int look_for_spare(struct journal *journal)
{
    struct disk *disk = &journal->disk;
    uint8_t      headers[JOURNAL_HEADERS_BYTES] = { 0 };
    int          handle, error = look_ahead(journal, JOURNAL_SPARE_NAME);

    if (error == 0) error = disk->open(disk->self, JOURNAL_SPARE_NAME, false, &handle);
    if (error != 0) return error;
    error = journal_read(journal, handle, 0, headers, sizeof(headers));
    disk->close(disk->self, handle);
    if (error != 0 || bytes_nonzero_end(headers, sizeof(headers)) == 0) return error;
    error = disk->remove(disk->self, JOURNAL_SPARE_NAME);
    return error == 0 ? ENOENT : error;
}

/* The next segment gets its file: the one that was made ahead, else one that is allocated now (*reserved). */
static int name_segment(struct journal *journal, const char *name, bool *reserved)
{
    struct disk *disk = &journal->disk;
    int          error;

    pthread_mutex_lock(&journal->name_lock);
    error = look_ahead(journal, name);
    *reserved = error == ENOENT;
    if (*reserved) error = disk->reserve(disk->self, name, journal->options.file_bytes);
    pthread_mutex_unlock(&journal->name_lock);
    return error;
}

/* On a full disk: journal_prepare may be about to succeed, and the ballast is there for this. */
static int name_segment_in_need(struct journal *journal, const char *name, bool *reserved)
{
    struct disk *disk = &journal->disk;
    int          error;

    pthread_mutex_lock(&journal->make_lock);
    __atomic_store_n(&journal->is_short, true, __ATOMIC_RELAXED);
    error = name_segment(journal, name, reserved);
    if (is_full(error) && disk->remove(disk->self, JOURNAL_BALLAST_NAME) == 0)
        error = name_segment(journal, name, reserved);
    pthread_mutex_unlock(&journal->make_lock);
    return error;
}

static int open_segment(struct journal *journal, uint64_t number, struct segment *next)
{
    struct disk *disk = &journal->disk;
    char         name[SEGMENT_NAME_MAX];
    bool         reserved;
    int          error;

    segment_name(number, name);
    error = name_segment(journal, name, &reserved);
    if (is_full(error)) error = name_segment_in_need(journal, name, &reserved);
    if (error == 0) error = disk->size(disk->self, name, &next->header.bytes);
    if (error == 0) error = disk->open(disk->self, name, true, &next->handle);
    next->zeroed = reserved ? 0 : next->header.bytes;
    return error;
}

int journal_rotate(struct journal *journal, uint64_t cut_offset, uint64_t cut_bytes)
{
    struct disk   *disk = &journal->disk;
    struct segment next = { 0 };
    uint64_t       number = journal->segment.header.number + 1;
    int            error;

    assert(journal->segment.handle >= 0 && (cut_offset != 0 || cut_bytes == 0));
    error = open_segment(journal, number, &next);
    if (error != 0) return error;
    next.header = (struct segment_header){ .instance = journal->instance,
                                           .number = number,
                                           .bytes = next.header.bytes,
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
    next.offset = segment_first(&next.header);
    journal->segment = next;
    journal->segments += 1;
    journal_want_ahead(journal);
    return 0;
}

void journal_want_ahead(struct journal *journal)
{
    __atomic_store_n(&journal->wanted, journal->segment.header.number + 1, __ATOMIC_RELAXED);
}

bool journal_wants_spare(const struct journal *journal)
{
    return journal->options.spare && __atomic_load_n(&journal->wanted, __ATOMIC_RELAXED) != 0;
}

/*
 * The keeper makes the segment under a name of its own. The log's thread does not wait for one that is half made: it
 * allocates another, and the keeper's file becomes the segment behind that.
 */
static int make_segment(struct journal *journal, uint64_t number)
{
    struct disk *disk = &journal->disk;
    char         name[SEGMENT_NAME_MAX];
    uint64_t     there;
    int          error;

    segment_name(number, name);
    error = disk->size(disk->self, name, &there);
    if (error != ENOENT) return error;
    error = look_for_spare(journal);
    if (error == ENOENT) error = disk->create(disk->self, JOURNAL_SPARE_NAME, journal->options.file_bytes);
    if (error != 0) return error;
    pthread_mutex_lock(&journal->name_lock);
    error = disk->size(disk->self, name, &there);
    if (error == ENOENT) error = disk->rename(disk->self, JOURNAL_SPARE_NAME, name);
    pthread_mutex_unlock(&journal->name_lock);
    return error;
}

static int make_ballast(struct journal *journal)
{
    struct disk *disk = &journal->disk;
    uint64_t     there;
    int          error = disk->size(disk->self, JOURNAL_BALLAST_NAME, &there);

    return error == ENOENT ? disk->create(disk->self, JOURNAL_BALLAST_NAME, JOURNAL_BALLAST_BYTES) : error;
}

int journal_prepare(struct journal *journal)
{
    uint64_t wanted;
    int      error = 0;

    assert(journal->ended && !journal->options.read_only);
    pthread_mutex_lock(&journal->make_lock);
    wanted = __atomic_load_n(&journal->wanted, __ATOMIC_RELAXED);
    if (wanted != 0) error = make_segment(journal, wanted);
    if (error == 0) error = make_ballast(journal);
    /* Not when the log went on to the next segment meanwhile: that wants another one. */
    if (error == 0)
        (void)__atomic_compare_exchange_n(&journal->wanted, &wanted, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (error == 0 || is_full(error)) __atomic_store_n(&journal->is_short, error != 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&journal->make_lock);
    return error;
}

bool journal_is_short(const struct journal *journal) { return __atomic_load_n(&journal->is_short, __ATOMIC_RELAXED); }

/* ---- the next batch ---- */

/*
 * In a file that was not made ahead: zeros a little ahead, so that most syncs find their blocks written before. No more
 * than there is already: what begins small, as a log does, need not wait for them.
 */
static int zero_ahead(struct journal *journal, uint64_t end)
{
    struct segment *segment = &journal->segment;
    uint64_t        len = min_u64(min_u64(SCRATCH_BYTES, end), segment->header.bytes - end);

    assert(end % JOURNAL_BLOCK == 0 && end <= segment->header.bytes);
    if (end < segment->zeroed || len == 0) return 0;
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
    pthread_mutex_destroy(&journal->make_lock);
    pthread_mutex_destroy(&journal->name_lock);
}
