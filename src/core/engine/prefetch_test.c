/* SPDX-License-Identifier: MIT */
/*
 * Prefetching changes nothing: of engines that apply the same commands one prefetches for the coming ones and takes the
 * hints of that and of the decoder, one does not, and one is given wrong hints. And it reads nothing behind a command,
 * whatever the command contains: commands end where their page does, and the next page may not be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/engine/ahead.h"
#include "rigs/core/perps_fixture.h"
#include "rigs/random.h"

#define ROUNDS      4000
#define DIRTY_BYTES 65536 /* more than the events of a command here */

static uint64_t random_state = 77;

static uint32_t random_below(uint32_t n) { return (uint32_t)((random_xorshift(&random_state) >> 32) % n); }

static struct client_id some_id(void)
{
    char text[16];
    snprintf(text, sizeof(text), "id%u", random_below(30));
    return cid(text);
}

static size_t batch_bytes(uint16_t kind, uint32_t count)
{
    switch (kind) {
    case CMD_PLACE_ORDERS: return PAYLOAD_BYTES(place_orders, count);
    case CMD_CANCEL_ORDERS: return PAYLOAD_BYTES(cancel_orders, count);
    case CMD_REPLACE_ORDERS: return PAYLOAD_BYTES(replace_orders, count);
    case CMD_PLACE_PERPS: return PAYLOAD_BYTES(place_perps, count);
    default: return PAYLOAD_BYTES(cancel_perps, count);
    }
}

/* Numbers around and beyond what a symbol takes: none, negative, too many decimals, off the grid, too large. */
static struct decimal odd_number(struct decimal ordinary)
{
    const struct decimal odd[] = { { 0 },
                                   { -5, 1, 0 },
                                   { ordinary.digits * 10 + 1, ordinary.scale + 1, 0 },
                                   { ordinary.digits * 1000000000 + 1, 9, 0 },
                                   { 1, ordinary.scale, 0 },
                                   { PRICE_MAX, 0, 0 },
                                   { PRICE_MAX * 10, 0, 0 },
                                   { INT64_MAX, 0, 0 },
                                   { 3, 18, 0 } };

    return random_below(12) == 0 ? odd[random_below(ARRAY_COUNT(odd))] : ordinary;
}

/* Below `n`, where anything may be; mostly the ordinary value. */
static uint8_t odd_value(uint32_t n, uint8_t ordinary)
{
    return random_below(12) == 0 ? (uint8_t)random_below(n) : ordinary;
}

static void some_item(struct fixture *f, uint16_t kind, uint32_t i)
{
    struct decimal price = odd_number(decimal_make(999990 + random_below(20), 1)),
                   quantity = odd_number(decimal_make(100 + random_below(300), 5));
    uint8_t buys_or_sells = (uint8_t)(1 + random_below(2)), side = odd_value(4, buys_or_sells),
            type = odd_value(4, TYPE_LIMIT), tif = odd_value(6, TIF_GTC), symbol_id = odd_value(9, 1);

    switch (kind) {
    case CMD_PLACE_ORDERS:
        f->room.place_orders.items[i] = (struct new_order){ .symbol_id = symbol_id,
                                                            .side = side,
                                                            .type = type,
                                                            .time_in_force = tif,
                                                            .price = price,
                                                            .quantity = quantity };
        f->room.place_orders.items[i].client_id = some_id();
        break;
    case CMD_CANCEL_ORDERS:
        f->room.cancel_orders.items[i] = (struct cancel_order){ .symbol_id = 1, .client_id = some_id() };
        break;
    case CMD_REPLACE_ORDERS:
        f->room.replace_orders.items[i] =
            (struct replace_order){ .symbol_id = 1, .client_id = some_id(), .price = price, .quantity = quantity };
        f->room.replace_orders.items[i].orig_client_id = some_id();
        break;
    case CMD_PLACE_PERPS:
        f->room.place_perps.items[i] = (struct perps_order){ .client_id = some_id(),
                                                             .modifier = MODIFIER_NORMAL,
                                                             .side = side,
                                                             .type = type,
                                                             .time_in_force = tif,
                                                             .position_side = POSITION_BOTH,
                                                             .price = price,
                                                             .quantity = quantity };
        break;
    default: f->room.cancel_perps.items[i] = (struct perps_cancel){ .symbol_id = BTC, .client_id = some_id() }; break;
    }
}

