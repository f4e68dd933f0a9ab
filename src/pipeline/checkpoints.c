/* SPDX-License-Identifier: MIT */
#include "pipeline/checkpoints.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"

#include <stdlib.h>

#define PAGES_MAX   65536 /* of all checkpoints: 256 MiB */
#define MOVE_NS     INT64_C(1000000000)
#define MOVE_SHARE  50 /* the base moves at most for this part of the time, 1/50 */
#define PAGES_FIRST 64

/* What was in the base on one page. */
struct kept_page {
    uint32_t region, page;
    uint8_t *content;
};

struct checkpoint {
    struct log_mark   mark;
    struct blocks     blocks;
    struct kept_page *pages;
    uint32_t          count, cap;
    uint32_t         *index;  /* places of `pages` from 1, by hash; a power of two of them, twice the cap */
    uint8_t           head[]; /* of the views */
};

static size_t head_bytes(void) { return align_up(views_head_bytes(), PAGES_UNIT); }

/* All of it but what readers write, perhaps at this moment. */
static void copy_head(void *to, const void *from)
{
    size_t behind = views_head_bytes();

    memcpy(to, from, views_kept_bytes());
    memcpy((uint8_t *)to + behind, (const uint8_t *)from + behind, head_bytes() - behind);
}

/* ---- one checkpoint ---- */

static struct checkpoint *checkpoint_new(void)
{
    struct checkpoint *point = calloc(1, sizeof(*point) + head_bytes());

    if (point == NULL) return NULL;
    point->cap = PAGES_FIRST;
    point->pages = malloc(point->cap * sizeof(*point->pages));
    point->index = calloc(2 * (size_t)point->cap, sizeof(*point->index));
    if (point->pages != NULL && point->index != NULL) return point;
    free(point->pages);
    free(point->index);
    free(point);
    return NULL;
}

static void checkpoint_free(struct checkpoints *points, struct checkpoint *point)
{
    if (point == NULL) return;
    for (uint32_t i = 0; i < point->count; i++) free(point->pages[i].content);
    points->page_count -= point->count;
    free(point->pages);
    free(point->index);
    free(point);
}

