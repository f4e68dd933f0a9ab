/* SPDX-License-Identifier: MIT */
/*
 * rpc_chaos.c — the methods of /rpc for rules of faults (docs/chaos.md). They are no commands: a rule is not in the
 * log, and a restart forgets it.
 */
#include "api/node/rpc.h"

#include "base/hex.h"
#include "chaos/chaos.h"
#include "wire/json_members.h"

/* ---- the rule as it is sent ---- */

struct chaos_request {
    struct slice   fault, path, method, address, channel, symbol, in, out;
    uint64_t       account, every, most, at, seed, after, lasts;
    int64_t        ms;
    uint32_t       jitter, retry_after, code;
    struct decimal probability;
};

#define ROW(member, key, presence, doc) FIELD(struct chaos_request, member, key, presence, doc)
#define DISTRIBUTION                                                                                                   \
    "milliseconds, or fixed:N, uniform:LEAST:MOST, exponential:MEAN, normal:MEAN:DEVIATION, lognormal:MEDIAN:SIGMA, "  \
    "pareto:LEAST:EXPONENT"

/* clang-format off */
static const struct field chaos_rows[] = {
    ROW(fault, "fault", REQUIRED, "What happens."),
    ROW(path, "path", OPTIONAL, "Part of the request's path, or with a / its beginning."),
    ROW(method, "method", OPTIONAL, "GET, POST or DELETE."),
    ROW(account, "account", OPTIONAL, "Id of the account that the request or the message is about."),
    ROW(address, "address", OPTIONAL, "The client's IP address, or 0x and 40 hex digits: the account's owner."),
    ROW(channel, "channel", OPTIONAL, "The channel of a message."),
    ROW(symbol, "symbol", OPTIONAL, "A perps symbol."),
    FIELD_FLAGS(struct chaos_request, probability, "probability", OPTIONAL, FLAG_NUMBER, "More than 0, at most 1."),
    ROW(every, "every", OPTIONAL, "Acts on each so-many-th match."),
    ROW(most, "count", OPTIONAL, "Acts so often, then never again."),
    ROW(at, "at", OPTIONAL, "Acts on this message of each connection, from 1."),
    ROW(after, "after", OPTIONAL, "Begins so many ms of engine time from now."),
    ROW(lasts, "for", OPTIONAL, "Ends so many ms of engine time after it has begun."),
    ROW(seed, "seed", OPTIONAL, "Of all that is drawn; 1 when not given."),
    ROW(ms, "ms", OPTIONAL, "How long, or how far ahead."),
    ROW(jitter, "jitter", OPTIONAL, "Up to so many ms more or less."),
    ROW(in, "in", OPTIONAL, "How long requests take to arrive: " DISTRIBUTION "."),
    ROW(out, "out", OPTIONAL, "How long answers and messages take: " DISTRIBUTION "."),
    ROW(retry_after, "retryAfter", OPTIONAL, "Seconds, of a 429; 1 when not given."),
    ROW(code, "code", OPTIONAL, "The close code of a cut; the connection ends without one when not given."),
};
/* clang-format on */
static SHAPE(chaos_shape, struct chaos_request, "ChaosRule", chaos_rows, NULL, "A rule of faults.");

/* ---- reading ---- */

static bool is_wrong(struct rpc_call *rpc, const char *key, const char *need, struct slice got)
{
    rpc_fail(rpc, RPC_BAD_PARAMS, "invalid params: ", (struct slice){ NULL, 0 });
    rpc_say(rpc, slice_of(key));
    rpc_say(rpc, SLICE(" needs "));
    rpc_say(rpc, slice_of(need));
    if (got.len == 0) return false;
    rpc_say(rpc, SLICE(", not "));
    rpc_say(rpc, slice_make(got.at, min_size(got.len, 40)));
    return false;
}

static bool read_text(struct rpc_call *rpc, struct slice text, const char *key, uint32_t bit, struct chaos_rule *rule,
                      struct chaos_text *into)
{
    if (text.at == NULL) return true;
    if (text.len == 0 || text.len > CHAOS_TEXT_MAX) return is_wrong(rpc, key, "1 to 95 bytes", text);
    memcpy(into->at, text.at, text.len);
    into->len = (uint8_t)text.len;
    rule->given |= bit;
    return true;
}

