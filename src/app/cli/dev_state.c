/* SPDX-License-Identifier: MIT */
#include "app/cli/dev_state.h"

#include "diagnostics/program_log.h"
#include "io/files.h"
#include "pipeline/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_BYTES   ((size_t)1 << 20)
#define STATE_BYTES   ((size_t)2 << 30) /* of a file */
#define BATCH_BYTES   ((size_t)4 * 1024 * 1024)
#define SEGMENT_BYTES (8u << 20)

/* ---- the place of the file ---- */

typedef int do_there(const struct disk *disk, const char *name, struct slice bytes);

/* Calls `act` with the folder of `file` and the name in it. 0 or errno. */
static int in_folder_of(const char *file, do_there *act, struct slice bytes)
{
    struct disk_folder folder;
    struct disk        disk;
    const char        *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
    char               path[4096] = ".";
    int                error;

    if (*name == '\0') return EISDIR;
    if (slash != NULL && (size_t)(slash - file) >= sizeof(path)) return ENAMETOOLONG;
    if (slash != NULL) (void)snprintf(path, sizeof(path), "%.*s", slash == file ? 1 : (int)(slash - file), file);
    error = disk_open(&folder, path, DISK_BESIDE, true, &disk);
    if (error != 0) return error;
    error = act(&disk, name, bytes);
    disk_close(&folder);
    return error;
}

static int replace_there(const struct disk *disk, const char *name, struct slice bytes)
{
    return disk->replace(disk->self, name, bytes.at, bytes.len);
}

/* Permissions alone do not tell: a file system may be read-only, or full. */
static int try_there(const struct disk *disk, const char *name, struct slice bytes)
{
    char beside[256];
    int  error;

    if (snprintf(beside, sizeof(beside), "%s.try", name) >= (int)sizeof(beside)) return ENAMETOOLONG;
    error = disk->replace(disk->self, beside, bytes.at, bytes.len);
    return error != 0 ? error : disk->remove(disk->self, beside);
}

int dev_state_check(const char *file)
{
    int error = in_folder_of(file, try_there, slice_of("dojima"));

    if (error == 0) return EXIT_FINE;
    return complain(EXIT_DISK, "dev: --state %s: the state cannot be written there at the end: %s", file,
                    strerror(error));
}

/* ---- at the start ---- */

/* The whole file, from malloc. */
static int read_file(const char *file, struct slice *bytes)
{
    size_t len = 0;

    for (size_t cap = FIRST_BYTES; cap <= STATE_BYTES; cap *= 2) {
        char *at = malloc(cap);
        int   error = at == NULL ? ENOMEM : files_read(file, at, cap, &len);

        *bytes = slice_make(at, len);
        if (error == 0 && len < cap) return 0;
        free(at);
        if (error != 0) return error;
    }
    return EFBIG;
}

/* The batches go behind the genesis; the blocks before them are those that the state names. */
static int append_all(struct replay *replay, struct dump_reader *reader)
{
    struct log_applied claim;
    bool               end;
    enum log_fault     fault = log_next(replay->log, &replay->batch, &claim, &end, &replay->report);
    int                error = 0;

    if (fault != LOG_OK) return replay_failed(replay, fault);
    if (!end)
        return complain(EXIT_GENERAL, "dev: %s has a log already: --state needs a folder without one", replay->path);
    while (error == 0 && dump_next(reader, &replay->batch, &claim))
        error = log_append(replay->log, &replay->batch, &claim);
    return error == 0 ? EXIT_FINE : complain(EXIT_DISK, "dev: %s: %s", replay->path, strerror(error));
}

static int begin_log(const char *folder, uint64_t file_bytes, struct dump_reader *reader)
{
    struct replay  replay = { .path = folder,
                              .lock = -1,
                              .settings = { .kind = LOG_KIND_FILE, .file_bytes = file_bytes } };
    enum log_fault fault = LOG_OK;
    int            error = disk_open(&replay.folder, folder, DISK_WRITE, true, &replay.disk), code;

    if (error != 0) return complain(EXIT_GENERAL, "the folder %s cannot be used: %s", folder, strerror(error));
    replay.log_memory = files_take_memory(log_bytes());
    replay.batch = (struct log_batch){ .at = files_take_memory(BATCH_BYTES), .cap = BATCH_BYTES };
    assert(replay.log_memory != NULL && replay.batch.at != NULL);
    fault = log_create(replay.log_memory, &replay.disk, &replay.settings, reader->genesis, &replay.report);
    if (fault == LOG_OK || replay.report.error == EEXIST)
        fault = log_open(replay.log_memory, &replay.disk, &replay.settings, &replay.log, &replay.genesis_json,
                         &replay.report);
    code = fault == LOG_OK ? append_all(&replay, reader) : replay_failed(&replay, fault);
    replay_close(&replay);
    return code;
}

int dev_state_load(const char *file, const char *folder, uint64_t file_bytes)
{
    struct dump_reader reader;
    struct slice       bytes;
    int                code, error = read_file(file, &bytes);

    if (error == ENOENT) return EXIT_FINE;
    if (error != 0) return complain(EXIT_GENERAL, "dev: %s cannot be read: %s", file, strerror(error));
    if (dump_open(&reader, bytes)) code = begin_log(folder, file_bytes, &reader);
    else code = complain(EXIT_DAMAGE, "dev: %s: %s", file, reader.wrong);
    dump_close(&reader);
    free((void *)(uintptr_t)bytes.at);
    return code;
}

/* ---- at the end ---- */

int dev_state_save(const char *file, const char *folder)
{
    const struct log_settings settings = { .kind = LOG_KIND_FILE, .file_bytes = SEGMENT_BYTES, .read_only = true };
    struct replay             replay;
    struct slice              bytes = { NULL, 0 };
    bool                      too_large = false;
    int                       error = 0, code = replay_open(&replay, folder, DISK_READ, &settings, NULL);

    if (code == EXIT_FINE) code = replay_find_branches(&replay);
    if (code == EXIT_FINE) code = replay_dump(&replay, STATE_BYTES - 1, &bytes, &too_large);
    replay_close(&replay);
    if (code == EXIT_FINE) error = in_folder_of(file, replace_there, bytes);
    free((void *)(uintptr_t)bytes.at);
    if (too_large) return complain(EXIT_GENERAL, "dev: the state is too large for %s", file);
    return error == 0 ? code : complain(EXIT_DISK, "dev: %s cannot be written: %s", file, strerror(error));
}
