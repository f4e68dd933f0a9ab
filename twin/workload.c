/* SPDX-License-Identifier: MIT */
/* workload.c — the dice, and which command comes next, by whom it is signed. */
#include "workload_inside.h"

uint32_t random_below(struct random_state *d, uint32_t n)
{
    uint32_t value = 0;

    for (uint32_t most = n - 1; d->len != 0; d->at++, d->len--) {
        value = value << 8 | *d->at;
        if ((most >>= 8) == 0) {
            d->at++;
            d->len--;
            return value % n;
        }
    }
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (uint32_t)((d->state >> 32) % n);
}
bool one_in(struct random_state *d, uint32_t n) { return random_below(d, n) == 0; }

/* Somebody signs: the wallet, a key, or one who may not; now and then with a nonce at an end of what is allowed. */
static void sign(struct workload *work, struct twin *twin, struct command_room *room, uint32_t who,
                 const struct account *account)
{
    struct random_state *d = &work->random_state;
    int64_t              t = work->time_ms - twin->offset_ms;
    struct command      *head_of = &room->head;

    head_of->domain = head_of->kind == CMD_ADD_KEY || head_of->kind == CMD_REVOKE_KEY ? DOMAIN_UNIVERSAL
                    : head_of->market == MARKET_PERPS                                 ? DOMAIN_FUTURES
                                                                                      : DOMAIN_SPOT;
    head_of->chain_id = 286623;
    head_of->signer = user(who);
    head_of->nonce = (uint64_t)t + (++work->nonce % 50000);
    head_of->payload_tag = work->nonce;
    room->place_orders.account_id =
        account != NULL && one_in(d, 2) ? account->id : 0; /* every payload begins with it */
    if (account != NULL && !account->primary) room->place_orders.account_id = account->id;
    if (one_in(d, 5) && twin->key_count > 0) {
        const struct key *key = &twin->keys[random_below(d, twin->key_count)];

        head_of->signer = key->is.public_key;
        head_of->key_id = one_in(d, 30) ? random_below(d, 40) : key->is.key_id;
        room->place_orders.account_id = one_in(d, 10) ? ACCOUNT_FIRST + random_below(d, 9) : key->is.account_id;
    }
    if (one_in(d, 60)) head_of->signer = user(1 + random_below(d, 70));
    if (one_in(d, 80)) room->place_orders.account_id = (uint64_t)PICK(d, 1, 2, 999, 1000, 1001, 1002, 1009);
    if (one_in(d, 40)) {
        switch (random_below(d, 4)) {
        case 0: head_of->nonce = (uint64_t)near_to(work, t - 2 * DAY_MS, 1); break;
        case 1: head_of->nonce = (uint64_t)near_to(work, t + DAY_MS, 1); break;
        case 2: head_of->nonce = work->used_nonce[random_below(d, 64)]; break;
        default:
            if (twin->nonces_count > 0) {
                const struct nonces *set = &twin->nonces[random_below(d, twin->nonces_count)];
                if (set->count > 0) head_of->nonce = set->at[0].nonce + random_below(d, 3) - 1;
            }
        }
    }
    work->used_nonce[random_below(d, 64)] = head_of->nonce;
}

/* Time goes on; a midnight on the way is told by a TICK at it before anything else (ruling 28). */
static bool a_tick(struct workload *work, const struct twin *twin, struct command_room *room)
{
    struct random_state *d = &work->random_state;
    int64_t              to = work->time_ms + random_below(d, 400), midnight = (work->time_ms / DAY_MS + 1) * DAY_MS;
    bool                 tick = false;

    if (one_in(d, 30)) {
        to += random_below(d, 9000);
        tick = true;
    }
    if (one_in(d, 1500)) {
        to += DAY_MS / 4 * (1 + random_below(d, 8));
        tick = true;
    }
    (void)twin;
    if (to >= midnight) {
        to = midnight;
        tick = true;
    }
    work->time_ms = to;
    if (!tick) return false;
    command_head(work, room, CMD_TICK, 0, sizeof(struct tick));
    return true;
}

void workload_next(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct random_state *d = &work->random_state;
    uint32_t             all = 0, kind = 0, who = 1 + random_below(d, work->users),
             count = 1 + (one_in(d, 3) ? random_below(d, 4) : 0), at;
    struct address  owner = user(who);
    struct account *account = account_by_owner(twin, &owner);

    if (work->perps != 0 ? a_perps_second(work, twin, room) : a_tick(work, twin, room)) return;
    if (account != NULL && one_in(d, 4)) { /* a sub-account */
        struct account *sub = &twin->accounts[random_below(d, twin->account_count)];
        if (sub->user_id == account->user_id) account = sub;
    }
    for (uint32_t i = 0; i < twin->genesis.spot_count; i++) /* a halt does not last */
        if (twin->state[MARKET_SPOT][i].status == SYMBOL_HALT && one_in(d, 20)) {
            command_head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
            room->set_market = (struct set_market){
                .symbol_id = i + 1, .engine = MARKET_SPOT, .status = SYMBOL_TRADING, .id = an_operator_id(work)
            };
            return;
        }
    if (twin->mode != VENUE_RUN && one_in(d, 40)) {
        a_mode(work, VENUE_RUN, room);
        return;
    } /* nor does a mode */
    for (uint32_t i = 0; i < 9; i++) all += work->weight[i];
    for (at = random_below(d, all); at >= work->weight[kind]; kind++) at -= work->weight[kind];
    switch (kind) {
    case 0:
        command_head(work, room, CMD_PLACE_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(place_orders, count));
        room->place_orders.count = count;
        for (uint32_t i = 0; i < count; i++) an_order(work, twin, account, &room->place_orders.items[i]);
        break;
    case 1:
        command_head(work, room, CMD_CANCEL_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(cancel_orders, count));
        room->cancel_orders.count = count;
        for (uint32_t i = 0; i < count; i++) a_cancel(work, twin, &room->cancel_orders.items[i]);
        break;
    case 2:
        command_head(work, room, CMD_REPLACE_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(replace_orders, count));
        room->replace_orders.count = count;
        for (uint32_t i = 0; i < count; i++)
            a_replace(work, twin, account == NULL ? 0 : account->id, &room->replace_orders.items[i]);
        break;
    case 3: a_deposit(work, twin, room); return;
    case 4: a_transfer(work, twin, account, room); break;
    case 5: a_key(work, room); break;
    case 6: an_operator_command(work, twin, room); return;
    case 8: a_perps_command(work, twin, room, account); break;
    default:
        command_head(work, room, CMD_SCHEDULE_CANCEL, (uint8_t)(1 + random_below(d, 2)),
                     sizeof(struct schedule_cancel));
        room->schedule_cancel.scheduled_ms.value =
            (uint64_t)(work->time_ms + (one_in(d, 3) ? 4999 + random_below(d, 3) : 4000 + random_below(d, 20000)));
        room->schedule_cancel.scheduled_ms.given = !one_in(d, 5);
        if (one_in(d, 20))
            room->schedule_cancel.scheduled_ms.value =
                (uint64_t)((work->time_ms / DAY_MS + 1) * DAY_MS - 1 + random_below(d, 2));
        break;
    }
    sign(work, twin, room, who, account);
}
