/* SPDX-License-Identifier: MIT */
/* send.c — ops of the books become signed requests of at most 100 items. */
#include "app/playback/inside.h"

#include <stdio.h>

#define BODY_BYTES   (BATCH_MAX * 224 + 128)
#define PUMP_WAIT_MS 20
#define BAD_NONCE    40102 /* wire 4.4 */

/* How an act of a base is requested. */
struct form {
    const char *method, *path, *type, *list;
};

/* clang-format off */
static const struct form forms[2][PLAYBACK_TAKE + 1] = {
    { [PLAYBACK_CANCEL] = { "DELETE", "/api/v1/spot/trade/orders/batch", "batchCancelOrder", "cancels" },
      [PLAYBACK_REDUCE] = { "POST", "/api/v1/spot/trade/orders/replace", "replaceOrder", "orders" },
      [PLAYBACK_PLACE] = { "POST", "/api/v1/spot/trade/orders/batch", "batchNewOrder", "orders" },
      [PLAYBACK_TAKE] = { "POST", "/api/v1/spot/trade/orders/batch", "batchNewOrder", "orders" } },
    { [PLAYBACK_CANCEL] = { "DELETE", "/api/v1/perps/trade/orders", "cancelOrder", "cancels" },
      [PLAYBACK_REDUCE] = { "POST", "/api/v1/perps/trade/orders/replace", "replaceOrder", "orders" },
      [PLAYBACK_PLACE] = { "POST", "/api/v1/perps/trade/orders", "newOrder", "orders" },
      [PLAYBACK_TAKE] = { "POST", "/api/v1/perps/trade/orders", "newOrder", "orders" } },
};
/* clang-format on */

static void put_id(struct out *out, const char *key, uint64_t id)
{
    out_text(out, key);
    out_literal(out, "\":\"p");
    out_u64(out, id);
    out_char(out, '"');
}

static void put_decimal(struct out *out, const char *key, int64_t units, int precision)
{
    out_text(out, key);
    decimal_write(out, decimal_make(units, precision));
    out_char(out, '"');
}

/* One item; its keys are in the order of the interface, because the body is what is signed (wire 3.1). */
static void put_item(struct out *out, const struct playback_market *market, const struct playback_op *op)
{
    bool is_spot = market->market == MARKET_SPOT, is_new = op->act >= PLAYBACK_PLACE;

    out_char(out, '{');
    if (is_spot || !is_new) {
        out_literal(out, "\"symbolID\":");
        out_u64(out, market->symbol_id);
        out_char(out, ',');
    }
    put_id(out, "\"clOrdID", op->id);
    if (op->act == PLAYBACK_REDUCE) put_id(out, ",\"origClOrdID", op->id);
    if (is_new) {
        if (!is_spot) out_literal(out, ",\"modifier\":1");
        out_literal(out, ",\"side\":");
        out_u64(out, op->side);
        out_literal(out, ",\"type\":1,\"timeInForce\":");
        out_u64(out, op->act == PLAYBACK_PLACE ? TIF_GTC : TIF_IOC);
        put_decimal(out, ",\"price\":\"", op->price, market->price_precision);
    }
    if (op->act != PLAYBACK_CANCEL) put_decimal(out, ",\"quantity\":\"", op->quantity, market->quantity_precision);
    if (is_new && !is_spot) out_literal(out, ",\"reduceOnly\":false,\"positionSide\":1");
    out_char(out, '}');
}

static bool wait_for_room(struct player *player)
{
    while (player->trader.count == TRADER_FLIGHT)
        if (!player_pump(player, PUMP_WAIT_MS)) return false;
    return true;
}

static bool send_batch(struct player *player, struct played *played, uint32_t account, uint32_t count,
                       const struct playback_op *const ops[])
{
    const struct playback_market *market = &played->market;
    const struct form            *form = &forms[market->market == MARKET_SPOT ? 0 : 1][ops[0]->act];
    char                          text[BODY_BYTES];
    struct out                    out = out_make(text, sizeof(text));
    struct trader_request         request = { .method = form->method,
                                              .path = form->path,
                                              .type = form->type,
                                              .market = market->market,
                                              .owner = played,
                                              .act = ops[0]->act,
                                              .count = count };

    if (!played_fund(player->venue, played, account)) return player_fail(player, "%s", player->venue->why);
    out_literal(&out, "{\"accountID\":");
    out_u64(&out, played->accounts[account].id);
    if (market->market == MARKET_PERPS && ops[0]->act >= PLAYBACK_PLACE) {
        out_literal(&out, ",\"symbolID\":");
        out_u64(&out, market->symbol_id);
    }
    out_literal(&out, ",\"");
    out_text(&out, form->list);
    out_literal(&out, "\":[");
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0) out_char(&out, ',');
        put_item(&out, market, ops[i]);
        request.ids[i] = ops[i]->id;
    }
    out_literal(&out, "]}");
    assert(!out.overflow);
    request.body = out_slice(&out);
    request.secret = played->accounts[account].secret;
    if (!wait_for_room(player)) return false;
    return trader_send(&player->trader, &request) || player_fail(player, "%s", player->trader.why);
}

