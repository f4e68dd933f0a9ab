/* SPDX-License-Identifier: MIT */
#include "core/state/hash_key.h"

uint32_t address_key(const struct engine *e, const struct address *address)
{
    uint64_t word[3] = { 0 };

    memcpy(word, address->bytes, sizeof(address->bytes));
    word[0] = (word[0] ^ e->hash_seed[0]) * UINT64_C(0x9E3779B97F4A7C15);
    word[1] = (word[1] ^ e->hash_seed[1]) * UINT64_C(0xC2B2AE3D27D4EB4F);
    return table_key_u64(word[0] ^ (word[0] >> 32) ^ word[1] ^ (word[1] >> 29) ^ word[2]);
}
