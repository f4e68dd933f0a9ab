/* SPDX-License-Identifier: MIT */
/*
 * account.c — messages of the account channels: whole states from the views, and events as they occur, each once and
 * in order.
 */
#include "stream/inside.h"

/* ---- accountState ---- */

bool state_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    const struct views *views = stream->settings.present->views;
    struct state_record record = { .user = topic->key.user };
    struct view_account account;
    struct view_block   block;
    uint32_t            balances, orders;

    if (!views_account(views, topic->account_id, &account)) account = (struct view_account){ .owner = topic->key.user };
    if (topic->key.market == MARKET_PERPS) {
        perps_state_write(stream->settings.present, stream->now_ms, &account, out);
        return true;
    }
    record.account_id = account.account_id;
    record.user_id = account.user_id;
    orders = min_u32(ORDERS_MAX, views_state(views, MARKET_SPOT, record.account_id, &block, stream->balances, &balances,
                                             stream->orders, ORDERS_MAX));
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
static bool says(const struct stream *stream, const struct topic *topic, enum channel_says what)
{
    return channel_of(stream, topic)->says == what;
}

static bool takes_symbol(const struct topic *topic, uint8_t market, uint32_t symbol_id)
{
    return topic->key.market == market && (topic->key.symbol_id == 0 || topic->key.symbol_id == symbol_id);
}

/* Marks the states of the account for another message. */
static void touch(struct stream *stream, uint64_t account_id, uint8_t market)
{
    for (struct topic *topic = topic_of_account(stream, account_id); topic != NULL;
         topic = topic_next_of_account(stream, topic))
        if (topic->key.market == market) topic->dirty = true;
}

static void publish_order(struct stream *stream, const struct order_changed *event,
                          const struct stream_order_record *record)
{
    for (struct topic *topic = topic_of_account(stream, event->account_id); topic != NULL;
         topic = topic_next_of_account(stream, topic)) {
        struct out out;
        if (!says(stream, topic, SAYS_ORDERS) || !takes_symbol(topic, event->head.market, event->symbol_id)) continue;
        out = push_begin(stream, channel_of(stream, topic), false);
        shape_write(&out, event->head.market == MARKET_PERPS ? &stream_perps_order_shape : &stream_order_shape, record,
                    false);
        push_all(stream, topic, push_end(channel_of(stream, topic), &out));
    }
}

static void put_fill(const struct stream *stream, const struct filled *fill, struct stream_order_record *record)
{
    const struct views  *views = stream->settings.present->views;
    const struct symbol *symbol = views_symbol(views, fill->head.market, fill->symbol_id);

    record->trade_id = fill->trade_id;
    record->last_quantity = decimal_make(fill->quantity, (int)symbol->quantity_precision);
    record->last_price = decimal_make(fill->price, (int)symbol->price_precision);
    record->fee = decimal_make(fill->fee, (int)views_coin(views, fill->fee_coin_id)->precision);
    record->maker = fill->is_maker != 0;
    record->block_ms = fill->time_ms;
}

static bool is_execution_report(uint8_t exec_type)
{
    return exec_type == EXEC_PARTIALLY_FILLED || exec_type == EXEC_FILLED;
}

/* The amount frozen for a perps order depends on the whole account; a spot order's event carries it. */
static int128_t frozen_of(struct stream *stream, const struct order_changed *event)
{
    struct view_account account;

    if (event->head.market != MARKET_PERPS || !status_is_open(event->status)) return 0;
    if (!views_account(stream->settings.present->views, event->account_id, &account)) return 0;
    perps_account_read(stream->settings.present, &account);
    return perps_order_frozen(stream->settings.present, event->order_id);
}

static void put_order(const struct stream *stream, const struct perps_order_changed *order, int128_t frozen,
                      struct stream_order_record *record)
{
    const struct views *views = stream->settings.present->views;

    if (order->base.head.market == MARKET_PERPS) record_perps_order(views, order, frozen, &record->order);
    else record_order(views, &order->base, &record->order.order);
}

