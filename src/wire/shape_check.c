/* SPDX-License-Identifier: MIT */
/* shape_check.c — the rules of a shape and of its items; the first that fails is named. */
#include "wire/shape_check.h"

#include "wire/member.h"
#include "wire/shape_write.h"

/* The row of a failed rule: the one with the reject's key, or the list whose length is wrong. */
static const struct field *row_at_fault(const struct shape *shape, enum reject reject)
{
    const char *key = reject_row(reject)->field;

    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        if (strcmp(field->key, key) == 0) return field;
        if (reject == REJECT_BATCH_SIZE && field->kind == KIND_ITEMS) return field;
    }
    return NULL;
}

/* A number that had to be sent was sent, also when it is zero. */
static bool is_shown(const struct field *field, const void *from)
{
    return field->kind == KIND_BOOL || (field->presence == REQUIRED && field->kind != KIND_CLIENT_ID)
        || member_is_given(field, from);
}

static void describe_fault(const struct shape *shape, const void *from, enum reject reject, struct out *path,
                           struct shape_error *error)
{
    const struct field *field = row_at_fault(shape, reject);
    char                text[128];
    struct out          got = out_make(text, sizeof(text));

    error->reject = reject;
    if (field == NULL) return;
    if (path->len != 0) out_char(path, '.');
    out_text(path, field->key);
    if (reject == REJECT_BATCH_SIZE) {
        out_u64(&got, *(const uint32_t *)(const void *)((const char *)from + field->count_offset));
        out_literal(&got, " items");
        if (field->count_max != BATCH_MAX) write_items_need("1 to ", field, error->need);
    } else if (is_shown(field, from)) {
        member_write(&got, field, from, true);
    } else {
        out_literal(&got, "nothing");
    }
    excerpt(out_slice(&got), error->got, sizeof(error->got));
}

static void path_add(struct out *path, const struct field *field, uint32_t item)
{
    if (path->len != 0) out_char(path, '.');
    out_text(path, field->key);
    if (field->kind != KIND_ITEMS) return;
    out_char(path, '[');
    out_u64(path, item);
    out_char(path, ']');
}

/* The items of the array, one by one. */
static enum reject check_neighbours(const struct shape *shape, const struct field *field, const void *from,
                                    uint32_t count, struct out *path, struct shape_error *error)
{
    if (shape->check_item == NULL || field->kind != KIND_ITEMS) return REJECT_NONE;
    for (uint32_t item = 0; item < count; item++) {
        enum reject reject = (enum reject)shape->check_item(from, item);
        if (reject == REJECT_NONE) continue;
        path_add(path, field, item);
        describe_fault(field->item, (const char *)from + field->offset + (size_t)item * field->item->size, reject, path,
                       error);
        return reject;
    }
    return REJECT_NONE;
}

/* Outer rules before those of the items; `path` leads to `from` and is left at the fault. */
static enum reject check_all(const struct shape *shape, const void *from, struct out *path, struct shape_error *error)
{
    enum reject reject = shape->check != NULL ? (enum reject)shape->check(from) : REJECT_NONE;

    if (reject != REJECT_NONE) {
        describe_fault(shape, from, reject, path, error);
        return reject;
    }
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        const char         *member = (const char *)from + field->offset;
        size_t              back = path->len;
        uint32_t            count;

        if (field->kind != KIND_OBJECT && field->kind != KIND_ITEMS) continue;
        count = field->kind == KIND_OBJECT
                  ? 1
                  : *(const uint32_t *)(const void *)((const char *)from + field->count_offset);
        reject = check_neighbours(shape, field, from, count, path, error);
        if (reject != REJECT_NONE) return reject;
        for (uint32_t item = 0; item < count; item++, path->len = back) {
            if (field->item->check == NULL) break;
            path_add(path, field, item);
            reject = check_all(field->item, member + (size_t)item * field->item->size, path, error);
            if (reject != REJECT_NONE) return reject;
        }
    }
    return REJECT_NONE;
}

enum reject shape_check(const struct shape *shape, const void *from, struct shape_error *error)
{
    struct out  path = out_make(error->field, sizeof(error->field) - 1);
    enum reject reject = check_all(shape, from, &path, error);

    error->field[reject != REJECT_NONE ? path.len : 0] = '\0';
    return reject;
}
