/* SPDX-License-Identifier: MIT */
#include "app/giver.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/files.h"
#include "log/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define IDLE_NS    INT64_C(120000000000) /* without a read: the new node is gone */
#define ENDED_NS   INT64_C(10000000000)  /* behind its end: another one may still read */
#define FAILED_NS  INT64_C(2000000000)   /* so long a reason is repeated before it is tried again */
#define REST_NS    INT64_C(1000000000)
#define NEWEST_MS  12000  /* how long the history may take to come up to the newest snapshot */
#define HISTORY_MS 300000 /* and to any */
#define LOOK_MS    50
#define TRIES      3 /* to open the snapshot that was looked at, which may get a successor meanwhile */

enum { FILE_SNAPSHOT = 0, FILE_HISTORY, FILE_GENESIS };
static const char *const names[GIVER_FILES] = { "snapshot", "history", "genesis" };

static bool fail(struct giver *giver, const char *what, int error)
{
    (void)snprintf(giver->why, sizeof(giver->why), "%s%s%s", what, error != 0 ? ": " : "",
                   error != 0 ? strerror(error) : "");
    return false;
}

static void close_files(struct giver *giver)
{
    for (uint32_t i = 0; i < GIVER_FILES; i++) {
        files_close(giver->files[i].handle);
        giver->files[i] = (struct giver_file){ .name = names[i], .handle = -1 };
    }
}

/* ---- preparing: the thread alone ---- */

static bool hash_file(struct giver *giver, struct giver_file *file)
{
    struct keccak keccak;
    uint8_t      *piece = malloc(COPY_PIECE_MAX);
    int           error = piece == NULL ? ENOMEM : 0;

    keccak_init(&keccak);
    for (uint64_t at = 0; at < file->bytes && error == 0; at += COPY_PIECE_MAX) {
        size_t len = (size_t)min_u64(COPY_PIECE_MAX, file->bytes - at);

        error = giver->disk->read(giver->disk->self, file->handle, at, piece, len);
        if (error == 0) keccak_add(&keccak, piece, len);
        if (atomic_load(&giver->stop) != 0) error = ECANCELED;
    }
    free(piece);
    file->hash = keccak_end(&keccak);
    return error == 0 || fail(giver, "a file of the copy cannot be read", error);
}

/* The place of the newest snapshot of this log and engine up to a command; SNAPSHOT_PLACES: there is none. */
static uint32_t find_newest(struct giver *giver, uint64_t last_seq, struct snapshot_header *facts)
{
    struct hash256         instance = keccak256(giver->genesis.at, giver->genesis.len);
    struct snapshot_header one;
    struct snapshot_report report;
    uint32_t               best = SNAPSHOT_PLACES;

    for (uint32_t place = 0; place < SNAPSHOT_PLACES; place++) {
        if (snapshot_look(giver->disk, snapshot_name(place), &one, &report) != SNAPSHOT_OK) continue;
        if (one.engine != LOG_ENGINE_VERSION || !hash256_equal(&one.instance, &instance)) continue;
        if (one.seq > last_seq || (best != SNAPSHOT_PLACES && one.seq <= facts->seq)) continue;
        best = place;
        *facts = one;
    }
    return best;
}

/*
 * A snapshot can be used only where the history is not behind it. The history comes up to the newest one soon, or, on a
 * busy machine, when the next one is there; then the other one will do. SNAPSHOT_PLACES: giver->why says why.
 */
static uint32_t choose(struct giver *giver)
{
    for (int64_t ms = 0; ms < HISTORY_MS && atomic_load(&giver->stop) == 0; ms += LOOK_MS) {
        uint64_t reached = history_seq(giver->history);
        uint32_t place = find_newest(giver, UINT64_MAX, &giver->facts);

        if (place == SNAPSHOT_PLACES) {
            (void)fail(giver, "this node has no snapshot yet: shadow = on makes them", 0);
            return place;
        }
        if (giver->facts.seq > reached && ms >= NEWEST_MS) place = find_newest(giver, reached, &giver->facts);
        if (place != SNAPSHOT_PLACES && giver->facts.seq <= reached) return place;
        thread_sleep_ms(LOOK_MS);
    }
    (void)fail(giver, "the history of this node does not come up to its snapshots", 0);
    return SNAPSHOT_PLACES;
}

