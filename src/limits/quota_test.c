/* SPDX-License-Identifier: MIT */
/* quota_test.c — the minute and the month of a key, the row to evict, and the file. */
#include "limits/quota.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define NOW INT64_C(1760000000000) /* 2025-10-09 08:53:20 UTC */

static struct quotas *make(uint32_t rows, uint32_t per_minute, uint32_t per_month)
{
    const struct quota_settings settings = { rows, per_minute, per_month, { 11, 22 } };
    void                       *memory = aligned_alloc(64, align_up(quotas_size(rows), 64));

    assert_non_null(memory);
    memset(memory, 0, quotas_size(rows));
    return quotas_init(memory, &settings);
}

static void drop(struct quotas *quotas)
{
    quotas_deinit(quotas);
    free(quotas);
}

static struct quota count_of(struct quotas *quotas, uint64_t owner, uint32_t key, int64_t now_ms)
{
    struct quota_key k = { .owner = owner };

    memcpy(k.bytes, &key, sizeof(key));
    return quotas_count(quotas, &k, now_ms);
}

/* All of one owner. */
static struct quota count(struct quotas *quotas, uint32_t key, int64_t now_ms)
{
    return count_of(quotas, 7, key, now_ms);
}

/* ---- months ---- */

static void months_are_those_of_the_calendar(void **state)
{
    (void)state;
    for (time_t day = 0; day < 365 * 140; day++) {
        const time_t seconds = day * 86400;
        struct tm    tm;
        uint32_t     month;

        assert_non_null(gmtime_r(&seconds, &tm));
        month = (uint32_t)((tm.tm_year - 70) * 12 + tm.tm_mon);
        assert_int_equal(month_of((int64_t)seconds * 1000), month);
        assert_int_equal(month_of((int64_t)seconds * 1000 + 86399999), month);
        if (tm.tm_mday == 1) assert_true(month_begin_ms(month) == (int64_t)seconds * 1000);
    }
    assert_int_equal(month_of(-1), 0);
}

/* ---- counting ---- */

static void a_minute_begins_with_its_first_request(void **state)
{
    struct quotas *quotas = make(4, 20, 100000);
    struct quota   quota;

    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        quota = count(quotas, 1, NOW + i * 1000);
        assert_int_equal(quota.wait, 0);
        assert_int_equal(quota.limit, 20);
        assert_int_equal(quota.remaining, 19 - i);
        assert_true(quota.reset_ms == NOW + 60000);
    }
    quota = count(quotas, 1, NOW + 20000);
    assert_int_equal(quota.wait, 40);
    assert_int_equal(quota.remaining, 0);
    assert_false(quota.by_month);
    assert_true(quota.reset_ms == NOW + 60000);
    assert_int_equal(count(quotas, 1, NOW + 20001).wait, 40); /* rounded up, so the wait is sufficient */
    assert_int_equal(count(quotas, 1, NOW + 59999).wait, 1);
    quota = count(quotas, 1, NOW + 60000);
    assert_int_equal(quota.wait, 0);
    assert_int_equal(quota.remaining, 19);
    assert_true(quota.reset_ms == NOW + 120000);
    assert_int_equal(count(quotas, 2, NOW + 60000).remaining, 19); /* another key */
    drop(quotas);
}

static void a_month_ends_with_the_calendars(void **state)
{
    const int64_t  next = month_begin_ms(month_of(NOW) + 1);
    struct quotas *quotas = make(4, 20, 50);
    struct quota   quota;

    (void)state;
    for (int i = 0; i < 50; i++) assert_int_equal(count(quotas, 1, NOW + i * 60000).wait, 0);
    quota = count(quotas, 1, NOW + 50 * 60000);
    assert_true(quota.by_month);
    assert_int_equal(quota.wait, (next - NOW - 50 * 60000 + 999) / 1000);
    assert_int_equal(quota.remaining, 20); /* of the minute, in which nothing was done */
    assert_true(count(quotas, 1, next - 1).by_month);
    assert_int_equal(count(quotas, 1, next - 1).wait, 1);
    for (int i = 0; i < 20; i++) assert_int_equal(count(quotas, 1, next).wait, i < 20 ? 0 : 60);
    assert_int_equal(count(quotas, 1, next).wait, 60);
    assert_false(count(quotas, 1, next).by_month);
    drop(quotas);
}

