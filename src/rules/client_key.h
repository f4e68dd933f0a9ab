/* SPDX-License-Identifier: MIT */
/*
 * client_key.h — keys of the tables over client ids. The seed comes from the genesis, so the thread that decodes a
 * command and the engine find the same key, and from a secret in it, so that no client can choose ids that collide. A
 * development exchange has none, and logs from before decision 144.
 */
#ifndef RULES_CLIENT_KEY_H
#define RULES_CLIENT_KEY_H

#include "model/genesis.h"
#include "model/text.h"

/* The owner of an order, as its key has it: the account's number from OWNER_FIRST on, and on perps with OWNER_PERPS. */
#define OWNER_FIRST 4u
#define OWNER_PERPS (UINT32_C(1) << 31)

static inline uint32_t owner_of_account(uint64_t account_id)
{
    return (uint32_t)(account_id - ACCOUNT_FIRST + OWNER_FIRST);
}

/* Two words from the chain ids, the time and the table_secret of a genesis. */
void client_key_seed(const struct genesis *genesis, uint64_t seed[2]);

/* Word by word out of the record itself: copied as a whole first, the words would have to wait for the copy. */
static inline uint64_t client_id_word(const struct client_id *client_id, size_t i)
{
    uint64_t word;

    memcpy(&word, (const uint8_t *)client_id + i * sizeof(word), sizeof(word));
    return word;
}

/* 32 well mixed bits of (owner, client id). */
static inline uint32_t client_key(const uint64_t seed[2], uint32_t owner, const struct client_id *client_id)
{
    uint64_t  first = client_id_word(client_id, 0), second = client_id_word(client_id, 1), low, high;
    uint128_t product;

    static_assert(sizeof(*client_id) == 5 * sizeof(uint64_t), "hashed as words");
    product = (uint128_t)(first ^ seed[0] ^ owner) * (second ^ seed[1]);
    low = (uint64_t)product, high = (uint64_t)(product >> 64);
    product = (uint128_t)(client_id_word(client_id, 2) ^ low ^ UINT64_C(0xA0761D6478BD642F))
            * (client_id_word(client_id, 3) ^ high ^ UINT64_C(0xE7037ED1A0B428DB));
    low = (uint64_t)product ^ client_id_word(client_id, 4) ^ first, high = (uint64_t)(product >> 64) ^ second ^ owner;
    product = (uint128_t)(low ^ UINT64_C(0x8EBC6AF09C88C6E3)) * (high ^ UINT64_C(0x589965CC75374CC3));
    return (uint32_t)((uint64_t)product ^ (uint64_t)(product >> 64));
}

#endif
