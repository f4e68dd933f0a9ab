/* SPDX-License-Identifier: MIT */
/* compare.c — what was told against what must be. */
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
#define X(number, NAME, type) case number: return #NAME;
    EVENTS(X)
#undef X
    default: return "?";
    }
}

/* Whose order is compared: balances, depth, positions and prices count by what they end at. */
static bool in_stream(uint16_t kind)
{
    return kind != EVENT_BALANCE && kind != EVENT_EVM_BALANCE && kind != EVENT_LEVEL;
}

static const struct event *next_in_stream(const struct events *events, const struct event *event)
{
    while (event != NULL && !in_stream(event->kind)) event = events_next(events, event);
    return event;
}

/* The members of the records that differ most often, in words; the rest as the place of the first byte. */
static const char *differ(struct twin *twin, const struct event *want, const struct event *got, const struct events *told)
{
    const uint8_t *a = (const void *)want, *b = (const void *)got;
    uint32_t       at = 0;

    if (want->kind != got->kind) {
        const struct order_changed *o = (const void *)got, *w = (const void *)want;
        return wrong(twin, "the twin tells %s, the engine %s (order #%" PRIu64 " / #%" PRIu64 " if it is one)", kind_name(want->kind), kind_name(got->kind), w->order_id, o->order_id);
    }
    while (at < want->bytes && a[at] == b[at]) at++;
    if (want->kind == EVENT_COMMAND_BEGAN && events_next(told, got) != NULL && events_next(told, got)->kind == EVENT_REFUSED)
        return wrong(twin, "COMMAND_BEGAN at byte %u: the engine refuses with %s", at, reject_row(((const struct refused *)(const void *)events_next(told, got))->reject)->name);
    if (at < sizeof(struct event)) return wrong(twin, "%s: the head differs at byte %u: twin %u, engine %u", kind_name(want->kind), at, a[at], b[at]);
    if (want->kind == EVENT_RESULT) {
        const struct result *w = (const void *)want, *g = (const void *)got;
        return wrong(twin, "RESULT %u: twin %s order %" PRIu64 " status %u field %u said %u warning %u got %" PRId64 "e-%u need %" PRId64 "e-%u orig '%s', engine %s order %" PRIu64
                     " status %u field %u said %u warning %u got %" PRId64 "e-%u need %" PRId64 "e-%u orig '%s'", w->index,
                     w->reject == 0 ? "ok" : reject_row(w->reject)->name, w->order_id, w->status, w->field, w->said, w->warning, w->got.digits, w->got.scale, w->need.digits, w->need.scale, w->orig_client_id.at,
                     g->reject == 0 ? "ok" : reject_row(g->reject)->name, g->order_id, g->status, g->field, g->said, g->warning, g->got.digits, g->got.scale, g->need.digits, g->need.scale, g->orig_client_id.at);
    }
    if (want->kind == EVENT_ORDER || want->kind == EVENT_PERPS_ORDER) {
        const struct order_changed *w = (const void *)want, *g = (const void *)got;
        return wrong(twin, "%s at byte %u: twin #%" PRIu64 " status %u exec %u reason %u price %" PRId64 " quantity %" PRId64 " executed %" PRId64 " frozen %" PRId64
                     ", engine #%" PRIu64 " status %u exec %u reason %u price %" PRId64 " quantity %" PRId64 " executed %" PRId64 " frozen %" PRId64, kind_name(want->kind), at,
                     w->order_id, w->status, w->exec_type, w->reason, w->price, w->quantity, w->executed, w->frozen,
                     g->order_id, g->status, g->exec_type, g->reason, g->price, g->quantity, g->executed, g->frozen);
    }
    if (want->kind == EVENT_REFUSED) {
        const struct refused *w = (const void *)want, *g = (const void *)got;
        return wrong(twin, "REFUSED: twin %s reason %u used %" PRIu64 " same %u nonce %" PRIu64 " smallest %" PRIu64 ", engine %s reason %u used %" PRIu64 " same %u nonce %" PRIu64 " smallest %" PRIu64,
                     reject_row(w->reject)->name, w->nonce_reason, w->used_seq, w->same_payload, w->nonce, w->smallest, reject_row(g->reject)->name, g->nonce_reason, g->used_seq, g->same_payload, g->nonce, g->smallest);
    }
    if (want->kind == EVENT_FILL) {
        const struct filled *w = (const void *)want, *g = (const void *)got;
        return wrong(twin, "FILL at byte %u: twin #%" PRIu64 " maker %u price %" PRId64 " quantity %" PRId64 " fee %" PRId64 " of coin %u, engine #%" PRIu64 " maker %u price %" PRId64
                     " quantity %" PRId64 " fee %" PRId64 " of coin %u", at, w->order_id, w->is_maker, w->price, w->quantity, w->fee, w->fee_coin_id,
                     g->order_id, g->is_maker, g->price, g->quantity, g->fee, g->fee_coin_id);
    }
    return wrong(twin, "%s differs at byte %u: twin %u, engine %u", kind_name(want->kind), at, a[at], b[at]);
}

