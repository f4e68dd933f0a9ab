/* SPDX-License-Identifier: MIT */
/*
 * keep.c — a moment of the store that survives the machine.
 *
 * LMDB never writes to a page of a moment that a reader sees, but to the two meta pages at the beginning of the file,
 * which say where the newest moments are. So when the file was synced, a reader stays at that moment, and the meta
 * pages of it lie in a file of their own, then whatever reaches the disk of later transactions, that moment is whole,
 * and putting its meta pages back makes it the newest. The reader is a thread that sleeps, because LMDB allows a thread
 * one reader, and the thread that writes reads too.
 */
#include "history/state.h"

#include "io/process.h"
#include "io/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#define KEPT_NAME  "kept"
#define META_PAGES 2
#define ALL_OF_IT  INT64_MAX /* of the file, however long ago it was written back */

struct kept_head {
    char           magic[8]; /* "DOJIMAKP" */
    uint32_t       version, page_bytes;
    struct hash256 instance;
    uint64_t       seq;
    uint64_t       check; /* XXH3-64 of the meta pages, which are behind it, seeded with that of all before */
};
static_assert(sizeof(struct kept_head) == 64, "reaches disk");

/* A moment: its head and meta pages. */
struct kept {
    size_t            bytes;
    struct kept_head *head;
    uint8_t          *pages;
};

static struct kept kept_take(void)
{
    struct kept kept = { .bytes = sizeof(struct kept_head) + META_PAGES * process_page_bytes() };

    kept.head = calloc(1, kept.bytes);
    if (kept.head != NULL) kept.pages = (uint8_t *)(kept.head + 1);
    return kept;
}

static uint64_t kept_check(const struct kept *kept)
{
    uint64_t seed = XXH3_64bits(kept->head, offsetof(struct kept_head, check));
    return XXH3_64bits_withSeed(kept->pages, kept->bytes - sizeof(*kept->head), seed);
}

/* The moment that lies there; EUCLEAN: it is not whole, or of another store. */
static int kept_read(const struct disk *disk, const struct hash256 *instance, struct kept *kept)
{
    const struct kept_head *head = kept->head;
    int                     handle, error = disk->open(disk->self, KEPT_NAME, false, &handle);

    if (error != 0) return error;
    error = disk->read(disk->self, handle, 0, kept->head, kept->bytes);
    disk->close(disk->self, handle);
    if (error != 0) return error;
    return memcmp(head->magic, "DOJIMAKP", 8) == 0 && head->version == STORE_VERSION
                && head->page_bytes == process_page_bytes() && hash256_equal(&head->instance, instance)
                && head->check == kept_check(kept)
             ? 0
             : EUCLEAN;
}

/* ---- the reader ---- */

struct pin {
    MDB_env         *env;
    pthread_t        thread;
    struct park      park; /* of the thread */
    _Atomic uint32_t began, ends;
    int              code; /* of its beginning */
};

/* The map may move meanwhile, as it may under no other transaction: this one reads nothing. */
static void *stay(void *argument)
{
    struct pin *pin = argument;
    MDB_txn    *txn = NULL;

    pin->code = mdb_txn_begin(pin->env, NULL, MDB_RDONLY, &txn);
    atomic_store(&pin->began, 1);
    while (atomic_load(&pin->ends) == 0) {
        park_prepare(&pin->park);
        if (atomic_load(&pin->ends) != 0) park_cancel(&pin->park);
        else park_wait(&pin->park, INT64_MAX);
    }
    if (pin->code == 0) mdb_txn_abort(txn);
    return NULL;
}

static void pin_end(struct pin *pin)
{
    if (pin == NULL) return;
    atomic_store(&pin->ends, 1);
    park_wake(&pin->park);
    thread_join(pin->thread);
    free(pin);
}

/* At the last transaction, when no other thread writes. 0 or errno. */
static int pin_begin(struct store *store, struct pin **made)
{
    struct pin *pin = aligned_alloc(_Alignof(struct pin), sizeof(*pin));
    int         error = pin == NULL ? ENOMEM : 0;

    if (error != 0) return error;
    *pin = (struct pin){ .env = store->env };
    park_init(&pin->park);
    error = thread_start(&pin->thread, "history", stay, pin);
    if (error != 0) {
        free(pin);
        return error;
    }
    while (atomic_load(&pin->began) == 0) thread_sleep_ms(1);
    error = -store_error(pin->code);
    if (error != 0) pin_end(pin);
    else *made = pin;
    return error;
}

