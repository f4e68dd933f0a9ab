/* SPDX-License-Identifier: MIT */
/*
 * actions.c — the signed writes and their bodies, from wire 2 and service 4: paths, keys in their order, and the
 * values of each key.
 */
#include "refused.h"

#include "model/commands.h"

const char *const base_text[] = { "", "/api/v1", "/api/v1/spot", "", "/api/v1/perps" };

#define COUNT(rows) (uint8_t)(sizeof(rows) / sizeof((rows)[0]))
#define PLAIN(key, takes, is)                                                                                          \
    {                                                                                                                  \
        key, takes, is, 0, 0, 0, NULL                                                                                  \
    }
#define NUMBER(key, is) PLAIN(key, TAKES_U64, is)
#define CLIENT(key, is) PLAIN(key, TAKES_CLIENT_ID, is)
#define AMOUNT(key)     PLAIN(key, TAKES_DECIMAL, 0)
#define ACCOUNT         NUMBER("accountID", ZERO | ALWAYS)
#define SYMBOL          NUMBER("symbolID", MUST | ZERO)
#define CHOICE(key, is, a, b)                                                                                          \
    {                                                                                                                  \
        key, TAKES_CHOICE, is, a, b, 0, NULL                                                                           \
    }
#define LIST(key, rows, most)                                                                                          \
    {                                                                                                                  \
        key, TAKES_LIST, MUST, 0, most, COUNT(rows), rows                                                              \
    }

/* wire 2.2 */
/* clang-format off */
static const struct line spot_order[] = {
    SYMBOL, CLIENT("clOrdID", MUST), CHOICE("side", MUST, 1, 2), CHOICE("type", MUST, 1, 2),
    CHOICE("timeInForce", MUST, 1, 4),
    AMOUNT("price"), AMOUNT("quantity"), AMOUNT("funds"),
};
/* clang-format on */
static const struct line place[] = { ACCOUNT, LIST("orders", spot_order, 100), PLAIN("builder", TAKES_ANYTHING, 0) };
static const struct line spot_cancel[] = { SYMBOL, CLIENT("clOrdID", MUST | EMPTY), NUMBER("orderID", 0),
                                           CLIENT("origClOrdID", 0) };
static const struct line cancel[] = { ACCOUNT, LIST("cancels", spot_cancel, 100) };

/* wire 2.3 */
/* clang-format off */
static const struct line perps_order[] = {
    CLIENT("clOrdID", MUST), CHOICE("modifier", MUST, 1, 4), CHOICE("side", MUST, 1, 2), CHOICE("type", MUST, 1, 2),
    CHOICE("timeInForce", MUST, 1, 4), AMOUNT("price"), AMOUNT("quantity"), AMOUNT("funds"), AMOUNT("stopPrice"),
        CHOICE("stopType", 0, 1, 2),
    CHOICE("triggerType", 0, 1, 3), PLAIN("reduceOnly", TAKES_FLAG, MUST), CHOICE("positionSide", MUST, 1, 3),
};
/* clang-format on */
static const struct line place_perps[] = { ACCOUNT, SYMBOL, LIST("orders", perps_order, 100),
                                           PLAIN("builder", TAKES_ANYTHING, 0) };
static const struct line perps_cancel[] = { SYMBOL, NUMBER("orderID", 0), CLIENT("clOrdID", 0) };
static const struct line cancel_perps[] = { ACCOUNT, LIST("cancels", perps_cancel, 100) };
/* clang-format off */
static const struct line modify[] = {
    ACCOUNT, SYMBOL, NUMBER("orderID", 0), CLIENT("clOrdID", 0), AMOUNT("price"), AMOUNT("quantity"),
    AMOUNT("stopPrice"),
};
/* clang-format on */
static const struct line leverage[] = { ACCOUNT, SYMBOL, PLAIN("leverage", TAKES_U32, MUST | ZERO),
                                        CHOICE("marginMode", MUST, 1, 2) };
static const struct line margin[] = { ACCOUNT, SYMBOL, PLAIN("amount", TAKES_SIGNED, MUST) };

/* wire 2.4; schedule-cancel names its account (ruling 62) */
static const struct line replaced[] = {
    SYMBOL,          CLIENT("clOrdID", MUST), NUMBER("origOrderID", 0), CLIENT("origClOrdID", 0),
    AMOUNT("price"), AMOUNT("quantity"),
};
static const struct line replace[] = { ACCOUNT, LIST("orders", replaced, 100) };
static const struct line schedule[] = { NUMBER("accountID", MUST), NUMBER("scheduledTimestamp", ZERO) };
static const struct line transfer[] = {
    NUMBER("id", MUST | ZERO),     NUMBER("fromAccountID", ZERO | ALWAYS), NUMBER("toAccountID", MUST | ZERO),
    NUMBER("coinID", MUST | ZERO), PLAIN("amount", TAKES_DECIMAL, MUST),   CHOICE("type", MUST, 0, 7),
};
static const struct line builder[] = { NUMBER("id", MUST), NUMBER("fee", MUST | ZERO) };
/* clang-format off */
static const struct line add_key[] = {
    ACCOUNT, PLAIN("name", TAKES_KEY_NAME, MUST), CHOICE("type", MUST, 1, 1), PLAIN("publicKey", TAKES_ADDRESS, MUST),
    NUMBER("expiresAt", MUST | ZERO), { "builder", TAKES_OBJECT, 0, 0, 0, COUNT(builder), builder },
        NUMBER("permissions", ZERO),
};
/* clang-format on */
static const struct line revoke_key[] = { ACCOUNT, PLAIN("name", TAKES_KEY_NAME, MUST) };

