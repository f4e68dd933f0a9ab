/* SPDX-License-Identifier: MIT */
/*
 * write.c — a signed request becomes a command (trust.md B3, wire 3). The checks run from cheap to
 * dear, in this order, and the first that fails answers:
 *
 *   headers once and well formed → nonce within the window → body strictly the shape → the account
 *   exists → chain id is ours → signature in range → recovered and authorised → nothing unsupported →
 *   room in the history's memory → budget of the account and the key → command
 *
 * A request that fails costs at most two recoveries per chain id: one over the body as received and,
 * where it differs, one over its canonical form (ruling 4).
 */
#include "api/inside.h"
#include "base/hex.h"

#include <strings.h>

#define DAY_MS INT64_C(86400000)

/* ---- headers ---- */

struct signed_headers {
    struct signature signature;
    bool             in_range;      /* r, s and v are what they may be; asked after the body */
    uint64_t         nonce;
    uint64_t         chain_id;      /* 0 = not sent                                          */
    struct slice     key_name;      /* empty = the main wallet (ruling 7)                    */
};

/* 0 | [1-9][0-9]*, at most 2^64 - 1. */
static bool read_number(struct slice text, uint64_t *value)
{
    uint64_t sum = 0;

    if (text.len == 0 || (text.len > 1 && text.at[0] == '0')) return false;
    for (size_t i = 0; i < text.len; i++) {
        uint32_t digit = (uint32_t)(uint8_t)text.at[i] - '0';
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

static bool fail_header(struct call *call, enum reject reject, struct slice header, struct slice got, const char *need)
{
    fail(&call->failure, reject, header, got);
    if (need != NULL) call->failure.details.need = slice_of(need);
    return false;
}

static bool fail_nonce(struct call *call, enum nonce_reason reason, struct slice got, const char *need)
{
    call->failure.details.reason = slice_of(nonce_reason_text[reason]);
    call->failure.details.server_time = call->context->now_ms;
    return fail_header(call, REJECT_BAD_NONCE, SLICE("X-API-Nonce"), got, need);
}

static bool is_json(struct slice type)
{
    static const char json[] = "application/json";
    size_t len = sizeof(json) - 1;

    if (type.len < len || strncasecmp(type.at, json, len) != 0) return false;
    while (len < type.len && (type.at[len] == ' ' || type.at[len] == '\t')) len++;
    return len == type.len || type.at[len] == ';';
}

/* 66 bytes in hex that begin with 01. */
static bool read_sign(struct call *call, struct signed_headers *headers)
{
    struct slice text = call->request->header[HEADER_API_SIGN];
    uint8_t bytes[66];

    if (text.at == NULL)
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), SLICE("nothing"), "the header");
    if (call->request->repeated[HEADER_API_SIGN])
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text, "the header once");
    headers->in_range = signature_read(text, &headers->signature);
    if (headers->in_range && headers->signature.type == 1) return true;
    if (text.len == 130 || (text.len == 132 && text.at[1] == 'x'))
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text, "66 bytes: the type byte 01 before r, s and v is missing");
    if (!hex_read_0x(text, bytes, sizeof(bytes)))
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text, "66 bytes in hex: 01, r, s, v");
    if (bytes[0] != 1)
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text, "type byte 01; 02 is for wallet-level actions");
    return true;
}

