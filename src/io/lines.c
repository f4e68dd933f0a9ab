/* SPDX-License-Identifier: MIT */
#include "io/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int lines_open(struct lines *lines, const char *path)
{
    *lines = (struct lines){ .file = fopen(path, "re") };
    return lines->file == NULL ? errno : 0;
}

bool lines_are_kept(const struct lines *lines)
{
    struct stat info;

    return fstat(fileno(lines->file), &info) == 0 && S_ISREG(info.st_mode);
}

bool lines_next(struct lines *lines, struct slice *line)
{
    ssize_t len;

    errno = 0;
    len = getline(&lines->line, &lines->cap, lines->file);
    if (len <= 0) {
        if (!feof(lines->file)) lines->error = errno != 0 ? errno : EIO;
        return false;
    }
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

int lines_create(struct lines_writer *writer, const char *path)
{
    *writer = (struct lines_writer){ .file = fopen(path, "wxe") };
    return writer->file == NULL ? errno : 0;
}

int lines_put(struct lines_writer *writer, struct slice line)
{
    errno = 0;
    if (line.len != 0 && fwrite(line.at, 1, line.len, writer->file) != line.len) return errno != 0 ? errno : EIO;
    return fputc('\n', writer->file) == EOF ? errno : 0;
}

int lines_finish(struct lines_writer *writer)
{
    int error = 0;

    if (writer->file == NULL) return 0;
    if (fflush(writer->file) != 0 || fsync(fileno(writer->file)) != 0) error = errno;
    if (fclose(writer->file) != 0 && error == 0) error = errno;
    writer->file = NULL;
    return error;
}
