/* SPDX-License-Identifier: MIT */
/*
 * refused.c — a request told to the exchange's own code, from its bytes to the bytes of the reply, beside what the twin says of it. What the
 * twin lets in must become the command that was meant; what it refuses none, and the state is as it was.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "refused.h"

#include "api/inside.h"

enum refused_lie refused_planted;

/* ---- the exchange ---- */

struct shop { struct genesis genesis; struct api_shared shared; struct api *api; };
static struct exchange {
    struct shop         shops[3];
    struct views       *views;
    void               *views_as_they_were;
    size_t              views_bytes;
    _Atomic uint64_t    seqs[FEEDERS_MAX];
    struct http_parser *parser;
    bool                full;
    char                request[HTTP_BUFFER_BYTES], answer[TEXT_ROOM], reply[TEXT_ROOM], want[TEXT_ROOM], normal[TEXT_ROOM];
    struct api_write    write;
} exchange;

/* Whether the history's memory has room for more is said here. */
bool __wrap_history_is_full(const struct history *history);
bool __wrap_history_is_full(const struct history *history)
{
    (void)history;
    return exchange.full;
}

static void a_symbol(struct symbol *symbol, uint32_t id, uint8_t market, const char *name)
{
    *symbol = (struct symbol){
        .name = name_make(slice_of(name)), .display_name = name_make(slice_of(name)), .id = id, .base_coin_id = id, .price_precision = id, .quantity_precision = 5, .market = market,
        .status = SYMBOL_TRADING, .tick_size = 1, .step_size = 1, .min_quantity = 1, .market_min_quantity = 1, .reference_price = 1000000,
    };
}

static void make_genesis(struct genesis *g, const struct shop_row *row)
{
    static const char *const coins[] = { "vUSDC", "vBTC", "vETH" };

    *g = (struct genesis){ .time_ms = INT64_C(1759999999000), .development = row->development, .coin_count = 3, .spot_count = 2, .perps_count = 2, .feeder_count = 1 };
    for (uint32_t i = 0; i < 3; i++) g->coins[i] = (struct coin){ name_make(slice_of(coins[i])), i, i == 0 ? 6 : 8 };
    a_symbol(&g->spot[0], 1, MARKET_SPOT, "vBTC_vUSDC");
    a_symbol(&g->spot[1], 2, MARKET_SPOT, "vETH_vUSDC");
    a_symbol(&g->perps[0], 1, MARKET_PERPS, "BTC-USD");
    a_symbol(&g->perps[1], 2, MARKET_PERPS, "ETH-USD");
    for (int i = 0; i < 2; i++) g->contracts[i] = (struct contract){ .tier_count = 1, .init_leverage = 10, .interest_rate = 10000, .tiers = { { .max_notional = 4000000000000, .max_leverage = 20 } } };
    for (uint32_t i = 0; i < row->chain_count; i++) g->chain_ids[i] = row->chains[i];
    if (!row->development && !row->public_ids) g->chain_ids[row->chain_count] = 286623;
    g->limits = (struct limits){ .accounts = 20, .orders = 100, .levels = 100, .positions = 20 };
    g->spot_fees = g->perps_fees = (struct fee_table){ .tier_count = 1, .staking_count = 1, .rebate_count = 1, .tiers = { { 0, 12000, 40000 } } };
    g->rules.strict_position_side = row->strict_sides;
    g->feeders[0] = (struct feeder){ people[FEEDER].address, 1 };
}

