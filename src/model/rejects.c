/* SPDX-License-Identifier: MIT */
#include "model/rejects.h"

static const struct reject_row rows[] = { { "NONE", 0, 200, "", "", "" },
#define X(name, code, http, text, field, rule) { #name, code, http, text, field, rule },
                                          REJECTS(X)
#undef X
};
static_assert(ARRAY_COUNT(rows) == REJECT_COUNT, "a row for each reject");

const char *const item_field_text[] = { "",          "orderID",   "clOrdID", "origOrderID", "origClOrdID",
                                        "funds",     "amount",    "coinID",  "type",        "toAccountID",
                                        "publicKey", "expiresAt", "builder", "engine",      "stopPrice",
                                        "tier",      "mode",      "name",    "value" };
static_assert(ARRAY_COUNT(item_field_text) == ITEM_FIELD_COUNT, "a text for each field");

const char *const nonce_reason_text[] = { "", "malformed", "used", "too small", "too old", "too far ahead" };

const struct reject_row *reject_row(enum reject reject)
{
    assert(reject > REJECT_NONE && reject < REJECT_COUNT);
    return &rows[reject];
}

enum end_reason reject_end_reason(enum reject reject)
{
    switch (reject) {
    case REJECT_SYMBOL_HALTED: return REASON_SYMBOL_HALTED;
    case REJECT_ORACLE_STALE: return REASON_ORACLE_STALE;
    case REJECT_IN_LIQUIDATION: return REASON_IN_LIQUIDATION;
    case REJECT_LEVERAGE_TIER: return REASON_LEVERAGE_TIER;
    case REJECT_OPEN_INTEREST_CAP: return REASON_OPEN_INTEREST_CAP;
    case REJECT_SYMBOL_REDUCE_ONLY: return REASON_REDUCE_ONLY;
    case REJECT_SYMBOL_SETTLING: return REASON_SETTLEMENT;
    default: return REASON_INSUFFICIENT_MARGIN;
    }
}
