/* SPDX-License-Identifier: MIT */
/* proof.c — the signer of a request (wire 3.2 to 3.6; rulings 4, 7, 8, 30). */
#include "api/rest/proof.h"
#include "crypto/typed.h"

/* ---- the account and user that a request names ---- */

static bool fail_account(struct call *call, uint64_t account_id)
{
    fail_number(&call->failure, REJECT_ACCOUNT_NOT_FOUND,
                slice_of(call->endpoint->command == CMD_TRANSFER ? "fromAccountID" : "accountID"), account_id);
    return false;
}

/* The owner in the path, where there is one, must be the account's (wire 2.1). */
static bool claim_owner(struct call *call, struct claim *claim)
{
    struct address owner;

    if (call->parameter.at == NULL) return true;
    if (!call_address(call, &owner)) return false;
    if (claim->account_id == 0 && !views_primary_account(call->api->shared->views, &owner, &claim->account))
        return fail_account(call, 0);
    return address_equal(&claim->account.owner, &owner) || fail_account(call, claim->account_id);
}

static bool fail_key(struct call *call, enum reject reject, struct slice name, const char *need)
{
    fail(&call->failure, reject, SLICE("X-API-Key"), name);
    if (need != NULL) call->failure.details.need = slice_of(need);
    return false;
}

/* Key names are unique per owner, so the account has to come first (wire 3.3). */
static bool claim_key(struct call *call, struct slice name, struct claim *claim)
{
    bool address = name.len == 42 && name.at[0] == '0' && name.at[1] == 'x';

    if (name.len == 0) return true;
    if (call->endpoint->sender != SENDER_KEY)
        return fail_key(call, REJECT_PERMISSION_DENIED, name, "the main wallet signs this; leave the header out");
    if (claim->account.user_id != 0 && views_key(call->api->shared->views, claim->account.user_id, name, &claim->key))
        return true;
    if (claim->account.user_id == 0)
        return fail_key(call, REJECT_UNKNOWN_KEY, name,
                        "the account in the body: names are unique per owner, not globally");
    return fail_key(call, REJECT_UNKNOWN_KEY, name,
                    address ? "the key's name, not its address; leave the header out when the main wallet signs"
                            : NULL);
}

bool claim_read(struct call *call, const struct signed_headers *headers, uint64_t account_id, struct claim *claim)
{
    claim->account_id = account_id;
    claim->account.user_id = 0;
    claim->key.key_id = 0;
    if (account_id != 0 && !views_account(call->api->shared->views, account_id, &claim->account))
        return fail_account(call, account_id);
    return claim_owner(call, claim) && claim_key(call, headers->key_name, claim);
}

/* ---- recovering ---- */

bool is_authorised(const struct views *views, const struct claim *claim, const struct address *signer)
{
    struct view_account primary;

    if (claim->key.key_id != 0) return address_equal(&claim->key.public_key, signer);
    if (claim->account.user_id == 0) return views_primary_account(views, signer, &primary);
    return address_equal(&claim->account.owner, signer);
}

/*
 * The signer behind a signature. A result of the joint recovery is used only for exactly this digest and signature;
 * otherwise a request that waited would be judged differently from one that did not.
 */
static bool recover(const struct call *call, const struct hash256 *digest, const struct signature *signature,
                    struct address *signer)
{
    const struct pending_signature *pending = call->pending;

    if (!call->waits || !hash256_equal(&pending->digest, digest)
        || memcmp(&pending->signing.headers.signature, signature, sizeof(*signature)) != 0)
        return recover_signer(digest, signature, signer);
    if (pending->recovered) *signer = pending->signer;
    return pending->recovered;
}

struct attempt {
    struct call                 *call;
    const struct signed_headers *headers;
    const struct claim          *claim;
    struct proof                *proof, *first;
};

static bool try_digest(const struct attempt *attempt)
{
    struct proof *proof = attempt->proof;

    proof->recovered = recover(attempt->call, &proof->digest, &proof->signature, &proof->signer);
    if (proof->recovered && is_authorised(attempt->call->api->shared->views, attempt->claim, &proof->signer))
        return true;
    if (attempt->first->text.len == 0) *attempt->first = *proof;
    return false;
}

static bool try_action(const struct attempt *attempt, const struct hash256 *separator, uint8_t domain,
                       uint64_t chain_id)
{
    struct proof                   *proof = attempt->proof;
    const struct pending_signature *pending = attempt->call->waits ? attempt->call->pending : NULL;

    proof->domain = domain;
    proof->chain_id = chain_id;
    if (pending != NULL && pending->separator == separator && pending->text.at == proof->text.at)
        proof->digest = pending->digest; /* api_recover has made it */
    else proof->digest = action_digest(separator, &proof->payload, attempt->headers->nonce);
    return try_digest(attempt);
}

