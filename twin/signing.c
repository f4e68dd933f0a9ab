/* SPDX-License-Identifier: MIT */
/*
 * signing.c — the wallets, and the signed text and its form, from wire 3: typed data by hand; of the rooms only the
 * hash and the curve are used.
 */
#include <inttypes.h>

#include "refused.h"

#include "crypto/crypto.h"

/* ---- people ---- */

struct person            people[PEOPLE];
const struct account_row account_rows[] = { { 1001, 11, OWNER_A, true },
                                            { 1002, 12, OWNER_B, true },
                                            { 1003, 11, OWNER_A, false } };
const uint32_t           account_row_count = ARRAY_COUNT(account_rows);
const struct key_row     key_rows[] = {
        { 11, 1001, "bot-1", KEY_A, false },
        { 11, 1003, "late_key", KEY_LATE, false },
        { 11, 1001, "gone", KEY_GONE, true },
        { 12, 1002, "bot-1", KEY_B, false },
};
const uint32_t        key_row_count = ARRAY_COUNT(key_rows);
const struct shop_row shop_rows[] = {
    { "development", true, false, false, { 286623, 138565 }, 2 },
    { "production", false, false, false, { 4242 }, 1 }, /* it has 286623 too, which it must not take (ruling 8) */
    { "production for all", false, true, true, { 4242, 286623 }, 2 },
};
const uint32_t shop_count = ARRAY_COUNT(shop_rows);

void people_come(void)
{
    for (uint32_t i = 0; i < PEOPLE; i++) {
        memset(people[i].secret, (int)(0x21 + i), sizeof(people[i].secret));
        if (!address_of_secret(people[i].secret, &people[i].address)) abort();
    }
}

/* ---- typed data (wire 3.1, 3.5) ---- */

struct words {
    uint8_t at[16 * 32];
    size_t  len;
};

static void add_hash(struct words *words, struct hash256 hash)
{
    memcpy(words->at + words->len, hash.bytes, 32);
    words->len += 32;
}

static void add_number(struct words *words, uint64_t number)
{
    memset(words->at + words->len, 0, 24);
    for (int i = 0; i < 8; i++) words->at[words->len + 24 + (size_t)i] = (uint8_t)(number >> (56 - 8 * i));
    words->len += 32;
}

static struct hash256 hash_of(const char *text) { return keccak256(text, strlen(text)); }
#define ORACLE_PRICE "OraclePrice(uint32 symbolID,uint64 price,uint64 perpMid)"
static struct hash256 words_hash(const struct words *words) { return keccak256(words->at, words->len); }

static struct hash256 separator_of(const char *name, uint64_t chain)
{
    struct words words = { .len = 0 };

    add_hash(&words, hash_of("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"));
    add_hash(&words, hash_of(name));
    add_hash(&words, hash_of("1"));
    add_number(&words, chain);
    add_number(&words, 0);
    return words_hash(&words);
}

static struct hash256 digest_of(struct hash256 separator, const struct words *message)
{
    struct hash256 hash = words_hash(message);
    uint8_t        bytes[66] = { 0x19, 0x01 };

    memcpy(bytes + 2, separator.bytes, 32);
    memcpy(bytes + 34, hash.bytes, 32);
    return keccak256(bytes, sizeof(bytes));
}

static const char *const domain_names[] = { "", "spot", "futures", "universal", "oracle" };

/* The same few separators are used repeatedly. */
static struct hash256 known_separator(uint8_t domain, uint64_t chain)
{
    static struct {
        uint64_t       chain;
        struct hash256 is;
    } known[5][8];
    uint32_t i = 0;

    while (i < 7 && known[domain][i].chain != chain && known[domain][i].chain != 0) i++;
    if (known[domain][i].chain != chain) {
        known[domain][i].is = separator_of(domain_names[domain], chain);
        known[domain][i].chain = chain;
    }
    return known[domain][i].is;
}

struct hash256 action_digest_of(uint8_t domain, uint64_t chain, const char *text, size_t len, uint64_t nonce)
{
    struct words words = { .len = 0 };

