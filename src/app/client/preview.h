/* SPDX-License-Identifier: MIT */
/* preview.h — a write as it is signed and sent, and its text for --dry-run. */
#ifndef APP_CLIENT_PREVIEW_H
#define APP_CLIENT_PREVIEW_H

#include "app/client/client.h"
#include "base/keccak.h"

struct client_write {
    uint8_t     market;        /* enum market_kind: its path and its domain */
    const char *method, *path; /* "POST", "/trade/orders" */
    const char *type;          /* of what is signed: "newOrder" */
    json_t     *body;          /* keys in the order of the interface */
};

struct signed_write {
    const char    *method, *domain; /* "futures" */
    const char    *type;
    char           url[512], lines[512]; /* header lines, each with its CR LF */
    char          *body;                 /* owned */
    uint64_t       nonce, chain_id;
    struct hash256 payload, digest;
};

/* Signs with client->signer for client->venue.chain_id. False: the reason was printed. */
bool preview_sign(const struct client *client, const struct client_write *write, uint64_t nonce,
                  struct signed_write *request) MUST_USE;
void preview_forget(struct signed_write *request);

/* Prints what would be sent: request line, headers, body, typed data as wallets take it (eth_signTypedData_v4), and
 * its digest; with --json as one object. */
int preview_print(const struct client *client, const struct signed_write *request);

#endif
