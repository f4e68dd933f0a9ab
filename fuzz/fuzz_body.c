/* SPDX-License-Identifier: MIT */
/*
 * Signed bodies: a body that was read and written again reads as the same (decode of encode is the identity), its
 * canonical form is a fixed point, and it has the values that jansson reads in the body. What is read as a plain body
 * is read so in general. The first byte chooses the shape.
 */
#include "fuzz/fuzz.h"
#include "wire/plain.h"
#include "wire/shape.h"

#include <jansson.h>
#include <strings.h>

static const struct shape *const shapes[] = {
    &place_orders_shape,    &cancel_orders_shape, &replace_orders_shape, &schedule_cancel_shape, &transfer_asset_shape,
    &add_key_shape,         &revoke_key_shape,    &place_perps_shape,    &cancel_perps_shape,    &modify_order_shape,
    &update_leverage_shape, &update_margin_shape, &oracle_request_shape,
};

static void agree(const struct shape *shape, const char *into, const json_t *object);

static void agree_decimal(const struct decimal *decimal, const json_t *value)
{
    char         spelled[64];
    struct out   out = out_make(spelled, sizeof(spelled));
    struct slice text = slice_make(json_string_value(value), json_string_length(value));

    decimal_write(&out, *decimal);
    if (memchr(text.at, '.', text.len) != NULL) {
        while (text.at[text.len - 1] == '0') text.len--;
        if (text.at[text.len - 1] == '.') text.len--;
    }
    assert(slice_equal(text, out_slice(&out)));
}

static void agree_address(const struct address *address, const json_t *value)
{
    char       spelled[64];
    struct out out = out_make(spelled, sizeof(spelled));

    out_literal(&out, "0x");
    out_hex(&out, address, sizeof(*address));
    spelled[out.len] = '\0';
    assert(strcasecmp(spelled, json_string_value(value)) == 0);
}

static void agree_items(const struct field *field, const char *into, const json_t *value)
{
    uint32_t count = *(const uint32_t *)(const void *)(into + field->count_offset);

    assert(json_is_array(value) && json_array_size(value) == count && count <= field->count_max);
    for (uint32_t i = 0; i < count; i++)
        agree(field->item, into + field->offset + i * field->item->size, json_array_get(value, i));
}

static void agree_member(const struct field *field, const char *into, const json_t *value)
{
    const void  *member = into + field->offset;
    json_int_t   number = json_integer_value(value);
    struct slice text = slice_make(json_string_value(value), json_string_length(value));

    switch (field->kind) {
    case KIND_BOOL: assert(*(const uint8_t *)member == json_is_true(value)); break;
    case KIND_U64:
        assert(json_is_integer(value) && number >= 0 && *(const uint64_t *)member == (uint64_t)number);
        break;
    case KIND_U32: assert(json_is_integer(value) && *(const uint32_t *)member == number); break;
    case KIND_I64: assert(json_is_integer(value) && *(const int64_t *)member == number); break;
    case KIND_ENUM: assert(json_is_integer(value) && *(const uint8_t *)member == number); break;
    case KIND_OPTIONAL_U64:
        assert(((const struct optional_u64 *)member)->value == (uint64_t)number
               && ((const struct optional_u64 *)member)->given == 1);
        break;
    case KIND_CLIENT_ID: assert(slice_equal(client_id_slice(member), text)); break;
    case KIND_NAME: assert(slice_equal(name_slice(member), text)); break;
    case KIND_DECIMAL: agree_decimal(member, value); break;
    case KIND_ADDRESS: agree_address(member, value); break;
    case KIND_OBJECT: agree(field->item, member, value); break;
    case KIND_ITEMS: agree_items(field, into, value); break;
    default: assert(field->kind == KIND_REFUSED && *(const uint32_t *)member == 1); break;
    }
}

static void agree(const struct shape *shape, const char *into, const json_t *object)
{
    size_t seen = 0;

    assert(json_is_object(object));
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const json_t *value = json_object_get(object, shape->fields[i].key);

        if (value == NULL) {
            assert(shape->fields[i].presence != REQUIRED);
            continue;
        }
        agree_member(&shape->fields[i], into, value);
        seen++;
    }
    assert(seen == json_object_size(object));
}

static bool names_refused(const struct shape *shape, const json_t *object)
{
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (shape->fields[i].kind == KIND_REFUSED && json_object_get(object, shape->fields[i].key) != NULL) return true;
    return false;
}

static void round_trip(const struct shape *shape, const void *first, size_t body_len)
{
    static _Alignas(8) char second[sizeof(struct replace_orders) + 8192];
    size_t                  cap = 4 * body_len + 1024;
    char                   *texts[2] = { malloc(cap), malloc(cap) };
    struct out              out = out_make(texts[0], cap), again = out_make(texts[1], cap);
    struct shape_error      error;

    assert(shape->size <= sizeof(second));
    shape_write(&out, shape, first, true);
    assert(!out.overflow);
    assert(shape_read(shape, out_slice(&out), second, &error) == REJECT_NONE);
    assert(memcmp(first, second, shape->size) == 0);
    shape_write(&again, shape, second, true);
    assert(slice_equal(out_slice(&out), out_slice(&again)));
    free(texts[0]);
    free(texts[1]);
}

/* `first` is what the general reader made of it; NULL = it refused. */
static void agree_plain(const struct shape *shape, struct slice text, const void *first)
{
    static _Alignas(8) char   second[sizeof(struct replace_orders) + 8192];
    static struct plain_forms forms;
    const struct plain_form  *form = plain_form(&forms, shape);

    memset(second, 0, shape->size);
    if (form == NULL || !plain_read(form, text, second)) return;
    assert(first != NULL && memcmp(first, second, shape->size) == 0 && memchr(text.at, ' ', text.len) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static _Alignas(8) char first[sizeof(struct replace_orders) + 8192];
    const struct shape     *shape;
    struct shape_error      error;
    json_error_t            said;
    struct slice            text;
    json_t                 *tree;
    enum reject             reject;

    if (size < 1) return 0;
    shape = shapes[data[0] % ARRAY_COUNT(shapes)];
    assert(shape->size <= sizeof(first));
    text = exact_copy(data + 1, size - 1);
    reject = shape_read(shape, text, first, &error);
    agree_plain(shape, text, reject == REJECT_NONE ? first : NULL);
    if (reject != REJECT_NONE) {
        assert(error.reject == reject && error.at <= text.len);
        assert(memchr(error.field, '\0', sizeof(error.field)) != NULL
               && memchr(error.got, '\0', sizeof(error.got)) != NULL);
    } else {
        assert(json_is_valid(text));
        tree = json_loadb(text.at, text.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &said);
        if (tree == NULL)
            assert(json_error_code(&said) == json_error_numeric_overflow
                   || json_error_code(&said) == json_error_null_byte_in_key);
        else agree(shape, first, tree);
        if (tree != NULL && !names_refused(shape, tree)) round_trip(shape, first, text.len);
        json_decref(tree);
    }
    free_copy(text);
    return 0;
}
