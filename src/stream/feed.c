/* SPDX-License-Identifier: MIT */
#include "stream/feed.h"

void stream_feed_init(struct stream_feed *feed, void *memory)
{
    memset(feed, 0, sizeof(*feed));
    ring_init(&feed->ring, memory, FEED_BYTES);
}

/* Which events somebody with these wants is told. */
static bool is_wanted(uint32_t wants, uint16_t kind)
{
    switch (kind) {
    case EVENT_TRADE:       return (wants & (FEED_TRADES | FEED_ACCOUNTS)) != 0;
    case EVENT_ORDER:
    case EVENT_FILL:
    case EVENT_BALANCE:
    case EVENT_ACCOUNT:
    case EVENT_PERPS_ORDER:
    case EVENT_POSITION:
    case EVENT_LEVERAGE:
    case EVENT_FUNDING:
    case EVENT_UNIT:
    case EVENT_UNIT_POSITION: return (wants & FEED_ACCOUNTS) != 0;
    default:                return false;
    }
}

static struct stream_part *begin_part(struct stream_feed *feed)
{
    struct stream_part *part = NULL;

    if (atomic_load_explicit(&feed->lost, memory_order_relaxed) == 0) part = ring_reserve(&feed->ring, FEED_PART);
    if (part == NULL) atomic_store_explicit(&feed->lost, 1, memory_order_release);
    return part;
}

static void end_part(struct stream_feed *feed, struct stream_part *part, uint64_t height, int64_t time_ms, bool last, uint32_t bytes)
{
    *part = (struct stream_part){ height, time_ms, bytes, last };
    ring_fill(&feed->ring, sizeof(*part) + bytes);
}

void stream_feed_add(struct stream_feed *feed, const struct events *events, uint64_t height, int64_t time_ms, bool last)
{
    uint32_t          wants = atomic_load_explicit(&feed->wants, memory_order_acquire), bytes = 0;
    struct stream_part *part = NULL;

    if ((wants & (FEED_TRADES | FEED_ACCOUNTS)) == 0) return;
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (!is_wanted(wants, event->kind)) continue;
        if (part != NULL && sizeof(*part) + bytes + event->bytes > FEED_PART) {
            end_part(feed, part, height, time_ms, false, bytes);
            part = NULL;
        }
        if (part == NULL) {
            part = begin_part(feed);
            bytes = 0;
        }
        if (part == NULL) return;
        memcpy((uint8_t *)(part + 1) + bytes, event, event->bytes);
        bytes += event->bytes;
    }
    if (part == NULL && last) {
        part = begin_part(feed);            /* the batch ends, whatever was in its earlier parts */
        bytes = 0;
    }
    if (part != NULL) end_part(feed, part, height, time_ms, last, bytes);
}

static bool wants_events(const struct stream_feed *feed)
{
    return (atomic_load_explicit(&feed->wants, memory_order_acquire) & (FEED_TRADES | FEED_ACCOUNTS)) != 0;
}

bool stream_feed_show(struct stream_feed *feed, bool whole)
{
    if (atomic_load_explicit(&feed->wants, memory_order_acquire) == 0 || (!whole && !wants_events(feed))) return false;
    ring_show(&feed->ring);
    if (whole) atomic_store_explicit(&feed->turns, atomic_load_explicit(&feed->turns, memory_order_relaxed) + 1, memory_order_release);
    atomic_store_explicit(&feed->shown, atomic_load_explicit(&feed->shown, memory_order_relaxed) + 1, memory_order_release);
    return true;
}

void stream_feeds_add(const struct stream_feeds *feeds, const struct events *events, uint64_t height, int64_t time_ms, bool last)
{
    for (uint32_t i = 0; i < feeds->count; i++) stream_feed_add(feeds->feeds[i], events, height, time_ms, last);
}

bool stream_feeds_want_events(const struct stream_feeds *feeds)
{
    for (uint32_t i = 0; i < feeds->count; i++)
        if (wants_events(feeds->feeds[i])) return true;
    return false;
}

void stream_feeds_show(const struct stream_feeds *feeds, bool whole)
{
    for (uint32_t i = 0; i < feeds->count; i++)
        if (stream_feed_show(feeds->feeds[i], whole)) feeds->wake(feeds->self, i);
}
