/* SPDX-License-Identifier: MIT */
/* address_test.c — addresses and their ranges, and the clients that proxies may name. */
#include "limits/address.h"

#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct ip ip(const char *text)
{
    struct ip ip;

    if (!ip_read(slice_of(text), &ip)) fail_msg("%s is no address", text);
    return ip;
}

static bool same_key(const char *a, const char *b)
{
    struct ip         first = ip(a), second = ip(b);
    struct minute_key x = ip_key(&first), y = ip_key(&second);

    return x.high == y.high && x.low == y.low;
}

/* ---- addresses ---- */

static void ipv6_counts_by_its_64_and_ipv4_by_its_address(void **state)
{
    (void)state;
    assert_true(same_key("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"));
    assert_false(same_key("2001:db8:1:2::1", "2001:db8:1:3::1"));
    assert_false(same_key("2001:db8:1:2::1", "2001:db8:2:2::1"));
    assert_false(same_key("192.0.2.1", "192.0.2.2"));
    assert_true(same_key("192.0.2.1", "::ffff:192.0.2.1"));
    assert_true(same_key("192.0.2.1", "::ffff:c000:201"));
    assert_false(same_key("192.0.2.1", "::192.0.2.1"));
    assert_false(same_key("192.0.2.1", "0:ffff:c000:201::1")); /* a prefix with the same bytes is another key */
}

static void what_is_no_address_is_refused(void **state)
{
    /* clang-format off */
    static const char *const texts[] = {
        "", " 192.0.2.1", "192.0.2.1 ", "192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.1.1", "1:2", ":::",
            "fe80::1%eth0", "[::1]",
        "::1/128", "localhost", "0x7f.1", "12345678901234567890123456789012345678901234567890", "2001:db8::g",
    };
    /* clang-format on */
    struct ip into;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        if (ip_read(slice_of(texts[i]), &into)) fail_msg("%s was read", texts[i]);
    assert_false(ip_read(slice_make("192.0.2.1\0", 10), &into));
}

static bool in(const char *address, const char *range_text)
{
    struct ip_range range;
    struct ip       one = ip(address);

    if (!ip_range_read(slice_of(range_text), &range)) fail_msg("%s is no range", range_text);
    return ip_in_range(&one, &range);
}

static void a_range_holds_what_its_bits_say(void **state)
{
    (void)state;
    assert_true(in("10.255.0.1", "10.0.0.0/8"));
    assert_false(in("11.0.0.0", "10.0.0.0/8"));
    assert_true(in("192.168.3.255", "192.168.2.0/23"));
    assert_false(in("192.168.4.0", "192.168.2.0/23"));
    assert_true(in("192.0.2.7", "192.0.2.7"));
    assert_false(in("192.0.2.8", "192.0.2.7"));
    assert_true(in("203.0.113.9", "0.0.0.0/0"));
    assert_false(in("2001:db8::1", "0.0.0.0/0")); /* all of IPv4 is not all */
    assert_true(in("2001:db8::1", "::/0"));
    assert_true(in("203.0.113.9", "::/0"));
    assert_true(in("fd12::1", "fc00::/7"));
    assert_false(in("fe80::1", "fc00::/7"));
    assert_true(in("192.0.2.1", "::ffff:192.0.2.0/120"));
    assert_true(in("::1", "::1/128"));
}

static void what_is_no_range_is_refused(void **state)
{
    static const char *const texts[] = { "",           "/8",          "10.0.0.0/",    "10.0.0.0/33",
                                         "10.0.0.1/8", "10.0.0.0/-1", "10.0.0.0/8 ",  "10.0.0.0/0008",
                                         "::/129",     "::1/127",     "10.0.0.0/8/8", "ten" };
    struct ip_range          range;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        if (ip_range_read(slice_of(texts[i]), &range)) fail_msg("%s was read", texts[i]);
}

/* ---- proxies ---- */

static struct proxies trusted(uint8_t header)
{
    struct proxies proxies = { .count = 3, .header = header };

    assert_true(ip_range_read(SLICE("10.0.0.0/8"), &proxies.ranges[0]));
    assert_true(ip_range_read(SLICE("127.0.0.1"), &proxies.ranges[1]));
    assert_true(ip_range_read(SLICE("fd00::/8"), &proxies.ranges[2]));
    return proxies;
}

/* The client that `peer` and up to two lines lead to must be `wanted`. */
static void leads(uint8_t header, const char *peer, const char *first, const char *second, const char *wanted)
{
    struct proxies proxies = trusted(header);
    struct slice   lines[2] = { slice_of(first != NULL ? first : ""), slice_of(second != NULL ? second : "") };
    struct ip      from = ip(peer), expected = ip(wanted), got;

    got = proxies_client(&proxies, &from, lines, (uint32_t)(first != NULL) + (uint32_t)(second != NULL));
    if (memcmp(&got, &expected, sizeof(got)) != 0)
        fail_msg("%s, \"%s\", \"%s\" does not lead to %s", peer, first, second, wanted);
}

static void a_stranger_speaks_only_for_himself(void **state)
{
    (void)state;
    leads(FORWARDED_X_FOR, "192.0.2.1", "203.0.113.9", NULL, "192.0.2.1");
    leads(FORWARDED_X_FOR, "192.0.2.1", "203.0.113.9, 10.0.0.1", NULL, "192.0.2.1");
    leads(FORWARDED_RFC7239, "192.0.2.1", "for=203.0.113.9", NULL, "192.0.2.1");
    leads(FORWARDED_X_FOR, "11.0.0.1", "10.0.0.1", NULL, "11.0.0.1");
}

