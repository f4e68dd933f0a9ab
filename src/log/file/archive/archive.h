/* SPDX-License-Identifier: MIT */
/*
 * archive.h — files that will never change again, compressed, and read as if they were not.
 *
 * archive_pack makes NAME.zst of NAME, proves it by reading all of it back, and only then removes NAME. At
 * every moment one of the two is whole; when both are there NAME is the one that counts. A disk that
 * archive_open puts over another one finds NAME in NAME.zst.
 */
#ifndef LOG_FILE_ARCHIVE_ARCHIVE_H
#define LOG_FILE_ARCHIVE_ARCHIVE_H

#include "base/outside.h"

struct archive;

/*
 * A disk over `inner`, which is copied: a file under its own name is unaffected; for a file that exists only as an
 * archive, size, opening for reading, and reads work as before. Opening an archive for writing is EROFS, a damaged one
 * EUCLEAN. Any thread, as `inner` allows. NULL: no memory.
 */
struct archive *archive_open(const struct disk *inner, struct disk *disk);
void            archive_close(struct archive *archive);

/*
 * Archives a file of the disk (not one of archive_open's). 0; ENOENT when it is not there; EUCLEAN when what was
 * written does not read back the same, EFBIG above ARCHIVE_BYTES_MAX; or errno. After every failure NAME is still
 * there. *packed: bytes of the archive.
 */
int archive_pack(const struct disk *disk, const char *name, uint64_t *packed) MUST_USE;

#endif