static bool read_headers(struct call *call, struct signed_headers *headers)
{
    const struct http_request *request = call->request;
    struct slice nonce = request->header[HEADER_API_NONCE], key = request->header[HEADER_API_KEY];
    struct slice chain = request->header[HEADER_API_CHAIN], type = request->header[HEADER_CONTENT_TYPE];

    if (nonce.at == NULL) return fail_nonce(call, NONCE_MALFORMED, SLICE("nothing"), "the header");
    if (request->repeated[HEADER_API_NONCE]) return fail_nonce(call, NONCE_MALFORMED, nonce, "the header once");
    if (!read_number(nonce, &headers->nonce))
        return fail_nonce(call, NONCE_MALFORMED, nonce, "digits without a leading zero, at most 18446744073709551615");
    if (!read_sign(call, headers)) return false;
    if (request->repeated[HEADER_API_KEY])
        return fail_header(call, REJECT_UNKNOWN_KEY, SLICE("X-API-Key"), key, "the header once");
    headers->key_name = slice_is(key, "default") ? SLICE("") : key;
    if (request->repeated[HEADER_API_CHAIN])
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Chain"), chain, "the header once");
    if (chain.at != NULL && (!read_number(chain, &headers->chain_id) || headers->chain_id == 0))
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Chain"), chain, "a chain id in decimal digits, or no such header");
    if (request->repeated[HEADER_CONTENT_TYPE])
        return fail_header(call, REJECT_BAD_CONTENT_TYPE, SLICE("Content-Type"), type, "the header once");
    if (type.len != 0 && !is_json(type))
        return fail_header(call, REJECT_BAD_CONTENT_TYPE, SLICE("Content-Type"), type, NULL);
    return true;
}

/* Refuses early what the engine would refuse: T - 2 d < nonce < T + 1 d (ruling 9). */
static bool check_window(struct call *call, uint64_t nonce)
{
    int64_t now = call->context->now_ms;
    struct slice got = call->request->header[HEADER_API_NONCE];

    if (now >= 2 * DAY_MS && nonce <= (uint64_t)(now - 2 * DAY_MS))
        return fail_nonce(call, NONCE_TOO_OLD, got, "more than serverTime - 172800000");
    if (nonce >= (uint64_t)(now + DAY_MS))
        return fail_nonce(call, NONCE_TOO_FAR_AHEAD, got, "less than serverTime + 86400000");
    return true;
}

/* ---- who signed ---- */

/* What one recovery was about; the first one of a request explains a refusal. */
struct proof {
    struct signature signature;
    uint64_t         chain_id;
    struct slice     text;              /* the signed bytes */
    struct hash256   payload, digest;
    struct address   signer;
    bool             recovered;
};

/* The signed bytes up to the params. */
static struct slice wrap(struct out *out, const char *type)
{
    out_literal(out, "{\"type\":\"");
    out_text(out, type);
    out_literal(out, "\",\"params\":");
    return out_slice(out);
}

static struct slice signed_as_received(struct call *call)
{
    struct out out = out_make(call->api->signed_raw, sizeof(call->api->signed_raw));

    (void)wrap(&out, call->endpoint->type);
    json_compact(call->request->body, &out);
    out_char(&out, '}');
    assert(!out.overflow);                      /* the body is at most HTTP_BODY_MAX */
    return out_slice(&out);
}

/* Empty when the canonical form does not fit: nobody has signed that. */
static struct slice signed_canonical(struct call *call, const void *payload)
{
    struct out out = out_make(call->api->signed_canonical, sizeof(call->api->signed_canonical));

    (void)wrap(&out, call->endpoint->type);
    shape_write(&out, call->endpoint->takes, payload, true);
    out_char(&out, '}');
    return out.overflow ? (struct slice){ NULL, 0 } : out_slice(&out);
}

/* The recovered address owns the account; account 0 is the primary one of whoever signed (ruling 62). */
static bool is_authorised(const struct views *views, const struct address *signer, uint64_t account_id,
                          const struct view_account *account)
{
    struct view_account primary;

    if (account_id == 0) return views_primary_account(views, signer, &primary);
    return address_equal(&account->owner, signer);
}

/* Which of our chain ids the request may be signed for: the one it names, else all (ruling 8). */
static bool chain_is_candidate(const struct signed_headers *headers, uint64_t chain_id)
{
    return headers->chain_id == 0 || headers->chain_id == chain_id;
}

