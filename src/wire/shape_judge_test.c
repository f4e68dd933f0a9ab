/* SPDX-License-Identifier: MIT */
/* Random bodies drawn from the rows: the written text is read back, and jansson reads the same values. */
#include "wire/plain.h"

#include "rigs/wire/shape_rig.h"

/* Numbers of every length; the edges often. */
static uint64_t number(uint64_t max)
{
    uint64_t bits;

    if (random_below(8) == 0) return max;
    if (random_below(8) == 0) return 1;
    bits = random_next();
    return 1 + (bits >> random_below(64)) % max;
}

static struct decimal random_decimal(const struct field *field)
{
    int            scale = (int)random_below(19);
    struct decimal decimal = decimal_make((int64_t)number(999999999999999999), scale);

    if ((field->flags & FLAG_SIGNED) && random_below(2)) decimal.digits = -decimal.digits;
    return decimal;
}

static void random_text(char *at, size_t len, const char *letters)
{
    for (size_t i = 0; i < len; i++) at[i] = letters[random_below((uint32_t)strlen(letters))];
}

static uint8_t random_enum(const struct field *field)
{
    uint32_t count = 0;
    while (field->names[count].name != NULL) count++;
    return field->names[random_below(count)].value;
}

static void random_fill(const struct shape *shape, char *into);

static void random_items(const struct field *field, char *into)
{
    uint32_t *count = (uint32_t *)(void *)(into + field->count_offset);

    if (*count == 0)
        *count = 1 + (random_below(4) == 0 ? field->count_max - 1u : random_below(min_u32(3, field->count_max)));
    for (uint32_t i = 0; i < *count; i++)
        random_fill(field->item, into + field->offset + (size_t)i * field->item->size);
}

static void random_member(const struct field *field, char *into)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    char             *member = into + field->offset;
    char              bytes[40];
    size_t            len;

    switch (field->kind) {
    case KIND_BOOL: *member = (char)random_below(2); break;
    case KIND_U64: *(uint64_t *)(void *)member = number(UINT64_MAX); break;
    case KIND_U32: *(uint32_t *)(void *)member = (uint32_t)number(UINT32_MAX); break;
    case KIND_I64:
        *(int64_t *)(void *)member = (int64_t)number(INT64_MAX);
        if (random_below(4) == 0) *(int64_t *)(void *)member *= -1;
        break;
    case KIND_OPTIONAL_U64:
        *(struct optional_u64 *)(void *)member = (struct optional_u64){ random_below(2) ? number(UINT64_MAX) : 0, 1 };
        break;
    case KIND_CLIENT_ID:
        random_text(bytes, len = 1 + random_below(36), letters);
        *(struct client_id *)member = client_id_make(slice_make(bytes, len));
        break;
    case KIND_NAME:
        random_text(bytes, len = 1 + random_below(31), "abcXYZ019 _-/.'{}[]:,");
        *(struct name *)member = name_make(slice_make(bytes, len));
        break;
    case KIND_ADDRESS:
        for (int i = 0; i < 20; i++) member[i] = (char)random_next();
        break;
    case KIND_HASH:
        for (int i = 0; i < 32; i++) member[i] = (char)random_next();
        break;
    case KIND_DECIMAL: *(struct decimal *)(void *)member = random_decimal(field); break;
    case KIND_ENUM: *(uint8_t *)member = random_enum(field); break;
    case KIND_OBJECT: random_fill(field->item, member); break;
    case KIND_ITEMS: random_items(field, into); break;
    default: assert_int_equal(field->kind, KIND_REFUSED); break;
    }
}

/* Lists that share a count are present together or not at all. */
static bool is_chosen(const struct shape *shape, uint32_t index, const char *into)
{
    const struct field *field = &shape->fields[index];

    for (uint32_t i = 0; field->kind == KIND_ITEMS && i < index; i++)
        if (shape->fields[i].kind == KIND_ITEMS && shape->fields[i].count_offset == field->count_offset)
            return *(const uint32_t *)(const void *)(into + field->count_offset) != 0;
    return field->presence == REQUIRED || random_below(2);
}

static void random_fill(const struct shape *shape, char *into)
{
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (is_chosen(shape, i, into)) random_member(&shape->fields[i], into);
}