/*
 * The engine emits some orders twice in one command: one that rests after its replacement, a stop that fires in vain.
 * The second event has no execution and is not new.
 */
static bool is_repeated(const struct perps_order_changed *told, const struct perps_order_changed *changed)
{
    struct perps_order_changed same = *changed;

    if (changed->base.exec_type != EXEC_NEW && changed->base.exec_type != EXEC_PARTIALLY_FILLED) return false;
    same.base.exec_type = told->base.exec_type;
    if (status_is_open(same.base.status)) same.base.reason = told->base.reason; /* an open order is sent without one */
    return memcmp(told, &same, sizeof(same)) == 0;
}

/* The place of the last message of an order: where it is kept, or else that of the oldest. */
static struct perps_order_changed *told_of(struct stream *stream, uint64_t order_id)
{
    for (uint32_t i = 0; i < ORDERS_TOLD; i++)
        if (stream->told[i].base.order_id == order_id) return &stream->told[i];
    return &stream->told[stream->told_next++ % ORDERS_TOLD];
}

/*
 * One message per execution. The engine emits a taker's order once, after all its fills: the quantities left by the
 * earlier ones are computed back from there. The last fill and the order's own change are one message, when the fill
 * caused it.
 */
static void publish_executions(struct stream *stream, const struct perps_order_changed *changed)
{
    const struct order_changed *event = &changed->base;
    struct perps_order_changed  left = *changed;
    struct order_changed       *order = &left.base;
    int128_t                    frozen = frozen_of(stream, event);
    struct stream_order_record  record;
    struct filled               last_fill = { .trade_id = 0 }; /* a copy: those of other orders move up below */
    struct perps_order_changed *told = told_of(stream, event->order_id);
    uint32_t                    last = UINT32_MAX, kept = 0;
    int64_t                     quantity = 0, value = 0;

    for (uint32_t i = 0; i < stream->fill_count; i++) {
        if (stream->fills[i].fill.order_id != event->order_id) continue;
        last = i;
        last_fill = stream->fills[i].fill;
        quantity += stream->fills[i].fill.quantity;
        value += stream->fills[i].value;
    }
    order->executed -= quantity;
    order->executed_value -= value;
    for (uint32_t i = 0; i < stream->fill_count; i++) {
        const struct filled *fill = &stream->fills[i].fill;
        if (fill->order_id != event->order_id) {
            stream->fills[kept++] = stream->fills[i];
            continue;
        }
        order->executed += fill->quantity;
        order->executed_value += stream->fills[i].value;
        if (i == last && is_execution_report(event->exec_type)) continue;
        order->status = STATUS_PARTIALLY_FILLED;
        memset(&record, 0, sizeof(record));
        put_order(stream, &left, frozen, &record);
        record.event_ms = stream->block_ms;
        record.exec_type = EXEC_PARTIALLY_FILLED;
        put_fill(stream, fill, &record);
        publish_order(stream, event, &record);
    }
    stream->fill_count = kept;
    if (last == UINT32_MAX && is_repeated(told, changed)) return;
    *told = *changed;
    memset(&record, 0, sizeof(record));
    put_order(stream, changed, frozen, &record);
    record.event_ms = stream->block_ms;
    record.block_ms = event->updated_ms;
    record.exec_type = event->exec_type;
    record.reason = status_is_open(event->status) ? (uint8_t)REASON_NONE : event->reason;
    if (last != UINT32_MAX && is_execution_report(event->exec_type)) put_fill(stream, &last_fill, &record);
    publish_order(stream, event, &record);
}

