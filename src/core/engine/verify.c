/* SPDX-License-Identifier: MIT */
/* SPDX-License-Identifier: MIT */
#include "core/account/account.h"
#include "core/engine.h"
#include "core/book/book.h"
#include "core/account/fees.h"
#include "core/account/key.h"
#include "core/account/ledger.h"
#include "core/state/market.h"
#include "core/account/nonce.h"
#include "core/engine/operator.h"
#include "core/book/order.h"
#include "core/engine/perps_verify.h"
#include "core/book/retired_id.h"
#include "core/engine/schedule.h"
#include "core/account/transfer_ids.h"

/* I5: an account's hold in a coin is the sum of the holds of its open orders. */
static void verify_holds(const struct engine *e)
{
    for (uint32_t slot = 0; slot < e->account_end; slot++) {
        int64_t held[COINS_MAX] = { 0 };

        for (uint32_t ix = account_at(e, slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
            const struct order  *order = order_at(e, ix);
            const struct market *market = market_at(e, order->market);

            if (market->kind != MARKET_PERPS) held[market_coin_spent(market, order->side)] += order_hold(market, order);
        }
        for (uint32_t coin_id = 0; coin_id < e->coin_count; coin_id++)
            assert(ledger_bucket(e, slot, coin_id)->held == held[coin_id]); /* I5 */
    }
}

/* A resting order still has the checks that it once passed: tick and step (mechanics 1.6, 5). */
static void verify_units(const struct engine *e)
{
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++)
        for (uint32_t ix = account_at(e, slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
            const struct order  *order = order_at(e, ix);
            const struct symbol *symbol = &market_at(e, order->market)->symbol;

            assert((order->price > 0 || order_is_stop(order)) && order->price % symbol->tick_size == 0);
            assert(order_open(order) % symbol->step_size == 0);
            assert(order->quantity <= QUANTITY_MAX && order->executed_value >= 0);
            assert(order->created_ms <= order->updated_ms && order->updated_ms <= e->time_ms);
        }
}

/* No order goes by a client id that may not come back. */
static void verify_retired_ids(const struct engine *e)
{
    for (uint32_t i = 0; i < e->retired_count; i++)
        assert(order_find_own(e, engine_retired(e)[i].owner, &engine_retired(e)[i].client_id) == 0);
}

void engine_verify(const struct engine *e)
{
    assert(e->next_order_id >= 1 && e->next_trade_id >= 1 && e->next_transfer_number >= 1 && e->next_key_number >= 1);
    ledger_verify(e);
    verify_holds(e);
    verify_units(e);
    account_verify(e);
    assert(account_nonce_sets(e) + key_nonce_sets(e) == e->signer_end - 1);
    fees_verify(e);
    nonce_verify(e);
    order_verify(e);
    book_verify(e);
    schedule_verify(e);
    operator_verify(e);
    key_verify(e);
    transfer_ids_verify(e);
    retired_id_verify(e);
    verify_retired_ids(e);
    if (e->perps_count != 0) perps_verify(e);
}
