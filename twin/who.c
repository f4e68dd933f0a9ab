/* SPDX-License-Identifier: MIT */
/* who.c — the named account, the key, and the signer (wire 3.2 to 3.6; rulings 4, 7, 8, 30, 62). */
#include <inttypes.h>

#include "refused.h"

enum { SPOT = 1, FUTURES, UNIVERSAL };

/* Whom the request is about: the account and key that it names, if it does; and its owner. */
struct claim {
    uint64_t                  account_id, user;
    const struct account_row *account;
    const struct key_row     *key;
};

/* A digest that may have been signed. */
struct attempt {
    uint8_t        domain, spelling;
    uint64_t       chain, message_chain;
    const char    *text;
    size_t         len;
    struct hash256 digest;
};
struct attempts {
    struct attempt at[16];
    uint32_t       count;
};

/* ---- account ---- */

static bool no_account(const struct sent *asked, struct verdict *verdict, uint64_t id)
{
    char got[24];

    (void)snprintf(got, sizeof(got), "%" PRIu64, id);
    say(verdict, REJECT_ACCOUNT_NOT_FOUND, asked->action->what == TRANSFER ? "fromAccountID" : "accountID", got, NULL);
    return false;
}

static const struct account_row *primary_of(const struct address *owner)
{
    for (uint32_t i = 0; i < account_row_count; i++)
        if (account_rows[i].primary && address_equal(&people[account_rows[i].who].address, owner))
            return &account_rows[i];
    return NULL;
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* The segment of /user/{}/api-keys, with %XX decoded; false: it cannot be decoded, or is too long. */
static bool path_owner(const struct sent *asked, char into[300], char as_sent[300])
{
    const char *from = strstr(asked->path, "/user/") + strlen("/user/");
    size_t      len = (size_t)(strchr(from, '/') - from), n = 0;

    (void)snprintf(as_sent, 65, "%.*s", (int)len, from);
    for (size_t i = 0; i < len; i++) {
        char c = from[i];

        if (c == '%') {
            if (len - i < 3 || hex_of(from[i + 1]) < 0 || hex_of(from[i + 2]) < 0) return false;
            c = (char)(hex_of(from[i + 1]) * 16 + hex_of(from[i + 2]));
            if (c == '\0') return false;
            i += 2;
        }
        if (n == 256) return false;
        into[n++] = c;
    }
    into[n] = '\0';
    return true;
}

bool judge_path(const struct sent *asked, struct verdict *verdict)
{
    char owner[300], sent[300];

    if (strchr(asked->action->path, '{') == NULL || path_owner(asked, owner, sent)) return true;
    say(verdict, REJECT_BAD_PARAMETER, "path", sent, "percent-encoded text of at most 256 bytes");
    return false;
}

static bool owner_fits(const struct sent *asked, struct verdict *verdict, struct claim *claim)
{
    struct address owner;
    char           text[300], got[65], sent[300];

    if (strchr(asked->action->path, '{') == NULL) return true;
    (void)path_owner(asked, text, sent);
    if (strlen(text) != 42 || strncmp(text, "0x", 2) != 0 || strspn(text + 2, "0123456789abcdefABCDEF") != 40) {
        for (size_t i = 0; i <= 64; i++)
            got[i] = i == 64 ? '\0' : text[i] == '\0' || (text[i] >= ' ' && text[i] <= '~') ? text[i] : '?';
        say(verdict, REJECT_BAD_ADDRESS, "userAddress", got, NULL);
        return false;
    }
    for (int i = 0; i < 20; i++) owner.bytes[i] = (uint8_t)(hex_of(text[2 + 2 * i]) * 16 + hex_of(text[3 + 2 * i]));
    if (claim->account_id == 0) claim->account = primary_of(&owner);
    if (claim->account == NULL) return no_account(asked, verdict, 0);
    return address_equal(&people[claim->account->who].address, &owner) || no_account(asked, verdict, claim->account_id);
}

static bool is_key_of(const struct key_row *key, const struct claim *claim)
{
    return !key->revoked && key->user == claim->account->user;
}

static bool key_fits(const struct sent *asked, struct verdict *verdict, struct claim *claim)
{
    const char *name = asked->key.there ? asked->key.text : "", *need = NULL;
    char        got[65];

    if (name[0] == '\0' || strcmp(name, "default") == 0) return true;
    (void)snprintf(got, sizeof(got), "%.64s", name);
    if (asked->action->proof != BY_ACTION) {
        say(verdict, REJECT_PERMISSION_DENIED, "X-API-Key", got, "the main wallet signs this; leave the header out");
        return false;
    }
    if (claim->account == NULL) need = "the account in the body: names are unique per owner, not globally";
    else if (strlen(name) == 42 && strncmp(name, "0x", 2) == 0)
        need = "the key's name, not its address; leave the header out when the main wallet signs";
    for (uint32_t i = 0; claim->account != NULL && i < key_row_count; i++)
        if (is_key_of(&key_rows[i], claim) && strcmp(key_rows[i].name, name) == 0) claim->key = &key_rows[i];
    if (claim->key != NULL) return true;
    say(verdict, REJECT_UNKNOWN_KEY, "X-API-Key", got, need);
    return false;
}

static bool judge_claim(const struct sent *asked, const struct body *body, struct verdict *verdict, struct claim *claim)
{
    const struct action *action = asked->action;

    claim->account_id =
        found_in(action->lines, action->count, body->top, action->what == TRANSFER ? "fromAccountID" : "accountID")
            ->number;
    for (uint32_t i = 0; i < account_row_count; i++)
        if (account_rows[i].id == claim->account_id) claim->account = &account_rows[i];
    if (claim->account_id != 0 && claim->account == NULL) return no_account(asked, verdict, claim->account_id);
    return owner_fits(asked, verdict, claim) && key_fits(asked, verdict, claim);
}

/* ---- what may have been signed ---- */

static void add(struct attempts *attempts, struct attempt attempt)
{
    assert(attempts->count < ARRAY_COUNT(attempts->at));
    attempts->at[attempts->count++] = attempt;
}

bool is_ours(const struct shop_row *shop, uint64_t chain)
{
    for (uint32_t i = 0; i < shop->chain_count; i++)
        if (shop->chains[i] == chain) return true;
    return false;
}

/* On each of our chains, or the one named; a wallet may be on another. */
static void add_domain(struct attempts *attempts, const struct sent *asked, uint8_t domain, const struct text *text)
{
    const struct shop_row *shop = &shop_rows[asked->shop];
    struct attempt         attempt = { .domain = domain, .chain = chain_of(asked), .text = text->at, .len = text->len };

    if (domain == UNIVERSAL && attempt.chain != 0 && !is_ours(shop, attempt.chain)) {
        add(attempts, attempt);
        return;
    }
    for (uint32_t i = 0; i < shop->chain_count; i++) {
        if (chain_of(asked) != 0 && chain_of(asked) != shop->chains[i]) continue;
        attempt.chain = shop->chains[i];
        add(attempts, attempt);
    }
}

static bool wallet_level(const struct sent *asked)
{
    return asked->sign_text.text[strncmp(asked->sign_text.text, "0x", 2) == 0 ? 3 : 1] == '2';
}

/* An action: as it came, then in its normal form; in the domain of its base, at the gateway in either. */
static void add_texts(struct attempts *attempts, const struct sent *asked, const struct text texts[2])
{
    bool same = texts[0].len == texts[1].len && memcmp(texts[0].at, texts[1].at, texts[0].len) == 0;

    for (uint32_t t = 0; t < (same ? 1u : 2u); t++) {
        if (wallet_level(asked)) {
            add_domain(attempts, asked, UNIVERSAL, &texts[t]);
            continue;
        }
        if (asked->base != ON_PERPS) add_domain(attempts, asked, SPOT, &texts[t]);
        if (asked->base != ON_SPOT) add_domain(attempts, asked, FUTURES, &texts[t]);
    }
}

/* Every spelling of the body's grant, for each exchange it may be meant for. */
static void add_spellings(struct attempts *attempts, const struct sent *asked, const struct grant *grant)
{
    const struct shop_row *shop = &shop_rows[asked->shop];
    uint64_t               named = chain_of(asked);

    for (uint8_t s = 0; s < 4; s++) {
        bool fits = grant->builder_given ? s == 3
                  : s == 2               ? grant->permissions_given
                                         : s != 3 && grant->permissions == 0;

        for (uint32_t i = 0; fits && i < shop->chain_count; i++) {
            bool     foreign = named != 0 && !is_ours(shop, named);
            uint64_t chain = shop->chains[i];

            if (named != 0 && !foreign && named != chain) continue;
            if (foreign && s == 0 && (i != 0 || !shop->development)) continue;
            add(attempts,
                (struct attempt){
                    .domain = UNIVERSAL, .spelling = s, .chain = foreign ? named : chain, .message_chain = chain });
        }
    }
}

static struct hash256 digest_of(const struct attempt *attempt, const struct grant *grant, uint64_t nonce)
{
    if (grant != NULL) return grant_digest_of(attempt->spelling, attempt->chain, attempt->message_chain, nonce, grant);
    return action_digest_of(attempt->domain, attempt->chain, attempt->text, attempt->len, nonce);
}

/* The signature by the signer of the draw (struct sign). */
static struct hash256 signed_digest(const struct sent *asked, const struct grant *grant, const struct text texts[2])
{
    const struct sign *sign = &asked->sign;
    const struct text *text = &texts[sign->text == SIGNED_NORMAL];
    struct attempt     attempt = {
            .domain = sign->domain,
            .spelling = sign->spelling,
            .chain = sign->chain,
            .message_chain = sign->message_chain,
            .text = text->at,
            .len = text->len + (sign->text == SIGNED_OTHER ? 1 : 0),
    };

    return digest_of(&attempt, grant, sign->nonce);
}

static bool same_hash(const struct hash256 *a, const struct hash256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* ---- signer ---- */

static bool may(const struct claim *claim, const struct address *signer)
{
    if (claim->key != NULL) return address_equal(&people[claim->key->who].address, signer);
    return claim->account == NULL ? primary_of(signer) != NULL
                                  : address_equal(&people[claim->account->who].address, signer);
}

static const struct key_row *own_key(const struct claim *claim, const struct address *address)
{
    for (uint32_t i = 0; claim->account != NULL && i < key_row_count; i++)
        if (is_key_of(&key_rows[i], claim) && address_equal(&people[key_rows[i].who].address, address))
            return &key_rows[i];
    return NULL;
}

/* What development is told of a signature that proves nothing (ruling 30). */
static void likely_cause(const struct sent *asked, const struct claim *claim, struct verdict *v)
{
    const struct key_row *own = own_key(claim, &v->recovered);
    const char           *cause, *more = "";

    if (!v->recovered_it) {
        cause = "no key can have made this signature over the digest";
    } else if (claim->key != NULL && address_equal(&people[claim->account->who].address, &v->recovered)) {
        cause = "the main wallet signed: leave X-API-Key out, or sign with the key";
    } else if (own != NULL) {
        more = asked->action->proof == BY_ACTION ? " signed: send its name in X-API-Key"
                                                 : " signed, but only the main wallet may";
        (void)snprintf(v->cause, sizeof(v->cause), "API key %s%s", own->name, more);
        return;
    } else if (claim->account_id != 0 && primary_of(&v->recovered) != NULL) {
        cause = "the recovered address is known here, but accountID belongs to another address";
    } else {
        cause = claim->account == NULL ? "the recovered address has no account" : "the recovered address is unknown";
        more = ": body, nonce, domain or chain id differ from what was signed, or another wallet signed";
    }
    (void)snprintf(v->cause, sizeof(v->cause), "%s%s", cause, more);
}

void bad_signature(const struct sent *asked, struct verdict *v, enum reject reject, const char *need)
{
    char got[65];

    (void)snprintf(got, sizeof(got), "%.64s", asked->sign_text.text);
    say(v, reject, "X-API-Sign", got, need);
}

void explain(const struct sent *asked, struct verdict *v, uint64_t chain, const struct hash256 *digest,
             const struct hash256 *made)
{
    v->proof = true;
    v->digest = *digest;
    v->chain = chain;
    v->recovered_it = true;
    if (is_intact(asked) && same_hash(made, digest)) v->recovered = people[asked->sign.who].address;
    else v->recovered_it = signer_of(digest, asked->sign_text.text, &v->recovered);
}

/* The first attempt explains a refusal. */
static bool nobody(const struct sent *asked, struct verdict *v, const struct attempt *first, const struct hash256 *made)
{
    bad_signature(asked, v, REJECT_BAD_SIGNATURE, NULL);
    v->hashed = first->text;
    v->hashed_len = first->len;
    explain(asked, v, first->chain, &first->digest, made);
    return false;
}

static bool signed_well(const struct sent *asked, struct verdict *v, struct attempts *attempts,
                        const struct grant *grant, const struct claim *claim, const struct hash256 *made)
{
    for (uint32_t i = 0; i < attempts->count; i++) {
        struct attempt *attempt = &attempts->at[i];

        attempt->digest = digest_of(attempt, grant, nonce_of(asked));
        if (!is_intact(asked) || !same_hash(&attempt->digest, made) || !may(claim, &people[asked->sign.who].address))
            continue;
        v->signer = people[asked->sign.who].address;
        v->domain = attempt->domain;
        v->chain = attempt->chain;
        v->signed_text = attempt->text;
        v->signed_len = attempt->len;
        v->key_id = claim->key != NULL ? (uint32_t)(claim->key - key_rows) + 1 : 0;
        return true;
    }
    return nobody(asked, v, &attempts->at[0], made);
}

/* ---- the whole ---- */

static struct grant grant_of(const struct action *action, const struct body *body, uint8_t address_of_key[20])
{
#define OF(name) found_in(action->lines, action->count, body->top, name)
    const struct line  *builder = &action->lines[5];
    const struct found *name = OF("name");
    const char         *digits = OF("publicKey")->text + 3;
    struct grant        grant = {
               .account = OF("accountID")->number,
               .expires = OF("expiresAt")->number,
               .permissions = OF("permissions")->number,
               .permissions_given = OF("permissions")->there,
               .key_type = OF("type")->number,
               .name = name->text + 1,
               .name_len = strlen(name->text) - 2,
               .key = address_of_key,
               .builder_given = OF("builder")->there,
               .builder = found_in(builder->of, builder->count, body->item[0], "id")->number,
               .fee = found_in(builder->of, builder->count, body->item[0], "fee")->number,
    };

    for (int i = 0; i < 20; i++) address_of_key[i] = (uint8_t)(hex_of(digits[2 * i]) * 16 + hex_of(digits[2 * i + 1]));
    return grant;
}

/* The signed bytes: as the body came, and in the normal form. */
static void texts_of(const struct sent *asked, const struct body *body, struct text texts[2])
{
    static char room[2][TEXT_ROOM];

    for (int i = 0; i < 2; i++) {
        texts[i] = (struct text){ room[i], 0, true };
        put(&texts[i], "{\"type\":\"%s\",\"params\":", asked->action->type);
    }
    texts[0].len += json_squeeze(asked->body, asked->body_len, texts[0].at + texts[0].len);
    normal_form(asked->action, body, &texts[1]);
    put(&texts[0], "}");
    put(&texts[1], "}");
    texts[0].at[texts[0].len] = texts[1].at[texts[1].len] = ' ';
}

static bool judge_signer(struct sent *asked, const struct body *body, struct verdict *v, const struct claim *claim)
{
    static char            message[4096];
    const struct shop_row *shop = &shop_rows[asked->shop];
    bool                   is_grant = asked->action->proof == BY_GRANT;
    uint64_t               named = chain_of(asked);
    struct attempts        attempts = { .count = 0 };
    struct text            texts[2], shown = { message, 0, true };
    uint8_t                public_key[20];
    struct grant           grant;
    struct hash256         made;

    if (named != 0 && !is_ours(shop, named) && !(wallet_level(asked) && (is_grant || shop->development))) {
        say(v, REJECT_BAD_SIGNATURE, "X-API-Chain", asked->chain.text, "a chain id of this exchange, see /version");
        return false;
    }
    texts_of(asked, body, texts);
    if (is_grant) grant = grant_of(asked->action, body, public_key);
    made = signed_digest(asked, is_grant ? &grant : NULL, texts);
    if (!asked->sign.given) sign_it(asked, &made);
    if (!in_range(asked->sign_text.text)) {
        bad_signature(asked, v, REJECT_BAD_SIGNATURE, "r and s in range, s in the lower half, v of 0, 1, 27 or 28");
        return false;
    }
    if (is_grant) add_spellings(&attempts, asked, &grant);
    else add_texts(&attempts, asked, texts);
    if (!signed_well(asked, v, &attempts, is_grant ? &grant : NULL, claim, &made)) {
        if (!is_grant) return false;
        grant_text(&shown, attempts.at[0].spelling, attempts.at[0].message_chain, nonce_of(asked), &grant);
        v->hashed = shown.at;
        v->hashed_len = shown.len;
        return false;
    }
    if (is_grant) {
        v->signed_text = texts[0].at;
        v->signed_len = texts[0].len;
    }
    return true;
}

bool judge_who(struct sent *asked, const struct body *body, struct verdict *verdict)
{
    struct claim claim = { .account_id = 0 };
    bool         good;

    if (!judge_claim(asked, body, verdict, &claim)) return false;
    good = judge_signer(asked, body, verdict, &claim);
    if (verdict->proof) likely_cause(asked, &claim, verdict);
    return good;
}
