/* SPDX-License-Identifier: MIT */
/* compare.c — the engine's events against the predictions. */
#include <inttypes.h>

#include "world.h"

static const char *wrong(struct twin *twin, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *wrong(struct twin *twin, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(twin->wrong, sizeof(twin->wrong), format, args);
    va_end(args);
    return twin->wrong;
}

static const char *kind_name(uint16_t kind)
{
    switch (kind) {
#define X(number, NAME, type)                                                                                          \
    case number: return #NAME;
        EVENTS(X)
#undef X
    default: return "?";
    }
}

/* Orders are compared in sequence; balances, depth, positions and prices by their final values. */
static bool in_stream(uint16_t kind)
{
    return kind != EVENT_BALANCE && kind != EVENT_EVM_BALANCE && kind != EVENT_LEVEL && kind != EVENT_POSITION
        && kind != EVENT_PRICE && kind != EVENT_INDEX_COMPOSED && kind != EVENT_UNIT_POSITION;
}

static const struct event *next_in_stream(const struct events *events, const struct event *event)
{
    while (event != NULL && !in_stream(event->kind)) event = events_next(events, event);
    return event;
}

/* The members of the records that differ most often, in words; the rest as the place of the first byte. */
static const char *differ(struct twin *twin, const struct event *want, const struct event *got,
                          const struct events *told)
{
    const uint8_t *a = (const void *)want, *b = (const void *)got;
    uint32_t       at = 0;

    if (want->kind != got->kind) {
        const struct order_changed *o = (const void *)got, *w = (const void *)want;
        return wrong(twin, "the twin tells %s, the engine %s (order #%" PRIu64 " / #%" PRIu64 " if it is one)",
                     kind_name(want->kind), kind_name(got->kind), w->order_id, o->order_id);
    }
    while (at < want->bytes && a[at] == b[at]) at++;
    if (want->kind == EVENT_COMMAND_BEGAN && events_next(told, got) != NULL
        && events_next(told, got)->kind == EVENT_REFUSED)
        return wrong(twin, "COMMAND_BEGAN at byte %u: the engine refuses with %s", at,
                     reject_row(((const struct refused *)(const void *)events_next(told, got))->reject)->name);
    if (at < sizeof(struct event))
        return wrong(twin, "%s: the head differs at byte %u: twin %u, engine %u", kind_name(want->kind), at, a[at],
                     b[at]);
    if (getenv("TWIN_SHOW") != NULL)
        (void)fprintf(stderr, "  twin orders %u of %u levels %u of %u\n", twin->order_count,
                      twin->genesis.limits.orders, level_total(twin, NULL), twin->genesis.limits.levels);
    if (want->kind == EVENT_RESULT) {
        const struct result *w = (const void *)want, *g = (const void *)got;
        return wrong(twin,
                     "RESULT %u: twin %s order %" PRIu64 " status %u field %u said %u warning %u got %" PRId64
                     "e-%u need %" PRId64 "e-%u id '%s' orig '%s', engine %s order %" PRIu64
                     " status %u field %u said %u warning %u got %" PRId64 "e-%u need %" PRId64
                     "e-%u id '%s' orig '%s'",
                     w->index, w->reject == 0 ? "ok" : reject_row(w->reject)->name, w->order_id, w->status, w->field,
                     w->said, w->warning, w->got.digits, w->got.scale, w->need.digits, w->need.scale, w->client_id.at,
                     w->orig_client_id.at, g->reject == 0 ? "ok" : reject_row(g->reject)->name, g->order_id, g->status,
                     g->field, g->said, g->warning, g->got.digits, g->got.scale, g->need.digits, g->need.scale,
                     g->client_id.at, g->orig_client_id.at);
    }
    if (want->kind == EVENT_ORDER || want->kind == EVENT_PERPS_ORDER) {
        const struct order_changed *w = (const void *)want, *g = (const void *)got;
        return wrong(twin,
                     "%s at byte %u: twin #%" PRIu64 " status %u exec %u reason %u price %" PRId64 " quantity %" PRId64
                     " executed %" PRId64 " frozen %" PRId64 ", engine #%" PRIu64
                     " status %u exec %u reason %u price %" PRId64 " quantity %" PRId64 " executed %" PRId64
                     " frozen %" PRId64,
                     kind_name(want->kind), at, w->order_id, w->status, w->exec_type, w->reason, w->price, w->quantity,
                     w->executed, w->frozen, g->order_id, g->status, g->exec_type, g->reason, g->price, g->quantity,
                     g->executed, g->frozen);
    }
    if (want->kind == EVENT_REFUSED) {
        const struct refused *w = (const void *)want, *g = (const void *)got;
        return wrong(twin,
                     "REFUSED: twin %s reason %u used %" PRIu64 " same %u nonce %" PRIu64 " smallest %" PRIu64
                     ", engine %s reason %u used %" PRIu64 " same %u nonce %" PRIu64 " smallest %" PRIu64,
                     reject_row(w->reject)->name, w->nonce_reason, w->used_seq, w->same_payload, w->nonce, w->smallest,
                     reject_row(g->reject)->name, g->nonce_reason, g->used_seq, g->same_payload, g->nonce, g->smallest);
    }
    if (want->kind == EVENT_FILL) {
        const struct filled *w = (const void *)want, *g = (const void *)got;
        return wrong(twin,
                     "FILL at byte %u: twin #%" PRIu64 " maker %u price %" PRId64 " quantity %" PRId64 " fee %" PRId64
                     " of coin %u, engine #%" PRIu64 " maker %u price %" PRId64 " quantity %" PRId64 " fee %" PRId64
                     " of coin %u",
                     at, w->order_id, w->is_maker, w->price, w->quantity, w->fee, w->fee_coin_id, g->order_id,
                     g->is_maker, g->price, g->quantity, g->fee, g->fee_coin_id);
    }
    return wrong(twin, "%s differs at byte %u: twin %u, engine %u", kind_name(want->kind), at, a[at], b[at]);
}

/* ---- the state by events so far ---- */

static struct told_balance *told_balance(struct twin *twin, uint8_t market, uint64_t account_id, uint32_t coin_id)
{
    for (uint32_t i = 0; i < twin->balance_count; i++)
        if (twin->balances[i].market == market && twin->balances[i].account_id == account_id
            && twin->balances[i].coin_id == coin_id)
            return &twin->balances[i];
    twin->balances[twin->balance_count] = (struct told_balance){ account_id, market, coin_id, 0, 0 };
    return &twin->balances[twin->balance_count++];
}
static struct told_evm *told_evm(struct twin *twin, const struct address *address, uint32_t coin_id)
{
    for (uint32_t i = 0; i < twin->evm_count; i++)
        if (address_equal(&twin->evms[i].address, address) && twin->evms[i].coin_id == coin_id) return &twin->evms[i];
    twin->evms[twin->evm_count] = (struct told_evm){ *address, coin_id, 0 };
    return &twin->evms[twin->evm_count++];
}

static int64_t level_sum(const struct twin *twin, uint8_t market, uint32_t symbol_id, uint8_t side, int64_t price)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (o->rests && o->market == market && o->is.base.symbol_id == symbol_id && o->is.base.side == side
            && o->is.base.price == price)
            sum += order_rest(o);
    }
    return sum;
}