static void what_is_refused_is_not_counted(void **state)
{
    struct quotas *quotas = make(4, 2, 4);

    (void)state;
    assert_int_equal(count(quotas, 1, NOW).wait, 0);
    assert_int_equal(count(quotas, 1, NOW).wait, 0);
    for (int i = 0; i < 100; i++) assert_int_equal(count(quotas, 1, NOW).wait, 60);
    assert_int_equal(count(quotas, 1, NOW + 60000).wait, 0);
    assert_int_equal(count(quotas, 1, NOW + 60000).wait, 0);
    assert_true(count(quotas, 1, NOW + 60000).by_month);
    drop(quotas);
}

/* ---- more keys than rows ---- */

static void a_key_whose_minute_runs_keeps_its_row(void **state)
{
    struct quotas *quotas = make(2, 20, 100);

    (void)state;
    assert_int_equal(count(quotas, 1, NOW).wait, 0);
    assert_int_equal(count(quotas, 2, NOW + 1000).wait, 0);
    assert_int_equal(count(quotas, 3, NOW + 2000).wait, 60);
    assert_int_equal(count(quotas, 3, NOW + 59999).wait, 60);
    assert_int_equal(count(quotas, 3, NOW + 60000).wait, 0);
    assert_int_equal(count(quotas, 1, NOW + 60500).wait, 60);
    assert_int_equal(count(quotas, 2, NOW + 60500).remaining, 18);
    drop(quotas);
}

static void nobody_gets_requests_back_by_being_forgotten(void **state)
{
    struct quotas *quotas = make(2, 20, 25);
    int            passed = 0;

    (void)state;
    for (int i = 0; i < 10; i++) passed += count(quotas, 1, NOW).wait == 0;
    assert_int_equal(count(quotas, 2, NOW + 1).wait, 0);
    assert_int_equal(count(quotas, 3, NOW + 60001).wait, 0);  /* takes the row of 2, which was used once */
    assert_int_equal(count(quotas, 4, NOW + 120001).wait, 0); /* takes the row of 3, likewise */
    for (int i = 0; i < 20; i++) passed += count(quotas, 1, NOW + 120002).wait == 0;
    assert_int_equal(passed, 25);
    assert_int_equal(count(quotas, 5, NOW + 200000).wait, 0); /* the row of 4 */
    assert_true(count(quotas, 6, NOW + 200000).by_month);     /* the row of 1: the 25 of the month go with it */
    assert_true(count(quotas, 7, NOW + 300000).by_month);     /* … and are counted for every new key of its owner */
    assert_true(count(quotas, 1, NOW + 400000).by_month);
    assert_int_equal(count(quotas, 1, month_begin_ms(month_of(NOW) + 1) + 60000).wait, 0);
    drop(quotas);
}

/* An owner who names many keys cannot exhaust the month of others. */
static void nobody_inherits_from_another_owner(void **state)
{
    struct quotas *quotas = make(2, 20, 5);

    (void)state;
    for (int i = 0; i < 5; i++) assert_int_equal(count_of(quotas, 1, 1, NOW).wait, 0);
    assert_true(count_of(quotas, 1, 1, NOW).by_month);
    assert_int_equal(count_of(quotas, 2, 2, NOW).wait, 0);
    for (int i = 0; i < 5; i++) assert_int_equal(count_of(quotas, 3, 3, NOW + 60000).wait, 0); /* the row of key 2 */
    assert_int_equal(count_of(quotas, 4, 4, NOW + 120000).wait, 0); /* the row of key 1: its five are owner 1's alone */
    assert_int_equal(count_of(quotas, 5, 5, NOW + 180000).wait, 0);
    assert_true(count_of(quotas, 1, 6, NOW + 240000).by_month); /* another name of owner 1 */
    assert_int_equal(count_of(quotas, 0, 7, NOW + 300000).wait, 0);
    drop(quotas);
}

