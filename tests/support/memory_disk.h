/* SPDX-License-Identifier: MIT */
/*
 * memory_disk.h — a folder in memory that fails and crashes on demand, for the tests of durability.
 *
 * Every file has two states per 512-byte sector: the stable one, and the one written since the last sync. A crash
 * decides sector by sector which of the latter arrived.
 */
#ifndef SUPPORT_MEMORY_DISK_H
#define SUPPORT_MEMORY_DISK_H

#include "base/outside.h"

#define MEMORY_FILES  32
#define MEMORY_SECTOR 512

struct memory_file {
    char     name[40];      /* empty: this slot is free */
    uint8_t *plate, *cache; /* durable bytes; bytes as a process reads them */
    uint8_t *lost;          /* per sector: 1 = a failed sync gave it up; only a new write makes it stable */
    uint64_t bytes;
};

/* Which of the unsynced sectors arrive. */
/* clang-format off */
enum crash_pattern {
    CRASH_NONE_ARRIVES = 0, CRASH_ALL_ARRIVE, CRASH_FIRST_HALF, CRASH_LAST_HALF, CRASH_EVERY_OTHER,
        CRASH_EVERY_OTHER_ODD,
    CRASH_FIRST_SECTOR_ONLY, CRASH_ALL_BUT_FIRST, CRASH_ALL_BUT_LAST, CRASH_DICE, CRASH_DICE_RARE, CRASH_DICE_MOST,
    CRASH_PATTERNS,
};
/* clang-format on */

struct memory_disk {
    struct disk        disk; /* the table to hand out */
    struct memory_file files[MEMORY_FILES];
    uint64_t           calls;                   /* that can fail: all but close */
    uint64_t           writes;                  /* bytes written, to show that reading writes nothing */
    uint64_t           unsynced, unsynced_most; /* bytes written since the last sync, and the most there were */
    uint64_t           fail_at;                 /* the call that fails, from 1; 0 = none */
    bool               fail_sticky;             /* and all after it */
    bool               fail_writes_half; /* a failing write leaves its first half; a failing create is complete */
    bool               fail_syncs;       /* every sync fails, whatever fail_at says */
    bool               fail_sync_loses;  /* a failing sync gives up the sectors it could not write */
    int                fail_error;
    uint64_t           capacity; /* bytes of files there is room for; 0 = no limit */
    uint64_t           random_state;
};

void memory_disk_init(struct memory_disk *memory);
void memory_disk_free(struct memory_disk *memory);
void memory_disk_copy(struct memory_disk *into, const struct memory_disk *from);

/* The power fails: unsynced sectors arrive by `pattern`; no call fails any more. */
void memory_disk_crash(struct memory_disk *memory, enum crash_pattern pattern);

/* The process ends and the system continues: all written bytes can still be read, nothing more becomes durable. */
void memory_disk_kill(struct memory_disk *memory);

struct memory_file *memory_disk_find(struct memory_disk *memory, const char *name);
/* Cuts or grows a file behind the back of the journal. */
void memory_disk_truncate(struct memory_file *file, uint64_t bytes);

#endif
