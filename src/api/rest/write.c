/* SPDX-License-Identifier: MIT */
/*
 * write.c — a signed request becomes a command (process 2, wire 3). The checks run from cheap to expensive, in this
 * order, and the first that fails decides the answer:
 *
 *   headers once and well formed → nonce within the window → body strictly the shape → account, owner
 *   and key exist → chain id is ours → signature in range → recovered and authorised → nothing unsupported →
 *   room in the history's memory → nonce not used → budget of the account and the key → command
 *
 * proof.c determines the signer and describes the cost of a failure; a feeder's post takes its own path after the
 * headers (oracle.c).
 */
#include "api/rest/impersonated.h"
#include "base/hex.h"
#include "model/payload.h"

#include <strings.h>

/* ---- headers ---- */

bool number_read(struct slice text, uint64_t *value)
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
    call->failure.details.server_time = call->context->now_ms - call->context->offset_ms;
    return fail_header(call, REJECT_BAD_NONCE, SLICE("X-API-Nonce"), got, need);
}

bool type_is_json(struct slice type)
{
    static const char json[] = "application/json";
    size_t            len = sizeof(json) - 1;

    if (type.len < len || strncasecmp(type.at, json, len) != 0) return false;
    while (len < type.len && (type.at[len] == ' ' || type.at[len] == '\t')) len++;
    return len == type.len || type.at[len] == ';';
}

/* Valid type bytes: 01 for actions, 02 for wallet-level ones, either for a revocation (wire 3.4). */
static const char *sign_need(const struct endpoint *endpoint, uint8_t type)
{
    switch (endpoint->sender) {
    case SENDER_KEY: return type == 1 ? NULL : "type byte 01; 02 is for wallet-level actions";
    case SENDER_WALLET:
        return type == 2 ? NULL
                         : "type byte 02: typed data of its own, signed in the domain universal by the main wallet";
    case SENDER_FEEDER: return type == 1 ? NULL : "type byte 01: OraclePrices, signed in the domain oracle by a feeder";
    default:
        return type == 1 || type == 2
                 ? NULL
                 : "type byte 02, signed in the domain universal, or 01, in the domain of the base";
    }
}

static bool is_action(const struct endpoint *endpoint)
{
    return endpoint->sender == SENDER_KEY || endpoint->sender == SENDER_FEEDER;
}

static bool read_sign(struct call *call, struct signed_headers *headers)
{
    struct slice text = call->request->header[HEADER_API_SIGN];
    const char  *need;
    uint8_t      bytes[66];

    if (text.at == NULL)
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), SLICE("nothing"), "the header");
    if (call->request->repeated[HEADER_API_SIGN])
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text, "the header once");
    headers->in_range = signature_read(text, &headers->signature);
    if (headers->in_range && sign_need(call->endpoint, headers->signature.type) == NULL) return true;
    if (text.len == 130 || (text.len == 132 && text.at[1] == 'x'))
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text,
                           is_action(call->endpoint) ? "66 bytes: the type byte 01 before r, s and v is missing"
                                                     : "66 bytes: the type byte 02 before r, s and v is missing");
    if (!hex_read_0x(text, bytes, sizeof(bytes)))
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text,
                           is_action(call->endpoint) ? "66 bytes in hex: 01, r, s, v" : "66 bytes in hex: 02, r, s, v");
    need = sign_need(call->endpoint, bytes[0]);
    if (need != NULL) return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), text, need);
    headers->signature.type = bytes[0];
    return true;
}

static bool read_nonce(struct call *call, struct signed_headers *headers)
{
    const struct http_request *request = call->request;
    struct slice               nonce = request->header[HEADER_API_NONCE];

    if (nonce.at == NULL) return fail_nonce(call, NONCE_MALFORMED, SLICE("nothing"), "the header");
    if (request->repeated[HEADER_API_NONCE]) return fail_nonce(call, NONCE_MALFORMED, nonce, "the header once");
    if (!number_read(nonce, &headers->nonce))
        return fail_nonce(call, NONCE_MALFORMED, nonce, "digits without a leading zero, at most 18446744073709551615");
    return true;
}