/* The ops of one act and account among a stage's. */
static bool send_acts(struct player *player, struct played *played, enum playback_act act, uint16_t account,
                      uint32_t count, const struct playback_op *ops)
{
    const struct playback_op *batch[BATCH_MAX];
    uint32_t                  held = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (ops[i].act != act || ops[i].account != account) continue;
        batch[held++] = &ops[i];
        if (held < BATCH_MAX) continue;
        if (!send_batch(player, played, account, held, batch)) return false;
        held = 0;
    }
    return held == 0 || send_batch(player, played, account, held, batch);
}

/* Takers' orders, in their order: a batch is a row of the same account. */
static bool send_takes(struct player *player, struct played *played, uint32_t count, const struct playback_op *ops)
{
    const struct playback_op *batch[BATCH_MAX];

    for (uint32_t i = 0, held; i < count; i += held) {
        for (held = 0; held < BATCH_MAX && i + held < count && ops[i + held].account == ops[i].account; held++)
            batch[held] = &ops[i + held];
        if (!send_batch(player, played, PLAYBACK_MAKERS_MAX + ops[i].account, held, batch)) return false;
    }
    return true;
}

static bool send_stage(struct player *player, struct played *played, uint32_t count, const struct playback_op *ops)
{
    static const enum playback_act order[] = { PLAYBACK_CANCEL, PLAYBACK_REDUCE, PLAYBACK_PLACE };
    uint16_t                       last = 0;
    bool                           has[PLAYBACK_TAKE + 1] = { 0 };

    if (ops[0].act == PLAYBACK_TAKE) return send_takes(player, played, count, ops);
    for (uint32_t i = 0; i < count; i++) {
        has[ops[i].act] = true;
        last = ops[i].account > last ? ops[i].account : last;
    }
    for (size_t act = 0; act < ARRAY_COUNT(order); act++)
        for (uint16_t account = 0; has[order[act]] && account <= last; account++)
            if (!send_acts(player, played, order[act], account, count, ops)) return false;
    return true;
}

/* Books do not change while they are sent, because what is heard waits. */
static bool flush_book(struct player *player, struct played *played)
{
    uint32_t                  count;
    const struct playback_op *ops = playback_book_ops(played->book, &count);

    for (uint32_t i = 0, held; i < count; i += held) {
        for (held = 1; i + held < count && ops[i + held].stage == ops[i].stage; held++) continue;
        if (!send_stage(player, played, held, ops + i)) return false;
    }
    if (count != 0) playback_book_sent(played->book);
    return true;
}

bool player_flush(struct player *player)
{
    for (uint32_t i = 0; i < player->sources->symbol_count; i++)
        if (player->played[i] != NULL && !flush_book(player, player->played[i])) return false;
    return true;
}

bool player_drain(struct player *player)
{
    while (player->trader.count != 0)
        if (!player_pump(player, PUMP_WAIT_MS)) return false;
    return true;
}

static void count_reason(struct player *player, long code, const char *error)
{
    for (size_t i = 0; i < REASONS_MAX; i++) {
        struct reason *reason = &player->reasons[i];

        if (reason->count != 0 && reason->code != code) continue;
        reason->code = code;
        if (reason->count++ == 0) (void)snprintf(reason->text, sizeof(reason->text), "%s", error);
        return;
    }
}

/* A cancel or reduction that comes too late, for an order that has traded, is no fault. */
void player_answered(void *self, const struct trader_request *request, uint32_t item, long code, const char *error)
{
    struct player *player = self;
    struct played *played = request->owner;

    if (code == 0 && request->act == PLAYBACK_CANCEL) playback_canceled(played->book, request->ids[item]);
    if (code == BAD_NONCE) player->shared = played;
    if (code == 0 || request->act < PLAYBACK_PLACE) return;
    count_reason(player, code, error);
    playback_refused(played->book, request->act == PLAYBACK_PLACE ? request->ids[item] : 0);
}
