/* SPDX-License-Identifier: MIT */
/* file.c — the journal, and the archive below it, as a log. */
#include "log/file/file.h"

#include "log/file/archive/archive.h"
#include "log/file/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_BYTES (1024 * 1024)

struct file_log {
    struct log      log;
    struct disk     folder; /* as it is */
    struct disk     disk;   /* with archived files under their own names */
    struct archive *archive;
    uint64_t        packed; /* segments up to this number are archived */
    struct journal  journal;
};
static_assert(offsetof(struct file_log, log) == 0, "a struct log is the beginning of one");

static struct file_log *of(struct log *log) { return (struct file_log *)(void *)log; }

static const struct journal *journal_of(const struct log *log)
{
    return &((const struct file_log *)(const void *)log)->journal;
}

/* ---- beginning and end ---- */

static size_t file_log_bytes(void) { return sizeof(struct file_log); }

static enum log_fault begin(void *memory, const struct disk *folder, struct log_report *report)
{
    struct file_log *file = memory;

    assert((uintptr_t)memory % alignof(struct file_log) == 0);
    memset(file, 0, offsetof(struct file_log, journal));
    file->log.kind = &log_file;
    file->folder = *folder;
    file->archive = archive_open(&file->folder, &file->disk);
    if (file->archive != NULL) return LOG_OK;
    *report =
        (struct log_report){ .fault = LOG_IO, .error = ENOMEM, .text = "there is not enough memory to read archives" };
    return LOG_IO;
}

static enum log_fault file_create(void *memory, const struct disk *folder, const struct log_settings *settings,
                                  struct slice genesis, struct log_report *report)
{
    struct file_log *file = memory;
    struct journal  *journal;
    enum log_fault   fault = begin(memory, folder, report);

    if (fault != LOG_OK) return fault;
    fault = journal_create(&file->journal, &file->disk, settings, genesis, &journal, report);
    if (fault == LOG_OK) journal_close(journal);
    archive_close(file->archive);
    return fault;
}

static enum log_fault file_open(void *memory, const struct disk *folder, const struct log_settings *settings,
                                struct log **log, struct slice *genesis, struct log_report *report)
{
    struct file_log *file = memory;
    struct journal  *journal;
    enum log_fault   fault = begin(memory, folder, report);

    if (fault != LOG_OK) return fault;
    fault = journal_open(&file->journal, &file->disk, settings, &journal, genesis, report);
    if (fault == LOG_OK) *log = &file->log;
    else archive_close(file->archive);
    return fault;
}

static void file_close(struct log *log)
{
    journal_close(&of(log)->journal);
    archive_close(of(log)->archive);
}

/* ---- reading ---- */

static void file_knows(struct log *log, uint64_t seq, const char *holder)
{
    journal_knows(&of(log)->journal, seq, holder);
}

static enum log_fault file_next(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *end,
                                struct log_report *report)
{
    return journal_next(&of(log)->journal, batch, applied, end, report);
}

static enum log_fault file_resume(struct log *log, const struct log_mark *mark, struct log_batch *batch,
                                  struct log_report *report)
{
    return journal_resume(&of(log)->journal, mark, batch, report);
}

static enum log_fault file_follow(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *there,
                                  bool *partial, struct log_report *report)
{
    return journal_follow(&of(log)->journal, batch, applied, there, partial, report);
}

static int file_read(const struct log *log, const struct log_position *position, void *room, size_t cap,
                     struct log_batch *batch)
{
    const struct journal *journal = journal_of(log);

    return journal_read_batch(&journal->disk, &journal->instance, log_position_first(position),
                              log_position_second(position), room, cap, batch);
}

/* ---- appending ---- */

static void file_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied)
{
    journal_submit(&of(log)->journal, batch, applied);
}

static int file_wait(struct log *log) { return journal_wait(&of(log)->journal); }

static struct hash256 file_chain(const struct log *log) { return journal_chain(journal_of(log)); }

static uint64_t file_next_seq(const struct log *log) { return journal_next_seq(journal_of(log)); }

static bool file_wants_spare(const struct log *log) { return journal_wants_spare(journal_of(log)); }

static int file_prepare(struct log *log) { return journal_prepare(&of(log)->journal); }

static bool file_is_short(const struct log *log) { return journal_is_short(journal_of(log)); }

static struct log_figures file_figures(const struct log *log)
{
    const struct segment *segment = &journal_of(log)->segment;

    return (struct log_figures){ segment->header.number, segment->offset, segment->header.bytes };
}

/* ---- archives ---- */

/* The ballast, the spare segment and the one behind it. */
static uint64_t file_reserve(const struct log *log)
{
    return JOURNAL_BALLAST_BYTES + 2 * journal_of(log)->segment.header.bytes;
}

static int file_pack(struct log *log, const struct log_position *needed, struct log_packed *packed)
{
    struct file_log *file = of(log);
    uint64_t         first_needed = file->journal.segment.header.number;
    int              error = ENOENT;

    if (needed != NULL) first_needed = min_u64(first_needed, log_position_first(needed));
    while (error == ENOENT && file->packed + 1 < first_needed) { /* ENOENT: it was archived before */
        char name[SEGMENT_NAME_MAX];

        segment_name(file->packed + 1, name);
        error = archive_pack(&file->folder, name, &packed->bytes);
        if (error == 0 || error == ENOENT) file->packed += 1;
        if (error != ENOENT) (void)snprintf(packed->name, sizeof(packed->name), "%s", name);
    }
    return error == ENOENT ? 0 : error;
}

static int read_all(const struct disk *disk, const char *name, void *room)
{
    uint64_t bytes;
    int      handle, error = disk->size(disk->self, name, &bytes);

    if (error == 0) error = disk->open(disk->self, name, false, &handle);
    if (error != 0) return error;
    for (uint64_t at = 0; at < bytes && error == 0; at += CHECK_BYTES)
        error = disk->read(disk->self, handle, at, room, (size_t)min_u64(CHECK_BYTES, bytes - at));
    disk->close(disk->self, handle);
    return error;
}

/* Recovery reads no zeros behind the last batch of a segment. */
static int file_check(const struct log *log, uint32_t *packed, char name[LOG_PART_NAME])
{
    const struct file_log *file = (const struct file_log *)(const void *)log;
    void                  *room = malloc(CHECK_BYTES);
    int                    error = room == NULL ? ENOMEM : 0;

    *packed = 0;
    name[0] = '\0';
    for (uint64_t number = 1; number <= file->journal.segments && error == 0; number++) {
        char     segment[SEGMENT_NAME_MAX];
        uint64_t bytes;

        segment_name(number, segment);
        if (file->folder.size(file->folder.self, segment, &bytes) == 0) continue;
        (void)snprintf(name, LOG_PART_NAME, "%s.zst", segment);
        error = read_all(&file->disk, segment, room);
        *packed += error == 0;
    }
    free(room);
    return error;
}

const struct log_kind log_file = {
    .name = "file",
    .bytes = file_log_bytes,
    .create = file_create,
    .open = file_open,
    .close = file_close,
    .knows = file_knows,
    .next = file_next,
    .resume = file_resume,
    .follow = file_follow,
    .read = file_read,
    .submit = file_submit,
    .wait = file_wait,
    .under_way = 1,
    .chain = file_chain,
    .next_seq = file_next_seq,
    .wants_spare = file_wants_spare,
    .prepare = file_prepare,
    .is_short = file_is_short,
    .figures = file_figures,
    .reserve = file_reserve,
    .pack = file_pack,
    .check = file_check,
};
