/* SPDX-License-Identifier: MIT */
/*
 * units.c — an adversary searches for a gain at a constant price (G7). In worlds of one adversary, or of two who
 * cooperate, an honest house quotes around the price P in every market and never takes. A sequence of up to 24 moves —
 * orders of all kinds, parts, dust, cancels, replacements, self-trades, stops, leverage, margin, transfers, seconds,
 * days — is changed again and again, and the one that loses least is changed further. At no moment may
 *
 *     their holdings, valued at P, and the exact amounts they owed for their fills, less their initial holdings
 *
 * be above zero: every rounding is against them. (Where P times a step is no whole unit the notional is rounded down,
 * and the buyer keeps the fraction: mechanics 1.3; it is subtracted and reported separately.) Amounts in the line are
 * thousandths of a unit of the quote coin. A finding is shrunk as far as possible and printed.
 *
 *     adversary [SEQUENCES] [SEED] [PLANT]     one line of JSON; exit 1 when there was a gain. PLANT: a bug that
 *                                              must be found: fee, margin, cancel, close, transfer
 */
#include "units.h"

#include "core/account/account.h"
#include "core/account/fees.h"
#include "core/account/ledger.h"
#include "core/state/market.h"
#include "rigs/random.h"

#include <time.h>

#define CLIMB 2000                        /* sequences in a world */
#define PART  INT64_C(100000)             /* a quote unit in units of value: enough for vETH's prices */
#define SCALE ((int128_t)PART * RATE_ONE) /* and in units of the amounts owed */

static uint64_t random_state;

uint32_t random_below(uint32_t n) { return (uint32_t)(random_congruent(&random_state) >> 33) % n; }

/* ---- what is done ---- */

static const char *const kinds[] = { "spot",   "spot-parts", "spot-funds",   "spot-cancel",   "spot-replace",
                                     "perps",  "perps-stop", "perps-cancel", "perps-replace", "leverage",
                                     "margin", "transfer",   "time" };

static struct move a_move(bool perps)
{
    struct move move = { .kind = (uint8_t)random_below(KINDS) };

    move.who = (uint8_t)(1 + random_below(2));
    move.symbol = (uint8_t)(1 + random_below(2));
    move.side = (uint8_t)(1 + random_below(2));
    move.tif = (uint8_t[]){ TIF_GTC, TIF_GTC, TIF_IOC, TIF_FOK, TIF_GTX, 0 }[random_below(6)];
    move.flag = (uint8_t)random_below(4);
    move.target = (uint16_t)random_below(MOVES);
    move.away = (int32_t)random_below((uint32_t[]){ 8, 8, 8, 8, 4000, 70000 }[random_below(6)]);
    move.away = random_below(2) == 0 ? -move.away : move.away;
    move.quantity = 1 + random_below((uint32_t[]){ 3, 40, 3000, 400000 }[random_below(4)]);
    if (!perps && move.kind >= PERPS && move.kind != TIME) move.kind = SPOT;
    return move;
}

static void change(struct sequence *sequence, bool perps)
{
    struct move *move = &sequence->moves[random_below(MOVES) % max_u32(sequence->count, 1)];

    switch (random_below(9)) {
    case 0:
    case 1:
        if (sequence->count < MOVES) {
            uint32_t at = random_below(sequence->count + 1);
            memmove(&sequence->moves[at + 1], &sequence->moves[at], (sequence->count++ - at) * sizeof(*move));
            sequence->moves[at] = a_move(perps);
        }
        break;
    case 2:
        if (sequence->count > 1) {
            uint32_t at = random_below(sequence->count--);
            memmove(&sequence->moves[at], &sequence->moves[at + 1], (sequence->count - at) * sizeof(*move));
        }
        break;
    case 3: *move = a_move(perps); break;
    case 4: move->quantity = max_i64(1, move->quantity + (int64_t)random_below(7) - 3); break;
    case 5:
        move->quantity = max_i64(1, random_below(2) == 0 ? move->quantity / 2 : move->quantity * 2 % 10000000);
        break;
    case 6: move->away += (int32_t)random_below(5) - 2; break;
    case 7: move->side = (uint8_t)(SIDE_BUY + SIDE_SELL - move->side); break;
    default: sequence->moves[random_below(sequence->count)] = *move; break; /* again */
    }
}

/* ---- what it is worth ---- */

struct score {
    int128_t plain, owed, kept;
    uint32_t fills;
}; /* of SCALE a quote unit */

static uint32_t slot_of(const struct fixture *f, uint32_t who)
{
    struct address owner = user(who);
    return account_find_owner(f->engine, &owner);
}

