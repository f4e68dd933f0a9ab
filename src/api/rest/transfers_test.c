/* SPDX-License-Identifier: MIT */
/* transfers_test.c — transfers between the parts of the exchange: the ways there are, published signatures, refusals.
 */
#include "rigs/api/signed_rig.h"

static const char *sign_transfer(const uint8_t secret[32], uint8_t domain, const char *params)
{
    return sign_as(0, secret, domain, 286623, "transferAsset", params, NOW);
}

static void transfers_go_their_ways_and_no_others(void **state)
{
#define TRANSFER(to, type)                                                                                             \
    "{\"id\":7,\"fromAccountID\":1001,\"toAccountID\":" to ",\"coinID\":0,\"amount\":\"12.5\",\"type\":" type "}"
    /* clang-format off */
    static const struct { const char *base, *body; uint8_t domain; int code; const char *field; } rows[] = {
        { "spot",  TRANSFER("999", "2"),  DOMAIN_SPOT,    0, NULL },
        { "spot",  TRANSFER("999", "3"),  DOMAIN_SPOT,    0, NULL },
        { "perps", TRANSFER("999", "5"),  DOMAIN_FUTURES, 0, NULL },
        { "spot",  TRANSFER("999", "5"),  DOMAIN_SPOT,    40005, "type" },
        { "perps", TRANSFER("999", "2"),  DOMAIN_FUTURES, 40005, "type" },
        { "perps", TRANSFER("999", "3"),  DOMAIN_FUTURES, 40005, "type" },
        { "spot",  TRANSFER("999", "0"),  DOMAIN_SPOT,    40005, "type" },
        { "spot",  TRANSFER("999", "1"),  DOMAIN_SPOT,    40005, "type" },
        { "spot",  TRANSFER("1002", "4"), DOMAIN_SPOT,    40005, "type" },
        { "spot",  TRANSFER("999", "6"),  DOMAIN_SPOT,    40005, "type" },
        { "spot",  TRANSFER("1002", "7"), DOMAIN_SPOT,    40005, "type" },
        { "spot",  TRANSFER("999", "8"),  DOMAIN_SPOT,    40001, "type" },
        { "spot",  TRANSFER("1002", "3"), DOMAIN_SPOT,    40005, "toAccountID" },
        { "spot",  TRANSFER("0", "3"),    DOMAIN_SPOT,    40005, "toAccountID" },
        { "spot",  TRANSFER("999", "3"),  DOMAIN_FUTURES, 40101, "X-API-Sign" },
        { "perps", TRANSFER("999", "5"),  DOMAIN_SPOT,    40101, "X-API-Sign" },
        { "spot",  TRANSFER("999", "3"),  DOMAIN_UNIVERSAL, 40101, "X-API-Sign" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char                path[64], part[64];
        struct http_request request;
        snprintf(path, sizeof(path), "/api/v1/%s/accounts/transfers", rows[i].base);
        request = write_of(HTTP_POST, path, rows[i].body, sign_transfer(rig_secret[0], rows[i].domain, rows[i].body));
        if (rows[i].code != 0) {
            expect_refused(&request, rows[i].code);
            snprintf(part, sizeof(part), "\"field\":\"%s\"", rows[i].field);
            rig_expect(part);
            continue;
        }
        expect_command(&request);
        assert_int_equal(rig_write.room.head.kind, CMD_TRANSFER);
        assert_int_equal(rig_write.room.head.market, rows[i].domain == DOMAIN_SPOT ? MARKET_SPOT : MARKET_PERPS);
        assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + sizeof(struct transfer_asset));
        assert_int_equal(rig_write.room.transfer_asset.id, 7);
        assert_int_equal(rig_write.room.transfer_asset.account_id, 1001);
        assert_int_equal(rig_write.room.transfer_asset.amount.digits, 125);
        assert_int_not_equal(rig_write.class, CLASS_CANCEL);
    }
}

/* V7 and V19. */
static void the_published_transfers_are_accepted(void **state)
{
    /* clang-format off */
    static const struct { const char *path, *nonce, *body, *sign; } rows[] = {
        { "/api/v1/spot/accounts/transfers", "1760000000008",
          "{\"id\":1760000000000,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"100\","
              "\"type\":3}",
          "0x019062590f55b2b0aa773da84a652e5a793b7d877d74bbc010261ee78a8365e32e3bf990d8f6bbfe9aadcb74d639f1be1d5f7e0dd"
              "fb1e122c05c16b430b44fe86401" },
        { "/api/v1/perps/accounts/transfers", "1760000000020",
          "{\"id\":1760000000001,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"12.5\","
              "\"type\":5}",
          "0x01ab571c4ab1e4d3d569bb4fcb5551aa2c913bc01ec963a4cb86167e52e260e9152c72cd1257e155791c5fddd6334164a08a69fa9"
              "f64f8da391c1841eb4b32ca1a00" },
    };
    /* clang-format on */

    (void)state;
    rig_publish_owner();
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = write_of(HTTP_POST, rows[i].path, rows[i].body, rows[i].sign);
        rig_put_header(&request, HEADER_API_NONCE, rows[i].nonce);
        expect_command(&request);
    }
}

static void bad_bodies_of_transfers_name_the_field(void **state)
{
    static const struct {
        const char *body, *field;
    } rows[] = {
        { "{\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"1\",\"type\":3}", "id" },
        { "{\"id\":-1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"1\",\"type\":3}", "id" },
        { "{\"id\":1,\"fromAccountID\":1001,\"coinID\":0,\"amount\":\"1\",\"type\":3}", "toAccountID" },
        { "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"amount\":\"1\",\"type\":3}", "coinID" },
        { "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"type\":3}", "amount" },
        { "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"0\",\"type\":3}", "amount" },
        { "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"-1\",\"type\":3}", "amount" },
        { "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":1,\"type\":3}", "amount" },
        { "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"1e3\",\"type\":3}",
          "amount" },
        { "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"1\"}", "type" },
        { "{\"id\":1,\"accountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"1\",\"type\":3}", "accountID" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = write_of(HTTP_POST, "/api/v1/spot/accounts/transfers", rows[i].body,
                                               sign_transfer(rig_secret[0], DOMAIN_SPOT, rows[i].body));
        char                part[64];
        expect_refused(&request, 40001);
        snprintf(part, sizeof(part), "\"field\":\"%s\"", rows[i].field);
        rig_expect(part);
    }
}

static void a_transfer_of_nobodys_account_names_the_field_of_transfers(void **state)
{
    const char *body = "{\"id\":1,\"fromAccountID\":4242,\"toAccountID\":999,\"coinID\":0,\"amount\":\"1\",\"type\":3}";
    struct http_request request =
        write_of(HTTP_POST, "/api/v1/spot/accounts/transfers", body, sign_transfer(rig_secret[0], DOMAIN_SPOT, body));

    (void)state;
    expect_refused(&request, 40403);
    rig_expect("\"field\":\"fromAccountID\",\"got\":\"4242\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(transfers_go_their_ways_and_no_others),
        TEST(the_published_transfers_are_accepted),
        TEST(bad_bodies_of_transfers_name_the_field),
        TEST(a_transfer_of_nobodys_account_names_the_field_of_transfers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
