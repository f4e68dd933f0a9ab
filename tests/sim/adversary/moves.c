/* SPDX-License-Identifier: MIT */
#include "moves.h"
#include "core/perps/risk_unit.h"

const char *const kind_names[] = { "order", "stop",  "cancel", "leverage", "margin", "transfer", "key",   "spot",
                                   "time",  "index", "feed",   "venue",    "quote",  "far",      "print", "flicker" };

enum { ANCHOR_FAIR, ANCHOR_MARK, ANCHOR_INDEX, ANCHORS };
enum { SIZE_DUST, SIZE_IMPACT, SIZE_TENTH, SIZE_THIRD, SIZE_MOST, SIZE_ALL, SIZE_OWN, SIZE_FUND, SIZES };

#define DUST   INT64_C(2000000)    /* two vUSDC */
#define IMPACT INT64_C(5200000000) /* the depth needed by the mark's and the premium's impact prices */

/* ---- prices and sizes ---- */

static int64_t anchor_of(const struct world *world, uint8_t anchor, uint32_t symbol)
{
    const struct perps_market *perps = world_perps(world, symbol);

    return anchor == ANCHOR_FAIR ? world->now.fair[symbol - 1] : anchor == ANCHOR_MARK ? perps->mark : perps->index;
}

static int64_t price_at(int64_t anchor, int64_t away) { return max_i64(1, anchor + anchor * away / BP); }

static uint32_t leverage_of(const struct world *world, uint32_t slot, uint32_t symbol)
{
    const struct position *position = world_position(world, slot, symbol);

    return position == NULL || position->leverage == 0 ? world_perps(world, symbol)->contract.init_leverage
                                                       : position->leverage;
}

/* The quantity that an account can open at a price: margin, loss against the mark, fee. */
static int64_t affordable(struct world *world, uint32_t who, uint32_t symbol, uint8_t side, int64_t price)
{
    const struct position *position = world_position(world, world->slot[who], symbol);
    struct available       available = risk_unit_available(world->f->engine, world->slot[who]);
    int64_t  mark = world_perps(world, symbol)->mark, loss = side == SIDE_BUY ? price - mark : mark - price;
    int128_t has = position != NULL && position_is_isolated(position) ? available.isolated : available.margin;
    int128_t unit = (int128_t)max_i64(price, mark) * 1010 / 1000 / leverage_of(world, world->slot[who], symbol)
                  + max_i64(loss, 0) + price / 1000;

    return (int64_t)margin_min(has / margin_max(unit, 1), 4000000000);
}

static int64_t held_by(const struct world *world, uint32_t slot, uint32_t symbol)
{
    const struct position *position = world_position(world, slot, symbol);

    return position == NULL ? 0 : size_abs(position->exposure.size);
}

static int64_t quantity_of(struct world *world, uint8_t size, uint32_t who, uint32_t symbol, uint8_t side,
                           int64_t price)
{
    switch (size) {
    case SIZE_DUST: return DUST / price + 1;
    case SIZE_IMPACT: return IMPACT / price + 1;
    case SIZE_OWN: return held_by(world, world->slot[who], symbol);
    case SIZE_FUND: return held_by(world, SLOT_FUND, symbol);
    case SIZE_TENTH: return affordable(world, who, symbol, side, price) / 10;
    case SIZE_THIRD: return affordable(world, who, symbol, side, price) / 3;
    case SIZE_MOST: return affordable(world, who, symbol, side, price) * 4 / 5;
    default: return affordable(world, who, symbol, side, price);
    }
}

/* ---- single steps ---- */

static const int64_t times_ms[] = { 1, 100, 400, 1000, 2000, 5000, 15000, 60000, 200000, 600000 };

static uint32_t whose(const struct world *world, uint8_t who) { return who % world->coalition; }
static uint32_t partner(const struct world *world, const struct move *move)
{
    uint32_t who = whose(world, move->who), other = whose(world, move->other);

    return other == who ? (who + 1) % world->coalition : other;
}

static void play_order(struct world *world, const struct move *move)
{
    uint32_t      who = whose(world, move->who);
    int64_t       price = price_at(anchor_of(world, move->anchor, move->symbol), move->away);
    struct wanted wanted = {
        .who = who, .symbol = move->symbol, .side = move->side, .tif = move->tif, .reduce = move->reduce, .price = price
    };

    wanted.quantity = quantity_of(world, move->size, who, move->symbol, move->side, price);
    if (move->kind == MOVE_STOP) {
        int64_t stop = price_at(world_perps(world, move->symbol)->mark,
                                (int64_t)move->other % 2 == 0 ? move->arg : -(int64_t)move->arg);
        wanted.stop_price = stop;
        wanted.stop_type = (uint8_t)(1 + move->other / 2 % 2);
        wanted.trigger = (uint8_t)(1 + move->other / 4 % 3);
    }
    (void)world_order(world, wanted);
}

