/* SPDX-License-Identifier: MIT */
/*
 * account.c — what the account channels say: whole states from the views, and events as they come, each once and in
 * the order in which they became true.
 */
#include "stream/inside.h"

/* ---- accountState ---- */

bool state_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    const struct views *views = stream->settings.api->views;
    struct state_record record = { .user = topic->key.user };
    struct view_account account;
    struct view_block block;
    uint32_t balances, orders;

    if (!views_account(views, topic->account_id, &account)) account = (struct view_account){ .owner = topic->key.user };
    if (topic->key.market == MARKET_PERPS) {
        perps_state_write(stream->settings.own, stream->now_ms, &account, out);
        return true;
    }
    record.account_id = account.account_id;
    record.user_id = account.user_id;
    orders = min_u32(ORDERS_MAX, views_state(views, MARKET_SPOT, record.account_id, &block, stream->balances, &balances, stream->orders, ORDERS_MAX));
    for (uint32_t i = 0; i < balances; i++) record_balance(views, &stream->balances[i], &stream->balance_records[i]);
    for (uint32_t i = 0; i < orders; i++) record_order(views, &stream->orders[i], &stream->order_records[i]);
    record.balances = (struct list){ stream->balance_records, balances, 0 };
    record.orders = (struct list){ stream->order_records, orders, 0 };
    record.block_time = block.time_ms;
    record.block_height = block.height;
    shape_write(out, &state_shape, &record, false);
    return true;
}

bool state_update(struct stream *stream, struct topic *topic, struct out *out)
{
    if (!topic->dirty) return false;
    topic->dirty = false;
    return state_snapshot(stream, topic, out);
}

/* ---- events ---- */

/* Which channel of an account an event is for. */
static bool is_channel(const struct topic *topic, const char *name) { return strcmp(channel_of(topic)->name, name) == 0; }

static bool takes_symbol(const struct topic *topic, uint8_t market, uint32_t symbol_id)
{
    return topic->key.market == market && (topic->key.symbol_id == 0 || topic->key.symbol_id == symbol_id);
}

/* The states of the account are to be told again. */
static void touch(struct stream *stream, uint64_t account_id, uint8_t market)
{
    for (struct topic *topic = topic_of_account(stream, account_id); topic != NULL; topic = topic_next_of_account(stream, topic))
        if (topic->key.market == market) topic->dirty = true;
}

static void tell_order(struct stream *stream, const struct order_changed *event, const struct stream_order_record *record)
{
    for (struct topic *topic = topic_of_account(stream, event->account_id); topic != NULL; topic = topic_next_of_account(stream, topic)) {
        struct out out;
        if (!is_channel(topic, "accountOrderUpdate") || !takes_symbol(topic, event->head.market, event->symbol_id)) continue;
        out = push_begin(stream, channel_of(topic), false);
        shape_write(&out, &stream_order_shape, record, false);
        push_all(stream, topic, push_end(stream, channel_of(topic), &out));
    }
}

static void put_fill(const struct stream *stream, const struct filled *fill, struct stream_order_record *record)
{
    const struct views  *views = stream->settings.api->views;
    const struct symbol *symbol = views_symbol(views, fill->head.market, fill->symbol_id);

    record->trade_id = fill->trade_id;
    record->last_quantity = decimal_make(fill->quantity, (int)symbol->quantity_precision);
    record->last_price = decimal_make(fill->price, (int)symbol->price_precision);
    record->fee = decimal_make(fill->fee, (int)views_coin(views, fill->fee_coin_id)->precision);
    record->maker = fill->is_maker != 0;
    record->block_ms = fill->time_ms;
}

static bool says_execution(uint8_t exec_type) { return exec_type == EXEC_PARTIALLY_FILLED || exec_type == EXEC_FILLED; }

/*
 * One message per execution. The engine tells a taker's order once, behind all its fills: what the earlier ones left
 * is counted back from there. The last fill and the order's own change are one message, when that is what changed it.
 */
static void tell_executions(struct stream *stream, const struct order_changed *event)
{
    struct order_changed       order = *event;
    struct stream_order_record record;
    uint32_t last = UINT32_MAX, kept = 0;
    int64_t  quantity = 0, value = 0;

    for (uint32_t i = 0; i < stream->fill_count; i++) {
        if (stream->fills[i].fill.order_id != event->order_id) continue;
        last = i;
        quantity += stream->fills[i].fill.quantity;
        value += stream->fills[i].value;
    }
    order.executed -= quantity;
    order.executed_value -= value;
    for (uint32_t i = 0; i < stream->fill_count; i++) {
        const struct filled *fill = &stream->fills[i].fill;
        if (fill->order_id != event->order_id) {
            stream->fills[kept++] = stream->fills[i];
            continue;
        }
        order.executed += fill->quantity;
        order.executed_value += stream->fills[i].value;
        if (i == last && says_execution(event->exec_type)) continue;
        order.status = STATUS_PARTIALLY_FILLED;
        memset(&record, 0, sizeof(record));
        record_order(stream->settings.api->views, &order, &record.order);
        record.event_ms = stream->block_ms;
        record.exec_type = EXEC_PARTIALLY_FILLED;
        put_fill(stream, fill, &record);
        tell_order(stream, event, &record);
    }
    memset(&record, 0, sizeof(record));
    record_order(stream->settings.api->views, event, &record.order);
    record.event_ms = stream->block_ms;
    record.block_ms = event->updated_ms;
    record.exec_type = event->exec_type;
    record.reason = status_is_open(event->status) ? (uint8_t)REASON_NONE : event->reason;
    if (last != UINT32_MAX && says_execution(event->exec_type)) put_fill(stream, &stream->fills[last].fill, &record);
    tell_order(stream, event, &record);
    stream->fill_count = kept;
}

