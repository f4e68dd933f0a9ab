/* SPDX-License-Identifier: MIT */
/* remains.h — what a folder without a log has of one. */
#ifndef PIPELINE_REMAINS_H
#define PIPELINE_REMAINS_H

#include "io/disk.h"

/*
 * The name of something that only an exchange with a log leaves behind: its history, a snapshot, or a start that the
 * audit log names. NULL: there is nothing. A refused start is none, whatever it wrote. *error: 0 or errno.
 */
const char *remains_find(const struct disk *disk, int *error);

#endif
