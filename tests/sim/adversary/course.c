/* SPDX-License-Identifier: MIT */
/*
 * course.c — applies the events of a world: commands of the coalition, time, prices, the operator; and the response of
 * the house.
 */
#include "goals.h"
#include "world.h"
#include "core/book/book.h"

#define HOUSE_CARES                                                                                                    \
    INT64_C(20000000)    /* quote units; the house takes offers beyond the fair price of more than this: 20 vUSDC */
#define HOUSE_EDGE 4     /* hundredths of a per cent beyond it: below the premium that moves the funding rate */
#define SAY_MS     20000 /* feeders repeat an unchanged price */

static bool of_coalition(const struct world *world, uint64_t account_id, uint32_t *which)
{
    for (uint32_t i = 0; i < world->coalition; i++)
        if (world->account[i] == account_id) {
            *which = i;
            return true;
        }
    return false;
}

/* A print outside the band around the mark: nothing of the kind can happen (ruling 70). */
static void judge_print(struct world *world, const struct filled *fill)
{
    int64_t mark = world_perps(world, fill->symbol_id)->mark,
            away = fill->price > mark ? fill->price - mark : mark - fill->price;
    int128_t beyond =
        (int128_t)away * RATE_ONE / mark - world_market(world, fill->symbol_id)->symbol.buy_limit_up_ratio;

    if (beyond > world->now.outside) world->now.outside = beyond;
}

static bool is_first_users(const struct world *world, uint64_t account_id)
{
    uint32_t who;

    return of_coalition(world, account_id, &who) && world->owner[who] == 1;
}

static void note_fill(struct world *world, const struct filled *fill, const struct filled *before)
{
    uint32_t who;

    world->now.fills++;
    if (of_coalition(world, fill->account_id, &who)) world->now.fees += fill->fee;
    if (fill->reason == 0) judge_print(world, fill);
    if (fill->reason == REASON_LIQUIDATION && fill->account_id == ACCOUNT_FUND)
        world->now.unwound += (int128_t)fill->price * fill->quantity;
    if (fill->reason == REASON_TAKEOVER) world->now.taken += (int128_t)fill->price * fill->quantity / 2;
    if (before == NULL || before->trade_id != fill->trade_id) return; /* the two fills of a trade are consecutive */
    if (is_first_users(world, fill->account_id) != is_first_users(world, before->account_id))
        world->now.other_volume += (int128_t)fill->price * fill->quantity;
}

/* Prints a stage of a liquidation, for the reader of a replay. */
static void say_stage(const struct liquidated *stage)
{
    (void)printf("    stage %u of account %lu in symbol %u: size %ld, closed %ld at %ld; mark %ld, index %ld, worse "
                 "%ld; unit %ld, at worse %ld;"
                 " charged %ld, day has %ld, fund %ld -> %ld\n",
                 stage->stage, (unsigned long)stage->account_id, stage->symbol_id, (long)stage->size_before,
                 (long)stage->quantity, (long)stage->price, (long)stage->mark, (long)stage->index, (long)stage->worse,
                 (long)stage->equity, (long)stage->equity_worse, (long)stage->charge, (long)stage->total_left,
                 (long)stage->fund_before, (long)stage->fund_after);
}

static void note_events(struct world *world)
{
    const struct filled *before = NULL;

    for (const struct event *event = events_first(&world->f->events); event != NULL;
         event = events_next(&world->f->events, event)) {
        const struct filled     *fill = (const void *)event;
        const struct unit_stage *stage = (const void *)event;

        if (event->kind == EVENT_LIQUIDATION && world->loud) say_stage((const void *)event);
        if (event->kind == EVENT_UNIT) {
            world->now.liquidated += stage->stage == STAGE_BOOK;
            world->now.taken_over += stage->stage == STAGE_TAKEOVER;
            world->now.deleveraged += stage->stage == STAGE_ADL;
        }
        if (event->kind != EVENT_FILL || event->market != MARKET_PERPS) continue;
        note_fill(world, fill, before);
        before = fill;
    }
}

/* The quantity beyond the fair price on a side: bids above it, asks below it. */
static int64_t offered(const struct world *world, uint32_t symbol, uint8_t side, int64_t bound)
{
    const struct engine *e = world->f->engine;
    int64_t              quantity = 0;

    for (uint32_t ix = world_market(world, symbol)->sides[side].best; ix != 0; ix = book_behind(e, level_at(e, ix))) {
        if (side == SIDE_BUY ? level_at(e, ix)->price <= bound : level_at(e, ix)->price >= bound) break;
        quantity += level_at(e, ix)->quantity;
    }
    return quantity;
}

