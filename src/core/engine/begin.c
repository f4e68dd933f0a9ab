/* SPDX-License-Identifier: MIT */
/* begin.c — the exchange that a genesis describes, before its first command. */
#include "core/engine.h"
#include "core/account/account_open.h"
#include "core/account/ledger.h"
#include "core/prices/composition.h"
#include "core/prices/prices.h"
#include "core/state/hash_key.h"
#include "core/state/layout.h"
#include "core/state/market.h"

static void open_genesis_accounts(struct engine *e, const struct genesis *genesis, struct events *events)
{
    struct apply_context ctx = { .engine = e, .events = events };

    assert(e->coin_count <= COINS_MAX && genesis->account_count <= e->limits.accounts);
    for (uint32_t i = 0; i < genesis->account_count; i++) {
        uint32_t slot = account_open(e, events, &genesis->accounts[i].owner);

        assert(slot != 0);
        for (uint32_t coin_id = 0; coin_id < e->coin_count; coin_id++)
            if (genesis->accounts[i].spot[coin_id] != 0)
                ledger_deposit(&ctx, slot, coin_id, PLACE_SPOT, genesis->accounts[i].spot[coin_id]);
        if (genesis->accounts[i].perps != 0)
            ledger_deposit(&ctx, slot, COIN_MARGIN, PLACE_PERPS, genesis->accounts[i].perps);
        ledger_emit(&ctx);
    }
    if (genesis->fund != 0) ledger_deposit(&ctx, SLOT_FUND, COIN_MARGIN, PLACE_PERPS, genesis->fund);
    prices_emit(&ctx);
    composition_emit(&ctx);
}

static void take_feeders(struct engine *e, const struct genesis *genesis)
{
    assert(genesis->feeder_count <= FEEDERS_MAX);
    e->feeder_count = genesis->feeder_count;
    for (uint32_t i = 0; i < genesis->feeder_count; i++) {
        e->feeders[i].address = genesis->feeders[i].address;
        e->feeders[i].weight = genesis->feeders[i].weight;
    }
}

struct engine *engine_init(void *memory, const struct genesis *genesis, struct events *events)
{
    struct layout_of of = layout_of_genesis(genesis);
    struct engine   *e = memory;

    assert((uintptr_t)memory % 64 == 0);
    assert(genesis_check(genesis) == NULL);
    e->limits = genesis->limits;
    e->coin_count = genesis->coin_count;
    e->perps_count = genesis->perps_count;
    e->rules = genesis->rules;
    rules_complete(&e->rules);
    layout_set(&e->layout, &of);
    assert(e->layout.bytes == engine_size(genesis));
    e->fees = genesis->spot_fees;
    e->perps_fees = genesis->perps_fees;
    memcpy(e->coins, genesis->coins, sizeof(e->coins));
    market_init(e, genesis);
    client_key_seed(genesis, e->hash_seed);
    e->time_ms = genesis->time_ms;
    e->fee_day = genesis->time_ms / DAY_MS;
    e->development = genesis->development != 0;
    e->mode = VENUE_RUN;
    e->next_order_id = e->next_trade_id = e->next_transfer_number = 1;
    e->next_key_number = 1;
    e->next_position_id = 1;
    e->next_liquidation_id = 1;
    e->next_receipt_id = 1;
    e->fund_day.day = -1; /* the first TICK begins one */
    e->position_end = 1;
    take_feeders(e, genesis);
    prices_init(e, genesis);
    e->account_end = SLOT_USERS;
    e->signer_end = e->order_end = e->level_end = e->page_end = e->wide_end = e->rung_end = e->key_end =
        e->transfer_end = e->key_list_end = e->nonce_chunk_end = e->volumes_end = e->revocations_end = 1;
    open_genesis_accounts(e, genesis, events);
    assert(e->account_end - SLOT_USERS == genesis->account_count && e->order_count == 0);
    return e;
}