/* The amount that a bucket may release if the position is valued at a price (mechanics 3.5). */
static int64_t removable_at(const struct position *position, int64_t price)
{
    int128_t value = (int128_t)position->exposure.size * price, profit = value - position->exposure.cost;
    int128_t entry = margin_max(position->exposure.cost, -position->exposure.cost), now = margin_max(value, -value);

    return (int64_t)(position->exposure.bucket + margin_min(profit, 0) - margin_max(entry, now) / position->leverage
                     - 1);
}

/* The whole amount that the mark allows; if that is refused, the amount that the worse of mark and index allows. */
static void play_margin(struct world *world, const struct move *move)
{
    uint32_t                   who = whose(world, move->who);
    const struct position     *position = world_position(world, world->slot[who], move->symbol);
    const struct perps_market *perps = world_perps(world, move->symbol);
    int64_t                    by_mark, by_index;

    if (position == NULL || position->exposure.size == 0) return;
    if (move->side == SIDE_BUY) {
        (void)world_margin(world, who, move->symbol,
                           (int64_t)risk_unit_available(world->f->engine, world->slot[who]).isolated
                               / (1 + move->arg % 4));
        return;
    }
    by_mark = removable_at(position, perps->mark);
    by_index = min_i64(by_mark, removable_at(position, perps->index));
    if (by_mark > 0 && world_margin(world, who, move->symbol, -by_mark)) return;
    if (by_index > 0) (void)world_margin(world, who, move->symbol, -by_index);
}

static void play_transfer(struct world *world, const struct move *move)
{
    uint32_t who = whose(world, move->who);
    int64_t  amount = move->side == SIDE_BUY ? ledger_bucket(world->f->engine, world->slot[who], VUSDC)->available
                                             : margin_withdrawable(world->f->engine, world->slot[who]);

    (void)world_transfer(world, who, amount / (1 + move->arg % 3), move->side == SIDE_BUY);
}

/* Ids of every size, to test their storage. */
static void play_key(struct world *world, const struct move *move)
{
    uint64_t ids[] = { move->arg, (uint64_t)world->f->time_ms + move->arg, UINT64_C(1) << 62, UINT64_MAX - move->arg,
                       (UINT64_C(1) << 53) + move->arg };

    if (!world->has_key) return;
    for (uint32_t i = 0; i <= move->other % 4; i++)
        (void)world_key_transfer(world, ids[move->size % ARRAY_COUNT(ids)] - i, move->side == SIDE_BUY);
}

static void play_spot(struct world *world, const struct move *move)
{
    int64_t       price = price_at(world->now.fair[0], move->away);
    struct wanted wanted = { .who = whose(world, move->who), .side = move->side, .tif = move->tif, .price = price };

    wanted.quantity = move->size == SIZE_DUST ? DUST / price + 1 : IMPACT / price + 1;
    (void)world_spot_order(world, wanted);
}

static void play_time(struct world *world, const struct move *move)
{
    int64_t  now = world->f->time_ms, to_five = 5000 - now % 5000, to_hour = FUNDING_HOUR_MS - now % FUNDING_HOUR_MS;
    uint32_t at = move->arg % (ARRAY_COUNT(times_ms) + 2);

    if (at < ARRAY_COUNT(times_ms)) world_pass(world, times_ms[at]);
    else if (at == ARRAY_COUNT(times_ms)) world_pass(world, to_five - (to_five > 50 ? 50 : 0));
    else if (to_hour < 900000) world_pass(world, to_hour);
}

/* ---- what the world does, where the coalition says so ---- */

static void play_index(struct world *world, const struct move *move)
{
    static const int64_t steps[] = { 0, 10, 50, 100, 200, 300, 500, 900, 1100, 1300 };
    int64_t              by = steps[move->arg % ARRAY_COUNT(steps)], fair = world->now.fair[move->symbol - 1];

    if (world->setting != WORLD_MOVES) return;
    world_move(world, move->symbol,
               by == 0 ? world->first.fair[move->symbol - 1] : price_at(fair, move->side == SIDE_BUY ? by : -by));
}

/* Feeders fall silent about all symbols or one, or post again. */
static void play_feed(struct world *world, const struct move *move)
{
    uint8_t one = (uint8_t)(1U << (move->symbol - 1));

    world_silence(world, move->arg % 2 != 0 ? 0 : move->arg % 4 == 0 ? ALL_SYMBOLS : one);
}

