/* SPDX-License-Identifier: MIT */
/*
 * margin_test.c — the account figures of the reads are those of the engine's decisions: random hostile flow trades,
 * the views fold every event, and after each command all figures of all accounts are compared with the engine's own.
 */
#include "present/adl.h"
#include "rigs/core/perps_random_flow.h"
#include "core/perps/margin.h"
#include "core/perps/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define USERS 8

struct reading {
    struct view_margin         margin;
    struct margin_figures      figures;
    struct perps_order_changed orders[512];
    int128_t                   frozen[512];
    uint32_t                   count;
};

static struct views       *views;
static struct contract     contracts[PERPS_MAX];
static struct margin_terms terms;
static uint64_t            lights[7];
static uint64_t            compared, frozen_orders, isolated_seen, prices_seen;

static void read_account(const struct view_account *account, struct reading *reading)
{
    uint32_t room[512];

    reading->count = views_margin(views, account, &reading->margin, reading->orders, 512);
    assert_in_range(reading->count, 0, 512);
    margin_figures(&terms, &reading->margin, reading->orders, reading->count, reading->frozen, room, &reading->figures);
}

static void same(int128_t read, int128_t decided, const char *what)
{
    if (read != decided) fail_msg("%s: read %lld, the engine has %lld", what, (long long)read, (long long)decided);
}

static void compare_prices(const struct fixture *f)
{
    for (uint32_t id = 1; id <= f->genesis.perps_count; id++) {
        const struct perps_market *perps = &engine_perps(f->engine)[id - 1];
        struct price_changed       price = views_price(views, id);

        same(price.mark, perps->mark, "mark");
        same(price.index, perps->index, "index");
        same(price.open_interest, perps->open_interest, "open interest");
        same(price.funding_rate, perps->funding_rate, "funding rate");
        prices_seen += price.mark != price.index;
    }
}

static void compare_position(struct fixture *f, const struct reading *reading, uint32_t i, const struct position *own)
{
    const struct position_changed *read = &reading->margin.positions[i];
    const struct position_figures *figures = &reading->figures.positions[i];

    same(read->size, own->exposure.size, "size");
    same(figures->cost, own->exposure.cost, "cost");
    same(read->bucket, own->exposure.bucket, "bucket");
    same(read->leverage, own->leverage, "leverage");
    same(read->margin_mode, own->mode, "mode");
    same((int128_t)read->position_id, own->id, "position id");
    if (own->id == 0) return;
    same(figures->value, position_value(f->engine, own), "value");
    same(figures->initial, position_initial(f->engine, own), "initial margin");
    same(figures->maintenance, position_maintenance(f->engine, own), "maintenance margin");
    same(figures->profit, position_profit(f->engine, own), "profit");
    same(read->realized, own->realized, "realized");
    same(read->fees, own->fees, "fees");
    same(read->open_value, own->open_value, "open value");
    same(read->closed_size, own->closed_size, "closed size");
    same(read->close_value, own->close_value, "close value");
    same(read->max_size, own->max_size, "max size");
    same(read->updated_ms, own->updated_ms, "updated");
    same(read->created_ms, own->created_ms, "created");
    if (own->mode == MARGIN_ISOLATED) isolated_seen++;
}

/* Rows of the engine and of the views, each found in the other. */
static void compare_positions(struct fixture *f, const struct reading *reading, uint32_t slot)
{
    const struct engine *e = f->engine;
    uint32_t             found = 0;

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position *own = position_at(e, ix);
        uint32_t               symbol_id = market_at(e, own->market)->symbol.id, i = 0;
        bool                   says = own->exposure.size != 0 || own->mode != MARGIN_CROSS
                 || own->leverage != contracts[symbol_id - 1].init_leverage;

        while (i < reading->margin.position_count && reading->margin.positions[i].symbol_id != symbol_id) i++;
        assert_int_equal(i < reading->margin.position_count, says);
        if (!says) continue;
        compare_position(f, reading, i, own);
        found++;
    }
    assert_int_equal(found, reading->margin.position_count);
}

