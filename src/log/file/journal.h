/* SPDX-License-Identifier: MIT */
/*
 * journal.h — the log as files, and the meaning of "durable".
 *
 * The journal is a row of pre-zeroed segment files that hold batches of records, one record per command (ruling 55).
 * log/file/format.h draws the form. A batch is durable when its write and its fdatasync have both returned; no client
 * learns of its commands before that (process 6).
 */
#ifndef LOG_FILE_JOURNAL_H
#define LOG_FILE_JOURNAL_H

#include "log/log.h"

struct journal;
/* For tests and benchmarks: the bytes of memory that journal_create and journal_open take. */
size_t journal_size(void);

/* A new log in an empty folder; `genesis` (canonical JSON) begins it and its chain. */
enum log_fault journal_create(void *memory, const struct disk *disk, const struct log_settings *options,
                              struct slice genesis, struct journal **journal, struct log_report *report) MUST_USE;

/* Opens the log and reads its genesis (a slice of the journal's own memory). Then call journal_next until *end. */
enum log_fault journal_open(void *memory, const struct disk *disk, const struct log_settings *options,
                            struct journal **journal, struct slice *genesis, struct log_report *report) MUST_USE;

/*
 * `holder`, which gets durable batches only, has command `seq`: a log that ends before it is damaged, however torn
 * its tail looks. To continue would lose answered commands and free their nonces.
 */
void journal_knows(struct journal *journal, uint64_t seq, const char *holder);

/*
 * The next batch, checked: checksums, chain, order. *end is set after the last one, and from then on
 * (unless read_only) the journal can be appended to; a torn tail has been cut by then, its bytes kept
 * in a .torn copy. `applied` is what the batch's header claims about the block before it.
 */
enum log_fault journal_next(struct journal *journal, struct log_batch *batch, struct log_applied *applied, bool *end,
                            struct log_report *report) MUST_USE;

/*
 * Right after journal_open: continues behind a mark, without reading what precedes it. LOG_DAMAGED, with a sentence,
 * when the log has no such position: no batch there, another one, or one with another chain. `batch` is memory to read
 * into.
 */
enum log_fault journal_resume(struct journal *journal, const struct log_mark *position, struct log_batch *batch,
                              struct log_report *report) MUST_USE;

/*
 * The next batch of a log that another process is writing to, in place of journal_next and read_only: *there is false
 * when there is none yet, or only a part of one. A batch may not be durable until the next one is found (durable_seq);
 * *partial: there are bytes that are no batch yet.
 */
enum log_fault journal_follow(struct journal *journal, struct log_batch *batch, struct log_applied *applied,
                              bool *there, bool *partial, struct log_report *report) MUST_USE;

/*
 * Seals the batch (chain, checksums, applied) and writes it; journal_wait makes it durable: 0, or errno, and then the
 * process must stop; every later call answers the same errno and touches nothing. A batch without records is a closing
 * batch: it proves that everything before it was durable. A clean shutdown ends with one.
 */
void journal_submit(struct journal *journal, struct log_batch *batch, const struct log_applied *applied);
int  journal_wait(struct journal *journal) MUST_USE;

/*
 * Reads the batch at a position of the log into `room` (aligned to 8), and checks all of it but its predecessors. Any
 * thread, at any time. 0; EUCLEAN when no whole batch is there, or none that fits; or errno.
 */
int journal_read_batch(const struct disk *disk, const struct hash256 *instance, uint64_t segment, uint64_t offset,
                       void *room, size_t cap, struct log_batch *batch) MUST_USE;

/*
 * Makes the spare segment and the ballast when they are missing, so that journal_submit need not. For a background
 * thread, at any time after the log can be appended to; 0 or errno (the log continues: append allocates its segment
 * itself, and frees the ballast when the disk is full). Appending never waits for it except on a full disk
 * (docs/decisions/140-late-spare.md). journal_wants_spare is cheap.
 */
bool journal_wants_spare(const struct journal *journal);
int  journal_prepare(struct journal *journal) MUST_USE;

/* The disk had no room for the spare, or the ballast was used up: take no new risk. */
bool journal_is_short(const struct journal *journal);

/* Chain value after the last batch; next seq. */
struct hash256 journal_chain(const struct journal *journal);
uint64_t       journal_next_seq(const struct journal *journal);

void journal_close(struct journal *journal);

#endif
