/* SPDX-License-Identifier: MIT */
#include "pipeline/branches.h"

#include <stdlib.h>

bool branches_add(struct branches *branches, const struct log_batch *batch)
{
    const struct revert *revert = log_batch_revert(batch);
    struct branch       *all = branches->all;

    if (revert == NULL) return true;
    if (branches->count == branches->cap) {
        uint32_t cap = branches->cap == 0 ? 64 : 2 * branches->cap;

        all = realloc(all, cap * sizeof(*all));
        if (all == NULL) return false;
        branches->all = all;
        branches->cap = cap;
    }
    all[branches->count] =
        (struct branch){ .at = batch->position, .behind = log_mark_behind(batch), .behind_ms = revert->behind_ms };
    memcpy(all[branches->count].target_chain.bytes, revert->chain, sizeof(revert->chain));
    memcpy(all[branches->count++].target.bytes, revert->position, sizeof(revert->position));
    return true;
}

void branches_free(struct branches *branches)
{
    free(branches->all);
    *branches = (struct branches){ 0 };
}

const struct branch *branches_last(const struct branches *branches, const struct log_position *end)
{
    uint32_t low = 0, high = branches->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (log_position_compare(&branches->all[middle].at, end) <= 0) low = middle + 1;
        else high = middle;
    }
    return low == 0 ? NULL : &branches->all[low - 1];
}

/* Each step leads to an earlier REVERT, so there are at most as many spans as REVERTs, and one. */
bool live_path_to(const struct branches *branches, const struct log_position *end, struct live_path *path)
{
    struct log_position  to = *end;
    const struct branch *branch;
    uint32_t             count = 0;

    *path = (struct live_path){ .spans = calloc(branches->count + 1, sizeof(*path->spans)) };
    if (path->spans == NULL) return false;
    while ((branch = branches_last(branches, &to)) != NULL) {
        path->spans[count++] = (struct live_span){ branch->at, to };
        assert(log_position_compare(&branch->target, &branch->at) < 0);
        to = branch->target;
    }
    path->spans[count++] = (struct live_span){ .to = to };
    for (uint32_t i = 0; i < count / 2; i++) {
        struct live_span span = path->spans[i];

        path->spans[i] = path->spans[count - 1 - i];
        path->spans[count - 1 - i] = span;
    }
    path->count = count;
    return true;
}

void live_path_free(struct live_path *path)
{
    free(path->spans);
    *path = (struct live_path){ 0 };
}

bool live_path_has(struct live_path *path, const struct log_position *position)
{
    while (path->next < path->count && log_position_compare(position, &path->spans[path->next].to) > 0) path->next += 1;
    return path->next < path->count && log_position_compare(position, &path->spans[path->next].after) > 0;
}
