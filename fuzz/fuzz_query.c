/* SPDX-License-Identifier: MIT */
/*
 * Query strings: an unknown parameter changes nothing, the same text is read the same twice; and any target of a GET,
 * through the whole api, is answered with a status of HTTP and with JSON. The first byte chooses which.
 */
#include "rigs/api/test_rig.h"
#include "fuzz/fuzz.h"
#include "model/shapes_perps.h"
#include "model/shapes_reply.h"
#include "model/shapes_statistics.h"

#define QUERY_BYTES 1024

/* clang-format off */
static const struct shape *const shapes[] = {
    &symbol_query_shape, &coin_query_shape, &book_query_shape, &trades_query_shape, &account_query_shape,
    &account_symbol_query_shape, &account_name_query_shape, &user_keys_query_shape, &open_orders_query_shape,
        &market_symbol_query_shape,
    &orders_history_query_shape, &account_trades_query_shape, &positions_history_query_shape, &fundings_query_shape,
    &kline_query_shape, &perps_kline_query_shape,
};
/* clang-format on */

/* The same values; texts point into the memory that they were read from. */
static bool is_same(const struct shape *shape, char *a, char *b)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        struct slice *x = (void *)(a + shape->fields[i].offset), *y = (void *)(b + shape->fields[i].offset);

        if (shape->fields[i].kind != KIND_TEXT) continue;
        if (!slice_equal(*x, *y)) return false;
        *x = *y;
    }
    return memcmp(a, b, shape->size) == 0;
}

static void check_shape(const struct shape *shape, struct slice text)
{
    static _Alignas(8) char first[QUERY_BYTES], second[QUERY_BYTES];
    struct shape_error      error;
    struct slice            exact = exact_copy(text.at, text.len), more;
    char                   *longer = malloc(text.len + 16);
    struct out              out = out_make(longer, text.len + 16);
    enum reject             reject;

    assert(shape->size <= QUERY_BYTES);
    reject = shape_read_query(shape, exact, first, &error);
    if (reject != REJECT_NONE) assert(error.reject == reject);
    out_slice_put(&out, text);
    out_literal(&out, "&zzzz=1");
    more = exact_copy(longer, out.len);
    assert(shape_read_query(shape, more, second, &error) == reject);
    if (reject == REJECT_NONE) assert(is_same(shape, first, second));
    free(longer);
    free_copy(more);
    free_copy(exact);
}

static void check_target(struct slice text)
{
    struct slice        exact = exact_copy(text.at, text.len);
    const char         *mark = memchr(exact.at, '?', exact.len);
    size_t              path = mark != NULL ? (size_t)(mark - exact.at) : exact.len;
    struct http_request request = { .method = HTTP_GET,
                                    .minor_version = 1,
                                    .keep_alive = true,
                                    .method_text = SLICE("GET"),
                                    .path = slice_make(exact.at, path) };

    if (mark != NULL) request.query = slice_make(mark + 1, exact.len - path - 1);
    memset(&rig_answer, 0, sizeof(rig_answer));
    if (exact.len != 0 && rig_handle(&request) == API_ANSWER)
        assert(rig_answer.status >= 200 && rig_answer.status <= 599);
    free_copy(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (rig_api == NULL) (void)rig_begin(NULL);
    if (size < 1) return 0;
    if (data[0] < 128) check_shape(shapes[data[0] % ARRAY_COUNT(shapes)], slice_make(data + 1, size - 1));
    else check_target(slice_make(data + 1, size - 1));
    return 0;
}
