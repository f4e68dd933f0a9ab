/* SPDX-License-Identifier: MIT */
/*
 * relations.c — relations that must hold between two worlds with almost the same commands (G4), whatever the right
 * results are:
 *
 *     commute   commands of different accounts in different markets may change places
 *     undo      a post-only order and its cancel leave nothing behind
 *     mirror    perps upside down: buy for sell, prices mirrored at the index: positions negative, W - C follows
 *               exactly
 *     scale     all prices and all money doubled: all money doubled, the same quantities
 *     batch     orders in one command are those orders in one command each
 *     rename    other addresses, other client ids: the same
 *     idle      TICKs in between change nothing when nothing is due
 *     split     a taker's order in parts is never cheaper than whole
 *
 *     relations [CASES] [SEED] [PLANT]     one line of JSON; exit 1 when a relation broke. PLANT: a relation in whose
 *                                          second world one unit of money appears from nowhere
 *
 * Each case is a world of its own: six accounts with more money than they can spend send some 20 commands, then the
 * relation is tried and both worlds are compared: money, positions, books. Ids, nonces and times are not compared.
 */
#include "core/account/account.h"
#include "core/book/book.h"
#include "core/account/ledger.h"
#include "rigs/core/perps_fixture.h"
#include "rigs/random.h"

#include <time.h>

#define USERS 6
#define SAYS  20
#define ROWS  256
#define RICH  INT64_C(1000000000000)

static uint64_t random_state;

static uint32_t random_below(uint32_t n) { return (uint32_t)(random_congruent(&random_state) >> 33) % n; }

/* ---- worlds ---- */

struct setting {
    bool     free, perps;
    int64_t  scale;
    uint32_t rename;
};

static struct fixture *world(const struct setting *setting)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct genesis *g = &f->genesis;

    perps_genesis(g);
    g->spot[1] = g->spot[0];
    g->spot[1].id = 2;
    g->spot[1].base_coin_id = 2;
    g->spot[1].name = name_make(SLICE("vETH_vUSDC"));
    g->spot_count = 2;
    if (!setting->perps) g->perps_count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct symbol *both[] = { &g->spot[i], &g->perps[i] };

        for (uint32_t k = 0; k < 2; k++) {
            both[k]->maker_fee = setting->free ? 0 : 12000;
            both[k]->taker_fee = setting->free ? 0 : 65000;
            both[k]->min_notional = both[k]->max_notional = 0;
            both[k]->reference_price = 1000000 * setting->scale;
        }
    }
    g->limits = (struct limits){ .accounts = 12,
                                 .orders = 128,
                                 .levels = 128,
                                 .signers = 32,
                                 .deposits = 64,
                                 .keys = 4,
                                 .transfers = 4,
                                 .positions = 24 };
    fixture_start(f);
    for (uint32_t who = 1; who <= USERS; who++) {
        (void)deposit(f, who + setting->rename, VUSDC, RICH * setting->scale);
        (void)deposit(f, who + setting->rename, 1, RICH);
        (void)deposit(f, who + setting->rename, 2, RICH);
        if (setting->perps) perps_deposit(f, who + setting->rename, RICH * setting->scale);
    }
    return f;
}

/* ---- commands ---- */

struct say {
    bool     cancel, perps;
    uint8_t  side, tif;
    uint32_t who, symbol, id;
    int64_t  price, quantity;
};

static struct say draw(uint32_t id, bool may_cancel, bool perps)
{
    struct say say = { .id = id, .perps = perps && random_below(2) == 0 };

    say.side = (uint8_t)(1 + random_below(2));
    say.tif = (uint8_t[]){ TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX }[random_below(5)];
    say.who = 1 + random_below(USERS);
    say.symbol = 1 + random_below(2);
    say.price = 1000000 - 20 + random_below(41);
    say.quantity = 1 + random_below(3000);
    if (may_cancel && id > 2 && random_below(5) == 0) {
        say.cancel = true;
        say.id = 1 + random_below(id - 1);
    }
    return say;
}

static struct client_id id_of(const struct say *say, const struct setting *setting)
{
    char text[16];

    (void)snprintf(text, sizeof(text), setting->rename != 0 ? "other-%u" : "n%u", say->id);
    return cid(text);
}

static struct decimal spot_price(const struct say *say) { return decimal_make(say->price, 1); }
static struct decimal spot_quantity(const struct say *say) { return decimal_make(say->quantity, 5); }

static struct perps_order perps_order_of(const struct say *say, const struct setting *setting)
{
    return (struct perps_order){ .client_id = id_of(say, setting),
                                 .modifier = MODIFIER_NORMAL,
                                 .side = say->side,
                                 .type = TYPE_LIMIT,
                                 .time_in_force = say->tif,
                                 .position_side = POSITION_BOTH,
                                 .price = decimal_make(say->price, say->symbol == BTC ? 1 : 2),
                                 .quantity = decimal_make(say->quantity, say->symbol == BTC ? 5 : 4) };
}

