/* SPDX-License-Identifier: MIT */
/* secret.h — a private key: 32 bytes, and the address that it signs for. */
#ifndef APP_CLIENT_SECRET_H
#define APP_CLIENT_SECRET_H

#include "base/base.h"

#define ADDRESS_TEXT 43  /* "0x", 40 hex digits and a zero */
#define SIGNER_WHY   400 /* one sentence about what is wrong with a key */

/* The address of a secret, as text. False: it is no private key. */
bool signer_address(const uint8_t secret[32], char text[ADDRESS_TEXT]);

/* Is this text a private key, with or without 0x? */
bool signer_is_key(const char *text);

#endif
