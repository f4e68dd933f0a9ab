/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"
#include "rigs/random.h"
#include "core/account/volume.h"
#include "core/state/layout.h"

#define USERS 3u

/* The volumes of each user by side and place, as a plain array. */
struct model {
    struct fixture   *f;
    struct volume_day days[USERS][MARKET_PERPS + 1][VOLUME_DAYS];
    uint64_t          random_state;
};

static struct model *make(void)
{
    struct model *m = calloc(1, sizeof(*m));

    m->f = fixture_make();
    m->random_state = 3;
    for (uint32_t who = 0; who < USERS; who++) deposit(m->f, 1 + who, VUSDC, 1);
    return m;
}

static void end(struct model *m)
{
    fixture_free(m->f);
    free(m);
}

static uint64_t draw(struct model *m) { return random_congruent(&m->random_state) >> 33; }

static void trade(struct model *m, uint32_t who, uint8_t kind, uint32_t place, int64_t volume, int64_t made)
{
    struct volume_day *day = volume_on(m->f->engine, kind, SLOT_USERS + who, place);

    day->volume += volume;
    day->maker_volume += made;
    m->days[who][kind][place].volume += volume;
    m->days[who][kind][place].maker_volume += made;
}

static void forget(struct model *m, uint32_t places)
{
    for (uint32_t who = 0; who < USERS; who++) {
        volume_forget(m->f->engine, SLOT_USERS + who, places);
        for (uint32_t kind = 0; kind <= MARKET_PERPS; kind++)
            for (uint32_t place = 0; place < VOLUME_DAYS; place++)
                if ((places >> place & 1) != 0) m->days[who][kind][place] = (struct volume_day){ 0 };
    }
}

static void check(const struct model *m)
{
    struct volume_day days[VOLUME_DAYS], sum, expected;

    engine_verify(m->f->engine);
    for (uint32_t who = 0; who < USERS; who++)
        for (uint8_t kind = MARKET_SPOT; kind <= MARKET_PERPS; kind++) {
            volume_read(m->f->engine, kind, SLOT_USERS + who, days);
            assert_memory_equal(days, m->days[who][kind], sizeof(days));
            for (uint32_t without = 0; without < VOLUME_DAYS; without++) {
                sum = volume_sum(m->f->engine, kind, SLOT_USERS + who, without);
                expected = (struct volume_day){ 0 };
                for (uint32_t place = 0; place < VOLUME_DAYS; place++) {
                    if (place == without) continue;
                    expected.volume += days[place].volume;
                    expected.maker_volume += days[place].maker_volume;
                }
                assert_memory_equal(&sum, &expected, sizeof(sum));
            }
        }
}

/* Two years of days: some of them trade, on one side or both; at times many days pass at once. */
static void volumes_are_those_of_a_plain_table(void **state)
{
    struct model *m = make();
    int64_t       today = 20000;
    (void)state;

    for (uint32_t round = 0; round < 700; round++) {
        int64_t  days = draw(m) % 20 == 0 ? 1 + (int64_t)(draw(m) % VOLUME_DAYS) : 1;
        uint32_t places = 0;

        for (int64_t i = 0; i < days; i++) places |= 1u << ++today % VOLUME_DAYS;
        forget(m, places);
        for (uint64_t trades = draw(m) % 12; trades > 0; trades--) {
            uint32_t who = (uint32_t)(draw(m) % USERS);
            uint8_t  kind = draw(m) % 2 == 0 ? MARKET_SPOT : MARKET_PERPS;
            int64_t  volume = (int64_t)draw(m);

            trade(m, who, kind, (uint32_t)(today % VOLUME_DAYS), volume, draw(m) % 2 == 0 ? volume : 0);
        }
        check(m);
    }
    end(m);
}

/* Everybody on both sides every day: as many records as are reserved, and none that grows on. */
static void daily_traders_find_room(void **state)
{
    struct model *m = make();
    uint32_t      most = (VOLUME_DAYS * 2 + VOLUMES_DAYS - 1) / VOLUMES_DAYS;
    (void)state;

    for (uint32_t today = 0; today < 100; today++) {
        forget(m, 1u << today % VOLUME_DAYS);
        for (uint32_t who = 0; who < USERS; who++) {
            trade(m, who, MARKET_SPOT, today % VOLUME_DAYS, 2, 1);
            if (who != 0 || today % 2 == 0) trade(m, who, MARKET_PERPS, today % VOLUME_DAYS, 3, 0);
        }
        check(m);
    }
    assert_true(most <= VOLUME_RECORDS);
    assert_true(m->f->engine->volumes_end - 1 <= USERS * VOLUME_RECORDS);
    assert_true(USERS * VOLUME_RECORDS <= volume_records(&m->f->genesis.limits));
    end(m);
}

static void who_does_not_trade_has_no_record(void **state)
{
    struct model *m = make();
    (void)state;

    trade(m, 1, MARKET_SPOT, 4, 7, 7);
    assert_int_equal(account_at(m->f->engine, SLOT_USERS)->volumes, 0);
    assert_int_equal(m->f->engine->volumes_end - 1, 1);
    trade(m, 1, MARKET_PERPS, 4, 7, 7); /* in the same record */
    assert_int_equal(m->f->engine->volumes_end - 1, 1);
    check(m);
    forget(m, 1u << 4);
    assert_int_equal(account_at(m->f->engine, SLOT_USERS + 1)->volumes, 0);
    trade(m, 2, MARKET_PERPS, 4, 7, 7); /* the record is used again */
    assert_int_equal(m->f->engine->volumes_end - 1, 1);
    check(m);
    end(m);
}

static void a_larger_exchange_keeps_volumes(void **state)
{
    struct model *m = make();
    struct limits limits = m->f->genesis.limits;
    (void)state;

    for (uint32_t place = 0; place < VOLUME_DAYS; place++) trade(m, place % USERS, MARKET_SPOT, place, 5, 1);
    limits.accounts += 1000;
    fixture_move(m->f, &limits);
    check(m);
    end(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_those_of_a_plain_table),
        cmocka_unit_test(daily_traders_find_room),
        cmocka_unit_test(who_does_not_trade_has_no_record),
        cmocka_unit_test(a_larger_exchange_keeps_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