void keep_end(struct history *history)
{
    pin_end(history->store.pin);
    history->store.pin = NULL;
}

/* ---- keeping ---- */

static int note_moment(struct history *history, struct kept *kept)
{
    const struct disk *disk = &history->disk;
    int                handle, error = disk->open(disk->self, "data.mdb", false, &handle);

    if (error != 0) return error;
    error = disk->read(disk->self, handle, 0, kept->pages, kept->bytes - sizeof(*kept->head));
    disk->close(disk->self, handle);
    if (error != 0) return error;
    *kept->head = (struct kept_head){ "DOJIMAKP",        STORE_VERSION, (uint32_t)process_page_bytes(),
                                      history->instance, history->seq,  0 };
    kept->head->check = kept_check(kept);
    return disk->replace(disk->self, KEPT_NAME, kept->head, kept->bytes);
}

/* The new reader begins before the old one ends: the moment in the file is held all the time. */
static int keep_now(struct history *history, struct kept *kept)
{
    struct store *store = &history->store;
    struct pin   *pin = NULL;
    int           error = history_write_back(history, ALL_OF_IT); /* in pieces; little is left for the sync */

    if (error == 0) error = loss_note(history, store_sync(store));
    if (error == 0) error = pin_begin(store, &pin);
    if (error != 0) return error;
    error = note_moment(history, kept);
    if (error != 0) {
        pin_end(pin);
        return error;
    }
    keep_end(history);
    store->pin = pin;
    history->kept_seq = history->seq;
    return 0;
}

int history_keep(struct history *history)
{
    struct kept kept = kept_take();
    int         error = kept.head == NULL ? ENOMEM : keep_now(history, &kept);

    free(kept.head);
    return error;
}

uint64_t history_kept(const struct history *history) { return history->kept_seq; }

uint64_t history_kept_in(const char *folder, const struct hash256 *instance)
{
    struct kept        kept = kept_take();
    struct disk_folder opened;
    struct disk        disk;
    uint64_t           seq = 0;

    if (kept.head != NULL && disk_open(&opened, folder, DISK_READ, true, &disk) == 0) {
        if (kept_read(&disk, instance, &kept) == 0) seq = kept.head->seq;
        disk_close(&opened);
    }
    free(kept.head);
    return seq;
}

/* ---- at the start ---- */

/* The store went back and nothing was written since: its present is the moment in the file, and the disk has it. */
static int hold_again(struct history *history)
{
    int error = pin_begin(&history->store, &history->store.pin);

    if (error == 0) history->kept_seq = history->seq;
    return error;
}

int keep_again(struct history *history)
{
    const struct disk *disk = &history->disk;
    uint64_t           bytes;
    int                error = disk->size(disk->self, KEPT_NAME, &bytes);

    if (error == 0) error = history->went_back ? hold_again(history) : history_keep(history);
    if (error == 0 || error == ENOENT) return 0;
    error = disk->remove(disk->self, KEPT_NAME); /* nothing holds its pages any more */
    return error == ENOENT ? 0 : error;
}

static int put_back(const struct disk *disk, const struct kept *kept)
{
    int handle, error = disk->open(disk->self, "data.mdb", true, &handle);

    if (error != 0) return error;
    error = disk->write(disk->self, handle, 0, kept->pages, kept->bytes - sizeof(*kept->head));
    if (error == 0) error = disk->sync(disk->self, handle);
    disk->close(disk->self, handle);
    return error;
}

/* Put back before the check, and not undone after it: the store that lies there is of no other use. */
bool keep_restore(struct history *history, const char *folder)
{
    struct kept kept = kept_take();
    int         error = kept.head == NULL ? ENOMEM : kept_read(&history->disk, &history->instance, &kept);

    if (error == 0) error = put_back(&history->disk, &kept);
    if (error == 0) history->went_back = store_check(folder);
    free(kept.head);
    if (error != ENOENT && !history->went_back)
        history->thrown_away = "the disk may lack pages of it, and the moment that was kept of it is damaged";
    return history->went_back;
}

bool history_went_back(const struct history *history) { return history->went_back; }