/* A batch of one or two items of one of three users, on either market side; some are malformed. */
static void some_command(struct fixture *f)
{
    static const uint16_t kinds[] = { CMD_PLACE_ORDERS, CMD_CANCEL_ORDERS, CMD_REPLACE_ORDERS, CMD_PLACE_PERPS,
                                      CMD_CANCEL_PERPS };
    uint16_t              kind = kinds[random_below(ARRAY_COUNT(kinds))];
    uint32_t              count = 1 + random_below(2);
    struct hash256        payload;

    fixture_head(f, kind, batch_bytes(kind, count));
    if (kind == CMD_PLACE_PERPS || kind == CMD_CANCEL_PERPS) perps_sign(f, 1 + random_below(3));
    else fixture_sign(f, 1 + random_below(3));
    for (uint32_t i = 0; i < count; i++) some_item(f, kind, i);
    f->room.place_orders.count = count;
    if (kind == CMD_PLACE_PERPS) f->room.place_perps.symbol_id = random_below(20) == 0 ? random_below(9) : BTC;
    if (random_below(3) == 0) f->room.place_orders.account_id = ACCOUNT_FIRST + random_below(5);
    if (random_below(20) == 0) f->room.place_orders.count = random_below(2) == 0 ? 0 : UINT32_MAX;
    if (random_below(20) == 0) f->room.head.kind = (uint16_t)random_below(24);
    if (random_below(20) == 0) f->room.head.market = (uint8_t)random_below(4);
    if (random_below(20) == 0) f->room.head.domain = (uint8_t)random_below(256);
    if (random_below(20) == 0) f->room.head.bytes = sizeof(struct command) + 8 * random_below(14);
    payload = keccak256(&f->room.place_orders, batch_bytes(kind, count));
    memcpy(&f->room.head.payload_tag, payload.bytes, sizeof(f->room.head.payload_tag));
}

/* `before`: the bytes that the buffer has before. */
static void apply(struct fixture *f, const struct command_room *room, const struct engine_ahead *ahead, int before)
{
    memset(f->events.at, before, min_u64(f->events.cap, DIRTY_BYTES));
    f->events.len = 0;
    if (ahead == NULL) engine_apply(f->engine, &room->head, &f->events);
    else engine_apply_ahead(f->engine, &room->head, ahead, &f->events);
}

/*
 * Wrong in one of the ways in which hints can be: of another command, of another account, of two commands mixed, of a
 * state long past, or no hints at all but chance. What the seal protects is changed without it; the rest is anything.
 */
static struct engine_ahead wrong(const struct engine_ahead *of, uint32_t i)
{
    struct engine_ahead        ahead = of[i];
    const struct engine_ahead *other = &of[random_below(ROUNDS)];

    switch (random_below(8)) {
    case 0: return *other;
    case 1: /* sealed for another account, as if that had sent the command */
        ahead.slot = random_below(12);
        ahead.seal = ahead_seal(&ahead);
        break;
    case 2: ahead.key = other->key ^ (other->key == of[i].key); break;
    case 3: ahead.slot = other->slot ^ (other->slot == of[i].slot); break;
    case 4: ahead.seq = other->seq; break;
    case 5: ahead.order = random_below(200); break;
    case 6: ahead.hints = other->hints; break;
    default:
        for (size_t n = sizeof(ahead.hints); n < sizeof(ahead); n++)
            ((uint8_t *)&ahead)[n] = (uint8_t)random_below(256);
    }
    return ahead;
}

static void assert_same(const struct fixture *told, const struct fixture *other)
{
    assert_int_equal(told->events.len, other->events.len);
    assert_memory_equal(told->events.at, other->events.at, told->events.len);
}

static void deposits(struct fixture *f)
{
    for (uint32_t who = 1; who <= 3; who++) {
        assert_int_equal(deposit(f, who, VUSDC, INT64_C(1000000000000)), REJECT_NONE);
        assert_int_equal(deposit(f, who, VBTC, INT64_C(1000000000000)), REJECT_NONE);
        perps_deposit(f, who, INT64_C(1000000000000));
    }
    perps_index(f, BTC, 1000000);
}

