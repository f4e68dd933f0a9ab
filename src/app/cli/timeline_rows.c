/* SPDX-License-Identifier: MIT */
/* timeline_rows.c — the kinds of steps and expectations of a scenario, and their keys. */
#include "app/cli/timeline_rows.h"

#define KEY_SYMBOL(NEEDED)                                                                                             \
    {                                                                                                                  \
        "symbol", KEY_TEXT, NEEDED, "Name of a symbol."                                                                \
    }
#define KEY_ACCOUNT                                                                                                    \
    {                                                                                                                  \
        "account", KEY_COUNT, true, "A development account, 1001 to 1010."                                             \
    }

const struct timeline_row timeline_steps[] = {
    { "index",
      "The index price of a perps symbol moves, from its price at that time, in a straight line with one post a "
      "second.",
      DO_INDEX,
      { KEY_SYMBOL(true),
        { "to", KEY_TEXT, true, "A price, or a change as \"-12%\"." },
        { "over", KEY_TIME, false, "How long it takes; at once when not given." } } },
    { "market",
      "Changes the traders of the market: dojima_setTraders with these members.",
      DO_MARKET,
      { { "set", KEY_OBJECT, true, "Members of dojima_setTraders." } } },
    { "order",
      "An order of a development account, signed with its key.",
      DO_ORDER,
      { KEY_ACCOUNT,
        KEY_SYMBOL(true),
        { "side", KEY_TEXT, true, "buy or sell." },
        { "quantity", KEY_TEXT, true, "A decimal." },
        { "price", KEY_TEXT, false, "A decimal; a market order when not given." },
        { "reduceOnly", KEY_FLAG, false, "Of perps: only closes." },
        { "refused", KEY_COUNT, false, "The order must be refused with this code; else it must be accepted." } } },
    { "leverage",
      "Leverage and margin mode of a development account in a perps symbol.",
      DO_LEVERAGE,
      { KEY_ACCOUNT,
        KEY_SYMBOL(true),
        { "leverage", KEY_COUNT, true, "1 to the symbol's maxLeverage." },
        { "mode", KEY_TEXT, false, "cross (when not given) or isolated." } } },
    { "halt",
      "Halts a symbol, or lets it trade again: dojima_halt.",
      DO_HALT,
      { KEY_SYMBOL(true), { "halted", KEY_FLAG, false, "true when not given." } } },
    { "chaos",
      "A rule for faults: dojima_chaosAdd with these members.",
      DO_CHAOS,
      { { "rule", KEY_OBJECT, true, "Members of dojima_chaosAdd." } } },
    { "call",
      "Any method of /rpc.",
      DO_CALL,
      { { "method", KEY_TEXT, true, "Its name." }, { "params", KEY_LIST, false, "Its parameters." } } },
    { "restart",
      "The exchange is killed (SIGKILL) and started again with the same data; only for an exchange that the scenario "
      "started itself.",
      DO_RESTART,
      { { NULL, 0, false, NULL } } },
    { "storm",
      "Clients connect to a stream and subscribe, lose their connections at once, and all come back at the same time.",
      DO_STORM,
      { { "clients", KEY_COUNT, true, "How many, 1 to 200." },
        KEY_SYMBOL(true),
        { "times", KEY_COUNT, false, "How often they lose the connection; once when not given." } } },
};
const uint32_t timeline_step_count = ARRAY_COUNT(timeline_steps);

const struct timeline_row timeline_expectations[] = {
    { "read",
      "A read of the interface; {1001} in its path stands for the address of a development account.",
      EXPECT_READ,
      { { "read", KEY_TEXT, true, "Path with query." },
        { "at", KEY_TEXT, false, "Member of `data`, as \"positions.0.size\"; all of it when not given." },
        { "is", KEY_TEXT, false, "Equal to this text." },
        { "above", KEY_TEXT, false, "A decimal more than this." },
        { "below", KEY_TEXT, false, "A decimal less than this." },
        { "items", KEY_COUNT, false, "A list of at least so many items." },
        { "absent", KEY_FLAG, false, "There is no such member." } } },
    { "call",
      "The result of a method of /rpc.",
      EXPECT_CALL,
      { { "call", KEY_TEXT, true, "Its name." },
        { "params", KEY_LIST, false, "Its parameters." },
        { "at", KEY_TEXT, false, "Member of the result." },
        { "is", KEY_TEXT, false, "Equal to this text." },
        { "above", KEY_TEXT, false, "A decimal more than this." },
        { "below", KEY_TEXT, false, "A decimal less than this." },
        { "items", KEY_COUNT, false, "A list of at least so many items." },
        { "absent", KEY_FLAG, false, "There is no such member." } } },
    { "liquidated",
      "A development account was liquidated since the beginning.",
      EXPECT_LIQUIDATED,
      { { "liquidated", KEY_COUNT, true, "The account." } } },
    { "deleveraged",
      "A development account lost a position to auto-deleveraging since the beginning.",
      EXPECT_DELEVERAGED,
      { { "deleveraged", KEY_COUNT, true, "The account." } } },
};
const uint32_t timeline_expectation_count = ARRAY_COUNT(timeline_expectations);