static void house_takes(struct world *world)
{
    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++)
        for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++) {
            int64_t fair = world->now.fair[symbol - 1],
                    bound = fair * (side == SIDE_BUY ? BP + HOUSE_EDGE : BP - HOUSE_EDGE) / BP;
            int64_t            quantity = offered(world, symbol, side, bound);
            struct perps_order item;

            if ((int128_t)quantity * fair < HOUSE_CARES) continue;
            item = perps_item("take", side == SIDE_BUY ? SIDE_SELL : SIDE_BUY, TYPE_LIMIT, TIF_IOC, NULL, NULL);
            item.price = decimal_make(bound, symbol == BTC ? 1 : 2);
            item.quantity = decimal_make(quantity, symbol == BTC ? 5 : 4);
            (void)perps_send(world->f, USER_HOUSE, symbol, &item, 1);
            note_events(world);
        }
}

/* What is in the buckets of an account of the coalition. */
static int64_t in_buckets(const struct world *world, uint32_t who)
{
    int64_t sum = 0;

    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++) {
        const struct position *position = world_position(world, world->slot[who], symbol);
        if (position != NULL && position_is_isolated(position)) sum += position->exposure.bucket;
    }
    return sum;
}

/* Applies f->room. Money that goes into buckets of an account whose prices are not live leaves its cross unit unseen.
 */
static void apply_unseen(struct world *world)
{
    int64_t had[COALITION_MAX];
    bool    live[COALITION_MAX];

    for (uint32_t i = 0; i < world->coalition; i++) {
        had[i] = in_buckets(world, i);
        live[i] = world_is_live(world, world->slot[i]);
    }
    fixture_apply(world->f);
    for (uint32_t i = 0; i < world->coalition; i++)
        if (!live[i]) world->now.left_unseen[i] += in_buckets(world, i) - had[i];
}

bool world_apply(struct world *world)
{
    enum reject reject;

    if (world->setting == WORLD_MOVES && world->now.silent != 0) apply_unseen(world);
    else fixture_apply(world->f);
    world->commands++;
    reject = verdict(world->f);
    if (reject != REJECT_NONE) world->now.answer = reject;
    world->now.accepted += reject == REJECT_NONE;
    world->now.refused += reject != REJECT_NONE;
    note_events(world);
    if (world->now.house_acts) house_takes(world);
    return reject == REJECT_NONE;
}

/* ---- time and prices ---- */

static bool is_silent(const struct world *world, uint32_t symbol)
{
    return (world->now.silent >> (symbol - 1) & 1) != 0;
}

void world_say(struct world *world)
{
    struct fixture *f = world->f;
    uint32_t        count = 0;

    if (world->now.silent == ALL_SYMBOLS) return;
    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, SYMBOLS - (world->now.silent != 0)));
    f->room.head.market = 0;
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.head.signer = user(USER_FEEDER);
    f->room.head.nonce = ++world->now.feeder_seq;
    f->room.oracle_post =
        (struct oracle_post){ .seq = world->now.feeder_seq, .count = SYMBOLS, .timestamp_ms = f->time_ms };
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        if (is_silent(world, 1 + i)) continue;
        f->room.oracle_post.items[count++] = (struct oracle_price){ .symbol_id = 1 + i, .price = world->now.fair[i] };
        world->now.said[i] = world->now.fair[i];
    }
    f->room.oracle_post.count = count;
    world->now.said_ms = f->time_ms;
    fixture_apply(f);
    world->commands++;
}

/* The coalition's net position in a symbol, longs less shorts. */
static int64_t net_size(const struct world *world, uint32_t symbol)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < world->coalition; i++) {
        const struct position *position = world_position(world, world->slot[i], symbol);
        if (position != NULL) sum += position->exposure.size;
    }
    return sum;
}

/*
 * A unit that a TICK liquidates while feeders are silent is no longer below zero: a later deficit of another one is
 * new.
 */
static void note_resolved(struct world *world, int128_t below)
{
    int128_t resolved = margin_max(0, below - goal_deficit(world, false));

    world->now.unseen_from = margin_max(0, world->now.unseen_from - resolved);
}

/* Symbols that trade in which a unit of the coalition is below two
   thirds of its maintenance margin: behind a TICK there is none. */
