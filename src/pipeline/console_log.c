/* SPDX-License-Identifier: MIT */
#include "pipeline/console_log.h"

#include "base/out.h"
#include "pipeline/blocks.h"
#include "gateway/engine_messages.h"

#include <stdio.h>

#define PARAMS_BYTES 256 /* of a request in a line of 512 bytes */

void console_log_init(struct console_log *console_log, const struct genesis *genesis, void *memory)
{
    memset(console_log, 0, sizeof(*console_log));
    console_log->genesis = genesis;
    ring_init(&console_log->lines, memory, CONSOLE_LOG_RING_BYTES);
}

/* The totals of a command's events. */
struct sum {
    uint32_t                    items, passed, fills;
    const struct result        *first;
    const struct refused       *refused;
    const struct order_changed *order; /* the last state of the first order */
    const struct schedule      *schedule;
};

static struct sum sum_of(const struct events *events)
{
    struct sum sum = { 0 };

    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (event->kind == EVENT_REFUSED) sum.refused = (const struct refused *)event;
        if (event->kind == EVENT_TRADE) sum.fills += 1;
        if (event->kind == EVENT_SCHEDULE) sum.schedule = (const struct schedule *)event;
        if (event->kind == EVENT_RESULT) {
            const struct result *result = (const struct result *)event;
            if (sum.first == NULL) sum.first = result;
            sum.items += 1;
            sum.passed += result->reject == REJECT_NONE;
        }
        if (event->kind == EVENT_ORDER || event->kind == EVENT_PERPS_ORDER) { /* the second begins with the first */
            const struct order_changed *order = (const struct order_changed *)event;
            if (sum.first != NULL && order->order_id == sum.first->order_id) sum.order = order;
        }
    }
    return sum;
}

static const struct symbol *symbol_of(const struct console_log *console_log, uint8_t market, uint64_t id)
{
    const struct genesis *genesis = console_log->genesis;
    uint32_t              count = market == MARKET_PERPS ? genesis->perps_count : genesis->spot_count;

    return id >= 1 && id <= count ? &(market == MARKET_PERPS ? genesis->perps : genesis->spot)[id - 1] : NULL;
}

static void put_units(struct out *out, int64_t units, uint32_t precision)
{
    decimal_write(out, decimal_make(units, (int)precision));
}

static void put_symbol(const struct console_log *console_log, struct out *out, uint8_t market, uint64_t id)
{
    const struct symbol *symbol = symbol_of(console_log, market, id);

    if (symbol != NULL) out_slice_put(out, name_slice(&symbol->name));
    else out_literal(out, "unknown symbol");
}

/* An order of either side. */
struct wanted {
    uint8_t        market, side, type;
    uint64_t       symbol_id;
    struct decimal price, quantity, funds;
};

static void put_place(const struct console_log *console_log, struct out *out, const struct wanted *order)
{
    out_literal(out, "place ");
    put_symbol(console_log, out, order->market, order->symbol_id);
    out_text(out, order->side == SIDE_BUY ? " buy " : " sell ");
    if (decimal_is_given(order->quantity)) decimal_write(out, order->quantity);
    else if (decimal_is_given(order->funds)) decimal_write(out, order->funds);
    else out_literal(out, "position");
    if (decimal_is_given(order->funds)) out_literal(out, " of funds");
    out_literal(out, " @ ");
    if (order->type == TYPE_MARKET) out_literal(out, "market");
    else decimal_write(out, order->price);
}

static void put_place_spot(const struct console_log *console_log, struct out *out, const struct place_orders *place)
{
    const struct new_order *order = &place->items[0];

    put_place(console_log, out,
              &(struct wanted){ MARKET_SPOT, order->side, order->type, order->symbol_id, order->price, order->quantity,
                                order->funds });
}

static void put_place_perps(const struct console_log *console_log, struct out *out, const struct place_perps *place)
{
    const struct perps_order *order = &place->items[0];

    put_place(console_log, out,
              &(struct wanted){ MARKET_PERPS, order->side, order->type, place->symbol_id, order->price, order->quantity,
                                order->funds });
    if (!decimal_is_given(order->stop_price)) return;
    out_text(out, order->stop_type == STOP_LOSS ? ", stop-loss at " : ", take-profit at ");
    decimal_write(out, order->stop_price);
}

static void put_margin(const struct console_log *console_log, struct out *out, const struct update_margin *margin)
{
    out_literal(out, "margin ");
    put_symbol(console_log, out, MARKET_PERPS, margin->symbol_id);
    out_text(out, margin->amount.digits > 0 ? " +" : " ");
    decimal_write(out, margin->amount);
}