/* Opens the file that was looked at; false: another one has its name by now, or it cannot be opened. */
static bool open_same(struct giver *giver, uint32_t place)
{
    const struct disk     *disk = giver->disk;
    struct snapshot_header facts;
    int                    handle, error = disk->open(disk->self, snapshot_name(place), false, &handle);

    if (error != 0) return false;
    error = disk->read(disk->self, handle, 0, &facts, sizeof(facts));
    if (error == 0 && memcmp(&facts, &giver->facts, sizeof(facts)) == 0) {
        giver->files[FILE_SNAPSHOT].handle = handle;
        giver->files[FILE_SNAPSHOT].bytes = facts.bytes;
        return true;
    }
    disk->close(disk->self, handle);
    return false;
}

static bool take_snapshot(struct giver *giver)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        uint32_t place = choose(giver);

        if (place == SNAPSHOT_PLACES) return false;
        if (open_same(giver, place)) return hash_file(giver, &giver->files[FILE_SNAPSHOT]);
    }
    return fail(giver, "the newest snapshot cannot be opened", 0);
}

/* A copy takes no more than the store has; the log of a node has its own disk or database. */
static bool has_room(struct giver *giver, const struct disk_folder *store, const struct disk *disk)
{
    uint64_t bytes, there;

    if (disk->size(disk->self, "data.mdb", &bytes) != 0 || disk_free_bytes(store, &there) != 0) return true;
    return there > bytes + bytes / 16 || fail(giver, "there is no room on the disk for a copy of the history", 0);
}

static bool check_room(struct giver *giver)
{
    char               path[4096];
    struct disk_folder folder;
    struct disk        disk;
    bool               room;

    (void)snprintf(path, sizeof(path), "%s/history", giver->folder);
    if (disk_open(&folder, path, DISK_READ, true, &disk) != 0) return true;
    room = has_room(giver, &folder, &disk);
    disk_close(&folder);
    return room;
}

/* The file has no name when this returns: the handle keeps it. */
static int copy_history(struct giver *giver, const char *path, struct giver_file *file)
{
    struct disk_folder folder;
    struct disk        disk;
    int                error = history_copy(giver->history, path);

    if (error != 0) return error;
    error = disk_open(&folder, path, DISK_READ, true, &disk);
    if (error != 0) return error;
    error = disk.size(disk.self, "data.mdb", &file->bytes);
    if (error == 0) error = disk.open(disk.self, "data.mdb", false, &file->handle);
    disk_close(&folder);
    return error;
}

static bool take_history(struct giver *giver)
{
    char path[4096];
    int  error;

    if (!check_room(giver)) return false;
    (void)snprintf(path, sizeof(path), "%s/giving", giver->folder);
    files_remove_tree(path);
    error = files_make_folder(path);
    if (error == 0) error = copy_history(giver, path, &giver->files[FILE_HISTORY]);
    files_remove_tree(path);
    if (error != 0) return fail(giver, "the history cannot be copied", error);
    return hash_file(giver, &giver->files[FILE_HISTORY]);
}

static void take_genesis(struct giver *giver)
{
    struct giver_file *file = &giver->files[FILE_GENESIS];

    file->memory = (const uint8_t *)giver->genesis.at;
    file->bytes = giver->genesis.len;
    file->hash = keccak256(giver->genesis.at, giver->genesis.len);
}

static void prepare(struct giver *giver)
{
    int64_t began_ns = clock_mono_ns();
    bool    done = take_snapshot(giver) && take_history(giver);

    if (done) take_genesis(giver);
    (void)pthread_mutex_lock(&giver->lock);
    if (!done) close_files(giver);
    giver->state = done ? GIVER_READY : GIVER_FAILED;
    giver->number += 1;
    giver->used_ns = clock_mono_ns();
    giver->idle_ns = done ? IDLE_NS : FAILED_NS;
    (void)pthread_mutex_unlock(&giver->lock);
    if (!done) log_line(LOG_WARN, "a new node asked for a copy, and there is none: %s", giver->why);
    else
        log_line(LOG_INFO, "a copy for a new node: snapshot of command %lu, %lu bytes; history %lu bytes; %ld ms",
                 (unsigned long)giver->facts.seq, (unsigned long)giver->files[FILE_SNAPSHOT].bytes,
                 (unsigned long)giver->files[FILE_HISTORY].bytes, (long)((clock_mono_ns() - began_ns) / 1000000));
}

/* ---- for the I/O threads ---- */

