/* SPDX-License-Identifier: MIT */
/* transfers.c — transfers of traders (service 4.2, service 4.5; mechanics 7). */
#include "world.h"

void tell_moved(struct twin *twin, uint8_t market, const struct account *account, uint64_t transfer_id,
                const struct address *address, uint32_t coin_id, int64_t amount, uint8_t type)
{
    struct transferred *moved = TELL(twin, TRANSFER, transferred, market);

    moved->number = twin->next_transfer;
    moved->account_id = account == NULL ? 0 : account->id;
    moved->transfer_id = transfer_id;
    moved->address = *address;
    moved->coin_id = coin_id;
    moved->amount = amount;
    moved->type = type;
    moved->time_ms = twin->now_ms;
}

static struct moved_list *find_moves(struct twin *twin, uint64_t account_id, uint8_t market, const struct address *key)
{
    for (uint32_t i = 0; i < twin->move_lists; i++)
        if (twin->moves[i].account_id == account_id && twin->moves[i].market == market
            && address_equal(&twin->moves[i].key, key))
            return &twin->moves[i];
    return NULL;
}

/* Ids in shared slots: all but the first of each list that has a reserved slot (ruling 73). */
static uint32_t shared_moves(const struct twin *twin)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < twin->move_lists; i++)
        count += twin->moves[i].count - (twin->moves[i].own && twin->moves[i].count > 0 ? 1 : 0);
    return count;
}

static struct key *key_at(struct twin *twin, const struct address *address)
{
    for (uint32_t i = 0; i < twin->key_count; i++)
        if (address_equal(&twin->keys[i].is.public_key, address)) return &twin->keys[i];
    return NULL;
}

/* Each account has on each side a place for the first id of its wallet and of five keys. */
static bool has_place(const struct twin *twin, uint64_t account_id, uint8_t market)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < twin->move_lists; i++)
        if (twin->moves[i].account_id == account_id && twin->moves[i].market == market
            && !is_nobody(&twin->moves[i].key) && twin->moves[i].own)
            taken++;
    return taken < 5;
}

/* The list of the signer; a new one when it has used no id for this account and side. */
static struct moved_list *moves_of(struct twin *twin, uint8_t market)
{
    struct address     key = { 0 };
    struct moved_list *list;
    bool               own = true;

    if (twin->command->key_id != 0) {
        key = twin->command->signer;
        own = has_place(twin, twin->actor->id, market);
    }
    list = find_moves(twin, twin->actor->id, market, &key);
    if (list != NULL) return list;
    twin->moves = realloc(twin->moves, (twin->move_lists + 1) * sizeof(*twin->moves));
    list = &twin->moves[twin->move_lists++];
    *list = (struct moved_list){ .account_id = twin->actor->id, .market = market, .key = key, .own = own };
    if (!is_nobody(&key)) {
        list->gave = key_at(twin, &key)->lost;
        list->last_given = key_at(twin, &key)->lost_id;
    }
    return list;
}

/*
 * No shared slot is left: of the revoked keys with a slot here, the one revoked first loses it and keeps only its
 * highest id.
 */
static struct moved_list *take_over_place(struct twin *twin, struct moved_list *list)
{
    struct moved_list copy = *list, *victim = NULL;
    struct key       *first = NULL;

    for (uint32_t i = 0; i < twin->move_lists; i++) {
        struct moved_list *other = &twin->moves[i];
        struct key        *key;

        if (other == list || other->account_id != list->account_id || other->market != list->market
            || is_nobody(&other->key) || !other->own)
            continue;
        key = key_at(twin, &other->key);
        if (key->live || (first != NULL && first->revoked_at < key->revoked_at)) continue;
        first = key;
        victim = other;
    }
    if (!first->lost || first->lost_id < victim->at[victim->count - 1].id)
        first->lost_id = victim->at[victim->count - 1].id;
    first->lost = true;
    free(victim->at);
    copy.own = true;
    *victim = copy;
    if (list != &twin->moves[--twin->move_lists]) *list = twin->moves[twin->move_lists];
    return victim == &twin->moves[twin->move_lists] ? list : victim;
}

static void drop_empty(struct twin *twin, const struct moved_list *list)
{
    if (list->count > 0) return;
    free(list->at);
    twin->moves[list - twin->moves] = twin->moves[--twin->move_lists];
}

/* A transfer on its way through the checks. */
struct move {
    const struct transfer_asset *wants;
    struct moved_list           *list; /* of the signer */
    int128_t                     amount;
    uint32_t                     at; /* where its id belongs in the list */
    uint8_t                      market;
    bool                         from_spot, full; /* full: the list takes no id more without giving one */
};

/* What it says by itself, and its amount; false: it is answered. */
static bool transfer_is_sound(struct twin *twin, struct move *move)
{
    const struct transfer_asset *transfer = move->wants;
    uint32_t                     decimals;

    if (transfer->type != TRANSFER_EVM_WITHDRAW && transfer->type != TRANSFER_PERPS_WITHDRAW
        && transfer->type != TRANSFER_SPOT_WITHDRAW) {
        answer(twin, 0, REJECT_TRANSFER_TYPE);
        return false;
    }
    if (transfer->to_account_id != ACCOUNT_BRIDGE) {
        answer(twin, 0, REJECT_TRANSFER_TARGET);
        return false;
    }
    if (transfer->amount.digits <= 0) {
        answer(twin, 0, REJECT_NOT_POSITIVE);
        return false;
    }
    if (move->from_spot == (transfer->type == TRANSFER_SPOT_WITHDRAW)) {
        answer(twin, 0, REJECT_TRANSFER_TYPE);
        return false;
    }
    if (transfer->coin_id >= twin->genesis.coin_count) {
        answer_got(twin, 0, REJECT_COIN_NOT_FOUND, transfer->coin_id);
        return false;
    }
    if (transfer->type != TRANSFER_EVM_WITHDRAW && transfer->coin_id != COIN_MARGIN) {
        answer_said(twin, 0, REJECT_TRANSFER_COIN, whole((int128_t)transfer->coin_id), whole(COIN_MARGIN));
        return false;
    }
    decimals = twin->genesis.coins[transfer->coin_id].precision;
    if (!units_of(transfer->amount, decimals, &move->amount)) {
        answer_said(twin, 0, REJECT_AMOUNT_DECIMALS, transfer->amount, whole(decimals));
        return false;
    }
    return true;
}

