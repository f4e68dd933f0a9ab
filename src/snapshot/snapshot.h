/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h — memory to a file and back: the loaded memory equals the written one, or nothing is loaded.
 *
 * A writer passes the facts (all members of struct snapshot_header that it knows) and its memory in sections. A reader
 * reads the facts, decides whether it wants the snapshot, and has the sections filled. No function here waits, or
 * decides which snapshot is good enough.
 */
#ifndef SNAPSHOT_SNAPSHOT_H
#define SNAPSHOT_SNAPSHOT_H

#include "base/outside.h"
#include "snapshot/format.h"

/* Two take turns; a new one is written and proved under the third name before it takes a place. */
#define SNAPSHOT_PLACES    2
#define SNAPSHOT_TEMPORARY "snapshot.tmp"
const char *snapshot_name(uint32_t place);

/* A piece of memory, aligned to 8. */
struct snapshot_section {
    uint32_t kind, reserved;
    void    *at;
    uint64_t bytes;
};

/*
 * Writes a file under an unused name (a file of that name is removed first), and makes it durable. The caller has
 * filled in engine … written_ms of `facts`; the rest is filled in here. 0 or errno; after a failure there is no file
 * of that name.
 */
int snapshot_write(const struct disk *disk, const char *name, struct snapshot_header *facts,
                   const struct snapshot_section *sections, uint32_t count) MUST_USE;

enum snapshot_fault {
    SNAPSHOT_OK = 0,
    SNAPSHOT_ABSENT,  /* no file of that name */
    SNAPSHOT_DAMAGED, /* not what was written */
    SNAPSHOT_FOREIGN, /* whole, of a format that is not known here */
    SNAPSHOT_IO,      /* the disk failed, or there is no memory to work in */
};

/* The fault as one sentence without the file's name. */
struct snapshot_report {
    int  error;
    char text[160];
};

/* The facts of the snapshot that lies there. Only the header is looked at: the file may still be damaged. */
enum snapshot_fault snapshot_look(const struct disk *disk, const char *name, struct snapshot_header *facts,
                                  struct snapshot_report *report) MUST_USE;

/*
 * Fills the sections, whose memory holds zeros; kinds, order and bytes must be the file's, or it is damage. The whole
 * file is checked, and its header must still be `facts`. After a failure the memory is undefined.
 */
enum snapshot_fault snapshot_load(const struct disk *disk, const char *name, const struct snapshot_header *facts,
                                  const struct snapshot_section *sections, uint32_t count,
                                  struct snapshot_report *report) MUST_USE;

/* The same without memory to fill: is all of the file as it was written? */
enum snapshot_fault snapshot_check(const struct disk *disk, const char *name, struct snapshot_report *report) MUST_USE;

#endif
