/* SPDX-License-Identifier: MIT */
/*
 * limit.c — the weight of a request, the key that is charged, and the answer when no budget is left (service 8,
 * service 7 (4); wire 5; rulings 15, 16, 53, 59). The counters are in limits/.
 *
 *   before any work     the row's weight; 20 for a request without a row
 *   as soon as known    the rest of a book's or a batch's weight; without budget the request is refused
 *   behind the answer   the rows of a history; it is sent even when they overdraw the budget
 *   behind the proof    orders of the account and key, requests of the API key
 *
 * A refused request costs nothing, except that a recovered signature keeps its weight.
 */
#include "api/inside.h"
#include "api/scenarios.h"
#define BOOK_STEP_1    100
#define BOOK_STEP_2    500
#define ROWS_PER_UNIT  20
#define ITEMS_PER_UNIT 40
#define KEY_NAME_SHOWN 256 /* bytes of a name that nothing has checked */

const char *const api_limit_names[API_LIMITS] = { "none", "address", "orders", "key_minute", "key_month" };

/* ---- charged address ---- */

/* Behind a trusted proxy the client that it names, else the connected peer. */
static struct minute_key client_key(const struct call *call, const struct limiter *limiter)
{
    const struct proxies      *proxies = &limiter->settings.proxies;
    const struct http_request *request = call->request;
    struct ip                  client = call->context->peer;

    if (proxies->count != 0)
        client = proxies_client(proxies, &client, request->forwarded[proxies->header],
                                request->forwarded_count[proxies->header]);
    return ip_key(&client);
}

/* ---- refusing ---- */

static bool refuse(struct call *call, enum api_limit rule, uint32_t limit, const char *window, uint32_t wait,
                   const char *text)
{
    fail(&call->failure, REJECT_RATE_LIMIT, SLICE(""), SLICE(""));
    call->failure.text = text;
    call->failure.limit = (uint8_t)rule;
    call->failure.limited =
        (struct rate_limit_record){ .limit = limit, .window = slice_of(window), .retry_after = wait };
    return false;
}

static void take_back(struct call *call)
{
    const struct limiter *limiter = call->api->shared->limiter;

    if (call->charge.weight != 0)
        minutes_give_back(limiter->weight, &call->charge.key, call->charge.weight, call->charge.second);
    call->charge.weight = 0;
}

void limit_body(struct out *out, int64_t now_ms, const struct failure *failure)
{
    const struct reject_row *row = reject_row(REJECT_RATE_LIMIT);
    struct slice             text = slice_of(failure->text != NULL ? failure->text : row->text);

    out_literal(out, "{\"code\":");
    out_i64(out, row->code);
    out_literal(out, ",\"message\":");
    json_write_string(out, text);
    out_literal(out, ",\"error\":");
    json_write_string(out, text);
    out_literal(out, ",\"timestamp\":");
    out_i64(out, now_ms);
    out_literal(out, ",\"details\":");
    shape_write(out, &rate_limit_shape, &failure->limited, false);
    out_char(out, '}');
}

void limit_lines(struct out *out, const struct quota *quota)
{
    if (quota->limit == 0) return;
    out_literal(out, "X-RateLimit-Limit: ");
    out_u64(out, quota->limit);
    out_literal(out, "\r\nX-RateLimit-Remaining: ");
    out_u64(out, quota->remaining);
    out_literal(out, "\r\nX-RateLimit-Reset: ");
    out_i64(out, quota->reset_ms);
    out_literal(out, "\r\n");
}

/*
 * An address with too many refusals is disconnected (ruling 76). When no row is left to count the refusals of an
 * address, it is answered.
 */
static bool continues(const struct call *call)
{
    const struct limiter *limiter = call->api->shared->limiter;
    uint32_t              second = call->context->second;
    struct minute_key     key;

    if (limiter == NULL || limiter->refusals == NULL) return false;
    key = client_key(call, limiter);
    return minutes_spend(limiter->refusals, &key, 1, &second) != 0 && minutes_know(limiter->refusals, &key);
}

