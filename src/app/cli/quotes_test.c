/* SPDX-License-Identifier: MIT */
#include "app/cli/quotes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct quotes  quotes;
static struct listing listing;
static char           error[128];

static int list(void **state)
{
    (void)state;
    listing = (struct listing){ .count = 3 };
    listing.symbols[0] = (struct listed){ name_make(SLICE("BTC-USD")), 1, 1 };
    listing.symbols[1] = (struct listed){ name_make(SLICE("ETH-USD")), 2, 2 };
    listing.symbols[2] = (struct listed){ name_make(SLICE("DOT")), 7, 0 };
    return 0;
}

static bool reads(const char *text) { return quotes_read(slice_of(text), &listing, &quotes, error, sizeof(error)); }

static void bad(const char *text, const char *expected)
{
    if (reads(text)) fail_msg("accepted: %s", text);
    assert_string_equal(error, expected);
}

static void check(uint32_t i, uint32_t symbol_id, int64_t price, int64_t mid)
{
    assert_int_equal(quotes.prices[i].symbol_id, symbol_id);
    assert_int_equal(quotes.prices[i].price, price);
    assert_int_equal(quotes.prices[i].perp_mid, mid);
}

static void lines(void **state)
{
    (void)state;
    assert_true(reads("# prices\nBTC-USD 100000.5\r\n\n  ETH-USD=4000.25,4000.1\nDOGE 1\nDOT\t7"));
    assert_int_equal(quotes.count, 3);
    assert_int_equal(quotes.strangers, 1);
    check(0, 1, 1000005, 0);
    check(1, 2, 400025, 400010);
    check(2, 7, 7, 0);
}

static void json_with_numbers_strings_and_objects(void **state)
{
    (void)state;
    assert_true(reads(" {\"BTC-USD\": 100000.5, \"ETH-USD\" :{\"perpMid\":\"4000.1\",\"time\":[1,{}],\"price\":4000}, "
                      "\"DOT\":\"7\" }\n"));
    assert_int_equal(quotes.count, 3);
    check(0, 1, 1000005, 0);
    check(1, 2, 400000, 400010);
    check(2, 7, 7, 0);
}

static void digits_behind_the_precision_are_cut_off(void **state)
{
    (void)state;
    assert_true(reads("BTC-USD 100000.59\nETH-USD 4000.999999999999999999999999\nDOT 7.9"));
    check(0, 1, 1000005, 0);
    check(1, 2, 400099, 0);
    check(2, 7, 7, 0);
}

static void the_last_word_on_a_symbol_counts(void **state)
{
    (void)state;
    assert_true(reads("BTC-USD 1\nBTC-USD 2"));
    assert_int_equal(quotes.count, 1);
    check(0, 1, 20, 0);
}

static void the_largest_price(void **state)
{
    (void)state;
    assert_true(reads("DOT 1000000000000000"));
    check(0, 7, INT64_C(1000000000000000), 0);
    bad("DOT 1000000000000001", "DOT: \"1000000000000001\" is not a price");
    assert_true(reads("BTC-USD 100000000000000"));
    bad("BTC-USD 100000000000000.1", "BTC-USD: \"100000000000000.1\" is not a price");
    bad("BTC-USD 99999999999999999999999999999999999999",
        "BTC-USD: \"99999999999999999999999999999999999999\" is not a price");
}

static void what_is_no_price_is_named(void **state)
{
    (void)state;
    bad("BTC-USD 0", "BTC-USD: \"0\" is not a price");
    bad("BTC-USD 0.01", "BTC-USD: \"0.01\" is not a price");
    bad("BTC-USD -1", "BTC-USD: \"-1\" is not a price");
    bad("BTC-USD 1e5", "BTC-USD: \"1e5\" is not a price");
    bad("BTC-USD 1.2.3", "BTC-USD: \"1.2.3\" is not a price");
    bad("BTC-USD .", "BTC-USD: \".\" is not a price");
    bad("BTC-USD 1 x", "BTC-USD: \"x\" is not a price");
    bad("{\"BTC-USD\":\"\"}", "BTC-USD: \"\" is not a price");
    bad("{\"BTC-USD\":-1}", "BTC-USD: \"-1\" is not a price");
    bad("{\"BTC-USD\":1e5}", "BTC-USD: \"1e5\" is not a price");
    bad("{\"BTC-USD\":null}", "BTC-USD: neither a price nor {\"price\":…,\"perpMid\":…}");
    bad("{\"BTC-USD\":{\"mid\":1}}", "BTC-USD: neither a price nor {\"price\":…,\"perpMid\":…}");
}

static void what_is_no_list_of_prices_is_said(void **state)
{
    (void)state;
    bad("", "it is empty");
    bad("# closed\n", "it is empty");
    bad("DOGE 1", "none of its symbols is listed");
    bad("BTC-USD", "a line is SYMBOL PRICE [PERPMID], not \"BTC-USD …\"");
    bad("BTC-USD 1 2 3", "a line is SYMBOL PRICE [PERPMID], not \"BTC-USD …\"");
    bad("{", "not a JSON object of symbols");
    bad("{}", "not a JSON object of symbols");
    bad("{\"BTC-USD\":1", "not a JSON object of symbols");
    bad("{\"BTC-USD\":1} 2", "not a JSON object of symbols");
    bad("{\"BTC-USD\":1,}", "not a JSON object of symbols");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(json_with_numbers_strings_and_objects),
        cmocka_unit_test(digits_behind_the_precision_are_cut_off),
        cmocka_unit_test(the_last_word_on_a_symbol_counts),
        cmocka_unit_test(the_largest_price),
        cmocka_unit_test(what_is_no_price_is_named),
        cmocka_unit_test(what_is_no_list_of_prices_is_said),
    };
    return cmocka_run_group_tests_name("app/cli/quotes", tests, list, NULL);
}
