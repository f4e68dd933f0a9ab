/* SPDX-License-Identifier: MIT */
#include "core/engine/ahead.h"
#include "core/account/account.h"
#include "core/prices/composition.h"
#include "core/account/fees.h"
#include "core/liquidation/fund_day.h"
#include "core/engine/operator.h"
#include "core/perps/inputs.h"
#include "core/account/key.h"
#include "core/state/lone.h"
#include "core/account/ledger.h"
#include "core/account/nonce.h"
#include "core/liquidation/liquidate.h"
#include "core/book/order.h"
#include "core/perps/perps_replace.h"
#include "core/perps/perps_order.h"
#include "core/perps/perps_place.h"
#include "core/perps/perps_plain.h"
#include "core/prices/prices.h"
#include "core/engine/quiet.h"
#include "core/spot/spot_replace.h"
#include "core/engine/schedule.h"
#include "core/perps/setting.h"
#include "core/engine/settle.h"
#include "core/spot/spot.h"
#include "core/spot/spot_end.h"
#include "core/engine/transfer.h"
#include "core/perps/trigger.h"
#include "core/prices/index.h"

/* ---- what each command calls ---- */

typedef void apply_item(struct apply_context *ctx, uint32_t slot, const void *item, struct result *result);

/* Both sides have this action. */
static void replace_either(struct apply_context *ctx, uint32_t slot, const struct replace_order *item,
                           struct result *result)
{
    if (ctx->command->market == MARKET_PERPS) perps_replace(ctx, slot, item, result);
    else replace_apply(ctx, slot, item, result);
}

/* A signed command's function takes the account's slot, the others' does not; TICK has a way of its own (run_tick). */
#define APPLY_SIGNED(NAME, apply)                                                                                      \
    static void apply_##NAME(struct apply_context *ctx, uint32_t slot, const void *item, struct result *result)        \
    {                                                                                                                  \
        apply(ctx, slot, item, result);                                                                                \
    }
#define APPLY_PLAIN(NAME, apply)                                                                                       \
    static void apply_##NAME(struct apply_context *ctx, uint32_t slot, const void *item, struct result *result)        \
    {                                                                                                                  \
        assert(slot == 0);                                                                                             \
        apply(ctx, item, result);                                                                                      \
    }
#define APPLY_NODE(NAME, apply)
#define APPLY_DEVELOPER     APPLY_PLAIN
#define APPLY_OPERATOR      APPLY_PLAIN
#define APPLY_OPERATOR_ONCE APPLY_PLAIN
#define APPLY_FEEDER        APPLY_PLAIN
#define APPLY_KEY           APPLY_SIGNED
#define APPLY_WALLET        APPLY_SIGNED
#define APPLY_WALLET_ANYHOW APPLY_SIGNED
#define X(number, NAME, name, payload, form, item, sides, right, sender, whose, class, weight, gives, apply, shape)    \
    APPLY_##sender(NAME, apply)
COMMANDS(X)
#undef X

/*
 * The members of a command's row that the engine uses. `item_bytes` 0: the payload itself is the only item; `apply`
 * NULL: not run by run_command.
 */
struct dispatch {
    uint8_t     sides, right, sender;
    size_t      items_at, item_bytes, client_id_at;
    apply_item *apply;
};

#define apply_TICK                NULL
#define apply_REVERT              NULL /* the log goes back, and the engine hears nothing of it */
#define PLACE_ONE(payload, item)  sizeof(struct payload), 0, 0
#define PLACE_LIST(payload, item) offsetof(struct payload, items), 0, 0
#define PLACE_BATCH(payload, item)                                                                                     \
    offsetof(struct payload, items), sizeof(struct item), offsetof(struct item, client_id)