/* The frozen amount of a side's orders equals the engine's requirement of the side. */
static void compare_orders(struct fixture *f, const struct reading *reading, uint32_t slot)
{
    struct engine *e = f->engine;
    int128_t       required = 0;
    uint32_t       open = 0;

    for (uint32_t ix = account_at(e, slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next)
        open += market_is_perps(order_at(e, ix)->market);
    assert_int_equal(open, reading->count);
    for (uint32_t i = 0; i < reading->count; i++) {
        const struct perps_order_changed *read = &reading->orders[i];
        const struct order               *order = order_at(e, order_find_id(e, slot, read->base.order_id));
        bool                              needs = order->level != 0 && !order_reduces(order);

        same(read->base.quantity - read->base.executed, order_open(order), "open quantity");
        same(read->base.status, order->status, "status");
        if (!needs) same(reading->frozen[i], 0, "frozen of an order that needs nothing");
        frozen_orders += reading->frozen[i] != 0;
    }
    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position *own = position_at(e, ix);
        int128_t         needs[3] = { 0 };

        for (uint32_t i = 0; i < reading->count; i++)
            if (reading->orders[i].base.symbol_id == market_at(e, own->market)->symbol.id)
                needs[reading->orders[i].base.side] += reading->frozen[i];
        required = margin_required(own->exposure.size,
                                   position_is_isolated(own) ? own->exposure.bucket : position_initial(e, own),
                                   needs[SIDE_BUY], needs[SIDE_SELL]);
        same(required, position_required(e, own, NULL), "worst case of the orders");
    }
}

/* The rank of a position as the engine would compute it, counted over its own rows (mechanics 3.12). */
static uint32_t light_of(const struct engine *e, const struct position *own)
{
    int64_t  score = 0, leverage = 0;
    uint32_t ahead = 0, profitable = 0;

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t ix = 1; ix < e->position_end; ix++) {
            const struct position *other = position_at(e, ix);
            int128_t               equity, value;
            int64_t                its;

            if (other->exposure.size == 0 || other->market != own->market
                || (other->exposure.size > 0) != (own->exposure.size > 0) || other->account == SLOT_FUND)
                continue;
            if (pass == 0 && other != own) continue;
            equity = risk_unit_health(e, other).equity;
            value = position_value(e, other);
            its = adl_score(position_profit(e, other), other->exposure.cost, value, equity);
            if (its == 0 && position_profit(e, other) > 0) its = 1;
            if (pass == 0) {
                score = its;
                leverage = adl_leverage(value, equity);
                continue;
            }
            profitable += its > 0;
            if (other == own || its == 0) continue;
            ahead += its > score
                  || (its == score
                      && (adl_leverage(value, equity) > leverage
                          || (adl_leverage(value, equity) == leverage && other->account < own->account)));
        }
    return score == 0 ? 6 : adl_group(ahead, profitable);
}

static void compare_lights(struct fixture *f, const struct reading *reading, uint32_t slot)
{
    static struct adl_room room;
    uint32_t               groups[PERPS_MAX];

    adl_groups(&room, views, f->genesis.rules.adl_mode, &reading->margin, &reading->figures, f->time_ms, groups);
    for (uint32_t i = 0; i < reading->margin.position_count; i++) {
        const struct position *own =
            position_find(f->engine, slot, (uint8_t)(PERPS_FIRST + reading->margin.positions[i].symbol_id - 1));
        uint32_t light = own->exposure.size == 0 ? 0 : light_of(f->engine, own);
        same(groups[i], light, "light");
        lights[light] += 1;
    }
}

static void compare_account(struct fixture *f, uint32_t who)
{
    struct address        owner = user(who);
    struct view_account   account = { 0 };
    uint32_t              slot = perps_slot(f, who);
    static struct reading reading;

    assert_true(views_primary_account(views, &owner, &account));
    read_account(&account, &reading);
    struct risk_unit unit = risk_unit_cross(f->engine, slot);
    struct demand    demand = risk_unit_demand(f->engine, slot, NULL);
    struct available available = risk_unit_available(f->engine, slot);
    struct result    none = { 0 };

    if (!margin_may_leave(f->engine, slot, &none)) available.transferable = 0; /* ruling 64 */
    same(reading.margin.wallet, engine_margins(f->engine)[slot].wallet, "wallet");
    same(reading.figures.equity, risk_unit_equity(f->engine, slot, &unit), "av");
    same(reading.figures.maintenance, unit.maintenance, "mm");
    same(reading.figures.initial, unit.initial, "cm");
    same(reading.figures.required, demand.required, "cm + ocm");
    same(reading.figures.reserve, demand.reserve, "oim");
    same(reading.figures.available, available.margin, "am");
    same(reading.figures.isolated, available.isolated, "ami");
    same(reading.figures.transferable, available.transferable, "amw");
    compare_positions(f, &reading, slot);
    compare_orders(f, &reading, slot);
    compare_lights(f, &reading, slot);
    compared++;
}

