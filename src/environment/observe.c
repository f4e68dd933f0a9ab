/* SPDX-License-Identifier: MIT */
/* observe.c — the observation of the account, kept up to date from the events of each command. */
#include "environment/environment.h"

/* ---- beginning ---- */

static void begin_symbol(struct dojima_environment *environment, uint32_t index, int64_t **words)
{
    const struct genesis *genesis = &environment->setup.genesis->genesis;
    struct seen          *seen = &environment->seen[index];
    bool                  perps = index >= genesis->spot_count;
    struct view_level    *levels = (void *)((uint8_t *)environment + environment->books_at);
    size_t                side_levels = (size_t)genesis->limits.levels + 1;

    *seen = (struct seen){ .market = perps ? MARKET_PERPS : MARKET_SPOT };
    seen->symbol = perps ? &genesis->perps[index - genesis->spot_count] : &genesis->spot[index];
    for (uint32_t side = 0; side < 2; side++) seen->sides[side].levels = levels + (2 * index + side) * side_levels;
    seen->power = symbol_notional_power(seen->symbol, &genesis->coins[COIN_MARGIN]);
    if (!perps)
        seen->power = (int)genesis->coins[COIN_MARGIN].precision - (int)seen->symbol->price_precision
                    - (int)genesis->coins[seen->symbol->base_coin_id].precision;
    seen->words = *words;
    *words += DOJIMA_SYMBOL_WORDS;
    seen->words[SYMBOL_LAST] = seen->symbol->reference_price;
}

void observe_begin(struct dojima_environment *environment)
{
    int64_t *words = environment->setup.observation;

    memset(words, 0, environment->words * sizeof(*words));
    environment->account = words;
    words += DOJIMA_ACCOUNT_WORDS;
    for (uint32_t i = 0; i < environment->symbol_count; i++) begin_symbol(environment, i, &words);
    for (uint32_t i = 0; i < 2 * environment->symbol_count; i++) {
        environment->seen[i / 2].book[i % 2] = words;
        words += environment->setup.levels * DOJIMA_LEVEL_WORDS;
    }
    environment->balances = words;
    words += environment->setup.genesis->genesis.coin_count * DOJIMA_BALANCE_WORDS;
    for (uint32_t i = 0; i < environment->symbol_count; i++, words += DOJIMA_POSITION_WORDS)
        environment->seen[i].position = words;
    environment->orders = words;
    words += environment->setup.orders * DOJIMA_ORDER_WORDS;
    assert(words == environment->setup.observation + environment->words);
}

void observe_at(struct dojima_environment *environment, int64_t *observation)
{
    const int64_t *from = environment->setup.observation;

    memcpy(observation, from, environment->words * sizeof(*observation));
    environment->account = observation + (environment->account - from);
    environment->balances = observation + (environment->balances - from);
    environment->orders = observation + (environment->orders - from);
    for (uint32_t i = 0; i < environment->symbol_count; i++) {
        struct seen *seen = &environment->seen[i];

        seen->words = observation + (seen->words - from);
        seen->position = observation + (seen->position - from);
        seen->book[0] = observation + (seen->book[0] - from);
        seen->book[1] = observation + (seen->book[1] - from);
    }
    environment->setup.observation = observation;
}

static struct seen *seen_of(struct dojima_environment *environment, uint8_t market, uint32_t symbol_id)
{
    uint32_t index = symbol_id - 1 + (market == MARKET_PERPS ? environment->setup.genesis->genesis.spot_count : 0);

    assert(symbol_id >= 1 && index < environment->symbol_count);
    return &environment->seen[index];
}

/* ---- books ---- */

int64_t best_price(const struct seen *seen, uint32_t side)
{
    return seen->sides[side].count == 0 ? 0 : seen->sides[side].levels[0].price;
}