static struct new_order spot_order_of(const struct say *say, const struct setting *setting)
{
    return (struct new_order){ .symbol_id = say->symbol,
                               .client_id = id_of(say, setting),
                               .side = say->side,
                               .type = TYPE_LIMIT,
                               .time_in_force = say->tif,
                               .price = spot_price(say),
                               .quantity = spot_quantity(say) };
}

static void tell_cancel(struct fixture *f, const struct say *say, const struct setting *setting)
{
    if (say->perps) {
        fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
        perps_sign(f, say->who + setting->rename);
        f->room.cancel_perps.count = 1;
        f->room.cancel_perps.items[0] =
            (struct perps_cancel){ .symbol_id = say->symbol, .client_id = id_of(say, setting) };
    } else {
        fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
        fixture_sign(f, say->who + setting->rename);
        f->room.cancel_orders.count = 1;
        f->room.cancel_orders.items[0] =
            (struct cancel_order){ .symbol_id = say->symbol, .client_id = id_of(say, setting) };
    }
    fixture_apply(f);
}

/* Orders of one account on one side, in one command. */
static void tell_orders(struct fixture *f, const struct say *says, uint32_t count, const struct setting *setting)
{
    if (says[0].perps) {
        struct perps_order items[4];
        for (uint32_t i = 0; i < count; i++) items[i] = perps_order_of(&says[i], setting);
        (void)perps_send(f, says[0].who + setting->rename, says[0].symbol, items, count);
        return;
    }
    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, count));
    fixture_sign(f, says[0].who + setting->rename);
    f->room.place_orders.count = count;
    for (uint32_t i = 0; i < count; i++) f->room.place_orders.items[i] = spot_order_of(&says[i], setting);
    fixture_apply(f);
}

static void tell(struct fixture *f, const struct say *say, const struct setting *setting)
{
    if (say->cancel) tell_cancel(f, say, setting);
    else tell_orders(f, say, 1, setting);
}

/* ---- what there is then ---- */

struct row {
    int64_t market, side, price, open, owner;
};
struct face {
    int64_t    available[USERS + 1][3], held[USERS + 1][3]; /* by user; 0: the vault */
    int64_t    wealth[USERS + 1];                           /* W less the costs of positions */
    int64_t    size[USERS + 1][2];
    uint32_t   count;
    struct row rows[ROWS]; /* books, from the best, the oldest */
};

static uint32_t slot_of(const struct fixture *f, uint32_t who, const struct setting *setting)
{
    struct address owner = user(who + setting->rename);

    return who == 0 ? SLOT_FEES : account_find_owner(f->engine, &owner);
}

static void face_of_books(const struct fixture *f, struct face *face)
{
    const struct engine *e = f->engine;

    for (uint32_t number = 0; number < e->market_count + e->perps_count; number++) {
        const struct market *market =
            market_at(e, (uint8_t)(number < e->market_count ? number + 1 : PERPS_FIRST + number - e->market_count));

        for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++)
            for (uint32_t ix = market->sides[side].best; ix != 0; ix = book_behind(e, level_at(e, ix)))
                for (uint32_t at = level_at(e, ix)->head; at != 0; at = order_at(e, at)->next) {
                    assert(face->count < ROWS);
                    face->rows[face->count++] = (struct row){ number, side, order_at(e, at)->price,
                                                              order_open(order_at(e, at)), order_at(e, at)->account };
                }
    }
}

static struct face *face_of(const struct fixture *f, const struct setting *setting)
{
    struct face *face = calloc(1, sizeof(*face));

    for (uint32_t who = 0; who <= USERS; who++) {
        uint32_t slot = slot_of(f, who, setting);

        for (uint32_t coin = 0; coin < 3; coin++) {
            face->available[who][coin] = ledger_bucket(f->engine, slot, coin)->available;
            face->held[who][coin] = ledger_bucket(f->engine, slot, coin)->held;
        }
        if (!setting->perps) continue;
        face->wealth[who] = ledger_wallet(f->engine, slot);
        for (uint8_t i = 0; i < 2; i++) {
            const struct position *position = position_find(f->engine, slot, (uint8_t)(PERPS_FIRST + i));

            if (position == NULL) continue;
            face->size[who][i] = position->exposure.size;
            face->wealth[who] -= (int64_t)position->exposure.cost;
        }
    }
    face_of_books(f, face);
    engine_verify(f->engine);
    return face;
}

