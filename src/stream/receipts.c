/* SPDX-License-Identifier: MIT */
/*
 * receipts.c — the channels liquidation and allLiquidation: the receipts of GET /perps/liquidations, as they occur.
 * They are read from the history, so both have the same contents; topic->trade_id is the last receipt that was sent to
 * all.
 */
#include "stream/inside.h"

static struct history_query query_of(const struct topic *topic, uint64_t last, uint32_t limit)
{
    return (struct history_query){ .market = MARKET_PERPS,
                                   .symbol_id = topic->key.symbol_id,
                                   .end_ms = INT64_MAX,
                                   .from_id = last + 1,
                                   .limit = limit };
}

static bool write_receipt(struct stream *stream, const struct history_receipt *receipt, struct out *out)
{
    struct receipt_record record;

    if (record_receipt(stream->settings.present, receipt, &stream->receipt_room, &record) != 0) return false;
    shape_write(out, &receipt_shape, &record, false);
    return true;
}

void receipts_begin(struct stream *stream, struct topic *topic)
{
    topic->trade_id = history_newest_receipt(stream->settings.present->history);
    topic->version = UINT64_MAX; /* of no book */
}

bool receipts_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    struct history_query query = query_of(topic, topic->trade_id, RECEIPTS_SHOWN);
    int                  count =
        topic->trade_id == 0 ? 0 : history_receipts(stream->settings.present->history, &query, stream->receipts);

    for (int i = 0; i < count; i++) {
        if (i != 0) out_char(out, ',');
        if (!write_receipt(stream, &stream->receipts[i], out)) return false;
    }
    return count >= 0;
}

/*
 * Receipt numbers have no gap, so a range of numbers is no more receipts than there is room for; the rest is sent next
 * time.
 */
bool receipts_update(struct stream *stream, struct topic *topic, struct out *out)
{
    uint64_t newest = history_newest_receipt(stream->settings.present->history), last_published = topic->trade_id;
    int      count;

    if (newest == last_published) return false;
    topic->trade_id = min_u64(newest, last_published + RECEIPTS_SHOWN);
    struct history_query query = query_of(topic, topic->trade_id, RECEIPTS_SHOWN);
    count = history_receipts(stream->settings.present->history, &query, stream->receipts);
    while (count > 0 && stream->receipts[count - 1].is.receipt_id <= last_published) count--;
    for (int i = count - 1; i >= 0; i--) {
        if (!write_receipt(stream, &stream->receipts[i], out)) return false;
        if (i != 0) out_char(out, ',');
    }
    return count > 0;
}