static void publish_fill(struct stream *stream, const struct filled *event)
{
    struct stream_fill_record record = { .event_ms = stream->block_ms };
    bool                      keeps = false;

    record_fill(stream->settings.present->views, event, &record.fill);
    record.direction = event->side == SIDE_BUY ? POSITION_LONG : POSITION_SHORT;
    for (struct topic *topic = topic_of_account(stream, event->account_id); topic != NULL;
         topic = topic_next_of_account(stream, topic)) {
        struct out out;
        if (!takes_symbol(topic, event->head.market, event->symbol_id)) continue;
        keeps |= says(stream, topic, SAYS_ORDERS);
        if (!says(stream, topic, SAYS_FILLS)) continue;
        out = push_begin(stream, channel_of(stream, topic), false);
        shape_write(&out, event->head.market == MARKET_PERPS ? &stream_perps_fill_shape : &stream_fill_shape, &record,
                    false);
        push_all(stream, topic, push_end(channel_of(stream, topic), &out));
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

/* Of a batch's values of a balance only the last one is sent; of a position, its state when the batch is sent. */
static void note_change(struct stream *stream, uint64_t account_id, uint8_t market, struct change change)
{
    for (struct topic *topic = topic_of_account(stream, account_id); topic != NULL;
         topic = topic_next_of_account(stream, topic)) {
        uint32_t i = 0;
        if (topic->key.market != market || !says(stream, topic, SAYS_CHANGES)) continue;
        while (i < stream->change_count
               && (stream->changes[i].topic != topic || stream->changes[i].id != change.id
                   || stream->changes[i].position_id != change.position_id))
            i++;
        if (i == CHANGES_MAX) {
            account_lost(stream);
            return;
        }
        change.topic = topic;
        stream->changes[i] = change;
        if (i == stream->change_count) stream->change_count += 1;
    }
}

static void take_order(struct stream *stream, const struct event *event)
{
    const struct order_changed *order = (const struct order_changed *)event;
    struct perps_order_changed  spot = { .base = *order };

    touch(stream, order->account_id, event->market);
    if (account_is_listened_to(stream, order->account_id, SAYS_ORDERS))
        publish_executions(stream,
                           event->kind == EVENT_PERPS_ORDER ? (const struct perps_order_changed *)event : &spot);
}

static void take_balance(struct stream *stream, const struct balance *event)
{
    touch(stream, event->account_id, event->head.market);
    note_change(stream, event->account_id, event->head.market,
                (struct change){ .id = event->coin_id, .total = event->total, .locked = event->locked });
}

/* created_ms is needed of a position that is closed when it is sent; a funding event lacks it, and closes none. */
static void take_position(struct stream *stream, uint64_t account_id, uint32_t symbol_id, uint64_t position_id,
                          int64_t created_ms)
{
    touch(stream, account_id, MARKET_PERPS);
    note_change(stream, account_id, MARKET_PERPS,
                (struct change){ .id = symbol_id, .position_id = position_id, .created_ms = created_ms });
}

void account_publish(struct stream *stream, const struct event *event)
{
    switch (event->kind) {
    case EVENT_TRADE: stream->trade = *(const struct traded *)event; break;
    case EVENT_ACCOUNT: topics_opened(stream, (const struct account_opened *)event); break;
    case EVENT_FILL:
        if (topic_of_account(stream, ((const struct filled *)event)->account_id) != NULL)
            publish_fill(stream, (const struct filled *)event);
        break;
    case EVENT_ORDER:
    case EVENT_PERPS_ORDER: take_order(stream, event); break;
    case EVENT_BALANCE: take_balance(stream, (const struct balance *)event); break;
    case EVENT_POSITION: {
        const struct position_changed *position = (const struct position_changed *)event;
        take_position(stream, position->account_id, position->symbol_id, position->position_id, position->created_ms);
        break;
    }
    case EVENT_UNIT:
        liquidation_unit(stream, (const struct unit_stage *)event);
        touch(stream, ((const struct unit_stage *)event)->account_id, MARKET_PERPS);
        break;
    case EVENT_UNIT_POSITION: liquidation_position(stream, (const struct unit_position *)event); break;
    case EVENT_LEVERAGE: touch(stream, ((const struct leverage_changed *)event)->account_id, MARKET_PERPS); break;
    case EVENT_FUNDING: {
        const struct funded *funding = (const struct funded *)event;
        take_position(stream, funding->account_id, funding->symbol_id, funding->position_id, 0);
        break;
    }
    default: break;
    }
}

/* A position as it stands; one that is not there any more has size 0. */
static void put_position(struct stream *stream, const struct list *open, const struct change *change,
                         struct position_record *record)
{
    const struct position_record *rows = open->items;

    *record =
        (struct position_record){ .id = change->position_id,
                                  .symbol =
                                      views_symbol(stream->settings.present->views, MARKET_PERPS, change->id)->name,
                                  .side = POSITION_BOTH,
                                  .created_ms = change->created_ms,
                                  .updated_ms = stream->block_ms };
    for (uint32_t i = 0; i < open->count; i++)
        if (rows[i].id == change->position_id) *record = rows[i];
}

static void put_wallet(const struct stream *stream, const struct change *change, struct perps_balance_record *record)
{
    const struct coin *coin = views_coin(stream->settings.present->views, change->id);
    struct decimal     wallet = decimal_make(change->total, (int)coin->precision);

    *record =
        (struct perps_balance_record){ .id = coin->id, .coin = coin->name, .total = wallet, .collateral = wallet };
}

/* Open positions of a topic's account, when one of the changes is about them. */
static struct list open_positions(struct stream *stream, const struct topic *topic)
{
    struct view_account account;

    if (topic->key.market != MARKET_PERPS
        || !views_account(stream->settings.present->views, topic->account_id, &account))
        return (struct list){ 0 };
    perps_account_read(stream->settings.present, &account);
    return perps_position_records(stream->settings.present, 0);
}

/* All changes of a topic into one message. */
static void publish_update(struct stream *stream, struct topic *topic, uint32_t from)
{
    const struct views *views = stream->settings.present->views;
    bool                perps = topic->key.market == MARKET_PERPS;
    struct list         open = open_positions(stream, topic);
    uint32_t            coins = 0, positions = 0;
    struct out          out = push_begin(stream, channel_of(stream, topic), false);

    for (uint32_t k = from; k < stream->change_count; k++) {
        const struct change *change = &stream->changes[k];
        if (change->topic != topic) continue;
        if (change->position_id != 0) put_position(stream, &open, change, &stream->positions[positions++]);
        else if (perps && change->position_id == 0) put_wallet(stream, change, &stream->wallets[coins++]);
        else if (!perps)
            record_balance(views, &(struct view_balance){ change->id, 0, change->total, change->locked },
                           &stream->balance_records[coins++]);
        stream->changes[k].topic = NULL;
    }
    shape_write(&out, perps ? &stream_perps_update_shape : &stream_update_shape,
                &(struct stream_update_record){
                    .event_ms = stream->now_ms,
                    .block_ms = stream->block_ms,
                    .height = stream->height,
                    .balances = { perps ? (const void *)stream->wallets : stream->balance_records, coins, 0 },
                    .positions = { stream->positions, positions, 0 } },
                false);
    push_all(stream, topic, push_end(channel_of(stream, topic), &out));
}

/* The place of a topic may be another one's before the batch ends. */
void changes_forget(struct stream *stream, const struct topic *topic)
{
    for (uint32_t i = 0; i < stream->change_count; i++)
        if (stream->changes[i].topic == topic) stream->changes[i].topic = NULL;
}

/* The changes of a batch, one message per account. */
void account_end(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->change_count; i++)
        if (stream->changes[i].topic != NULL) publish_update(stream, stream->changes[i].topic, i);
    stream->change_count = 0;
    stream->fill_count = 0;
}

void account_lost(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->live_count; i++) {
        const struct topic *topic = &stream->topics[stream->live[i]];
        for (uint32_t ix = channel_of(stream, topic)->is_account ? topic->first : 0; ix != 0;
             ix = stream->subscriptions[ix].next)
            stream_hang_up(stream, stream->subscriptions[ix].slot, CLOSE_OVERLOADED,
                           "events of accounts were lost, subscribe again and read the state");
    }
    for (uint32_t i = 0; i < stream->paced_count; i++) stream->topics[stream->paced[i]].dirty = true;
}
