/* SPDX-License-Identifier: MIT */
#include "stream/request.h"
#include "stream/inside.h"
#include "base/hex.h"

/* A request while it is handled; one acknowledgement per symbol. */
struct request {
    struct stream               *stream;
    uint32_t                     slot;
    const struct stream_message *message;
    const struct channel        *channel;
    struct topic_key             key;  /* without symbol */
    struct slice                 name; /* of the symbol or coin at hand; at NULL = none */
    int64_t                      came_ms;
    const char                  *error;
    char                         text[160]; /* room for an error with a name in it */
};

/* ---- acknowledgements ---- */

static const char *op_name(uint8_t op)
{
    return op == OP_SUBSCRIBE ? "subscribe" : op == OP_UNSUBSCRIBE ? "unsubscribe" : "ping";
}

static void put_id(struct out *out, struct slice id)
{
    if (id.at == NULL) return;
    out_literal(out, ",\"id\":");
    out_slice_put(out, id);
}

static void put_member(struct out *out, const char *key, struct slice text)
{
    if (text.at == NULL) return;
    out_literal(out, ",\"");
    out_text(out, key);
    out_literal(out, "\":");
    json_write_string(out, text);
}

/* The parameters as they hold. */
static void put_result(const struct request *request, struct out *out)
{
    const struct stream_message *message = request->message;
    const struct channel        *channel = request->channel;

    out_literal(out, "{\"channel\":\"");
    out_text(out, channel->name);
    out_char(out, '"');
    put_member(out, channel->takes == TAKES_COINS ? "coin" : "symbol", request->name);
    if (channel->interval) put_member(out, "interval", message->interval);
    if (channel->level) {
        out_literal(out, ",\"level\":");
        out_u64(out, request->key.level);
    }
    if (channel->tick_size) put_member(out, "tickSize", message->tick_size);
    if (message->push_interval.len != 0 && request->key.pace_ms != 0) {
        out_literal(out, ",\"pushInterval\":\"");
        out_u64(out, request->key.pace_ms);
        out_literal(out, "ms\"");
    }
    if (channel->takes == TAKES_USER) {
        put_member(out, "user", message->user);
        if (request->key.account_id != 0) {
            out_literal(out, ",\"accountID\":");
            out_u64(out, request->key.account_id);
        }
    }
    out_char(out, '}');
}

static void acknowledge(const struct request *request)
{
    struct stream *stream = request->stream;
    char           bytes[1000];
    struct out     out = out_make(bytes, sizeof(bytes));

    out_literal(&out, "{\"op\":\"");
    out_text(&out, op_name(request->message->op));
    out_char(&out, '"');
    put_id(&out, request->message->id);
    out_literal(&out, ",\"result\":");
    if (request->error == NULL) put_result(request, &out);
    else out_literal(&out, "null");
    out_literal(&out, ",\"success\":");
    out_text(&out, request->error == NULL ? "true" : "false");
    out_literal(&out, ",\"connID\":\"0x");
    out_hex(&out, stream->listeners[request->slot].id, 16);
    out_literal(&out, "\",\"error\":");
    if (request->error == NULL) out_literal(&out, "null");
    else json_write_string(&out, slice_of(request->error));
    out_literal(&out, ",\"time_in\":");
    out_i64(&out, request->came_ms);
    out_literal(&out, ",\"time_out\":");
    out_i64(&out, stream->now_ms);
    out_char(&out, '}');
    assert(!out.overflow);
    (void)send_text(stream, request->slot, out_slice(&out));
}

static void fail(struct request *request, const char *error)
{
    request->error = error;
    acknowledge(request);
}

/* `subject`, `text`, and the value cut to what fits. */
static const char *say(struct request *request, struct slice subject, const char *text, struct slice value)
{
    struct out out = out_make(request->text, sizeof(request->text) - 1);

    out_slice_put(&out, subject);
    out_text(&out, text);
    out_bytes(&out, value.at, min_size(value.len, 64));
    assert(!out.overflow);
    request->text[out.len] = '\0';
    return request->text;
}

/* "symbol not found: …" */
static const char *with_value(struct request *request, const char *text, struct slice value)
{
    return say(request, slice_of(""), text, value);
}

static void fail_protocol(struct stream *stream, uint32_t slot, const char *error)
{
    char       bytes[256];
    struct out out = out_make(bytes, sizeof(bytes));

    out_literal(&out, "{\"op\":\"error\"");
    put_id(&out, stream->message.id);
    out_literal(&out, ",\"code\":\"INVALID_MESSAGE\",\"error\":");
    json_write_string(&out, slice_of(error));
    out_char(&out, '}');
    (void)send_text(stream, slot, out_slice(&out));
}

/* ---- parameters: each NULL, or what is wrong ---- */