static uint8_t overdue(const struct world *world)
{
    const struct engine *e = world->f->engine;
    uint8_t              symbols = 0;

    for (uint32_t i = 0; e->mode == VENUE_RUN && i < world->coalition; i++)
        for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++) {
            const struct position *position = world_position(world, world->slot[i], symbol);
            struct health          health;

            if (position == NULL || position->exposure.size == 0 || perps_is_suspended(e, position->market)) continue;
            health = risk_unit_health(e, position);
            if (3 * health.equity < 2 * health.maintenance) symbols |= (uint8_t)(1U << (symbol - 1));
        }
    return symbols;
}

static void one_tick(struct world *world)
{
    struct fixture *f = world->f;
    int64_t         index[SYMBOLS], fund[SYMBOLS], net[SYMBOLS];
    int128_t        below = 0;

    for (uint32_t i = 0; i < SYMBOLS; i++) {
        const struct position *position = world_position(world, SLOT_FUND, 1 + i);
        index[i] = world_perps(world, 1 + i)->index;
        fund[i] = position == NULL ? 0 : position->exposure.size;
        net[i] = net_size(world, 1 + i);
    }
    f->room.head = (struct command){
        .kind = CMD_TICK, .bytes = sizeof(struct command) + sizeof(struct tick)
    }; /* without clearing all of the room */
    f->room.tick = (struct tick){ 0 };
    if (world->now.silent) below = goal_deficit(world, false);
    fixture_apply(f);
    if (world->now.silent) note_resolved(world, below);
    world->commands++;
    world->now.ticks++;
    note_events(world);
    if (world->setting == WORLD_MOVES) world->now.overdue = overdue(world);
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        int64_t moved = world_perps(world, 1 + i)->index - index[i];
        world->now.fund_moved += (int128_t)fund[i] * moved;
        world->now.net_moved += (int128_t)net[i] * moved;
    }
}

void world_pass(struct world *world, int64_t ms)
{
    struct fixture *f = world->f;
    int64_t         end = f->time_ms + ms;

    while ((f->time_ms / 1000 + 1) * 1000 <= end && world->now.ticks < TICKS_MAX) {
        bool old = false;

        f->time_ms = (f->time_ms / 1000 + 1) * 1000;
        for (uint32_t i = 0; i < SYMBOLS; i++)
            old |= !is_silent(world, 1 + i) && world->now.said[i] != world->now.fair[i];
        if (old || f->time_ms - world->now.said_ms >= SAY_MS) world_say(world);
        one_tick(world);
        if (world->now.house_acts) house_takes(world);
    }
    if (world->now.ticks < TICKS_MAX) f->time_ms = end;
}

bool world_is_live(const struct world *world, uint32_t slot)
{
    const struct engine *e = world->f->engine;

    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++) {
        const struct perps_market *perps = world_perps(world, symbol);
        const struct position     *position = world_position(world, slot, symbol);
        if (position == NULL || (position->exposure.size == 0 && position->order_count == 0)) continue;
        if (e->mode != VENUE_RUN || perps->state != ORACLE_LIVE || perps->held_count != 0
            || world_market(world, symbol)->symbol.status != SYMBOL_TRADING)
            return false;
    }
    return true;
}

/* Whether a posted price has not become the index yet: no other move follows until it has. */
static bool is_behind(const struct world *world)
{
    for (uint32_t i = 0; i < SYMBOLS; i++)
        if (!is_silent(world, 1 + i) && world_perps(world, 1 + i)->index != world->now.fair[i]) return true;
    return false;
}

/*
 * The engine learns a posted price with the TICK of the next second; knowing it earlier gives no advantage. While
 * feeders are silent about a symbol only the coalition knows its price: all its moves count when they post again.
 */
void world_move(struct world *world, uint32_t symbol, int64_t fair)
{
    int128_t before = goal_deficit(world, false);

    if (fair < 1000 || fair > 100000000 || world->now.ticks >= TICKS_MAX) return;
    if (!is_silent(world, symbol) && is_behind(world)) return;
    world->now.fair[symbol - 1] = fair;
    if (is_silent(world, symbol)) return;
    if ((world->now.overdue >> (symbol - 1) & 1) == 0) {
        int128_t more = margin_max(0, goal_deficit(world, false) - before);
        world->now.allowed += more;
        world->now.unseen_from += more; /* of the silence about another symbol */
    }
    world_pass(world, 1000 - world->f->time_ms % 1000);
}

