/* SPDX-License-Identifier: MIT */
#include "cycle.h"

#include "base/out.h"
#include "model/commands.h"

#include <stdio.h>
#include <stdlib.h>

#define NEAR       10               /* of a turn, at the middle price */
#define MIDDLE     INT64_C(1000000) /* tenths */
#define TURNS      19
#define TEXT_BYTES (CYCLE_COMMAND * 200 + 100)
#define CHAIN_ID   77

/* An account's state: the numbers of its resting orders are [gone, placed). */
struct account {
    uint32_t index, placed, gone, near;
};

struct operation {
    bool     cancels;
    uint32_t number;
    int64_t  price;
    bool     near;
};

static void fail(const char *what)
{
    (void)fprintf(stderr, "cycle: %s\n", what);
    exit(1);
}

static struct address address_of(uint32_t index)
{
    struct address address = { { 0xc7, 0xc1, 0xe0 } };

    address.bytes[19] = (uint8_t)index;
    return address;
}

static struct client_id id_of(uint32_t account, const struct operation *operation)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%c%u-%u", operation->near ? 'n' : 'f', account, operation->number);
    return client_id_make(slice_of(text));
}

/* The operations of an account's next turn, all of one kind. */
static void next_turn(struct account *account, struct operation operations[CYCLE_COMMAND])
{
    bool    cancels = account->placed - account->gone >= CYCLE_COMMAND;
    int64_t outwards = account->index % 2 == 0 ? -1 : 1;

    for (uint32_t i = 0; i < CYCLE_COMMAND; i++) {
        struct operation *operation = &operations[i];

        *operation = (struct operation){ .cancels = cancels, .near = !cancels && i >= CYCLE_COMMAND - NEAR };
        operation->number = cancels ? account->gone++ : operation->near ? account->near++ : account->placed++;
        operation->price =
            operation->near ? MIDDLE : MIDDLE + outwards * (100 + (int64_t)operation->number * 7919 % 2000);
    }
}

static void write_order(struct out *out, const struct new_order *order)
{
    out_literal(out, "{\"symbolID\":1,\"clOrdID\":\"");
    out_slice_put(out, slice_make(order->client_id.at, order->client_id.len));
    out_literal(out, "\",\"side\":");
    out_u64(out, order->side);
    out_literal(out, ",\"type\":1,\"timeInForce\":1,\"price\":\"");
    out_i64(out, order->price.digits / 10);
    out_char(out, '.');
    out_i64(out, order->price.digits % 10);
    out_literal(out, "\",\"quantity\":\"0.00006\"}");
}

static size_t fill_places(const struct account *account, const struct operation *operations, uint32_t count,
                          struct place_orders *place, struct out *out)
{
    place->account_id = ACCOUNT_FIRST + account->index;
    place->count = count;
    for (uint32_t i = 0; i < count; i++) {
        place->items[i] = (struct new_order){ .symbol_id = 1,
                                              .client_id = id_of(account->index, &operations[i]),
                                              .side = account->index % 2 == 0 ? SIDE_BUY : SIDE_SELL,
                                              .type = TYPE_LIMIT,
                                              .time_in_force = TIF_GTC,
                                              .price = decimal_make(operations[i].price, 1),
                                              .quantity = decimal_make(6, 5) };
        if (i != 0) out_char(out, ',');
        write_order(out, &place->items[i]);
    }
    return PAYLOAD_BYTES(place_orders, count);
}

static size_t fill_cancels(const struct account *account, const struct operation *operations, uint32_t count,
                           struct cancel_orders *cancel, struct out *out)
{
    cancel->account_id = ACCOUNT_FIRST + account->index;
    cancel->count = count;
    for (uint32_t i = 0; i < count; i++) {
        cancel->items[i] = (struct cancel_order){ .symbol_id = 1, .client_id = id_of(account->index, &operations[i]) };
        if (i != 0) out_char(out, ',');
        out_literal(out, "{\"symbolID\":1,\"clOrdID\":\"");
        out_slice_put(out, slice_make(cancel->items[i].client_id.at, cancel->items[i].client_id.len));
        out_literal(out, "\"}");
    }
    return PAYLOAD_BYTES(cancel_orders, count);
}

