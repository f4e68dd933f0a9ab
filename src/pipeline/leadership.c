/* SPDX-License-Identifier: MIT */
#include "pipeline/leadership.h"

#include "io/clock.h"

void leadership_init(struct leadership *lead, uint32_t compare_blocks)
{
    memset(lead, 0, sizeof(*lead));
    (void)pthread_mutex_init(&lead->lock, NULL);
    lead->compare_blocks = compare_blocks;
}

void leadership_set_mark(struct leadership *lead, const struct applied_mark *mark)
{
    (void)pthread_mutex_lock(&lead->lock);
    lead->mark = *mark;
    (void)pthread_mutex_unlock(&lead->lock);
}

struct applied_mark leadership_mark(struct leadership *lead)
{
    struct applied_mark mark;

    (void)pthread_mutex_lock(&lead->lock);
    mark = lead->mark;
    (void)pthread_mutex_unlock(&lead->lock);
    return mark;
}

int64_t leadership_left_ns(struct leadership *lead)
{
    return atomic_load_explicit(&lead->until_ns, memory_order_relaxed) - clock_mono_ns();
}