static void the_first_address_from_the_right_that_is_no_proxy_is_the_client(void **state)
{
    (void)state;
    leads(FORWARDED_X_FOR, "10.0.0.1", "203.0.113.9", NULL, "203.0.113.9");
    leads(FORWARDED_X_FOR, "10.0.0.1", "198.51.100.1, 203.0.113.9", NULL,
          "203.0.113.9"); /* the left one is what a client claims */
    leads(FORWARDED_X_FOR, "10.0.0.1", "198.51.100.1,203.0.113.9 ,\t10.2.3.4, 127.0.0.1", NULL, "203.0.113.9");
    leads(FORWARDED_X_FOR, "10.0.0.1", "nonsense, 203.0.113.9", NULL,
          "203.0.113.9"); /* the addresses left of it are not read */
    leads(FORWARDED_X_FOR, "10.0.0.1", "10.0.0.3, 10.0.0.2", NULL, "10.0.0.3"); /* all are ours */
    leads(FORWARDED_X_FOR, "fd00::1", "2001:db8::7", NULL, "2001:db8::7");
    leads(FORWARDED_X_FOR, "127.0.0.1", "::ffff:203.0.113.9", NULL, "203.0.113.9");
    leads(FORWARDED_X_FOR, "::ffff:127.0.0.1", "203.0.113.9", NULL, "203.0.113.9");
    leads(FORWARDED_X_FOR, "127.0.0.1", "203.0.113.9:4711", NULL, "203.0.113.9");
    leads(FORWARDED_X_FOR, "127.0.0.1", "[2001:db8::7]:4711", NULL, "2001:db8::7");
    leads(FORWARDED_X_FOR, "127.0.0.1", "[2001:db8::7]", NULL, "2001:db8::7");
}

static void lines_are_one_list_whose_last_line_is_nearest(void **state)
{
    (void)state;
    leads(FORWARDED_X_FOR, "10.0.0.1", "198.51.100.1", "203.0.113.9", "203.0.113.9");
    leads(FORWARDED_X_FOR, "10.0.0.1", "198.51.100.1, 203.0.113.9", "10.0.0.2", "203.0.113.9");
    leads(FORWARDED_X_FOR, "10.0.0.1", "nonsense", "203.0.113.9", "203.0.113.9");
    leads(FORWARDED_X_FOR, "10.0.0.1", "nonsense", "10.0.0.2", "10.0.0.1");
}

static void what_a_proxy_garbles_counts_for_the_proxy(void **state)
{
    static const char *const texts[] = { "",
                                         ",",
                                         "203.0.113.9,",
                                         "unknown",
                                         "203.0.113.9 198.51.100.1",
                                         "203.0.113.256",
                                         "203.0.113.9:",
                                         "203.0.113.9:x",
                                         "[203.0.113.9]",
                                         "[2001:db8::7",
                                         "[2001:db8::7]x",
                                         "2001:db8::7]:1",
                                         "203.0.113.9:123456",
                                         "for=203.0.113.9" };
    char                     many[400];
    struct out               out = out_make(many, sizeof(many) - 1);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) leads(FORWARDED_X_FOR, "10.0.0.1", texts[i], NULL, "10.0.0.1");
    leads(FORWARDED_X_FOR, "10.0.0.1", NULL, NULL, "10.0.0.1");
    out_text(&out, "203.0.113.9");
    for (int i = 0; i < 31; i++) out_text(&out, ",10.0.0.2");
    many[out.len] = '\0';
    leads(FORWARDED_X_FOR, "10.0.0.1", many, NULL, "203.0.113.9");
    out_text(&out, ",10.0.0.2"); /* one more hop than the header has */
    many[out.len] = '\0';
    leads(FORWARDED_X_FOR, "10.0.0.1", many, NULL, "10.0.0.1");
}

static void the_forwarded_header_is_read_as_rfc_7239_says(void **state)
{
    static const char *const bad[] = { "203.0.113.9",
                                       "proto=https",
                                       "for=unknown",
                                       "for=_hidden",
                                       "for=\"203.0.113.9",
                                       "for=203.0.113.9;for=198.51.100.1",
                                       "for=",
                                       "for=\"\"",
                                       "forr=203.0.113.9",
                                       "for = 203.0.113.9" };

    (void)state;
    leads(FORWARDED_RFC7239, "10.0.0.1", "for=203.0.113.9", NULL, "203.0.113.9");
    leads(FORWARDED_RFC7239, "10.0.0.1", "For=203.0.113.9;proto=https;by=10.0.0.1", NULL, "203.0.113.9");
    leads(FORWARDED_RFC7239, "10.0.0.1", "proto=https ; for=203.0.113.9", NULL, "203.0.113.9");
    leads(FORWARDED_RFC7239, "10.0.0.1", "for=\"[2001:db8::7]:4711\"", NULL, "2001:db8::7");
    leads(FORWARDED_RFC7239, "10.0.0.1", "for=198.51.100.1, for=203.0.113.9;host=\"a,b;for=1.2.3.4\", for=10.0.0.9",
          NULL, "203.0.113.9");
    leads(FORWARDED_RFC7239, "10.0.0.1", "for=198.51.100.1", "for=10.0.0.9", "198.51.100.1");
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) leads(FORWARDED_RFC7239, "10.0.0.1", bad[i], NULL, "10.0.0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipv6_counts_by_its_64_and_ipv4_by_its_address),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(a_range_holds_what_its_bits_say),
        cmocka_unit_test(what_is_no_range_is_refused),
        cmocka_unit_test(a_stranger_speaks_only_for_himself),
        cmocka_unit_test(the_first_address_from_the_right_that_is_no_proxy_is_the_client),
        cmocka_unit_test(lines_are_one_list_whose_last_line_is_nearest),
        cmocka_unit_test(what_a_proxy_garbles_counts_for_the_proxy),
        cmocka_unit_test(the_forwarded_header_is_read_as_rfc_7239_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