static bool check_type(struct call *call)
{
    struct slice type = call->request->header[HEADER_CONTENT_TYPE];

    if (call->request->repeated[HEADER_CONTENT_TYPE])
        return fail_header(call, REJECT_BAD_CONTENT_TYPE, SLICE("Content-Type"), type, "the header once");
    if (type.len != 0 && !type_is_json(type))
        return fail_header(call, REJECT_BAD_CONTENT_TYPE, SLICE("Content-Type"), type, NULL);
    return true;
}

static bool read_headers(struct call *call, struct signed_headers *headers)
{
    const struct http_request *request = call->request;
    struct slice               key = request->header[HEADER_API_KEY];
    struct slice               chain = request->header[HEADER_API_CHAIN];

    if (call->endpoint->sender != SENDER_FEEDER && !read_nonce(call, headers)) return false;
    if (!read_sign(call, headers)) return false;
    if (request->repeated[HEADER_API_KEY])
        return fail_header(call, REJECT_UNKNOWN_KEY, SLICE("X-API-Key"), key, "the header once");
    if (key.at == NULL && call->api->shared->settings.strict_key_header && call->endpoint->sender == SENDER_KEY)
        return fail_header(call, REJECT_UNKNOWN_KEY, SLICE("X-API-Key"), SLICE("nothing"),
                           "the header: the key's name, or default for the main wallet");
    headers->key_name = slice_is(key, "default") ? SLICE("") : key;
    if (request->repeated[HEADER_API_CHAIN])
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Chain"), chain, "the header once");
    if (chain.at != NULL && (!number_read(chain, &headers->chain_id) || headers->chain_id == 0))
        return fail_header(call, REJECT_BAD_SIGNATURE, SLICE("X-API-Chain"), chain,
                           "a chain id in decimal digits, or no such header");
    return check_type(call);
}

/*
 * Refuses early a nonce that the engine would refuse: T - 2 d < nonce < T + 1 d (ruling 9), T without the offset of an
 * advanced development exchange, so that clients that sign by their clock continue to work (ruling 44).
 */
static bool check_window(struct call *call, uint64_t nonce)
{
    int64_t      now = call->context->now_ms - call->context->offset_ms;
    struct slice got = call->request->header[HEADER_API_NONCE];

    if (now >= 2 * DAY_MS && nonce <= (uint64_t)(now - 2 * DAY_MS))
        return fail_nonce(call, NONCE_TOO_OLD, got, "more than serverTime - 172800000");
    if (nonce >= (uint64_t)(now + DAY_MS))
        return fail_nonce(call, NONCE_TOO_FAR_AHEAD, got, "less than serverTime + 86400000");
    return true;
}

/* ---- the command ---- */

/* The initial accounts of a development exchange; any other account has a key of value (ruling 8). */
static bool is_genesis_owner(const struct genesis *genesis, const struct address *signer)
{
    for (uint32_t i = 0; i < genesis->account_count; i++)
        if (address_equal(&genesis->accounts[i].owner, signer)) return true;
    return false;
}

/* Orders that can only reduce a position take risk away like cancels; that is known once they are read. */
static uint8_t write_class(const struct endpoint *endpoint, const void *payload)
{
    const struct place_perps *place = payload;

    if (endpoint->command != CMD_PLACE_PERPS) return endpoint->class;
    for (uint32_t i = 0; i < place->count; i++)
        if (!place->items[i].reduce_only) return CLASS_RISK;
    return CLASS_CANCEL;
}

