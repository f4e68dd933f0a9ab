/* SPDX-License-Identifier: MIT */
/*
 * accounts.c — memory of an account in the engine: growth of the resident memory of this process.
 *
 *   bench_accounts [idle] [traded]  both without arguments
 *
 * idle: 1,000,000 users, each opened by the deposit that credits it; the ids of the deposits, which are kept for ever,
 *   are in it. traded: 100,000 users, each with two deposits, who sign 112 commands each, 56 on spot and 56 on perps,
 *   at 10,000 commands a second: every command is an order that trades with another user's, and on perps a position is
 *   opened and closed again. A TICK a second. Pools are touched as they are used, without huge pages.
 */
#include <inttypes.h>

#include "rigs/core/perps_fixture.h"
#include "figure.h"
#include "machine.h"

#define IDLE   1000000u
#define TRADED 100000u
#define ROUNDS 28u /* of two orders on each side */
#define RATE   10u /* commands in a millisecond */

static struct fixture *start(uint32_t accounts, uint32_t deposits)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.limits = (struct limits){ .accounts = accounts,
                                         .orders = 1000,
                                         .levels = 1000,
                                         .signers = 3,
                                         .deposits = accounts * deposits,
                                         .keys = 1,
                                         .transfers = 1,
                                         .positions = 1000 };
    f->events = (struct events){ bench_map(engine_events_bytes(&f->genesis)), 0, engine_events_bytes(&f->genesis) };
    f->engine = bench_map(engine_size(&f->genesis));
    (void)madvise(f->engine, engine_size(&f->genesis), MADV_NOHUGEPAGE);
    (void)engine_init(f->engine, &f->genesis, &f->events);
    f->time_ms = f->genesis.time_ms;
    return f;
}

static void must(const struct fixture *f, const char *what)
{
    const struct result *result = result_at(f, 0);

    if (result != NULL && result->reject == REJECT_NONE) return;
    printf("WRONG: %s: %s\n", what, result == NULL ? "refused" : reject_row(result->reject)->name);
    exit(1);
}

/* Clears the room of a command with one item and no more: all of it is much larger. */
static void begin(struct fixture *f, uint16_t kind, size_t payload_bytes)
{
    memset(&f->room, 0, sizeof(struct command) + payload_bytes);
    f->room.head.kind = kind;
    f->room.head.bytes = (uint32_t)(sizeof(struct command) + payload_bytes);
    f->room.head.market = MARKET_SPOT;
}

static void credit(struct fixture *f, uint32_t who, uint32_t coin_id, int64_t amount, uint8_t side)
{
    begin(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.deposit = (struct deposit){
        .address = user(who), .coin_id = coin_id, .amount = amount, .engine = side, .id = operator_id(++f->deposit_id)
    };
    fixture_apply(f);
    must(f, "a deposit");
}

static struct client_id id_of(uint64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, number);
    return cid(text);
}

/* Signs with the clock as the nonce, as clients do; `more`: above it, for a second order in the same millisecond. */
static void sign(struct fixture *f, uint32_t who, uint64_t more)
{
    f->room.head.signer = user(who);
    f->room.head.nonce = (uint64_t)f->time_ms + more;
    f->room.head.payload_tag = f->seq * UINT64_C(0x9E3779B97F4A7C15);
    f->room.head.domain = f->room.head.market == MARKET_PERPS ? DOMAIN_FUTURES : DOMAIN_SPOT;
}

static void trade_spot(struct fixture *f, uint32_t who, uint8_t side, uint64_t more)
{
    begin(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    sign(f, who, more);
    f->room.place_orders.count = 1;
    f->room.place_orders.items[0] = (struct new_order){ .symbol_id = 1,
                                                        .client_id = id_of(f->seq),
                                                        .side = side,
                                                        .type = TYPE_LIMIT,
                                                        .time_in_force = TIF_GTC,
                                                        .price = decimal_make(100000, 0),
                                                        .quantity = decimal_make(1, 3) };
    fixture_apply(f);
    must(f, "an order");
}

static void trade_perps(struct fixture *f, uint32_t who, uint8_t side, uint64_t more)
{
    begin(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, 1));
    f->room.head.market = MARKET_PERPS;
    sign(f, who, more);
    f->room.place_perps.symbol_id = BTC;
    f->room.place_perps.count = 1;
    f->room.place_perps.items[0] = (struct perps_order){ .client_id = id_of(f->seq),
                                                         .modifier = MODIFIER_NORMAL,
                                                         .side = side,
                                                         .type = TYPE_LIMIT,
                                                         .time_in_force = TIF_GTC,
                                                         .position_side = POSITION_BOTH,
                                                         .price = decimal_make(100000, 0),
                                                         .quantity = decimal_make(1, 3) };
    fixture_apply(f);
    must(f, "an order on perps");
}

/* Time goes by with the commands. */
static void go_on(struct fixture *f)
{
    static uint64_t last;

    if (f->seq / RATE == last) return;
    last = f->seq / RATE;
    f->time_ms += 1;
    if (f->time_ms % 1000 == 0) perps_tick(f, 0);
}

static void run_idle(void)
{
    struct fixture *f = start(IDLE, 1);
    size_t          before = bench_resident(), grown;

    for (uint32_t who = 1; who <= IDLE; who++) credit(f, who, VUSDC, 1000000000, MARKET_SPOT);
    grown = bench_resident() - before;
    printf("idle: %.1f bytes of resident memory per account (%u accounts with a deposit each)\n", (double)grown / IDLE,
           IDLE);
    figure("engine-account-idle", (double)grown / IDLE, 0);
}

/* Both users of a pair trade with each other, and back again. */
static void pair(struct fixture *f, uint32_t one, uint32_t other, bool perps)
{
    void (*const trade)(struct fixture *, uint32_t, uint8_t, uint64_t) = perps ? trade_perps : trade_spot;

    trade(f, one, SIDE_BUY, 0);
    trade(f, other, SIDE_SELL, 0);
    trade(f, other, SIDE_BUY, 1);
    trade(f, one, SIDE_SELL, 1);
    go_on(f);
}

static void run_traded(void)
{
    struct fixture *f = start(TRADED, 2);
    size_t          before = bench_resident(), grown;

    perps_index(f, BTC, 1000000);
    perps_prices(f, BTC, 1000000, 1000000);
    for (uint32_t who = 1; who <= TRADED; who++) {
        credit(f, who, who % 2 == 1 ? VUSDC : VBTC, who % 2 == 1 ? 1000000000 : 100000000, MARKET_SPOT);
        credit(f, who, VUSDC, 1000000000, MARKET_PERPS);
    }
    for (uint32_t round = 0; round < 2 * ROUNDS; round++)
        for (uint32_t who = 1; who <= TRADED; who += 2) pair(f, who, who + 1, round % 2 == 1);
    grown = bench_resident() - before;
    printf("traded: %.1f bytes of resident memory per account (%u accounts that signed %u commands each)\n",
           (double)grown / TRADED, TRADED, 4 * ROUNDS);
    figure("engine-account-traded", (double)grown / TRADED, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = { { "idle", run_idle }, { "traded", run_traded } };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++) wanted |= strcmp(argv[k], parts[i].name) == 0;
        if (wanted) parts[i].run();
    }
    return 0;
}