static const char *hear_level(struct twin *twin, const struct level_changed *level)
{
    uint64_t *last = &twin->state[level->head.market][level->symbol_id - 1].update_id;
    uint32_t  i = 0;

    if (level->update_id != *last + 1) return wrong(twin, "LEVEL %" PRIu64 " behind %" PRIu64, level->update_id, *last);
    *last = level->update_id;
    while (i < twin->level_count
           && (twin->levels[i].market != level->head.market || twin->levels[i].symbol_id != level->symbol_id
               || twin->levels[i].side != level->side || twin->levels[i].price != level->price))
        i++;
    if (i == twin->level_count)
        twin->levels[twin->level_count++] =
            (struct told_level){ level->head.market, level->side, level->symbol_id, level->price, 0 };
    twin->levels[i].quantity = level->quantity;
    if (level->quantity == 0) twin->levels[i] = twin->levels[--twin->level_count];
    return NULL;
}

/* A position's record: the last event of a command must equal the twin's position, or the one that it has closed. */
static const char *hear_position(struct twin *twin, const struct position_changed *told, const struct events *all)
{
    const struct position_changed *want = NULL, *later = told;
    struct account                *account = account_by_id(twin, told->account_id);
    uint32_t                       i = 0;

    for (const struct event *e = events_next(all, &told->head); e != NULL; e = events_next(all, e))
        if (e->kind == EVENT_POSITION
            && ((const struct position_changed *)(const void *)e)->position_id == told->position_id)
            later = (const void *)e;
    if (later != told) return NULL;
    while (i < twin->told_position_count
           && (twin->told_positions[i].account_id != told->account_id
               || twin->told_positions[i].symbol_id != told->symbol_id))
        i++;
    if (i == twin->told_position_count) twin->told_position_count++;
    twin->told_positions[i] = *told;
    for (uint32_t n = 0; n < twin->closed_count; n++)
        if (twin->closed[n].position_id == told->position_id) want = &twin->closed[n];
    if (want == NULL && account != NULL && account->positions[told->symbol_id - 1].is.position_id == told->position_id)
        want = &account->positions[told->symbol_id - 1].is;
    if (want == NULL)
        return wrong(twin, "POSITION %" PRIu64 " of %" PRIu64 " is told, the twin has none of that number",
                     told->position_id, told->account_id);
    if (memcmp((const char *)want + sizeof(struct event), (const char *)told + sizeof(struct event),
               sizeof(*told) - sizeof(struct event))
        != 0)
        return wrong(twin,
                     "POSITION %" PRIu64 " of %" PRIu64 ": twin size %" PRId64 " cost %" PRId64 " bucket %" PRId64
                     " fees %" PRId64 " realized %" PRId64 " open %" PRId64 " closed %" PRId64
                     " reason %u updated %" PRId64 ", told size %" PRId64 " cost %" PRId64 " bucket %" PRId64
                     " fees %" PRId64 " realized %" PRId64 " open %" PRId64 " closed %" PRId64
                     " reason %u updated %" PRId64,
                     told->position_id, told->account_id, want->size, want->cost_low, want->bucket, want->fees,
                     want->realized, want->open_value, want->closed_size, want->reason, want->updated_ms, told->size,
                     told->cost_low, told->bucket, told->fees, told->realized, told->open_value, told->closed_size,
                     told->reason, told->updated_ms);
    return NULL;
}

