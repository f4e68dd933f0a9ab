/* SPDX-License-Identifier: MIT */
/* scenario.h — a history as a scenario of tests/scenarios; a part of bench.c, which includes it. */
#ifndef TWIN_SCENARIO_H
#define TWIN_SCENARIO_H

#include "model/decimal.h"

static const char *in_words(struct decimal decimal)
{
    static char rooms[8][64];
    static int  next;
    struct out  out = { .at = rooms[next = (next + 1) % 8], .cap = sizeof(rooms[0]) - 1 };

    decimal_write(&out, decimal);
    rooms[next][out.len] = 0;
    return rooms[next];
}

static void print_new_order(FILE *out, const char *who, const struct new_order *o)
{
    const char *side = o->side == SIDE_BUY ? "buy" : "sell";

    if (o->type == TYPE_LIMIT)
        (void)fprintf(out, "%s %s %s @ %s %s %s", who, side, in_words(o->quantity), in_words(o->price),
                      enum_name_of(time_in_force_names, o->time_in_force), o->client_id.at);
    else {
        (void)fprintf(out, "%s market %s %s%s", who, side, o->funds.digits != 0 ? "funds " : "",
                      in_words(o->funds.digits != 0 ? o->funds : o->quantity));
        if (o->price.digits != 0) (void)fprintf(out, " @ %s", in_words(o->price));
        (void)fprintf(out, " %s", o->client_id.at);
    }
    (void)fprintf(out, "%s\n", o->symbol_id == 1 ? "" : "   # another symbol");
}

/* A batch of a scenario has its items behind one word; ended by a slash. */
static void print_perps_order(FILE *out, const struct perps_order *o)
{
    static const char *const triggers[] = { "", "LAST", "MARK", "INDEX" };
    const char              *side = o->side == SIDE_BUY ? "buy" : "sell";

    if (o->stop_type != 0) {
        (void)fprintf(out, "stop %s %s", side, o->quantity.digits == 0 ? "all" : in_words(o->quantity));
        if (o->price.digits != 0) (void)fprintf(out, " @ %s", in_words(o->price));
        (void)fprintf(out, "%s %s %s by %s %s%s", o->type == TYPE_LIMIT ? "" : " market",
                      o->stop_type == STOP_LOSS ? "loss" : "profit", in_words(o->stop_price), triggers[o->trigger_type],
                      o->client_id.at, o->reduce_only ? " reduce" : "");
        return;
    }
    if (o->type == TYPE_LIMIT)
        (void)fprintf(out, "%s %s @ %s %s %s", side, in_words(o->quantity), in_words(o->price),
                      enum_name_of(time_in_force_names, o->time_in_force), o->client_id.at);
    else {
        (void)fprintf(out, "market %s %s%s", side, o->funds.digits != 0 ? "funds " : "",
                      in_words(o->funds.digits != 0 ? o->funds : o->quantity));
        if (o->price.digits != 0) (void)fprintf(out, " @ %s", in_words(o->price));
        (void)fprintf(out, " %s", o->client_id.at);
    }
    (void)fprintf(out, "%s%s", o->reduce_only ? " reduce" : "",
                  o->position_side == POSITION_LONG    ? " LONG"
                  : o->position_side == POSITION_SHORT ? " SHORT"
                                                       : "");
}

static void print_perps(FILE *out, const char *who, const struct genesis *g, const struct command_room *room)
{
    switch (room->head.kind) {
    case CMD_PLACE_PERPS:
        (void)fprintf(out, "%s %s", who,
                      room->place_perps.items[0].modifier == MODIFIER_BRACKET ? "bracket "
                      : room->place_perps.count > 1                           ? "batch "
                                                                              : "");
        for (uint32_t i = 0; i < room->place_perps.count; i++) {
            if (i > 0) (void)fprintf(out, " / ");
            print_perps_order(out, &room->place_perps.items[i]);
        }
        (void)fprintf(out, "%s\n", room->place_perps.symbol_id == 1 ? "" : "   # another symbol");
        break;
    case CMD_CANCEL_PERPS:
        if (room->cancel_perps.items[0].order_id != 0)
            (void)fprintf(out, "%s cancel #%" PRIu64 "\n", who, room->cancel_perps.items[0].order_id);
        else (void)fprintf(out, "%s cancel %s\n", who, room->cancel_perps.items[0].client_id.at);
        break;
    case CMD_MODIFY_ORDER:
        if (room->modify_order.order_id != 0)
            (void)fprintf(out, "%s modify #%" PRIu64, who, room->modify_order.order_id);
        else (void)fprintf(out, "%s modify %s", who, room->modify_order.client_id.at);
        if (room->modify_order.stop_price.digits != 0)
            (void)fprintf(out, " stop %s", in_words(room->modify_order.stop_price));
        if (room->modify_order.price.digits != 0) (void)fprintf(out, " price %s", in_words(room->modify_order.price));
        if (room->modify_order.quantity.digits != 0)
            (void)fprintf(out, " quantity %s", in_words(room->modify_order.quantity));
        (void)fprintf(out, "\n");
        break;
    case CMD_UPDATE_LEVERAGE:
        (void)fprintf(out, "%s leverage %u %s\n", who, room->update_leverage.leverage,
                      room->update_leverage.margin_mode == MARGIN_ISOLATED ? "isolated" : "cross");
        break;
    case CMD_UPDATE_MARGIN: (void)fprintf(out, "%s margin %s\n", who, in_words(room->update_margin.amount)); break;
    case CMD_SET_INDEX:
        (void)fprintf(
            out, "post %s\n",
            in_words(decimal_of(room->set_index.price, g->perps[room->set_index.symbol_id - 1].price_precision)));
        break;
    case CMD_SET_MODE:
        (void)fprintf(out, "mode %s\n",
                      room->set_mode.mode == VENUE_CANCEL_ONLY   ? "cancel-only"
                      : room->set_mode.mode == VENUE_REDUCE_ONLY ? "reduce-only"
                                                                 : "run");
        break;
    case CMD_SET_MARKET:
        (void)fprintf(out, "market %s\n", room->set_market.status == SYMBOL_HALT ? "halt" : "trade");
        break;
    default: break;
    }
}

