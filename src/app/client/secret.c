/* SPDX-License-Identifier: MIT */
#include "app/client/secret.h"

#include "base/hex.h"
#include "base/out.h"
#include "crypto/crypto.h"
#include "io/secret_file.h"

bool signer_address(const uint8_t secret[32], char text[ADDRESS_TEXT])
{
    struct address address;
    struct out     out = out_make(text, ADDRESS_TEXT - 1);

    if (!address_of_secret(secret, &address)) return false;
    out_literal(&out, "0x");
    out_hex(&out, address.bytes, sizeof(address.bytes));
    text[out.len] = '\0';
    return true;
}

bool signer_is_key(const char *text)
{
    uint8_t secret[32];
    bool    is_key = (text[0] == '0' && text[1] == 'X') ? hex_read(slice_of(text + 2), secret, sizeof(secret))
                                                        : hex_read_0x(slice_of(text), secret, sizeof(secret));

    secret_forget(secret, sizeof(secret));
    return is_key;
}