    add_hash(&words, hash_of("ExchangeAction(bytes32 payloadHash,uint64 nonce)"));
    add_hash(&words, keccak256(text, len));
    add_number(&words, nonce + (refused_planted == LIE_DIGEST ? 1 : 0));
    return digest_of(known_separator(domain, chain), &words);
}

#define SEVEN "(uint64 chainID,uint64 nonce,uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt"
static const char *const spelling_types[] = {
    "AddAPIKey(uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt,uint64 nonce)",
    "UserSignedAddAPIKeyAction" SEVEN ")",
    "UserSignedAddPermissionedAPIKeyAction" SEVEN ",uint64 permissions)",
    "AddAPIKeyWithBuilder" SEVEN ",uint64 builderID,uint64 maxFeeRate)",
};
/* clang-format off */
static const char *const spelling_names[] = {
    "AddAPIKey", "UserSignedAddAPIKeyAction", "UserSignedAddPermissionedAPIKeyAction", "AddAPIKeyWithBuilder",
};
/* clang-format on */

struct hash256 grant_digest_of(uint32_t spelling, uint64_t domain_chain, uint64_t message_chain, uint64_t nonce,
                               const struct grant *grant)
{
    struct words words = { .len = 0 };

    add_hash(&words, hash_of(spelling_types[spelling]));
    if (spelling != 0) {
        add_number(&words, message_chain);
        add_number(&words, nonce);
    }
    add_number(&words, grant->account);
    add_hash(&words, keccak256(grant->name, grant->name_len));
    add_number(&words, grant->key_type);
    add_hash(&words, keccak256(grant->key, 20));
    add_number(&words, grant->expires);
    if (spelling == 0) add_number(&words, nonce);
    if (spelling == 2) add_number(&words, grant->permissions);
    if (spelling == 3) {
        add_number(&words, grant->builder);
        add_number(&words, grant->fee);
    }
    return digest_of(known_separator(3, domain_chain), &words);
}

/* The message as shown to a client that asks for the hashed text. */
void grant_text(struct text *into, uint32_t spelling, uint64_t message_chain, uint64_t nonce, const struct grant *grant)
{
    put(into, "%s{", spelling_names[spelling]);
    into->first = true;
    if (spelling != 0) {
        count_of(into, "chainID", message_chain);
        count_of(into, "nonce", nonce);
    }
    count_of(into, "accountID", grant->account);
    words(into, "name", grant->name, grant->name_len);
    count_of(into, "keyType", grant->key_type);
    key(into, "publicKey");
    put(into, "\"0x");
    for (int i = 0; i < 20; i++) put(into, "%02x", grant->key[i]);
    put(into, "\"");
    count_of(into, "expiresAt", grant->expires);
    if (spelling == 0) count_of(into, "nonce", nonce);
    if (spelling == 2) count_of(into, "permissions", grant->permissions);
    if (spelling == 3) {
        count_of(into, "builderID", grant->builder);
        count_of(into, "maxFeeRate", grant->fee);
    }
    put(into, "}");
}

/* Mechanics 3.8 */
struct hash256 oracle_digest_of(uint64_t chain, uint64_t seq, uint64_t time, const struct price_said *prices,
                                uint32_t count)
{
    static uint8_t all[64 * 32];
    struct words   words = { .len = 0 };

    for (uint32_t i = 0; i < count; i++) {
        struct words   item = { .len = 0 };
        struct hash256 hash;

        add_hash(&item, hash_of(ORACLE_PRICE));
        add_number(&item, prices[i].symbol);
        add_number(&item, prices[i].price);
        add_number(&item, prices[i].mid);
        hash = words_hash(&item);
        memcpy(all + (size_t)i * 32, hash.bytes, 32);
    }
    add_hash(&words, hash_of("OraclePrices(uint64 seq,uint64 timestamp,OraclePrice[] prices)" ORACLE_PRICE));
    add_number(&words, seq);
    add_number(&words, time);
    add_hash(&words, keccak256(all, (size_t)count * 32));
    return digest_of(known_separator(4, chain), &words);
}