static bool read_method(struct rpc_call *rpc, struct slice text, struct chaos_rule *rule)
{
    if (text.at == NULL) return true;
    rule->given |= KEY_METHOD;
    rule->method = slice_is(text, "GET")    ? HTTP_GET
                 : slice_is(text, "POST")   ? HTTP_POST
                 : slice_is(text, "DELETE") ? HTTP_DELETE
                                            : 0;
    return rule->method != 0 || is_wrong(rpc, "method", "GET, POST or DELETE", text);
}

static bool read_address(struct rpc_call *rpc, struct slice text, struct chaos_rule *rule)
{
    struct ip ip;

    if (text.at == NULL) return true;
    rule->given |= KEY_ADDRESS;
    rule->has_owner = text.len == 42 && hex_read_0x(text, rule->owner.bytes, sizeof(rule->owner.bytes));
    rule->has_ip = !rule->has_owner && ip_read(text, &ip);
    if (rule->has_ip) memcpy(rule->ip, ip.bytes, sizeof(rule->ip));
    return rule->has_owner || rule->has_ip || is_wrong(rpc, "address", "an IP address, or 0x and 40 hex digits", text);
}

static bool read_distribution(struct rpc_call *rpc, struct slice text, const char *key, uint32_t bit,
                              struct chaos_rule *rule, struct distribution *into)
{
    const char *need;

    if (text.at == NULL) return true;
    rule->given |= bit;
    return distribution_read(text, into, &need) || is_wrong(rpc, key, need, text);
}

/* ms and jitter are a skew, or the uniform distribution around ms. */
static bool read_ms(struct rpc_call *rpc, const struct chaos_request *request, struct chaos_rule *rule)
{
    int64_t ms = request->ms, jitter = request->jitter, most = DISTRIBUTION_MAX_US / 1000;

    if (ms != 0) rule->given |= KEY_MS;
    if (jitter != 0) rule->given |= KEY_JITTER;
    rule->skew_ms = rule->fault == CHAOS_SKEW ? ms : 0;
    if (ms == 0 || rule->fault == CHAOS_SKEW) return true;
    if (ms < 0 || ms > most) return is_wrong(rpc, "ms", "1 to 60000", (struct slice){ NULL, 0 });
    if (jitter > most) return is_wrong(rpc, "jitter", "at most 60000", (struct slice){ NULL, 0 });
    if ((rule->given & KEY_IN) != 0) return true; /* refused behind this */
    rule->in = (struct distribution){ DISTRIBUTION_UNIFORM, max_i64(0, ms - jitter) * 1000,
                                      min_i64(most, ms + jitter) * 1000 };
    if (jitter == 0) rule->in = (struct distribution){ DISTRIBUTION_FIXED, ms * 1000, 0 };
    return true;
}

static bool read_probability(struct rpc_call *rpc, const struct decimal *probability, struct chaos_rule *rule)
{
    int64_t millionths = CHAOS_CERTAIN;

    if (probability->digits != 0 && !decimal_to_units(*probability, 6, INT64_MAX / 4, &millionths))
        return is_wrong(rpc, "probability", "at most 6 decimals", (struct slice){ NULL, 0 });
    rule->probability = (uint32_t)min_i64(millionths, UINT32_MAX);
    return true;
}

static bool read_window(struct rpc_call *rpc, const struct chaos_request *request, struct chaos_rule *rule)
{
    int64_t now_ms = rpc->call->context->now_ms;

    if (request->after > (uint64_t)(366 * DAY_MS) || request->lasts > (uint64_t)(366 * DAY_MS))
        return is_wrong(rpc, request->after > (uint64_t)(366 * DAY_MS) ? "after" : "for", "at most 366 days, in ms",
                        (struct slice){ NULL, 0 });
    if (request->after != 0) rule->from_ms = now_ms + (int64_t)request->after;
    if (request->lasts != 0) rule->until_ms = max_i64(now_ms, rule->from_ms) + (int64_t)request->lasts;
    return true;
}

