/* SPDX-License-Identifier: MIT */
/* step.c — instruments, prices and quantities, and orders on their way out. */
#include "market/step.h"

#include "base/keccak.h"

uint32_t instrument_count(const struct step *step)
{
    const struct genesis *genesis = step->market->genesis;

    return min_u32(INSTRUMENTS_MAX, genesis->spot_count + genesis->perps_count);
}

uint32_t step_perps_of(const struct genesis *genesis, uint32_t spot_id)
{
    for (uint32_t i = 0; i < genesis->perps_count; i++)
        if (genesis->contracts[i].spot_symbol_id == spot_id) return i + 1;
    return 0;
}

int64_t step_rescale(int64_t price, uint32_t from, uint32_t to)
{
    while (from < to) price *= 10, from++;
    while (from > to) price /= 10, from--;
    return price;
}

static int64_t anchor_of(const struct step *step, const struct instrument *instrument)
{
    const struct symbol *symbol = instrument->symbol;
    int64_t              index;

    if (instrument->perps_id == 0) return views_last_price(step->market->views, instrument->market, symbol->id);
    index = views_price(step->market->views, instrument->perps_id).index;
    return step_rescale(index, step->market->genesis->perps[instrument->perps_id - 1].price_precision,
                        symbol->price_precision);
}

struct instrument instrument_at(const struct step *step, uint32_t index)
{
    const struct genesis *genesis = step->market->genesis;
    bool                  perps = index >= genesis->spot_count;
    struct instrument     instrument = { .index = index, .market = perps ? MARKET_PERPS : MARKET_SPOT };

    assert(index < genesis->spot_count + genesis->perps_count);
    instrument.symbol = perps ? &genesis->perps[index - genesis->spot_count] : &genesis->spot[index];
    instrument.perps_id = perps ? instrument.symbol->id : step_perps_of(genesis, instrument.symbol->id);
    if (views_symbol_status(step->market->views, instrument.market, instrument.symbol->id) == SYMBOL_TRADING)
        instrument.anchor = anchor_of(step, &instrument);
    return instrument;
}

struct address market_trader(uint32_t trader)
{
    char           text[] = "dojima market trader 00";
    struct hash256 hash;
    struct address address;

    text[sizeof(text) - 3] = (char)('0' + trader / 10 % 10);
    text[sizeof(text) - 2] = (char)('0' + trader % 10);
    hash = keccak256(text, sizeof(text) - 1);
    memcpy(address.bytes, hash.bytes + 12, sizeof(address.bytes));
    return address;
}

struct trader trader_at(const struct step *step, uint32_t number)
{
    struct trader       trader = { .number = number, .address = step->market->traders[number] };
    struct view_account account;

    assert(number < MARKET_TRADERS);
    if (views_primary_account(step->market->views, &trader.address, &account)) trader.account_id = account.account_id;
    return trader;
}

uint64_t step_draw(const struct step *step, uint32_t who, uint32_t what)
{
    return draw(step->market->seed, step->number, who, what);
}

int64_t step_share_of(int64_t price, int64_t centipoints) { return (int64_t)((int128_t)price * centipoints / 1000000); }

int64_t step_on_tick(const struct instrument *instrument, int64_t price, uint8_t side)
{
    int64_t tick = instrument->symbol->tick_size, rest = price % tick;

    if (rest == 0) return price;
    return side == SIDE_BUY ? price - rest : price - rest + tick;
}

/* value = price * quantity * 10^power */
static int power_of(const struct step *step, const struct instrument *instrument)
{
    return symbol_notional_power(instrument->symbol, &step->market->genesis->coins[COIN_MARGIN]);
}

int64_t step_quantity_for(const struct step *step, const struct instrument *instrument, int64_t value)
{
    const struct symbol *symbol = instrument->symbol;
    int                  power = power_of(step, instrument);
    int128_t             top = (int128_t)value * pow10_i64(power < 0 ? -power : 0);
    int128_t             quantity = top / ((int128_t)instrument->anchor * pow10_i64(power > 0 ? power : 0));
    int128_t             need = (int128_t)(symbol->min_notional * 11 / 10) * pow10_i64(power < 0 ? -power : 0);
    int64_t              least = max_i64(symbol->min_quantity, symbol->step_size); /* 0 = no bound */

    assert(instrument->anchor > 0 && value > 0 && least > 0);
    quantity -= quantity % symbol->step_size;
    if (quantity < least) quantity = least;
    need = div_ceil(need, (int128_t)instrument->anchor * pow10_i64(power > 0 ? power : 0)) - quantity;
    if (need > 0) quantity += div_ceil(need, least) * least;
    return (int64_t)quantity;
}

