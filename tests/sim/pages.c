/* SPDX-License-Identifier: MIT */
/* pages.c — the simulator's memory has no base (io/pages.h): going back reads the log. */
#include "io/pages.h"

#include <errno.h>

bool pages_open(struct pages *pages, void *at, size_t bytes)
{
    (void)at, (void)bytes;
    pages->file = pages->map = -1;
    return false;
}
int pages_begin(struct pages *pages)
{
    (void)pages;
    return ENOSYS;
}
size_t pages_next(struct pages *pages, size_t *from, size_t *first)
{
    (void)pages, (void)from, (void)first;
    return 0;
}
bool pages_read(const struct pages *pages, size_t page, uint8_t content[PAGES_UNIT])
{
    (void)pages, (void)page, (void)content;
    return false;
}
bool pages_write(const struct pages *pages, size_t page, const uint8_t content[PAGES_UNIT])
{
    (void)pages, (void)page, (void)content;
    return false;
}
void pages_drop(const struct pages *pages, size_t first, size_t count) { (void)pages, (void)first, (void)count; }
bool pages_clear(const struct pages *pages)
{
    (void)pages;
    return false;
}
void pages_close(struct pages *pages) { (void)pages; }
