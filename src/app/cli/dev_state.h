/* SPDX-License-Identifier: MIT */
/* dev_state.h — dojima dev --state FILE: the state of the last run is there at the start, and kept at the end. */
#ifndef APP_CLI_DEV_STATE_H
#define APP_CLI_DEV_STATE_H

#include "base/base.h"

/*
 * Whether a file can be made where `file` is to be: a small one is made beside it and removed. An exit code; what is
 * wrong is said with the name of the switch.
 */
int dev_state_check(const char *file);

/* Begins the log of an empty folder with the state in `file`; where there is no such file, nothing. An exit code. */
int dev_state_load(const char *file, const char *folder, uint64_t file_bytes);

/* Replaces `file` by what is alive of a folder's log. An exit code. */
int dev_state_save(const char *file, const char *folder);

#endif
