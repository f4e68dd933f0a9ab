/* SPDX-License-Identifier: MIT */
#include "api/rest/explain.h"

#include "wire/json.h"
#include "wire/json_members.h"

#define CAUSES_MAX 4
#define TEXTS_AT   (512 * 1024) /* in the memory of the chain node, behind the request that is explained */
#define DEPTH_MAX  16
#define MEMBERS    32 /* of an object that is sorted */

static const char *const domain_names[] = {
    [DOMAIN_SPOT] = "spot", [DOMAIN_FUTURES] = "futures", [DOMAIN_UNIVERSAL] = "universal"
};

/* ---- what the request has, whatever the checks came to ---- */

struct said {
    struct signing signing;    /* headers and claim, as far as they can be read */
    bool           lacks_type; /* the signature is 65 bytes without the type byte */
    bool           has_nonce;
    uint8_t        domain;   /* that is expected */
    uint64_t       chain_id; /* likewise */
    struct slice   text;     /* that an action signs; empty = the body is no JSON */
};

static void read_sign(const struct call *call, struct said *said)
{
    struct slice text = call->request->header[HEADER_API_SIGN];
    char         with[SIGNATURE_TEXT] = "0x01";

    said->signing.headers.in_range = signature_read(text, &said->signing.headers.signature);
    if (text.len == 132 && text.at[1] == 'x') text = slice_make(text.at + 2, 130);
    if (said->signing.headers.in_range || text.len != 130) return;
    memcpy(with + 4, text.at, text.len);
    said->lacks_type = signature_read(slice_make(with, sizeof(with)), &said->signing.headers.signature);
    said->signing.headers.in_range = said->lacks_type;
}

/* Reads the claim again: the checks may have ended before it. */
static void read_claim(struct call *call, struct said *said)
{
    struct command_room room;
    struct shape_error  error;
    struct failure      kept = call->failure;
    uint64_t            account_id = 0;

    if (shape_read(endpoint_takes(call->endpoint), call->request->body, &room.place_orders, &error) == REJECT_NONE)
        memcpy(&account_id, &room.place_orders, sizeof(account_id));
    (void)claim_read(call, &said->signing.headers, account_id, &said->signing.claim);
    call->failure = kept; /* its slices point into the same memory again */
}

static void read_said(struct call *call, const struct signing *signing, struct said *said)
{
    const struct http_request *request = call->request;
    struct slice               key = request->header[HEADER_API_KEY];
    uint64_t                   chain_id = 0;
    bool                       names_chain = number_read(request->header[HEADER_API_CHAIN], &chain_id);

    memset(said, 0, sizeof(*said));
    said->signing = *signing;
    said->has_nonce = number_read(request->header[HEADER_API_NONCE], &said->signing.headers.nonce);
    read_sign(call, said);
    said->signing.headers.key_name = slice_is(key, "default") ? SLICE("") : key;
    said->chain_id = names_chain && chain_id != 0 ? chain_id : call->api->chain_ids[0];
    said->domain = (uint8_t)__builtin_ctz(domains_of(call, &said->signing.headers));
    if (json_is_valid(request->body)) said->text = signed_as_received(call);
    if (said->text.len != 0) read_claim(call, said);
}

/* ---- members ---- */

static void put_bytes(struct out *out, const char *key, const void *bytes, size_t len)
{
    json_key(out, key);
    out_literal(out, "\"0x");
    out_hex(out, bytes, len);
    out_char(out, '"');
}

static void put_text(struct out *out, const char *key, struct slice text)
{
    json_key(out, key);
    json_write_string(out, text);
}

static void put_domain(struct out *out, uint8_t domain, uint64_t chain_id)
{
    struct hash256 separator = domain_separator(domain, chain_id);

    json_key(out, "domain");
    out_literal(out, "{\"name\":\"");
    out_text(out, domain_names[domain]);
    out_literal(out, "\",\"version\":\"1\",\"chainId\":");
    out_u64(out, chain_id);
    out_literal(out, ",\"verifyingContract\":\"0x0000000000000000000000000000000000000000\"}");
    put_bytes(out, "domainSeparator", separator.bytes, sizeof(separator.bytes));
}

static void put_signature(struct out *out, const struct said *said)
{
    const struct signature *signature = &said->signing.headers.signature;

    if (!said->signing.headers.in_range) return;
    json_key(out, "signature");
    out_literal(out, "{\"type\":");
    out_u64(out, said->lacks_type ? 0 : signature->type);
    put_bytes(out, "r", signature->r, sizeof(signature->r));
    put_bytes(out, "s", signature->s, sizeof(signature->s));
    json_number(out, "v", signature->v);
    out_char(out, '}');
}

