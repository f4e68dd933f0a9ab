/* SPDX-License-Identifier: MIT */
/*
 * liquidation.c — the channel accountEvent (wire 6.6): a risk unit went into liquidation, or a stage further. The
 * event carries its state at that moment, so the message has the values of the decision, not those afterwards. A
 * unit's recovery is no event of this channel.
 */
#include "stream/inside.h"

static void put_wallet(const struct views *views, int64_t wallet, struct perps_balance_record *record)
{
    const struct coin *coin = views_coin(views, COIN_MARGIN);
    struct decimal     amount = decimal_make(wallet, (int)coin->precision);

    *record =
        (struct perps_balance_record){ .id = coin->id, .coin = coin->name, .total = amount, .collateral = amount };
}

static void put_position(const struct views *views, const struct unit_position *event, struct position_record *record)
{
    const struct symbol *symbol = views_symbol(views, MARKET_PERPS, event->symbol_id);
    int                  p = (int)symbol->price_precision;

    *record = (struct position_record){ .id = event->position_id,
                                        .symbol = symbol->name,
                                        .side = POSITION_BOTH,
                                        .size = decimal_make(event->size, (int)symbol->quantity_precision),
                                        .mark_price = decimal_make(event->mark, p),
                                        .liquidation_price = decimal_make(event->liquidation_price, p) };
}

static void publish_unit(struct stream *stream)
{
    const struct views         *views = stream->settings.present->views;
    const struct unit_stage    *unit = &stream->unit;
    int                         p = (int)views_coin(views, COIN_MARGIN)->precision;
    struct perps_balance_record wallet;
    /* clang-format off */
    struct stream_liquidation_record record = {
        .type = STREAM_LIQUIDATION, .event_ms = unit->time_ms, .liquidator = ACCOUNT_FUND,
            .liquidation_id = unit->liquidation_id,
        .account_id = unit->account_id, .margin_mode = unit->symbol_id == 0 ? MARGIN_CROSS : MARGIN_ISOLATED,
        .account_value = decimal_make(unit->equity, p), .maintenance = decimal_make(unit->maintenance, p),
        .balances = { &wallet, 1, 0 }, .positions = { stream->positions, stream->unit_positions, 0 } };

    put_wallet(views, unit->wallet, &wallet);
    for (struct topic *topic = topic_of_account(stream, unit->account_id); topic != NULL;
        topic = topic_next_of_account(stream, topic)) {
        struct out out;
        if (channel_of(stream, topic)->says != SAYS_LIQUIDATIONS) continue;
        out = push_begin(stream, channel_of(stream, topic), false);
        shape_write(&out, &stream_liquidation_shape, &record, false);
        push_all(stream, topic, push_end(channel_of(stream, topic), &out));
    }
    /* clang-format on */
}

void liquidation_unit(struct stream *stream, const struct unit_stage *event)
{
    stream->unit = *event;
    stream->unit_positions = 0;
    stream->unit_open =
        event->stage != STAGE_HEALTHY && account_is_listened_to(stream, event->account_id, SAYS_LIQUIDATIONS);
    if (stream->unit_open && event->positions == 0) publish_unit(stream);
}

/* The last of a unit's positions completes the message. */
void liquidation_position(struct stream *stream, const struct unit_position *event)
{
    if (!stream->unit_open || event->liquidation_id != stream->unit.liquidation_id
        || stream->unit_positions == stream->unit.positions)
        return;
    put_position(stream->settings.present->views, event, &stream->positions[stream->unit_positions++]);
    if (stream->unit_positions == stream->unit.positions) publish_unit(stream);
}
