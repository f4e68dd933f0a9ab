/* SPDX-License-Identifier: MIT */
#include "app/client/keystore.h"

#include "app/cli/members.h"
#include "base/out.h"
#include "base/hex.h"
#include "base/keccak.h"
#include "io/files.h"
#include "io/secret_file.h"

#include <nettle/aes.h>
#include <nettle/ctr.h>
#include <nettle/pbkdf2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_BYTES     16384
#define SALT_BYTES_MAX 256
#define KEY_BYTES      32
#define ROUNDS_MAX     100000000

__attribute__((format(printf, 2, 3))) static bool fail(char why[SIGNER_WHY], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(why, SIGNER_WHY, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- files ---- */

bool keystore_folder(char path[400], char why[SIGNER_WHY])
{
    const char *keys = getenv("DOJIMA_KEYS"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int         len = -1;

    if (keys != NULL && keys[0] != '\0') len = snprintf(path, 400, "%s", keys);
    else if (data != NULL && data[0] == '/') len = snprintf(path, 400, "%s/dojima/keys", data);
    else if (home != NULL && home[0] == '/') len = snprintf(path, 400, "%s/.local/share/dojima/keys", home);
    if (len >= 400) return fail(why, "the path of the folder of keys is too long");
    if (len <= 0) return fail(why, "there is no folder for keys: set DOJIMA_KEYS, or HOME");
    return secret_folder_check(path, why);
}

bool keystore_path(const char *name, char path[512], char why[SIGNER_WHY])
{
    char folder[400];

    if (strlen(name) > 100 && strchr(name, '/') == NULL) return fail(why, "the name of the keystore is too long");
    if (strchr(name, '/') != NULL)
        return snprintf(path, 512, "%s", name) < 512 || fail(why, "the path of the keystore is too long");
    if (!keystore_folder(folder, why)) return false;
    (void)snprintf(path, 512, "%s/%s.json", folder, name);
    return true;
}

/* "address": 40 hex digits, perhaps with 0x. */
static void note_address(struct keystore *keystore)
{
    uint8_t    bytes[20];
    struct out out = out_make(keystore->address, sizeof(keystore->address) - 1);

    if (!hex_read_0x(slice_of(text_at(keystore->json, "address")), bytes, sizeof(bytes))) return;
    out_literal(&out, "0x");
    out_hex(&out, bytes, sizeof(bytes));
    keystore->address[out.len] = '\0';
}

bool keystore_load(struct keystore *keystore, const char *name, char why[SIGNER_WHY])
{
    char   text[FILE_BYTES], reason[SECRET_WHY_BYTES];
    size_t len;

    *keystore = (struct keystore){ 0 };
    if (!keystore_path(name, keystore->path, why)) return false;
    if (!secret_file_read(keystore->path, text, sizeof(text), &len, reason))
        return fail(why, "the keystore %s", reason);
    keystore->json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    if (number_at(keystore->json, "version") == 3) {
        note_address(keystore);
        return true;
    }
    keystore_close(keystore);
    return fail(why, "%.200s is no keystore of version 3 of Web3 Secret Storage", keystore->path);
}

void keystore_close(struct keystore *keystore)
{
    json_decref(keystore->json);
    keystore->json = NULL;
}

/* ---- the key that encrypts ---- */

static bool read_hex(const json_t *object, const char *key, uint8_t *bytes, size_t cap, size_t *len)
{
    struct slice text = slice_of(text_at(object, key));

    if (text.len >= 2 && text.at[0] == '0' && text.at[1] == 'x') text = slice_make(text.at + 2, text.len - 2);
    *len = text.len / 2;
    return text.len % 2 == 0 && *len <= cap && *len != 0 && hex_read(text, bytes, *len);
}

static bool derive_scrypt(const json_t *params, struct slice password, struct slice salt, uint8_t key[KEY_BYTES],
                          char why[SIGNER_WHY])
{
    struct scrypt_cost cost = { (uint64_t)number_at(params, "n"), (uint64_t)number_at(params, "r"),
                                (uint64_t)number_at(params, "p") };

    if (!scrypt_is_possible(&cost))
        return fail(why, "the keystore asks for an impossible scrypt: n, r and p take more than 1 GiB, or are none");
    return scrypt(password, salt, &cost, key, KEY_BYTES) || fail(why, "there is no memory for the keystore's scrypt");
}

static bool derive_pbkdf2(const json_t *params, struct slice password, struct slice salt, uint8_t key[KEY_BYTES],
                          char why[SIGNER_WHY])
{
    long long rounds = number_at(params, "c");

    if (strcmp(text_at(params, "prf"), "hmac-sha256") != 0)
        return fail(why, "the keystore's pbkdf2 is not over hmac-sha256");
    if (rounds < 1 || rounds > ROUNDS_MAX) return fail(why, "the keystore asks for an impossible pbkdf2");
    pbkdf2_hmac_sha256(password.len, (const uint8_t *)password.at, (unsigned)rounds, salt.len, (const uint8_t *)salt.at,
                       KEY_BYTES, key);
    return true;
}

static bool derive(const json_t *crypto, struct slice password, uint8_t key[KEY_BYTES], char why[SIGNER_WHY])
{
    const json_t *params = json_object_get(crypto, "kdfparams");
    const char   *kdf = text_at(crypto, "kdf");
    uint8_t       salt[SALT_BYTES_MAX];
    size_t        len;

    if (number_at(params, "dklen") != KEY_BYTES || !read_hex(params, "salt", salt, sizeof(salt), &len))
        return fail(why, "the keystore's kdfparams have no salt, or a dklen that is not 32");
    if (strcmp(kdf, "scrypt") == 0) return derive_scrypt(params, password, slice_make(salt, len), key, why);
    if (strcmp(kdf, "pbkdf2") == 0) return derive_pbkdf2(params, password, slice_make(salt, len), key, why);
    return fail(why, "the keystore's kdf is neither scrypt nor pbkdf2");
}

/* keccak256 of the second half of the derived key and the ciphertext. */
static struct hash256 mac_of(const uint8_t key[KEY_BYTES], const uint8_t ciphertext[32])
{
    struct keccak keccak;

    keccak_init(&keccak);
    keccak_add(&keccak, key + 16, 16);
    keccak_add(&keccak, ciphertext, 32);
    return keccak_end(&keccak);
}

static void crypt_ctr(const uint8_t key[16], const uint8_t iv[16], const uint8_t from[32], uint8_t to[32])
{
    struct CTR_CTX(struct aes128_ctx, AES_BLOCK_SIZE) context;

    aes128_set_encrypt_key(&context.ctx, key);
    CTR_SET_COUNTER(&context, iv);
    CTR_CRYPT(&context, aes128_encrypt, 32, to, from);
    secret_forget(&context, sizeof(context));
}

/* ---- reading ---- */

struct sealed {
    uint8_t iv[16], ciphertext[32], mac[32];
};

static bool read_sealed(const json_t *crypto, struct sealed *sealed, char why[SIGNER_WHY])
{
    size_t iv = 0, ciphertext = 0, mac = 0;

    if (strcmp(text_at(crypto, "cipher"), "aes-128-ctr") != 0)
        return fail(why, "the keystore's cipher is not aes-128-ctr");
    if (read_hex(json_object_get(crypto, "cipherparams"), "iv", sealed->iv, sizeof(sealed->iv), &iv) && iv == 16
        && read_hex(crypto, "ciphertext", sealed->ciphertext, sizeof(sealed->ciphertext), &ciphertext)
        && ciphertext == 32 && read_hex(crypto, "mac", sealed->mac, sizeof(sealed->mac), &mac) && mac == 32)
        return true;
    return fail(why, "the keystore has no iv of 16, ciphertext of 32 and mac of 32 bytes");
}

/* The password is right when the mac is; then the address must be that of the key. */
static bool unseal(const struct keystore *keystore, const struct sealed *sealed, const uint8_t key[KEY_BYTES],
                   uint8_t secret[32], char why[SIGNER_WHY])
{
    struct hash256 mac = mac_of(key, sealed->ciphertext);
    char           address[ADDRESS_TEXT];

    if (memcmp(mac.bytes, sealed->mac, sizeof(mac.bytes)) != 0)
        return fail(why, "the password does not open the keystore %.200s", keystore->path);
    crypt_ctr(key, sealed->iv, sealed->ciphertext, secret);
    if (!signer_address(secret, address)) return fail(why, "the keystore %.200s holds no private key", keystore->path);
    if (keystore->address[0] != '\0' && strcmp(address, keystore->address) != 0)
        return fail(why, "the keystore %.200s says another address than its key has", keystore->path);
    return true;
}

bool keystore_open(const struct keystore *keystore, struct slice password, uint8_t secret[32], char why[SIGNER_WHY])
{
    const json_t *crypto = json_object_get(keystore->json, "crypto");
    struct sealed sealed;
    uint8_t       key[KEY_BYTES] = { 0 };
    bool          ok;

    if (crypto == NULL) crypto = json_object_get(keystore->json, "Crypto"); /* some older wallets */
    ok = read_sealed(crypto, &sealed, why) && derive(crypto, password, key, why)
      && unseal(keystore, &sealed, key, secret, why);
    if (!ok) secret_forget(secret, 32);
    secret_forget(key, sizeof(key));
    return ok;
}

/* ---- writing ---- */

static const char *hex(char *text, const uint8_t *bytes, size_t len)
{
    struct out out = out_make(text, 2 * len);

    out_hex(&out, bytes, len);
    text[out.len] = '\0';
    return text;
}

/* A version 4 UUID. */
static const char *uuid(char text[37], uint8_t bytes[16])
{
    static const size_t cuts[] = { 4, 6, 8, 10, 16 };
    struct out          out = out_make(text, 36);

    bytes[6] = (uint8_t)(0x40 | (bytes[6] & 15));
    bytes[8] = (uint8_t)(0x80 | (bytes[8] & 63));
    for (size_t i = 0, from = 0; i < ARRAY_COUNT(cuts); from = cuts[i++]) {
        if (i != 0) out_char(&out, '-');
        out_hex(&out, bytes + from, cuts[i] - from);
    }
    text[out.len] = '\0';
    return text;
}

char *keystore_write(const uint8_t secret[32], struct slice password, const struct scrypt_cost *cost,
                     char why[SIGNER_WHY])
{
    struct {
        uint8_t salt[32], iv[16], id[16];
    } random;
    uint8_t        key[KEY_BYTES], ciphertext[32];
    struct hash256 mac;
    char           address[ADDRESS_TEXT], id[37], texts[4][65], *text = NULL;
    json_t        *json;

    if (!files_random(&random, sizeof(random)) || !signer_address(secret, address)
        || !scrypt(password, slice_make(random.salt, sizeof(random.salt)), cost, key, sizeof(key))) {
        (void)fail(why, "there are no random bytes, or there is no memory");
        return NULL;
    }
    crypt_ctr(key, random.iv, secret, ciphertext);
    mac = mac_of(key, ciphertext);
    secret_forget(key, sizeof(key));
    json = json_pack("{s:i,s:s,s:s,s:{s:s,s:s,s:{s:s},s:s,s:{s:I,s:I,s:I,s:i,s:s},s:s}}", "version", 3, "id",
                     uuid(id, random.id), "address", address + 2, "crypto", "cipher", "aes-128-ctr", "ciphertext",
                     hex(texts[0], ciphertext, 32), "cipherparams", "iv", hex(texts[1], random.iv, 16), "kdf", "scrypt",
                     "kdfparams", "n", (json_int_t)cost->n, "r", (json_int_t)cost->r, "p", (json_int_t)cost->p, "dklen",
                     KEY_BYTES, "salt", hex(texts[2], random.salt, 32), "mac", hex(texts[3], mac.bytes, 32));
    if (json != NULL) text = json_dumps(json, JSON_INDENT(2));
    if (text == NULL) (void)fail(why, "there is no memory");
    json_decref(json);
    return text;
}
