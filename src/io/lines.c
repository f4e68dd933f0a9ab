/* SPDX-License-Identifier: MIT */
#include "io/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int lines_open(struct lines *lines, const char *path)
{
    *lines = (struct lines){ .file = fopen(path, "re") };
    return lines->file == NULL ? errno : 0;
}

bool lines_next(struct lines *lines, struct slice *line)
{
    ssize_t len = getline(&lines->line, &lines->cap, lines->file);

    if (len <= 0) return false;
    if (lines->line[len - 1] == '\n') len -= 1;
    *line = slice_make(lines->line, (size_t)len);
    return true;
}

void lines_close(struct lines *lines)
{
    if (lines->file != NULL) (void)fclose(lines->file);
    free(lines->line);
    *lines = (struct lines){ 0 };
}
