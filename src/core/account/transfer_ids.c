/* SPDX-License-Identifier: MIT */
#include "core/account/transfer_ids.h"
#include "core/state/layout.h"
#include "core/state/refuse.h"
#include "core/state/rulings.h"

static struct transfer *transfer_at(const struct engine *e, uint32_t ix) { return engine_transfers(e) + ix; }

static struct transfer_list *wallet_list(const struct engine *e, uint32_t slot, uint8_t market)
{
    assert(slot < e->account_end);
    assert(market == MARKET_SPOT || market == MARKET_PERPS);
    return engine_transfer_lists(e) + (size_t)slot * TRANSFER_SIDES + (market == MARKET_PERPS);
}

/* The list of a key for an account and side, or 0. */
static uint32_t find_key_list(const struct engine *e, uint32_t key, uint32_t slot, uint8_t market)
{
    uint32_t ix = engine_keys(e)[key].lists;

    assert(key != 0 && key < e->key_end);
    while (ix != 0 && (engine_key_lists(e)[ix].account != slot || engine_key_lists(e)[ix].market != market))
        ix = engine_key_lists(e)[ix].next;
    return ix;
}

struct transfer_list *transfer_ids_of(const struct engine *e, uint32_t key, uint32_t slot, uint8_t market,
                                      struct transfer_list *fresh)
{
    uint32_t ix;

    if (key == 0) return wallet_list(e, slot, market);
    ix = find_key_list(e, key, slot, market);
    if (ix != 0) return &engine_key_lists(e)[ix];
    *fresh = (struct transfer_list){ .account = slot,
                                     .market = market,
                                     .floor = engine_keys(e)[key].floor,
                                     .has_floor = engine_keys(e)[key].has_floor };
    fresh->own = wallet_list(e, slot, market)->own < KEYS_PER_OWNER;
    return fresh;
}

/* The list that a key gets with its first id. */
static struct transfer_list *make_key_list(struct engine *e, uint32_t key, const struct transfer_list *fresh)
{
    uint32_t              ix = e->key_list_free != 0 ? e->key_list_free : e->key_list_end++;
    struct transfer_list *list = engine_key_lists(e) + ix;

    assert(key != 0 && ix <= transfer_key_lists(&e->limits));
    if (ix == e->key_list_free) e->key_list_free = list->next;
    *list = *fresh;
    list->next = engine_keys(e)[key].lists;
    engine_keys(e)[key].lists = ix;
    wallet_list(e, list->account, list->market)->own += list->own;
    assert(wallet_list(e, list->account, list->market)->own <= KEYS_PER_OWNER);
    return list;
}

/* Whether the first id of the list has a place that was reserved. */
static bool is_own(const struct transfer_list *list) { return list->own != 0 || list->account == 0; }

/* The number of a list's ids in unreserved slots. */
static uint32_t shared_of(const struct transfer_list *list)
{
    return list->count - (is_own(list) && list->count != 0 ? 1u : 0u);
}

/* The entry with the highest id that is not above `id`, or 0. */
static uint32_t at_or_below(const struct engine *e, const struct transfer_list *list, uint64_t id)
{
    uint32_t ix = list->highest;

    while (ix != 0 && transfer_at(e, ix)->id > id) ix = transfer_at(e, ix)->lower;
    return ix;
}

/* One more id costs the list its smallest: it has as many as are kept, or all places are taken but its own. */
static bool gives_up(const struct engine *e, const struct transfer_list *list)
{
    assert(list->count <= TRANSFERS_MAX && e->transfer_shared <= e->limits.transfers);
    if (list->count == TRANSFERS_MAX) return true;
    return e->transfer_shared >= e->limits.transfers && !(is_own(list) && list->count == 0);
}

/* A slot for one more id. The freed one held the smallest id: no id up to it can be new. */
static uint32_t take_place(struct engine *e, struct transfer_list *list)
{
    uint32_t ix = list->lowest;

    assert((list->count == 0) == (list->lowest == 0));
    if (gives_up(e, list)) {
        assert(list->count != 0);
        list->floor = transfer_at(e, ix)->id;
        list->has_floor = 1;
        list->lowest = transfer_at(e, ix)->higher;
        if (list->lowest != 0) transfer_at(e, list->lowest)->lower = 0;
        else list->highest = 0;
        return ix;
    }
    ix = e->transfer_free != 0 ? e->transfer_free : e->transfer_end++;
    if (ix == e->transfer_free) e->transfer_free = transfer_at(e, ix)->lower;
    e->transfer_shared -= shared_of(list);
    list->count += 1;
    e->transfer_shared += shared_of(list);
    assert(ix <= transfer_places(&e->limits) && e->transfer_shared <= e->limits.transfers);
    return ix;
}