/* The same rows without their rules, so that any content passes. */
static const struct shape *without_checks(const struct shape *shape)
{
    static struct shape shapes[128];
    static struct field fields[1024];
    static size_t       shape_count, field_count;
    struct shape       *copy = &shapes[shape_count++];
    struct field       *rows = &fields[field_count];

    assert_true(shape_count < ARRAY_COUNT(shapes) && field_count + shape->field_count < ARRAY_COUNT(fields));
    field_count += shape->field_count;
    *copy = *shape;
    copy->check = NULL;
    copy->check_item = NULL;
    copy->fields = rows;
    for (uint32_t i = 0; i < shape->field_count; i++) {
        rows[i] = shape->fields[i];
        if (rows[i].item != NULL) rows[i].item = without_checks(rows[i].item);
    }
    return copy;
}

static const struct shape *const all_shapes[] = {
    &new_order_shape,      &place_orders_shape,    &cancel_order_shape,  &cancel_orders_shape,  &replace_order_shape,
    &replace_orders_shape, &schedule_cancel_shape, &genesis_shape,       &place_perps_shape,    &cancel_perps_shape,
    &modify_order_shape,   &update_leverage_shape, &update_margin_shape, &transfer_asset_shape,
};

static void i14_whatever_is_written_is_read_back_the_same(void **state)
{
    (void)state;
    for (size_t s = 0; s < ARRAY_COUNT(all_shapes); s++) {
        const struct shape *shape = without_checks(all_shapes[s]);

        for (int round = 0; round < (shape->size > 50000 ? 50 : 2000); round++) {
            struct out out = out_make(text_room, sizeof(text_room)),
                       again = out_make(other_text_room, sizeof(other_text_room));

            memset(room, 0, shape->size);
            random_fill(shape, room);
            shape_write(&out, shape, room, true);
            assert_false(out.overflow);
            assert_true(json_is_valid(out_slice(&out)));
            if (shape_read(shape, out_slice(&out), other_room, &error) != REJECT_NONE)
                fail_msg("%s: %s %s got %s\n%.*s", shape->name, name_of(error.reject), error.field, error.got,
                         (int)out.len, out.at);
            assert_memory_equal(room, other_room, shape->size);
            shape_write(&again, shape, other_room, true);
            assert_true(slice_equal(out_slice(&out), out_slice(&again)));
            again.len = 0;
            json_compact(out_slice(&out), &again);
            assert_true(slice_equal(out_slice(&out), out_slice(&again)));
        }
    }
}

/* --- the general reader as judge of the one for plain bodies ----------------------------------- */

/* In memory that ends where the text ends. */
static bool reads_plain(const struct plain_form *form, const char *text, size_t len, void *into)
{
    char *exact = malloc(len != 0 ? len : 1);
    bool  plain;

    assert_non_null(exact);
    memcpy(exact, text, len);
    plain = plain_read(form, slice_make(exact, len), into);
    free(exact);
    return plain;
}

static size_t mutate(char *text, size_t len, size_t cap);
static size_t random_body(const struct shape *shape, char *text, size_t cap);

static void what_is_plain_the_general_reader_takes_with_the_same_values(void **state)
{
    static struct plain_forms forms;
    size_t                    plain = 0, right = 0;

    (void)state;
    plain_forms_init(&forms);
    for (int round = 0; round < 200000; round++) {
        bool                     mutated = random_below(4) != 0;
        const struct shape      *shape = all_shapes[random_below(ARRAY_COUNT(all_shapes))];
        const struct plain_form *form = plain_form(&forms, shape);
        char                     text[2048];
        size_t                   len;

        if (form == NULL) continue;
        len = random_body(shape, text, 1500);
        if (mutated) len = mutate(text, len, sizeof(text));
        memset(other_room, 0, shape->size);
        if (shape_read(shape, slice_make(text, len), room, &error) == REJECT_NONE) right += 1;
        else assert_false(reads_plain(form, text, len, other_room));
        if (error.reject != REJECT_NONE || !reads_plain(form, text, len, other_room)) continue;
        assert_memory_equal(room, other_room, shape->size);
        plain += 1;
    }
    assert_true(plain > 10000 && right > plain + 1000);
}

/* --- jansson as judge ------------------------------------------------------------------------- */

/* Trailing zeros off, by hand. */
static void strip(const char *text, char *into)
{
    size_t len = strlen(text);

    memcpy(into, text, len + 1);
    if (strchr(into, '.') == NULL) return;
    while (into[len - 1] == '0') into[--len] = '\0';
    if (into[len - 1] == '.') into[--len] = '\0';
}

