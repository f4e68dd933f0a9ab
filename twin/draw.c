/* SPDX-License-Identifier: MIT */
/* draw.c — a valid request of every signed write, drawn from a seed; then written, with its mutations. */
#include <inttypes.h>

#include "draft.h"

#define TIME INT64_C(1760000000000)

/* ---- values ---- */

static uint32_t draws(struct draft *draft, uint32_t n) { return random_below(&draft->random_state, n); }

static void draw_id(struct draft *draft, char into[160])
{
    static const char letters_of_ids[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    uint32_t          len = draws(draft, 8) == 0 ? 36 : 1 + draws(draft, 12);

    into[0] = into[len + 1] = '"';
    for (uint32_t i = 1; i <= len; i++) into[i] = letters_of_ids[draws(draft, sizeof(letters_of_ids) - 1)];
    into[len + 2] = '\0';
}

static const char *draw_decimal(struct draft *draft)
{
    /* clang-format off */
    static const char *const good[] = {
        "\"95000\"", "\"95000.5\"", "\"0.01\"", "\"0.010\"", "\"1\"", "\"1.0\"", "\"250.5\"", "\"123456789012345678\"",
        "\"0.000000000000000001\"", "\"1234567890.12345678\"",
    };
    /* clang-format on */

    return good[draws(draft, ARRAY_COUNT(good))];
}

void draw_value(struct draft *draft, const struct line *line, char into[160])
{
    static const char *const numbers[] = { "1", "2", "7", "18446744073709551615", "9007199254740993" };
    const char              *decimal;

    switch (line->takes) {
    case TAKES_CLIENT_ID:
    case TAKES_KEY_NAME: draw_id(draft, into); return;
    case TAKES_CHOICE: (void)snprintf(into, 160, "%u", line->low + draws(draft, line->high - line->low + 1u)); return;
    case TAKES_DECIMAL: (void)snprintf(into, 160, "%s", draw_decimal(draft)); return;
    case TAKES_SIGNED:
        decimal = draw_decimal(draft);
        (void)snprintf(into, 160, "%s%s", draws(draft, 2) ? "\"-" : "\"", decimal + 1);
        return;
    case TAKES_FLAG: (void)snprintf(into, 160, "%s", draws(draft, 2) ? "true" : "false"); return;
    case TAKES_ADDRESS:
        (void)snprintf(into, 160, "\"0x%040" PRIX64 "\"", UINT64_C(0xabcdef0000) + draws(draft, 1000));
        return;
    case TAKES_U32: (void)snprintf(into, 160, "%u", draws(draft, 8) == 0 ? UINT32_MAX : draws(draft, 30)); return;
    default:
        (void)snprintf(into, 160, "%s", numbers[draws(draft, draws(draft, 4) == 0 ? ARRAY_COUNT(numbers) : 3)]);
        return;
    }
}

/* ---- bodies that fit ---- */

static void set(struct draft *draft, uint32_t object, const char *name, const char *text)
{
    piece_put(draft, piece_of(draft, object, name), text);
}

static void drop(struct draft *draft, uint32_t object, const char *name)
{
    for (uint32_t *at = &draft->at[object].first; *at != 0; at = &draft->at[*at].next)
        if (strcmp(draft->at[*at].key, name) == 0) {
            *at = draft->at[*at].next;
            return;
        }
}

/* All lines, each with a value; `builder` seldom. */
static uint32_t draw_object(struct draft *draft, uint32_t parent, const struct line *line, const struct line *lines,
                            uint32_t count, bool builder)
{
    uint32_t object =
        piece_add(draft, parent, line, line != NULL && line->takes == TAKES_OBJECT ? line->key : "", 'o', "");
    char text[160];

    for (const struct line *one = lines; one < lines + count; one++) {
        bool of_builder = one->takes == TAKES_ANYTHING || one->takes == TAKES_OBJECT;

        if (of_builder && !builder) continue;
        if (one->takes == TAKES_OBJECT) {
            draw_object(draft, object, one, one->of, one->count, false);
            continue;
        }
        draw_value(draft, one, text);
        if (one->takes == TAKES_ANYTHING) (void)snprintf(text, sizeof(text), "{\"id\":1,\"fee\":[0.5,{}]}");
        piece_add(draft, object, one, one->key, one->takes == TAKES_LIST ? 'a' : 'l', text);
    }
    return object;
}

/* Limit or market, and the members that belong to it. */
static void fit_order(struct draft *draft, uint32_t order, bool stop, bool may_buy_by_funds)
{
    bool limit = draws(draft, 2) == 0, buy = draws(draft, 2) == 0;

    set(draft, order, "side", buy ? "1" : "2");
    set(draft, order, "type", limit ? "1" : "2");
    set(draft, order, "timeInForce", !limit || draws(draft, 3) == 0 ? "3" : draws(draft, 2) ? "1" : "4");
    if (!limit && draws(draft, 2)) drop(draft, order, "price");
    if (!limit && !stop && buy && may_buy_by_funds && draws(draft, 2)) drop(draft, order, "quantity");
    else drop(draft, order, "funds");
}

static void fit_perps_order(struct draft *draft, uint32_t order, const char *modifier)
{
    bool stop = modifier[0] == '2' || modifier[0] == '4';

    set(draft, order, "modifier", modifier);
    set(draft, order, "reduceOnly", modifier[0] == '4' || draws(draft, 4) == 0 ? "true" : "false");
    set(draft, order, "positionSide", draws(draft, 8) == 0 ? "2" : "1");
    fit_order(draft, order, stop, strcmp(draft->at[piece_of(draft, order, "reduceOnly")].text, "true") != 0);
    if (!stop) {
        drop(draft, order, "stopPrice");
        drop(draft, order, "stopType");
        drop(draft, order, "triggerType");
    }
}

static void one_of(struct draft *draft, uint32_t object, const char *a, const char *b)
{
    drop(draft, object, draws(draft, 2) ? a : b);
}

static void fit_item(struct draft *draft, enum what what, uint32_t item)
{
    switch (what) {
    case PLACE: fit_order(draft, item, false, true); break;
    case PLACE_PERPS: fit_perps_order(draft, item, draws(draft, 3) == 0 ? "2" : "1"); break;
    case CANCEL:
        one_of(draft, item, "orderID", "origClOrdID");
        if (draws(draft, 3) == 0) {
            drop(draft, item, "orderID");
            drop(draft, item, "origClOrdID");
        } else if (draws(draft, 4) == 0) set(draft, item, "clOrdID", "\"\"");
        break;
    case REPLACE:
        one_of(draft, item, "origOrderID", "origClOrdID");
        if (draws(draft, 2)) one_of(draft, item, "price", "quantity");
        break;
    case CANCEL_PERPS: one_of(draft, item, "orderID", "clOrdID"); break;
    case ORACLE:
        set(draft, item, "symbolID", draws(draft, 2) ? "1" : "2");
        set(draft, item, "price", draws(draft, 2) ? "\"100000.5\"" : "\"99999\"");
        set(draft, item, "perpMid", "\"100001.0\"");
        if (draws(draft, 2)) drop(draft, item, "perpMid");
        break;
    default: break;
    }
}

/* A BRACKET and its attached orders. */
static void fit_bracket(struct draft *draft, uint32_t list)
{
    uint32_t first = draft->at[list].first, count = 0;

    for (uint32_t item = first; item != 0; item = draft->at[item].next, count++) {
        fit_perps_order(draft, item, count == 0 ? "3" : "4");
        if (count == 0) {
            set(draft, item, "reduceOnly", "false");
            set(draft, item, "positionSide", "1");
            continue;
        }
        set(draft, item, "stopType", count == 1 ? "2" : "1");
        set(draft, item, "side", strcmp(draft->at[piece_of(draft, first, "side")].text, "1") == 0 ? "2" : "1");
    }
}

static void draw_items(struct draft *draft, uint32_t list, enum what what)
{
    const struct line *line = draft->at[list].line;
    bool               bracket = what == PLACE_PERPS && draws(draft, 4) == 0;
    uint32_t count = bracket ? 2 + draws(draft, 2) : draws(draft, 400) == 0 ? line->high : 1 + draws(draft, 3);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = draw_object(draft, list, line, line->of, line->count, false);
        if (!bracket) fit_item(draft, what, item);
    }
    if (bracket) fit_bracket(draft, list);
}

