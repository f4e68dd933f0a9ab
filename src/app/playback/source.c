/* SPDX-License-Identifier: MIT */
#include "app/playback/source.h"

#include <stdio.h>
#include <stdlib.h>

#define EVENTS_FIRST 1024

static bool refuse_line(struct sources *sources, const char *path, uint64_t line, const char *why)
{
    if (sources->why[0] == '\0')
        (void)snprintf(sources->why, sizeof(sources->why), "%.100s:%lu: %.190s", path, (unsigned long)line, why);
    return false;
}

bool source_refuse(struct sources *sources, const struct source *source, const char *why)
{
    return refuse_line(sources, source->path, source->line, why);
}

bool source_refuse_book(struct sources *sources, const struct source *source, const char *why)
{
    return refuse_line(sources, source->book_path, source->line, why);
}

bool source_add(struct sources *sources, struct source *source, const struct playback_event *event)
{
    if (source->count == source->cap) {
        uint32_t               cap = max_u32(2 * source->cap, EVENTS_FIRST);
        struct playback_event *events = realloc(source->events, cap * sizeof(*events));

        if (events == NULL) return source_refuse(sources, source, "not enough memory");
        source->events = events;
        source->cap = cap;
    }
    source->events[source->count++] = *event;
    return true;
}

bool source_symbol(struct sources *sources, struct slice name, uint32_t *symbol)
{
    for (*symbol = 0; *symbol < sources->symbol_count; ++*symbol)
        if (slice_equal(name_slice(&sources->symbols[*symbol]), name)) return true;
    if (sources->symbol_count == SOURCE_SYMBOLS || name.len == 0 || name.len > NAME_MAX_LEN) return false;
    sources->symbols[sources->symbol_count++] = name_make(name);
    return true;
}