/* All that the adversaries hold, at P. */
static int128_t worth(const struct world *world)
{
    const struct fixture *f = world->f;
    int128_t              sum = 0;

    for (uint32_t who = 1; who <= (world->two ? 2U : 1U); who++) {
        uint32_t slot = slot_of(f, who);

        for (uint32_t coin = 0; coin < 3; coin++) {
            int128_t total =
                (int128_t)ledger_bucket(f->engine, slot, coin)->available + ledger_bucket(f->engine, slot, coin)->held;
            sum += total * (coin == 0 ? PART : coin == 1 ? price_of(f, false, 1) * 100 : price_of(f, false, 2));
        }
        if (!world->perps) continue;
        sum += (int128_t)ledger_wallet(f->engine, slot) * PART;
        for (uint32_t i = 0; i < 2; i++) {
            const struct position *position = position_find(f->engine, slot, (uint8_t)(PERPS_FIRST + i));
            if (position == NULL) continue;
            sum += ((int128_t)position->exposure.size * price_of(f, true, i + 1) + position->exposure.bucket
                    - position->exposure.cost)
                 * PART;
        }
    }
    return sum * RATE_ONE;
}

static uint64_t account_of(const struct world *world, uint32_t who) { return account_id_of(slot_of(world->f, who)); }

static bool is_theirs(const struct world *world, uint64_t account_id)
{
    return account_id == account_of(world, 1) || (world->two && account_id == account_of(world, 2));
}

/* The fraction that a buyer keeps of a notional that was rounded down. */
static int128_t kept_of(const struct filled *fill)
{
    if (fill->head.market == MARKET_PERPS || fill->symbol_id != 2 || fill->side != SIDE_BUY) return 0;
    return (int128_t)fill->price * fill->quantity % 100 * (PART / 100) * RATE_ONE;
}

/* The fee of a fill to the last fraction. */
static int128_t owed_for(const struct world *world, const struct filled *fill)
{
    const struct engine *e = world->f->engine;
    bool                 perps = fill->head.market == MARKET_PERPS;
    const struct market *market = market_at(e, (uint8_t)(perps ? PERPS_FIRST + fill->symbol_id - 1 : fill->symbol_id));
    uint32_t             slot = slot_of(world->f, 1);
    int128_t             value = market_value_floor(market, fill->price, fill->quantity), basis = value * PART;

    if (account_of(world, 1) != fill->account_id) slot = slot_of(world->f, 2);
    if (fill->reason == REASON_LIQUIDATION)
        return (int128_t)fill->fee * SCALE; /* no more than the unit has left (mechanics 3.4) */
    if (fill->reason != 0) return 0;
    if (fill->fee_coin_id != 0)
        basis = (int128_t)fill->quantity * 1000
              * (fill->fee_coin_id == 1 ? price_of(world->f, false, 1) * 100 : price_of(world->f, false, 2));
    return basis * (fill->is_maker ? fees_maker_rate(e, market, slot) : fees_taker_rate(e, market, slot));
}

/* ---- bugs that must be found ---- */

static const char *planted = "";

static void give(struct world *world, uint64_t account_id, uint32_t coin, uint8_t side)
{
    uint32_t slot = slot_of(world->f, account_of(world, 1) == account_id ? 1 : 2);

    if (side == MARKET_PERPS) engine_margins(world->f->engine)[slot].wallet += 1;
    else ((struct bucket *)(uintptr_t)ledger_bucket(world->f->engine, slot, coin))->available += 1;
}

/* Adds a unit where rounding could go the wrong way (a planted bug). */
static void plant(struct world *world, const struct move *move)
{
    struct fixture *f = world->f;
    bool            accepted =
        event_at(f, EVENT_RESULT, 0) != NULL && result_at(f, 0) != NULL && result_at(f, 0)->reject == REJECT_NONE;
    uint64_t mine = account_of(world, world->two ? move->who : 1);

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct filled           *fill = (const void *)event;
        const struct order_changed    *order = (const void *)event;
        const struct position_changed *position = (const void *)event;

        if (event->kind == EVENT_FILL && strcmp(planted, "fee") == 0 && is_theirs(world, fill->account_id)
            && !fill->is_maker && owed_for(world, fill) % SCALE != 0)
            give(world, fill->account_id, fill->fee_coin_id, event->market);
        if (event->kind == EVENT_ORDER && strcmp(planted, "cancel") == 0 && is_theirs(world, order->account_id)
            && order->status == STATUS_CANCELED)
            give(world, order->account_id, 0, MARKET_SPOT);
        if (event->kind == EVENT_POSITION && strcmp(planted, "close") == 0 && is_theirs(world, position->account_id)
            && position->size != 0)
            give(world, position->account_id, 0, MARKET_PERPS);
    }
    if (strcmp(planted, "margin") == 0 && move->kind == MARGIN && move->side == SIDE_SELL && accepted)
        give(world, mine, 0, MARKET_PERPS);
    if (strcmp(planted, "transfer") == 0 && move->kind == TRANSFER && accepted) give(world, mine, 0, MARKET_SPOT);
}