/* Where no row is free the wait is a minute, but not for an owner whose month is used up. */
static void the_wait_of_a_month_is_the_months_without_a_row_too(void **state)
{
    struct quotas *quotas = make(1, 20, 5);
    int64_t        later = NOW + 60000;
    struct quota   quota;

    (void)state;
    for (int i = 0; i < 5; i++) assert_int_equal(count_of(quotas, 1, 1, NOW).wait, 0);
    assert_int_equal(count_of(quotas, 2, 2, later).wait, 0); /* it has the row now */
    quota = count_of(quotas, 1, 1, later);
    assert_true(quota.by_month);
    assert_int_equal(quota.wait, (month_begin_ms(month_of(later) + 1) - later + 999) / 1000);
    quota = count_of(quotas, 3, 3, later);
    assert_false(quota.by_month);
    assert_int_equal(quota.wait, 60);
    drop(quotas);
}

/* ---- the file ---- */

#define FILE_MAX 4096
static struct {
    uint8_t bytes[FILE_MAX];
    size_t  len;
    bool    there;
    int     fail, writes;
} file;

static int file_size(void *self, const char *name, uint64_t *bytes)
{
    (void)self;
    assert_string_equal(name, QUOTA_FILE);
    *bytes = file.len;
    return file.there ? file.fail : ENOENT;
}

static int file_open(void *self, const char *name, bool write, int *handle)
{
    (void)self, (void)name;
    assert_false(write);
    *handle = 7;
    return 0;
}

static int file_read(void *self, int handle, uint64_t offset, void *bytes, size_t len)
{
    (void)self;
    assert_int_equal(handle, 7);
    assert_true(offset == 0 && len <= file.len);
    memcpy(bytes, file.bytes, len);
    return 0;
}

static void file_close(void *self, int handle) { (void)self, (void)handle; }

static int file_replace(void *self, const char *name, const void *bytes, size_t len)
{
    (void)self, (void)name;
    if (file.fail != 0) return file.fail;
    assert_true(len <= FILE_MAX);
    memcpy(file.bytes, bytes, len);
    file.len = len;
    file.there = true;
    file.writes += 1;
    return 0;
}

static const struct disk disk = {
    .size = file_size, .open = file_open, .read = file_read, .close = file_close, .replace = file_replace
};

static bool load(struct quotas *quotas, int64_t now_ms)
{
    char why[160] = "";
    bool fine = quotas_load(quotas, &disk, now_ms, why, sizeof(why));

    assert_int_equal(strlen(why) == 0, fine);
    return fine;
}

static int store(struct quotas *quotas) { return quotas_store(quotas, quotas_take(quotas), &disk); }

static void the_month_survives_a_restart_and_the_minute_does_not(void **state)
{
    struct quotas *quotas = make(8, 20, 30);

    (void)state;
    memset(&file, 0, sizeof(file));
    assert_true(load(quotas, NOW)); /* no file yet */
    assert_int_equal(store(quotas), 0);
    assert_int_equal(file.writes, 0); /* nothing was counted */
    for (int i = 0; i < 20; i++) assert_int_equal(count(quotas, 1, NOW).wait, 0);
    assert_int_equal(count(quotas, 2, NOW).wait, 0);
    assert_int_equal(store(quotas), 0);
    assert_int_equal(store(quotas), 0);
    assert_int_equal(file.writes, 1);
    drop(quotas);
    quotas = make(8, 20, 30);
    assert_true(load(quotas, NOW + 1));
    for (int i = 0; i < 10; i++) assert_int_equal(count(quotas, 1, NOW + 1).wait, 0);
    assert_true(count(quotas, 1, NOW + 1).by_month);
    for (int i = 0; i < 20; i++) assert_int_equal(count(quotas, 2, NOW + 1).wait, 0);
    assert_int_equal(store(quotas), 0);
    drop(quotas);
    quotas = make(8, 20, 30); /* a month later every key starts at zero */
    assert_true(load(quotas, month_begin_ms(month_of(NOW) + 1)));
    assert_int_equal(count(quotas, 1, month_begin_ms(month_of(NOW) + 1)).wait, 0);
    drop(quotas);
}