static void put_leverage(const struct console_log *console_log, struct out *out, const struct update_leverage *leverage)
{
    out_literal(out, "leverage ");
    put_symbol(console_log, out, MARKET_PERPS, leverage->symbol_id);
    out_char(out, ' ');
    out_u64(out, leverage->leverage);
    out_text(out, leverage->margin_mode == MARGIN_ISOLATED ? "x isolated" : "x cross");
}

static void put_amount(const struct console_log *console_log, struct out *out, uint32_t coin_id, int64_t amount)
{
    const struct coin *coin = &console_log->genesis->coins[coin_id];

    out_char(out, ' ');
    if (coin_id >= console_log->genesis->coin_count) return;
    put_units(out, amount, coin->precision);
    out_char(out, ' ');
    out_slice_put(out, name_slice(&coin->name));
}

/* 0x7777…7777 */
static void put_address(struct out *out, const struct address *address)
{
    out_literal(out, " 0x");
    out_hex(out, address->bytes, 2);
    out_literal(out, "…");
    out_hex(out, address->bytes + 18, 2);
}

/* The params as they stand in {"type":…,"params":…}, without a second signature behind them. */
static void put_params(struct out *out, struct slice signed_bytes)
{
    static const char before[] = "\"params\":", behind[] = "},\"signature\":";
    const char       *from = memmem(signed_bytes.at, signed_bytes.len, before, sizeof(before) - 1), *to;
    size_t            rest;

    if (from == NULL) return;
    from += sizeof(before) - 1;
    rest = signed_bytes.len - (size_t)(from - signed_bytes.at);
    if (rest == 0) return;
    to = memmem(from, rest, behind, sizeof(behind) - 1);
    rest = to != NULL ? (size_t)(to - from) + 1 : rest - 1;
    out_char(out, ' ');
    out_slice_put(out, slice_make(from, min_u64(rest, PARAMS_BYTES)));
    if (rest > PARAMS_BYTES) out_literal(out, "…");
}

/* All values of these are numbers, names and printable texts, which a terminal can show. */
static bool shows_params(uint16_t kind)
{
    uint8_t sender = command_row(kind)->sender;

    return sender == SENDER_OPERATOR || sender == SENDER_OPERATOR_ONCE || sender == SENDER_DEVELOPER;
}

/* The operator's request, behind its name. */
static void put_operator(const struct console_log *console_log, struct out *out, const struct command *command,
                         struct slice signed_bytes)
{
    uint16_t              kind = command->kind;
    const void           *payload = command_payload(command);
    const struct deposit *deposit = payload;
    const struct redeem  *redeem = payload;

    if (kind == CMD_DEPOSIT) {
        put_amount(console_log, out, deposit->coin_id, deposit->amount);
        put_address(out, &deposit->address);
        out_text(out, deposit->engine == MARKET_PERPS ? " perps" : " spot");
    } else if (kind == CMD_REDEEM) {
        put_amount(console_log, out, redeem->coin_id, redeem->amount);
        put_address(out, &redeem->address);
    } else if (kind == CMD_OPEN_ACCOUNT) {
        put_address(out, &((const struct open_account *)payload)->owner);
    } else if (kind == CMD_SET_STAKING) {
        put_address(out, &((const struct set_staking *)payload)->owner);
        out_literal(out, " tier ");
        out_u64(out, ((const struct set_staking *)payload)->tier);
    } else if (kind == CMD_SET_MODE) {
        out_char(out, ' ');
        out_text(out, enum_name_of(venue_mode_names, ((const struct set_mode *)payload)->mode));
    } else if (kind == CMD_ADVANCE_TIME) {
        out_literal(out, " ");
        out_i64(out, ((const struct advance_time *)payload)->offset_ms / 1000);
        out_literal(out, " s ahead of the clock");
    } else if (shows_params(kind)) {
        put_params(out, signed_bytes);
    }
}

/* Its line names the account, unless it is the signer's primary one. */
static bool shows_account(const struct command_row *row)
{
    return row->whose == WHOSE_ACCOUNT && (row->right == RIGHT_TRADE || row->right == RIGHT_CANCEL);
}

static void put_command(const struct console_log *console_log, struct out *out, const struct command *command,
                        struct slice signed_bytes)
{
    const void *payload = command_payload(command);
    uint32_t    items = command_items(command);

