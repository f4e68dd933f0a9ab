/* SPDX-License-Identifier: MIT */
/* rules.c — what keys have to do with each other, without any state
   (ruling 33): the batch, its items beside each other, each item. */
#include "refused.h"

#include "model/commands.h"

/* The object of a rule: its lines, the findings, and its place. */
struct part {
    const struct line  *lines;
    const struct found *found;
    uint32_t            count;
    const char         *path;
    struct verdict     *verdict;
};

const struct found *found_in(const struct line *lines, uint32_t count, const struct found *found, const char *key)
{
    static const struct found nothing;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(lines[i].key, key) == 0) return &found[i];
    return &nothing;
}

static const struct found *get(const struct part *part, const char *key)
{
    return found_in(part->lines, part->count, part->found, key);
}
static uint64_t is(const struct part *part, const char *key) { return get(part, key)->number; }
static bool     has(const struct part *part, const char *key) { return get(part, key)->there; }

static bool broken_rule(const struct part *part, enum reject reject, const char *key)
{
    char                field[96], got[64];
    const struct found *found = get(part, key);

    (void)snprintf(field, sizeof(field), "%s%s%s", part->path, part->path[0] != '\0' ? "." : "", key);
    if (found->there && strcmp(found->text, "\"\"") != 0) shorten(got, sizeof(got), found->text, strlen(found->text));
    else (void)snprintf(got, sizeof(got), "nothing");
    say(part->verdict, reject, field, got, NULL);
    return false;
}

/* ---- spot (spot place rules 3 and 4, spot replace rules 3 and 4; ruling 56) ---- */

static bool spot_order_fits(const struct part *p)
{
    if (is(p, "timeInForce") == 2) return broken_rule(p, REJECT_TIF_NOT_SUPPORTED, "timeInForce");
    if (is(p, "type") == 1) {
        if (!has(p, "price")) return broken_rule(p, REJECT_LIMIT_NEEDS_PRICE, "price");
        if (!has(p, "quantity")) return broken_rule(p, REJECT_LIMIT_NEEDS_QUANTITY, "quantity");
        return !has(p, "funds") || broken_rule(p, REJECT_LIMIT_WITH_FUNDS, "funds");
    }
    if (is(p, "timeInForce") != 3) return broken_rule(p, REJECT_MARKET_NEEDS_IOC, "timeInForce");
    if (has(p, "quantity") == has(p, "funds")) return broken_rule(p, REJECT_MARKET_AMOUNT, "quantity");
    return !has(p, "funds") || is(p, "side") == 1 || broken_rule(p, REJECT_MARKET_SELL_FUNDS, "funds");
}

static bool spot_cancel_fits(const struct part *p)
{
    if (has(p, "orderID") && has(p, "origClOrdID")) return broken_rule(p, REJECT_CANCEL_ONE_TARGET, "orderID");
    return has(p, "orderID") || has(p, "origClOrdID") || is(p, "clOrdID") != 0
        || broken_rule(p, REJECT_BAD_CLIENT_ID, "clOrdID");
}

static bool replacement_fits(const struct part *p)
{
    if (has(p, "origOrderID") == has(p, "origClOrdID")) return broken_rule(p, REJECT_REPLACE_ONE_TARGET, "origOrderID");
    return has(p, "price") || has(p, "quantity") || broken_rule(p, REJECT_REPLACE_NOTHING, "price");
}

/* ---- perps (perps place rules 1 and 4 to 6, cancel, modify; mechanics 3.1, 4.3; ruling 60) ---- */

enum { NORMAL = 1, STOP, BRACKET, ATTACHED };
enum { LONG_SIDE = 2, SHORT_SIDE };

static bool takes_profit_or_stops(const struct part *p)
{
    return is(p, "modifier") == STOP || is(p, "modifier") == ATTACHED;
}

static bool can_only_reduce(const struct part *p)
{
    return is(p, "reduceOnly") == 1 || (is(p, "side") == 2 && is(p, "positionSide") == LONG_SIDE)
        || (is(p, "side") == 1 && is(p, "positionSide") == SHORT_SIDE);
}

