/* SPDX-License-Identifier: MIT */
#include "model/rejects.h"

static const struct reject_row rows[] = {
    { "NONE", 0, 200, "", "", "" },
#define X(name, code, http, text, field, rule) { #name, code, http, text, field, rule },
    REJECTS(X)
#undef X
};
static_assert(ARRAY_COUNT(rows) == REJECT_COUNT, "a row for each reject");

const char *const item_field_text[] = { "", "orderID", "clOrdID", "origOrderID", "origClOrdID", "funds",
                                        "amount", "coinID", "type", "toAccountID", "publicKey", "expiresAt", "builder", "engine", "stopPrice" };
static_assert(ARRAY_COUNT(item_field_text) == ITEM_FIELD_COUNT, "a text for each field");

const char *const nonce_reason_text[] = { "", "malformed", "used", "too small", "too old", "too far ahead" };

const struct reject_row *reject_row(enum reject reject)
{
    assert(reject > REJECT_NONE && reject < REJECT_COUNT);
    return &rows[reject];
}
