/* SPDX-License-Identifier: MIT */
/* Query strings by their rows, and the kinds that only replies and settings use. */
#include "rigs/wire/shape_rig.h"

struct query {
    struct name         symbol;
    uint32_t            limit;
    uint64_t            account_id;
    struct optional_u64 start_ms;
    int64_t             end_ms;
    struct address      user;
    bool                all;
    uint8_t             side;
};
static const struct field query_fields[] = {
    FIELD(struct query, symbol, "symbol", OPTIONAL, ""),
    FIELD_FLAGS(struct query, limit, "limit", OPTIONAL, FLAG_PARAM_DEPTH, ""),
    FIELD(struct query, account_id, "accountID", OPTIONAL, ""),
    FIELD(struct query, start_ms, "startTime", OPTIONAL, ""),
    FIELD(struct query, end_ms, "endTime", OPTIONAL, ""),
    FIELD(struct query, user, "user", OPTIONAL, ""),
    FIELD(struct query, all, "all", OPTIONAL, ""),
    FIELD_ENUM(struct query, side, "side", OPTIONAL, FLAG_ENUM_NAME, side_names, ""),
};
static SHAPE(query_shape, struct query, "Query", query_fields, NULL, "");

/* clang-format off */
static const struct { const char *text; enum reject reject; const char *field; } queries[] = {
    { "", REJECT_NONE, "" },
    { "&", REJECT_NONE, "" },
    { "symbol=vBTC_vUSDC&limit=10", REJECT_NONE, "" },
    { "symbol=v%42TC_vUSDC", REJECT_NONE, "" },
    { "symbol=", REJECT_NONE, "" },
    { "limit=1", REJECT_NONE, "" },
    { "limit=4294967295", REJECT_NONE, "" },
    { "limit=0", REJECT_BAD_LIMIT, "limit" },
    { "limit=", REJECT_BAD_LIMIT, "limit" },
    { "limit", REJECT_BAD_LIMIT, "limit" },
    { "limit=-1", REJECT_BAD_LIMIT, "limit" },
    { "limit=4294967296", REJECT_BAD_LIMIT, "limit" },
    { "limit=ten", REJECT_BAD_LIMIT, "limit" },
    { "limit=1.0", REJECT_BAD_LIMIT, "limit" },
    { "limit=+1", REJECT_BAD_LIMIT, "limit" },
    { "limit=01", REJECT_BAD_LIMIT, "limit" },
    { "depth=5", REJECT_NONE, "" },
    { "depth=0", REJECT_BAD_LIMIT, "depth" },
    { "depth=5&limit=7", REJECT_NONE, "" },
    { "depth=5&depth=7", REJECT_REPEATED_PARAMETER, "depth" },
    { "limit=5&limit=5", REJECT_REPEATED_PARAMETER, "limit" },
    { "symbol=a&symbol=b", REJECT_REPEATED_PARAMETER, "symbol" },
    { "symbol=a&s%79mbol=b", REJECT_REPEATED_PARAMETER, "symbol" },
    { "nobody=1&nobody=2&=3&%zz=4", REJECT_NONE, "" },
    { "accountID=0", REJECT_NONE, "" },
    { "accountID=18446744073709551615", REJECT_NONE, "" },
    { "accountID=18446744073709551616", REJECT_BAD_PARAMETER, "accountID" },
    { "accountID=x", REJECT_BAD_PARAMETER, "accountID" },
    { "accountID=", REJECT_BAD_PARAMETER, "accountID" },
    { "accountID=1%", REJECT_BAD_PARAMETER, "accountID" },
    { "startTime=0", REJECT_NONE, "" },
    { "startTime=-1", REJECT_BAD_PARAMETER, "startTime" },
    { "endTime=-5", REJECT_NONE, "" },
    { "symbol=%00", REJECT_SYMBOL_NOT_FOUND, "symbol" },
    { "symbol=%22", REJECT_SYMBOL_NOT_FOUND, "symbol" },
    { "symbol=%zz", REJECT_BAD_PARAMETER, "symbol" },
    { "symbol=1234567890123456789012345678901", REJECT_NONE, "" },
    { "symbol=12345678901234567890123456789012", REJECT_SYMBOL_NOT_FOUND, "symbol" },
    { "user=0x14791697260E4c9A71f18484C9f997B308e59325", REJECT_NONE, "" },
    { "user=14791697260E4c9A71f18484C9f997B308e59325", REJECT_BAD_ADDRESS, "user" },
    { "all=true", REJECT_NONE, "" },
    { "all=1", REJECT_BAD_PARAMETER, "all" },
    { "side=SELL", REJECT_NONE, "" },
    { "side=2", REJECT_BAD_PARAMETER, "side" },
};
/* clang-format on */

static void every_query_gets_its_answer(void **state)
{
    struct query query;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(queries); i++) {
        enum reject reject = shape_read_query(&query_shape, slice_of(queries[i].text), &query, &error);
        if (reject != queries[i].reject) fail_msg("%s: %s", queries[i].text, name_of(reject));
        if (strcmp(error.field, queries[i].field) != 0) fail_msg("%s: %s", queries[i].text, error.field);
    }
}