void limit_headers(struct call *call)
{
    struct out extra = out_make(call->api->extra, sizeof(call->api->extra));

    if (call->failure.reject == REJECT_RATE_LIMIT && continues(call)) call->answer->close = true;

    if (call->failure.reject == REJECT_RATE_LIMIT) {
        out_literal(&extra, "Retry-After: ");
        out_u64(&extra, call->failure.limited.retry_after);
        out_literal(&extra, "\r\n");
    }
    limit_lines(&extra, &call->quota);
    if (extra.len == 0) return;
    assert(!extra.overflow);
    call->answer->extra = out_slice(&extra);
}

/* ---- the weight of a request ---- */

static bool charge(struct call *call, uint32_t weight)
{
    const struct limiter *limiter = call->api->shared->limiter;
    uint32_t              second = call->context->second, wait;

    if (call->overloaded) wait = minutes_wait(limiter->weight, &call->charge.key, weight, second);
    else wait = minutes_spend(limiter->weight, &call->charge.key, weight, &second);
    if (wait != 0) {
        take_back(call);
        return refuse(call, LIMIT_ADDRESS, minutes_limit(limiter->weight), "1m", wait,
                      weight > minutes_limit(limiter->weight)
                          ? "rate limit exceeded: this request alone weighs more than the limit"
                          : NULL);
    }
    if (call->overloaded) return true;
    call->charge.second = second;
    call->charge.weight = weight;
    return true;
}

static bool weighs(const struct call *call)
{
    return call->api->shared->limiter != NULL && call->api->shared->limiter->weight != NULL && !call->resumed
        && !call->context->forwarded && !(scenarios_play(call->api->shared->scenarios) && call_is_developers(call));
}

void limit_free(const struct call *call)
{
    if (weighs(call) && call->context->weightless_ms != NULL) *call->context->weightless_ms = call->context->mono_ms;
}

bool limit_request(struct call *call, const struct endpoint *row, uint32_t calls)
{
    uint32_t weight = WEIGHT_UNLISTED;

    if (!weighs(call)) return true;
    if (row != NULL) weight = row->weight;
    if (row != NULL && row->weight_kind == WEIGHT_METRICS && metrics_are_for(call)) weight = 0;
    weight *= calls;
    if (weight == 0) {
        limit_free(call);
        return true;
    }
    call->charge.key = client_key(call, call->api->shared->limiter);
    return charge(call, weight);
}

/* Adds to the charge of a request; without budget the earlier charge is given back. */
static bool charge_more(struct call *call, uint32_t weight)
{
    return weight == 0 || !weighs(call) || charge(call, weight);
}

bool limit_levels(struct call *call)
{
    uint32_t limit = call->query.limit.limit;

    if (call->endpoint->weight_kind != WEIGHT_BOOK || limit <= BOOK_STEP_1) return true;
    return charge_more(call, (limit > BOOK_STEP_2 ? 4u : 2u) * call->endpoint->weight - call->endpoint->weight);
}

void limit_rows(struct call *call)
{
    uint32_t weight = call->rows / ROWS_PER_UNIT;

    if (call->endpoint->weight_kind != WEIGHT_ROWS || weight == 0 || !weighs(call)) return;
    minutes_overdraw(call->api->shared->limiter->weight, &call->charge.key, weight, call->context->second);
}

bool limit_items(struct call *call, const void *payload)
{
    if (call->endpoint->weight_kind != WEIGHT_BATCH || call->tries) return true;
    return charge_more(call, payload_items(command_row(call->endpoint->command), payload) / ITEMS_PER_UNIT);
}

/* ---- orders of an account and key ---- */

