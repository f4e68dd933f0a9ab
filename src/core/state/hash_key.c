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

/* Word by word out of the record itself: copied as a whole first, the words would have to wait for the copy. */
static inline uint64_t client_id_word(const struct client_id *client_id, size_t i)
{
    uint64_t word;

    memcpy(&word, (const uint8_t *)client_id + i * sizeof(word), sizeof(word));
    return word;
}

uint32_t client_id_key(const struct engine *e, uint32_t account, const struct client_id *client_id)
{
    uint64_t  first = client_id_word(client_id, 0), second = client_id_word(client_id, 1), low, high;
    uint128_t product;

    static_assert(sizeof(*client_id) == 5 * sizeof(uint64_t), "hashed as words");
    product = (uint128_t)(first ^ e->hash_seed[0] ^ account) * (second ^ e->hash_seed[1]);
    low = (uint64_t)product, high = (uint64_t)(product >> 64);
    product = (uint128_t)(client_id_word(client_id, 2) ^ low ^ UINT64_C(0xA0761D6478BD642F))
            * (client_id_word(client_id, 3) ^ high ^ UINT64_C(0xE7037ED1A0B428DB));
    low = (uint64_t)product ^ client_id_word(client_id, 4) ^ first, high = (uint64_t)(product >> 64) ^ second ^ account;
    product = (uint128_t)(low ^ UINT64_C(0x8EBC6AF09C88C6E3)) * (high ^ UINT64_C(0x589965CC75374CC3));
    return (uint32_t)((uint64_t)product ^ (uint64_t)(product >> 64));
}