static void fit_whole(struct draft *draft, const struct sent *asked)
{
    char text[40];

    switch (asked->action->what) {
    case MODIFY:
        one_of(draft, 1, "orderID", "clOrdID");
        if (draws(draft, 2)) one_of(draft, 1, "price", "stopPrice");
        break;
    case SCHEDULE:
        if (draws(draft, 2)) drop(draft, 1, "scheduledTimestamp");
        break;
    case TRANSFER:
        set(draft, 1, "type", asked->base == ON_PERPS ? "5" : draws(draft, 2) ? "2" : "3");
        set(draft, 1, "toAccountID", "999");
        break;
    case ADD_KEY:
        if (draws(draft, 2)) drop(draft, 1, "permissions");
        else (void)snprintf(text, sizeof(text), "%u", draws(draft, 16)), set(draft, 1, "permissions", text);
        set(draft, 1, "expiresAt", draws(draft, 2) ? "0" : "9223372036854775807");
        break;
    case ORACLE:
        set(draft, 1, "seq", draws(draft, 2) ? "42" : "18446744073709551615");
        (void)snprintf(text, sizeof(text), "%" PRId64, TIME + (draws(draft, 2) ? 5000 : -30000));
        set(draft, 1, "timestamp", text);
        break;
    default: break;
    }
}

