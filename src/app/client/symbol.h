/* SPDX-License-Identifier: MIT */
/* symbol.h — symbols of an exchange as a person writes them. */
#ifndef APP_CLIENT_SYMBOL_H
#define APP_CLIENT_SYMBOL_H

#include "app/client/client.h"
#include "model/enums.h"

struct client_symbol {
    uint8_t     market; /* enum market_kind */
    const char *base;   /* "spot" or "perps" */
    uint64_t    id;
    char        name[64];
};

/*
 * Finds a symbol by its name, else by its name or displayName without regard to case, BTC-USDC being BTC/USDC. When
 * spot and perps both have it, the exact name decides, then it is refused as ambiguous. An exit code, after the
 * message, which lists what there is.
 */
int symbol_find(struct client *client, const char *text, struct client_symbol *symbol);

/* Whether a name may stand in a path as it is. */
bool symbol_is_name(const char *text);

#endif
