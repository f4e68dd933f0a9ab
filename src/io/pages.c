/* SPDX-License-Identifier: MIT */
#include "io/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)
#define SHARED  (UINT64_C(1) << 61) /* of the file, not a copy of its page */
#define LOOKED  512                 /* entries of the page map at once */

bool pages_open(struct pages *pages, void *at, size_t bytes)
{
    *pages = (struct pages){ .at = at, .count = (bytes + PAGES_UNIT - 1) / PAGES_UNIT, .file = -1, .map = -1 };
    assert((uintptr_t)at % PAGES_UNIT == 0);
    if (sysconf(_SC_PAGESIZE) != PAGES_UNIT) return false;
    pages->file = memfd_create("dojima-base", MFD_CLOEXEC);
    pages->map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pages->file >= 0 && pages->map >= 0 && ftruncate(pages->file, (off_t)(pages->count * PAGES_UNIT)) == 0)
        return true;
    pages_close(pages);
    return false;
}

void pages_close(struct pages *pages)
{
    if (pages->file >= 0) (void)close(pages->file);
    if (pages->map >= 0) (void)close(pages->map);
    pages->file = pages->map = -1;
}

/* Private copies of the kernel: pages that were written. */
static bool is_changed(uint64_t entry)
{
    return (entry & SWAPPED) != 0 || ((entry & PRESENT) != 0 && (entry & SHARED) == 0);
}

size_t pages_next(struct pages *pages, size_t *from, size_t *first)
{
    uint64_t entries[LOOKED];
    size_t   count = 0;

    while (*from < pages->count) {
        size_t  look = min_u64(LOOKED, pages->count - *from), i = 0;
        off_t   at = (off_t)(((uintptr_t)pages->at / PAGES_UNIT + *from) * sizeof(entries[0]));
        ssize_t got = pread(pages->map, entries, look * sizeof(entries[0]), at);

        if (got != (ssize_t)(look * sizeof(entries[0]))) {
            pages->failed = true;
            return 0;
        }
        while (count == 0 && i < look && !is_changed(entries[i])) i++;
        if (count == 0) *first = *from + i;
        for (; i < look && is_changed(entries[i]); i++) count++;
        *from += i;
        if (i < look && count != 0) return count;
    }
    return count;
}

static bool is_whole(ssize_t did) { return did == PAGES_UNIT; }

bool pages_read(const struct pages *pages, size_t page, uint8_t content[PAGES_UNIT])
{
    return is_whole(pread(pages->file, content, PAGES_UNIT, (off_t)(page * PAGES_UNIT)));
}

bool pages_write(const struct pages *pages, size_t page, const uint8_t content[PAGES_UNIT])
{
    return is_whole(pwrite(pages->file, content, PAGES_UNIT, (off_t)(page * PAGES_UNIT)));
}

void pages_drop(const struct pages *pages, size_t first, size_t count)
{
    (void)madvise(pages->at + first * PAGES_UNIT, count * PAGES_UNIT, MADV_DONTNEED);
}

int pages_begin(struct pages *pages)
{
    size_t from = 0, first, count;
    void  *at;

    while ((count = pages_next(pages, &from, &first)) != 0) {
        size_t  bytes = count * PAGES_UNIT;
        ssize_t did = pwrite(pages->file, pages->at + first * PAGES_UNIT, bytes, (off_t)(first * PAGES_UNIT));

        if (did != (ssize_t)bytes) return did < 0 ? errno : EIO;
    }
    if (pages->failed) return EIO;
    at = mmap(pages->at, pages->count * PAGES_UNIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
              pages->file, 0);
    return at == MAP_FAILED ? errno : 0;
}

bool pages_clear(const struct pages *pages)
{
    if (ftruncate(pages->file, 0) != 0 || ftruncate(pages->file, (off_t)(pages->count * PAGES_UNIT)) != 0) return false;
    pages_drop(pages, 0, pages->count);
    return true;
}