static const struct dispatch dispatches[] = {
#define X(number, NAME, name, payload, form, item, sides, right, sender, whose, class, weight, gives, apply, shape)    \
    [CMD_##NAME] = { SIDES_##sides, RIGHT_##right, SENDER_##sender, PLACE_##form(payload, item), apply_##NAME },
    COMMANDS(X)
#undef X
};
#undef apply_TICK
#undef apply_REVERT

/* ---- commands of users ---- */

/* Of an event that is zero behind its head. */
static void fill_refused(struct refused *event, const struct command *command, enum reject reject,
                         enum nonce_reason reason, const struct nonce_entry *used)
{
    assert(reject != REJECT_NONE && (reason == NONCE_OK || used != NULL));
    event->reject = (uint16_t)reject;
    event->nonce_reason = (uint16_t)reason;
    event->nonce = command->nonce;
    if (reason == NONCE_TOO_SMALL) event->smallest = used->nonce;
    if (reason == NONCE_USED) {
        event->used_seq = used->seq;
        event->same_payload = used->payload_tag == nonce_tag(command);
    }
}

static void emit_refused(struct apply_context *ctx, enum reject reject, enum nonce_reason reason,
                         const struct nonce_entry *used)
{
    fill_refused(EVENT_ADD(ctx->events, REFUSED, refused, ctx->command->market), ctx->command, reject, reason, used);
}

/* The key of an item's client id; prefetches the slots of its search, which are far apart in memory. */
static uint32_t prefetch_item(const struct apply_context *ctx, const struct dispatch *row, uint32_t slot, uint32_t at)
{
    const uint8_t *item = (const uint8_t *)command_payload(ctx->command) + row->items_at + at * row->item_bytes;
    const struct client_id *client_id = (const void *)(item + row->client_id_at);
    uint32_t                owner = ctx->command->market == MARKET_PERPS ? slot | OWNER_PERPS : slot;
    bool                    known = ctx->hints != NULL && ctx->hints->owner == slot;
    uint32_t                key = known ? ctx->hints->items[at].key : client_id_key(ctx->engine, owner, client_id);

    order_prefetch(ctx->engine, key);
    return key;
}

/*
 * The account of a signed command and its signer: the main wallet, or the key that command.key_id names when it has
 * every right of `rights` (wire 3.3). Account 0 is the signer's primary one (rulings 30, 62), which a key does not
 * have. `rights` 0: only the main wallet may sign.
 */
static enum reject authorise(const struct engine *e, const struct command *command, uint64_t account_id, uint8_t rights,
                             struct speaker *speaker)
{
    uint32_t        slot = account_id == 0 ? account_find_owner(e, &command->signer) : account_find(e, account_id);
    struct account *account = account_at(e, slot);

    if (slot == 0) return REJECT_ACCOUNT_NOT_FOUND;
    if (command->domain < DOMAIN_SPOT || command->domain > DOMAIN_UNIVERSAL) return REJECT_BAD_SIGNATURE;
    speaker->account = slot;
    speaker->wallet = account->user;
    if (command->key_id != 0) return key_authorise(e, command, rights, speaker);
    if (!address_equal(&account->owner, &command->signer)) return REJECT_BAD_SIGNATURE;
    speaker->signer = &account_at(e, account->user)->signer;
    return REJECT_NONE;
}

/* The form of a user's command: a market that it may be for, and as many items as it says. */
static inline enum reject check_form(const struct command *command, const struct dispatch *row)
{
    const struct items_head *payload = command_payload(command);
    size_t                   bytes = sizeof(*command) + row->items_at;

    if (command->bytes < bytes || command->market > MARKET_PERPS || (row->sides >> command->market & 1) == 0)
        return REJECT_NOT_SUPPORTED;
    if (row->item_bytes != 0
        && (payload->count == 0 || payload->count > BATCH_MAX
            || command->bytes < bytes + payload->count * row->item_bytes))
        return REJECT_BATCH_SIZE;
    return REJECT_NONE;
}

/*
 * Whether the command may run at all: form, account, signer, nonce. Otherwise emits REFUSED, but not for a marked one,
 * which has no signature (run_marked).
 */
static bool admit(struct apply_context *ctx, const struct dispatch *row, struct speaker *speaker)
{
    const struct command    *command = ctx->command;
    const struct items_head *payload = command_payload(command);
    struct nonce_entry       used = { 0 };
    enum nonce_reason        reason = NONCE_OK;
    enum reject              reject = check_form(command, row);

    if (reject == REJECT_NONE) reject = authorise(ctx->engine, command, payload->account_id, row->right, speaker);
    if (reject == REJECT_NONE) {
        if (row->item_bytes != 0) ctx->client_key = prefetch_item(ctx, row, speaker->account, 0);
        reason = nonce_check(ctx->engine, speaker, command, &used);
        if (reason != NONCE_OK) reject = REJECT_BAD_NONCE;
    }
    if (reject != REJECT_NONE && !command_is_marked(command)) emit_refused(ctx, reject, reason, &used);
    return reject == REJECT_NONE;
}

COLD bool engine_refuses_nonce(const struct engine *e, const struct command *command, struct refused *refused,
                               uint64_t *highest)
{
    const struct dispatch *row = command->kind < ARRAY_COUNT(dispatches) ? &dispatches[command->kind] : &dispatches[0];
    const struct items_head *payload = command_payload(command);
    struct nonce_entry       used = { 0 };
    struct speaker           speaker = { 0 };
    enum nonce_reason        reason;

    *highest = UINT64_MAX;
    if (row->sender < SENDER_KEY || check_form(command, row) != REJECT_NONE
        || authorise(e, command, payload->account_id, row->right, &speaker) != REJECT_NONE)
        return false;
    reason = nonce_check(e, &speaker, command, &used);
    *highest = nonce_highest(e, speaker.signer, command->domain);
    if (reason != NONCE_USED && reason != NONCE_TOO_SMALL) return false; /* the window moves */
    *refused = (struct refused){ 0 };
    fill_refused(refused, command, REJECT_BAD_NONCE, reason, &used);
    return true;
}

/* One RESULT per item, in item order (I3), before everything that came of them. */
static struct result *reserve_results(struct apply_context *ctx, uint8_t market, uint32_t count)
{
    assert(count >= 1 && count <= BATCH_MAX);
    struct result *first = EVENT_ADD(ctx->events, RESULT, result, market);

    for (uint32_t i = 1; i < count; i++) EVENT_ADD(ctx->events, RESULT, result, market)->index = (uint16_t)i;
    return first;
}

static void echo_client_id(struct result *result, const struct client_id *client_id)
{
    if (client_id->len <= CLIENT_ID_MAX) result->client_id = *client_id;
}

static void run_batch(struct apply_context *ctx, const struct dispatch *row, uint32_t slot)
{
    const struct items_head *payload = command_payload(ctx->command);
    const uint8_t           *item = (const uint8_t *)payload + row->items_at;
    struct result           *result = reserve_results(ctx, ctx->command->market, payload->count);
    uint32_t                 next_key = ctx->client_key;

    for (uint32_t i = 0; i < payload->count; i++, item += row->item_bytes, result++) {
        ctx->client_key = next_key;
        ctx->hint = ctx->hints != NULL ? &ctx->hints->items[i] : NULL;
        if (i + 1 < payload->count) next_key = prefetch_item(ctx, row, slot, i + 1);
        echo_client_id(result, (const struct client_id *)(const void *)(item + row->client_id_at));
        row->apply(ctx, slot, item, result);
        ledger_emit(ctx);
    }
}

static void run_single(struct apply_context *ctx, const struct dispatch *row, uint32_t slot)
{
    row->apply(ctx, slot, command_payload(ctx->command), reserve_results(ctx, ctx->command->market, 1));
    ledger_emit(ctx);
}

/* The account of a marked command: the signer is its main wallet, and a domain of users stands below the mark. */
static enum reject authorise_marked(const struct engine *e, const struct command *command, uint32_t slot)
{
    uint8_t domain = command_domain(command);

    if (slot == 0) return REJECT_ACCOUNT_NOT_FOUND;
    if (!e->development || domain < DOMAIN_SPOT || domain > DOMAIN_UNIVERSAL || command->key_id != 0)
        return REJECT_BAD_SIGNATURE;
    return address_equal(&account_at(e, slot)->owner, &command->signer) ? REJECT_NONE : REJECT_BAD_SIGNATURE;
}

/* A command with a signer and without a signature, of development alone: it has no nonce. */
static COLD void run_marked(struct apply_context *ctx, const struct dispatch *row, struct command_began *began)
{
    const struct engine     *e = ctx->engine;
    const struct command    *command = ctx->command;
    const struct items_head *payload = command_payload(command);
    enum reject              reject = check_form(command, row);
    uint32_t                 slot = 0;

    if (reject == REJECT_NONE) {
        slot =
            payload->account_id == 0 ? account_find_owner(e, &command->signer) : account_find(e, payload->account_id);
        reject = authorise_marked(e, command, slot);
    }
    if (reject != REJECT_NONE) {
        emit_refused(ctx, reject, NONCE_OK, NULL);
        return;
    }
    assert(slot != 0);
    began->account_id = (uint32_t)account_id_of(slot);
    if (row->item_bytes != 0) {
        ctx->client_key = prefetch_item(ctx, row, slot, 0);
        run_batch(ctx, row, slot);
    } else {
        run_single(ctx, row, slot);
    }
}

/* ---- commands that no user signs ---- */

NOINLINE static void run_unsigned(struct apply_context *ctx, const struct dispatch *row)
{
    struct result *result = reserve_results(ctx, 0, 1);

    if (ctx->command->bytes < sizeof(struct command) + row->items_at) result->reject = REJECT_NOT_SUPPORTED;
    else row->apply(ctx, 0, command_payload(ctx->command), result);
    ledger_emit(ctx);
}

/* A feeder's post that is not authentic or not fresh runs as little as a write with a used nonce. */
static bool admit_post(struct apply_context *ctx)
{
    struct nonce_entry last = { 0 };
    enum reject        reject = index_admit(ctx->engine, ctx->command, &last.nonce);

    if (reject != REJECT_NONE)
        emit_refused(ctx, reject, reject == REJECT_ORACLE_SEQ ? NONCE_TOO_SMALL : NONCE_OK, &last);
    return reject == REJECT_NONE;
}

static bool is_missed(const struct command *command)
{
    return command->bytes >= sizeof(*command) + sizeof(struct tick)
        && ((const struct tick *)command_payload(command))->missed != 0;
}

/*
 * The TICK pipeline (mechanics 0): the day, scheduled work, then prices and funding, settlements, triggers,
 * liquidations. A TICK that continues work of the same second (ruling 61) moves no price again: caps and averages are
 * per second. A missed one moves none at all.
 */
static NOINLINE void run_tick(struct apply_context *ctx)
{
    struct engine *e = ctx->engine;
    bool           goes_on = e->work_left != 0 && e->time_ms / 1000 == e->priced_ms / 1000;

    assert(e->work_left <= 1 && e->time_ms >= e->priced_ms);
    assert(e->insolvent <= 1);
    fees_roll(ctx);
    schedule_fire_due(ctx);
    if (e->perps_count == 0) return;
    fund_day_begin(e);
    if (!is_missed(ctx->command)) {
        e->work_left = 0;
        if (!goes_on) {
            prices_tick(ctx);
            composition_emit(ctx);
        }
        settle_tick(ctx, goes_on);
        trigger_tick(ctx, goes_on);
        liquidate_tick(ctx, goes_on);
    }
    ledger_emit(ctx);
    fund_emit(ctx);
    prices_emit(ctx);
}

/* The consequences of a command on perps. */
static void run_consequences(struct apply_context *ctx)
{
    if ((ctx->traded | ctx->armed) == 0 && !ctx->self_traded) return;
    if (trigger_after_command(ctx) && ctx->command->kind == CMD_TICK)
        ctx->engine->work_left = 1; /* units are looked at once more */
    ledger_emit(ctx);
    prices_emit(ctx);
}

/* ---- a command with hints ---- */

/* Who sent a command whose hints are right: the nonces of the address, and those of them that the command's is above.
 */
struct sender {
    struct account   *account; /* that it is for */
    struct signer    *signer;
    struct nonce_set *below;
};

/* False: nothing is known, and admit is asked. */
static ALWAYS_INLINE bool admit_ahead(const struct engine *e, const struct command *command,
                                      const struct engine_ahead *ahead, uint32_t slot, struct sender *sender)
{
    const struct items_head *payload = command_payload(command);
    struct account          *account = account_at(e, slot);

    if (!ahead_is_of(ahead, command) || slot < SLOT_USERS || slot >= e->account_end
        || !address_equal(&account->owner, &command->signer)
        || (payload->account_id == 0 ? account->user != slot
                                     : payload->account_id != slot - SLOT_USERS + ACCOUNT_FIRST))
        return false;
    sender->account = account;
    sender->signer = &account_at(e, account->user)->signer;
    return nonce_ordinary(e, sender->signer, command, &sender->below);
}

/* ---- every command ---- */

NOINLINE static void run_command(struct apply_context *ctx, const struct engine_ahead *ahead,
                                 struct command_began *began)
{
    const struct command  *command = ctx->command;
    const struct dispatch *row = command->kind < ARRAY_COUNT(dispatches) ? &dispatches[command->kind] : &dispatches[0];
    struct speaker         speaker = { 0 };

    if (row->sender >= SENDER_KEY) {
        if (row->item_bytes != 0 && check_form(command, row) == REJECT_NONE)
            ctx->hints = ahead_hints(ahead->hints, command);
        if (!admit(ctx, row, &speaker)) {
            if (command_is_marked(command)) run_marked(ctx, row, began);
            return;
        }
        began->account_id = (uint32_t)account_id_of(speaker.account);
        if (row->item_bytes != 0) run_batch(ctx, row, speaker.account);
        else run_single(ctx, row, speaker.account);
        nonce_use(ctx->engine, &speaker, command); /* last, because it writes into memory that is far away */
        return;
    }
    if (row->sender == SENDER_FEEDER && !admit_post(ctx)) return;
    if (row->apply != NULL) run_unsigned(ctx, row);
    else emit_refused(ctx, REJECT_NOT_SUPPORTED, NONCE_OK, NULL); /* a kind of a later version */
}

/* Whether anything in the command was accepted; RESULTs stand right
   behind its COMMAND_BEGAN, others' events before it. */
static bool has_passed(const struct events *events, const struct command_began *began)
{
    const struct event *event = events_next(events, &began->head);

    for (; event != NULL && event->kind == EVENT_RESULT; event = events_next(events, event))
        if (((const struct result *)(const void *)event)->reject == REJECT_NONE) return true;
    return false;
}

/* What follows from a command on perps, and whether the exchange is quiet now. `at`: where its events begin. */
static NOINLINE void run_after(struct apply_context *ctx, size_t at)
{
    const struct command_began *began = (const void *)(ctx->events->at + at);
    const struct command       *command = ctx->command;
    struct engine              *e = ctx->engine;

    assert(began->head.kind == EVENT_COMMAND_BEGAN && began->seq == e->seq);
    run_consequences(ctx);
    if (command->kind == CMD_TICK) e->quiet = !is_missed(command) && e->perps_count != 0 && quiet_judge(e);
    else if (e->quiet != 0) e->quiet = !has_passed(ctx->events, began) && quiet_judge(e);
}

/* A command without hints, or with wrong ones. */
static NOINLINE void run_plainly(struct engine *e, const struct command *command, const struct engine_ahead *ahead,
                                 struct events *events)
{
    struct apply_context  ctx = { .engine = e, .events = events, .command = command };
    size_t                at = events->len;
    struct command_began *began = events_room(events, sizeof(*began));

    first_write_began(began, command, 0);
    if (command->kind == CMD_TICK) run_tick(&ctx);
    else run_command(&ctx, ahead, began);
    assert(ctx.ahead == NULL && events->len >= at + sizeof(*began));
    run_after(&ctx, at);
    assert((e->touched_count | e->wallet_touched_count | ctx.taking) == 0);
}

static ALWAYS_INLINE struct lone lone_of(const struct command *command, const struct engine_ahead *ahead,
                                         struct account *account)
{
    return (struct lone){ .command = command,
                          .hint = ahead->hints->items,
                          .account = account,
                          .slot = ahead->slot,
                          .key = ahead->key,
                          .order = ahead->order,
                          .level = ahead->level,
                          .near = ahead->near != 0 };
}

/* A function of its own: there the record is in registers, as it is for spot in the caller. */
static NOINLINE HOT bool run_alone_perps(struct engine *e, const struct command *command,
                                         const struct engine_ahead *ahead, struct account *account,
                                         struct events *events)
{
    const struct lone lone = lone_of(command, ahead, account);

    if (command->kind == CMD_PLACE_PERPS)
        return perps_place_alone(e, &lone, &((const struct place_perps *)command_payload(command))->items[0], events);
    if (command->kind == CMD_CANCEL_PERPS)
        return perps_cancel_alone(e, &lone, &((const struct cancel_perps *)command_payload(command))->items[0], events);
    return false;
}

/*
 * Runs an order that comes to rest, or the end of one that rests; false when it is something else, which nothing has
 * begun of.
 */
static ALWAYS_INLINE bool run_alone(struct engine *e, const struct command *command, const struct engine_ahead *ahead,
                                    struct account *account, struct events *events)
{
    const struct lone lone = lone_of(command, ahead, account);

    if (command->kind == CMD_PLACE_ORDERS)
        return spot_place_alone(e, &lone, &((const struct place_orders *)command_payload(command))->items[0], events);
    if (command->kind == CMD_CANCEL_ORDERS)
        return spot_cancel_alone(e, &lone, &((const struct cancel_orders *)command_payload(command))->items[0], events);
    return run_alone_perps(e, command, ahead, account, events);
}

/* Whether the far look found hints to be of the command, whose item keeps the rules that they vouch for. */
static inline bool is_vouched_for(const struct engine_ahead *ahead)
{
    return ahead->hints != NULL && ahead->hints->items[0].passes;
}

/* Any other batch of one item whose hints are right. */
static NOINLINE HOT void run_hinted(struct engine *e, const struct command *command, const struct engine_ahead *ahead,
                                    struct events *all)
{
    uint32_t               slot = ahead->slot;
    const struct dispatch *row = &dispatches[command->kind];
    const uint8_t         *item = (const uint8_t *)command_payload(command) + row->items_at;
    size_t                 at = all->len;
    struct first_events   *events;
    struct apply_context   ctx = { .engine = e, .events = all, .command = command, .ahead = ahead };

    assert(row->item_bytes != 0);
    assert(slot >= SLOT_USERS && slot < e->account_end);
    ctx.client_key = ahead->key;
    ctx.hint = ahead->hints != NULL ? ahead->hints->items : NULL;
    events = events_room(all, sizeof(*events));
    first_write_began(&events->began, command, slot - SLOT_USERS + (uint32_t)ACCOUNT_FIRST);
    first_write_result(&events->result, command->market,
                       (const struct client_id *)(const void *)(item + row->client_id_at));
    if (command->kind == CMD_PLACE_ORDERS && is_vouched_for(ahead))
        spot_place_other(&ctx, slot, (const struct new_order *)(const void *)item, &events->result);
    else row->apply(&ctx, slot, item, &events->result);
    ledger_emit(&ctx);
    if ((ctx.traded | ctx.armed | ctx.self_traded | e->quiet) != 0) run_after(&ctx, at);
    assert((e->touched_count | e->wallet_touched_count | ctx.taking) == 0);
}

HOT void engine_apply_ahead(struct engine *e, const struct command *command, const struct engine_ahead *ahead,
                            struct events *events)
{
    UNTOUCHED struct sender sender;

    assert(command->seq == e->seq + 1);     /* I1 */
    assert(command->time_ms >= e->time_ms); /* I1 */
    e->seq = command->seq;
    if (command->time_ms != e->time_ms && e->perps_count != 0) inputs_pass(e);
    e->time_ms = command->time_ms;
    if (!admit_ahead(e, command, ahead, ahead->slot, &sender)) {
        run_plainly(e, command, ahead, events);
        return;
    }
    if (is_vouched_for(ahead) && run_alone(e, command, ahead, sender.account, events))
        e->quiet = 0; /* something was accepted, and nothing follows from it */
    else run_hinted(e, command, ahead, events);
    nonce_use_ordinary(e, sender.signer, sender.below, command);
}

void engine_apply(struct engine *e, const struct command *command, struct events *events)
{
    static const struct engine_ahead none;

    engine_apply_ahead(e, command, &none, events);
}