/* Where the page stands in the index, or would. */
static uint32_t *place_of(const struct checkpoint *point, uint32_t region, uint32_t page)
{
    uint32_t mask = 2 * point->cap - 1;
    uint32_t at = (uint32_t)((((uint64_t)region << 32 | page) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;

    while (point->index[at] != 0) {
        const struct kept_page *kept = &point->pages[point->index[at] - 1];

        if (kept->region == region && kept->page == page) break;
        at = (at + 1) & mask;
    }
    return &point->index[at];
}

static bool grow(struct checkpoint *point)
{
    uint32_t          cap = 2 * point->cap;
    struct kept_page *pages = realloc(point->pages, cap * sizeof(*pages));
    uint32_t         *index = calloc(2 * (size_t)cap, sizeof(*index));

    if (pages != NULL) point->pages = pages;
    if (pages == NULL || index == NULL) {
        free(index);
        return false;
    }
    free(point->index);
    point->index = index;
    point->cap = cap;
    for (uint32_t i = 0; i < point->count; i++) *place_of(point, pages[i].region, pages[i].page) = i + 1;
    return true;
}

/* The checkpoint owns the content then. False: no memory. */
static bool hold(struct checkpoints *points, struct checkpoint *point, const struct kept_page *page)
{
    if (point->count == point->cap && !grow(point)) return false;
    point->pages[point->count++] = *page;
    *place_of(point, page->region, page->page) = point->count;
    points->page_count += 1;
    return true;
}

static bool holds(const struct checkpoint *point, uint32_t region, uint32_t page)
{
    return *place_of(point, region, page) != 0;
}

/* ---- the cache ---- */

static bool is_open(const struct checkpoints *points) { return points->pages[0].file >= 0; }

static void close_pages(struct checkpoints *points)
{
    for (uint32_t i = 0; i < 2; i++) pages_close(&points->pages[i]);
}

static void free_points(struct checkpoints *points)
{
    for (uint32_t i = 0; i < points->count; i++) checkpoint_free(points, points->all[i]);
    points->count = 0;
    checkpoint_free(points, points->base);
    points->base = NULL;
    points->is_begun = false;
}

void checkpoints_open(struct checkpoints *points, const struct exchange *exchange)
{
    size_t   head = head_bytes(), engine = engine_size(exchange->room), views = views_size(exchange->room);
    uint8_t *views_at = exchange->views_memory;

    *points = (struct checkpoints){ .pages = { { .file = -1, .map = -1 }, { .file = -1, .map = -1 } } };
    points->memory[0] = exchange->engine_memory;
    points->memory[1] = exchange->views_memory;
    points->moved_ns = clock_mono_ns(); /* the base begins when the start is over */
    if (exchange->views_base != NULL || views <= head) return;
    points->base = checkpoint_new(); /* here: the engine's thread allocates nothing */
    if (points->base != NULL && pages_open(&points->pages[0], exchange->engine_memory, engine)
        && pages_open(&points->pages[1], views_at + head, views - head))
        return;
    free_points(points);
    close_pages(points);
    log_line(LOG_INFO, "this system gives no memory whose changes can be told: going back reads the log");
}

void checkpoints_close(struct checkpoints *points)
{
    free_points(points);
    close_pages(points);
    free(points->all);
    points->all = NULL;
}

/* A raise of a limit has moved engine and views: there is no cache any more. */
static bool fits(struct checkpoints *points, const struct exchange *exchange)
{
    if (!is_open(points)) return false;
    if (points->memory[0] == exchange->engine_memory && points->memory[1] == exchange->views_memory) return true;
    free_points(points);
    close_pages(points);
    return false;
}

/* The cache is of no use any more; the memory stays as it is. */
static void give_up(struct checkpoints *points)
{
    free_points(points);
    close_pages(points);
    log_line(LOG_WARN, "there is no memory for checkpoints: going back reads the log");
}

void checkpoints_forget(struct checkpoints *points, const struct exchange *exchange)
{
    bool fine;

    if (!fits(points, exchange)) return;
    for (uint32_t i = 0; i < points->count; i++) checkpoint_free(points, points->all[i]);
    points->count = 0;
    if (!points->is_begun) return;
    fine = pages_clear(&points->pages[0]) && pages_clear(&points->pages[1]);
    assert(fine); /* memory alone */
}

/* ---- the base moves ---- */

static void note_state(struct checkpoint *point, const struct exchange *exchange, const struct log_mark *mark)
{
    point->mark = *mark;
    point->blocks = exchange->blocks;
    copy_head(point->head, exchange->views_memory);
}

/* One page of the base is written over; the last checkpoint needs what was there, unless it has an older content. */
static bool move_page(struct checkpoints *points, uint32_t region, size_t page)
{
    struct pages      *pages = &points->pages[region];
    struct checkpoint *last = points->count != 0 ? points->all[points->count - 1] : NULL;
    struct kept_page   kept = { .region = region, .page = (uint32_t)page };

    if (last != NULL && !holds(last, region, (uint32_t)page)) {
        kept.content = malloc(PAGES_UNIT);
        if (kept.content == NULL || !pages_read(pages, page, kept.content) || !hold(points, last, &kept)) {
            free(kept.content);
            return false;
        }
    }
    return pages_write(pages, page, pages->at + page * PAGES_UNIT);
}

static bool move_region(struct checkpoints *points, uint32_t region)
{
    struct pages *pages = &points->pages[region];
    size_t        from = 0, first, count;

    while ((count = pages_next(pages, &from, &first)) != 0) {
        for (size_t page = first; page < first + count; page++)
            if (!move_page(points, region, page)) return false;
        pages_drop(pages, first, count);
    }
    return !pages->failed;
}

static bool begin(struct checkpoints *points)
{
    if (points->base == NULL) points->base = checkpoint_new();
    if (points->base == NULL) return false;
    for (uint32_t i = 0; i < 2; i++)
        if (pages_begin(&points->pages[i]) != 0) return false;
    points->is_begun = true;
    return true;
}

/* The last one of a pair goes: what it holds is what the one before it lacks. */
static bool merge(struct checkpoints *points, struct checkpoint *into, struct checkpoint *from)
{
    bool fine = true;

    for (uint32_t i = 0; i < from->count; i++) {
        struct kept_page *page = &from->pages[i];

        if (!fine || holds(into, page->region, page->page)) continue;
        fine = hold(points, into, page);
        if (fine) page->content = NULL;
    }
    checkpoint_free(points, from);
    return fine;
}

static bool thin_out(struct checkpoints *points)
{
    uint32_t kept = 0;
    bool     fine = true;

    if (points->page_count <= PAGES_MAX || points->count < 4) return true;
    for (uint32_t i = 0; i < points->count; i++) {
        if (i % 2 == 1 && i + 1 < points->count) fine = merge(points, points->all[kept - 1], points->all[i]) && fine;
        else points->all[kept++] = points->all[i];
    }
    points->count = kept;
    return fine;
}

/* The base is a checkpoint from now on; what is written over in it goes there. */
static bool keep_base(struct checkpoints *points)
{
    struct checkpoint *point;

    if (points->count != 0
        && log_position_compare(&points->all[points->count - 1]->mark.position, &points->base->mark.position) == 0)
        return true;
    if (points->count == points->cap) {
        uint32_t            cap = points->cap == 0 ? 64 : 2 * points->cap;
        struct checkpoint **all = realloc(points->all, cap * sizeof(struct checkpoint *));

        if (all == NULL) return false;
        points->all = all;
        points->cap = cap;
    }
    point = checkpoint_new();
    if (point == NULL) return false;
    point->mark = points->base->mark;
    point->blocks = points->base->blocks;
    copy_head(point->head, points->base->head);
    points->all[points->count++] = point;
    return thin_out(points);
}

void checkpoints_move(struct checkpoints *points, const struct exchange *exchange, const struct log_mark *mark,
                      bool keep)
{
    int64_t began_ns = clock_mono_ns();
    bool    fine;

    if (!fits(points, exchange)) return;
    fine = points->is_begun ? move_region(points, 0) && move_region(points, 1) : begin(points);
    if (fine) note_state(points->base, exchange, mark);
    if (fine && keep) fine = keep_base(points);
    points->moved_ns = clock_mono_ns();
    points->took_ns = points->moved_ns - began_ns;
    if (!fine) give_up(points);
}

bool checkpoints_are_due(const struct checkpoints *points)
{
    int64_t wait_ns = max_i64(MOVE_NS, MOVE_SHARE * points->took_ns);

    return is_open(points) && clock_mono_ns() - points->moved_ns >= wait_ns;
}

/* ---- back ---- */

static bool is_on(const struct live_path *path, const struct log_position *position)
{
    if (log_position_is_none(position)) return true;
    for (uint32_t i = 0; i < path->count; i++)
        if (log_position_compare(position, &path->spans[i].after) >= 0
            && log_position_compare(position, &path->spans[i].to) <= 0)
            return true;
    return false;
}

static bool write_back(struct checkpoints *points, const struct checkpoint *point)
{
    for (uint32_t i = 0; i < point->count; i++) {
        const struct kept_page *kept = &point->pages[i];

        if (!pages_write(&points->pages[kept->region], kept->page, kept->content)) return false;
    }
    return true;
}

static bool drop_changed(struct pages *pages)
{
    size_t from = 0, first, count;

    while ((count = pages_next(pages, &from, &first)) != 0) pages_drop(pages, first, count);
    return !pages->failed;
}

/* The pages of a checkpoint are those of the base now. */
static void empty(struct checkpoints *points, struct checkpoint *point)
{
    for (uint32_t i = 0; i < point->count; i++) free(point->pages[i].content);
    points->page_count -= point->count;
    point->count = 0;
    memset(point->index, 0, 2 * (size_t)point->cap * sizeof(*point->index));
}

static bool adopt(struct exchange *exchange, const struct checkpoint *point)
{
    copy_head(exchange->views_memory, point->head);
    exchange->blocks = point->blocks;
    exchange->engine = engine_adopt(exchange->engine_memory, exchange->room);
    exchange->views = views_adopt(exchange->views_memory, exchange->room);
    exchange->events.len = exchange->folded = exchange->replies.len = 0;
    return exchange->engine != NULL && exchange->views != NULL;
}

static void go_to(struct checkpoints *points, struct exchange *exchange, uint32_t number)
{
    struct checkpoint *point = points->all[number];
    bool               fine = true;

    while (points->count > number + 1) {
        fine = write_back(points, points->all[points->count - 1]) && fine;
        checkpoint_free(points, points->all[--points->count]);
    }
    fine = write_back(points, point) && fine;
    fine = drop_changed(&points->pages[0]) && drop_changed(&points->pages[1]) && fine;
    assert(fine); /* memory alone: there is no way on from half of a state */
    empty(points, point);
    fine = adopt(exchange, point);
    assert(fine);
    note_state(points->base, exchange, &point->mark);
}

bool checkpoints_restore(struct checkpoints *points, struct exchange *exchange, const struct live_path *path,
                         struct log_mark *mark)
{
    uint32_t number = points->count;

    if (!fits(points, exchange) || !points->is_begun) return false;
    while (number != 0 && !is_on(path, &points->all[number - 1]->mark.position)) number--;
    if (number == 0) return false;
    go_to(points, exchange, number - 1);
    *mark = points->all[number - 1]->mark;
    return true;
}
