/* SPDX-License-Identifier: MIT */
/* minute_test.c — the rolling minute at its boundaries, compared with a slow exact model, and with many threads. */
#include "limits/minute.h"
#include "rigs/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIMIT 1200

static struct minutes *make(uint32_t rows, uint32_t limit)
{
    const struct minute_settings settings = { rows, limit, { 0x0123456789abcdef, 0xfedcba9876543210 } };
    void                        *memory = aligned_alloc(64, align_up(minutes_size(rows), 64));

    assert_non_null(memory);
    memset(memory, 0, minutes_size(rows));
    return minutes_init(memory, &settings);
}

static void drop(struct minutes *minutes)
{
    minutes_deinit(minutes);
    free(minutes);
}

static struct minute_key key_of(uint64_t n) { return (struct minute_key){ n, 4 }; }

static uint32_t spend(struct minutes *minutes, uint64_t key, uint32_t weight, uint32_t second)
{
    struct minute_key k = key_of(key);
    uint32_t          at = second, wait = minutes_spend(minutes, &k, weight, &at);

    assert_int_equal(at, second);
    return wait;
}

/* ---- one window ---- */

static void the_limit_is_reached_exactly(void **state)
{
    struct minutes *minutes = make(4, LIMIT);

    (void)state;
    for (int i = 0; i < LIMIT; i++) assert_int_equal(spend(minutes, 1, 1, 1000), 0);
    assert_int_equal(spend(minutes, 1, 1, 1000), 61);
    assert_int_equal(spend(minutes, 2, LIMIT, 1000), 0); /* another key has a window of its own */
    assert_int_equal(spend(minutes, 2, 1, 1000), 61);
    assert_int_equal(spend(minutes, 3, LIMIT + 1, 1000), 61); /* more than there ever is */
    assert_int_equal(spend(minutes, 3, LIMIT, 1000), 0);      /* … and it cost nothing */
    drop(minutes);
}

static void a_second_counts_for_itself_and_the_60_after_it(void **state)
{
    struct minutes *minutes = make(4, LIMIT);

    (void)state;
    assert_int_equal(spend(minutes, 1, LIMIT, 5000), 0);
    for (uint32_t later = 1; later <= 60; later++) assert_int_equal(spend(minutes, 1, 1, 5000 + later), 61 - later);
    assert_int_equal(spend(minutes, 1, LIMIT, 5061), 0);
    drop(minutes);
}

static void the_budget_comes_back_as_the_window_rolls(void **state)
{
    struct minutes *minutes = make(4, LIMIT);

    (void)state;
    for (uint32_t i = 0; i < 60; i++) assert_int_equal(spend(minutes, 1, 20, 100 + i), 0); /* 20 in each second */
    assert_int_equal(spend(minutes, 1, 1, 160), 1); /* second 100 leaves at 161 */
    assert_int_equal(spend(minutes, 1, 20, 161), 0);
    assert_int_equal(spend(minutes, 1, 1, 161), 1);
    assert_int_equal(spend(minutes, 1, 50, 161), 3); /* three seconds give 60 */
    assert_int_equal(spend(minutes, 1, 50, 163), 1);
    assert_int_equal(spend(minutes, 1, 50, 164), 0);
    assert_int_equal(spend(minutes, 1, 10, 164), 0);
    assert_int_equal(spend(minutes, 1, 1, 164), 1);
    assert_int_equal(spend(minutes, 1, LIMIT, 164 + 60), 1);
    assert_int_equal(spend(minutes, 1, LIMIT, 164 + 61), 0);
    drop(minutes);
}

static void what_is_refused_costs_nothing(void **state)
{
    struct minutes *minutes = make(4, LIMIT);

    (void)state;
    assert_int_equal(spend(minutes, 1, 1190, 10), 0);
    for (int i = 0; i < 1000; i++) assert_int_equal(spend(minutes, 1, 20, 10), 61);
    assert_int_equal(spend(minutes, 1, 10, 10), 0);
    assert_int_equal(spend(minutes, 1, 1, 10), 61);
    drop(minutes);
}

