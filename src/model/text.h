/* SPDX-License-Identifier: MIT */
/* text.h — the short texts of the exchange: names with a fixed home inside their record. */
#ifndef MODEL_TEXT_H
#define MODEL_TEXT_H

#include "base/slice.h"

/*
 * A client order id: 0 to 36 characters of [0-9a-zA-Z_-] (spot place rule 2). The bytes behind
 * `len` are zero, so that two equal ids are equal under memcmp. len 0 means "not given".
 */
struct client_id {
    uint8_t len;
    char    at[39];
};
static_assert(sizeof(struct client_id) == 40, "reaches disk");

/* The name of a coin, symbol or key: 0 to 31 characters. The bytes behind `len` are zero. */
struct name {
    uint8_t len;
    char    at[31];
};
static_assert(sizeof(struct name) == 32, "reaches disk");

struct address {
    uint8_t bytes[20];
};

#define CLIENT_ID_MAX 36
#define NAME_MAX_LEN  31

static inline struct slice client_id_slice(const struct client_id *id) { return (struct slice){ id->at, id->len }; }
static inline struct slice name_slice(const struct name *name) { return (struct slice){ name->at, name->len }; }

static inline bool client_id_equal(const struct client_id *a, const struct client_id *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static inline bool address_equal(const struct address *a, const struct address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* Copies a text of at most CLIENT_ID_MAX / NAME_MAX_LEN bytes; the caller has checked the length. */
struct client_id client_id_make(struct slice text);
struct name      name_make(struct slice text);

/* 1 to 36 characters of [0-9a-zA-Z_-] (spot place rule 2, wire 2.4). */
bool text_is_client_id(struct slice text);

#endif
