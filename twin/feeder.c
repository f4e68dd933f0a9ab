/* SPDX-License-Identifier: MIT */
/* feeder.c — a feeder's post, which has a seq instead of a nonce (ruling
   45, mechanics 3.8); and the checks in their order (process 2). */
#include <inttypes.h>

#include "refused.h"

/* ---- feeders ---- */

static const uint32_t price_precision[] = { 1, 2 }; /* of the perps symbols */

/* Units of 10^-precision of a decimal above zero in its normal form, at most 10^15. */
static bool judge_price(struct verdict *verdict, const char *key, const struct found *price, uint32_t precision,
                        uint64_t *units)
{
    const char *point = strchr(price->text, '.');
    size_t      decimals = point != NULL ? strlen(point) - 2 : 0;
    __int128    sum = 0;
    char        got[64];

    *units = 0;
    if (!price->there) return true;
    (void)snprintf(got, sizeof(got), "%.*s", (int)strlen(price->text) - 2, price->text + 1);
    for (const char *c = price->text; *c != '\0'; c++)
        if (*c >= '0' && *c <= '9') sum = sum * 10 + (*c - '0');
    for (size_t i = decimals; i < precision; i++) sum *= 10;
    *units = (uint64_t)sum;
    if (decimals <= precision && sum <= INT64_C(1000000000000000)) return true;
    say(verdict, decimals > precision ? REJECT_PRICE_DECIMALS : REJECT_PRICE_MAX, key, got, NULL);
    return false;
}

static bool judge_prices(const struct body *body, struct verdict *verdict, struct price_said *prices)
{
    for (uint32_t i = 0; i < body->items; i++) {
        const struct found *item = body->item[i];

        prices[i].symbol = item[0].number;
        if (item[0].number < 1 || item[0].number > ARRAY_COUNT(price_precision)) {
            say(verdict, REJECT_SYMBOL_NOT_FOUND, "symbolID", item[0].text, NULL);
            return false;
        }
        if (!judge_price(verdict, "price", &item[1], price_precision[item[0].number - 1], &prices[i].price))
            return false;
        if (!judge_price(verdict, "perpMid", &item[2], price_precision[item[0].number - 1], &prices[i].mid))
            return false;
    }
    return true;
}

/* At most 30 s before and 5 s after the server's time. */
static bool judge_time(const struct sent *asked, const struct body *body, struct verdict *verdict)
{
    __int128 now = asked->now_ms - asked->offset_ms, time = body->top[1].number;

    if (body->top[1].text[0] == '-') time = -time;
    if (time >= now - 30000 && time <= now + 5000) return true;
    say(verdict, REJECT_ORACLE_TIME, "timestamp", body->top[1].text, NULL);
    verdict->server_time = (int64_t)now;
    return false;
}

static bool is_feeder(const struct sent *asked, struct verdict *verdict, const struct body *body,
                      const struct price_said *prices, const struct hash256 *made)
{
    const struct shop_row *shop = &shop_rows[asked->shop];
    struct hash256         first = { { 0 } };
    uint64_t               named = chain_of(asked), first_chain = 0;

    for (uint32_t i = 0; i < shop->chain_count; i++) {
        struct hash256 digest;

        if (named != 0 && named != shop->chains[i]) continue;
        digest = oracle_digest_of(shop->chains[i], body->top[0].number, body->top[1].number, prices, body->items);
        verdict->chain = shop->chains[i];
        if (is_intact(asked) && asked->sign.who == FEEDER && memcmp(&digest, made, sizeof(digest)) == 0) return true;
        if (first_chain == 0) {
            first = digest;
            first_chain = shop->chains[i];
        }
    }
    bad_signature(asked, verdict, REJECT_NOT_A_FEEDER,
                  first_chain == 0 ? "X-API-Chain: a chain id of this exchange, see /version" : NULL);
    if (first_chain != 0) explain(asked, verdict, first_chain, &first, made);
    return false;
}