static bool perps_limit_fits(const struct part *p)
{
    if (!has(p, "price")) return broken_rule(p, REJECT_LIMIT_NEEDS_PRICE, "price");
    if (has(p, "funds")) return broken_rule(p, REJECT_LIMIT_WITH_FUNDS, "funds");
    if (!has(p, "quantity") && !takes_profit_or_stops(p))
        return broken_rule(p, REJECT_LIMIT_NEEDS_QUANTITY, "quantity");
    return is(p, "timeInForce") != 2 || broken_rule(p, REJECT_TIF_NOT_SUPPORTED, "timeInForce");
}

static bool perps_market_fits(const struct part *p)
{
    bool stops = takes_profit_or_stops(p);

    if (is(p, "timeInForce") != 3) return broken_rule(p, REJECT_MARKET_NEEDS_IOC, "timeInForce");
    if (has(p, "funds") && is(p, "side") == 2) return broken_rule(p, REJECT_MARKET_SELL_FUNDS, "funds");
    if (has(p, "funds") && stops) return broken_rule(p, REJECT_STOP_FUNDS, "funds");
    return stops || has(p, "quantity") != has(p, "funds") || broken_rule(p, REJECT_MARKET_AMOUNT, "quantity");
}

static bool perps_order_fits(const struct part *p)
{
    bool stops = takes_profit_or_stops(p);

    if (has(p, "stopPrice") != stops) return broken_rule(p, REJECT_STOP_FIELDS, "stopPrice");
    if (has(p, "stopType") != stops) return broken_rule(p, REJECT_STOP_FIELDS_TYPE, "stopType");
    if (has(p, "triggerType") != stops) return broken_rule(p, REJECT_STOP_FIELDS_TRIGGER, "triggerType");
    if (!(is(p, "type") == 1 ? perps_limit_fits(p) : perps_market_fits(p))) return false;
    return is(p, "modifier") != STOP || can_only_reduce(p) || has(p, "quantity")
        || broken_rule(p, REJECT_STOP_QUANTITY, "quantity");
}

static bool target_fits(const struct part *p)
{
    return has(p, "orderID") != has(p, "clOrdID") || broken_rule(p, REJECT_PERPS_TARGET, "orderID");
}

static struct part item_of(const struct part *top, const struct line *list, const struct body *body, uint32_t i,
                           char path[32])
{
    (void)snprintf(path, 32, "%s[%u]", list->key, i);
    return (struct part){ list->of, body->item[i], list->count, path, top->verdict };
}

/* An order behind a BRACKET; at the last one the number of take-profits is checked too. */
static bool attached_fits(const struct part *p, const struct part *first, const struct line *list,
                          const struct body *body, uint32_t i)
{
    uint32_t profits = 0;

    if (is(p, "modifier") != ATTACHED) return broken_rule(p, REJECT_BRACKET_SHAPE, "modifier");
    if (is(p, "reduceOnly") != 1) return broken_rule(p, REJECT_BRACKET_REDUCES, "reduceOnly");
    if (is(p, "side") == is(first, "side")) return broken_rule(p, REJECT_BRACKET_SIDES, "side");
    if (i + 1 != body->items) return true;
    for (uint32_t k = 1; k < body->items; k++)
        profits += found_in(list->of, list->count, body->item[k], "stopType")->number == 2;
    return profits == 1 || broken_rule(p, REJECT_BRACKET_STOPS, "stopType");
}