/* Asked and spent alternately, the answers are the same, and asking spends nothing: both sides of the limit. */
static void asking_costs_nothing(void **state)
{
    struct minutes   *minutes = make(1, LIMIT);
    struct minute_key key = key_of(1), other = key_of(2);

    (void)state;
    for (int i = 0; i < 3; i++) assert_int_equal(minutes_wait(minutes, &key, LIMIT, 10), 0);
    assert_int_equal(minutes_wait(minutes, &key, LIMIT + 1, 10), 61);
    assert_int_equal(spend(minutes, 1, LIMIT - 1, 10), 0);
    assert_int_equal(minutes_wait(minutes, &key, 2, 12), 59);
    for (int i = 0; i < 3; i++) assert_int_equal(minutes_wait(minutes, &key, 1, 12), 0);
    assert_int_equal(spend(minutes, 1, 1, 12), 0);
    assert_int_equal(minutes_wait(minutes, &key, 1, 12), 59);
    assert_int_not_equal(minutes_wait(minutes, &other, 1, 12), 0); /* no row is free */
    drop(minutes);
}

static void what_is_given_back_can_be_spent_again(void **state)
{
    struct minutes   *minutes = make(4, LIMIT);
    struct minute_key key = key_of(1);

    (void)state;
    assert_int_equal(spend(minutes, 1, LIMIT, 10), 0);
    minutes_give_back(minutes, &key, 20, 10);
    assert_int_equal(spend(minutes, 1, 20, 12), 0);
    assert_int_equal(spend(minutes, 1, 1, 12), 59);
    minutes_give_back(minutes, &key, 20, 12);
    minutes_give_back(minutes, &key, 20, 12); /* not more than was booked in that second */
    assert_int_equal(spend(minutes, 1, 21, 12), 59);
    assert_int_equal(spend(minutes, 1, 20, 12), 0);
    minutes_give_back(minutes, &key, LIMIT, 10 + 200); /* nothing was booked there */
    key = key_of(2);
    minutes_give_back(minutes, &key, 20, 12); /* an unknown key */
    assert_int_equal(spend(minutes, 2, LIMIT, 12), 0);
    assert_int_equal(spend(minutes, 2, 1, 12), 61);
    drop(minutes);
}

static void an_overdraft_is_worked_off(void **state)
{
    struct minutes   *minutes = make(4, LIMIT);
    struct minute_key key = key_of(1);

    (void)state;
    assert_int_equal(spend(minutes, 1, LIMIT, 10), 0);
    minutes_overdraw(minutes, &key, 25, 11);
    assert_int_equal(spend(minutes, 1, 1, 11), 60);
    assert_int_equal(spend(minutes, 1, LIMIT - 25, 71), 0);
    assert_int_equal(spend(minutes, 1, 1, 71), 1);
    assert_int_equal(spend(minutes, 1, 25, 72), 0);
    minutes_overdraw(minutes, &key, 1000000, 72); /* more than a second can hold stays there */
    assert_int_equal(spend(minutes, 1, 1, 72), 61);
    assert_int_equal(spend(minutes, 1, LIMIT, 72 + 61), 0);
    drop(minutes);
}

static void the_first_seconds_of_a_clock_are_no_different(void **state)
{
    struct minutes *minutes = make(4, LIMIT);

    (void)state;
    assert_int_equal(spend(minutes, 1, LIMIT, 0), 0);
    assert_int_equal(spend(minutes, 1, 1, 0), 61);
    assert_int_equal(spend(minutes, 1, 1, 60), 1);
    assert_int_equal(spend(minutes, 1, LIMIT, 61), 0);
    drop(minutes);
}

static void a_thread_with_an_older_clock_books_in_the_later_second(void **state)
{
    struct minutes   *minutes = make(4, LIMIT);
    struct minute_key key = key_of(1);
    uint32_t          second = 99;

    (void)state;
    assert_int_equal(spend(minutes, 1, 1, 100), 0);
    assert_int_equal(minutes_spend(minutes, &key, LIMIT - 1, &second), 0);
    assert_int_equal(second, 100);
    assert_int_equal(spend(minutes, 1, 1, 160), 1);
    assert_int_equal(spend(minutes, 1, LIMIT, 161), 0);
    drop(minutes);
}

/* ---- the table ---- */

static void every_row_serves_a_key_and_one_more_key_is_refused(void **state)
{
    const uint32_t  rows = 65536;
    struct minutes *minutes = make(rows, LIMIT);

    (void)state;
    for (uint32_t i = 0; i < rows; i++)
        assert_int_equal(spend(minutes, i * UINT64_C(0x10001), LIMIT - 1, 1000 + i / 2048), 0);
    assert_int_equal(spend(minutes, UINT64_MAX, 1, 1032), 29); /* the first rows are free at 1061 */
    assert_int_equal(spend(minutes, UINT64_MAX - 1, 1, 1033), 28);
    for (uint32_t i = 0; i < rows; i++) { /* all others are served to the unit */
        assert_int_equal(spend(minutes, i * UINT64_C(0x10001), 1, 1033), 0);
        assert_int_not_equal(spend(minutes, i * UINT64_C(0x10001), 1, 1033), 0);
    }
    assert_int_not_equal(spend(minutes, UINT64_MAX, 1, 1093), 0);
    assert_int_equal(spend(minutes, UINT64_MAX, LIMIT, 1094), 0); /* every window is empty again */
    drop(minutes);
}

