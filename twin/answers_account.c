/* SPDX-License-Identifier: MIT */
/* answers_account.c — answers about accounts: balances, positions, states, orders. */
#include "ask.h"

void owner_text(const struct account *account, char into[43])
{
    (void)snprintf(into, 3, "0x");
    for (size_t i = 0; i < 20; i++) (void)snprintf(into + 2 + 2 * i, 3, "%02x", account->owner.bytes[i]);
}

/* Whether any event named the coin for the account. */
bool ever_held(const struct answers *answers, uint64_t account_id, uint8_t market, uint32_t coin)
{
    for (uint32_t i = 0; i < answers->held_count; i++)
        if (answers->held[i].account_id == account_id && answers->held[i].market == market
            && answers->held[i].coin_id == coin)
            return true;
    return false;
}

static void put_spot_balances(struct answers *answers, struct twin *twin, const struct account *account,
                              struct spelling spelling)
{
    struct text *t = &answers->want;
    bool         first = true;

    put(t, "[");
    for (uint32_t coin = 0; coin < twin->genesis.coin_count; coin++) {
        const struct coin *of = &twin->genesis.coins[coin];

        if (!ever_held(answers, account->id, MARKET_SPOT, coin)) continue;
        if (!first) put(t, ",");
        first = false;
        open_object(t);
        number(t, say(spelling, "id", "i"), coin);
        named(t, say(spelling, "coin", "a"), &of->name);
        amount(t, say(spelling, "total", "t"), account->total[coin], of->precision);
        amount(t, say(spelling, "locked", "l"), answers_planted == ANSWER_BUG_LOCKED ? 0 : locked(twin, account, coin),
               of->precision);
        close_object(t);
    }
    put(t, "]");
}

const char *check_spot_account(struct answers *answers, struct twin *twin, const struct account *account)
{
    struct text *t = &answers->want;

    begin(answers);
    open_object(t);
    block(answers);
    key(t, "balances");
    put_spot_balances(answers, twin, account, (struct spelling){ false });
    close_object(t);
    ASK(MARKET_SPOT, account, "balances?");
    begin(answers);
    open_object(t);
    block(answers);
    key(t, "orders");
    put_orders(t, twin, account, MARKET_SPOT, ALL, 1000, (struct spelling){ false });
    close_object(t);
    ASK(MARKET_SPOT, account, "orders?");
    begin(answers);
    open_object(t);
    address(t, "user", &account->owner);
    count_of(t, "aid", account->id);
    count_of(t, "uid", account->user_id);
    key(t, "B");
    put_spot_balances(answers, twin, account, (struct spelling){ true });
    key(t, "O");
    put_orders(t, twin, account, MARKET_SPOT, ALL, 1000, (struct spelling){ true });
    key(t, "TO");
    put(t, "[]");
    block(answers);
    close_object(t);
    ASK(MARKET_SPOT, account, "state?");
    return NULL;
}

/* The totals of a perps account (mechanics 3.3, 3.4). */
struct figures {
    int128_t equity, maintenance, initial, buckets, needs, reserves, available, isolated, transferable;
};

static struct figures figures_of(struct twin *twin, const struct account *account)
{
    struct figures f = { .equity = cross_equity(twin, account, AT_MARK),
                         .maintenance = cross_maintenance(twin, account),
                         .needs = needs(twin, account),
                         .reserves = reserves(twin, account),
                         .isolated = available_isolated(twin, account),
                         .transferable = withdrawable(twin, account) };
    const char    *why;

    f.available = cross_equity(twin, account, AT_WORST_CAREFUL) - f.needs
                - (answers_planted == ANSWER_BUG_AVAILABLE ? 0 : f.reserves);
    if (f.available < 0) f.available = 0;
    if (money_is_held_by(twin, account, &why) != NULL) f.transferable = 0;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct position *p = &account->positions[i];

        f.buckets += p->is.bucket;
        if (p->is.margin_mode == MARGIN_CROSS) f.initial += position_margin(twin, &twin->genesis.perps[i], p);
    }
    return f;
}

