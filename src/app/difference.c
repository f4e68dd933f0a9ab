/* SPDX-License-Identifier: MIT */
/* difference.c — where two genesis differ, found by walking the rows of shapes_genesis.c. */
#include "model/shape.h"
#include "app/config.h"

#include <stdio.h>
#include <stdlib.h>

struct path {
    char  *at;
    size_t len, cap;
};

static size_t path_add(struct path *path, const char *text, uint32_t index, bool indexed)
{
    size_t before = path->len, room = path->cap - path->len;
    int    len = indexed ? snprintf(path->at + before, room, "[%u]", index)
                         : snprintf(path->at + before, room, "%s%s", before != 0 ? "." : "", text);

    if (len > 0) path->len = min_size(before + (size_t)len, path->cap - 1);
    return before;
}

static void path_back(struct path *path, size_t before)
{
    path->len = before;
    path->at[before] = '\0';
}

static size_t leaf_bytes(const struct field *field)
{
    switch ((enum field_kind)field->kind) {
    case KIND_BOOL:
    case KIND_ENUM: return 1;
    case KIND_U32: return 4;
    case KIND_U64:
    case KIND_I64: return 8;
    case KIND_NAME: return sizeof(struct name);
    case KIND_ADDRESS: return sizeof(struct address);
    default: break;
    }
    abort(); /* the genesis uses no other kind */
}

static bool differs(const struct shape *shape, const char *a, const char *b, struct path *path);

static bool items_differ(const struct field *field, const char *a, const char *b, struct path *path)
{
    uint32_t count_a, count_b;

    memcpy(&count_a, a + field->count_offset, sizeof(count_a));
    memcpy(&count_b, b + field->count_offset, sizeof(count_b));
    for (uint32_t i = 0; i < count_a && i < count_b; i++) {
        size_t before = path_add(path, NULL, i, true), at = field->offset + (size_t)i * field->item->size;
        if (differs(field->item, a + at, b + at, path)) return true;
        path_back(path, before);
    }
    if (count_a == count_b) return false;
    (void)path_add(path, NULL, min_u32(count_a, count_b), true);
    return true;
}

/* What a log began with, whatever is configured. */
static bool is_of_its_log(const struct field *field)
{
    return field->offset == offsetof(struct genesis, time_ms)
        || (field->offset >= offsetof(struct genesis, table_secret)
            && field->offset < offsetof(struct genesis, table_secret) + sizeof(((struct genesis *)0)->table_secret));
}

static bool differs(const struct shape *shape, const char *a, const char *b, struct path *path)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        size_t              before = path_add(path, field->key, 0, false);
        bool                different;

        if (field->kind == KIND_OBJECT) different = differs(field->item, a + field->offset, b + field->offset, path);
        else if (field->kind == KIND_ITEMS) different = items_differ(field, a, b, path);
        else different = memcmp(a + field->offset, b + field->offset, leaf_bytes(field)) != 0;
        if (different && !(shape == &genesis_shape && is_of_its_log(field))) return true;
        path_back(path, before);
    }
    return false;
}

bool genesis_difference(const struct genesis *a, const struct genesis *b, char *text, size_t cap)
{
    struct path path = { text, 0, cap };

    assert(cap > 0);
    text[0] = '\0';
    return differs(&genesis_shape, (const char *)a, (const char *)b, &path);
}