static void a_row_is_taken_from_whoever_was_silent_for_a_minute(void **state)
{
    struct minutes *minutes = make(3, LIMIT);

    (void)state;
    assert_int_equal(spend(minutes, 1, LIMIT, 100), 0);
    assert_int_equal(spend(minutes, 2, LIMIT, 101), 0);
    assert_int_equal(spend(minutes, 3, 1, 102), 0);
    assert_int_equal(spend(minutes, 1, 1, 160), 1); /* refused: that was no sign of life */
    assert_int_equal(spend(minutes, 4, 1, 160), 1);
    assert_int_equal(spend(minutes, 4, 1, 161), 0); /* has the row of 1 now */
    assert_int_equal(spend(minutes, 1, 1, 161), 1); /* … which waits for the row of 2 */
    assert_int_equal(spend(minutes, 1, LIMIT, 162), 0);
    assert_int_equal(spend(minutes, 2, 1, 162), 1);
    assert_int_equal(spend(minutes, 3, 1, 162), 0);  /* was there all the time */
    assert_int_equal(spend(minutes, 2, 1, 163), 59); /* 4 is silent from 161 on */
    drop(minutes);
}

/* ---- against a model that keeps everything ---- */

#define MODEL_KEYS    40
#define MODEL_SECONDS 4000
static uint32_t model_spent[MODEL_KEYS][MODEL_SECONDS];

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t sides) { return (uint32_t)(random_congruent(&random_state) >> 33) % sides; }

static uint32_t model_sum(uint32_t key, uint32_t second)
{
    uint32_t sum = 0;

    for (uint32_t s = second >= 60 ? second - 60 : 0; s <= second; s++) sum += model_spent[key][s];
    return sum;
}

static uint32_t model_active(uint32_t second)
{
    uint32_t active = 0;

    for (uint32_t key = 0; key < MODEL_KEYS; key++) {
        bool any = false;
        for (uint32_t s = second >= 60 ? second - 60 : 0; s <= second; s++) any |= model_spent[key][s] != 0;
        active += any;
    }
    return active;
}

/* Random keys, weights and steps of time; `rows` of them fit. */
static void walk(uint32_t rows, uint32_t limit, uint32_t seed)
{
    struct minutes *minutes = make(rows, limit);
    uint32_t        refused_full = 0, refused = 0, done = 0;

    memset(model_spent, 0, sizeof(model_spent));
    random_state = seed;
    for (uint32_t second = 0; second < MODEL_SECONDS;
         second += random_below(8) == 0 ? random_below(random_below(20) == 0 ? 100 : 4) : 0) {
        uint32_t key = random_below(random_below(2) == 0 ? 3 : MODEL_KEYS),
                 weight = 1 + random_below(random_below(4) == 0 ? limit : 20), sum, wait;
        bool fits, room;

        if (random_below(50) == 0) second += 61 * random_below(2);
        if (second >= MODEL_SECONDS) break;
        sum = model_sum(key, second);
        fits = sum + weight <= limit;
        room = sum != 0 || model_active(second) < rows;
        wait = spend(minutes, key, weight, second);
        if ((wait == 0) != (fits && room))
            fail_msg("second %u key %u weight %u sum %u: %u", second, key, weight, sum, wait);
        if (wait == 0) model_spent[key][second] += weight;
        if (wait != 0 && sum != 0 && second + wait < MODEL_SECONDS) { /* sufficient, and not a second too long */
            assert_true(model_sum(key, second + wait) + weight <= limit);
            assert_true(wait == 1 || model_sum(key, second + wait - 1) + weight > limit);
        }
        done += wait == 0;
        refused += wait != 0 && room;
        refused_full += wait != 0 && !room;
    }
    assert_true(done > 100 && refused > 20);
    assert_int_equal(refused_full != 0, rows < MODEL_KEYS / 2);
    drop(minutes);
}

static void it_agrees_with_a_model_that_keeps_everything(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        walk(MODEL_KEYS, 100, seed);
        walk(5, 100, seed + 100);
        walk(1, 40, seed + 200);
    }
}

/* ---- memory ---- */