/* Which of our chain ids the request may be signed for: the one it names, else all (ruling 8). A wallet-level action
   may also be signed for the chain its wallet is connected to (wire 3.6). */
static bool try_domain(const struct attempt *attempt, uint8_t domain)
{
    const struct api *api = attempt->call->api;
    uint64_t          named = attempt->headers->chain_id;

    if (domain == DOMAIN_UNIVERSAL && named != 0 && !is_own_chain(api->chain_ids, api->chain_count, named)) {
        struct hash256 separator = domain_separator(domain, named);
        return try_action(attempt, &separator, domain, named);
    }
    for (uint32_t i = 0; i < api->chain_count; i++) {
        if (named != 0 && named != api->chain_ids[i]) continue;
        if (try_action(attempt, &api->separators[domain][i], domain, api->chain_ids[i])) return true;
    }
    return false;
}

uint32_t domains_of(const struct call *call, const struct signed_headers *headers)
{
    if (headers->signature.type == 2) return 1u << DOMAIN_UNIVERSAL;
    if (call->base == BASE_SPOT) return 1u << DOMAIN_SPOT;
    if (call->base == BASE_PERPS) return 1u << DOMAIN_FUTURES;
    return 1u << DOMAIN_SPOT | 1u << DOMAIN_FUTURES;
}

static bool try_text(const struct attempt *attempt)
{
    uint32_t                        domains = domains_of(attempt->call, attempt->headers);
    const struct pending_signature *pending = attempt->call->waits ? attempt->call->pending : NULL;
    struct slice                    text = attempt->proof->text;

    attempt->proof->payload =
        pending != NULL && pending->text.at == text.at ? pending->payload : keccak256(text.at, text.len);
    for (uint8_t domain = DOMAIN_SPOT; domain <= DOMAIN_UNIVERSAL; domain++)
        if ((domains >> domain & 1) != 0 && try_domain(attempt, domain)) return true;
    return false;
}

/* The signed bytes up to the params. */
static void wrap(struct out *out, const char *type)
{
    out_literal(out, "{\"type\":\"");
    out_text(out, type);
    out_literal(out, "\",\"params\":");
}

static void write_as_received(struct call *call, struct out *out)
{
    wrap(out, endpoint_type(call->endpoint));
    if (call->plain) out_slice_put(out, call->request->body);
    else json_compact(call->request->body, out);
    out_char(out, '}');
}

struct slice signed_as_received(struct call *call)
{
    struct out out = out_make(call->api->signed_raw, sizeof(call->api->signed_raw));

    if (call->waits) return call->pending->text;
    write_as_received(call, &out);
    assert(!out.overflow); /* the body is at most HTTP_BODY_MAX */
    return out_slice(&out);
}

/* No valid signature covers a form that does not fit. */
struct slice signed_canonical(struct call *call, const void *payload)
{
    struct out out = out_make(call->api->signed_canonical, sizeof(call->api->signed_canonical));

    wrap(&out, endpoint_type(call->endpoint));
    shape_write(&out, endpoint_takes(call->endpoint), payload, true);
    out_char(&out, '}');
    return out.overflow ? (struct slice){ NULL, 0 } : out_slice(&out);
}

static bool prove_action(const struct attempt *attempt, const void *payload)
{
    struct proof *proof = attempt->proof;
    struct slice  raw = signed_as_received(attempt->call);

    proof->text = raw;
    if (try_text(attempt)) return true;
    proof->text = signed_canonical(attempt->call, payload);
    return proof->text.len != 0 && !slice_equal(proof->text, raw) && try_text(attempt);
}

/* Typed data is signed by its members, not as a text; the log gets the body as received (ruling 57). */
static bool prove_grant(const struct attempt *attempt, const struct add_key_request *request)
{
    struct api       *api = attempt->call->api;
    struct proof     *proof = attempt->proof;
    struct grant_walk walk = {
        .grant = key_grant_of(request, attempt->headers->nonce),
        .domain_chain = attempt->headers->chain_id,
        .chain_ids = api->chain_ids,
        .chain_count = api->chain_count,
        .bound = !api->shared->settings.development,
    };

    proof->domain = DOMAIN_UNIVERSAL;
    while (grant_walk_next(&walk, &proof->digest)) {
        struct out message = out_make(api->signed_canonical, sizeof(api->signed_canonical));

        proof->chain_id = walk.signed_chain;
        if (attempt->first->text.len == 0) {
            key_grant_write(&message, walk.spelling, &walk.grant);
            proof->text = out_slice(&message);
        }
        if (!try_digest(attempt)) continue;
        proof->text = signed_as_received(attempt->call);
        proof->payload = keccak256(proof->text.at, proof->text.len);
        return true;
    }
    return false;
}

/* ---- details of a failure ---- */