/* value / size in prices with four more decimals, halves up; 0 of nothing. */
int128_t average(const struct twin *twin, const struct symbol *s, int128_t value, int64_t size)
{
    int      k = (int)quote_of(twin, s)->precision - (int)s->price_precision - (int)s->quantity_precision;
    int128_t above = (value < 0 ? -value : value) * 10000, below = size_of(size);

    if (size == 0) return 0;
    if (k >= 0) below *= power10(k);
    else above *= power10(-k);
    return answers_planted == ANSWER_BUG_ENTRY ? divide_floor(above, below)
                                               : divide_floor(2 * above + below, 2 * below);
}

static int64_t liquidation(struct twin *twin, const struct account *account, const struct symbol *s)
{
    if (answers_planted == ANSWER_BUG_LIQUIDATION && position_of(twin, account, s)->is.margin_mode == MARGIN_CROSS)
        return 0;
    return liquidation_price(twin, account, s);
}

static void put_position(struct text *t, struct twin *twin, const struct account *account, const struct symbol *s)
{
    const struct position         *p = position_of(twin, account, s);
    const struct position_changed *is = &p->is;
    uint32_t q = s->quantity_precision, n = quote_of(twin, s)->precision, a = s->price_precision + 4;
    int128_t initial = position_margin(twin, s, p);

    count_of(t, "id", is->position_id);
    named(t, "symbol", &s->name);
    word(t, "marginMode", is->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
    word(t, "side", "BOTH");
    word(t, "positionSide", "BOTH");
    amount(t, "size", is->size, q);
    amount(t, "initialMargin", initial, n);
    amount(t, "avgEntryPrice", average(twin, s, p->cost, is->size), a);
    amount(t, "cumOpenCost", is->open_value, n);
    amount(t, "cumTradingFee", is->fees, n);
    amount(t, "cumClosedSize", is->closed_size, q);
    amount(t, "avgClosePrice", average(twin, s, is->close_value, is->closed_size), a);
    amount(t, "maxSize", is->max_size, q);
    amount(t, "realizedPnL", is->realized, n);
    number(t, "leverage", is->leverage);
    flag(t, "active", true);
    flag(t, "isTakenOver", false);
    amount(t, "takeOverPrice", 0, 0);
    number(t, "createdAt", is->created_ms);
    number(t, "updatedAt", is->updated_ms);
    number(t, "symbolID", s->id);
    count_of(t, "accountID", account->id);
    amount(t, "quantity", is->size, q);
    amount(t, "entryPrice", average(twin, s, p->cost, is->size), a);
    amount(t, "markPrice", mark_of(twin, s), s->price_precision);
    amount(t, "liquidationPrice", liquidation(twin, account, s), s->price_precision);
    amount(t, "unrealizedPnl", profit(twin, s, p, AT_MARK), n);
    amount(t, "margin", is->margin_mode == MARGIN_CROSS ? initial : is->bucket, n);
}

static void put_state_position(struct text *t, struct twin *twin, const struct account *account, const struct symbol *s)
{
    const struct position         *p = position_of(twin, account, s);
    const struct position_changed *is = &p->is;
    uint32_t q = s->quantity_precision, n = quote_of(twin, s)->precision, a = s->price_precision + 4;

    count_of(t, "i", is->position_id);
    named(t, "s", &s->name);
    word(t, "m", is->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
    word(t, "ps", "BOTH");
    amount(t, "sz", is->size, q);
    if (is->margin_mode == MARGIN_CROSS || is->bucket == 0) {
        key(t, "iw");
        put(t, "null");
    } else amount(t, "iw", is->bucket, n);
    amount(t, "ep", average(twin, s, p->cost, is->size), a);
    amount(t, "co", is->open_value, n);
    amount(t, "cf", is->fees, n);
    amount(t, "cc", is->closed_size, q);
    amount(t, "cp", average(twin, s, is->close_value, is->closed_size), a);
    amount(t, "ms", is->max_size, q);
    amount(t, "cr", is->realized, n);
    amount(t, "ur", profit(twin, s, p, AT_MARK), n);
    number(t, "l", is->leverage);
    amount(t, "lp", liquidation(twin, account, s), s->price_precision);
    number(t, "adl", light_of(twin, account, s));
    number(t, "ct", is->created_ms);
    number(t, "ut", is->updated_ms);
}

/* Of a state: all, by symbol. */
static void put_state_positions(struct text *t, struct twin *twin, const struct account *account)
{
    bool first = true;

    put(t, "[");
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        if (account->positions[i].is.size == 0) continue;
        if (!first) put(t, ",");
        first = false;
        open_object(t);
        put_state_position(t, twin, account, &twin->genesis.perps[i]);
        close_object(t);
    }
    put(t, "]");
}

/* The newest first, at most `most`. */
static void put_positions(struct text *t, struct twin *twin, const struct account *account, uint32_t only,
                          uint32_t most)
{
    uint64_t below = UINT64_MAX;

    put(t, "[");
    for (uint32_t n = 0; n < most; n++) {
        const struct position *next = NULL;

        for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
            const struct position *p = &account->positions[i];

            if (p->is.size == 0 || p->is.position_id >= below || (only != ALL && i + 1 != only)) continue;
            if (next == NULL || p->is.position_id > next->is.position_id) next = p;
        }
        if (next == NULL) break;
        below = next->is.position_id;
        if (n != 0) put(t, ",");
        open_object(t);
        put_position(t, twin, account, symbol_of(twin, MARKET_PERPS, next->is.symbol_id));
        close_object(t);
    }
    put(t, "]");
}