bool judge_feeder(struct sent *asked, const struct body *body, struct verdict *verdict)
{
    static struct price_said prices[64];
    struct hash256           made;
    uint64_t                 seq = body->top[0].number + (asked->sign.nonce - nonce_of(asked));
    char                     need[40];

    if (!judge_prices(body, verdict, prices)) return false;
    made = oracle_digest_of(asked->sign.chain, seq, body->top[1].number, prices, body->items);
    if (!asked->sign.given) sign_it(asked, &made);
    if (!in_range(asked->sign_text.text)) {
        bad_signature(asked, verdict, REJECT_BAD_SIGNATURE,
                      "r and s in range, s in the lower half, v of 0, 1, 27 or 28");
        return false;
    }
    if (!judge_time(asked, body, verdict) || !is_feeder(asked, verdict, body, prices, &made)) return false;
    verdict->signer = people[FEEDER].address;
    verdict->domain = 4;
    verdict->prices = prices;
    if (body->top[0].number > FEEDERS_LAST_SEQ) return true;
    (void)snprintf(need, sizeof(need), "more than %d", FEEDERS_LAST_SEQ);
    say(verdict, REJECT_ORACLE_SEQ, "seq", body->top[0].text, need);
    return false;
}

/* ---- what is not offered ---- */

/* Each base takes its own directions (service 4.2, service 4.5). */
static bool judge_direction(const struct sent *asked, const struct body *body, struct verdict *verdict)
{
    const struct found *type = found_in(asked->action->lines, asked->action->count, body->top, "type");

    if (asked->action->what != TRANSFER || (type->number == 5) == (asked->base == ON_PERPS)) return true;
    say(verdict, REJECT_TRANSFER_TYPE, "type", type->text, NULL);
    return false;
}

/* A strict venue takes BOTH alone (mechanics 3.1). */
static bool judge_sides(const struct sent *asked, const struct body *body, struct verdict *verdict)
{
    const struct line *list = &asked->action->lines[2];

    for (uint32_t i = 0; asked->action->what == PLACE_PERPS && shop_rows[asked->shop].strict_sides && i < body->items;
         i++) {
        const struct found *side = found_in(list->of, list->count, body->item[i], "positionSide");
        char                field[64];

        if (side->number == 1) continue;
        (void)snprintf(field, sizeof(field), "orders[%u].positionSide", i);
        say(verdict, REJECT_POSITION_SIDE, field, side->text, NULL);
        return false;
    }
    return true;
}

/* Builder fees (ruling 4), and requests that would need room that is not there (ruling 51). */
static bool judge_offered(const struct sent *asked, const struct body *body, struct verdict *verdict)
{
    const struct action *action = asked->action;

    if (found_in(action->lines, action->count, body->top, "builder")->there) {
        say(verdict, REJECT_NOT_SUPPORTED, "builder", "", NULL);
        return false;
    }
    if (!asked->full || action->reduces) return true;
    say(verdict, REJECT_BUSY, "", "", NULL);
    return false;
}

void judge(struct sent *asked, struct body *body, struct verdict *verdict)
{
    *verdict = (struct verdict){ .reject = REJECT_NONE };
    if (!judge_front(asked, verdict) || !judge_path(asked, verdict)) return;
    if (!judge_headers(asked, verdict)) return;
    if (asked->action->proof == BY_FEEDER) {
        verdict->unused = false;
        if (judge_body(asked->action, asked->body, asked->body_len, body, verdict))
            (void)judge_feeder(asked, body, verdict);
        return;
    }
    if (!judge_body(asked->action, asked->body, asked->body_len, body, verdict) || !judge_items(asked, body, verdict))
        return;
    if (!judge_direction(asked, body, verdict) || !judge_sides(asked, body, verdict)) return;
    if (judge_who(asked, body, verdict)) (void)judge_offered(asked, body, verdict);
}