/* The name of the owner's key with this address, or an empty slice. */
static struct slice own_key(const struct views *views, const struct claim *claim, const struct address *address,
                            char room[CLIENT_ID_MAX])
{
    struct view_key keys[16];
    uint64_t        user_id = claim->account.user_id;
    uint32_t        found = user_id != 0 ? views_keys(views, user_id, keys, ARRAY_COUNT(keys)) : 0;
    uint32_t        count = min_u32(found, ARRAY_COUNT(keys));

    for (uint32_t i = 0; i < count; i++) {
        if (!address_equal(&keys[i].public_key, address)) continue;
        memcpy(room, keys[i].name.at, keys[i].name.len);
        return slice_make(room, keys[i].name.len);
    }
    return SLICE("");
}

/* The reason why a signature proves nothing, from the recovered address. */
static struct slice likely_cause(struct call *call, const struct proof *first, const struct claim *claim)
{
    const struct views *views = call->api->shared->views;
    struct view_account own;
    char                name[CLIENT_ID_MAX];
    struct slice        key;

    if (!first->recovered) return SLICE("no key can have made this signature over the digest");
    if (claim->key.key_id != 0 && address_equal(&claim->account.owner, &first->signer))
        return SLICE("the main wallet signed: leave X-API-Key out, or sign with the key");
    key = own_key(views, claim, &first->signer, name);
    if (key.len != 0) {
        struct out out = out_make(call->failure.need, sizeof(call->failure.need));
        bool       action = call->endpoint->sender == SENDER_KEY;
        out_literal(&out, "API key ");
        out_slice_put(&out, key);
        out_text(&out, action ? " signed: send its name in X-API-Key" : " signed, but only the main wallet may");
        return out_slice(&out);
    }
    if (claim->account_id != 0 && views_primary_account(views, &first->signer, &own))
        return SLICE("the recovered address is known here, but accountID belongs to another address");
    if (claim->account.user_id == 0)
        return SLICE("the recovered address has no account: body, nonce, domain or chain id differ from what was "
                     "signed, or another wallet signed");
    return SLICE("the recovered address is unknown: body, nonce, domain or chain id differ from what was signed, or "
                 "another wallet signed");
}

static bool fail_proof(struct call *call, const struct proof *first, const struct claim *claim)
{
    struct details_record *details = &call->failure.details;

    fail(&call->failure, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), call->request->header[HEADER_API_SIGN]);
    details->cause = likely_cause(call, first, claim);
    details->hashed = first->text;
    details->digest = first->digest;
    details->chain_id = first->chain_id;
    if (first->recovered) details->recovered = first->signer;
    return false;
}

/* A foreign chain id is the wallet's affair where the message itself names this exchange, and in development. */
static bool knows_chain(const struct call *call, const struct signed_headers *headers)
{
    if (headers->chain_id == 0) return call->api->chain_count != 0;
    if (is_own_chain(call->api->chain_ids, call->api->chain_count, headers->chain_id)) return true;
    return headers->signature.type == 2
        && (call->endpoint->sender == SENDER_WALLET || call->api->shared->settings.development);
}

bool prove(struct call *call, struct signing *signing, const void *payload)
{
    struct signed_headers *headers = &signing->headers;
    struct proof           first = { 0 };
    struct attempt         attempt = { call, headers, &signing->claim, &signing->proof, &first };
    bool                   proved;

    if (!knows_chain(call, headers)) {
        fail(&call->failure, REJECT_BAD_SIGNATURE, SLICE("X-API-Chain"), call->request->header[HEADER_API_CHAIN]);
        call->failure.details.need = SLICE("a chain id of this exchange, see /version");
        return false;
    }
    if (!headers->in_range) {
        fail(&call->failure, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), call->request->header[HEADER_API_SIGN]);
        call->failure.details.need = SLICE("r and s in range, s in the lower half, v of 0, 1, 27 or 28");
        return false;
    }
    signing->proof.signature = headers->signature;
    proved = call->endpoint->sender == SENDER_WALLET ? prove_grant(&attempt, payload) : prove_action(&attempt, payload);
    return proved || fail_proof(call, &first, &signing->claim);
}

bool prove_later(struct call *call, const struct signing *signing)
{
    const struct signed_headers *headers = &signing->headers;
    const struct api            *api = call->api;
    struct pending_signature    *pending = call->pending;
    struct out                   out = out_make(pending->room, sizeof(pending->room));
    uint32_t                     domains = domains_of(call, headers);
    uint8_t                      domain = (uint8_t)__builtin_ctz(domains);
    uint32_t                     chain = 0;

    if (call->endpoint->sender != SENDER_KEY || !knows_chain(call, headers) || !headers->in_range) return false;
    while (headers->chain_id != 0 && api->chain_ids[chain] != headers->chain_id) chain++; /* it is known */
    if (call->request->body.len > sizeof(pending->room) - 512) return false;
    write_as_received(call, &out);
    assert(!out.overflow);
    pending->text = out_slice(&out);
    pending->separator = &api->separators[domain][chain];
    return true;
}
