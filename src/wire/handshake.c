/* SPDX-License-Identifier: MIT */
/* handshake.c — the answer to a Sec-WebSocket-Key: SHA-1 of it and a constant, in base64 (RFC 6455, 4.2.2). */
#include "wire/frame.h"

#include <nettle/base64.h>
#include <nettle/sha1.h>

#define KEY_CHARS    24
#define KEY_BYTES    16
#define ACCEPT_CHARS BASE64_ENCODE_RAW_LENGTH(SHA1_DIGEST_SIZE)

/* nettle skips white space, of which 24 characters that are 16 bytes leave no room for any. */
bool frame_key_is_valid(struct slice key)
{
    struct base64_decode_ctx base64;
    uint8_t                  bytes[BASE64_DECODE_LENGTH(KEY_CHARS)];
    size_t                   len = sizeof(bytes);

    if (key.len != KEY_CHARS) return false;
    base64_decode_init(&base64);
    if (base64_decode_update(&base64, &len, bytes, key.len, key.at) == 0) return false;
    return base64_decode_final(&base64) != 0 && len == KEY_BYTES;
}

void frame_accept(struct out *out, struct slice key)
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    struct sha1_ctx   sha1;
    uint8_t           digest[SHA1_DIGEST_SIZE];
    char              text[ACCEPT_CHARS];

    assert(key.len == KEY_CHARS);
    sha1_init(&sha1);
    sha1_update(&sha1, key.len, (const uint8_t *)key.at);
    sha1_update(&sha1, sizeof(guid) - 1, (const uint8_t *)guid);
    sha1_digest(&sha1, sizeof(digest), digest);
    base64_encode_raw(text, sizeof(digest), digest);
    out_slice_put(out, slice_make(text, sizeof(text)));
}