static void describe(const struct giver *giver, struct out *out)
{
    char line[256];

    (void)snprintf(line, sizeof(line), "ready %lu\ncommand %lu\nblock %lu\n", (unsigned long)giver->number,
                   (unsigned long)giver->facts.seq, (unsigned long)giver->facts.block_number);
    out_text(out, line);
    for (uint32_t i = 0; i < GIVER_FILES; i++) {
        (void)snprintf(line, sizeof(line), "file %s %lu 0x", giver->files[i].name,
                       (unsigned long)giver->files[i].bytes);
        out_text(out, line);
        out_hex(out, giver->files[i].hash.bytes, sizeof(giver->files[i].hash.bytes));
        out_char(out, '\n');
    }
}

static void look(void *self, struct out *out)
{
    struct giver *giver = self;

    (void)pthread_mutex_lock(&giver->lock);
    if (giver->state == GIVER_IDLE) giver->state = GIVER_ASKED;
    if (giver->state == GIVER_READY) {
        giver->used_ns = clock_mono_ns();
        giver->idle_ns = IDLE_NS;
        describe(giver, out);
    } else if (giver->state == GIVER_FAILED) {
        out_literal(out, "failed ");
        out_text(out, giver->why);
        out_char(out, '\n');
    } else {
        out_literal(out, "preparing\n");
    }
    (void)pthread_mutex_unlock(&giver->lock);
    park_wake(&giver->park);
}

static bool put(const struct giver *giver, const struct giver_file *file, uint64_t from, uint64_t bytes,
                struct out *out)
{
    if (bytes > COPY_PIECE_MAX || from > file->bytes || bytes > file->bytes - from || out->cap - out->len < bytes)
        return false;
    if (file->handle < 0) out_bytes(out, file->memory + from, (size_t)bytes);
    else if (giver->disk->read(giver->disk->self, file->handle, from, out->at + out->len, (size_t)bytes) == 0)
        out->len += (size_t)bytes;
    else return false;
    return true;
}

/* Under the lock, so that the file stays open; only new nodes wait for it. */
static bool read_piece(void *self, uint64_t copy, uint64_t file, uint64_t from, uint64_t bytes, struct out *out)
{
    struct giver *giver = self;
    bool          there;

    (void)pthread_mutex_lock(&giver->lock);
    there = giver->state == GIVER_READY && giver->number == copy && file < GIVER_FILES;
    if (there) there = put(giver, &giver->files[file], from, bytes, out);
    if (there) giver->used_ns = clock_mono_ns();
    (void)pthread_mutex_unlock(&giver->lock);
    return there;
}

static void end(void *self, uint64_t copy)
{
    struct giver *giver = self;

    (void)pthread_mutex_lock(&giver->lock);
    if (giver->number == copy) giver->idle_ns = ENDED_NS;
    (void)pthread_mutex_unlock(&giver->lock);
}

/* ---- the thread ---- */

/* Whether a copy is to be made now; closes one that is not needed any more. */
static bool is_asked(struct giver *giver)
{
    bool asked;

    (void)pthread_mutex_lock(&giver->lock);
    if (giver->state >= GIVER_READY && clock_mono_ns() - giver->used_ns >= giver->idle_ns) {
        close_files(giver);
        giver->state = GIVER_IDLE;
    }
    asked = giver->state == GIVER_ASKED;
    (void)pthread_mutex_unlock(&giver->lock);
    return asked;
}

static void *run(void *argument)
{
    struct giver *giver = argument;

    thread_stand_back();
    while (atomic_load(&giver->stop) == 0) {
        if (is_asked(giver)) {
            prepare(giver);
            continue;
        }
        park_prepare(&giver->park);
        if (is_asked(giver) || atomic_load(&giver->stop) != 0) park_cancel(&giver->park);
        else park_wait(&giver->park, REST_NS);
    }
    return NULL;
}

void giver_init(struct giver *giver, const char *folder, const struct disk *disk, struct history *history,
                struct slice genesis)
{
    giver->copy = (struct gateway_copy){ giver, look, read_piece, end };
    giver->folder = folder;
    giver->disk = disk;
    giver->history = history;
    giver->genesis = genesis;
    giver->number = (uint64_t)clock_wall_ms(); /* a copy of the process before this one has another number */
    (void)pthread_mutex_init(&giver->lock, NULL);
    park_init(&giver->park);
    for (uint32_t i = 0; i < GIVER_FILES; i++) giver->files[i].handle = -1;
    close_files(giver);
}

int giver_start(struct giver *giver)
{
    int error = thread_start(&giver->thread, "giver", run, giver);

    giver->runs = error == 0;
    return error;
}

void giver_stop(struct giver *giver)
{
    if (!giver->runs) return;
    atomic_store(&giver->stop, 1);
    park_wake(&giver->park);
    thread_join(giver->thread);
    close_files(giver);
    giver->runs = false;
}