static void fill_write(struct call *call, const struct signing *signing, const void *payload, struct api_write *write)
{
    const struct api_shared *shared = call->api->shared;
    const struct claim      *claim = &signing->claim;
    const struct proof      *proof = &signing->proof;
    struct command          *head = &write->room.head;

    *head = (struct command){
        .bytes = (uint32_t)align_up(sizeof(*head) + payload_bytes(command_row(call->endpoint->command), payload), 8),
        .kind = call->endpoint->command,
        .market = call->market,
        .domain = proof->domain,
        .nonce = signing->headers.nonce,
        .chain_id = proof->chain_id,
        .signer = proof->signer,
        .key_id = claim->key.key_id,
    };
    memcpy(&head->payload_tag, proof->payload.bytes, sizeof(head->payload_tag));
    write->hints_bytes = (uint32_t)hints_make(&call->api->hint_tables, head, &write->hints);
    write->endpoint = call->endpoint;
    write->signed_bytes = proof->text;
    write->signature = proof->signature;
    write->class = write_class(call->endpoint, payload);
    write->warn_foreign =
        shared->settings.development && is_public_chain(proof->chain_id)
        && !is_genesis_owner(shared->genesis, claim->key.key_id != 0 ? &claim->account.owner : &proof->signer);
}

/* Known keys that this exchange does not offer are refused once the signature is good (ruling 4). */
static bool check_supported(struct call *call, const void *payload)
{
    bool builder = false;

    if (call->endpoint->command == CMD_PLACE_ORDERS)
        builder = ((const struct place_orders *)payload)->builder_given != 0;
    if (call->endpoint->command == CMD_PLACE_PERPS) builder = ((const struct place_perps *)payload)->builder_given != 0;
    if (call->endpoint->command == CMD_ADD_KEY) builder = ((const struct add_key_request *)payload)->builder.id != 0;
    if (!builder) return true;
    fail(&call->failure, REJECT_NOT_SUPPORTED, SLICE("builder"), SLICE(""));
    call->failure.details.rule = SLICE("builder fees are not offered; leave the key out");
    return false;
}

/* Each base takes its own directions; the rest of the rule is in the shape (service 4.2, service 4.5). */
static bool check_direction(struct call *call, const void *payload)
{
    const struct transfer_asset *transfer = payload;

    if (call->endpoint->command != CMD_TRANSFER || payload_transfer_on(transfer, call->market)) return true;
    fail_number(&call->failure, REJECT_TRANSFER_TYPE, SLICE("type"), transfer->type);
    return false;
}

/* LONG and SHORT are taken unless the venue is strict about them
   (mechanics 3.1); the setting is no secret of the engine's. */
static bool check_position_sides(struct call *call, const void *payload)
{
    const struct place_perps *place = payload;

    if (call->endpoint->command != CMD_PLACE_PERPS || !call->api->shared->genesis->rules.strict_position_side)
        return true;
    for (uint32_t i = 0; i < place->count; i++) {
        char       text[40];
        struct out field = out_make(text, sizeof(text));

        if (place->items[i].position_side == POSITION_BOTH) continue;
        out_literal(&field, "orders[");
        out_u64(&field, i);
        out_literal(&field, "].positionSide");
        fail_number(&call->failure, REJECT_POSITION_SIDE, out_slice(&field), place->items[i].position_side);
        return false;
    }
    return true;
}

/* The rows that new risk would make have no room in memory until the disk catches up (ruling 51). */
static bool check_room(struct call *call)
{
    if (call->endpoint->class == CLASS_CANCEL || !history_is_full(call->api->shared->history)) return true;
    fail(&call->failure, REJECT_BUSY, SLICE(""), SLICE(""));
    return false;
}

/*
 * Refuses early what the engine would refuse for its nonce: whoever has seen a signed request may send it again, and
 * would spend its signer's budget and the log's disk (rulings 9, 16; decision 245). A request that was executed has the
 * number that it has in the log.
 */
static bool check_used(struct call *call, const struct api_write *write)
{
    const struct api_nonces *nonces = call->api->shared->nonces;
    struct out               extra = out_make(call->api->extra, sizeof(call->api->extra));
    struct refused           refused;

    if (nonces == NULL || call->tries || !nonces->refuse(nonces->self, &write->room.head, &refused)) return true;
    fail_used_nonce(call->api, call->context, &refused, &call->failure);
    if (refused.same_payload) seq_line(refused.used_seq, &extra);
    call->answer->extra = out_slice(&extra);
    return false;
}