static uint32_t user_number(const struct address *address)
{
    uint32_t n;

    memcpy(&n, address->bytes + 16, sizeof(n));
    return n;
}

static void print_command(FILE *out, const struct genesis *g, const struct command_room *room, int64_t *time_ms)
{
    const struct command *c = &room->head;
    char                  who[32];

    (void)snprintf(who, sizeof(who), "u%u%s", user_number(&c->signer), c->key_id != 0 ? "/key" : "");
    if (c->kind != CMD_TICK && c->time_ms != *time_ms) (void)fprintf(out, "time +%" PRId64 "\n", c->time_ms - *time_ms);
    (void)fprintf(out, "# %s of %s, nonce %" PRIu64 ", account %" PRIu64 "\n", command_name(c->kind), who, c->nonce,
                  c->domain != 0 ? room->place_orders.account_id : 0);
    switch (c->kind) {
    case CMD_TICK: (void)fprintf(out, "tick +%" PRId64 "\n", c->time_ms - *time_ms); break;
    case CMD_PLACE_ORDERS:
        for (uint32_t i = 0; i < room->place_orders.count; i++) print_new_order(out, who, &room->place_orders.items[i]);
        break;
    case CMD_CANCEL_ORDERS:
        for (uint32_t i = 0; i < room->cancel_orders.count; i++) {
            const struct cancel_order *o = &room->cancel_orders.items[i];
            if (o->order_id != 0) (void)fprintf(out, "%s cancel #%" PRIu64 "\n", who, o->order_id);
            else
                (void)fprintf(out, "%s cancel %s\n", who,
                              o->orig_client_id.len != 0 ? o->orig_client_id.at : o->client_id.at);
        }
        break;
    case CMD_REPLACE_ORDERS:
        for (uint32_t i = 0; i < room->replace_orders.count; i++) {
            const struct replace_order *o = &room->replace_orders.items[i];
            if (o->orig_order_id != 0) (void)fprintf(out, "%s replace #%" PRIu64, who, o->orig_order_id);
            else (void)fprintf(out, "%s replace %s", who, o->orig_client_id.at);
            if (o->price.digits != 0) (void)fprintf(out, " price %s", in_words(o->price));
            if (o->quantity.digits != 0) (void)fprintf(out, " quantity %s", in_words(o->quantity));
            (void)fprintf(out, " as %s\n", o->client_id.at);
        }
        break;
    case CMD_DEPOSIT:
        (void)fprintf(
            out, "deposit u%u %s %s%s\n", user_number(&room->deposit.address),
            room->deposit.coin_id < g->coin_count ? g->coins[room->deposit.coin_id].name.at : "?",
            in_words(decimal_of(room->deposit.amount,
                                room->deposit.coin_id < g->coin_count ? g->coins[room->deposit.coin_id].precision : 0)),
            room->deposit.engine == MARKET_PERPS ? " perps" : "");
        break;
    case CMD_TRANSFER:
        (void)fprintf(out, "%s transfer %" PRIu64 " %s %s %s\n", who, room->transfer_asset.id,
                      in_words(room->transfer_asset.amount),
                      room->transfer_asset.coin_id < g->coin_count ? g->coins[room->transfer_asset.coin_id].name.at
                                                                   : "?",
                      room->transfer_asset.type == TRANSFER_EVM_WITHDRAW     ? "evm"
                      : room->transfer_asset.type == TRANSFER_PERPS_WITHDRAW ? "perps"
                      : room->transfer_asset.type == TRANSFER_SPOT_WITHDRAW  ? "spot"
                                                                             : "internal");
        break;
    case CMD_SCHEDULE_CANCEL:
        if (room->schedule_cancel.scheduled_ms.given)
            (void)fprintf(out, "%s schedule @%" PRIu64 "\n", who, room->schedule_cancel.scheduled_ms.value);
        else (void)fprintf(out, "%s schedule clear\n", who);
        break;
    case CMD_ADD_KEY:
        (void)fprintf(out, "%s key %s u%u\n", who, room->add_key.name.at, user_number(&room->add_key.public_key));
        break;
    case CMD_REVOKE_KEY: (void)fprintf(out, "%s revoke %s\n", who, room->revoke_key.name.at); break;
    case CMD_OPEN_ACCOUNT:
        (void)fprintf(out, "account u%u as u%u-2\n", user_number(&room->open_account.owner),
                      user_number(&room->open_account.owner));
        break;
    case CMD_SET_STAKING:
        (void)fprintf(out, "staking u%u %u\n", user_number(&room->set_staking.owner), room->set_staking.tier);
        break;
    case CMD_REDEEM:
        (void)fprintf(out, "redeem u%u %s %s\n", user_number(&room->redeem.address),
                      g->coins[room->redeem.coin_id].name.at,
                      in_words(decimal_of(room->redeem.amount, g->coins[room->redeem.coin_id].precision)));
        break;
    case CMD_TRANSFER_BETWEEN:
        (void)fprintf(out, "between %u %u coin %u amount %" PRId64 "%s\n", room->transfer_between.from_account_id,
                      room->transfer_between.to_account_id, room->transfer_between.coin_id,
                      room->transfer_between.amount, room->transfer_between.engine == MARKET_PERPS ? " perps" : "");
        break;
    case CMD_ADVANCE_TIME: (void)fprintf(out, "offset %" PRId64 "\n", room->advance_time.offset_ms); break;
    default: print_perps(out, who, g, room); break;
    }
    *time_ms = c->time_ms;
}