static bool prove_text(struct call *call, const struct signed_headers *headers, uint64_t account_id,
                       const struct view_account *account, struct proof *proof, struct proof *first)
{
    const struct api *api = call->api;

    proof->payload = keccak256(proof->text.at, proof->text.len);
    for (uint32_t i = 0; i < api->chain_count; i++) {
        if (!chain_is_candidate(headers, api->chain_ids[i])) continue;
        proof->chain_id = api->chain_ids[i];
        proof->digest = action_digest(&api->separators[i], &proof->payload, headers->nonce);
        proof->recovered = recover_signer(&proof->digest, &proof->signature, &proof->signer);
        if (proof->recovered && is_authorised(api->shared->views, &proof->signer, account_id, account)) return true;
        if (first->text.len == 0) *first = *proof;
    }
    return false;
}

/* Why a signature proves nothing, told from what was recovered anyway. */
static const char *likely_cause(struct call *call, const struct proof *first, uint64_t account_id)
{
    struct view_account own;

    if (!first->recovered) return "no key can have made this signature over the digest";
    if (account_id != 0 && views_primary_account(call->api->shared->views, &first->signer, &own))
        return "the recovered address is known here, but accountID belongs to another address";
    if (account_id == 0)
        return "the recovered address has no account: body, nonce, domain or chain id differ from what was signed, or another wallet signed";
    return "the recovered address is unknown: body, nonce, domain or chain id differ from what was signed, or another wallet signed";
}

static bool fail_proof(struct call *call, const struct proof *first, uint64_t account_id)
{
    struct details_record *details = &call->failure.details;

    fail(&call->failure, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), call->request->header[HEADER_API_SIGN]);
    details->cause = slice_of(likely_cause(call, first, account_id));
    details->hashed = first->text;
    details->digest = first->digest;
    details->chain_id = first->chain_id;
    if (first->recovered) details->recovered = first->signer;
    return false;
}

static bool knows_chain(const struct api *api, const struct signed_headers *headers)
{
    for (uint32_t i = 0; i < api->chain_count; i++)
        if (chain_is_candidate(headers, api->chain_ids[i])) return true;
    return false;
}

/* The main wallet alone can sign: no key is registered yet, so a name names none (wire 3.3). */
static bool check_key(struct call *call, const struct signed_headers *headers)
{
    struct slice name = headers->key_name;
    bool address = name.len == 42 && name.at[0] == '0' && name.at[1] == 'x';

    if (name.len == 0) return true;
    return fail_header(call, REJECT_UNKNOWN_KEY, SLICE("X-API-Key"), name,
                       address ? "the key's name, not its address; leave the header out when the main wallet signs" : NULL);
}

static bool prove(struct call *call, const struct signed_headers *headers, uint64_t account_id, const void *payload,
                  struct proof *proof)
{
    const struct view_account nobody = { 0 };
    struct view_account account = nobody;
    struct proof first = { 0 };
    struct slice raw;

    if (account_id != 0 && !views_account(call->api->shared->views, account_id, &account)) {
        struct out got = out_make(call->failure.got, sizeof(call->failure.got));
        fail(&call->failure, REJECT_ACCOUNT_NOT_FOUND, SLICE("accountID"), SLICE(""));
        out_u64(&got, account_id);
        call->failure.details.got = out_slice(&got);
        return false;
    }
    if (!check_key(call, headers)) return false;
    if (!knows_chain(call->api, headers))
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Chain"), call->request->header[HEADER_API_CHAIN],
                           "a chain id of this exchange, see /version");
    if (!headers->in_range)
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), call->request->header[HEADER_API_SIGN],
                           "r and s in range, s in the lower half, v of 0, 1, 27 or 28");
    proof->signature = headers->signature;
    proof->text = raw = signed_as_received(call);
    if (prove_text(call, headers, account_id, &account, proof, &first)) return true;
    proof->text = signed_canonical(call, payload);
    if (proof->text.len != 0 && !slice_equal(proof->text, raw) &&
        prove_text(call, headers, account_id, &account, proof, &first)) return true;
    return fail_proof(call, &first, account_id);
}

/* ---- the command ---- */