/* ruling 45 */
static const struct line said[] = { SYMBOL, PLAIN("price", TAKES_DECIMAL, MUST), AMOUNT("perpMid") };
static const struct line oracle[] = { NUMBER("seq", MUST), PLAIN("timestamp", TAKES_TIME, MUST | ZERO),
                                      LIST("prices", said, 64) };

/* wire 2.1, and the other uses of the path */
#define ACTION(what, method, path, type, allow, bases, proof, reduces, rows)                                           \
    {                                                                                                                  \
        what, method, path, type, allow, bases, proof, COUNT(rows), reduces, CMD_##what, rows                          \
    }
#define CMD_PLACE    CMD_PLACE_ORDERS
#define CMD_CANCEL   CMD_CANCEL_ORDERS
#define CMD_REPLACE  CMD_REPLACE_ORDERS
#define CMD_MODIFY   CMD_MODIFY_ORDER
#define CMD_SCHEDULE CMD_SCHEDULE_CANCEL
#define CMD_LEVERAGE CMD_UPDATE_LEVERAGE
#define CMD_MARGIN   CMD_UPDATE_MARGIN
#define CMD_ORACLE   CMD_ORACLE_POST
#define BOTH         "POST, DELETE, OPTIONS"
#define THREE        "POST, DELETE, GET, HEAD, OPTIONS"
/* clang-format off */
const struct action actions[] = {
    ACTION(PLACE, "POST", "/trade/orders/batch", "batchNewOrder", BOTH, ON_SPOT, BY_ACTION, false, place),
    ACTION(CANCEL, "DELETE", "/trade/orders/batch", "batchCancelOrder", BOTH, ON_SPOT, BY_ACTION, true, cancel),
    ACTION(PLACE_PERPS, "POST", "/trade/orders", "newOrder", BOTH, ON_PERPS, BY_ACTION, false, place_perps),
    ACTION(CANCEL_PERPS, "DELETE", "/trade/orders", "cancelOrder", BOTH, ON_PERPS, BY_ACTION, true, cancel_perps),
    ACTION(REPLACE, "POST", "/trade/orders/replace", "replaceOrder", "POST, OPTIONS", ON_SPOT | ON_PERPS, BY_ACTION,
        false, replace),
    ACTION(MODIFY, "POST", "/trade/orders/modify", "modifyOrder", "POST, OPTIONS", ON_PERPS, BY_ACTION, false, modify),
    ACTION(SCHEDULE, "POST", "/trade/orders/schedule-cancel", "scheduleCancel", "POST, OPTIONS", ON_SPOT | ON_PERPS,
        BY_ACTION, true,
           schedule),
    ACTION(LEVERAGE, "POST", "/trade/leverage", "updateLeverage", "POST, OPTIONS", ON_PERPS, BY_ACTION, false,
        leverage),
    ACTION(MARGIN, "POST", "/trade/margin", "updateMargin", "POST, OPTIONS", ON_PERPS, BY_ACTION, false, margin),
    ACTION(TRANSFER, "POST", "/accounts/transfers", "transferAsset", "POST, OPTIONS", ON_SPOT | ON_PERPS, BY_ACTION,
        false, transfer),
    ACTION(ADD_KEY, "POST", "/accounts/api-keys", "addAPIKey", BOTH, ON_SPOT | ON_PERPS, BY_GRANT, false, add_key),
    ACTION(REVOKE_KEY, "DELETE", "/accounts/api-keys", "revokeAPIKey", BOTH, ON_SPOT | ON_PERPS, BY_REVOCATION, true,
        revoke_key),
    ACTION(ORACLE, "POST", "/oracle", "oraclePrices", "POST, OPTIONS", ON_GATEWAY, BY_FEEDER, true, oracle),
    ACTION(ADD_KEY, "POST", "/user/{}/api-keys", "addAPIKey", THREE, ON_GATEWAY, BY_GRANT, false, add_key),
    ACTION(REVOKE_KEY, "DELETE", "/user/{}/api-keys", "revokeAPIKey", THREE, ON_GATEWAY, BY_REVOCATION, true,
        revoke_key),
};
/* clang-format on */
const uint32_t action_count = ARRAY_COUNT(actions);