struct trial {
    struct fixture      *told, *plain, *misled;
    struct command_room *rooms;
    struct engine_ahead *ahead;
    struct hint_tables   tables;
    struct hints        *hints; /* of each command, of the thread that decoded it */
    size_t              *hints_bytes;
};

/* Half of the commands come with hints; NULL = this one has none. */
static const struct hints *hints_of(const struct trial *t, uint32_t i)
{
    return t->hints_bytes[i] != 0 && i % 2 == 0 ? &t->hints[i] : NULL;
}

static struct trial begin(void)
{
    struct trial t = { .told = perps_make(),
                       .plain = perps_make(),
                       .misled = perps_make(),
                       .rooms = calloc(ROUNDS, sizeof(*t.rooms)),
                       .ahead = calloc(ROUNDS, sizeof(*t.ahead)),
                       .hints = calloc(ROUNDS, sizeof(*t.hints)),
                       .hints_bytes = calloc(ROUNDS, sizeof(*t.hints_bytes)) };

    deposits(t.told);
    deposits(t.plain);
    deposits(t.misled);
    hint_tables_make(&t.told->genesis, &t.tables);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        some_command(t.told);
        t.told->room.head.seq = ++t.told->seq;
        t.told->room.head.time_ms = t.told->time_ms;
        t.rooms[i] = t.told->room;
        t.hints_bytes[i] = hints_make(&t.tables, &t.rooms[i].head, &t.hints[i]);
    }
    return t;
}

static void end(struct trial *t)
{
    struct hash256 told = engine_hash(t->told->engine), plain = engine_hash(t->plain->engine);

    assert_true(hash256_equal(&told, &plain));
    assert_memory_equal(t->told->engine, t->plain->engine, engine_size(&t->told->genesis));
    assert_memory_equal(t->told->engine, t->misled->engine, engine_size(&t->told->genesis));
    engine_verify(t->told->engine);
    fixture_free(t->told);
    fixture_free(t->plain);
    fixture_free(t->misled);
    free(t->rooms);
    free(t->ahead);
    free(t->hints);
    free(t->hints_bytes);
}

/*
 * For some commands each: the symbol is halted, the venue takes cancels only, an account may have few open orders, the
 * band ends at the last price.
 */
static void change_rules(struct engine *e, uint32_t i, const int64_t edges[3])
{
    uint32_t limit = e->rules.open_orders_per_account, at = i % 400;

    e->markets[0].symbol.status = at < 60 ? SYMBOL_HALT : SYMBOL_TRADING;
    e->mode = at >= 100 && at < 160 ? VENUE_CANCEL_ONLY : VENUE_RUN;
    e->rules.open_orders_per_account = at >= 200 && at < 300 ? 2 : limit == 2 ? 0 : limit;
    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++)
        e->markets[0].band_edge[side] = at >= 320 && at < 380 ? RATE_ONE : edges[side];
}

/* How many items of a trial were accepted and refused, and of how many commands the hints were right. */
struct tally {
    uint32_t accepted, sealed, hinted, refused[UINT8_MAX];
};

static void count_results(struct fixture *f, struct tally *tally)
{
    for (uint32_t n = 0; result_at(f, n) != NULL; n++) {
        uint16_t reject = result_at(f, n)->reject;

        tally->accepted += reject == REJECT_NONE;
        tally->refused[reject % ARRAY_COUNT(tally->refused)] += 1;
    }
}

/* Applies the commands to all three engines, whose events are the same. */
static struct tally compare(struct trial *t, bool changes_rules)
{
    struct tally tally = { 0 };
    int64_t      edges[3];

    memcpy(edges, t->told->engine->markets[0].band_edge, sizeof(edges));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct engine_ahead misleading;