static void remember_transfer(struct engine *e, struct transfer_list *list, const struct transfer *done)
{
    uint32_t ix = take_place(e, list), lower = at_or_below(e, list, done->id);
    uint32_t higher = lower != 0 ? transfer_at(e, lower)->higher : list->lowest;

    assert(done->amount > 0 && ix < e->transfer_end);
    assert((lower == 0 || transfer_at(e, lower)->id < done->id)
           && (higher == 0 || done->id < transfer_at(e, higher)->id));
    *transfer_at(e, ix) = *done;
    transfer_at(e, ix)->lower = lower;
    transfer_at(e, ix)->higher = higher;
    if (lower != 0) transfer_at(e, lower)->higher = ix;
    else list->lowest = ix;
    if (higher != 0) transfer_at(e, higher)->lower = ix;
    else list->highest = ix;
    assert(transfer_at(e, at_or_below(e, list, done->id))->id == done->id); /* it is known from now on */
}

/* The ids of a list of a key go to the free places, as they are chained, and the list to the free lists. */
static void free_key_list(struct engine *e, uint32_t ix)
{
    struct transfer_list *list = engine_key_lists(e) + ix;

    assert(list->count != 0 && e->transfer_shared >= shared_of(list));
    assert(wallet_list(e, list->account, list->market)->own >= list->own);
    e->transfer_shared -= shared_of(list);
    wallet_list(e, list->account, list->market)->own -= list->own;
    transfer_at(e, list->lowest)->lower = e->transfer_free;
    e->transfer_free = list->highest;
    *list = (struct transfer_list){ .next = e->key_list_free };
    e->key_list_free = ix;
}

void transfer_ids_forget(struct engine *e, struct api_key *key)
{
    for (uint32_t ix = key->lists, next; ix != 0; ix = next) {
        next = engine_key_lists(e)[ix].next;
        free_key_list(e, ix);
    }
    key->lists = 0;
    key->floor = 0;
    key->has_floor = 0;
}

/* A key loses a list; its ids there stay too old for it. */
static void lose_list(struct engine *e, struct api_key *key, uint32_t lost)
{
    uint32_t *at = &key->lists;

    assert(key->lists != 0 && lost != 0 && lost < e->key_list_end);
    key->floor = max_u64(key->floor, transfer_at(e, engine_key_lists(e)[lost].highest)->id);
    key->has_floor = 1;
    while (*at != lost) at = &engine_key_lists(e)[*at].next;
    *at = engine_key_lists(e)[lost].next;
    free_key_list(e, lost);
}

/*
 * The pool is full and a key has used no id for the account yet. Keys have as many reserved slots as their owner may
 * have live ones, so when all are taken a revoked key has one: the key that was revoked first loses it.
 */
static void make_place_for_key(struct engine *e, struct transfer_list *fresh)
{
    for (uint32_t ix = e->key_oldest; ix != 0; ix = engine_keys(e)[ix].newer) {
        uint32_t list = find_key_list(e, ix, fresh->account, fresh->market);

        if (list == 0 || !engine_key_lists(e)[list].own) continue;
        lose_list(e, engine_keys(e) + ix, list);
        fresh->own = 1;
        return;
    }
    assert(fresh->own); /* no more lists of live keys than live keys allowed */
}

void transfer_ids_remember(struct engine *e, uint32_t key, struct transfer_list *list, struct transfer_list *fresh,
                           const struct transfer *done)
{
    assert(list != fresh || key != 0); /* a wallet has its list */
    if (list->count == 0 && gives_up(e, list)) make_place_for_key(e, list);
    if (list == fresh) list = make_key_list(e, key, fresh);
    remember_transfer(e, list, done);
}

/*
 * Whether an id below the stored ones was used is unknown; that is the case once the list has dropped an id, or would
 * drop this one.
 */
static bool is_too_old(const struct engine *e, const struct transfer_list *list, uint64_t id)
{
    if (!RULING(69)) return list->count != 0 && at_or_below(e, list, id) == 0;
    if (list->has_floor && id <= list->floor) return true;
    return list->count != 0 && gives_up(e, list) && id < transfer_at(e, list->lowest)->id;
}

