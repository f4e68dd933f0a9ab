/* SPDX-License-Identifier: MIT */
/* The bodies of the signing vectors (wire 3.8): shape_write writes the text that clients sign. */
#include "rigs/spec_json.h"
#include "wire/shape.h"

static const char *text_at(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text != NULL ? text : "";
}

/* clang-format off */
static const struct { const char *type, *domain; const struct shape *shape; } actions[] = {
    { "{\"type\":\"batchNewOrder\",",    "spot",    &place_orders_shape },
    { "{\"type\":\"batchCancelOrder\",", "spot",    &cancel_orders_shape },
    { "{\"type\":\"replaceOrder\",", "", &replace_orders_shape }, /* the same in both markets (wire 2.4) */
    { "{\"type\":\"scheduleCancel\",",   "",        &schedule_cancel_shape },
    { "{\"type\":\"transferAsset\",",    "",        &transfer_asset_shape },
    { "{\"type\":\"newOrder\",",         "futures", &place_perps_shape },
    { "{\"type\":\"cancelOrder\",",      "futures", &cancel_perps_shape },
    { "{\"type\":\"modifyOrder\",",      "futures", &modify_order_shape },
    { "{\"type\":\"updateLeverage\",",   "futures", &update_leverage_shape },
    { "{\"type\":\"updateMargin\",",     "futures", &update_margin_shape },
};
/* clang-format on */

/* A single order of the spot base has a type of the perps base and is not offered. */
static const struct shape *shape_of(const json_t *row)
{
    for (size_t i = 0; i < ARRAY_COUNT(actions); i++)
        if ((actions[i].domain[0] == '\0' || strcmp(actions[i].domain, text_at(row, "domain")) == 0)
            && strncmp(text_at(row, "json"), actions[i].type, strlen(actions[i].type)) == 0)
            return actions[i].shape;
    return NULL;
}

static void rewritten(const struct shape *shape, const char *body, char *text, size_t cap)
{
    static struct replace_orders room;
    struct shape_error           error;
    struct out                   out = out_make(text, cap - 1);

    if (shape_read(shape, slice_of(body), &room, &error) != REJECT_NONE)
        fail_msg("%s: %s %s", body, reject_row(error.reject)->name, error.field);
    shape_write(&out, shape, &room, true);
    assert_false(out.overflow);
    text[out.len] = '\0';
}

static void bodies_of_vectors_are_their_own_canonical_form(void **state)
{
    json_t *vectors = load_json("wire_vectors.json"), *row;
    size_t  index, checked = 0;

    (void)state;
    json_array_foreach(vectors, index, row) {
        const struct shape *shape = shape_of(row);
        char                text[2048];

        if (shape == NULL || strncmp(text_at(row, "label"), "V20 ", 4) == 0) continue;
        rewritten(shape, text_at(row, "body"), text, sizeof(text));
        assert_string_equal(text, text_at(row, "body"));
        checked += 1;
    }
    assert_int_equal(checked, 17);
    json_decref(vectors);
}

static void v20_is_rewritten_as_v20n_and_compacted_as_itself(void **state)
{
    json_t     *vectors = load_json("wire_vectors.json"), *row;
    const char *v20 = "", *v20n = "";
    size_t      index;
    char        text[2048], compact[2048];
    struct out  out = out_make(compact, sizeof(compact));

    (void)state;
    json_array_foreach(vectors, index, row) {
        if (strncmp(text_at(row, "label"), "V20 ", 4) == 0) v20 = text_at(row, "body");
        if (strncmp(text_at(row, "label"), "V20n ", 5) == 0) v20n = text_at(row, "body");
    }
    rewritten(&place_orders_shape, v20, text, sizeof(text));
    assert_string_equal(text, v20n);
    json_compact(slice_of(v20), &out);
    assert_true(slice_is(out_slice(&out), v20));
    json_decref(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_vectors_are_their_own_canonical_form),
        cmocka_unit_test(v20_is_rewritten_as_v20n_and_compacted_as_itself),
    };
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
