/* SPDX-License-Identifier: MIT */
#include "wire/member.h"

#include "base/hex.h"

/* Digits alone, without a zero in front; false when the value is above `max`. */
static bool digits_read(struct slice text, uint64_t max, uint64_t *value)
{
    uint64_t sum = 0;

    if (text.len == 0 || (text.len > 1 && text.at[0] == '0')) return false;
    for (size_t i = 0; i < text.len; i++) {
        uint64_t digit = (uint64_t)(uint8_t)text.at[i] - '0';
        if (digit > 9) return false;
        if (sum > (max - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

/* "-0" is refused: a number has one spelling. */
static bool signed_read(struct slice text, int64_t *value)
{
    bool     negative = text.len != 0 && text.at[0] == '-';
    uint64_t size;

    if (!negative) {
        if (!digits_read(text, INT64_MAX, &size)) return false;
        *value = (int64_t)size;
        return true;
    }
    if (!digits_read(slice_make(text.at + 1, text.len - 1), (uint64_t)INT64_MAX + 1, &size) || size == 0) return false;
    *value = (int64_t)(0 - size);
    return true;
}

/* An explicit zero where zero means "not given" would vanish from the canonical form. */
static bool zero_is_refused(const struct field *field)
{
    return field->presence == OPTIONAL || (field->flags & FLAG_NOT_ZERO) != 0;
}

static enum reject refuse_zero(const struct field *field, const char **need)
{
    *need = field->presence == OPTIONAL ? "more than zero, or left out" : "more than zero";
    return REJECT_NUMBER_RANGE;
}

static enum reject enum_number_into(const struct field *field, struct slice text, uint8_t *member)
{
    uint64_t value;

    if (!digits_read(text, UINT8_MAX, &value)) return REJECT_ENUM_RANGE;
    *member = (uint8_t)value;
    return enum_name_of(field->names, *member) != NULL ? REJECT_NONE : REJECT_ENUM_RANGE;
}

enum reject number_into(const struct field *field, struct slice text, void *member, const char **need)
{
    uint64_t value = 0;
    int64_t  time = 0;

    switch (field->kind) {
    case KIND_ENUM: return enum_number_into(field, text, member);
    case KIND_I64:
        *need = "a whole number within 64 bits";
        if (!signed_read(text, &time)) return REJECT_NUMBER_RANGE;
        if (time == 0 && zero_is_refused(field)) return refuse_zero(field, need);
        memcpy(member, &time, sizeof(time));
        return REJECT_NONE;
    case KIND_U32:
        *need = "a whole number from 0 to 4294967295";
        if (!digits_read(text, UINT32_MAX, &value)) return REJECT_NUMBER_RANGE;
        if (value == 0 && zero_is_refused(field)) return refuse_zero(field, need);
        *(uint32_t *)member = (uint32_t)value;
        return REJECT_NONE;
    case KIND_OPTIONAL_U64:
        *need = "a whole number from 0 to 18446744073709551615";
        if (!digits_read(text, UINT64_MAX, &value)) return REJECT_NUMBER_RANGE;
        *(struct optional_u64 *)member = (struct optional_u64){ value, 1 };
        return REJECT_NONE;
    default:
        assert(field->kind == KIND_U64);
        *need = "a whole number from 0 to 18446744073709551615";
        if (!digits_read(text, UINT64_MAX, &value)) return REJECT_NUMBER_RANGE;
        if (value == 0 && zero_is_refused(field)) return refuse_zero(field, need);
        *(uint64_t *)member = value;
        return REJECT_NONE;
    }
}

/* Printable ASCII without quote and backslash: it never needs an escape. */
static bool is_name(struct slice text)
{
    if (text.len > NAME_MAX_LEN) return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] < ' ' || text.at[i] > '~' || text.at[i] == '"' || text.at[i] == '\\') return false;
    return true;
}

static bool has_prefix_0x(struct slice text) { return text.len > 2 && text.at[0] == '0' && text.at[1] == 'x'; }

static enum reject decimal_into(const struct field *field, struct slice text, struct decimal *decimal,
                                const char **need)
{
    switch (decimal_read(text, decimal)) {
    case DECIMAL_SYNTAX: return REJECT_BAD_DECIMAL;
    case DECIMAL_TOO_LONG: return REJECT_DECIMAL_LENGTH;
    case DECIMAL_OK: break;
    }
    if (decimal->digits < 0 && (field->flags & FLAG_SIGNED) == 0) return REJECT_NOT_POSITIVE;
    if (decimal->digits == 0 && (field->flags & FLAG_ZERO) == 0) {
        if (field->flags & FLAG_SIGNED) *need = "not zero";
        return REJECT_NOT_POSITIVE;
    }
    return REJECT_NONE;
}

static enum reject enum_name_into(const struct field *field, struct slice text, uint8_t *member)
{
    for (const struct enum_name *row = field->names; row->name != NULL; row++)
        if (slice_is(text, row->name)) {
            *member = row->value;
            return REJECT_NONE;
        }
    return REJECT_ENUM_RANGE;
}

/* A client id and the name of a key look alike, and have an answer each. */
enum reject client_id_reject(const struct field *field)
{
    return (field->flags & FLAG_KEY_NAME) != 0 ? REJECT_BAD_KEY_NAME : REJECT_BAD_CLIENT_ID;
}

enum reject text_into(const struct field *field, struct slice text, void *member, const char **need)
{
    switch (field->kind) {
    case KIND_CLIENT_ID:
        if (!text_is_client_id(text) && !(text.len == 0 && (field->flags & FLAG_EMPTY))) return client_id_reject(field);
        *(struct client_id *)member = client_id_make(text);
        return REJECT_NONE;
    case KIND_NAME:
        *need = "a string of at most 31 printable ASCII characters, no quote, no backslash";
        if (!is_name(text)) return REJECT_WRONG_TYPE;
        *(struct name *)member = name_make(text);
        return REJECT_NONE;
    case KIND_ADDRESS:
        *need = "a string of 0x and 40 hex digits";
        return has_prefix_0x(text) && hex_read_0x(text, member, 20) ? REJECT_NONE : REJECT_BAD_ADDRESS;
    case KIND_HASH:
        *need = "a string of 0x and 64 hex digits";
        return has_prefix_0x(text) && hex_read_0x(text, member, 32) ? REJECT_NONE : REJECT_WRONG_TYPE;
    case KIND_DECIMAL: return decimal_into(field, text, member, need);
    case KIND_ENUM: *need = "one of the enum's names"; return enum_name_into(field, text, member);
    default:
        assert(field->kind == KIND_TEXT);
        *(struct slice *)member = text;
        return REJECT_NONE;
    }
}

static bool any_byte(const void *at, size_t len)
{
    const uint8_t *bytes = at;
    uint64_t       bits = 0, word;

    for (; len >= 8; bytes += 8, len -= 8) {
        memcpy(&word, bytes, 8);
        bits |= word;
    }
    for (size_t i = 0; i < len; i++) bits |= bytes[i];
    return bits != 0;
}

bool member_is_given(const struct field *field, const void *from)
{
    const char *member = (const char *)from + field->offset;

    switch (field->kind) {
    case KIND_BOOL: return *member != 0;
    case KIND_U64: return *(const uint64_t *)member != 0;
    case KIND_U32: return *(const uint32_t *)member != 0;
    case KIND_I64: return *(const int64_t *)member != 0;
    case KIND_OPTIONAL_U64: return ((const struct optional_u64 *)member)->given != 0;
    case KIND_CLIENT_ID: return ((const struct client_id *)member)->len != 0;
    case KIND_NAME: return ((const struct name *)member)->len != 0;
    case KIND_ADDRESS: return any_byte(member, sizeof(struct address));
    case KIND_HASH: return any_byte(member, sizeof(struct hash256));
    case KIND_DECIMAL: return ((const struct decimal *)member)->digits != 0;
    case KIND_WIDE: return ((const struct wide_decimal *)member)->digits != 0;
    case KIND_TEXT: return ((const struct slice *)member)->len != 0;
    case KIND_ENUM: return *(const uint8_t *)member != 0;
    case KIND_OBJECT: return any_byte(member, field->item->size);
    case KIND_ITEMS: return *(const uint32_t *)(const void *)((const char *)from + field->count_offset) != 0;
    case KIND_LIST: return ((const struct list *)member)->count != 0;
    default: assert(field->kind == KIND_REFUSED); return *(const uint32_t *)member != 0;
    }
}

void excerpt(struct slice text, char *into, size_t cap)
{
    size_t len = min_size(text.len, cap - 1);

    assert(cap > 4);
    for (size_t i = 0; i < len; i++) into[i] = text.at[i] >= ' ' && text.at[i] <= '~' ? text.at[i] : '?';
    if (text.len > cap - 1) memcpy(into + len - 3, "...", 3);
    into[len] = '\0';
}

void write_items_need(const char *front, const struct field *field, char need[ITEMS_NEED_BYTES])
{
    struct out out = out_make(need, ITEMS_NEED_BYTES - 1);

    out_text(&out, front);
    out_u64(&out, field->count_max);
    out_literal(&out, " items");
    need[out.len] = '\0';
}