/* Only FUNDING carries a position's payment. */
static void hear_funding(struct twin *twin, const struct funded *funded)
{
    for (uint32_t i = 0; i < twin->told_position_count; i++)
        if (twin->told_positions[i].position_id == funded->position_id
            && twin->told_positions[i].margin_mode == MARGIN_ISOLATED)
            twin->told_positions[i].bucket -= funded->payment;
}

static const char *check_prices(struct twin *twin)
{
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol_state  *s = &twin->state[MARKET_PERPS][i];
        const struct price_changed *told = &s->told;
        int64_t                     interest = open_interest(twin, &twin->genesis.perps[i]);

        if (told->index != s->index || told->mark != s->mark || told->funding_rate != s->funding_rate
            || told->next_funding_ms != s->next_funding_ms || told->state != s->oracle
            || told->open_interest != interest)
            return wrong(twin,
                         "PRICE of %u: twin state %u index %" PRId64 " mark %" PRId64 " rate %" PRId64 " next %" PRId64
                         " interest %" PRId64 ", told state %u index %" PRId64 " mark %" PRId64 " rate %" PRId64
                         " next %" PRId64 " interest %" PRId64,
                         i + 1, s->oracle, s->index, s->mark, s->funding_rate, s->next_funding_ms, interest,
                         told->state, told->index, told->mark, told->funding_rate, told->next_funding_ms,
                         told->open_interest);
    }
    return NULL;
}

static const char *check_positions(struct twin *twin, const struct account *account)
{
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct position_changed *want = &account->positions[i].is;
        int64_t                        size = 0, bucket = 0;

        for (uint32_t n = 0; n < twin->told_position_count; n++)
            if (twin->told_positions[n].account_id == account->id && twin->told_positions[n].symbol_id == i + 1) {
                size = twin->told_positions[n].size;
                bucket = twin->told_positions[n].bucket;
            }
        if (want->size != size || want->bucket != bucket)
            return wrong(twin,
                         "position of %" PRIu64 " in %u: twin size %" PRId64 " bucket %" PRId64 ", told %" PRId64
                         " bucket %" PRId64,
                         account->id, i + 1, want->size, want->bucket, size, bucket);
    }
    return NULL;
}

static const char *hear(struct twin *twin, const struct event *event)
{
    const struct balance     *balance = (const void *)event;
    const struct evm_balance *evm = (const void *)event;

    if (event->kind == EVENT_BALANCE) {
        struct told_balance *told = told_balance(twin, event->market, balance->account_id, balance->coin_id);
        told->total = balance->total;
        told->locked = balance->locked;
    }
    if (event->kind == EVENT_EVM_BALANCE) told_evm(twin, &evm->address, evm->coin_id)->amount = evm->amount;
    if (event->kind == EVENT_FUNDING) hear_funding(twin, (const void *)event);
    if (event->kind == EVENT_PRICE)
        twin->state[MARKET_PERPS][((const struct price_changed *)(const void *)event)->symbol_id - 1].told =
            *(const struct price_changed *)(const void *)event;
    return event->kind == EVENT_LEVEL ? hear_level(twin, (const void *)event) : NULL;
}

static bool was_told(const struct events *told, uint64_t position_id)
{
    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        const struct position_changed *p = (const void *)e;
        if (e->kind == EVENT_POSITION && p->position_id == position_id && p->size == 0) return true;
    }
    return false;
}