static void tell_people(struct views *views)
{
    static uint8_t room[1 << 14];
    struct events  events = { room, 0, sizeof(room) };

    for (uint32_t i = 0; i < account_row_count; i++) {
        struct account_opened *event = EVENT_ADD(&events, ACCOUNT, account_opened, 0);
        event->account_id = account_rows[i].id;
        event->user_id = account_rows[i].user;
        event->owner = people[account_rows[i].who].address;
        event->is_primary = account_rows[i].primary;
    }
    for (uint32_t i = 0; i < key_row_count; i++)
        for (uint8_t revoked = 0; revoked <= key_rows[i].revoked; revoked++) {
            struct key_changed *event = EVENT_ADD(&events, KEY, key_changed, 0);
            event->account_id = key_rows[i].account;
            event->user_id = key_rows[i].user;
            event->name = client_id_make(slice_of(key_rows[i].name));
            event->key_type = KEY_EVM;
            event->key_id = i + 1;
            event->public_key = people[key_rows[i].who].address;
            event->expires_ms = key_rows[i].who == KEY_LATE ? 1 : 0;
            event->permissions = key_rows[i].who == KEY_B ? 15 : 0;
            event->revoked = revoked;
        }
    views_apply(views, &events, NULL);
}

static void open_exchange(void)
{
    if (exchange.views != NULL) return;
    if (!crypto_init()) abort();
    people_come();
    assert(shop_count == ARRAY_COUNT(exchange.shops));
    for (uint32_t i = 0; i < shop_count; i++) make_genesis(&exchange.shops[i].genesis, &shop_rows[i]);
    exchange.views_bytes = views_size(&exchange.shops[0].genesis);
    exchange.views = views_init(calloc(1, exchange.views_bytes), &exchange.shops[0].genesis);
    tell_people(exchange.views);
    exchange.views_as_they_were = malloc(exchange.views_bytes);
    memcpy(exchange.views_as_they_were, exchange.views, exchange.views_bytes);
    exchange.seqs[0] = FEEDERS_LAST_SEQ;
    exchange.parser = calloc(1, http_parser_size());
    http_parser_init(exchange.parser);
    for (uint32_t i = 0; i < shop_count; i++) {
        struct shop *shop = &exchange.shops[i];
        shop->shared = (struct api_shared){
            .genesis = &shop->genesis, .views = exchange.views, .version = SLICE("1"), .oracle_seqs = exchange.seqs,
            .settings = { .development = shop_rows[i].development, .allow_public_chain_ids = shop_rows[i].public_ids },
        };
        shop->api = api_init(calloc(1, api_size(&shop->shared)), &shop->shared);
    }
}

/* ---- a request as bytes ---- */

static void put_header(struct text *t, const char *name, const struct header *header, bool tight)
{
    if (header->there) put(t, "%s:%s%s%s\r\n", name, tight ? "" : " ", header->text, tight ? " \t " : "");
    if (header->twice) put(t, "%s: %s\r\n", name, header->text[0] != '\0' ? "another" : "");
}

/* The body in pieces of a length each that follows from the seed. */
static void put_chunks(struct text *t, const struct sent *asked)
{
    size_t at = 0, len;

    put(t, "Transfer-Encoding: chunked\r\n\r\n");
    for (uint64_t more = asked->seed; at < asked->body_len; at += len, more = more * 5 + 3) {
        len = 1 + (more >> 7) % (asked->body_len / 4 + 9);
        if (len > asked->body_len - at) len = asked->body_len - at;
        put(t, "%zx\r\n", len);
        letters(t, asked->body + at, len);
        put(t, "\r\n");
    }
    put(t, "0\r\n\r\n");
}

static size_t write_request(const struct sent *asked)
{
    struct text t = { exchange.request, 0, true };

    put(&t, "%s %s HTTP/1.1\r\nHost: exchange\r\n", asked->method, asked->path);
    if (asked->origin) put(&t, "Origin: https://page.example\r\n");
    put_header(&t, "X-API-Nonce", &asked->nonce, asked->tight);
    put_header(&t, "x-api-sign", &asked->sign_text, asked->tight);
    put_header(&t, "X-API-Key", &asked->key, asked->tight);
    put_header(&t, "X-API-Chain", &asked->chain, asked->tight);
    put_header(&t, "Content-Type", &asked->type, asked->tight);
    if (asked->chunked) { put_chunks(&t, asked); return t.len; }
    put(&t, "Content-Length: %zu\r\n\r\n", asked->body_len);
    letters(&t, asked->body, asked->body_len);
    return t.len;
}