static void a_query_is_read_into_its_struct(void **state)
{
    struct query query;

    (void)state;
    assert_int_equal(shape_read_query(&query_shape, SLICE("depth=5&symbol=a%20b+c&startTime=0&all=true&side=SELL&x=y"),
                                      &query, &error),
                     REJECT_NONE);
    assert_true(slice_is(name_slice(&query.symbol), "a b c"));
    assert_int_equal(query.limit, 5);
    assert_int_equal(query.start_ms.given, 1);
    assert_int_equal(query.end_ms, 0);
    assert_int_equal(query.side, SIDE_SELL);
    assert_true(query.all);
    assert_int_equal(shape_read_query(&query_shape, SLICE("depth=5&limit=7"), &query, &error), REJECT_NONE);
    assert_int_equal(query.limit, 7);
    assert_int_equal(query.start_ms.given, 0);
}

static void a_required_parameter_must_be_there(void **state)
{
    static const struct field rows[] = { FIELD(struct query, symbol, "symbol", REQUIRED, "") };
    static SHAPE(shape, struct query, "Q", rows, NULL, "");
    struct query query;

    (void)state;
    assert_int_equal(shape_read_query(&shape, SLICE("symbol=a"), &query, &error), REJECT_NONE);
    assert_int_equal(shape_read_query(&shape, SLICE("limit=5"), &query, &error), REJECT_BAD_PARAMETER);
    assert_string_equal(error.field, "symbol");
    assert_string_equal(error.got, "nothing");
}

/* --- kinds that only replies and settings use -------------------------------------------------- */

struct level {
    struct decimal price, size;
};
static const struct field level_fields[] = {
    FIELD(struct level, price, "price", REQUIRED, ""),
    FIELD_FLAGS(struct level, size, "size", REQUIRED, FLAG_ZERO, ""),
};
static const struct shape level_shape = {
    .name = "L", .doc = "", .fields = level_fields, .field_count = 2, .size = sizeof(struct level), .tuple = true
};
struct reply {
    struct level     first;
    struct list      levels;
    struct slice     note;
    struct decimal   change;
    struct hash256   hash;
    uint8_t          side;
    struct client_id maybe;
};
static const struct field reply_fields[] = {
    FIELD_OBJECT(struct reply, first, "first", REQUIRED, &level_shape, ""),
    FIELD_LIST(struct reply, levels, "levels", REQUIRED, &level_shape, ""),
    FIELD(struct reply, note, "note", OPTIONAL, ""),
    FIELD_FLAGS(struct reply, change, "change", REQUIRED, FLAG_NUMBER | FLAG_SIGNED, ""),
    FIELD(struct reply, hash, "hash", OPTIONAL, ""),
    FIELD_ENUM(struct reply, side, "side", REQUIRED, 0, side_names, ""),
    FIELD(struct reply, maybe, "maybe", NULLABLE, ""),
};
static SHAPE(reply_shape, struct reply, "R", reply_fields, NULL, "");

static void replies_have_names_tuples_numbers_and_nulls(void **state)
{
    const struct level levels[] = { { { 15, 1, 0 }, { 2, 0, 0 } }, { { 16, 1, 0 }, { 0, 0, 0 } } };
    struct reply       reply = { .first = levels[0],
                                 .levels = { levels, 2, 0 },
                                 .note = SLICE("a\"b"),
                                 .change = { -125, 2, 0 },
                                 .side = SIDE_BUY };
    char               text[512];
    struct out         out = out_make(text, sizeof(text));

    (void)state;
    shape_write(&out, &reply_shape, &reply, false);
    assert_true(slice_is(out_slice(&out), "{\"first\":[\"1.5\",\"2\"],\"levels\":[[\"1.5\",\"2\"],[\"1.6\",\"0\"]],"
                                          "\"note\":\"a\\\"b\",\"change\":-1.25,\"side\":\"BUY\",\"maybe\":null}"));
    reply.levels.count = 0;
    reply.note.len = 0;
    reply.maybe = client_id_make(SLICE("x"));
    out.len = 0;
    shape_write(&out, &reply_shape, &reply, false);
    assert_true(
        slice_is(out_slice(&out),
                 "{\"first\":[\"1.5\",\"2\"],\"levels\":[],\"change\":-1.25,\"side\":\"BUY\",\"maybe\":\"x\"}"));
}

static void tuples_are_read_with_exactly_their_values(void **state)
{
    struct level level;

    (void)state;
    assert_int_equal(shape_read(&level_shape, SLICE(" [ \"1.5\" , \"0\" ] "), &level, &error), REJECT_NONE);
    assert_int_equal(level.price.digits, 15);
    assert_int_equal(shape_read(&level_shape, SLICE("[\"1.5\"]"), &level, &error), REJECT_BAD_JSON);
    assert_int_equal(shape_read(&level_shape, SLICE("[\"1.5\",\"2\",\"3\"]"), &level, &error), REJECT_BAD_JSON);
    assert_int_equal(shape_read(&level_shape, SLICE("[\"1.5\",2]"), &level, &error), REJECT_WRONG_TYPE);
    assert_string_equal(error.field, "size");
    assert_int_equal(shape_read(&level_shape, SLICE("{}"), &level, &error), REJECT_WRONG_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_query_gets_its_answer),
        cmocka_unit_test(a_query_is_read_into_its_struct),
        cmocka_unit_test(a_required_parameter_must_be_there),
        cmocka_unit_test(replies_have_names_tuples_numbers_and_nulls),
        cmocka_unit_test(tuples_are_read_with_exactly_their_values),
    };
    return cmocka_run_group_tests_name("shape, queries", tests, NULL, NULL);
}