/* An id that was used, or one below all that are kept, which may have been; true: it is answered. */
static bool transfer_is_known(struct twin *twin, struct move *move)
{
    const struct transfer_asset *transfer = move->wants;
    const struct moved_list     *list = move->list;
    const struct moved          *kept = list->at;
    uint32_t                     count = list->count, at = 0;

    move->full =
        count == TRANSFERS_KEPT || (shared_moves(twin) >= twin->genesis.limits.transfers && !(list->own && count == 0));
    while (at < count && kept[at].id < transfer->id) at++;
    move->at = at;
    if (at < count && kept[at].id == transfer->id) {
        if (kept[at].coin_id == transfer->coin_id && kept[at].amount == move->amount && kept[at].type == transfer->type)
            answer(twin, 0, REJECT_NONE)->order_id = transfer->id;
        else answer_got(twin, 0, REJECT_TRANSFER_CONFLICT, transfer->id);
        return true;
    }
    if ((list->gave && transfer->id <= list->last_given) || (at == 0 && count > 0 && move->full)) {
        answer_said(twin, 0, REJECT_TRANSFER_TOO_OLD, whole((int128_t)transfer->id),
                    whole(count > 0 ? (int128_t)kept[0].id : (int128_t)list->last_given + 1));
        return true;
    }
    return false;
}

/* The account has the money, and it may leave; false: it is answered. */
static bool transfer_is_covered(struct twin *twin, const struct move *move)
{
    const struct transfer_asset *transfer = move->wants;
    int128_t                     has;

    if (twin->insolvent && transfer->type != TRANSFER_PERPS_WITHDRAW) {
        answer(twin, 0, REJECT_WITHDRAWALS_SUSPENDED);
        return false;
    }
    if (!move->from_spot && twin->actor->stage != 0) {
        answer(twin, 0, REJECT_IN_LIQUIDATION);
        return false;
    }
    if (!move->from_spot && money_is_held(twin, twin->actor, 0)) return false;
    has = move->from_spot ? available(twin, twin->actor, (uint32_t)transfer->coin_id) : withdrawable(twin, twin->actor);
    if (move->amount > has) {
        answer_said(twin, 0, move->from_spot ? REJECT_INSUFFICIENT_BALANCE : REJECT_INSUFFICIENT_MARGIN,
                    decimal_of(has, twin->genesis.coins[transfer->coin_id].precision), transfer->amount)
            ->field = FIELD_AMOUNT;
        return false;
    }
    return true;
}

static void remember_transfer(struct twin *twin, struct move *move)
{
    struct moved_list *list = move->list;
    struct moved      *kept = list->at;
    uint32_t           count = list->count, at = move->at;

    if (move->full && count == 0) list = take_over_place(twin, list);
    else if (move->full) { /* the smallest goes */ list->gave = true;
        list->last_given = kept[0].id;
        memmove(kept, kept + 1, (--count) * sizeof(*kept));
        at--;
    }
    if (kept == NULL) list->at = kept = calloc(TRANSFERS_KEPT, sizeof(*kept));
    memmove(kept + at + 1, kept + at, (count - at) * sizeof(*kept));
    kept[at] =
        (struct moved){ move->wants->id, (uint32_t)move->wants->coin_id, move->wants->type, (int64_t)move->amount };
    list->count = count + 1;
}

static void move_transfer(struct twin *twin, const struct move *move)
{
    const struct transfer_asset *transfer = move->wants;
    struct account              *actor = twin->actor;
    uint32_t                     coin_id = (uint32_t)transfer->coin_id;
    int64_t                      amount = (int64_t)move->amount;

    twin->next_transfer++;
    if (move->from_spot) actor->total[coin_id] -= amount;
    else actor->wallet -= amount;
    tell_moved(twin, move->market, actor, transfer->id, &actor->owner, coin_id, amount, transfer->type);
    if (transfer->type == TRANSFER_EVM_WITHDRAW) account_by_owner(twin, &actor->owner)->evm[coin_id] += amount;
    else {
        if (move->from_spot) actor->wallet += amount;
        else actor->total[coin_id] += amount;
        tell_moved(twin, move->from_spot ? MARKET_PERPS : MARKET_SPOT, actor, transfer->id, &actor->owner, coin_id,
                   amount, move->from_spot ? TRANSFER_SPOT_DEPOSIT : TRANSFER_PERPS_DEPOSIT);
    }
}

void do_transfer(struct twin *twin, const struct transfer_asset *transfer)
{
    uint8_t     market = twin->command->market;
    struct move move = {
        .wants = transfer, .list = moves_of(twin, market), .market = market, .from_spot = market == MARKET_SPOT
    };

    if (!transfer_is_sound(twin, &move) || transfer_is_known(twin, &move) || !transfer_is_covered(twin, &move)) {
        drop_empty(twin, move.list);
        return;
    }
    remember_transfer(twin, &move);
    answer(twin, 0, REJECT_NONE)->order_id = transfer->id;
    move_transfer(twin, &move);
}