/* Decision 246: a value of another form is refused with the name of its parameter. */
static const char *read_forms(struct request *request)
{
    const struct stream_message *message = request->message;

    if (message->wrong.at == NULL) return NULL;
    return say(request, message->wrong, " is invalid: ", slice_of(message->wrong_form));
}

static const char *read_channel(struct request *request)
{
    uint8_t      market = request->stream->listeners[request->slot].market;
    struct slice name = request->message->channel;

    if (name.len == 0) return "channel cannot be empty";
    for (uint32_t i = 0; i < request->stream->channel_count; i++) {
        if (!slice_is(name, request->stream->channels[i].name)) continue;
        if ((request->stream->channels[i].markets >> (market - 1) & 1) == 0)
            return with_value(request, "channel is not offered here: ", name);
        request->channel = &request->stream->channels[i];
        request->key = (struct topic_key){ .channel = (uint8_t)i, .market = market };
        return NULL;
    }
    return with_value(request, "channel is invalid: ", name);
}

/* "1000ms", one of the channel's. */
static const char *read_pace(struct request *request)
{
    const struct channel *channel = request->channel;
    struct slice          text = request->message->push_interval;
    uint64_t              ms;

    request->key.pace_ms = channel->paces[0];
    if (text.len == 0 || channel->paces[0] == 0) return NULL;
    if (text.len < 3 || memcmp(text.at + text.len - 2, "ms", 2) != 0
        || !slice_read_u64(slice_make(text.at, text.len - 2), &ms))
        return with_value(request, "pushInterval is invalid: ", text);
    for (uint32_t i = 0; i < ARRAY_COUNT(channel->paces) && channel->paces[i] != 0; i++) {
        if (channel->paces[i] != ms) continue;
        request->key.pace_ms = (uint32_t)ms;
        return NULL;
    }
    return with_value(request, "pushInterval is not offered by this channel: ", text);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A number, rounded up; one below 0 is 0, one that is larger than any level UINT16_MAX. */
static bool read_number(struct slice text, uint32_t *number)
{
    bool   negative = text.len != 0 && text.at[0] == '-', has_more = false;
    size_t from = negative ? 1 : 0, at = from;

    for (*number = 0; at < text.len && is_digit(text.at[at]); at++)
        *number = min_u32(*number * 10 + (uint32_t)(text.at[at] - '0'), UINT16_MAX);
    if (at == from) return false;
    if (at + 1 < text.len && text.at[at] == '.')
        for (at++; at < text.len && is_digit(text.at[at]); at++) has_more |= text.at[at] != '0';
    *number = negative ? 0 : *number + has_more;
    return at == text.len;
}

/* Any level is fine; it is rounded up to one that there is. */
static const char *read_level(struct request *request)
{
    static const uint16_t levels[] = { 10, 20, 100, 500, 1000 };
    struct slice          text = request->message->level;
    uint32_t              level = 10;
    uint32_t              i = 0;

    if (!request->channel->level) return NULL;
    if (text.len != 0 && !read_number(text, &level)) return with_value(request, "level is invalid: ", text);
    while (i + 1 < ARRAY_COUNT(levels) && levels[i] < level) i++;
    request->key.level = levels[i];
    return NULL;
}

static const char *read_interval(struct request *request)
{
    struct slice  text = request->message->interval;
    enum interval interval;

    if (!request->channel->interval) return NULL;
    if (text.len == 0) return "interval cannot be empty";
    if (text.len >= sizeof(request->key.interval) || !interval_by_name(request->key.market, text, &interval))
        return with_value(request, "interval is invalid: ", text);
    memcpy(request->key.interval, text.at, text.len);
    return NULL;
}

static const char *read_user(struct request *request)
{
    const struct views *views = request->stream->settings.present->views;
    struct slice        text = request->message->user;
    struct view_account account;

    if (request->channel->takes != TAKES_USER) return NULL;
    if (text.len == 0) return "user cannot be empty";
    if (text.len != 42 || text.at[0] != '0' || text.at[1] != 'x'
        || !hex_read(slice_make(text.at + 2, 40), request->key.user.bytes, 20))
        return with_value(request, "user is not an address: ", text);
    text = request->message->account_id;
    if (text.len == 0) return NULL;
    if (!slice_read_u64(text, &request->key.account_id)) return with_value(request, "accountID is invalid: ", text);
    if (request->key.account_id == 0) return NULL;
    if (views_account(views, request->key.account_id, &account) && address_equal(&account.owner, &request->key.user))
        return NULL;
    return with_value(request, "account not found: ", text);
}

/* With the symbol at hand: how levels are merged. */
static const char *read_tick(struct request *request, const struct symbol *symbol)
{
    struct slice   text = request->message->tick_size;
    struct decimal tick;

    request->key.tick = 0;
    if (!request->channel->tick_size || text.len == 0) return NULL;
    if (text.len > 40 || decimal_read(text, &tick) != DECIMAL_OK || tick.digits <= 0
        || !decimal_to_units(tick, (int)symbol->price_precision, INT64_MAX / 4, &request->key.tick))
        return with_value(request, "tickSize is invalid: ", text);
    if (request->key.tick % symbol->tick_size != 0)
        return with_value(request, "tickSize is not a multiple of that of symbol ", request->name);
    return NULL;
}

/* ---- one subscription ---- */

static const char *find_name(struct request *request)
{
    const struct views  *views = request->stream->settings.present->views;
    const struct symbol *symbol;
    const struct coin   *coin;

    request->key.symbol_id = 0;
    if (request->name.at == NULL) return NULL;
    if (request->channel->takes == TAKES_COINS) {
        coin = views_coin_by_name(views, request->name);
        if (coin == NULL) return with_value(request, "coin not found: ", request->name);
        request->key.symbol_id = coin->id + 1;
        return NULL;
    }
    symbol = views_symbol_by_name(views, request->key.market, request->name);
    if (symbol == NULL) return with_value(request, "symbol not found: ", request->name);
    request->key.symbol_id = symbol->id;
    return read_tick(request, symbol);
}

static void subscribe(struct request *request)
{
    struct stream        *stream = request->stream;
    struct listener      *listener = &stream->listeners[request->slot];
    const struct address *user = request->channel->takes == TAKES_USER ? &request->key.user : NULL;
    struct topic         *topic;
    const char           *error = NULL;
    uint32_t              ix;
    bool                  full;

    if (stream->settings.quota != NULL) error = stream_quota_add(stream->settings.quota, &listener->key, user);
    if (error != NULL) {
        fail(request, error);
        return;
    }
    topic = topic_open(stream, &request->key);
    ix = topic != NULL ? subscription_add(stream, request->slot, topic, &full) : 0;
    if (ix == 0 && stream->settings.quota != NULL) stream_quota_remove(stream->settings.quota, &listener->key, user);
    if (topic == NULL || (ix == 0 && full)) {
        fail(request, "too many subscriptions");
        return;
    }
    acknowledge(request);
    if (ix != 0) push_snapshot(stream, &stream->subscriptions[ix]);
}

static void unsubscribe(struct request *request)
{
    struct topic *topic = topic_find(request->stream, &request->key);

    if (topic != NULL) (void)subscription_remove(request->stream, request->slot, topic);
    acknowledge(request);
}

static void handle_name(struct request *request, struct slice name)
{
    request->name = name;
    request->error = find_name(request);
    if (request->error != NULL) fail(request, request->error);
    else if (request->message->op == OP_SUBSCRIBE) subscribe(request);
    else unsubscribe(request);
}

static bool names_are_due(const struct request *request)
{
    return request->channel->takes == TAKES_SYMBOLS || request->channel->takes == TAKES_COINS;
}

static void handle(struct request *request)
{
    const struct stream_message *message = request->message;
    const char                  *error = read_forms(request);

    if (error == NULL) error = read_channel(request);
    if (error == NULL) error = read_pace(request);
    if (error == NULL) error = read_level(request);
    if (error == NULL) error = read_interval(request);
    if (error == NULL) error = read_user(request);
    if (error == NULL && names_are_due(request) && message->name_count == 0)
        error = request->channel->takes == TAKES_COINS ? "coins cannot be empty" : "symbols cannot be empty";
    if (error != NULL) {
        fail(request, error);
        return;
    }
    if (message->name_count == 0 || (!names_are_due(request) && !request->channel->by_symbol)) {
        handle_name(request, (struct slice){ NULL, 0 });
        return;
    }
    for (uint32_t i = 0; i < message->name_count && !request->stream->listeners[request->slot].closing; i++)
        handle_name(request, message->names[i]);
}

static void answer_ping(struct stream *stream, uint32_t slot)
{
    char       bytes[128];
    struct out out = out_make(bytes, sizeof(bytes));

    out_literal(&out, "{\"op\":\"pong\"");
    put_id(&out, stream->message.id);
    out_char(&out, '}');
    (void)send_text(stream, slot, out_slice(&out));
}

/* Events still in the queue precede it: they are sent first, so a new subscription begins with its snapshot. */
void request_handle(struct stream *stream, uint32_t slot, struct slice text)
{
    struct request request = { .stream = stream, .slot = slot, .message = &stream->message, .came_ms = stream->now_ms };
    const char    *error;

    if (!message_read(text, &stream->message, &error)) {
        fail_protocol(stream, slot, error);
    } else if (stream->message.op == OP_PING) {
        answer_ping(stream, slot);
    } else {
        stream_take_events(stream);
        if (!stream->listeners[slot].closing) handle(&request);
    }
}
