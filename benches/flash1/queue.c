/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t queue_bytes(const struct queue *queue) { return (queue->mask + 1) * sizeof(*queue->at); }

/* NULL when there is no memory. All pages are touched, so that the first reports cost what the later ones do. */
static void *queue_create(uint32_t capacity)
{
    struct queue *queue = aligned_alloc(64, sizeof(*queue));
    uint64_t      places = QUEUE_BATCH;

    if (queue == NULL) return NULL;
    while (places < capacity) places *= 2;
    *queue = (struct queue){ .mask = places - 1, .end = places };
    queue->at =
        mmap(NULL, queue_bytes(queue), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (queue->at == MAP_FAILED) {
        free(queue);
        return NULL;
    }
    (void)madvise(queue->at, queue_bytes(queue), MADV_HUGEPAGE);
    memset(queue->at, 0, queue_bytes(queue));
    return queue;
}

static void queue_destroy(void *handle)
{
    struct queue *queue = handle;

    (void)munmap(queue->at, queue_bytes(queue));
    free(queue);
}

static int queue_push(void *handle, const struct flash1_report *report)
{
    if (!queue_has_room(handle)) return 0;
    queue_put(handle, report->type, report->side, report->sequence, report->id, report->price, report->quantity,
              report->maker, report->taker);
    return 1;
}

/* The reader's side. */
static uint32_t queue_drain(void *handle, struct flash1_report *out, uint32_t most)
{
    struct queue *queue = handle;
    uint64_t      taken = queue->taken, count = __atomic_load_n(&queue->shown, __ATOMIC_ACQUIRE) - taken;

    if (count > most) count = most;
    for (uint64_t i = 0; i < count; i++) out[i] = queue->at[(taken + i) & queue->mask];
    if (count != 0) __atomic_store_n(&queue->taken, taken + count, __ATOMIC_RELEASE);
    return (uint32_t)count;
}

static void queue_show(void *handle) { queue_flush(handle); }

const struct flash1_transport queue_transport = { queue_create, queue_push, queue_drain, queue_show, queue_destroy };

/* DOJIMA_FLASH1_QUEUE=theirs: the benchmark's own queue carries the reports. */
const struct flash1_transport *flash1_get_transport(void)
{
    const char *which = getenv("DOJIMA_FLASH1_QUEUE");

    return which != NULL && strcmp(which, "theirs") == 0 ? NULL : &queue_transport;
}