static void set_level(struct dojima_environment *environment, const struct level_changed *level)
{
    struct seen       *seen = seen_of(environment, level->head.market, level->symbol_id);
    uint32_t           which = level->side == SIDE_BUY ? 0 : 1, at = 0;
    struct book_side  *side = &seen->sides[which];
    struct view_level *levels = side->levels;
    int64_t            price = level->price;

    if (which == 0)
        while (at < side->count && levels[at].price > price) at++;
    else
        while (at < side->count && levels[at].price < price) at++;
    side->touched |= at < environment->setup.levels;
    if (at < side->count && levels[at].price == price) {
        levels[at].quantity = level->quantity;
        if (level->quantity != 0) return;
        side->count -= 1;
        memmove(&levels[at], &levels[at + 1], (side->count - at) * sizeof(*levels));
    } else if (level->quantity != 0) {
        assert(side->count <= environment->setup.genesis->genesis.limits.levels);
        memmove(&levels[at + 1], &levels[at], (side->count - at) * sizeof(*levels));
        levels[at] = (struct view_level){ price, level->quantity };
        side->count += 1;
    }
}

static void show_side(const struct dojima_environment *environment, struct seen *seen, uint32_t which)
{
    struct book_side *side = &seen->sides[which];
    uint32_t          levels = environment->setup.levels, count = min_u32(levels, side->count);
    int64_t          *words = seen->book[which];

    static_assert(sizeof(struct view_level) == DOJIMA_LEVEL_WORDS * sizeof(*words), "copied as they lie");
    memcpy(words, side->levels, count * sizeof(struct view_level));
    memset(words + count * DOJIMA_LEVEL_WORDS, 0, (levels - count) * sizeof(struct view_level));
    side->touched = false;
}

/* ---- the account ---- */

static int64_t *order_words(struct dojima_environment *environment, uint64_t order_id)
{
    for (uint32_t i = 0; i < environment->setup.orders; i++) {
        int64_t *words = environment->orders + i * DOJIMA_ORDER_WORDS;

        if ((uint64_t)words[ORDER_ID] == order_id) return words;
    }
    return NULL;
}

static void set_order(struct dojima_environment *environment, const struct order_changed *order)
{
    struct seen *seen = seen_of(environment, order->head.market, order->symbol_id);
    bool         open = status_is_open(order->status);
    int64_t     *words = order_words(environment, order->order_id);

    if (words == NULL && open) {
        words = order_words(environment, 0);
        environment->account[ACCOUNT_OPEN] += words != NULL;
    }
    if (words == NULL) return;
    if (!open) {
        memset(words, 0, DOJIMA_ORDER_WORDS * sizeof(*words));
        environment->account[ACCOUNT_OPEN] -= 1;
        return;
    }
    words[ORDER_ID] = (int64_t)order->order_id;
    words[ORDER_SYMBOL] = seen - environment->seen + 1;
    words[ORDER_SIDE] = order->side - SIDE_BUY;
    words[ORDER_PRICE] = order->price;
    words[ORDER_QUANTITY] = order->quantity;
    words[ORDER_EXECUTED] = order->executed;
    words[ORDER_CREATED] = order->created_ms;
    words[ORDER_TIF] = order->time_in_force;
}

static void set_position(struct dojima_environment *environment, const struct position_changed *position)
{
    struct seen *seen = seen_of(environment, MARKET_PERPS, position->symbol_id);

    seen->cost = (int128_t)((uint128_t)(uint64_t)position->cost_high << 64 | (uint64_t)position->cost_low);
    seen->position[POSITION_SIZE] = position->size;
    seen->position[POSITION_COST] = position->size == 0 ? 0 : position->cost_low;
    seen->position[POSITION_BUCKET] = position->size == 0 ? 0 : position->bucket;
    seen->position[POSITION_LEVERAGE] = position->leverage;
    if (position->size == 0) seen->cost = 0;
}

static void set_balance(struct dojima_environment *environment, const struct balance *balance)
{
    if (balance->head.market == MARKET_PERPS) {
        environment->account[ACCOUNT_WALLET] = balance->total;
        return;
    }
    environment->balances[balance->coin_id * DOJIMA_BALANCE_WORDS] = balance->total;
    environment->balances[balance->coin_id * DOJIMA_BALANCE_WORDS + 1] = balance->locked;
}

/* ---- events ---- */

static void set_trade(struct dojima_environment *environment, const struct traded *trade)
{
    struct seen *seen = seen_of(environment, trade->head.market, trade->symbol_id);

    seen->words[SYMBOL_LAST] = trade->price;
    seen->words[SYMBOL_LAST_QUANTITY] = trade->taker_side == SIDE_BUY ? trade->quantity : -trade->quantity;
    seen->words[SYMBOL_TRADES] += 1;
}