static void assert_same_object(const struct shape *shape, const char *from, const json_t *object);

static void assert_same_string(struct slice text, const json_t *value)
{
    assert_true(json_is_string(value));
    assert_int_equal(json_string_length(value), text.len);
    assert_memory_equal(json_string_value(value), text.at, text.len);
}

static void assert_same_member(const struct field *field, const char *from, const json_t *value)
{
    const char *member = from + field->offset;
    char        text[64], judged[64];
    struct out  out = out_make(text, sizeof(text) - 1);

    switch (field->kind) {
    case KIND_U64:
        assert_true(json_is_integer(value)
                    && (uint64_t)json_integer_value(value) == *(const uint64_t *)(const void *)member);
        break;
    case KIND_OPTIONAL_U64:
        assert_int_equal(((const struct optional_u64 *)(const void *)member)->given, 1);
        assert_true(json_is_integer(value)
                    && (uint64_t)json_integer_value(value) == *(const uint64_t *)(const void *)member);
        break;
    case KIND_ENUM: assert_true(json_is_integer(value) && json_integer_value(value) == *(const uint8_t *)member); break;
    case KIND_CLIENT_ID: assert_same_string(client_id_slice((const struct client_id *)member), value); break;
    case KIND_DECIMAL:
        assert_true(json_is_string(value) && json_string_length(value) < sizeof(judged));
        strip(json_string_value(value), judged);
        decimal_write(&out, *(const struct decimal *)(const void *)member);
        text[out.len] = '\0';
        assert_string_equal(text, judged);
        break;
    case KIND_ITEMS:
        assert_true(json_is_array(value));
        assert_int_equal(json_array_size(value), *(const uint32_t *)(const void *)(from + field->count_offset));
        for (size_t i = 0; i < json_array_size(value); i++)
            assert_same_object(field->item, member + i * field->item->size, json_array_get(value, i));
        break;
    default:
        assert_int_equal(field->kind, KIND_REFUSED);
        assert_int_equal(*(const uint32_t *)(const void *)member, 1);
        break;
    }
}

static void assert_same_object(const struct shape *shape, const char *from, const json_t *object)
{
    size_t seen = 0;

    assert_true(json_is_object(object));
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const json_t *value = json_object_get(object, shape->fields[i].key);
        if (value == NULL) continue;
        assert_same_member(&shape->fields[i], from, value);
        seen += 1;
    }
    assert_int_equal(seen, json_object_size(object));
}

/* A valid or nearly valid body of a shape. */
static size_t random_body(const struct shape *shape, char *text, size_t cap)
{
    struct out out = out_make(text, cap);
    int        tries = 0;

    do {
        memset(room, 0, shape->size);
        random_fill(shape, room);
        if (shape == &place_orders_shape) {
            struct place_orders *batch = (void *)room;
            batch->count = min_u32(batch->count, 2);
            for (uint32_t i = 0; i < batch->count; i++) { /* mostly orders that pass their rules */
                batch->items[i].type = TYPE_LIMIT;
                batch->items[i].time_in_force = TIF_GTC;
                batch->items[i].funds = (struct decimal){ 0 };
                if (batch->items[i].price.digits == 0) batch->items[i].price = decimal_make(5, 1);
                if (batch->items[i].quantity.digits == 0) batch->items[i].quantity = decimal_make(7, 0);
            }
        }
        out.len = 0;
        out.overflow = false;
        shape_write(&out, shape, room, true);
    } while (out.overflow && ++tries < 100);
    assert_false(out.overflow);
    return out.len;
}

static size_t mutate(char *text, size_t len, size_t cap)
{
    static const char spice[] = "\"\"\"{}[]:,,  \n\t\\/0123456789.-+eE_aAtrufalsn\x7f\x80\xc3\xa9";

    for (uint32_t turns = random_below(3); turns > 0; turns--) {
        size_t at = random_below((uint32_t)len), from = random_below((uint32_t)len);
        size_t part = min_size(min_size(1 + random_below(20), len - from), cap - len);

        switch (random_below(6)) {
        case 0: text[at] = spice[random_below(sizeof(spice) - 1)]; break;
        case 1:
            if (len > 1) {
                memmove(text + at, text + at + 1, len - at - 1);
                len -= 1;
            }
            break;
        case 2:
        case 3:
            if (len == cap) break;
            memmove(text + at + 1, text + at, len - at);
            text[at] = spice[random_below(4) ? random_below(14) : random_below(sizeof(spice) - 1)];
            len += 1;
            break;
        case 4: text[at] = (char)random_below(256); break;
        default:
            memmove(text + from + part, text + from, len - from); /* doubles a run, often a whole key */
            len += part;
            break;
        }
    }
    return len;
}