static void tell_fill(struct stream *stream, const struct filled *event)
{
    struct stream_fill_record record = { .event_ms = stream->block_ms };
    bool keeps = false;

    record_fill(stream->settings.api->views, event, &record.fill);
    for (struct topic *topic = topic_of_account(stream, event->account_id); topic != NULL; topic = topic_next_of_account(stream, topic)) {
        struct out out;
        if (!takes_symbol(topic, event->head.market, event->symbol_id)) continue;
        keeps |= is_channel(topic, "accountOrderUpdate");
        if (!is_channel(topic, "accountTrade")) continue;
        out = push_begin(stream, channel_of(topic), false);
        shape_write(&out, &stream_fill_shape, &record, false);
        push_all(stream, topic, push_end(stream, channel_of(topic), &out));
    }
    if (!keeps) return;
    if (stream->fill_count == FILLS_MAX) {
        account_lost(stream);
        return;
    }
    stream->fills[stream->fill_count].fill = *event;
    stream->fills[stream->fill_count].value = stream->trade.trade_id == event->trade_id ? stream->trade.value : 0;
    stream->fill_count += 1;
}

/* Only the last value that a batch gives a balance is told. */
static void note_balance(struct stream *stream, const struct balance *event)
{
    for (struct topic *topic = topic_of_account(stream, event->account_id); topic != NULL; topic = topic_next_of_account(stream, topic)) {
        uint32_t i = 0;
        if (topic->key.market != event->head.market || !is_channel(topic, "accountUpdate")) continue;
        while (i < stream->change_count && (stream->changes[i].topic != topic || stream->changes[i].coin_id != event->coin_id)) i++;
        if (i == CHANGES_MAX) {
            account_lost(stream);
            return;
        }
        stream->changes[i] = (struct change){ topic, event->coin_id, event->total, event->locked };
        if (i == stream->change_count) stream->change_count += 1;
    }
}

void account_tell(struct stream *stream, const struct event *event)
{
    switch (event->kind) {
    case EVENT_TRADE:
        stream->trade = *(const struct traded *)event;
        break;
    case EVENT_ACCOUNT:
        topics_opened(stream, (const struct account_opened *)event);
        break;
    case EVENT_FILL:
        if (topic_of_account(stream, ((const struct filled *)event)->account_id) != NULL) tell_fill(stream, (const struct filled *)event);
        break;
    case EVENT_ORDER:
        touch(stream, ((const struct order_changed *)event)->account_id, event->market);
        if (topic_of_account(stream, ((const struct order_changed *)event)->account_id) != NULL) tell_executions(stream, (const struct order_changed *)event);
        break;
    case EVENT_PERPS_ORDER:
        touch(stream, ((const struct perps_order_changed *)event)->base.account_id, event->market);
        break;
    case EVENT_POSITION:
        touch(stream, ((const struct position_changed *)event)->account_id, event->market);
        break;
    case EVENT_FUNDING:
        touch(stream, ((const struct funded *)event)->account_id, event->market);
        break;
    case EVENT_BALANCE:
        touch(stream, ((const struct balance *)event)->account_id, event->market);
        note_balance(stream, (const struct balance *)event);
        break;
    default: break;
    }
}

/* The balances that a batch changed, one message per account. */
void account_end(struct stream *stream)
{
    const struct views *views = stream->settings.api->views;

    for (uint32_t i = 0; i < stream->change_count; i++) {
        struct topic *topic = stream->changes[i].topic;
        struct out    out;
        uint32_t      count = 0;
        if (topic == NULL) continue;
        for (uint32_t k = i; k < stream->change_count; k++) {
            const struct change *change = &stream->changes[k];
            if (change->topic != topic || count == COINS_MAX) continue;
            record_balance(views, &(struct view_balance){ change->coin_id, 0, change->total, change->locked }, &stream->balance_records[count++]);
            stream->changes[k].topic = NULL;
        }
        out = push_begin(stream, channel_of(topic), false);
        shape_write(&out, &stream_update_shape, &(struct stream_update_record){
            .event_ms = stream->now_ms, .block_ms = stream->block_ms, .height = stream->height,
            .balances = { stream->balance_records, count, 0 } }, false);
        push_all(stream, topic, push_end(stream, channel_of(topic), &out));
    }
    stream->change_count = 0;
    stream->fill_count = 0;
}

void account_lost(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->live_count; i++) {
        const struct topic *topic = &stream->topics[stream->live[i]];
        for (uint32_t ix = channel_of(topic)->is_account ? topic->first : 0; ix != 0; ix = stream->subscriptions[ix].next)
            stream_hang_up(stream, stream->subscriptions[ix].slot, CLOSE_OVERLOADED, "events of accounts were lost, subscribe again and read the state");
    }
    for (uint32_t i = 0; i < stream->paced_count; i++) stream->topics[stream->paced[i]].dirty = true;
}