static struct cycle_command make_command(const struct account *account, const struct operation *operations,
                                         uint32_t count)
{
    static struct command_room room;
    static char                text[TEXT_BYTES];
    struct out                 out = out_make(text, sizeof(text));
    bool                       cancels = operations[0].cancels;
    size_t                     payload;
    uint8_t                   *at;

    memset(&room, 0, sizeof(room));
    out_literal(&out, "{\"type\":\"");
    out_text(&out, cancels ? "batchCancelOrder" : "batchNewOrder");
    out_literal(&out, "\",\"params\":{\"accountID\":");
    out_u64(&out, ACCOUNT_FIRST + account->index);
    out_text(&out, cancels ? ",\"cancels\":[" : ",\"orders\":[");
    payload = cancels ? fill_cancels(account, operations, count, &room.cancel_orders, &out)
                      : fill_places(account, operations, count, &room.place_orders, &out);
    out_literal(&out, "]}}");
    if (out.overflow) fail("a text is too long");
    room.head = (struct command){ .bytes = (uint32_t)(sizeof(room.head) + payload),
                                  .kind = cancels ? CMD_CANCEL_ORDERS : CMD_PLACE_ORDERS,
                                  .market = MARKET_SPOT,
                                  .domain = DOMAIN_SPOT,
                                  .chain_id = CHAIN_ID,
                                  .signer = address_of(account->index) };
    at = malloc(room.head.bytes + out.len);
    if (at == NULL) fail("memory");
    memcpy(at, &room, room.head.bytes);
    memcpy(at + room.head.bytes, text, out.len);
    return (struct cycle_command){ at, room.head.bytes, (uint32_t)out.len, count, account->index };
}

struct cycle cycle_make(uint32_t per_command)
{
    struct account   accounts[CYCLE_ACCOUNTS];
    struct operation operations[CYCLE_COMMAND];
    struct cycle     cycle = { .operations = (uint64_t)TURNS * CYCLE_ACCOUNTS * CYCLE_COMMAND };

    cycle.commands = calloc(cycle.operations / per_command, sizeof(*cycle.commands));
    if (cycle.commands == NULL) fail("memory");
    for (uint32_t i = 0; i < CYCLE_ACCOUNTS; i++) accounts[i] = (struct account){ .index = i };
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < CYCLE_ACCOUNTS; i++) {
            next_turn(&accounts[i], operations);
            for (uint32_t at = 0; at < CYCLE_COMMAND; at += per_command)
                cycle.commands[cycle.count++] = make_command(&accounts[i], operations + at, per_command);
        }
    }
    for (uint32_t i = 0; i < CYCLE_ACCOUNTS; i++)
        if (accounts[i].placed != accounts[i].gone) fail("an order stays");
    return cycle;
}

void cycle_config(struct config *config)
{
    char       text[8192], error[256];
    struct out out = out_make(text, sizeof(text));

    out_literal(&out, "[dojima]\ndata = bench\nchainIds = 77\naccounts = 1000\norders = 100000\nlevels = 10000\n"
                      "signers = 1000\ndeposits = 1000\n"
                      "[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n[market vBTC_vUSDC]\n"
                      "baseCoin = vBTC\nquoteCoin = vUSDC\n"
                      "pricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\n"
                      "listingReferencePrice = 100000\n");
    for (uint32_t i = 0; i < CYCLE_ACCOUNTS; i++) {
        out_literal(&out, "\n[account 0x");
        out_hex(&out, address_of(i).bytes, 20);
        out_literal(&out, "]\nvUSDC = 100000000\nvBTC = 1000\n");
    }
    out_char(&out, '\0');
    if (out.overflow) fail("the configuration is too long");
    if (!config_read(text, "cycle", false, config, error, sizeof(error))) fail(error);
}