    out_char(out, '#');
    out_u64(out, command->seq);
    out_char(out, ' ');
    switch (command->kind) {
    case CMD_PLACE_ORDERS: put_place_spot(console_log, out, payload); break;
    case CMD_PLACE_PERPS: put_place_perps(console_log, out, payload); break;
    case CMD_CANCEL_ORDERS:
        out_literal(out, "cancel ");
        put_symbol(console_log, out, MARKET_SPOT, ((const struct cancel_orders *)payload)->items[0].symbol_id);
        break;
    case CMD_CANCEL_PERPS:
        out_literal(out, "cancel ");
        put_symbol(console_log, out, MARKET_PERPS, ((const struct cancel_perps *)payload)->items[0].symbol_id);
        break;
    case CMD_REPLACE_ORDERS:
        out_literal(out, "replace ");
        put_symbol(console_log, out, command->market, ((const struct replace_orders *)payload)->items[0].symbol_id);
        break;
    case CMD_MODIFY_ORDER:
        out_literal(out, "modify ");
        put_symbol(console_log, out, MARKET_PERPS, ((const struct modify_order *)payload)->symbol_id);
        break;
    case CMD_UPDATE_LEVERAGE: put_leverage(console_log, out, payload); break;
    case CMD_UPDATE_MARGIN: put_margin(console_log, out, payload); break;
    default: out_text(out, command_name(command->kind)); put_operator(console_log, out, command, signed_bytes);
    }
    if (items > 1) {
        out_literal(out, " and ");
        out_u64(out, items - 1);
        out_literal(out, " more");
    }
    if (shows_account(command_row(command->kind)) && *(const uint64_t *)payload != 0) {
        out_literal(out, " acct ");
        out_u64(out, *(const uint64_t *)payload);
    }
}

static void put_order(const struct console_log *console_log, struct out *out, const struct order_changed *order)
{
    const struct symbol *symbol = symbol_of(console_log, order->head.market, order->symbol_id);

    out_char(out, ' ');
    out_text(out, enum_name_of(order_status_names, order->status));
    if (order->executed == 0 || symbol == NULL) return;
    out_char(out, ' ');
    put_units(out, order->executed, symbol->quantity_precision);
}

/* The kind of number in a RESULT. */
static const char *number_name(uint8_t gives)
{
    switch (gives) {
    case GIVES_ACCOUNT: return "account ";
    case GIVES_TRANSFER: return "transfer ";
    case GIVES_CANCELED: return "orders canceled: ";
    case GIVES_VALUE: return "value ";
    default: return "order ";
    }
}

static void put_outcome(const struct console_log *console_log, struct out *out, const struct command *command,
                        const struct sum *sum)
{
    out_literal(out, " -> ");
    if (sum->refused != NULL) {
        out_text(out, reject_row((enum reject)sum->refused->reject)->text);
    } else if (sum->items > 1) {
        out_u64(out, sum->passed);
        out_literal(out, " of ");
        out_u64(out, sum->items);
        out_literal(out, " ok");
    } else if (sum->first != NULL && sum->first->reject != REJECT_NONE) {
        const struct reject_row *row = reject_row((enum reject)sum->first->reject);
        out_text(out, row->text);
        out_literal(out, ": ");
        out_text(out, row->rule);
    } else if (sum->first != NULL && sum->first->order_id != 0) {
        out_text(out, number_name(command_row(command->kind)->gives));
        out_u64(out, sum->first->order_id);
        if (sum->order != NULL) put_order(console_log, out, sum->order);
    } else {
        out_literal(out, "ok");
    }
    if (sum->fills != 0) {
        out_literal(out, ", ");
        out_u64(out, sum->fills);
        out_text(out, sum->fills == 1 ? " fill" : " fills");
    }
}

static void put_line(struct console_log *console_log, struct out *out, const struct command *command,
                     struct slice signed_bytes, const struct sum *sum)
{
    if (console_log->skipped != 0) {
        out_literal(out, "  ... ");
        out_u64(out, console_log->skipped);
        out_literal(out, " commands more\n");
    }
    out_literal(out, "  ");
    put_command(console_log, out, command, signed_bytes);
    put_outcome(console_log, out, command, sum);
    out_char(out, '\n');
}

void console_log_command(struct console_log *console_log, const struct command *command, struct slice signed_bytes,
                         const struct events *events)
{
    struct sum sum;
    struct out line;
    void      *room;

    if (blocks_is_pulse(command)) return;
    if (command->kind == CMD_TICK) {
        sum = sum_of(events);
        if (sum.schedule == NULL || sum.schedule->fired == 0) return;
    }
    if (command->time_ms / 1000 != console_log->second) {
        console_log->second = command->time_ms / 1000;
        console_log->printed = 0;
    }
    room = console_log->printed < CONSOLE_LOG_LINES_PER_SECOND ? ring_reserve(&console_log->lines, 512) : NULL;
    if (room == NULL) {
        console_log->skipped += 1;
        return;
    }
    sum = sum_of(events);
    line = out_make(room, 512);
    put_line(console_log, &line, command, signed_bytes, &sum);
    ring_commit(&console_log->lines, line.len);
    console_log->printed += 1;
    console_log->skipped = 0;
}

void console_log_print(struct console_log *console_log)
{
    const void *line;
    uint64_t    bytes;

    for (; (line = ring_peek(&console_log->lines, &bytes)) != NULL; ring_next(&console_log->lines))
        (void)fwrite(line, 1, bytes, stdout);
    (void)fflush(stdout);
}
