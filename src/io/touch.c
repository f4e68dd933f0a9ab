/* SPDX-License-Identifier: MIT */
/* touch.c — memory that is there before it is used, by several threads where it is much (files.h). */
#include "base/touch.h"
#include "io/files.h"
#include "io/process.h"
#include "io/thread.h"

#include <sys/mman.h>

#define PART_BYTES ((size_t)256 << 20) /* less is not worth a thread */
#define PARTS_MAX  8                   /* more threads than this wait for the memory */
#define LARGE_PAGE ((size_t)2 << 20)

struct part {
    uint8_t  *at;
    size_t    bytes;
    pthread_t thread;
    bool      started;
};

/* A kernel before 5.14 does not know the call. */
static void *touch_part(void *argument)
{
    const struct part *part = argument;

    if (madvise(part->at, part->bytes, MADV_POPULATE_WRITE) != 0) memory_touch(part->at, part->bytes);
    return NULL;
}

/* A kernel without large pages does not know the first call. A part for which no thread starts is touched by this one.
 */
void files_touch_memory(void *at, size_t bytes)
{
    struct part parts[PARTS_MAX];
    size_t      count = min_size(min_size(bytes / PART_BYTES + 1, process_cores(0)), PARTS_MAX),
           each = align_up(bytes / count + 1, LARGE_PAGE), from = 0;

    (void)madvise(at, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < count; i++, from += each) {
        from = min_size(from, bytes);
        parts[i] = (struct part){ .at = (uint8_t *)at + from, .bytes = min_size(each, bytes - from) };
        parts[i].started = i + 1 < count && thread_start(&parts[i].thread, "touch", touch_part, &parts[i]) == 0;
        if (!parts[i].started && parts[i].bytes != 0) (void)touch_part(&parts[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (parts[i].started) thread_join(parts[i].thread);
}