static void jansson_accepts_what_is_accepted_and_finds_the_same_in_it(void **state)
{
    /* clang-format off */
    static const struct shape *const shapes[] = {
        &place_orders_shape, &cancel_orders_shape, &replace_orders_shape, &schedule_cancel_shape,
    };
    /* clang-format on */
    size_t accepted = 0, refused = 0;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        const struct shape *shape = shapes[random_below(ARRAY_COUNT(shapes))];
        char                text[2048], compact[2048];
        size_t              len = random_body(shape, text, 1500);
        struct out          out = out_make(compact, sizeof(compact));
        json_error_t        why;
        json_t             *judged, *again;

        len = mutate(text, len, sizeof(text));
        if (shape_read(shape, slice_make(text, len), room, &error) != REJECT_NONE) {
            refused += 1;
            continue;
        }
        judged = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
        if (judged == NULL) { /* its integers end at 2^63 - 1 */
            if (json_error_code(&why) != json_error_numeric_overflow) fail_msg("%s\n%.*s", why.text, (int)len, text);
            continue;
        }
        assert_same_object(shape, room, judged);
        json_compact(slice_make(text, len), &out);
        assert_true(out.len <= len && json_is_valid(out_slice(&out)));
        again = json_loadb(out.at, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        assert_true(json_equal(judged, again));
        json_decref(again);
        json_decref(judged);
        accepted += 1;
    }
    assert_true(accepted > 10000 && refused > 10000);
}

static void validity_is_what_jansson_says_except_for_its_own_limits(void **state)
{
    size_t valid = 0;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        char         text[1024];
        size_t       len = random_body(&cancel_orders_shape, text, 800);
        json_error_t why;
        json_t      *judged;

        len = mutate(text, len, sizeof(text));
        if (memchr(text, '\0', len) != NULL) { /* jansson swallows a NUL behind a number */
            assert_false(json_is_valid(slice_make(text, len)));
            continue;
        }
        judged = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
        if (judged == NULL && json_error_code(&why) == json_error_numeric_overflow) continue;
        if (json_is_valid(slice_make(text, len)) != (judged != NULL)) fail_msg("%.*s", (int)len, text);
        valid += judged != NULL;
        json_decref(judged);
    }
    assert_true(valid > 1000);
}

static void lists_that_share_a_count_are_equally_long(void **state)
{
    const struct genesis *genesis = (const void *)other_room;
    struct genesis       *made = (void *)room;
    struct out            out = out_make(text_room, sizeof(text_room));
    const struct shape   *shape = without_checks(&genesis_shape);
    char                 *rates;

    (void)state;
    memset(room, 0, sizeof(room));
    made->spot_fees.rebate_count = 3;
    random_fill(shape, room);
    shape_write(&out, shape, room, true);
    assert_int_equal(shape_read(shape, out_slice(&out), other_room, &error), REJECT_NONE);
    assert_int_equal(genesis->spot_fees.rebate_count, 3);
    rates = memmem(text_room, out.len, "\"rebateRates\":[{", 16);
    assert_non_null(rates);
    memcpy(rates, "\"rebateRates\":[]", 16);
    memset(rates + 16, ' ', (size_t)(strchr(rates + 16, ']') - rates - 15));
    assert_int_equal(shape_read(shape, out_slice(&out), other_room, &error), REJECT_BATCH_SIZE);
    assert_string_equal(error.field, "spotFees.rebateRates");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(i14_whatever_is_written_is_read_back_the_same),
        cmocka_unit_test(what_is_plain_the_general_reader_takes_with_the_same_values),
        cmocka_unit_test(jansson_accepts_what_is_accepted_and_finds_the_same_in_it),
        cmocka_unit_test(validity_is_what_jansson_says_except_for_its_own_limits),
        cmocka_unit_test(lists_that_share_a_count_are_equally_long),
    };
    return cmocka_run_group_tests_name("shape, judged", tests, NULL, NULL);
}