/*
 * When feeders post again, the price alone is responsible for all deficits of the silent time, except for money that
 * left meanwhile.
 */
static void post_again(struct world *world)
{
    world->now.silent = 0;
    world->now.said_ms = 0;
    world->now.allowed += margin_max(0, goal_deficit(world, true) - world->now.unseen_from);
    world_pass(world, 1000 - world->f->time_ms % 1000);
}

void world_silence(struct world *world, uint8_t silent)
{
    if (world->setting != WORLD_MOVES || silent == world->now.silent || world->now.ticks >= TICKS_MAX) return;
    if (world->now.silent != 0) post_again(world);
    if (silent == 0) return;
    world->now.silent = silent;
    memset(world->now.left_unseen, 0, sizeof(world->now.left_unseen));
    memset(world->now.left_bucket, 0, sizeof(world->now.left_bucket));
    world->now.unseen_from = goal_deficit(world, false);
}

/* ---- the operator ---- */

void world_mode(struct world *world, uint8_t mode)
{
    fixture_head(world->f, CMD_SET_MODE, sizeof(struct set_mode));
    world->f->room.head.market = 0;
    world->f->room.set_mode = (struct set_mode){ .mode = mode, .id = operator_id(++world->f->deposit_id) };
    (void)world_apply(world);
}

void world_status(struct world *world, uint32_t symbol, uint8_t status)
{
    fixture_head(world->f, CMD_SET_MARKET, sizeof(struct set_market));
    world->f->room.head.market = 0;
    world->f->room.set_market = (struct set_market){
        .symbol_id = symbol, .engine = MARKET_PERPS, .status = status, .id = operator_id(++world->f->deposit_id)
    };
    (void)world_apply(world);
}

/* ---- the coalition ---- */

static void sign_as(struct world *world, uint32_t owner)
{
    fixture_sign(world->f, owner);
    world->f->room.head.domain = DOMAIN_FUTURES;
    world->f->room.head.market = MARKET_PERPS;
}

static struct client_id next_id(struct world *world)
{
    char text[12];

    (void)snprintf(text, sizeof(text), "m%u", ++world->now.order_count);
    return cid(text);
}

bool world_order(struct world *world, struct wanted wanted)
{
    struct fixture     *f = world->f;
    struct perps_order *item = &f->room.place_perps.items[0];
    int                 decimals = wanted.symbol == BTC ? 1 : 2;

    if (wanted.quantity <= 0 || wanted.price <= 0) return false;
    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, 1));
    f->room.place_perps.account_id = world->account[wanted.who];
    f->room.place_perps.symbol_id = wanted.symbol;
    f->room.place_perps.count = 1;
    *item = (struct perps_order){ .client_id = next_id(world),
                                  .modifier = MODIFIER_NORMAL,
                                  .side = wanted.side,
                                  .type = wanted.tif == 0 ? TYPE_MARKET : TYPE_LIMIT,
                                  .time_in_force = wanted.tif == 0 ? TIF_IOC : wanted.tif,
                                  .position_side = POSITION_BOTH,
                                  .reduce_only = wanted.reduce,
                                  .quantity = decimal_make(wanted.quantity, wanted.symbol == BTC ? 5 : 4) };
    if (wanted.tif != 0) item->price = decimal_make(wanted.price, decimals);
    if (wanted.stop_price > 0) {
        item->modifier = MODIFIER_STOP;
        item->stop_price = decimal_make(wanted.stop_price, decimals);
        item->stop_type = wanted.stop_type;
        item->trigger_type = wanted.trigger;
    }
    sign_as(world, world->owner[wanted.who]);
    return world_apply(world);
}

bool world_spot_order(struct world *world, struct wanted wanted)
{
    struct fixture *f = world->f;

    if (wanted.quantity <= 0 || wanted.price <= 0) return false;
    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    f->room.place_orders.account_id = world->account[wanted.who];
    f->room.place_orders.count = 1;
    f->room.place_orders.items[0] = (struct new_order){ .symbol_id = 1,
                                                        .client_id = next_id(world),
                                                        .side = wanted.side,
                                                        .type = TYPE_LIMIT,
                                                        .time_in_force = wanted.tif == 0 ? TIF_IOC : wanted.tif,
                                                        .price = decimal_make(wanted.price, 1),
                                                        .quantity = decimal_make(wanted.quantity, 5) };
    fixture_sign(f, world->owner[wanted.who]);
    return world_apply(world);
}