int64_t step_value_of(const struct step *step, const struct instrument *instrument, int64_t quantity)
{
    int128_t value =
        notional_floor(instrument->anchor, quantity < 0 ? -quantity : quantity, power_of(step, instrument));

    return quantity < 0 ? -(int64_t)value : (int64_t)value;
}

/* The position of an account on a perps symbol, signed. */
static int64_t position_of(const struct step *step, const struct trader *trader, uint32_t symbol_id)
{
    struct view_account          account = { .account_id = trader->account_id };
    UNTOUCHED struct view_margin margin;

    if (!views_account(step->market->views, trader->account_id, &account)) return 0;
    (void)views_margin(step->market->views, &account, &margin, NULL, 0);
    for (uint32_t i = 0; i < margin.position_count; i++)
        if (margin.positions[i].symbol_id == symbol_id) return margin.positions[i].size;
    return 0;
}

/* Coin units in units of a quantity. */
static int64_t as_quantity(int64_t amount, const struct coin *coin, const struct symbol *symbol)
{
    int more = (int)coin->precision - (int)symbol->quantity_precision;

    return more >= 0 ? amount / pow10_i64(more) : amount * pow10_i64(-more);
}

int64_t step_inventory_of(const struct step *step, const struct trader *trader, const struct instrument *instrument)
{
    const struct genesis *genesis = step->market->genesis;
    uint32_t              coin_id = instrument->symbol->base_coin_id;
    struct view_balance   balances[COINS_MAX];
    uint32_t              count;

    if (instrument->market == MARKET_PERPS) return position_of(step, trader, instrument->symbol->id);
    count = views_balances(step->market->views, MARKET_SPOT, trader->account_id, balances);
    for (uint32_t i = 0; i < count; i++)
        if (balances[i].coin_id == coin_id)
            return as_quantity(balances[i].total - opening_amount(trader->number, genesis, MARKET_SPOT, coin_id),
                               &genesis->coins[coin_id], instrument->symbol);
    return 0;
}

/* ---- orders ---- */

static struct command *begin(struct command_room *room, uint16_t kind, const struct trader *trader,
                             const struct instrument *instrument, size_t payload_bytes)
{
    struct command *head = &room->head;

    *head = (struct command){ .bytes = (uint32_t)align_up(sizeof(*head) + payload_bytes, 8),
                              .kind = kind,
                              .market = instrument->market,
                              .signer = trader->address };
    memset(head + 1, 0, head->bytes - sizeof(*head));
    head->domain = COMMAND_BY_TRADER | (instrument->market == MARKET_PERPS ? DOMAIN_FUTURES : DOMAIN_SPOT);
    return head;
}

/* SLOT-STEP-NUMBER, unique: a step is never repeated, and a trader's orders of a step are numbered. */
static struct client_id name_order(struct step *step, uint8_t slot)
{
    struct client_id id = { 0 };
    struct out       out = out_make(id.at, 36);

    out_char(&out, (char)('0' + slot / 10));
    out_char(&out, (char)('0' + slot % 10));
    out_char(&out, '-');
    out_u64(&out, step->number);
    out_char(&out, '-');
    out_u64(&out, step->orders++);
    assert(!out.overflow);
    id.len = (uint8_t)out.len;
    return id;
}

static void write_spot(struct step *step, struct place_orders *place, const struct instrument *instrument,
                       const struct wanted_order *orders)
{
    const struct symbol *symbol = instrument->symbol;

    for (uint32_t i = 0; i < place->count; i++)
        place->items[i] =
            (struct new_order){ .symbol_id = symbol->id,
                                .client_id = name_order(step, orders[i].slot),
                                .side = orders[i].side,
                                .type = TYPE_LIMIT,
                                .time_in_force = orders[i].tif,
                                .price = decimal_make(orders[i].price, (int)symbol->price_precision),
                                .quantity = decimal_make(orders[i].quantity, (int)symbol->quantity_precision) };
}

