/* SPDX-License-Identifier: MIT */
/*
 * endpoints.c — the interface, one row per endpoint. The router, the writer of the API page and the
 * tests read these rows (endpoint_rows.h); a read has one small function, a write has none: its shape makes
 * the command and the command's results make the reply.
 */
#include "api/rest/openapi.h"
#include "api/rest/page.h"
#include "api/rest/statistics.h"
#include "api/rest/terminal_page.h"
#include "api/node/rpc.h"

/* BASE is SPOT, PERPS, BOTH, GATEWAY or NONE: which bases serve the row. Reads are the last under overload. */
#define READ(BASE, PATH, WEIGHT_KIND, WEIGHT, DEFAULT, MAX, TAKES, GIVES, LIST, ANSWER, DOC)                           \
    {                                                                                                                  \
        .method = HTTP_GET, .bases = BASES_##BASE, .weight_kind = WEIGHT_KIND, .weight = WEIGHT, .class = CLASS_READ,  \
        .gives_list = LIST, .limit_default = DEFAULT, .limit_max = MAX, .path = PATH, .takes = TAKES, .gives = &GIVES, \
        .answer = ANSWER, .name = "GET " PATH, .doc = DOC                                                              \
    }
/* The other facts about a signed write are in the row of its command (model/command_rows.h). */
#define WRITE(BASE, METHOD, PATH, COMMAND, GIVES, DOC)                                                                 \
    {                                                                                                                  \
        .method = HTTP_##METHOD, .bases = BASES_##BASE,                                                                \
        .weight_kind = BATCH_OF_##COMMAND ? WEIGHT_BATCH : WEIGHT_FIXED, .weight = WEIGHT_OF_##COMMAND,                \
        .class = CLASS_OF_##COMMAND, .sender = SENDER_OF_##COMMAND, .command = CMD_##COMMAND,                          \
        .gives_list = BATCH_OF_##COMMAND, .path = PATH, .gives = GIVES, .name = #METHOD " " PATH, .doc = DOC           \
    }
/* Without an envelope. */
#define PLAIN(METHOD, PATH, WEIGHT_KIND, WEIGHT, TYPE, ANSWER, DOC)                                                    \
    {                                                                                                                  \
        .method = HTTP_##METHOD, .bases = BASES_NONE, .weight_kind = WEIGHT_KIND, .weight = WEIGHT,                    \
        .class = CLASS_READ, .path = PATH, .answer = ANSWER, .name = #METHOD " " PATH, .doc = DOC,                     \
        .content_type = TYPE                                                                                           \
    }
#define PAGE(PATH, TYPE, ANSWER, DOC) PLAIN(GET, PATH, WEIGHT_FIXED, WEIGHT_UNLISTED, TYPE, ANSWER, DOC)

#define PERPS_KLINES_MAX 1000 /* service 4.4 */

/* The rows of the commands, as constants. */
enum {
#define X(number, NAME, name, payload, form, item, sides, right, sender, whose, class, weight, gives, apply, shape)    \
    WEIGHT_OF_##NAME = weight, CLASS_OF_##NAME = CLASS_##class, SENDER_OF_##NAME = SENDER_##sender,                    \
    BATCH_OF_##NAME = FORM_##form == FORM_BATCH,
    COMMANDS(X)
#undef X
};

const struct endpoint endpoints[] = {
#include "api/endpoint_rows.h"
};
const uint32_t endpoint_count = ARRAY_COUNT(endpoints);

/* Each row is made by one of the macros above, all of which set a
   class: a row written in another way does not compile here. */
#undef READ
#undef WRITE
#undef PLAIN
#define READ(...)                                      CLASS_READ
#define WRITE(BASE, METHOD, PATH, COMMAND, GIVES, DOC) CLASS_OF_##COMMAND
#define PLAIN(...)                                     CLASS_READ
static_assert(sizeof((const uint8_t[]){
#include "api/endpoint_rows.h"
              }) == ARRAY_COUNT(endpoints),
              "each endpoint has a class under overload");

/* clang-format off */
const struct redirect_target redirect_targets[] = {
    { BASE_SPOT, "/trade/orders",
      "path not found: single orders are not offered, send a batch of one to /api/v1/spot/trade/orders/batch" },
    { BASE_SPOT, "/trade/twaps",
      "path not found: TWAP orders are not offered, place orders with POST /api/v1/spot/trade/orders/batch" },
    { BASE_PERPS, "/trade/orders/batch",
      "path not found: orders of the perps base are placed and canceled at /api/v1/perps/trade/orders" },
    { BASE_PERPS, "/trade/twaps",
      "path not found: TWAP orders are not offered, place orders with POST /api/v1/perps/trade/orders" },
    { BASE_PERPS, "/trade/collateral", "path not found: collateral other than vUSDC is not offered" },
    { BASE_GATEWAY, "/user/{userAddress}/builders",
      "path not found: builder fees are not offered, leave `builder` out of requests" },
    { BASE_GATEWAY, "/user/{userAddress}/deposit-address",
      "path not found: deposits from other chains are not offered, the operator funds accounts" },
    { BASE_GATEWAY, "/user/{userAddress}/deposit-withdrawals",
      "path not found: custody is not offered, "
      "balances are read with GET /api/v1/spot/accounts/{userAddress}/balances" },
    { BASE_GATEWAY, "/user/{userAddress}/evm-withdraw",
      "path not found: custody withdrawals are not offered, the operator redeems" },
    { BASE_GATEWAY, "/user/{userAddress}/api-key-eligibility",
      "path not found: every address with an account is eligible" },
    { BASE_GATEWAY, "/user/deposit/status",
      "path not found: deposits from other chains are not offered, the operator funds accounts" },
    { BASE_GATEWAY, "/user/withdraw/status",
      "path not found: custody withdrawals are not offered, the operator redeems" },
    { BASE_GATEWAY, "/user/funding-history",
      "path not found: what positions paid is read with GET /api/v1/perps/accounts/{userAddress}/fundings" },
    { BASE_PERPS, "/accounts/{userAddress}/funding-history",
      "path not found: what positions paid is read with GET /api/v1/perps/accounts/{userAddress}/fundings" },
    { BASE_GATEWAY, "/announcements", "path not found: there are no announcements, see GET /version" },
    { BASE_GATEWAY, "/asset/config",
      "path not found: custody is not offered, coins are listed by GET /api/v1/spot/markets/coins" },
};
/* clang-format on */
const uint32_t redirect_target_count = ARRAY_COUNT(redirect_targets);