static void play_venue(struct world *world, const struct move *move)
{
    if (world->setting != WORLD_MOVES) return;
    switch (move->arg % 5) {
    case 0: world_mode(world, VENUE_CANCEL_ONLY); break;
    case 1: world_mode(world, VENUE_REDUCE_ONLY); break;
    case 2: world_status(world, move->symbol, SYMBOL_HALT); break;
    case 3: world_status(world, move->symbol, SYMBOL_TRADING); break;
    default: world_mode(world, VENUE_RUN); break;
    }
}

/* ---- habits ---- */

static uint32_t most_leverage(uint32_t symbol) { return symbol == BTC ? 25 : 20; }

static void both_sides(struct world *world, const struct move *move)
{
    uint32_t who = whose(world, move->who);

    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++) {
        int64_t away = move->away + (side == SIDE_SELL ? 5 * (1 + move->other % 4) : 0),
                price = price_at(anchor_of(world, move->anchor, move->symbol), away);
        struct wanted wanted = { .who = side == SIDE_SELL && move->reduce ? partner(world, move) : who,
                                 .symbol = move->symbol,
                                 .side = side,
                                 .tif = TIF_GTC,
                                 .price = price };
        wanted.quantity =
            quantity_of(world, move->size <= SIZE_IMPACT ? move->size : SIZE_DUST, who, move->symbol, side, price);
        (void)world_order(world, wanted);
    }
}

static void play_quote(struct world *world, const struct move *move)
{
    both_sides(world, move);
    world_pass(world, times_ms[3 + move->arg % (ARRAY_COUNT(times_ms) - 3)]);
    world_cancel_all(world, whose(world, move->who));
}

static void play_flicker(struct world *world, const struct move *move)
{
    for (uint32_t i = 0; i <= move->arg % 8; i++) {
        int64_t to_five = 5000 - world->f->time_ms % 5000;
        world_pass(world, to_five > 50 ? to_five - 50 : to_five + 4950);
        both_sides(world, move);
        world_pass(world, 100);
        world_cancel_all(world, whose(world, move->who));
    }
}

/* The one rests, the other takes it, with all the leverage there
   is or as it has chosen, at a price that both choose. */
static void play_far(struct world *world, const struct move *move)
{
    uint32_t      maker = whose(world, move->who), taker = partner(world, move);
    int64_t       price = price_at(anchor_of(world, move->anchor, move->symbol), move->away);
    uint8_t       other = move->side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
    struct wanted wanted = { .who = maker, .symbol = move->symbol, .side = other, .tif = TIF_GTC, .price = price };

    if (move->kind == MOVE_FAR && move->arg % 3 == 0)
        (void)world_leverage(world, taker, move->symbol, most_leverage(move->symbol), MARGIN_ISOLATED);
    wanted.quantity = min_i64(quantity_of(world, move->size, maker, move->symbol, other, price),
                              quantity_of(world, move->size, taker, move->symbol, move->side, price));
    if (!world_order(world, wanted)) return;
    wanted = (struct wanted){ .who = taker,
                              .symbol = move->symbol,
                              .side = move->side,
                              .tif = TIF_IOC,
                              .price = price,
                              .quantity = wanted.quantity };
    (void)world_order(world, wanted);
    world_cancel_all(world, maker);
}

static void play_print(struct world *world, const struct move *move)
{
    struct move trade = *move;

    trade.size = SIZE_DUST;
    for (uint32_t i = 0; i <= move->arg % 16; i++) {
        play_far(world, &trade);
        world_pass(world, times_ms[3 + move->other % 4]);
    }
}

void move_play(struct world *world, const struct move *move)
{
    switch ((enum kind)move->kind) {
    case MOVE_ORDER:
    case MOVE_STOP: play_order(world, move); break;
    case MOVE_CANCEL: world_cancel_all(world, whose(world, move->who)); break;
    case MOVE_LEVERAGE:
        (void)world_leverage(world, whose(world, move->who), move->symbol,
                             (uint32_t[]){ most_leverage(move->symbol), 20, 10, 3 }[move->arg % 4],
                             move->side == SIDE_BUY ? MARGIN_CROSS : MARGIN_ISOLATED);
        break;
    case MOVE_MARGIN: play_margin(world, move); break;
    case MOVE_TRANSFER: play_transfer(world, move); break;
    case MOVE_KEY: play_key(world, move); break;
    case MOVE_SPOT: play_spot(world, move); break;
    case MOVE_TIME: play_time(world, move); break;
    case MOVE_INDEX: play_index(world, move); break;
    case MOVE_FEED: play_feed(world, move); break;
    case MOVE_VENUE: play_venue(world, move); break;
    case MOVE_QUOTE: play_quote(world, move); break;
    case MOVE_FAR: play_far(world, move); break;
    case MOVE_PRINT: play_print(world, move); break;
    case MOVE_FLICKER: play_flicker(world, move); break;
    case MOVE_KINDS: break;
    }
}

/* ---- sequences ---- */

