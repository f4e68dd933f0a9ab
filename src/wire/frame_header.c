/* SPDX-License-Identifier: MIT */
#include "wire/frame_header.h"

#define FIRST_CONTROL 8
#define WIDE_MAX      (UINT64_MAX >> 1) /* the highest bit of a length of 64 bits is 0 */

/* Bytes of the length behind its first seven bits. */
static uint32_t wide_bytes(uint8_t seven_bits) { return seven_bits == 126 ? 2 : seven_bits == 127 ? 8 : 0; }

static uint64_t read_wide(const uint8_t *at, uint32_t bytes)
{
    uint64_t length = 0;

    for (uint32_t i = 0; i < bytes; i++) length = length << 8 | at[i];
    return length;
}

static bool length_is_minimal(const struct frame_header *header, uint32_t wide)
{
    return wide == 0 || (header->payload > (wide == 2 ? 125 : UINT16_MAX) && header->payload <= WIDE_MAX);
}

enum frame_header_result frame_header_read(struct slice bytes, struct frame_header *header)
{
    const uint8_t *at = (const uint8_t *)bytes.at;
    uint8_t        seven_bits;
    uint32_t       wide;

    if (bytes.len < 2) return FRAME_HEADER_MORE;
    seven_bits = at[1] & 0x7f;
    wide = wide_bytes(seven_bits);
    *header = (struct frame_header){
        .opcode = at[0] & 0xf, .reserved = at[0] >> 4 & 7, .fin = at[0] >> 7, .masked = at[1] >> 7
    };
    if (header->opcode >= FIRST_CONTROL && (!header->fin || wide != 0)) return FRAME_HEADER_BROKEN;
    header->bytes = 2 + wide + (header->masked ? 4 : 0);
    if (bytes.len < 2 + wide) return FRAME_HEADER_MORE;
    header->payload = wide == 0 ? seven_bits : read_wide(at + 2, wide);
    if (!length_is_minimal(header, wide)) return FRAME_HEADER_BROKEN;
    if (bytes.len < header->bytes) return FRAME_HEADER_MORE;
    if (header->masked) memcpy(header->mask, at + 2 + wide, 4);
    return FRAME_HEADER_WHOLE;
}