        if (i + ENGINE_FAR < ROUNDS)
            engine_prefetch_far(t->told->engine, &t->rooms[i + ENGINE_FAR].head, hints_of(t, i + ENGINE_FAR),
                                &t->ahead[i + ENGINE_FAR]);
        if (i + ENGINE_NEAR < ROUNDS) engine_prefetch_near(t->told->engine, &t->ahead[i + ENGINE_NEAR]);
        if (i + ENGINE_CLOSE < ROUNDS) engine_prefetch_close(t->told->engine, &t->ahead[i + ENGINE_CLOSE]);
        misleading = wrong(t->ahead, i);
        tally.sealed += ahead_is_of(&t->ahead[i], &t->rooms[i].head);
        tally.hinted += t->ahead[i].hints != NULL && t->hints[i].items[0].passes;
        if (changes_rules) {
            change_rules(t->told->engine, i, edges);
            change_rules(t->plain->engine, i, edges);
            change_rules(t->misled->engine, i, edges);
        }
        apply(t->told, &t->rooms[i], &t->ahead[i], 0);
        apply(t->plain, &t->rooms[i], NULL, 0xa5);
        apply(t->misled, &t->rooms[i], &misleading, 0x5a);
        assert_same(t->told, t->plain);
        assert_same(t->told, t->misled);
        count_results(t->told, &tally);
    }
    return tally;
}

static void hints_of_any_kind_change_nothing(void **state)
{
    struct trial t = begin();
    struct tally tally = compare(&t, false);
    (void)state;

    assert_true(tally.accepted > ROUNDS / 4 && tally.sealed > ROUNDS / 4 && tally.hinted > ROUNDS / 5);
    end(&t);
}

static void hints_do_not_pass_what_the_state_refuses(void **state)
{
    struct trial t = begin();
    struct tally tally = compare(&t, true);
    (void)state;

    assert_true(tally.refused[REJECT_SYMBOL_HALTED] > ROUNDS / 100
                && tally.refused[REJECT_OPEN_ORDER_LIMIT] > ROUNDS / 200
                && tally.refused[REJECT_BUY_PRICE_LIMIT] > ROUNDS / 400
                && tally.refused[REJECT_SELL_PRICE_LIMIT] > ROUNDS / 400);
    end(&t);
}

static void nothing_behind_a_command_is_read_and_nothing_changes(void **state)
{
    struct fixture *f = perps_make();
    size_t          page = (size_t)sysconf(_SC_PAGESIZE), state_bytes = engine_size(&f->genesis), bytes;
    uint8_t        *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            *before = malloc(state_bytes);
    struct hint_tables tables;
    (void)state;

    assert_true(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    deposits(f);
    hint_tables_make(&f->genesis, &tables);
    assert_int_equal(limit(f, 1, SIDE_BUY, "99999", "0.01", "id1")->reject, REJECT_NONE);
    memcpy(before, f->engine, state_bytes);
    for (bytes = sizeof(struct command); bytes <= sizeof(struct command) + 600; bytes += 8) {
        for (int round = 0; round < 200; round++) {
            struct command      *command = (void *)(pages + page - bytes);
            struct place_orders *payload = (void *)(command + 1);
            const uint32_t       counts[] = { 0, 1, BATCH_MAX, BATCH_MAX + 1, UINT32_MAX };

            for (size_t i = 0; i < bytes; i++) ((uint8_t *)command)[i] = (uint8_t)random_below(256);
            command->bytes = (uint32_t)bytes;
            command->kind = (uint16_t)random_below(24);
            command->market = (uint8_t)random_below(4);
            if (random_below(10) == 0)
                command->kind = (uint16_t)(random_below(2) == 0 ? UINT16_MAX : random_below(UINT16_MAX));
            command->signer = user(1 + random_below(5));
            if (random_below(2) == 0) command->domain = (uint8_t)random_below(5);
            if (bytes >= sizeof(*command) + 16) {
                payload->account_id = random_below(4) == 0 ? UINT64_MAX - random_below(5)
                                    : random_below(2) == 0 ? 0
                                                           : ACCOUNT_FIRST - 2 + random_below(6);
                payload->count = counts[random_below(5)];
            }
            struct engine_ahead ahead;
            static struct hints hints;

            (void)hints_make(&tables, command, &hints);
            engine_prefetch_far(f->engine, command, random_below(2) == 0 ? &hints : NULL, &ahead);
            engine_prefetch_near(f->engine, &ahead);
            engine_prefetch_close(f->engine, &ahead);
        }
    }
    assert_memory_equal(before, f->engine, state_bytes);
    munmap(pages, 2 * page);
    free(before);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_of_any_kind_change_nothing),
        cmocka_unit_test(hints_do_not_pass_what_the_state_refuses),
        cmocka_unit_test(nothing_behind_a_command_is_read_and_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