bool transfer_ids_is_new(const struct engine *e, const struct transfer_list *list, const struct transfer *wanted,
                         struct result *result)
{
    uint32_t               ix = at_or_below(e, list, wanted->id);
    const struct transfer *known = transfer_at(e, ix);

    assert(wanted->amount > 0 && wanted->coin_id < e->coin_count);
    if (ix == 0 || known->id != wanted->id) {
        uint64_t smallest = list->count != 0 ? transfer_at(e, list->lowest)->id : max_u64(list->floor, list->floor + 1);

        if (!is_too_old(e, list, wanted->id)) return true;
        return refuse(result, REJECT_TRANSFER_TOO_OLD, decimal_make((int64_t)min_u64(wanted->id, INT64_MAX), 0),
                      decimal_make((int64_t)min_u64(smallest, INT64_MAX), 0));
    }
    if (known->amount != wanted->amount || known->coin_id != wanted->coin_id || known->type != wanted->type)
        return refuse_number(result, REJECT_TRANSFER_CONFLICT, FIELD_OF_ROW, wanted->id);
    result->order_id = known->id;
    return false;
}

/* ---- invariants ---- */

static uint32_t verify_list(const struct engine *e, const struct transfer_list *list)
{
    uint32_t count = 0, last = 0;

    for (uint32_t ix = list->lowest; ix != 0 && count <= TRANSFERS_MAX; ix = transfer_at(e, ix)->higher, count++) {
        assert(ix < e->transfer_end && transfer_at(e, ix)->lower == last);
        assert(last == 0 || transfer_at(e, last)->id < transfer_at(e, ix)->id); /* I26 */
        assert(transfer_at(e, ix)->amount > 0 && transfer_at(e, ix)->coin_id < e->coin_count);
        last = ix;
    }
    assert(last == list->highest && count == list->count && count <= TRANSFERS_MAX);
    assert(!list->has_floor || (count != 0 && list->floor < transfer_at(e, list->lowest)->id));
    return count;
}

/* The lists of a key: their number, their stored ids, and how many have a reserved slot. */
static uint32_t verify_key_lists(const struct engine *e, uint32_t key, uint32_t *kept, uint32_t *shared, uint32_t *own)
{
    uint32_t lists = 0;

    for (uint32_t ix = engine_keys(e)[key].lists; ix != 0 && lists < e->key_list_end;
         ix = engine_key_lists(e)[ix].next, lists++) {
        const struct transfer_list *list = engine_key_lists(e) + ix;

        assert(ix < e->key_list_end && list->count != 0 && list->account >= SLOT_USERS
               && list->account < e->account_end);
        assert(find_key_list(e, key, list->account, list->market) == ix);
        *kept += verify_list(e, list);
        *shared += shared_of(list);
        assert(list->own <= wallet_list(e, list->account, list->market)->own);
        *own += list->own;
    }
    return lists;
}

static uint32_t count_free(const struct engine *e)
{
    uint32_t count = 0;

    for (uint32_t ix = e->transfer_free; ix != 0 && count < e->transfer_end; ix = transfer_at(e, ix)->lower) count++;
    return count;
}

static uint32_t count_free_lists(const struct engine *e)
{
    uint32_t count = 0;

    for (uint32_t ix = e->key_list_free; ix != 0 && count < e->key_list_end; ix = engine_key_lists(e)[ix].next) count++;
    return count;
}

void transfer_ids_verify(const struct engine *e)
{
    uint32_t kept = 0, shared = 0, lists = 0, own = 0, reserved = 0;

    assert(e->transfer_end >= 1 && e->transfer_end - 1 <= transfer_places(&e->limits));
    assert(e->key_list_end >= 1 && e->key_list_end - 1 <= transfer_key_lists(&e->limits));
    for (size_t i = 0; i < (size_t)e->account_end * 2; i++) {
        kept += verify_list(e, &engine_transfer_lists(e)[i]);
        shared += shared_of(&engine_transfer_lists(e)[i]);
        reserved += engine_transfer_lists(e)[i].own;
        assert(engine_transfer_lists(e)[i].own <= KEYS_PER_OWNER);
    }
    for (uint32_t key = 1; key < e->key_end; key++) lists += verify_key_lists(e, key, &kept, &shared, &own);
    assert(own == reserved);                             /* I61 */
    assert(kept + count_free(e) == e->transfer_end - 1); /* a place is free or in one list */
    assert(lists + count_free_lists(e) == e->key_list_end - 1);
    assert(shared == e->transfer_shared && shared <= e->limits.transfers); /* I61 */
}
