/* SPDX-License-Identifier: MIT */
/* Rows are byte for byte what the general writer makes of the same records. */
#include "wire/rows.h"
#include "rigs/random.h"

#include "model/shapes_perps.h"
#include "model/shapes_statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void) { return random_xorshift(&random_state); }

/* Values of every length, with zeros in front of and behind the point. */
static int64_t some_digits(void)
{
    static const int64_t edges[] = { 0,    1,      9,       10,        99,        100, 101, 999,
                                     1000, 100000, 1250000, INT64_MAX, INT64_MIN, -1,  -10, -100 };

    if (random_next() % 4 == 0) return edges[random_next() % ARRAY_COUNT(edges)];
    uint64_t bits = random_next();
    int64_t  value = (int64_t)(bits >> (random_next() % 64));
    if (random_next() % 2 == 0) value -= value % pow10_i64((int)(random_next() % 12));
    return value;
}

static uint32_t some_scale(void)
{
    return random_next() % 3 == 0 ? (uint32_t)(random_next() % 19) : (uint32_t)(random_next() % 9);
}
static struct decimal some_decimal(void)
{
    int64_t digits = some_digits();

    return (struct decimal){ digits, some_scale(), 0 };
}

static struct wide_decimal some_wide(void)
{
    int128_t digits = some_digits();

    if (random_next() % 3 == 0) digits *= some_digits();
    return (struct wide_decimal){ digits, some_scale() };
}

static uint8_t some_value(const struct enum_name *names, bool may_be_absent)
{
    uint32_t count = 0;

    if (may_be_absent && random_next() % 3 == 0) return 0;
    while (names[count].name != NULL) count++;
    return names[random_next() % count].value;
}

/* ---- records of any shape ---- */

#define ITEMS_MAX 3
static _Alignas(16) char pool[1 << 16];
static size_t pool_used;

static void *from_pool(size_t bytes)
{
    void *at = pool + pool_used;

    pool_used = align_up(pool_used + bytes, 16);
    assert_true(pool_used <= sizeof(pool));
    return at;
}

static void fill(const struct shape *shape, void *record);

static void fill_text(const struct field *field, char *member)
{
    static const char        letters[] = "abcdefghijklmnopqrstuvwxyz-0123456789_";
    static const char *const texts[] = { "", "ok", "a \"quote\"", "\x01\n", "\xc3\xbc", "\xff" };
    uint32_t                 len = (uint32_t)(random_next() % 32);

    switch (field->kind) {
    case KIND_NAME: *(struct name *)member = name_make(slice_make(letters, len)); break;
    case KIND_CLIENT_ID:
        memset(member, 0, sizeof(struct client_id));
        ((struct client_id *)member)->len = (uint8_t)len;
        memcpy(((struct client_id *)member)->at, letters, len);
        break;
    default: *(struct slice *)(void *)member = slice_of(texts[random_next() % ARRAY_COUNT(texts)]); break;
    }
}

static void fill_list(const struct field *field, void *record)
{
    char    *items = (char *)record + field->offset;
    uint32_t count = (uint32_t)(random_next() % (ITEMS_MAX + 1));

    if (field->kind == KIND_ITEMS) {
        count = min_u32(count, field->count_max);
        *(uint32_t *)(void *)((char *)record + field->count_offset) = count;
    } else {
        struct list *list = (void *)items;
        items = from_pool(ITEMS_MAX * (size_t)field->item->size);
        *list = (struct list){ items, count, 0 };
    }
    for (uint32_t i = 0; i < count; i++) fill(field->item, items + (size_t)i * field->item->size);
}

static void fill_bytes(char *member, size_t len)
{
    bool zero = random_next() % 4 == 0;

    for (size_t i = 0; i < len; i++) member[i] = zero ? 0 : (char)random_next();
}

static void fill_member(const struct field *field, void *record)
{
    char *member = (char *)record + field->offset;

    switch (field->kind) {
    case KIND_BOOL: *member = (char)(random_next() % 2); break;
    case KIND_U64:
    case KIND_I64: *(uint64_t *)(void *)member = (uint64_t)some_digits(); break;
    case KIND_U32: *(uint32_t *)(void *)member = (uint32_t)some_digits(); break;
    case KIND_OPTIONAL_U64:
        *(struct optional_u64 *)(void *)member = (struct optional_u64){ .value = (uint64_t)some_digits() };
        ((struct optional_u64 *)(void *)member)->given = random_next() % 2;
        break;
    case KIND_ADDRESS: fill_bytes(member, sizeof(struct address)); break;
    case KIND_HASH: fill_bytes(member, sizeof(struct hash256)); break;
    case KIND_DECIMAL: *(struct decimal *)(void *)member = some_decimal(); break;
    case KIND_WIDE: *(struct wide_decimal *)(void *)member = some_wide(); break;
    case KIND_ENUM: *(uint8_t *)member = some_value(field->names, field->presence != REQUIRED); break;
    case KIND_OBJECT:
        if (random_next() % 4 != 0) fill(field->item, member);
        break;
    case KIND_ITEMS:
    case KIND_LIST: fill_list(field, record); break;
    default: fill_text(field, member); break;
    }
}