/* Bytes of the payload that are used, as far as the log is concerned. */
static size_t payload_bytes(const struct command_room *room, uint16_t kind)
{
    switch (kind) {
    case CMD_PLACE_ORDERS:   return PAYLOAD_BYTES(place_orders, room->place_orders.count);
    case CMD_CANCEL_ORDERS:  return PAYLOAD_BYTES(cancel_orders, room->cancel_orders.count);
    case CMD_REPLACE_ORDERS: return PAYLOAD_BYTES(replace_orders, room->replace_orders.count);
    default:
        assert(kind == CMD_SCHEDULE_CANCEL);
        return sizeof(struct schedule_cancel);
    }
}

/* Every payload begins with its account. */
#define X(payload) static_assert(offsetof(struct payload, account_id) == 0, "account first");
X(place_orders) X(cancel_orders) X(replace_orders) X(schedule_cancel)
#undef X

static bool is_public_chain(uint64_t chain_id) { return chain_id == 286623 || chain_id == 138565; }

/* The accounts that a development exchange was born with; anybody else has keys of value (ruling 8). */
static bool is_genesis_owner(const struct genesis *genesis, const struct address *signer)
{
    for (uint32_t i = 0; i < genesis->account_count; i++)
        if (address_equal(&genesis->accounts[i].owner, signer)) return true;
    return false;
}

static void fill_write(struct call *call, const struct signed_headers *headers, const struct proof *proof, struct api_write *write)
{
    const struct api_shared *shared = call->api->shared;
    struct command *head = &write->room.head;

    *head = (struct command){
        .bytes = (uint32_t)align_up(sizeof(*head) + payload_bytes(&write->room, call->endpoint->command), 8),
        .kind = call->endpoint->command, .market = MARKET_SPOT, .domain = DOMAIN_SPOT,
        .nonce = headers->nonce, .chain_id = proof->chain_id, .signer = proof->signer,
    };
    memcpy(&head->payload_tag, proof->payload.bytes, sizeof(head->payload_tag));
    write->endpoint = call->endpoint;
    write->signed_bytes = proof->text;
    write->signature = proof->signature;
    write->reduces = call->endpoint->reduces;
    write->warn_foreign = shared->settings.development && is_public_chain(proof->chain_id) &&
                          !is_genesis_owner(shared->genesis, &proof->signer);
}

/* Known keys that this exchange does not offer are refused once the signature is good (ruling 4). */
static bool check_supported(struct call *call, const struct command_room *room)
{
    if (call->endpoint->command != CMD_PLACE_ORDERS || !room->place_orders.builder_given) return true;
    fail(&call->failure, REJECT_NOT_SUPPORTED, SLICE("builder"), SLICE(""));
    call->failure.details.rule = SLICE("builder fees are not offered; leave the key out");
    return false;
}

/* The rows that new risk would make have no room in memory until the disk catches up (ruling 51). */
static bool check_room(struct call *call)
{
    if (call->endpoint->reduces || !history_is_full(call->api->shared->history)) return true;
    fail(&call->failure, REJECT_BUSY, SLICE(""), SLICE(""));
    return false;
}

bool write_prepare(struct call *call, struct api_write *write)
{
    struct signed_headers headers = { 0 };
    struct shape_error error;
    struct proof proof = { 0 };
    void *payload = &write->room.place_orders;
    uint64_t account_id;

    call->failure.details.nonce = SLICE("not used");
    if (!read_headers(call, &headers) || !check_window(call, headers.nonce)) return false;
    if (shape_read(call->endpoint->takes, call->request->body, payload, &error) != REJECT_NONE) {
        fail_shape(&call->failure, &error);
        return false;
    }
    if (!limit_items(call, payload)) return false;
    memcpy(&account_id, payload, sizeof(account_id));
    if (!prove(call, &headers, account_id, payload, &proof)) return false;
    if (!check_supported(call, &write->room) || !check_room(call)) return false;
    fill_write(call, &headers, &proof, write);
    return limit_write(call, write);
}
