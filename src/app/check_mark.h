/* SPDX-License-Identifier: MIT */
/*
 * check_mark.h — how far the log's signatures are checked again, kept in the folder: one small file, written in place,
 * less than a sector. A file that is missing, torn or of another log is no mark; the check then begins at the first
 * command. It is not synced: an older mark repeats work, and leaves nothing out.
 */
#ifndef APP_CHECK_MARK_H
#define APP_CHECK_MARK_H

#include "base/outside.h"
#include "log/batch.h"

#define CHECK_MARK_FILE "checked-signatures"

/* `instance` is the hash of the log's genesis. False: there is none. */
bool check_mark_read(const struct disk *disk, const struct hash256 *instance, struct log_mark *mark);

/* False: it could not be written. */
bool check_mark_write(const struct disk *disk, const struct hash256 *instance, const struct log_mark *mark);

#endif