/* Every other request waits for who signed it, as requests do that come together. */
static enum api_outcome ask_api(const struct sent *asked, const struct http_request *request, struct http_answer *answer, struct out *body)
{
    struct api        *api = exchange.shops[asked->shop].api;
    struct api_context context = { .now_ms = asked->now_ms, .offset_ms = asked->offset_ms, .ready = !asked->starting, .shed = asked->shed ? (1u << API_CLASSES) - 1 : 0 };
    enum api_outcome   outcome;

    exchange.full = asked->full;
    if (asked->seed % 2 == 0) return api_handle(api, &context, request, &exchange.write, answer, body);
    outcome = api_begin(api, &context, request, &exchange.write, answer, body, 0);
    if (outcome != API_WAITS) return outcome;
    api_recover(api, 1);
    return api_go_on(api, 0);
}

/* ---- comparing ---- */

static char wrong[2048];

static const char *differs(const char *what, const char *came, size_t came_len, const char *want, size_t want_len)
{
    size_t at = 0, from;

    while (at < came_len && at < want_len && came[at] == want[at]) at++;
    if (at == came_len && at == want_len) return NULL;
    from = at < 80 ? 0 : at - 80;
    (void)snprintf(wrong, sizeof(wrong), "%s at byte %zu: \"%.*s\", the twin's \"%.*s\"", what, at, (int)(came_len - from < 700 ? came_len - from : 700), came + from,
                   (int)(want_len - from < 700 ? want_len - from : 700), want + from);
    return wrong;
}

static const char *post_differs(const struct oracle_post *post, const struct body *body, const struct price_said *prices)
{
    bool same = post->count == body->items && post->seq == body->top[0].number && (uint64_t)post->timestamp_ms == body->top[1].number;

    for (uint32_t i = 0; same && i < post->count; i++)
        same = post->items[i].symbol_id == prices[i].symbol && (uint64_t)post->items[i].price == prices[i].price && (uint64_t)post->items[i].perp_mid == prices[i].mid;
    return same ? NULL : "the prices of a feeder's command are not the twin's";
}

/* The command is what was asked for: by whom, where, when, and every key of it. */
static const char *command_differs(const struct sent *asked, const struct body *body, const struct verdict *v)
{
    const struct command *head = &exchange.write.room.head;
    uint64_t              nonce = asked->action->proof == BY_FEEDER ? body->top[0].number : nonce_of(asked);
    uint8_t               market = asked->base == ON_SPOT ? MARKET_SPOT : asked->base == ON_PERPS ? MARKET_PERPS : 0;
    struct text           want = { exchange.want, 0, true };
    struct out            normal = out_make(exchange.normal, sizeof(exchange.normal));
    const char           *text;

    if (head->kind != asked->action->command || head->market != market) return "the command is another one";
    if (head->domain != v->domain || head->nonce != nonce || head->chain_id != v->chain || head->key_id != v->key_id || !address_equal(&head->signer, &v->signer))
        return "the command is somebody else's, or of another nonce or chain";
    if (asked->action->proof == BY_FEEDER) return post_differs(&exchange.write.room.oracle_post, body, v->prices);
    text = differs("the signed bytes", exchange.write.signed_bytes.at, exchange.write.signed_bytes.len, v->signed_text, v->signed_len);
    if (text != NULL) return text;
    shape_write(&normal, exchange.write.endpoint->takes, &exchange.write.room.place_orders, true);
    normal_form(asked->action, body, &want);
    return differs("the command", normal.at, normal.len, want.at, want.len);
}

