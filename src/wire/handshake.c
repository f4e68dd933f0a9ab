/* SPDX-License-Identifier: MIT */
/* handshake.c — the answer to a Sec-WebSocket-Key: SHA-1 (FIPS 180-4) of it and a constant, in base64 (RFC 6455, 4.2.2). */
#include "wire/frame.h"

#define KEY_CHARS 24
#define GUID      "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void sha1_block(uint32_t state[5], const uint8_t block[64])
{
    uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];

    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t mix = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        uint32_t constant = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
        uint32_t next = rotate(a, 5) + mix + e + constant + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

/* Of a text of fixed length: two blocks. */
static void sha1_accept(struct slice key, uint8_t digest[20])
{
    uint32_t state[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    uint8_t  text[128] = { 0 };
    size_t   len = KEY_CHARS + sizeof(GUID) - 1;

    static_assert(KEY_CHARS + sizeof(GUID) - 1 > 55 && KEY_CHARS + sizeof(GUID) - 1 + 9 <= sizeof(text), "two blocks");
    memcpy(text, key.at, KEY_CHARS);
    memcpy(text + KEY_CHARS, GUID, sizeof(GUID) - 1);
    text[len] = 0x80;
    text[126] = (uint8_t)(len * 8 >> 8);
    text[127] = (uint8_t)(len * 8);
    sha1_block(state, text);
    sha1_block(state, text + 64);
    for (int i = 0; i < 20; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* 16 bytes are 22 characters, of which the last holds 2 bits, and two that fill up. */
bool frame_key_is_valid(struct slice key)
{
    if (key.len != KEY_CHARS || key.at[22] != '=' || key.at[23] != '=') return false;
    for (size_t i = 0; i < 22; i++)
        if (key.at[i] == '\0' || strchr(alphabet, key.at[i]) == NULL) return false;
    return ((strchr(alphabet, key.at[21]) - alphabet) & 15) == 0;
}

void frame_accept(struct out *out, struct slice key)
{
    uint8_t digest[21] = { 0 };

    assert(key.len == KEY_CHARS);
    sha1_accept(key, digest);
    for (int i = 0; i < 21; i += 3) {
        uint32_t three = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | digest[i + 2];
        for (int k = 0; k < 4; k++) out_char(out, i == 18 && k == 3 ? '=' : alphabet[three >> (18 - 6 * k) & 63]);
    }
}