/* Whose signature it should be; nothing where any owner of an account may sign. */
static void put_expected(struct out *out, const struct claim *claim)
{
    if (claim->account.user_id == 0) return;
    json_key(out, "expected");
    out_literal(out, "{\"accountID\":");
    out_u64(out, claim->account.account_id);
    if (claim->key.key_id != 0) put_text(out, "key", slice_make(claim->key.name.at, claim->key.name.len));
    put_bytes(out, "address", claim->key.key_id != 0 ? claim->key.public_key.bytes : claim->account.owner.bytes, 20);
    out_char(out, '}');
}

/* Typed data of its own: the checks have shown the message and its digest. */
static void put_grant(struct call *call, const struct signing *signing, struct out *out)
{
    const struct details_record *details = &call->failure.details;
    bool                         refused = call->failure.reject != REJECT_NONE;
    const struct hash256        *digest = refused ? &details->digest : &signing->proof.digest;

    if (refused && details->hashed.len != 0) put_text(out, "hashed", details->hashed);
    put_domain(out, DOMAIN_UNIVERSAL, refused ? details->chain_id : signing->proof.chain_id);
    put_bytes(out, "digest", digest->bytes, sizeof(digest->bytes));
    put_bytes(out, "recovered", refused ? details->recovered.bytes : signing->proof.signer.bytes, 20);
}

static void put_action(const struct said *said, const struct proof *proof, struct out *out)
{
    struct hash256 separator = domain_separator(proof->domain, proof->chain_id);
    struct hash256 payload = keccak256(proof->text.at, proof->text.len);
    struct hash256 digest = action_digest(&separator, &payload, said->signing.headers.nonce);
    struct address signer;

    put_text(out, "hashed", proof->text);
    put_bytes(out, "payloadHash", payload.bytes, sizeof(payload.bytes));
    put_domain(out, proof->domain, proof->chain_id);
    if (!said->has_nonce) return;
    json_number(out, "nonce", said->signing.headers.nonce);
    put_bytes(out, "digest", digest.bytes, sizeof(digest.bytes));
    if (said->signing.headers.in_range && recover_signer(&digest, &said->signing.headers.signature, &signer))
        put_bytes(out, "recovered", signer.bytes, sizeof(signer.bytes));
}

void explain_facts(struct call *call, const struct signing *signing, struct out *out)
{
    struct said  said;
    struct proof proof;

    read_said(call, signing, &said);
    proof = (struct proof){ .domain = said.domain, .chain_id = said.chain_id, .text = said.text };
    if (call->failure.reject == REJECT_NONE) proof = signing->proof;
    if (call->endpoint->sender == SENDER_WALLET) put_grant(call, signing, out);
    else if (proof.text.len != 0) put_action(&said, &proof, out);
    put_signature(out, &said);
    put_expected(out, &said.signing.claim);
}

/* ---- causes ---- */

/* One way in which the signature may have been made. */
struct way {
    const char  *over; /* the text in words; NULL = as it was sent */
    struct slice text;
    uint8_t      domain;
    uint64_t     chain_id, nonce;
    bool         flipped, personal;
};

struct search {
    struct call       *call;
    const struct said *said;
    struct out        *out;
    uint32_t           found;
};

static struct hash256 digest_of(const struct way *way)
{
    struct hash256 separator = domain_separator(way->domain, way->chain_id);
    struct hash256 payload = keccak256(way->text.at, way->text.len);
    struct hash256 digest = action_digest(&separator, &payload, way->nonce);
    struct keccak  keccak;

    if (!way->personal) return digest;
    keccak_init(&keccak);
    keccak_add(&keccak,
               "\x19"
               "Ethereum Signed Message:\n32",
               28);
    keccak_add(&keccak, digest.bytes, sizeof(digest.bytes));
    return keccak_end(&keccak);
}

/* The owner's key with this address. */
static bool is_key_of(const struct search *search, const struct address *signer, struct view_key *key)
{
    struct view_key keys[16];
    uint64_t        user_id = search->said->signing.claim.account.user_id;
    uint32_t        count = user_id == 0 ? 0 : views_keys(search->call->api->shared->views, user_id, keys, 16);

    for (uint32_t i = 0; i < min_u32(count, 16); i++) {
        if (!address_equal(&keys[i].public_key, signer)) continue;
        *key = keys[i];
        return true;
    }
    return false;
}