static void fill(const struct shape *shape, void *record)
{
    memset(record, 0, shape->size);
    for (uint32_t i = 0; i < shape->field_count; i++) fill_member(&shape->fields[i], record);
    for (uint32_t i = 0; i < shape->field_count; i++) /* an object that is required is a whole one */
        if (shape->fields[i].kind == KIND_OBJECT && shape->fields[i].presence == REQUIRED)
            fill(shape->fields[i].item, (char *)record + shape->fields[i].offset);
}

static void expect_same(const struct row_form *form, const void *record)
{
    static char fast[1 << 16], slow[1 << 16];
    struct out  a = out_make(fast, sizeof(fast)), b = out_make(slow, sizeof(slow)), c;

    row_write(&a, form, record);
    shape_write(&b, form->shape, record, false);
    assert_false(a.overflow || b.overflow);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(fast, slow, a.len);
    c = out_make(fast, b.len); /* exactly enough room, and one byte too little */
    row_write(&c, form, record);
    assert_false(c.overflow);
    assert_int_equal(c.len, b.len);
    assert_memory_equal(fast, slow, c.len);
    c = out_make(fast, b.len - 1);
    row_write(&c, form, record);
    assert_true(c.overflow);
    c = out_make(fast, b.len + random_next() % 512); /* nothing behind the room that there is is touched */
    memset(fast + c.cap, '#', 64);
    row_write(&c, form, record);
    assert_int_equal(c.len, b.len);
    assert_memory_equal(fast, slow, c.len);
    for (int i = 0; i < 64; i++) assert_int_equal(fast[c.cap + (size_t)i], '#');
}

static void records_are_those_of_the_general_writer(void **state)
{
    static const struct shape *const shapes[] = {
        &kline_shape,          &spot_ticker_shape, &perps_ticker_shape, &mini_ticker_shape,       &book_ticker_shape,
        &spot_symbol_shape,    &spot_coin_shape,   &level_shape,        &order_book_shape,        &trade_shape,
        &balances_shape,       &open_orders_shape, &state_shape,        &api_key_shape,           &server_time_shape,
        &status_text_shape,    &user_status_shape, &subaccounts_shape,  &user_keys_shape,         &quota_shape,
        &transfer_shape,       &fee_rate_shape,    &user_trade_shape,   &details_shape,           &version_shape,
        &perps_symbol_shape,   &perps_coin_shape,  &mark_price_shape,   &perps_open_orders_shape, &open_positions_shape,
        &perps_balances_shape, &perps_state_shape, &funding_shape,
    };
    static struct row_forms  forms;
    static _Alignas(16) char record[8192];

    (void)state;
    row_forms_init(&forms);
    for (size_t s = 0; s < ARRAY_COUNT(shapes); s++) {
        const struct row_form *form = row_form(&forms, shapes[s]);
        assert_ptr_equal(row_form(&forms, shapes[s]), form);
        assert_true(shapes[s]->size <= sizeof(record));
        for (int i = 0; i < 3000; i++) {
            pool_used = 0;
            fill(shapes[s], record);
            expect_same(form, record);
        }
    }
}

/* Every scale with every number of zeros at the end. */
static void decimals_lose_their_zeros(void **state)
{
    static struct row_forms forms;
    const struct row_form  *form;

    (void)state;
    row_forms_init(&forms);
    form = row_form(&forms, &level_shape);
    for (uint32_t scale = 0; scale <= DECIMAL_DIGITS_MAX; scale++)
        for (int zeros = 0; zeros <= 18; zeros++)
            for (int i = 0; i < 50; i++) {
                int64_t             power = pow10_i64(zeros), most = INT64_MAX / power;
                struct level_record record = { { (int64_t)(random_next() % (uint64_t)most) * power, scale, 0 },
                                               { 0, scale, 0 } };
                record.size.digits = (int64_t)(random_next() % 10) * power;
                expect_same(form, &record);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_those_of_the_general_writer),
        cmocka_unit_test(decimals_lose_their_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