static void draw_body(struct draft *draft, const struct sent *asked)
{
    const struct action *action = asked->action;

    draw_object(draft, 0, NULL, action->lines, action->count, draws(draft, 25) == 0);
    for (uint32_t piece = draft->at[1].first; piece != 0; piece = draft->at[piece].next)
        if (draft->at[piece].is == 'a') draw_items(draft, piece, action->what);
    fit_whole(draft, asked);
}

/* ---- signers ---- */

static void say_header(struct header *header, const char *text)
{
    header->there = true;
    header->twice = false;
    (void)snprintf(header->text, sizeof(header->text), "%s", text);
}

/* An account, its owner or one of his keys; at the gateway the owner stands in the path. */
static void draw_who(struct draft *draft, struct sent *asked)
{
    /* clang-format off */
    static const struct { const char *account, *key; uint32_t who; } some[] = {
        { "1001", "", OWNER_A }, { "1001", "default", OWNER_A }, { "1003", "", OWNER_A }, { "1002", "", OWNER_B },
          { "0", "", OWNER_B },
        { "", "", OWNER_A }, { "1001", "bot-1", KEY_A }, { "1003", "bot-1", KEY_A }, { "1001", "late_key", KEY_LATE },
        { "1002", "bot-1", KEY_B },
    };
    /* clang-format on */
    const char *name = asked->action->what == TRANSFER ? "fromAccountID" : "accountID";
    uint32_t    i = draws(draft, asked->action->proof == BY_ACTION ? ARRAY_COUNT(some) : 6), len;

    if (asked->action->what == SCHEDULE && (i == 4 || i == 5)) i = 0;
    if (some[i].account[0] == '\0') drop(draft, 1, name);
    else set(draft, 1, name, some[i].account);
    if (some[i].key[0] != '\0' || draws(draft, 8) == 0) say_header(&asked->key, some[i].key);
    asked->sign.who = asked->action->proof == BY_FEEDER ? FEEDER : some[i].who;
    len = (uint32_t)snprintf(asked->path, sizeof(asked->path), "%s", base_text[asked->base]);
    for (const char *c = asked->action->path; *c != '\0'; c++) {
        if (*c != '{') {
            asked->path[len++] = *c;
            continue;
        }
        c++;
        len += (uint32_t)sprintf(asked->path + len, "0x");
        for (int k = 0; k < 20; k++)
            len += (uint32_t)sprintf(asked->path + len, "%02x", people[some[i].who].address.bytes[k]);
    }
    asked->path[len] = '\0';
}

static void draw_sign(struct draft *draft, struct sent *asked)
{
    const struct shop_row *shop = &shop_rows[asked->shop];
    const struct action   *action = asked->action;
    bool                   wallet = action->proof == BY_GRANT || (action->proof == BY_REVOCATION && draws(draft, 2));
    char                   text[32];

    asked->sign.chain = asked->sign.message_chain = shop->chains[draws(draft, shop->chain_count)];
    asked->sign.type = wallet ? 2 : 1;
    asked->sign.domain = wallet ? 3 : asked->base == ON_SPOT || (asked->base == ON_GATEWAY && draws(draft, 2)) ? 1 : 2;
    asked->sign.text = draws(draft, 4) == 0 ? SIGNED_NORMAL : SIGNED_RAW;
    asked->sign.v_more = draws(draft, 3) == 0 ? 27 : 0;
    asked->sign.bare = draws(draft, 5) == 0;
    asked->sign.upper = draws(draft, 5) == 0;
    asked->sign.spelling = (uint8_t)(piece_of(draft, 1, "builder") != 0       ? 3
                                     : piece_of(draft, 1, "permissions") != 0 ? 2
                                                                              : draws(draft, 2));
    (void)snprintf(text, sizeof(text), "%" PRIu64, asked->sign.chain);
    if (draws(draft, 2)) say_header(&asked->chain, text);
    say_header(&asked->sign_text, "");
    (void)snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)TIME + draws(draft, 1000));
    say_header(&asked->nonce, text);
    if (draws(draft, 4))
        say_header(&asked->type, draws(draft, 3) ? "application/json" : "Application/JSON \t; charset=utf-8");
}