static void say(struct out *text, const char *words)
{
    if (text->len > 13) out_literal(text, ", and ");
    out_text(text, words);
}

/* In what it differs from what is expected. */
static void say_way(const struct said *said, const struct way *way, struct out *text)
{
    if (said->lacks_type) say(text, "without the type byte: put 01 before r, s and v");
    if (way->over != NULL) say(text, way->over);
    if (way->domain != said->domain) {
        say(text, "in the domain ");
        out_text(text, domain_names[way->domain]);
        out_literal(text, ", not ");
        out_text(text, domain_names[said->domain]);
    }
    if (way->chain_id != said->chain_id) {
        say(text, "for the chain id ");
        out_u64(text, way->chain_id);
        out_literal(text, ", not ");
        out_u64(text, said->chain_id);
    }
    if (way->nonce != said->signing.headers.nonce) {
        say(text, "with the nonce ");
        out_u64(text, way->nonce);
        out_literal(text, ", which X-API-Nonce does not have");
    }
    if (way->flipped) say(text, "with the other v (0 or 1)");
    if (way->personal) say(text, "as a personal message: sign typed data (eth_signTypedData_v4)");
}

static void say_who(const struct search *search, const struct view_key *key, bool authorised, struct out *text)
{
    if (authorised) return;
    if (key->key_id != 0) {
        say(text, "by the API key ");
        out_bytes(text, key->name.at, key->name.len);
        out_literal(text, ": send its name in X-API-Key");
    } else if (search->said->signing.claim.key.key_id != 0) {
        say(text, "by the main wallet: leave X-API-Key out");
    }
}

/* Whether the signature was made in this way, by somebody who may sign for the account; then a sentence. */
static bool try_way(struct search *search, const struct way *way)
{
    const struct claim *claim = &search->said->signing.claim;
    struct signature    signature = search->said->signing.headers.signature;
    struct hash256      digest = digest_of(way);
    struct view_key     key = { 0 };
    struct address      signer;
    char                room[512];
    struct out          text = out_make(room, sizeof(room));
    bool                authorised;

    signature.v ^= way->flipped;
    if (search->found == CAUSES_MAX || !recover_signer(&digest, &signature, &signer)) return false;
    authorised = is_authorised(search->call->api->shared->views, claim, &signer);
    if (!authorised && !is_key_of(search, &signer, &key)
        && (claim->account.user_id == 0 || !address_equal(&claim->account.owner, &signer)))
        return false;
    out_literal(&text, "it is signed ");
    say_way(search->said, way, &text);
    say_who(search, &key, authorised, &text);
    if (text.len == 13) return false; /* as it should be */
    if (search->found++ != 0) out_char(search->out, ',');
    json_write_string(search->out, out_slice(&text));
    return true;
}

/* Every domain, chain id and parity. */
static bool try_domains(struct search *search, struct way way)
{
    const struct api *api = search->call->api;
    bool              any = false;

    for (way.domain = DOMAIN_SPOT; way.domain <= DOMAIN_UNIVERSAL; way.domain++) {
        for (uint32_t i = 0; i <= api->chain_count; i++) {
            way.chain_id = i < api->chain_count ? api->chain_ids[i] : search->said->chain_id;
            if (i == api->chain_count && way.chain_id == api->chain_ids[0]) continue;
            way.flipped = false;
            any = try_way(search, &way) || any;
            way.flipped = true;
            any = try_way(search, &way) || any;
        }
    }
    return any;
}

/* ---- other texts ---- */

static void out_sorted(struct scan *scan, struct out *out, int depth);

static bool is_before(struct slice a, struct slice b)
{
    int order = memcmp(a.at, b.at, min_size(a.len, b.len));

    return order < 0 || (order == 0 && a.len < b.len);
}

