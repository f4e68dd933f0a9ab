/* SPDX-License-Identifier: MIT */
/* file.h — the log as a row of files in a folder, those that no reader needs any more compressed (log/kind.h). */
#ifndef LOG_FILE_FILE_H
#define LOG_FILE_FILE_H

#include "log/kind.h"

extern const struct log_kind log_file;

#endif