/* ---- the search ---- */

struct tally {
    uint64_t sequences, commands, accepted, fills, stages, worlds, by[KINDS];
    int128_t best, best_plain, kept;
};

/* Plays a sequence from the start; its value at the end, and the maximum on the way. */
static struct score play(struct world *world, const struct sequence *sequence, struct tally *tally, int128_t *highest)
{
    struct fixture *f = world->f;
    struct score    score = { 0 };
    int128_t        begun;

    world_again(world);
    begun = worth(world);
    *highest = INT64_MIN;
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct move *move = &sequence->moves[i];

        if (!command_of(world, sequence, i)) continue;
        fixture_apply(f);
        if (planted[0] != '\0') plant(world, move);
        for (const struct event *event = events_first(&f->events); event != NULL;
             event = events_next(&f->events, event)) {
            const struct filled *fill = (const void *)event;
            const struct result *result = (const void *)event;

            if (event->kind == EVENT_RESULT && result->reject == REJECT_NONE) {
                tally->accepted++;
                tally->by[move->kind]++;
            }
            if (event->kind == EVENT_UNIT) tally->stages++;
            if (event->kind != EVENT_FILL || !is_theirs(world, fill->account_id)) continue;
            score.owed += owed_for(world, fill);
            score.kept += kept_of(fill);
            score.fills++;
        }
        tally->commands++;
        score.plain = worth(world) - begun - score.kept;
        if (score.plain + score.owed > *highest) *highest = score.plain + score.owed;
        if (score.kept > tally->kept) tally->kept = score.kept;
        if (score.fills > 0 && score.plain > tally->best_plain) tally->best_plain = score.plain;
        if (score.fills > 0 && score.plain + score.owed > tally->best) tally->best = score.plain + score.owed;
    }
    tally->sequences++;
    tally->fills += score.fills;
    return score;
}

static void tell(struct world *world, const struct sequence *sequence, uint64_t seed)
{
    (void)fprintf(stderr, "seed %lu, %s%s:\n", (unsigned long)seed, world->two ? "two who share" : "one alone",
                  world->thin ? ", nobody else in perps" : "");
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct move *move = &sequence->moves[i];
        (void)fprintf(stderr, "  m%u: %u %s symbol %u side %u tif %u flag %u target m%u away %d quantity %ld\n", i,
                      move->who, kinds[move->kind], move->symbol, move->side, move->tif, move->flag, move->target,
                      move->away, (long)move->quantity);
    }
}

/* As short as it can be and still a gain. */
static void shrink(struct world *world, struct sequence *sequence, struct tally *tally)
{
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (uint32_t i = sequence->count; i-- > 0;) {
            struct sequence trial = *sequence;
            int128_t        highest;

            memmove(&trial.moves[i], &trial.moves[i + 1], (trial.count - i - 1) * sizeof(trial.moves[0]));
            trial.count--;
            (void)play(world, &trial, tally, &highest);
            if (highest <= 0) continue;
            *sequence = trial;
            shorter = true;
        }
    }
}

/* A move in the perps for the templates below. */
static struct move perps_move(uint8_t who, uint8_t symbol, uint8_t side, int32_t away, int64_t quantity)
{
    return (struct move){ .kind = PERPS,
                          .who = who,
                          .symbol = symbol,
                          .side = side,
                          .tif = TIF_GTC,
                          .flag = 1,
                          .away = away,
                          .quantity = max_i64(1, quantity) };
}

/*
 * Two who cooperate, alone on perps: one uses all that leverage allows against the other, at P or far from it; the
 * other quotes far away, a trade is printed there, and seconds pass while the mark follows: another account may have
 * to bear the first one's loss.
 */