static void out_sorted_object(struct scan *scan, struct out *out, int depth)
{
    struct member {
        struct slice key;
        const char  *value;
    } members[MEMBERS];
    uint32_t count = 0;

    scan->at++;
    scan_space(scan);
    while (!scan_is(scan, '}')) {
        struct member member;
        const char   *start = scan->at;
        bool          ok = scan_value(scan, DEPTH_MAX, false);
        uint32_t      at;

        member.key = slice_make(start, (size_t)(scan->at - start));
        while (ok && !scan_char(scan, ':')) scan->at++;
        scan_space(scan);
        member.value = scan->at;
        if (!ok || !scan_value(scan, DEPTH_MAX, false) || count == MEMBERS) {
            out->overflow = true;
            return;
        }
        for (at = count++; at > 0 && is_before(member.key, members[at - 1].key); at--) members[at] = members[at - 1];
        members[at] = member;
        scan_space(scan);
        (void)scan_char(scan, ',');
        scan_space(scan);
    }
    scan->at++;
    out_char(out, '{');
    for (uint32_t i = 0; i < count; i++) {
        struct scan value = { members[i].value, scan->end };

        if (i != 0) out_char(out, ',');
        out_slice_put(out, members[i].key);
        out_char(out, ':');
        out_sorted(&value, out, depth - 1);
    }
    out_char(out, '}');
}

/* A value of valid JSON without white space, the members of objects in the order of their keys. */
static void out_sorted(struct scan *scan, struct out *out, int depth)
{
    const char *start = scan->at;

    if (depth == 0) {
        out->overflow = true;
    } else if (*start == '{') {
        out_sorted_object(scan, out, depth);
    } else if (*start == '[') {
        out_char(out, '[');
        scan->at++;
        scan_space(scan);
        while (!out->overflow && !scan_is(scan, ']')) {
            json_next(out);
            out_sorted(scan, out, depth - 1);
            scan_space(scan);
            (void)scan_char(scan, ',');
            scan_space(scan);
        }
        scan->at++;
        out_char(out, ']');
    } else if (scan_value(scan, DEPTH_MAX, false)) {
        out_bytes(out, start, (size_t)(scan->at - start));
    } else {
        out->overflow = true;
    }
}

static void write_text(struct call *call, uint32_t number, struct out *out)
{
    struct slice body = call->request->body;
    struct scan  scan = { body.at, body.at + body.len };
    bool         bare = number == 3, spaced = number == 2;

    scan_space(&scan);
    if (!bare) {
        out_text(out, spaced ? "{\"type\": \"" : "{\"type\":\"");
        out_text(out, endpoint_type(call->endpoint));
        out_text(out, spaced ? "\", \"params\": " : "\",\"params\":");
    }
    if (number == 0) out_sorted(&scan, out, DEPTH_MAX);
    else if (bare) json_compact(body, out);
    else out_slice_put(out, body);
    if (!bare) out_char(out, '}');
}

static void try_texts(struct search *search, struct way way)
{
    static const char *const over[] = {
        "over the text with its keys sorted: sign the body as it is sent",
        "over the body with its white space: it is hashed without",
        "over a text with white space: it is hashed without",
        "over the body alone: {\"type\":…,\"params\":…} belongs around it",
    };
    struct rpc_room *room = &search->call->api->rpc;

    for (uint32_t i = 0; i < ARRAY_COUNT(over); i++) {
        struct out out = out_make(room->log + TEXTS_AT, sizeof(room->log) - TEXTS_AT);

        write_text(search->call, i, &out);
        if (out.overflow || slice_equal(out_slice(&out), search->said->text)) continue;
        way.text = out_slice(&out);
        way.over = over[i];
        if (try_domains(search, way)) return;
    }
}

/* Seconds for milliseconds, and counters that went on before the request was sent. */
static void try_nonces(struct search *search, struct way way)
{
    uint64_t nonce = way.nonce;

    for (int by = -5; by <= 5; by++) {
        way.nonce = nonce + (uint64_t)by;
        if (by != 0 && try_domains(search, way)) return;
    }
    way.nonce = nonce / 1000;
    if (try_domains(search, way)) return;
    if (nonce <= UINT64_MAX / 1000) way.nonce = nonce * 1000;
    (void)try_domains(search, way);
}

void explain_causes(struct call *call, const struct signing *signing, struct out *out)
{
    struct said   said;
    struct search search = { call, &said, out, 0 };
    struct way    way;

    read_said(call, signing, &said);
    if (said.text.len != 0 && said.has_nonce && said.signing.headers.in_range && call->endpoint->sender != SENDER_WALLET
        && call->failure.reject != REJECT_NONE) {
        way = (struct way){ .text = said.text, .nonce = said.signing.headers.nonce };
        if (!try_domains(&search, way)) {
            way.personal = true;
            (void)try_domains(&search, way);
            way.personal = false;
            if (search.found == 0) try_texts(&search, way);
            if (search.found == 0) try_nonces(&search, way);
        }
    }
    if (search.found != 0 || call->failure.details.cause.len == 0) return;
    json_write_string(out, call->failure.details.cause);
}