/* A symbol that does not exist would never be stale. */
static bool read_symbol(struct rpc_call *rpc, struct slice text, struct chaos_rule *rule)
{
    const struct symbol *symbol;

    if (!read_text(rpc, text, "symbol", KEY_SYMBOL, rule, &rule->symbol)) return false;
    if (text.at == NULL) return true;
    symbol = views_symbol_by_name(rpc->call->api->shared->views, MARKET_PERPS, text);
    if (symbol == NULL) return is_wrong(rpc, "symbol", "the name of a perps symbol", text);
    rule->symbol_id = symbol->id;
    return true;
}

static bool read_scope(struct rpc_call *rpc, const struct chaos_request *request, struct chaos_rule *rule)
{
    rule->account_id = request->account;
    rule->at = request->at;
    if (rule->account_id != 0) rule->given |= KEY_ACCOUNT;
    if (rule->at != 0) rule->given |= KEY_AT;
    return read_text(rpc, request->path, "path", KEY_PATH, rule, &rule->path) && read_method(rpc, request->method, rule)
        && read_address(rpc, request->address, rule)
        && read_text(rpc, request->channel, "channel", KEY_CHANNEL, rule, &rule->channel)
        && read_symbol(rpc, request->symbol, rule);
}

static bool read_rule(struct rpc_call *rpc, struct chaos_rule *rule)
{
    struct chaos_request request;
    struct shape_error   error;
    struct chaos_wrong   wrong;

    memset(rule, 0, sizeof(*rule));
    if (shape_read(&chaos_shape, rpc->params[0].raw, &request, &error) != REJECT_NONE)
        return is_wrong(rpc, error.field[0] != '\0' ? error.field : "rule",
                        error.need[0] != '\0' ? error.need : reject_row(error.reject)->rule, slice_of(error.got));
    rule->fault = chaos_fault_by_name(request.fault);
    if (rule->fault == 0) return is_wrong(rpc, "fault", "the name of a fault, as in docs/chaos.md", request.fault);
    rule->every = request.every;
    rule->most = request.most;
    rule->seed = request.seed != 0 ? request.seed : 1;
    rule->retry_after = request.retry_after != 0 ? request.retry_after : 1;
    rule->code = (uint16_t)min_u32(request.code, UINT16_MAX);
    if (request.retry_after != 0) rule->given |= KEY_RETRY_AFTER;
    if (request.code != 0) rule->given |= KEY_CODE;
    if (!read_scope(rpc, &request, rule) || !read_distribution(rpc, request.in, "in", KEY_IN, rule, &rule->in)
        || !read_distribution(rpc, request.out, "out", KEY_OUT, rule, &rule->out) || !read_ms(rpc, &request, rule)
        || !read_probability(rpc, &request.probability, rule) || !read_window(rpc, &request, rule))
        return false;
    return chaos_rule_check(rule, &wrong) || is_wrong(rpc, wrong.key, wrong.need, (struct slice){ NULL, 0 });
}

/* ---- writing ---- */

static void put_text(struct out *out, const char *key, struct slice text)
{
    if (text.len == 0) return;
    json_key(out, key);
    json_write_string(out, text);
}

static void put_number(struct out *out, const char *key, int64_t number)
{
    if (number == 0) return;
    json_key(out, key);
    out_i64(out, number);
}

static void put_distribution(struct out *out, const char *key, const struct distribution *distribution)
{
    char       text[64];
    struct out form = out_make(text, sizeof(text));

    distribution_write(&form, distribution);
    put_text(out, key, out_slice(&form));
}

static void put_probability(struct out *out, uint32_t millionths)
{
    if (millionths == CHAOS_CERTAIN) return;
    json_key(out, "probability");
    decimal_write(out, decimal_make(millionths, 6));
}

/* 127.0.0.1, or eight groups of hex digits. */
static void put_ip(struct out *out, const uint8_t ip[16])
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

    if (memcmp(ip, mapped, sizeof(mapped)) == 0) {
        for (int i = 12; i < 16; i++) {
            if (i != 12) out_char(out, '.');
            out_u64(out, ip[i]);
        }
        return;
    }
    for (int i = 0; i < 16; i += 2) {
        if (i != 0) out_char(out, ':');
        out_hex(out, ip + i, 2);
    }
}