static void put_wallet(struct answers *answers, struct twin *twin, const struct account *account,
                       const struct figures *f, bool brief)
{
    const struct coin *coin = &twin->genesis.coins[COIN_MARGIN];
    uint32_t           n = coin->precision;
    struct text       *t = &answers->want;

    put(t, "[");
    if (!ever_held(answers, account->id, MARKET_PERPS, COIN_MARGIN)) {
        put(t, "]");
        return;
    }
    open_object(t);
    number(t, brief ? "i" : "id", COIN_MARGIN);
    named(t, brief ? "a" : "coin", &coin->name);
    amount(t, brief ? "wb" : "total", account->wallet, n);
    amount(t, brief ? "co" : "collateral", account->wallet, n);
    amount(t, brief ? "mr" : "marginRatio", 1, 0);
    amount(t, brief ? "px" : "price", 1, 0);
    if (!brief) amount(t, "locked", f->needs + f->reserves, n);
    if (brief) {
        amount(t, "iw", f->buckets, n);
        amount(t, "aw", f->available, n);
        amount(t, "at", f->transferable, n);
        amount(t, "ww", f->transferable, n);
        amount(t, "wm", account->wallet, n);
        amount(t, "am", f->available, n);
    }
    close_object(t);
    put(t, "]");
}

/* mm / av at 8 decimals, up; where there is nothing to divide by, a million. */
static int128_t ratio_of(const struct figures *f)
{
    int128_t most = (int128_t)1000000 * 100000000, ratio;

    if (f->maintenance == 0) return 0;
    if (f->equity <= 0) return most;
    ratio = answers_planted == ANSWER_BUG_RATIO ? divide_floor(f->maintenance * 100000000, f->equity)
                                                : divide_ceil(f->maintenance * 100000000, f->equity);
    return ratio < most ? ratio : most;
}