static void set_price(struct dojima_environment *environment, const struct price_changed *price)
{
    struct seen *seen = seen_of(environment, MARKET_PERPS, price->symbol_id);

    seen->words[SYMBOL_INDEX] = price->index;
    seen->words[SYMBOL_MARK] = price->mark;
    seen->words[SYMBOL_FUNDING] = price->funding_rate;
}

/* What concerns an account, when it is this one. */
static void see_own(struct dojima_environment *environment, const struct event *event)
{
    const void *at = event;

    if (event->kind == EVENT_ORDER || event->kind == EVENT_PERPS_ORDER) {
        const struct order_changed *order = at;

        if (order->account_id == ENVIRONMENT_ACCOUNT) set_order(environment, order);
    } else if (event->kind == EVENT_BALANCE) {
        const struct balance *balance = at;

        if (balance->account_id == ENVIRONMENT_ACCOUNT) set_balance(environment, balance);
    } else if (event->kind == EVENT_POSITION) {
        const struct position_changed *position = at;

        if (position->account_id == ENVIRONMENT_ACCOUNT) set_position(environment, position);
    } else if (event->kind == EVENT_FILL) {
        const struct filled *fill = at;

        environment->account[ACCOUNT_FILLS] += fill->account_id == ENVIRONMENT_ACCOUNT;
    }
}

void observe_events(struct dojima_environment *environment, size_t from)
{
    const struct events *events = (const void *)&environment->events;

    for (const struct event *event = events_at(events, from); event != NULL; event = events_next(events, event)) {
        const void *at = event;

        if (event->kind == EVENT_LEVEL) set_level(environment, at);
        else if (event->kind == EVENT_TRADE) set_trade(environment, at);
        else if (event->kind == EVENT_PRICE) set_price(environment, at);
        else see_own(environment, event);
    }
}

/* ---- value ---- */

/* Of a unit of the base coin: the middle of the book, or the last price when a side is empty. */
static int64_t middle(const struct seen *seen)
{
    int64_t bid = best_price(seen, 0), ask = best_price(seen, 1);

    return bid != 0 && ask != 0 ? bid + (ask - bid) / 2 : seen->words[SYMBOL_LAST];
}

static int64_t signed_value(int64_t price, int64_t quantity, int power)
{
    int64_t value = (int64_t)notional_floor(price, quantity < 0 ? -quantity : quantity, power);

    return quantity < 0 ? -value : value;
}

static int64_t value_of(const struct dojima_environment *environment)
{
    int64_t  value = environment->account[ACCOUNT_WALLET] + environment->balances[COIN_MARGIN];
    uint64_t counted = 1u << COIN_MARGIN; /* a coin counts at the price of the first symbol against vUSDC */

    for (uint32_t i = 0; i < environment->symbol_count; i++) {
        const struct seen *seen = &environment->seen[i];
        uint32_t           coin = seen->symbol->base_coin_id;

        if (seen->market == MARKET_PERPS) {
            int64_t size = seen->position[POSITION_SIZE];

            if (size == 0) continue;
            value += signed_value(seen->words[SYMBOL_MARK], size, seen->power) - (int64_t)seen->cost
                   + seen->position[POSITION_BUCKET];
        } else if (seen->symbol->quote_coin_id == COIN_MARGIN && (counted >> coin & 1) == 0) {
            counted |= UINT64_C(1) << coin;
            value += signed_value(middle(seen), environment->balances[coin * DOJIMA_BALANCE_WORDS], seen->power);
        }
    }
    return value;
}

void observe_end(struct dojima_environment *environment)
{
    for (uint32_t i = 0; i < environment->symbol_count; i++) {
        struct seen *seen = &environment->seen[i];

        for (uint32_t side = 0; side < 2; side++)
            if (seen->sides[side].touched) show_side(environment, seen, side);
        seen->words[SYMBOL_BIDS] = seen->sides[0].count;
        seen->words[SYMBOL_ASKS] = seen->sides[1].count;
    }
    environment->value = value_of(environment);
    environment->account[ACCOUNT_TIME] = environment->time_ms;
    environment->account[ACCOUNT_VALUE] = environment->value;
    environment->account[ACCOUNT_STEPS] = (int64_t)environment->steps;
}