/* What is plain has no zeros that the strict setting refuses. */
static enum reject read_body(struct call *call, void *payload, struct shape_error *error)
{
    const struct plain_form *form = call->api->takes[call->endpoint - call->api->routes.rows];
    enum reject (*read)(const struct shape *, struct slice, void *, struct shape_error *) =
        call->api->shared->settings.strict_decimals ? shape_read_strictly : shape_read;

    call->plain = form != NULL && plain_read(form, call->request->body, payload);
    return call->plain ? REJECT_NONE : read(endpoint_takes(call->endpoint), call->request->body, payload, error);
}

/* The checks that the body decides, and whom it names. */
static bool write_read_body(struct call *call, struct signing *signing, struct api_write *write)
{
    struct shape_error error;
    void              *payload = &write->room.place_orders;
    uint64_t           account_id;

    if (read_body(call, payload, &error) != REJECT_NONE) {
        fail_shape(&call->failure, &error);
        return false;
    }
    if (!limit_items(call, payload)) return false;
    memcpy(&account_id, payload, sizeof(account_id));
    if (!check_direction(call, payload) || !check_position_sides(call, payload)) return false;
    if (!claim_read(call, &signing->headers, account_id, &signing->claim)) return false;
    call_reached(call, API_PARSED);
    return true;
}

/* The checks before the signature. */
static bool write_read(struct call *call, struct signing *signing, struct api_write *write)
{
    return check_window(call, signing->headers.nonce) && write_read_body(call, signing, write);
}

/* The checks of a write without a signature; the sequencer gives it a nonce (decision 237). */
static bool write_as(struct call *call, struct signing *signing, struct api_write *write)
{
    const void   *payload = &write->room.place_orders;
    struct proof *proof = &signing->proof;

    if (!check_type(call) || !impersonated_read(call, proof) || !write_read_body(call, signing, write)) return false;
    if (!impersonated_owns(call, &signing->claim, &proof->signer)) return false;
    call_reached(call, API_VERIFIED);
    if (!check_supported(call, payload) || !check_room(call)) return false;
    proof->text = signed_as_received(call);
    proof->payload = keccak256(proof->text.at, proof->text.len);
    fill_write(call, signing, payload, write);
    return limit_write(call, write);
}

/* The signature, and the checks behind it. */
static bool write_finish(struct call *call, struct signing *signing, struct api_write *write)
{
    const void *payload = &write->room.place_orders;
    bool        proves = prove(call, signing, payload);

    call_reached(call, API_VERIFIED);
    if (!proves) return false;
    if (!check_supported(call, payload) || !check_room(call)) return false;
    fill_write(call, signing, payload, write);
    return check_used(call, write) && limit_write(call, write);
}

/* The checks in their order; *signing has what they found. */
static bool write_check(struct call *call, struct signing *signing, struct api_write *write)
{
    memset(signing, 0, sizeof(*signing));
    if (is_impersonated(call)) return write_as(call, signing, write);
    if (!read_headers(call, &signing->headers)) return false;
    if (call->endpoint->sender == SENDER_FEEDER) return oracle_prepare(call, &signing->headers, write);
    if (!write_read(call, signing, write)) return false;
    call->waits = call->pending != NULL && prove_later(call, signing);
    return !call->waits && write_finish(call, signing, write);
}

bool write_prepare(struct call *call, struct api_write *write)
{
    struct signing own;

    return write_check(call, call->pending != NULL ? &call->pending->signing : &own, write);
}

bool write_explain(struct call *call, struct signing *signing, struct api_write *write)
{
    assert(call->pending == NULL && call->tries);
    return write_check(call, signing, write);
}

bool write_forward(struct call *call)
{
    void              *payload = &call->write->room.place_orders;
    struct shape_error error;

    if (call->endpoint->weight_kind != WEIGHT_BATCH || read_body(call, payload, &error) != REJECT_NONE) return true;
    return limit_items(call, payload);
}

bool write_signature_done(struct call *call) { return write_finish(call, &call->pending->signing, call->write); }