static void fold(struct fixture *f)
{
    static uint64_t height;

    views_apply(views, &f->events, &(struct view_block){ ++height, f->time_ms });
}

static void run(uint64_t seed, uint32_t commands, int64_t each)
{
    struct fixture *f = calloc(1, sizeof(*f));

    random_state = seed;
    perps_genesis(&f->genesis);
    f->genesis.fund = 100000000000;
    for (uint32_t i = 0; i < 2; i++) {
        f->genesis.perps[i].maker_fee = 12000;
        f->genesis.perps[i].taker_fee = 40000;
    }
    fixture_start(f);
    for (uint32_t i = 0; i < f->genesis.perps_count; i++) {
        contracts[i] = f->genesis.contracts[i];
        contract_complete(&contracts[i], 1000000);
    }
    terms = (struct margin_terms){ &f->genesis, contracts };
    views = views_init(calloc(1, views_size(&f->genesis)), &f->genesis);
    fold(f);
    for (uint32_t who = 1; who <= USERS; who++) {
        perps_deposit(f, who, each);
        fold(f);
    }
    for (uint32_t i = 0; i < commands; i++) {
        send_something(f, USERS);
        fold(f);
        compare_prices(f);
        for (uint32_t who = 1; who <= USERS; who++) compare_account(f, who);
    }
    views_deinit(views);
    free(views);
    fixture_free(f);
}

static void reads_agree_with_the_engine_after_every_command(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) run(seed, 20000, 200000000000);
    for (uint64_t seed = 11; seed <= 13; seed++) run(seed, 20000, 5000000000);
    (void)printf(
        "%llu accounts compared, %llu orders froze margin, %llu isolated positions, %llu marks off the index\n",
        (unsigned long long)compared, (unsigned long long)frozen_orders, (unsigned long long)isolated_seen,
        (unsigned long long)prices_seen);
    for (int light = 1; light <= 6; light++) assert_true(lights[light] > 100);
    assert_true(frozen_orders > 1000 && isolated_seen > 1000 && prices_seen > 1000);
}

/* Funding has taken 5 units more than the bucket had: a loss of the unit alone, and no reserve (mechanics 3.4). */
static void a_bucket_below_zero_reserves_nothing(void **state)
{
    struct reading  reading = { .margin = { .position_count = 1 } };
    struct genesis *genesis = calloc(1, sizeof(*genesis));
    uint32_t        room[1];
    (void)state;

    perps_genesis(genesis);
    contracts[0] = genesis->contracts[0];
    contract_complete(&contracts[0], 1000000);
    terms = (struct margin_terms){ genesis, contracts };
    reading.margin.prices[0].mark = reading.margin.prices[0].index = 1000000;
    for (int64_t bucket = -5; bucket <= 5; bucket += 5) {
        reading.margin.positions[0] = (struct position_changed){ .symbol_id = BTC,
                                                                 .position_id = 1,
                                                                 .size = 100000,
                                                                 .leverage = 10,
                                                                 .margin_mode = MARGIN_ISOLATED,
                                                                 .bucket = bucket };
        margin_figures(&terms, &reading.margin, reading.orders, 0, reading.frozen, room, &reading.figures);
        same(reading.figures.reserve, 0, "reserve");
        same(reading.figures.buckets, bucket, "buckets");
    }
    free(genesis);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reads_agree_with_the_engine_after_every_command),
                                        cmocka_unit_test(a_bucket_below_zero_reserves_nothing) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