static const char *check_perps_state(struct answers *answers, struct twin *twin, const struct account *account,
                                     const struct figures *f)
{
    struct text *t = &answers->want;
    uint32_t     n = twin->genesis.coins[COIN_MARGIN].precision;

    begin(answers);
    open_object(t);
    address(t, "user", &account->owner);
    count_of(t, "aid", account->id);
    count_of(t, "uid", account->user_id);
    amount(t, "av", f->equity, n);
    amount(t, "mm", f->maintenance, n);
    amount(t, "mmr", ratio_of(f), 8);
    amount(t, "am", f->available, n);
    amount(t, "ami", f->isolated, n);
    amount(t, "amw", f->transferable, n);
    amount(t, "im", f->buckets, n);
    amount(t, "cm", f->initial, n);
    amount(t, "oim", f->reserves, n);
    amount(t, "ocm", f->needs - f->initial, n);
    key(t, "B");
    put_wallet(answers, twin, account, f, true);
    key(t, "O");
    put_orders(t, twin, account, MARKET_PERPS, ALL, 100, (struct spelling){ true });
    key(t, "P");
    put_state_positions(t, twin, account);
    key(t, "S");
    put(t, "[");
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct position_changed *is = &account->positions[i].is;

        if (i != 0) put(t, ",");
        open_object(t);
        named(t, "s", &twin->genesis.perps[i].name);
        number(t, "l", answers_planted == ANSWER_BUG_SETTING ? twin->genesis.contracts[i].init_leverage : is->leverage);
        word(t, "m", is->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
        close_object(t);
    }
    put(t, "]");
    key(t, "TO");
    put(t, "[]");
    block(answers);
    close_object(t);
    ASK(MARKET_PERPS, account, "state?");
    return NULL;
}

const char *check_perps_account(struct answers *answers, struct twin *twin, const struct account *account)
{
    struct text   *t = &answers->want;
    struct figures f = figures_of(twin, account);

    begin(answers);
    open_object(t);
    block(answers);
    key(t, "balances");
    put_wallet(answers, twin, account, &f, false);
    close_object(t);
    ASK(MARKET_PERPS, account, "balances?");
    begin(answers);
    open_object(t);
    block(answers);
    key(t, "orders");
    put_orders(t, twin, account, MARKET_PERPS, ALL, 1000, (struct spelling){ false });
    close_object(t);
    ASK(MARKET_PERPS, account, "orders?");
    begin(answers);
    open_object(t);
    block(answers);
    for (uint32_t i = 0; i < 2; i++) { /* twice: the second for older clients */
        key(t, i == 0 ? "positions" : "orders");
        put_positions(t, twin, account, ALL, UINT32_MAX);
    }
    close_object(t);
    ASK(MARKET_PERPS, account, "positions?");
    return check_perps_state(answers, twin, account, &f);
}

/* Orders and positions of one symbol alone. */
const char *check_one_symbol(struct answers *answers, struct twin *twin, const struct account *account, uint8_t market)
{
    struct text *t = &answers->want;
    uint32_t     only = 1 + random_below(&answers->random_state, symbol_count(twin, market)),
             limit = 1 + random_below(&answers->random_state, 3), most;
    bool all = one_in(&answers->random_state, 2);
    char owner[43];

    owner_text(account, owner);
    for (uint32_t list = 0; list < (market == MARKET_PERPS ? 2 : 1); list++) {
        begin(answers);
        open_object(t);
        block(answers);
        for (uint32_t i = 0; i <= list; i++) {
            key(t, list == 1 && i == 0 ? "positions" : "orders");
            if (list == 0)
                put_orders(t, twin, account, market, answers_planted == ANSWER_BUG_FILTER ? ALL : only, 1000,
                           (struct spelling){ false });
            else put_positions(t, twin, account, only, UINT32_MAX);
        }
        close_object(t);
        TRY(check(answers, "%s/accounts/%s/%s?symbol=%s&accountID=%" PRIu64, BASE(market), owner,
                  list == 0 ? "orders" : "positions", symbol_of(twin, market, only)->name.at, account->id));
        most = answers_planted == ANSWER_BUG_OPEN_LIMIT ? 1000 : limit;
        begin(answers);
        open_object(t);
        block(answers);
        for (uint32_t i = 0; i <= list; i++) {
            key(t, list == 1 && i == 0 ? "positions" : "orders");
            if (list == 0) put_orders(t, twin, account, market, all ? ALL : only, most, (struct spelling){ false });
            else put_positions(t, twin, account, all ? ALL : only, most);
        }
        close_object(t);
        TRY(check(answers, "%s/accounts/%s/%s?limit=%u&accountID=%" PRIu64 "%s%s", BASE(market), owner,
                  list == 0 ? "orders" : "positions", limit, account->id,
                  all ? "" : "&symbol=", all ? "" : symbol_of(twin, market, only)->name.at));
    }
    return NULL;
}