static void what_was_given_up_is_remembered_too(void **state)
{
    struct quotas *quotas = make(1, 20, 5);

    (void)state;
    memset(&file, 0, sizeof(file));
    for (int i = 0; i < 5; i++) assert_int_equal(count(quotas, 1, NOW).wait, 0);
    assert_true(
        count(quotas, 2, NOW + 60000).by_month); /* 1 is evicted from its row, and its five requests stay known */
    assert_true(count(quotas, 1, NOW + 120000).by_month);
    assert_int_equal(store(quotas), 0);
    drop(quotas);
    quotas = make(4, 20, 5);
    assert_true(load(quotas, NOW + 130000));
    assert_true(count(quotas, 1, NOW + 130000).by_month);
    drop(quotas);
}

static void a_write_that_fails_is_tried_again(void **state)
{
    struct quotas *quotas = make(4, 20, 30);

    (void)state;
    memset(&file, 0, sizeof(file));
    assert_int_equal(count(quotas, 1, NOW).wait, 0);
    file.fail = ENOSPC;
    assert_int_equal(store(quotas), ENOSPC);
    file.fail = 0;
    assert_int_equal(store(quotas), 0);
    assert_int_equal(file.writes, 1);
    drop(quotas);
}

static void damage_is_said_and_counting_begins_at_zero(void **state)
{
    struct quotas *quotas = make(8, 20, 20);
    uint8_t        good[FILE_MAX];
    size_t         len;

    (void)state;
    memset(&file, 0, sizeof(file));
    for (uint32_t key = 1; key <= 3; key++)
        for (int i = 0; i < 20; i++) assert_int_equal(count(quotas, key, NOW).wait, 0);
    assert_int_equal(store(quotas), 0);
    drop(quotas);
    len = file.len;
    memcpy(good, file.bytes, len);
    for (size_t at = 0; at < len; at++) { /* one bit anywhere */
        memcpy(file.bytes, good, len);
        file.bytes[at] ^= (uint8_t)(1 << at % 8);
        quotas = make(8, 20, 20);
        assert_false(load(quotas, NOW + 1));
        for (uint32_t key = 1; key <= 3; key++) assert_int_equal(count(quotas, key, NOW + 1).wait, 0);
        drop(quotas);
    }
    memcpy(file.bytes, good, len);
    for (file.len = 0; file.len < len; file.len++) { /* cut anywhere */
        quotas = make(8, 20, 20);
        assert_false(load(quotas, NOW + 1));
        assert_int_equal(count(quotas, 1, NOW + 1).wait, 0);
        drop(quotas);
    }
    quotas = make(2, 20, 20); /* whole, and too large for this table */
    assert_false(load(quotas, NOW + 1));
    drop(quotas);
    quotas = make(8, 20, 20); /* whole, and of a month that has not begun */
    assert_false(load(quotas, month_begin_ms(month_of(NOW)) - 1));
    assert_int_equal(count(quotas, 1, month_begin_ms(month_of(NOW)) - 1).wait, 0);
    drop(quotas);
    quotas = make(8, 20, 20);
    file.fail = EIO;
    assert_false(load(quotas, NOW + 1));
    file.fail = 0;
    assert_true(load(quotas, NOW + 1));
    assert_true(count(quotas, 1, NOW + 1).by_month);
    drop(quotas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(months_are_those_of_the_calendar),
        cmocka_unit_test(a_minute_begins_with_its_first_request),
        cmocka_unit_test(a_month_ends_with_the_calendars),
        cmocka_unit_test(what_is_refused_is_not_counted),
        cmocka_unit_test(a_key_whose_minute_runs_keeps_its_row),
        cmocka_unit_test(nobody_gets_requests_back_by_being_forgotten),
        cmocka_unit_test(the_month_survives_a_restart_and_the_minute_does_not),
        cmocka_unit_test(what_was_given_up_is_remembered_too),
        cmocka_unit_test(nobody_inherits_from_another_owner),
        cmocka_unit_test(the_wait_of_a_month_is_the_months_without_a_row_too),
        cmocka_unit_test(a_write_that_fails_is_tried_again),
        cmocka_unit_test(damage_is_said_and_counting_begins_at_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