static bool same_face(const struct face *a, const struct face *b) { return memcmp(a, b, sizeof(*a)) == 0; }

/* ---- two worlds ---- */

static uint64_t trades;   /* of all worlds */
static bool     injected; /* one unit appears in the second world, after all commands */

struct two {
    struct setting  setting[2];
    struct fixture *f[2];
    struct say      says[SAYS + 8];
    uint32_t        count;
};

static void begin(struct two *two, struct setting one, struct setting other)
{
    *two = (struct two){ .setting = { one, other } };
    for (int i = 0; i < 2; i++) two->f[i] = world(&two->setting[i]);
}

/* Both worlds get the same command. */
static void both_hear(struct two *two)
{
    for (uint32_t i = 0; i < SAYS; i++) {
        struct say say = draw(++two->count, true, two->setting[0].perps);
        for (int k = 0; k < 2; k++) tell(two->f[k], &say, &two->setting[k]);
    }
}

typedef bool judge_faces(const struct face *one, const struct face *other, const void *with);

static bool end(struct two *two, judge_faces *judge, const void *with)
{
    struct face *face[2];
    bool         holds;

    for (int i = 0; i < 2; i++) {
        face[i] = face_of(two->f[i], &two->setting[i]);
        trades += two->f[i]->engine->next_trade_id - 1;
    }
    if (injected) {
        face[1]->available[1][0] += 1;
        face[1]->wealth[1] += 1;
    }
    holds = judge != NULL ? judge(face[0], face[1], with) : same_face(face[0], face[1]);
    for (int i = 0; i < 2; i++) {
        free(face[i]);
        fixture_free(two->f[i]);
    }
    return holds;
}

static const struct setting plain = { .perps = true, .scale = 1 };

/* ---- the relations ---- */

static bool commute(void)
{
    struct two two;
    struct say a, b;

    begin(&two, plain, plain);
    both_hear(&two);
    a = draw(two.count + 1, false, false);
    do b = draw(two.count + 2, false, true);
    while (b.who == a.who || (!b.perps && b.symbol == a.symbol));
    tell(two.f[0], &a, &plain);
    tell(two.f[0], &b, &plain);
    tell(two.f[1], &b, &plain);
    tell(two.f[1], &a, &plain);
    return end(&two, NULL, NULL);
}

static bool undo(void)
{
    struct two two;
    struct say say;

    begin(&two, plain, plain);
    both_hear(&two);
    say = draw(two.count + 1, false, true);
    say.tif = TIF_GTX;
    tell(two.f[1], &say, &plain);
    say.cancel = true;
    tell(two.f[1], &say, &plain);
    return end(&two, NULL, NULL);
}

/* A position of size s at cost C becomes -s; W - C = paid less received, so 2 R s more. Price levels change sides. */
static bool is_mirrored(const struct face *one, const struct face *other, const void *with)
{
    uint32_t found = 0;

    (void)with;
    for (uint32_t who = 0; who <= USERS; who++) {
        int64_t moved = 2000000 * (one->size[who][0] + one->size[who][1]);

        if (other->size[who][0] != -one->size[who][0] || other->size[who][1] != -one->size[who][1]) return false;
        if (other->wealth[who] != one->wealth[who] + moved) return false;
    }
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t k = 0; k < other->count; k++) {
            const struct row *a = &one->rows[i], *b = &other->rows[k];
            found += a->market == b->market && a->side != b->side && a->price + b->price == 2000000
                  && a->open == b->open && a->owner == b->owner;
        }
    return one->count == other->count && found >= one->count;
}

static bool mirror(void)
{
    struct setting free_of_fees = { .free = true, .perps = true, .scale = 1 };
    struct two     two;

    begin(&two, free_of_fees, free_of_fees);
    for (uint32_t i = 0; i < SAYS; i++) {
        struct say say = draw(++two.count, true, true);

        say.perps = true;
        tell(two.f[0], &say, &free_of_fees);
        say.side = say.side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
        say.price = 2000000 - say.price;
        tell(two.f[1], &say, &free_of_fees);
    }
    return end(&two, is_mirrored, NULL);
}

static bool is_doubled(const struct face *one, const struct face *other, const void *with)
{
    (void)with;
    for (uint32_t who = 0; who <= USERS; who++) {
        for (uint32_t coin = 0; coin < 3; coin++) {
            int64_t times = coin == 0 ? 2 : 1;
            if (other->available[who][coin] != times * one->available[who][coin]
                || other->held[who][coin] != times * one->held[who][coin])
                return false;
        }
        if (other->wealth[who] != 2 * one->wealth[who]
            || memcmp(other->size[who], one->size[who], sizeof(one->size[who])) != 0)
            return false;
    }
    if (one->count != other->count) return false;
    for (uint32_t i = 0; i < one->count; i++) {
        struct row row = one->rows[i];
        row.price *= 2;
        if (memcmp(&row, &other->rows[i], sizeof(row)) != 0) return false;
    }
    return true;
}