/* ---- the whole ---- */

/* A well-formed signature without a signer, for requests whose signer is not checked. */
static void some_signature(struct sent *asked)
{
    if (asked->sign.given) return;
    (void)snprintf(asked->sign_text.text, sizeof(asked->sign_text.text), "0x0%u%064d%064d00", asked->sign.type, 7, 9);
}

void draw_again(struct sent *asked)
{
    static struct draft draft;
    uint64_t            seed = asked->seed;
    char                name[sizeof(asked->method)];

    draft.asked = asked;
    draft.random_state = (struct random_state){ .state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1 };
    for (int i = 0; i < 8; i++) (void)draws(&draft, 2);
    draft.count = 0;
    draft.nonce_off = 0;
    asked->nonce = asked->sign_text = asked->key = asked->chain = asked->type = (struct header){ .there = false };
    asked->sign = (struct sign){ .who = OWNER_A };
    asked->starting = asked->shed = asked->full = false;
    asked->limit = asked->prior_count = 0;
    asked->origin = draws(&draft, 6) == 0;
    asked->chunked = draws(&draft, 6) == 0;
    asked->tight = draws(&draft, 6) == 0;
    asked->now_ms = TIME;
    asked->offset_ms = 0;
    asked->shop = draws(&draft, 2) ? 0 : draws(&draft, shop_count);
    if (asked->told != 0) asked->shop = asked->told - 1;
    asked->action =
        &actions[draws(&draft, 3) == 0 ? draws(&draft, 6) : draws(&draft, action_count)]; /* mostly orders */
    do asked->base = 1u << draws(&draft, 3);
    while ((asked->action->bases & asked->base) == 0);
    (void)snprintf(asked->method, sizeof(name), "%s", asked->action->method);
    draw_body(&draft, asked);
    draw_who(&draft, asked);
    draw_sign(&draft, asked);
    draft.loose = draws(&draft, 6) == 0;
    for (uint32_t i = 0; i < asked->mutate_count; i++) {
        draft.random_state.state = asked->spoils[i].seed;
        mutate(&draft, asked->spoils[i].kind);
    }
    draft.random_state.state = seed * 2 + 1;
    asked->body_len = piece_write(&draft, 1, asked->body, 0);
    for (uint32_t i = 0; i < asked->mutate_count; i++) {
        draft.random_state.state = asked->spoils[i].seed;
        mutate_bytes(&draft, asked->spoils[i].kind);
    }
    asked->nonce.twice = asked->nonce.twice && asked->nonce.there;
    asked->sign_text.twice = asked->sign_text.twice && asked->sign_text.there;
    asked->sign.nonce = nonce_of(asked) + (uint64_t)(int64_t)draft.nonce_off;
    some_signature(asked);
}

void draw_request(struct sent *asked, uint64_t seed, const struct sent *beside)
{
    struct random_state d = { .state = seed * UINT64_C(0xd1342543de82ef95) | 1 };

    for (int i = 0; i < 8; i++) (void)random_below(&d, 2);
    asked->seed = seed;
    asked->told = beside != NULL ? beside->shop + 1 : 0;
    asked->mutate_count = random_below(&d, 10) == 0 ? 0 : 1 + random_below(&d, 2);
    for (uint32_t i = 0; i < asked->mutate_count; i++) {
        asked->spoils[i].kind = mutate_some(&d);
        asked->spoils[i].seed = d.state ^ (i + 1);
        if (asked->spoils[i].seed == 0) asked->spoils[i].seed = 1;
        (void)random_below(&d, 2);
    }
    draw_again(asked);
}