static void begin_with_a_squeeze(struct sequence *sequence, const struct world *world)
{
    uint8_t rich = world->each[1] > world->each[2] ? 1 : 2, poor = (uint8_t)(3 - rich),
            symbol = (uint8_t)(1 + random_below(2)), side = (uint8_t)(1 + random_below(2)), other = (uint8_t)(3 - side);
    int64_t most = world->each[poor] * (int64_t)(1 + random_below(25)) / price_of(world->f, true, symbol);
    int32_t entry = random_below(2) == 0 ? 0 : (int32_t)random_below(60000) - 30000,
            away = (int32_t)(price_of(world->f, true, symbol) / 100000 * (int64_t)(1000 + random_below(4000)));
    struct move *at = sequence->moves;

    if (side == SIDE_BUY) away = -away; /* the poor one is long: down */
    for (uint8_t who = 1; who <= 2; who++, at++) {
        *at = (struct move){ .kind = LEVERAGE, .who = who, .symbol = symbol, .flag = (uint8_t)random_below(2) };
        at->target = (uint16_t)(18 + random_below(7));
    }
    *at++ = perps_move(rich, symbol, other, entry, most);
    *at++ = perps_move(poor, symbol, side, entry, most);
    *at++ = perps_move(rich, symbol, SIDE_SELL, away + 1, 1 + random_below(1000));
    *at++ = perps_move(rich, symbol, SIDE_BUY, away - 1, 1 + random_below(100000));
    *at++ = perps_move(poor, symbol, (uint8_t)(1 + random_below(2)), away, 1);
    for (uint32_t k = 0; k < 6; k++)
        *at++ = (struct move){ .kind = TIME, .who = 1, .symbol = 1, .side = 1, .flag = (uint8_t)random_below(4) };
    sequence->count = (uint32_t)(at - sequence->moves);
}

static void begin(struct sequence *sequence, const struct world *world)
{
    sequence->count = 0;
    if (world->thin && random_below(4) != 0) begin_with_a_squeeze(sequence, world);
    for (uint32_t k = random_below(MOVES - 8); k-- > 0 && sequence->count < MOVES;)
        sequence->moves[sequence->count++] = a_move(world->perps);
    if (sequence->count == 0) sequence->moves[sequence->count++] = a_move(world->perps);
}

/*
 * One world: starts from nothing and changes the sequence that loses least; now and then starts again. True: there was
 * a gain.
 */
static bool climb(uint64_t seed, uint64_t sequences, struct tally *tally)
{
    struct world    world;
    struct sequence best = { 0 };
    struct score    best_score = { 0 };
    bool            gained = false;
    uint32_t        turn;

    random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    (void)random_below(2);
    world_make(&world);
    turn = world.thin ? 50 : 250;
    for (uint64_t i = 0; i < sequences && !gained; i++) {
        struct sequence trial = best;
        struct score    score;
        int128_t        highest;

        if (i % turn == 0) {
            best_score.fills = 0;
            begin(&trial, &world);
        }
        for (uint32_t k = 1 + random_below(3); k-- > 0;) change(&trial, world.perps);
        score = play(&world, &trial, tally, &highest);
        if (highest > 0) {
            gained = true;
            shrink(&world, &trial, tally);
            tell(&world, &trial, seed);
        }
        if (i % turn == 0
            || (score.fills > 0
                && (best_score.fills == 0 || score.plain + score.owed >= best_score.plain + best_score.owed))) {
            best = trial;
            best_score = score;
        }
    }
    if (planted[0] == '\0') engine_verify(world.f->engine);
    tally->worlds++;
    world_free(&world);
    return gained;
}

/* Thousandths of a quote unit, away from zero. */
static long mills(int128_t value)
{
    return (long)(value < 0 ? -div_ceil(-value, SCALE / 1000) : div_ceil(value, SCALE / 1000));
}

int main(int argc, char **argv)
{
    uint64_t sequences = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000,
             seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct tally    tally = { .best = INT64_MIN * SCALE, .best_plain = INT64_MIN * SCALE };
    bool            gained = false;
    struct timespec began, now;

    if (argc > 3) planted = argv[3];
    (void)clock_gettime(CLOCK_MONOTONIC, &began);
    while (tally.sequences < sequences && !gained)
        gained = climb(seed + tally.worlds, min_u64(CLIMB, sequences - tally.sequences), &tally);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)printf("{\"goal\": \"G7\", \"seeds\": [%lu, %lu], \"sequences\": %lu, \"commands\": %lu, \"accepted\": %lu, "
                 "\"fills\": %lu, \"stages_of_liquidation\": %lu, \"accepted_by_kind\": {",
                 (unsigned long)seed, (unsigned long)(seed + tally.worlds - 1), (unsigned long)tally.sequences,
                 (unsigned long)tally.commands, (unsigned long)tally.accepted, (unsigned long)tally.fills,
                 (unsigned long)tally.stages);
    for (uint32_t i = 0; i < TIME; i++)
        (void)printf("%s\"%s\": %lu", i == 0 ? "" : ", ", kinds[i], (unsigned long)tally.by[i]);
    (void)printf("}, \"best_before_fees\": %ld, \"best\": %ld, \"kept_of_cut_notionals\": %ld, \"verdict\": \"%s\", "
                 "\"seconds\": %ld}\n",
                 mills(tally.best), mills(tally.best_plain), mills(tally.kept),
                 gained ? "somebody gained" : "nobody gained", (long)(now.tv_sec - began.tv_sec));
    return gained ? 1 : 0;
}