/* Account 0 is the signer's primary one; two spellings of one account share its budget. */
static uint64_t account_of(const struct call *call, const struct api_write *write)
{
    struct view_account primary;
    uint64_t            account_id = write->room.place_orders.account_id;

    if (account_id == 0 && views_primary_account(call->api->shared->views, &write->room.head.signer, &primary))
        return primary.account_id;
    return account_id;
}

/* The spent orders of an account and key. */
struct spent {
    struct minute_key key;
    uint32_t          orders, second;
};

static bool charge_orders(struct call *call, const struct limiter *limiter, const struct api_write *write,
                          struct spent *spent)
{
    const struct command     *head = &write->room.head;
    const struct command_row *row = command_row(head->kind);
    uint32_t                  wait;

    if (limiter->orders == NULL || !places_orders(row)) return true;
    *spent = (struct spent){ { account_of(call, write), head->key_id },
                             payload_items(row, &write->room.place_orders),
                             call->context->second };
    wait = minutes_spend(limiter->orders, &spent->key, spent->orders, &spent->second);
    if (wait == 0) return true;
    return refuse(call, LIMIT_ORDERS, minutes_limit(limiter->orders), "1m", wait, "order rate limit exceeded");
}

/* ---- requests of an API key ---- */

static bool group_is_on(const struct limiter *limiter, enum limit_group group)
{
    return limiter != NULL && limiter->keys != NULL && limiter->settings.key_groups[group] != 0;
}

static bool count_key(struct call *call, const struct quota_key *key)
{
    const struct limiter        *limiter = call->api->shared->limiter;
    const struct quota_settings *settings = quotas_settings(limiter->keys);

    call->quota = quotas_count(limiter->keys, key, call->context->now_ms);
    if (call->quota.wait == 0) return true;
    return refuse(call, call->quota.by_month ? LIMIT_KEY_MONTH : LIMIT_KEY_MINUTE,
                  call->quota.by_month ? settings->per_month : settings->per_minute, call->quota.by_month ? "1M" : "1m",
                  call->quota.wait, "rate limit of the API key exceeded");
}

bool limit_key_name(struct call *call)
{
    struct slice      name = call->request->header[HEADER_API_KEY];
    char              text[sizeof(struct minute_key) + KEY_NAME_SHOWN];
    struct out        out = out_make(text, sizeof(text));
    struct minute_key address;
    struct quota_key  key;
    struct hash256    hash;

    if (slice_is(name, "default")) return true; /* the main wallet's word: no name of a key (ruling 7) */
    if (call->resumed || call->context->forwarded || name.len == 0
        || !group_is_on(call->api->shared->limiter, GROUP_RPC))
        return true;
    address = client_key(call, call->api->shared->limiter);
    out_bytes(&out, &address, sizeof(address));
    out_bytes(&out, name.at, min_size(name.len, KEY_NAME_SHOWN));
    hash = keccak256(text, out.len);
    memcpy(key.bytes, hash.bytes, sizeof(key.bytes));
    key.owner = address.high + address.low; /* of IPv4 and IPv6 no two are the same */
    if (count_key(call, &key)) return true;
    take_back(call);
    return false;
}

bool limit_write(struct call *call, struct api_write *write)
{
    const struct limiter *limiter = call->api->shared->limiter;
    struct spent          spent = { .orders = 0 };
    struct quota_key      key;
    bool                  passes;

    write->quota.limit = 0;
    if (limiter == NULL || call->tries) return true;
    if (!charge_orders(call, limiter, write, &spent)) return false;
    if (call->market == 0 || !group_is_on(limiter, call->market == MARKET_SPOT ? GROUP_SPOT : GROUP_PERPS)) return true;
    memcpy(key.bytes, write->room.head.signer.bytes, sizeof(key.bytes));
    memcpy(&key.owner, write->room.head.signer.bytes + 12, sizeof(key.owner)); /* a key has no other name */
    passes = count_key(call, &key);
    write->quota = call->quota;
    if (!passes && spent.orders != 0) minutes_give_back(limiter->orders, &spent.key, spent.orders, spent.second);
    return passes;
}
