/* SPDX-License-Identifier: MIT */
/*
 * save_points.h — places in the log to which a development exchange can go back (evm_snapshot, evm_revert). Each has a
 * number from 1 and perhaps a name, and is a record in the file `savepoints` of the data folder, durable when its
 * number is answered. A record is only an address: what happened is in the log.
 *
 *     record, 160 bytes, little endian: magic, struct save_point, first 8 bytes of keccak-256 of all before
 *
 * One thread adds; any thread reads.
 */
#ifndef PIPELINE_SAVE_POINTS_H
#define PIPELINE_SAVE_POINTS_H

#include "base/outside.h"
#include "log/batch.h"

#include <pthread.h>

#define SAVE_POINTS_MAX 65536

struct save_point {
    struct log_mark place;      /* position none: the beginning of the log; next_seq and time_ms are the engine's */
    uint64_t        id;         /* from 1 */
    uint64_t        block;      /* number of the last block there */
    int64_t         created_ms; /* wall clock */
    int64_t         offset_ms;  /* by which engine time ran ahead of the clock */
    char            name[SNAPSHOT_NAME_MAX]; /* "" = none; filled with zeros */
};
static_assert(sizeof(struct save_point) == 128, "reaches disk");

struct save_points {
    pthread_mutex_t    lock;
    struct save_point *all; /* by id - 1 */
    uint32_t           count, cap;
    struct disk        disk;
    int                handle; /* of the file; -1 = it is not there yet */
    bool               is_open;
};

/*
 * Reads the file of a folder; absent, there are none. A record that is cut or damaged, and what follows it, does not
 * count: its number was never answered. 0 or errno. save_points_close follows.
 */
int  save_points_open(struct save_points *points, const struct disk *disk) MUST_USE;
void save_points_close(struct save_points *points);

/* Adds one and makes it durable; its id is set. 0 or errno (ENOSPC: there are SAVE_POINTS_MAX). */
int save_points_add(struct save_points *points, struct save_point *point) MUST_USE;

/* By number, or with id 0 by name. False: there is none. */
bool save_points_find(struct save_points *points, uint64_t id, const char name[SNAPSHOT_NAME_MAX],
                      struct save_point *point);

/* Copies those from number `first` on, at most `max`; returns how many. */
uint32_t save_points_copy(struct save_points *points, uint64_t first, struct save_point *copies, uint32_t max);

#endif