static void put_scope(struct out *out, const struct chaos_rule *rule)
{
    char       text[64];
    struct out address = out_make(text, sizeof(text));

    put_text(out, "path", slice_make(rule->path.at, rule->path.len));
    if (rule->method != 0)
        put_text(out, "method",
                 rule->method == HTTP_GET    ? SLICE("GET")
                 : rule->method == HTTP_POST ? SLICE("POST")
                                             : SLICE("DELETE"));
    put_number(out, "account", (int64_t)rule->account_id);
    if (rule->has_owner) {
        out_literal(&address, "0x");
        out_hex(&address, rule->owner.bytes, sizeof(rule->owner.bytes));
    }
    if (rule->has_ip) put_ip(&address, rule->ip);
    put_text(out, "address", out_slice(&address));
    put_text(out, "channel", slice_make(rule->channel.at, rule->channel.len));
    put_text(out, "symbol", slice_make(rule->symbol.at, rule->symbol.len));
    put_number(out, "at", (int64_t)rule->at);
}

static void put_entry(struct out *out, const struct chaos_entry *entry)
{
    const struct chaos_rule *rule = &entry->rule;

    out_literal(out, "{\"id\":");
    out_u64(out, entry->id);
    put_text(out, "fault", slice_of(chaos_fault_name(rule->fault)));
    put_scope(out, rule);
    put_probability(out, rule->probability);
    put_number(out, "every", (int64_t)rule->every);
    put_number(out, "count", (int64_t)rule->most);
    put_number(out, "from", rule->from_ms);
    put_number(out, "until", rule->until_ms);
    json_number(out, "seed", rule->seed);
    put_number(out, "ms", rule->skew_ms);
    put_distribution(out, "in", &rule->in);
    put_distribution(out, "out", &rule->out);
    if (rule->fault == CHAOS_RATE_LIMIT) put_number(out, "retryAfter", rule->retry_after);
    put_number(out, "code", rule->code);
    json_number(out, "matched", entry->matched);
    json_number(out, "acted", entry->acted);
    out_char(out, '}');
}

/* ---- methods ---- */

/* The rules of this exchange; NULL after rpc_fail. */
static struct chaos *rules_of(struct rpc_call *rpc)
{
    struct chaos *chaos = rpc->call->api->shared->chaos;

    if (chaos == NULL) rpc_fail(rpc, RPC_NO_METHOD, "there in development only", (struct slice){ NULL, 0 });
    return chaos;
}

void rpc_chaos_add(struct rpc_call *rpc)
{
    struct chaos      *chaos = rules_of(rpc);
    struct chaos_entry entry = { .id = 0 };

    if (chaos == NULL || !read_rule(rpc, &entry.rule)) return;
    entry.id = chaos_add(chaos, &entry.rule);
    if (entry.id == 0) rpc_fail(rpc, RPC_REFUSED, "there are 64 rules: remove one", (struct slice){ NULL, 0 });
    else put_entry(rpc->out, &entry);
}

void rpc_chaos_list(struct rpc_call *rpc)
{
    struct chaos      *chaos = rules_of(rpc);
    struct chaos_entry entries[CHAOS_RULES_MAX];
    uint32_t           count;

    if (chaos == NULL) return;
    count = chaos_list(chaos, entries);
    out_char(rpc->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0) out_char(rpc->out, ',');
        put_entry(rpc->out, &entries[i]);
    }
    out_char(rpc->out, ']');
}

void rpc_chaos_remove(struct rpc_call *rpc)
{
    struct chaos *chaos = rules_of(rpc);
    uint64_t      id = rpc->params[0].number;

    if (chaos == NULL) return;
    if (id > UINT32_MAX || !chaos_remove(chaos, (uint32_t)id))
        (void)is_wrong(rpc, "id", "the id of a rule that there is", rpc->params[0].raw);
    else out_literal(rpc->out, "true");
}

void rpc_chaos_clear(struct rpc_call *rpc)
{
    struct chaos *chaos = rules_of(rpc);

    if (chaos != NULL) out_u64(rpc->out, chaos_clear(chaos));
}