static void write_perps(struct step *step, struct place_perps *place, const struct instrument *instrument,
                        const struct wanted_order *orders)
{
    const struct symbol *symbol = instrument->symbol;

    place->symbol_id = symbol->id;
    for (uint32_t i = 0; i < place->count; i++)
        place->items[i] =
            (struct perps_order){ .client_id = name_order(step, orders[i].slot),
                                  .modifier = MODIFIER_NORMAL,
                                  .side = orders[i].side,
                                  .type = TYPE_LIMIT,
                                  .time_in_force = orders[i].tif,
                                  .position_side = POSITION_BOTH,
                                  .reduce_only = orders[i].reduces,
                                  .price = decimal_make(orders[i].price, (int)symbol->price_precision),
                                  .quantity = decimal_make(orders[i].quantity, (int)symbol->quantity_precision) };
}

void step_send_orders(struct step *step, const struct trader *trader, const struct instrument *instrument,
                      const struct wanted_order *orders, uint32_t count)
{
    UNTOUCHED struct command_room room;

    assert(count <= BATCH_MAX);
    if (count == 0) return;
    if (instrument->market == MARKET_PERPS) {
        (void)begin(&room, CMD_PLACE_PERPS, trader, instrument, PAYLOAD_BYTES(place_perps, count));
        room.place_perps.account_id = trader->account_id;
        room.place_perps.count = count;
        write_perps(step, &room.place_perps, instrument, orders);
    } else {
        (void)begin(&room, CMD_PLACE_ORDERS, trader, instrument, PAYLOAD_BYTES(place_orders, count));
        room.place_orders.account_id = trader->account_id;
        room.place_orders.count = count;
        write_spot(step, &room.place_orders, instrument, orders);
    }
    (void)step->writer->send(step->writer->self, &room.head);
}

void step_send_changes(struct step *step, const struct trader *trader, const struct instrument *instrument,
                       const struct changed_order *orders, uint32_t count)
{
    const struct symbol          *symbol = instrument->symbol;
    UNTOUCHED struct command_room room;

    assert(count <= BATCH_MAX);
    if (count == 0) return;
    (void)begin(&room, CMD_REPLACE_ORDERS, trader, instrument, PAYLOAD_BYTES(replace_orders, count));
    room.replace_orders.account_id = trader->account_id;
    room.replace_orders.count = count;
    for (uint32_t i = 0; i < count; i++)
        room.replace_orders.items[i] =
            (struct replace_order){ .symbol_id = symbol->id,
                                    .orig_order_id = orders[i].order_id,
                                    .price = decimal_make(orders[i].wanted.price, (int)symbol->price_precision),
                                    .quantity =
                                        decimal_make(orders[i].wanted.quantity, (int)symbol->quantity_precision) };
    (void)step->writer->send(step->writer->self, &room.head);
}

void step_send_cancels(struct step *step, const struct trader *trader, const struct instrument *instrument,
                       const uint64_t *order_ids, uint32_t count)
{
    UNTOUCHED struct command_room room;

    assert(count <= BATCH_MAX);
    if (count == 0) return;
    if (instrument->market == MARKET_PERPS) {
        (void)begin(&room, CMD_CANCEL_PERPS, trader, instrument, PAYLOAD_BYTES(cancel_perps, count));
        room.cancel_perps.account_id = trader->account_id;
        room.cancel_perps.count = count;
        for (uint32_t i = 0; i < count; i++)
            room.cancel_perps.items[i] =
                (struct perps_cancel){ .symbol_id = instrument->symbol->id, .order_id = order_ids[i] };
    } else {
        (void)begin(&room, CMD_CANCEL_ORDERS, trader, instrument, PAYLOAD_BYTES(cancel_orders, count));
        room.cancel_orders.account_id = trader->account_id;
        room.cancel_orders.count = count;
        for (uint32_t i = 0; i < count; i++)
            room.cancel_orders.items[i] = (struct cancel_order){ .symbol_id = instrument->symbol->id,
                                                                 .client_id = name_order(step, 99),
                                                                 .order_id = order_ids[i] };
    }
    (void)step->writer->send(step->writer->self, &room.head);
}

void step_send_taker(struct step *step, const struct trader *trader, const struct instrument *instrument, uint8_t side,
                     int64_t value, int64_t centipoints)
{
    int64_t             away = step_share_of(instrument->anchor, centipoints);
    int64_t             price = instrument->anchor + (side == SIDE_BUY ? away : -away);
    struct wanted_order order = { .side = side,
                                  .tif = TIF_IOC,
                                  .price = step_on_tick(instrument, price, side),
                                  .quantity = step_quantity_for(step, instrument, value) };

    step_send_orders(step, trader, instrument, &order, 1);
}