/* ---- what was told so far ---- */

static struct told_balance *told_balance(struct twin *twin, uint8_t market, uint64_t account_id, uint32_t coin_id)
{
    for (uint32_t i = 0; i < twin->balance_count; i++)
        if (twin->balances[i].market == market && twin->balances[i].account_id == account_id && twin->balances[i].coin_id == coin_id) return &twin->balances[i];
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
        if (o->rests && o->market == market && o->is.base.symbol_id == symbol_id && o->is.base.side == side && o->is.base.price == price) sum += order_rest(o);
    }
    return sum;
}

static const char *hear_level(struct twin *twin, const struct level_changed *level)
{
    uint64_t *last = &twin->state[level->head.market][level->symbol_id - 1].update_id;
    uint32_t  i = 0;

    if (level->update_id != *last + 1) return wrong(twin, "LEVEL %" PRIu64 " behind %" PRIu64, level->update_id, *last);
    *last = level->update_id;
    while (i < twin->level_count && (twin->levels[i].market != level->head.market || twin->levels[i].symbol_id != level->symbol_id || twin->levels[i].side != level->side
                                     || twin->levels[i].price != level->price)) i++;
    if (i == twin->level_count) twin->levels[twin->level_count++] = (struct told_level){ level->head.market, level->side, level->symbol_id, level->price, 0 };
    twin->levels[i].quantity = level->quantity;
    if (level->quantity == 0) twin->levels[i] = twin->levels[--twin->level_count];
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
    return event->kind == EVENT_LEVEL ? hear_level(twin, (const void *)event) : NULL;
}

const char *twin_compare(struct twin *twin, const struct events *told)
{
    const struct event *want = next_in_stream(&twin->events, events_first(&twin->events)), *got = next_in_stream(told, events_first(told));

    for (; want != NULL && got != NULL; want = next_in_stream(&twin->events, events_next(&twin->events, want)), got = next_in_stream(told, events_next(told, got)))
        if (want->kind != got->kind || want->bytes != got->bytes || memcmp(want, got, want->bytes) != 0) return differ(twin, want, got, told);
    if (want != NULL) return wrong(twin, "the engine does not tell %s", kind_name(want->kind));
    if (got != NULL) {
        char bytes[256] = "";
        for (uint32_t i = 8, at = 0; i < got->bytes && at < 200; i++) at += (uint32_t)sprintf(bytes + at, "%02x", ((const uint8_t *)got)[i]);
        return wrong(twin, "the engine tells %s too: %s", kind_name(got->kind), bytes);
    }
    for (const struct event *event = events_first(told); event != NULL; event = events_next(told, event)) {
        const char *what = hear(twin, event);
        if (what != NULL) return what;
    }
    return NULL;
}

static const char *check_account(struct twin *twin, const struct account *account)
{
    struct told_balance *wallet = told_balance(twin, MARKET_PERPS, account->id, COIN_MARGIN);

    for (uint32_t coin = 0; coin < twin->genesis.coin_count; coin++) {
        struct told_balance *told = told_balance(twin, MARKET_SPOT, account->id, coin);
        int64_t              held = locked(twin, account, coin);

        if (told->total != account->total[coin] || told->locked != held)
            return wrong(twin, "account %" PRIu64 " coin %u: twin %" PRId64 " locked %" PRId64 ", told %" PRId64 " locked %" PRId64, account->id, coin, account->total[coin], held, told->total, told->locked);
        if (account->primary && account->id >= ACCOUNT_FIRST && told_evm(twin, &account->owner, coin)->amount != account->evm[coin])
            return wrong(twin, "EVM ledger of account %" PRIu64 " coin %u: twin %" PRId64 ", told %" PRId64, account->id, coin, account->evm[coin], told_evm(twin, &account->owner, coin)->amount);
    }
    if (wallet->total != account->wallet) return wrong(twin, "wallet of account %" PRIu64 ": twin %" PRId64 ", told %" PRId64, account->id, account->wallet, wallet->total);
    return NULL;
}

const char *twin_compare_state(struct twin *twin)
{
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const char *what = check_account(twin, &twin->accounts[i]);
        if (what != NULL) return what;
    }
    for (uint32_t i = 0; i < twin->level_count; i++) {
        const struct told_level *l = &twin->levels[i];
        if (l->quantity != level_sum(twin, l->market, l->symbol_id, l->side, l->price))
            return wrong(twin, "depth of symbol %u side %u at %" PRId64 ": twin %" PRId64 ", told %" PRId64, l->symbol_id, l->side, l->price, level_sum(twin, l->market, l->symbol_id, l->side, l->price), l->quantity);
    }
    if (twin->level_count != level_total(twin, NULL)) return wrong(twin, "levels: twin %u, told %u", level_total(twin, NULL), twin->level_count);
    return NULL;
}
