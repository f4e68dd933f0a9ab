/* SPDX-License-Identifier: MIT */
#include "marks.h"

#include "world.h"

#define MARKS 8 /* each replay computes a hash at all of them */

static struct mark {
    uint64_t       seq;
    struct hash256 state;
} marks[MARKS];
static uint32_t mark_count;

void marks_begin(void) { mark_count = 0; }

void marks_keep(uint64_t last_seq)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < mark_count; i++)
        if (marks[i].seq <= last_seq) marks[kept++] = marks[i];
    mark_count = kept;
}

static const struct mark *mark_of(uint64_t seq)
{
    for (uint32_t i = 0; i < mark_count; i++)
        if (marks[i].seq == seq) return &marks[i];
    return NULL;
}

void marks_judge(const struct engine *engine, uint64_t seq, bool add)
{
    const struct mark *mark = mark_of(seq);
    struct hash256     state;

    if (mark == NULL && !add) return;
    state = engine_hash(engine);
    if (mark != NULL) {
        if (!hash256_equal(&state, &mark->state))
            world_wrong("the state behind command %lu is another one than it was", (unsigned long)seq);
        return;
    }
    if (mark_count == MARKS) memmove(&marks[0], &marks[1], --mark_count * sizeof(marks[0]));
    marks[mark_count++] = (struct mark){ seq, state };
}