static size_t resident(void)
{
    unsigned long size = 0, pages = 0;
    FILE         *file = fopen("/proc/self/statm", "r");

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &size, &pages), 2);
    assert_int_equal(fclose(file), 0);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void a_million_keys_take_no_more_memory_than_the_table(void **state)
{
    struct minutes *minutes = make(65536, LIMIT); /* zeroed, and so all of it is resident */
    size_t          before = resident(), most;
    uint32_t        served = 0;

    (void)state;
    for (uint64_t i = 0; i < 1000000; i++) served += spend(minutes, i, 20, 1000) == 0;
    most = resident();
    assert_int_equal(served, 65536);
    for (uint64_t i = 0; i < 1000000; i++) served += spend(minutes, ~i, 20, 2000 + (uint32_t)i / 1000) == 0;
    if (resident() > most) most = resident();
    assert_true(served > 65536 + 900000); /* 1000 new ones a second find a row each */
    printf("memory: table %zu KiB, grown by %ld KiB over 2,000,000 keys\n", minutes_size(65536) / 1024,
           ((long)most - (long)before) / 1024);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(most <= before + 256 * 1024);
#endif
    drop(minutes);
}

/* ---- many hands ---- */

#define THREADS 4
static struct minutes *shared;
static uint32_t        shared_done[THREADS];

static void *spend_many(void *argument)
{
    uint32_t number = *(const uint32_t *)argument, done = 0;

    for (uint32_t i = 0; i < 20000; i++) {
        struct minute_key key = key_of(i % 7), own = key_of(1000 + number * 100000 + i);
        uint32_t          second = 500;

        done += minutes_spend(shared, &key, 1, &second) == 0;
        second = 500 + i / 40;
        if (i % 3 == 0 && minutes_spend(shared, &own, 2, &second) == 0) {
            minutes_overdraw(shared, &own, 3, second);
            minutes_give_back(shared, &own, 2, second);
        }
    }
    shared_done[number] = done;
    return NULL;
}

static void many_threads_together_spend_no_unit_too_many(void **state)
{
    pthread_t threads[THREADS];
    uint32_t  numbers[THREADS], sum = 0;

    (void)state;
    shared = make(512, 100);
    for (uint32_t i = 0; i < 7; i++) assert_int_equal(spend(shared, i, 1, 500), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, spend_many, &numbers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        sum += shared_done[i];
    }
    /* Other keys of a stripe bring it later seconds, so windows may roll; within the 500 seconds that pass
     * each of the seven has at most nine full windows. */
    assert_true(sum >= 7 * 99 && sum <= 7 * 100 * 9);
    drop(shared);
}

static void *spend_same_second(void *argument)
{
    uint32_t number = *(const uint32_t *)argument, done = 0;

    for (uint64_t i = 0; i < 30000; i++) {
        struct minute_key key = key_of(i % 97);
        uint32_t          second = 777;
        done += minutes_spend(shared, &key, 1, &second) == 0;
    }
    shared_done[number] = done;
    return NULL;
}

static void the_last_unit_and_the_last_row_go_to_one_of_them(void **state)
{
    pthread_t threads[THREADS];
    uint32_t  numbers[THREADS], sum = 0;

    (void)state;
    shared = make(64, 1000); /* 97 keys want 64 rows; each of 64 gets exactly 1000 */
    for (uint32_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, spend_same_second, &numbers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        sum += shared_done[i];
    }
    assert_int_equal(sum, 64 * 1000);
    drop(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_is_reached_exactly),
        cmocka_unit_test(a_second_counts_for_itself_and_the_60_after_it),
        cmocka_unit_test(the_budget_comes_back_as_the_window_rolls),
        cmocka_unit_test(what_is_refused_costs_nothing),
        cmocka_unit_test(asking_costs_nothing),
        cmocka_unit_test(what_is_given_back_can_be_spent_again),
        cmocka_unit_test(an_overdraft_is_worked_off),
        cmocka_unit_test(the_first_seconds_of_a_clock_are_no_different),
        cmocka_unit_test(a_thread_with_an_older_clock_books_in_the_later_second),
        cmocka_unit_test(every_row_serves_a_key_and_one_more_key_is_refused),
        cmocka_unit_test(a_row_is_taken_from_whoever_was_silent_for_a_minute),
        cmocka_unit_test(it_agrees_with_a_model_that_keeps_everything),
        cmocka_unit_test(a_million_keys_take_no_more_memory_than_the_table),
        cmocka_unit_test(many_threads_together_spend_no_unit_too_many),
        cmocka_unit_test(the_last_unit_and_the_last_row_go_to_one_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
