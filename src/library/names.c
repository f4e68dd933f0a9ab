/* SPDX-License-Identifier: MIT */
/* names.c — libdojima: names of numbers, decimals and client ids. */
#include "library/library.h"

const char *dojima_status_name(uint32_t status)
{
    static const char *const names[] = { "OK",        "WRONG_ABI",  "BAD_MEMORY",  "BAD_GENESIS", "BAD_COMMAND",
                                         "WRONG_SEQ", "WRONG_TIME", "EVENTS_FULL", "NEEDS_MOVE",  "WRONG_ENGINE" };

    static_assert(ARRAY_COUNT(names) == DOJIMA_WRONG_ENGINE + 1, "a name for each status");
    return status < ARRAY_COUNT(names) ? names[status] : "?";
}

static const char *known(const char *name) { return name == NULL ? "?" : name; }
static bool        is_reject(uint16_t reject) { return reject > REJECT_NONE && reject < REJECT_COUNT; }

const char *dojima_reject_name(uint16_t reject)
{
    if (reject == REJECT_NONE) return "NONE";
    return is_reject(reject) ? reject_row(reject)->name : "?";
}

int32_t dojima_reject_code(uint16_t reject) { return is_reject(reject) ? reject_row(reject)->code : 0; }

const char *dojima_reject_text(uint16_t reject) { return is_reject(reject) ? reject_row(reject)->text : ""; }

const char *dojima_reason_name(uint8_t reason)
{
    return reason == REASON_NONE ? "NONE" : known(enum_name_of(end_reason_names, reason));
}

const char *dojima_order_status_name(uint8_t order_status)
{
    return known(enum_name_of(order_status_names, order_status));
}

const char *dojima_event_name(uint16_t kind)
{
    static const char *const names[] = {
#define X(number, NAME, type) [number] = #NAME,
        EVENTS(X)
#undef X
    };

    return kind < ARRAY_COUNT(names) ? known(names[kind]) : "?";
}

const char *dojima_command_name(uint16_t kind) { return known(command_name(kind)); }

/* ---- values ---- */

struct dojima_decimal dojima_decimal_make(int64_t units, uint32_t decimals)
{
    struct decimal made = decimal_make(units, (int)min_u32(decimals, DECIMAL_DIGITS_MAX));

    return (struct dojima_decimal){ made.digits, made.scale, 0 };
}

int dojima_decimal_read(const char *text, size_t length, struct dojima_decimal *decimal)
{
    struct decimal read = { 0 };

    if (text == NULL || decimal_read(slice_make(text, length), &read) != DECIMAL_OK) return 0;
    *decimal = (struct dojima_decimal){ read.digits, read.scale, 0 };
    return 1;
}

size_t dojima_decimal_write(struct dojima_decimal decimal, char *text, size_t room)
{
    struct out out = out_make(text, room == 0 ? 0 : room - 1);

    if (text == NULL || room == 0 || decimal.scale > DECIMAL_DIGITS_MAX) return 0;
    decimal_write(&out, (struct decimal){ decimal.digits, decimal.scale, 0 });
    if (out.overflow) out.len = 0;
    text[out.len] = '\0';
    return out.len;
}

struct dojima_client_id dojima_client_id_make(const char *text)
{
    struct dojima_client_id id = { 0 };
    size_t                  len = text == NULL ? 0 : strlen(text);

    if (len > CLIENT_ID_MAX) return id;
    id.len = (uint8_t)len;
    memcpy(id.at, text == NULL ? "" : text, len);
    return id;
}