/* Its open orders on perps, all in one request. */
void world_cancel_all(struct world *world, uint32_t who)
{
    struct fixture      *f = world->f;
    const struct engine *e = f->engine;
    uint32_t             count = 0;

    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, BATCH_MAX));
    for (uint32_t ix = account_at(e, world->slot[who])->order_head; ix != 0 && count < BATCH_MAX;
         ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        if (!market_is_perps(order->market)) continue;
        f->room.cancel_perps.items[count++] =
            (struct perps_cancel){ .symbol_id = market_at(e, order->market)->symbol.id, .order_id = order->id };
    }
    if (count == 0) return;
    f->room.head.bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(cancel_perps, count));
    f->room.cancel_perps.account_id = world->account[who];
    f->room.cancel_perps.count = count;
    sign_as(world, world->owner[who]);
    (void)world_apply(world);
}

static bool transfer_by(struct world *world, uint32_t owner, uint64_t account, uint64_t id, int64_t amount, bool in)
{
    struct fixture *f = world->f;

    if (amount <= 0) return false;
    fixture_transfer(f, in ? MARKET_SPOT : MARKET_PERPS, id, in ? TRANSFER_PERPS_WITHDRAW : TRANSFER_SPOT_WITHDRAW, 0,
                     NULL);
    f->room.transfer_asset.account_id = account;
    f->room.transfer_asset.amount = decimal_make(amount, 6);
    fixture_sign(f, owner);
    f->room.head.domain = in ? DOMAIN_SPOT : DOMAIN_FUTURES;
    return true;
}

bool world_transfer(struct world *world, uint32_t who, int64_t amount, bool in)
{
    bool live = world_is_live(world, world->slot[who]);

    if (!transfer_by(world, world->owner[who], world->account[who], 1000 + ++world->now.transfer_id, amount, in))
        return false;
    if (!world_apply(world)) return false;
    if (world->now.silent && !live) world->now.left_unseen[who] += in ? -amount : amount;
    return true;
}

bool world_margin(struct world *world, uint32_t who, uint32_t symbol, int64_t amount)
{
    struct fixture *f = world->f;
    bool            live = world_is_live(world, world->slot[who]);

    if (amount == 0) return false;
    fixture_head(f, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
    f->room.update_margin = (struct update_margin){ .account_id = world->account[who],
                                                    .symbol_id = symbol,
                                                    .amount = decimal_make(amount, 6) };
    sign_as(world, world->owner[who]);
    if (!world_apply(world)) return false;
    if (world->now.silent && !live) world->now.left_bucket[who] -= amount;
    return true;
}

bool world_leverage(struct world *world, uint32_t who, uint32_t symbol, uint32_t leverage, uint8_t mode)
{
    struct fixture *f = world->f;

    fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
    f->room.update_leverage = (struct update_leverage){
        .account_id = world->account[who], .symbol_id = symbol, .leverage = leverage, .margin_mode = mode
    };
    sign_as(world, world->owner[who]);
    return world_apply(world);
}

/* ---- a bystander ---- */

bool world_key_transfer(struct world *world, uint64_t id, bool in)
{
    if (!transfer_by(world, USER_KEY, account_id_of(world->bystander[0]), id, 1000000, in)) return false;
    world->f->room.head.key_id = world->key_id;
    return world_apply(world);
}

/* With an id of the clock, as clients make them. */
enum reject world_bystander_transfers(struct world *world)
{
    enum reject worst = REJECT_NONE;

    for (int in = 0; in < 2 && worst == REJECT_NONE; in++) {
        (void)transfer_by(world, USER_BYSTANDER, 0, (uint64_t)world->f->time_ms + (uint64_t)in, 1000000, in == 1);
        fixture_apply(world->f);
        worst = verdict(world->f);
    }
    return worst;
}

enum reject world_bystander_trades(struct world *world)
{
    struct perps_order item = perps_item("free", SIDE_BUY, TYPE_LIMIT, TIF_GTC, NULL, NULL);

    item.price = decimal_make(world->now.fair[0] * 97 / 100, 1);
    item.quantity = decimal_make(100, 5);
    (void)perps_send(world->f, USER_BYSTANDER + 1, BTC, &item, 1);
    if (verdict(world->f) != REJECT_NONE) return verdict(world->f);
    (void)perps_drop(world->f, USER_BYSTANDER + 1, BTC, "free");
    return verdict(world->f);
}
