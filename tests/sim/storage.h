/* SPDX-License-Identifier: MIT */
/*
 * storage.h — the disk of the simulated world, below io/disk.c: files of sectors, names of a folder, and for both the
 * stable version and the one that a process sees. A sync copies the latter to the former; a power failure decides
 * sector by sector and name by name which changes had arrived.
 */
#ifndef SIM_STORAGE_H
#define SIM_STORAGE_H

#include "base/outside.h"
#include "world.h"

/* An empty disk with room for `capacity` bytes of files (0 = any). */
void     storage_begin(uint64_t capacity);
void     storage_clear(void);
void     storage_set_capacity(uint64_t capacity);
uint64_t storage_used(void), storage_free(void);

/* The process has ended: its file numbers and locks are gone. Its writes can still be read. */
void storage_kill(void);

/* The power has failed as well: a part of the unsynced changes arrives. */
#define STORAGE_PATTERNS 9
void storage_power_cut(uint32_t pattern); /* 0: nothing arrives; 1: all; 2, 3: a beginning, an end; 4, 5: every other; 6
                                             to 8: as the dice fall */

/* Reads and spoils behind the back of the server. */
bool     storage_read(const char *name, uint64_t offset, void *bytes, size_t len);
void     storage_flip(const char *name, uint64_t offset, uint8_t mask);
uint64_t storage_bytes(const char *name);
void     storage_table(struct disk *disk); /* for reading with the journal's own reader; never fails */

/* Plants of tests. */
extern bool storage_inject_sync_nothing; /* a sync that reports success and does nothing, and does not count as a lie */
extern uint32_t storage_inject_sync_nothing_at; /* the same, at these moments (enum world_moment) */

#endif