/* NULL: both say the same. */
static const char *ask(struct sent *asked, struct verdict *verdict)
{
    static struct body  body;
    struct http_request request;
    struct http_answer  answer = { 0 };
    struct out          out = out_make(exchange.answer, sizeof(exchange.answer)), reply = out_make(exchange.reply, sizeof(exchange.reply));
    struct text         want = { exchange.want, 0, true };
    enum reject         reject = REJECT_NONE;
    size_t              len;
    bool                is_command;

    judge(asked, &body, verdict);
    if (refused_planted == LIE_COMMAND && verdict->reject == REJECT_NOT_POSITIVE) verdict->reject = REJECT_NONE;
    len = write_request(asked);
    if (asked->seed % 32 == 0) http_parser_init(exchange.parser);      /* else it comes behind the one before */
    else http_parser_again(exchange.parser);
    if (http_parse(exchange.parser, exchange.request, len, &request, &reject, NULL) != HTTP_DONE) return "HTTP refuses the request, which is not drawn well";
    is_command = ask_api(asked, &request, &answer, &out) == API_COMMAND;
    if (is_command != (verdict->reject == REJECT_NONE)) {
        (void)snprintf(wrong, sizeof(wrong), "%s, the twin says %s; %.*s", is_command ? "it becomes a command" : "it is refused", verdict->reject == REJECT_NONE ? "it is a command" : reject_row(verdict->reject)->name,
                       is_command ? 0 : (int)(out.len < 900 ? out.len : 900), out.at);
        return wrong;
    }
    if (is_command) return command_differs(asked, &body, verdict);
    http_write(&reply, &answer, answer.kept.at != NULL ? answer.kept : out_slice(&out));
    write_reply(&want, asked, verdict);
    return differs("the reply", reply.at, reply.len, want.at, want.len);
}

/* ---- many ---- */

/* As few spoilt places as show it, and the request. */
static const char *shrunk(struct sent *asked)
{
    static char    story[BODY_MAX];
    static struct sent less;
    struct verdict verdict;
    const char    *text;
    struct text    t = { story, 0, true };

    for (uint32_t i = 0; asked->spoil_count != 0 && i <= asked->spoil_count; i++) {
        less = *asked;
        less.spoil_count = i == 0 ? 0 : asked->spoil_count - 1;
        if (i == 1 && asked->spoil_count == 2) less.spoils[0] = asked->spoils[1];
        draw_again(&less);
        if (ask(&less, &verdict) != NULL) { *asked = less; i = UINT32_MAX; }
    }
    draw_again(asked);
    text = ask(asked, &verdict);
    put(&t, "seed %" PRIu64 " (%s):", asked->seed, shop_rows[asked->shop].name);
    for (uint32_t i = 0; i < asked->spoil_count; i++) put(&t, " [%s]", spoil_name(asked->spoils[i].kind));
    put(&t, "\n%s\n", text != NULL ? text : "what differed does so no more");
    letters(&t, exchange.request, write_request(asked) < BODY_MAX / 2 ? write_request(asked) : BODY_MAX / 2);
    put(&t, "\n");
    story[t.len] = '\0';
    return story;
}

const char *refused_run(uint64_t seed, uint64_t requests, struct refused_counts *counts)
{
    static struct sent asked;
    struct verdict      verdict;

    open_exchange();
    for (uint64_t i = 0; i < requests; i++) {
        draw_request(&asked, seed * UINT64_C(1000000007) + i);
        if (ask(&asked, &verdict) != NULL || (i % 8 == 0 && ask(&asked, &verdict) != NULL)) return shrunk(&asked);  /* said again, it is answered again */
        counts->requests++;
        if (verdict.reject == REJECT_NONE) counts->accepted++;
        else counts->refused++;
        counts->rejects[verdict.reject]++;
        counts->asked_who += verdict.proof || verdict.reject == REJECT_NONE;
        for (uint32_t k = 0; k < asked.spoil_count; k++) counts->spoils[asked.spoils[k].kind]++;
        if ((i % 1024 == 1023 || i + 1 == requests) && !views_are(exchange.views, exchange.views_as_they_were, exchange.views_bytes)) return "a request that was refused has changed the state";
    }
    return NULL;
}