/* ---- signatures (wire 3.1; ruling 6) ---- */

static const char order_text[] = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
static const char half_text[] = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

static void hex_into(uint8_t *bytes, const char *hex)
{
    for (size_t i = 0; hex[i] != '\0'; i++) {
        unsigned digit = (unsigned)(hex[i] <= '9' ? hex[i] - '0' : (hex[i] | 0x20) - 'a' + 10);
        bytes[i / 2] = (uint8_t)((unsigned)bytes[i / 2] << 4 | digit);
    }
}

/* How a signature leaves its range, or just not: r, s and v on either side of each edge. */
static void mutate_range(uint8_t bytes[66], uint8_t how)
{
    switch (how) {
    case 1: memset(bytes + 1, 0, 32); break;
    case 2: hex_into(bytes + 1, order_text); break;
    case 3:
        hex_into(bytes + 1, order_text);
        bytes[32]--;
        break; /* the largest r */
    case 4: memset(bytes + 33, 0, 32); break;
    case 5: hex_into(bytes + 33, half_text); break; /* the largest s */
    case 6:
        hex_into(bytes + 33, half_text);
        bytes[64]++;
        break;
    case 7: bytes[65] = 2; break;
    case 8: bytes[65] = 26; break;
    case 9: bytes[65] = 29; break;
    case 10:
        memset(bytes + 33, 0, 32);
        bytes[64] = 1;
        break; /* the smallest s */
    default: bytes[65] = 0xff; break;
    }
}

void sign_it(struct sent *asked, const struct hash256 *digest)
{
    const struct sign *sign = &asked->sign;
    struct signature   made;
    uint8_t            bytes[66];
    char              *text = asked->sign_text.text;
    size_t             at = 0;

    if (!sign_digest(digest, people[sign->who].secret, sign->type == 2 ? 2 : 1, &made)) abort();
    bytes[0] = sign->type;
    memcpy(bytes + 1, made.r, 32);
    memcpy(bytes + 33, made.s, 32);
    bytes[65] = (uint8_t)(made.v + sign->v_more);
    if (sign->range != 0) mutate_range(bytes, sign->range);
    if (!sign->bare) at = (size_t)sprintf(text, "0x");
    for (size_t i = 0; i < sizeof(bytes); i++, at += 2)
        (void)sprintf(text + at, sign->upper ? "%02X" : "%02x", bytes[i]);
}

bool is_intact(const struct sent *asked) { return asked->sign.range == 0 && !asked->sign.given; }

static void bytes_of(uint8_t bytes[66], const char *header)
{
    hex_into(bytes, strncmp(header, "0x", 2) == 0 ? header + 2 : header);
}

/* r and s from 1 on, r below the order of the curve, s in its lower half, v of 0, 1, 27 or 28 (ruling 6). */
bool in_range(const char *header)
{
    static const uint8_t none[32];
    uint8_t              bytes[66], order[32], half[32], v;

    bytes_of(bytes, header);
    hex_into(order, order_text);
    hex_into(half, half_text);
    v = bytes[65];
    if (v != 0 && v != 1 && v != 27 && v != 28) return false;
    if (memcmp(bytes + 1, none, 32) == 0 || memcmp(bytes + 1, order, 32) >= 0) return false;
    return memcmp(bytes + 33, none, 32) != 0 && memcmp(bytes + 33, half, 32) <= 0;
}

/* Who made the signature in the header over the digest: the curve is the library's affair. */
bool signer_of(const struct hash256 *digest, const char *header, struct address *signer)
{
    struct signature signature;
    uint8_t          bytes[66];

    bytes_of(bytes, header);
    signature.type = bytes[0];
    memcpy(signature.r, bytes + 1, 32);
    memcpy(signature.s, bytes + 33, 32);
    signature.v = bytes[65] >= 27 ? (uint8_t)(bytes[65] - 27) : bytes[65];
    return recover_signer(digest, &signature, signer);
}