static int16_t away_draw(void)
{
    int32_t away = (int32_t)random_below((uint32_t[]){ 12, 60, 120, 510, 510, 3000 }[random_below(6)]);

    return (int16_t)(random_below(2) == 0 ? away : -away);
}

/* How often each kind is drawn: flat worlds and those that move. */
static const uint8_t weights[2][MOVE_KINDS] = {
    { 8, 5, 1, 3, 2, 3, 3, 2, 6, 0, 0, 0, 6, 6, 3, 2 },
    { 5, 1, 1, 3, 3, 6, 0, 2, 6, 8, 3, 2, 2, 8, 1, 0 },
};

static uint8_t kind_draw(const struct world *world)
{
    const uint8_t *weight = weights[world->setting == WORLD_MOVES];
    uint32_t       sum = 0, at;

    for (uint32_t i = 0; i < MOVE_KINDS; i++) sum += weight[i];
    at = random_below(sum);
    for (uint8_t i = 0; i < MOVE_KINDS; i++) {
        if (at < weight[i]) return i;
        at -= weight[i];
    }
    return MOVE_TIME;
}

struct move move_draw(const struct world *world)
{
    struct move move = { .kind = kind_draw(world) };

    move.who = (uint8_t)random_below(world->coalition);
    move.other = (uint8_t)random_below(12);
    move.symbol = random_below(4) == 0 ? ETH : BTC;
    move.side = (uint8_t)(SIDE_BUY + random_below(2));
    move.tif = (uint8_t[]){ TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX, 0 }[random_below(6)];
    move.size = (uint8_t)random_below(SIZES);
    move.anchor = (uint8_t)random_below(ANCHORS);
    move.arg = (uint8_t)random_below(random_below(2) == 0 ? 12 : 200);
    move.reduce = random_below(5) == 0;
    move.away = away_draw();
    return move;
}

void sequence_draw(const struct world *world, struct sequence *sequence)
{
    sequence->count = 2 + random_below(8);
    for (uint32_t i = 0; i < sequence->count; i++) sequence->moves[i] = move_draw(world);
}

static void insert(struct sequence *sequence, uint32_t at, struct move move)
{
    if (sequence->count == MOVES) return;
    memmove(&sequence->moves[at + 1], &sequence->moves[at], (sequence->count - at) * sizeof(move));
    sequence->moves[at] = move;
    sequence->count++;
}

static void delete (struct sequence *sequence, uint32_t at)
{
    memmove(&sequence->moves[at], &sequence->moves[at + 1], (sequence->count - at - 1) * sizeof(sequence->moves[0]));
    sequence->count--;
}

/* One field of one move becomes another one's. */
static void change_field(const struct world *world, struct move *move)
{
    struct move other = move_draw(world);

    switch (random_below(10)) {
    case 0: move->who = other.who; break;
    case 1: move->other = other.other; break;
    case 2: move->symbol = other.symbol; break;
    case 3: move->side = (uint8_t)(SIDE_BUY + SIDE_SELL - move->side); break;
    case 4: move->tif = other.tif; break;
    case 5: move->size = other.size; break;
    case 6: move->anchor = other.anchor; break;
    case 7: move->arg = random_below(2) == 0 ? other.arg : (uint8_t)(move->arg + random_below(3) - 1); break;
    case 8: move->reduce = !move->reduce; break;
    default:
        move->away = random_below(2) == 0 ? other.away : (int16_t)(move->away + (int16_t)random_below(41) - 20);
        break;
    }
}

static void change_once(const struct world *world, struct sequence *sequence)
{
    uint32_t at = random_below(sequence->count);

    switch (random_below(8)) {
    case 0: insert(sequence, at, move_draw(world)); break;
    case 1: insert(sequence, sequence->count, move_draw(world)); break;
    case 2:
        if (sequence->count > 1) delete (sequence, at);
        break;
    case 3: sequence->moves[at] = move_draw(world); break;
    case 4: insert(sequence, random_below(sequence->count + 1), sequence->moves[at]); break;
    case 5: {
        uint32_t    to = random_below(sequence->count);
        struct move move = sequence->moves[at];
        sequence->moves[at] = sequence->moves[to];
        sequence->moves[to] = move;
        break;
    }
    default: change_field(world, &sequence->moves[at]); break;
    }
}

void sequence_change(const struct world *world, struct sequence *sequence)
{
    for (uint32_t k = 1 + random_below(3); k-- > 0;) change_once(world, sequence);
}

void sequence_cross(struct sequence *into, const struct sequence *other)
{
    uint32_t from = random_below(other->count), keep = random_below(into->count) + 1;

    for (into->count = keep; from < other->count && into->count < MOVES; from++)
        into->moves[into->count++] = other->moves[from];
}