/* Positions of units have no promised order: their number must match, and each of them. */
static const char *compare_units(struct twin *twin, const struct events *told)
{
    uint32_t want = 0, got = 0;

    for (const struct event *e = events_first(&twin->events); e != NULL; e = events_next(&twin->events, e))
        if (e->kind == EVENT_UNIT_POSITION) want++;
    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        const struct unit_position *u = (const void *)e, *same = NULL;

        if (e->kind != EVENT_UNIT_POSITION) continue;
        got++;
        for (const struct event *w = events_first(&twin->events); w != NULL && same == NULL;
             w = events_next(&twin->events, w))
            if (w->kind == EVENT_UNIT_POSITION && memcmp(w, e, e->bytes) == 0) same = (const void *)w;
        if (same == NULL)
            return wrong(twin,
                         "UNIT_POSITION of %" PRIu64 " in %u: size %" PRId64 " mark %" PRId64
                         " liquidation price %" PRId64 " is told, the twin has no such",
                         u->account_id, u->symbol_id, u->size, u->mark, u->liquidation_price);
    }
    return want == got ? NULL : wrong(twin, "%u positions of units, the twin has %u", got, want);
}

const char *twin_compare(struct twin *twin, const struct events *told)
{
    const char         *units = compare_units(twin, told);
    const struct event *want = next_in_stream(&twin->events, events_first(&twin->events)),
                       *got = next_in_stream(told, events_first(told));

    for (; want != NULL && got != NULL; want = next_in_stream(&twin->events, events_next(&twin->events, want)),
                                        got = next_in_stream(told, events_next(told, got)))
        if (want->kind != got->kind || want->bytes != got->bytes || memcmp(want, got, want->bytes) != 0)
            return differ(twin, want, got, told);
    if (want != NULL) return wrong(twin, "the engine does not tell %s", kind_name(want->kind));
    if (units != NULL) return units;
    if (got != NULL) {
        char bytes[256] = "";
        for (uint32_t i = 8, at = 0; i < got->bytes && at < 200; i++)
            at += (uint32_t)sprintf(bytes + at, "%02x", ((const uint8_t *)got)[i]);
        return wrong(twin, "the engine tells %s too: %s", kind_name(got->kind), bytes);
    }
    for (const struct event *event = events_first(told); event != NULL; event = events_next(told, event)) {
        const char *what =
            event->kind == EVENT_POSITION ? hear_position(twin, (const void *)event, told) : hear(twin, event);
        if (what != NULL) return what;
    }
    for (uint32_t i = 0; i < twin->closed_count; i++)
        if (!was_told(told, twin->closed[i].position_id))
            return wrong(twin, "the end of position %" PRIu64 " is not told", twin->closed[i].position_id);
    return twin->command != NULL && twin->command->kind == CMD_TICK ? check_prices(twin) : NULL;
}

static const char *check_account(struct twin *twin, const struct account *account)
{
    struct told_balance *wallet = told_balance(twin, MARKET_PERPS, account->id, COIN_MARGIN);

    for (uint32_t coin = 0; coin < twin->genesis.coin_count; coin++) {
        struct told_balance *told = told_balance(twin, MARKET_SPOT, account->id, coin);
        int64_t              held = locked(twin, account, coin);

        if (told->total != account->total[coin] || told->locked != held)
            return wrong(twin,
                         "account %" PRIu64 " coin %u: twin %" PRId64 " locked %" PRId64 ", told %" PRId64
                         " locked %" PRId64,
                         account->id, coin, account->total[coin], held, told->total, told->locked);
        if (account->primary && account->id >= ACCOUNT_FIRST
            && told_evm(twin, &account->owner, coin)->amount != account->evm[coin])
            return wrong(twin, "EVM ledger of account %" PRIu64 " coin %u: twin %" PRId64 ", told %" PRId64,
                         account->id, coin, account->evm[coin], told_evm(twin, &account->owner, coin)->amount);
    }
    if (wallet->total != account->wallet)
        return wrong(twin, "wallet of account %" PRIu64 ": twin %" PRId64 ", told %" PRId64, account->id,
                     account->wallet, wallet->total);
    return NULL;
}

const char *twin_compare_state(struct twin *twin)
{
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const char *what = check_account(twin, &twin->accounts[i]);
        if (what == NULL) what = check_positions(twin, &twin->accounts[i]);
        if (what != NULL) return what;
    }
    for (uint32_t i = 0; i < twin->level_count; i++) {
        const struct told_level *l = &twin->levels[i];
        if (l->quantity != level_sum(twin, l->market, l->symbol_id, l->side, l->price))
            return wrong(twin, "depth of symbol %u side %u at %" PRId64 ": twin %" PRId64 ", told %" PRId64,
                         l->symbol_id, l->side, l->price, level_sum(twin, l->market, l->symbol_id, l->side, l->price),
                         l->quantity);
    }
    if (twin->level_count != level_total(twin, NULL))
        return wrong(twin, "levels: twin %u, told %u", level_total(twin, NULL), twin->level_count);
    return NULL;
}