/* A batch with a BRACKET is exactly that bracket (ruling 60). */
static bool beside_each_other(const struct part *top, const struct line *list, const struct body *body)
{
    char        path[32], first_path[32];
    struct part first = item_of(top, list, body, 0, first_path);
    bool        bracket = is(&first, "modifier") == BRACKET;

    for (uint32_t i = 0; i < body->items; i++) {
        struct part p = item_of(top, list, body, i, path);

        if (!bracket && is(&p, "modifier") == BRACKET) return broken_rule(&p, REJECT_BRACKET_SHAPE, "modifier");
        if (!bracket && is(&p, "modifier") == ATTACHED) return broken_rule(&p, REJECT_ATTACHED_ALONE, "modifier");
        if (bracket && i != 0 && !attached_fits(&p, &first, list, body, i)) return false;
        if (!bracket || i != 0) continue;
        if (body->items != 2 && body->items != 3) return broken_rule(&p, REJECT_BRACKET_SHAPE, "modifier");
        if (can_only_reduce(&p)) return broken_rule(&p, REJECT_BRACKET_REDUCES, "reduceOnly");
    }
    return true;
}

/* ---- what has no items ---- */

static bool modify_fits(const struct part *p)
{
    if (!target_fits(p)) return false;
    return has(p, "price") || has(p, "quantity") || has(p, "stopPrice")
        || broken_rule(p, REJECT_MODIFY_NOTHING, "stopPrice");
}

/* service 4.2, service 4.5; transfers that neither base offers */
static bool transfer_fits(const struct part *p)
{
    uint64_t type = is(p, "type");

    if (type != 2 && type != 3 && type != 5) return broken_rule(p, REJECT_TRANSFER_TYPE, "type");
    return is(p, "toAccountID") == 999 || broken_rule(p, REJECT_TRANSFER_TARGET, "toAccountID");
}

static bool name_fits(const struct part *p)
{
    return strcmp(get(p, "name")->text, "\"default\"") != 0 || broken_rule(p, REJECT_BAD_KEY_NAME, "name");
}

/* wire 2.4 */
static bool grant_fits(const struct part *p)
{
    if (strspn(get(p, "publicKey")->text + 3, "0") == 40) return broken_rule(p, REJECT_BAD_PUBLIC_KEY, "publicKey");
    if (is(p, "expiresAt") > INT64_MAX) return broken_rule(p, REJECT_BAD_EXPIRY, "expiresAt");
    if (is(p, "permissions") > 15) return broken_rule(p, REJECT_BAD_PERMISSIONS, "permissions");
    return name_fits(p);
}

static bool item_fits(enum what what, const struct part *p)
{
    switch (what) {
    case PLACE: return spot_order_fits(p);
    case CANCEL: return spot_cancel_fits(p);
    case REPLACE: return replacement_fits(p);
    case PLACE_PERPS: return perps_order_fits(p);
    case CANCEL_PERPS: return target_fits(p);
    default: return true;
    }
}

static bool items_fit(const struct action *action, const struct part *top, const struct line *list,
                      const struct body *body)
{
    char path[32];

    if (body->items == 0) {
        say(top->verdict, REJECT_BATCH_SIZE, list->key, "0 items", list->high == 100 ? NULL : "1 to 64 items");
        return false;
    }
    if (action->what == PLACE_PERPS && refused_planted != LIE_ORDER_RULES && !beside_each_other(top, list, body))
        return false;
    for (uint32_t i = 0; i < body->items; i++) {
        struct part item = item_of(top, list, body, i, path);
        if (!item_fits(action->what, &item)) return false;
    }
    return action->what != PLACE_PERPS || refused_planted != LIE_ORDER_RULES || beside_each_other(top, list, body);
}

bool judge_rules(const struct action *action, const struct body *body, struct verdict *verdict)
{
    struct part top = { action->lines, body->top, action->count, "", verdict };

    for (uint32_t i = 0; i < action->count; i++)
        if (action->lines[i].takes == TAKES_LIST) return items_fit(action, &top, &action->lines[i], body);
    switch (action->what) {
    case MODIFY: return modify_fits(&top);
    case MARGIN: return is(&top, "amount") != 0 || broken_rule(&top, REJECT_MARGIN_AMOUNT, "amount");
    case TRANSFER: return transfer_fits(&top);
    case ADD_KEY: return grant_fits(&top);
    case REVOKE_KEY: return name_fits(&top);
    default: return true;
    }
}