static bool scale(void)
{
    struct two two;

    begin(&two, (struct setting){ .free = true, .perps = true, .scale = 1 },
          (struct setting){ .free = true, .perps = true, .scale = 2 });
    for (uint32_t i = 0; i < SAYS; i++) {
        struct say say = draw(++two.count, true, true);

        tell(two.f[0], &say, &two.setting[0]);
        say.price *= 2;
        tell(two.f[1], &say, &two.setting[1]);
    }
    return end(&two, is_doubled, NULL);
}

static bool batch(void)
{
    struct two two;
    struct say says[4];
    uint32_t   count = 2 + random_below(3);

    begin(&two, plain, plain);
    both_hear(&two);
    for (uint32_t i = 0; i < count; i++) {
        says[i] = draw(two.count + 1 + i, false, true);
        says[i].who = says[0].who;
        says[i].perps = says[0].perps;
        if (says[0].perps) says[i].symbol = says[0].symbol;
    }
    tell_orders(two.f[0], says, count, &plain);
    for (uint32_t i = 0; i < count; i++) tell(two.f[1], &says[i], &plain);
    return end(&two, NULL, NULL);
}

static bool renamed(void)
{
    struct two two;

    begin(&two, plain, (struct setting){ .perps = true, .scale = 1, .rename = 1 + random_below(1000000) });
    both_hear(&two);
    return end(&two, NULL, NULL);
}

static bool idle(void)
{
    struct setting spot = { .scale = 1 };
    struct two     two;

    begin(&two, spot, spot);
    for (uint32_t i = 0; i < SAYS; i++) {
        struct say say = draw(++two.count, true, false);

        if (random_below(2) == 0) tick(two.f[1], two.f[1]->time_ms + random_below(100000));
        for (int k = 0; k < 2; k++) tell(two.f[k], &say, &spot);
    }
    return end(&two, NULL, NULL);
}

/* The taker has no more of either coin when its order comes in parts. */
static bool never_gains(const struct face *one, const struct face *other, const void *with)
{
    const struct say *say = with;

    return other->available[say->who][0] <= one->available[say->who][0]
        && other->available[say->who][say->symbol] <= one->available[say->who][say->symbol];
}

static bool split(void)
{
    struct two two;
    struct say say, part;
    int64_t    left;

    begin(&two, plain, plain);
    both_hear(&two);
    say = draw(two.count + 1, false, false);
    if (injected) say.who = 1;
    say.tif = TIF_IOC;
    left = say.quantity;
    tell(two.f[0], &say, &plain);
    part = say;
    for (uint32_t i = 0; i < 4 && left > 0; i++, part.id++) {
        part.quantity = i == 3 ? left : 1 + random_below((uint32_t)left);
        left -= part.quantity;
        tell(two.f[1], &part, &plain);
    }
    return end(&two, never_gains, &say);
}

/* clang-format off */
static const struct relation { const char *name; bool (*holds)(void); } relations[] = {
    { "commute", commute }, { "undo", undo }, { "mirror", mirror }, { "scale", scale }, { "batch", batch },
      { "rename", renamed }, { "idle", idle }, { "split", split },
};
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000, seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
             broken = 0;
    struct timespec began, now;

    (void)clock_gettime(CLOCK_MONOTONIC, &began);
    (void)printf("{\"goal\": \"G4\", \"seed\": %lu, \"cases\": %lu, \"broken\": {", (unsigned long)seed,
                 (unsigned long)cases);
    for (size_t i = 0; i < ARRAY_COUNT(relations); i++) {
        uint64_t wrong = 0, first = 0;

        injected = argc > 3 && strcmp(argv[3], relations[i].name) == 0;
        for (uint64_t k = 0; k < cases; k++) {
            random_state = (seed + k) * ARRAY_COUNT(relations) + i;
            if (relations[i].holds()) continue;
            if (wrong++ == 0) first = seed + k;
        }
        (void)printf("%s\"%s\": %lu", i == 0 ? "" : ", ", relations[i].name, (unsigned long)wrong);
        if (wrong != 0)
            (void)fprintf(stderr, "%s first broke with seed %lu\n", relations[i].name, (unsigned long)first);
        (void)fflush(stdout);
        broken += wrong;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)printf("}, \"trades\": %lu, \"verdict\": \"%s\", \"seconds\": %ld}\n", (unsigned long)trades,
                 broken == 0 ? "hold" : "broken", (long)(now.tv_sec - began.tv_sec));
    return broken == 0 ? 0 : 1;
}