static void print_world(FILE *out, const struct genesis *g)
{
    const struct symbol *s = &g->spot[0];
    uint32_t             p = s->price_precision, q = s->quantity_precision;

    (void)fprintf(out, "symbol precision %u %u tick %s step %s price %s..%s quantity %s..%s\n", p, q,
                  in_words(decimal_of(s->tick_size, p)), in_words(decimal_of(s->step_size, q)),
                  in_words(decimal_of(s->min_price, p)), in_words(decimal_of(s->max_price, p)),
                  in_words(decimal_of(s->min_quantity, q)), in_words(decimal_of(s->max_quantity, q)));
    (void)fprintf(out, "symbol market %s..%s notional %s..%s deviation %s\n",
                  in_words(decimal_of(s->market_min_quantity, q)), in_words(decimal_of(s->market_max_quantity, q)),
                  in_words(decimal_of(s->min_notional, 6)), in_words(decimal_of(s->max_notional, 6)),
                  in_words(decimal_of(s->market_deviation_ratio, 8)));
    (void)fprintf(out, "symbol reference %s discount %s bands %s %s fees %s %s\n",
                  in_words(decimal_of(s->reference_price, p)), in_words(decimal_of(s->fee_discount, 8)),
                  in_words(decimal_of(s->buy_limit_up_ratio, 8)), in_words(decimal_of(s->sell_limit_down_ratio, 8)),
                  in_words(decimal_of(s->maker_fee, 8)), in_words(decimal_of(s->taker_fee, 8)));
    (void)fprintf(out, "rules stp %u place %u open %u triggers %u development %u hand %u\n", g->rules.stp_scope,
                  g->rules.replace_keeps_place, g->rules.open_orders_per_account, g->rules.schedule_triggers_per_day,
                  g->development, g->prices_by_hand);
    if (g->perps_count > 0) {
        const struct symbol *perps = &g->perps[0];
        (void)fprintf(out, "perps fund %s interest %s tick %s step %s notional %s..%s fees %s %s\n",
                      in_words(decimal_of(g->fund, 6)), in_words(decimal_of(g->contracts[0].interest_rate, 8)),
                      in_words(decimal_of(perps->tick_size, perps->price_precision)),
                      in_words(decimal_of(perps->step_size, perps->quantity_precision)),
                      in_words(decimal_of(perps->min_notional, 6)), in_words(decimal_of(perps->max_notional, 6)),
                      in_words(decimal_of(perps->maker_fee, 8)), in_words(decimal_of(perps->taker_fee, 8)));
    }
    (void)fprintf(out, "limits orders %u levels %u accounts %u deposits %u keys %u transfers %u\n", g->limits.orders,
                  g->limits.levels, g->limits.accounts, g->limits.deposits, g->limits.keys, g->limits.transfers);
}

void history_print(const struct history *history, FILE *out)
{
    static struct command_room room;
    int64_t                    time_ms = history->genesis.time_ms;

    (void)fprintf(out, "# %s\n", history->wrong);
    print_world(out, &history->genesis);
    for (uint64_t i = 0; i < history->count; i++) {
        memcpy(&room, history->commands[i], ((const struct command *)(const void *)history->commands[i])->bytes);
        print_command(out, &history->genesis, &room, &time_ms);
    }
}

#endif
