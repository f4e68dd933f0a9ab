/* SPDX-License-Identifier: MIT */
/* A checker that cannot fail checks nothing: each row plants one fault and engine_verify must stop the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"
#include "core/account/ledger.h"
#include "core/account/nonce.h"
#include "core/account/volume.h"
#include "core/book/book.h"
#include "rigs/core/planting.h"

/*
 * Two users, a sub-account, a few orders on both sides, an alias, a schedule, nonces, transfers both ways, keys live
 * and revoked.
 */
static struct fixture *busy(void)
{
    struct fixture *f = fixture_make();

    deposit(f, 1, VUSDC, 1000000000);
    deposit(f, 2, VBTC, 100000000);
    limit(f, 1, SIDE_BUY, "99000", "0.001", "b1");
    limit(f, 1, SIDE_BUY, "99000", "0.002", "b2");
    limit(f, 1, SIDE_BUY, "98000", "0.001", "b3");
    limit(f, 2, SIDE_SELL, "101000", "0.001", "s1");
    limit(f, 2, SIDE_SELL, "102000", "0.001", "s2");
    replace(f, 1, "b3", "97000", NULL, "alias");
    schedule(f, 1, (uint64_t)FIXTURE_TIME + 60000);
    transfer(f, 1, 5, TRANSFER_PERPS_WITHDRAW, VUSDC, "50");
    transfer(f, 1, 6, TRANSFER_EVM_WITHDRAW, VUSDC, "20");
    transfer(f, 1, 9, TRANSFER_SPOT_WITHDRAW, VUSDC, "10");
    add_key(f, 1, "k1", 50);
    add_key(f, 1, "k2", 51);
    add_key(f, 2, "k1", 52);
    revoke_key(f, 1, "k2");
    volume_on(f->engine, MARKET_SPOT, 4, (uint32_t)(f->engine->fee_day % VOLUME_DAYS))->volume = 5; /* of a trade */
    open_account(f, 1, 1000);
    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel)); /* a nonce of a key */
    fixture_sign_key(f, 50, 1);
    f->room.schedule_cancel.account_id = 1003;
    fixture_apply(f);
    assert_int_equal(verdict(f), REJECT_NONE);
    engine_verify(f->engine);
    return f;
}

static struct bucket *bucket(struct engine *e, uint32_t slot, uint32_t coin_id)
{
    return account_buckets(account_at(e, slot)) + coin_id;
}

static void money_from_nowhere(struct engine *e) { bucket(e, 4, VUSDC)->available += 1; }
static void money_between_buckets(struct engine *e)
{
    bucket(e, 4, VUSDC)->available -= 1;
    bucket(e, 4, VUSDC)->held += 1;
}
static void money_below_zero(struct engine *e)
{
    bucket(e, 5, VUSDC)->available = -5;
    bucket(e, 4, VUSDC)->available += 5;
}
static void money_on_the_bridge(struct engine *e)
{
    bucket(e, 4, VUSDC)->available -= 1;
    bucket(e, SLOT_BRIDGE, VUSDC)->available += 1;
}
static void a_level_that_forgets_quantity(struct engine *e) { level_at(e, 1)->quantity -= 1; }
static void a_level_that_lost_an_order(struct engine *e)
{
    level_at(e, 1)->head = order_at(e, level_at(e, 1)->head)->next;
}
static void an_order_off_its_price(struct engine *e) { order_at(e, 1)->price += 1; }
static void an_order_filled_in_the_book(struct engine *e) { order_at(e, 1)->executed = order_at(e, 1)->quantity; }
static void an_order_with_another_id(struct engine *e) { order_at(e, 1)->id = 77; }
static void an_order_id_without_a_place(struct engine *e) { engine_order_ids(e)[order_at(e, 1)->id] = 0; }
static void a_place_of_another_order_id(struct engine *e) { engine_order_ids(e)[order_at(e, 1)->id + 100] = 1; }
static void a_crowded_order_id_that_is_not(struct engine *e) { e->order_crowded += 1; }
static void an_order_with_another_name(struct engine *e) { order_at(e, 2)->client_id.at[0] = 'x'; }
static void an_order_of_a_wrong_status(struct engine *e) { order_at(e, 2)->status = STATUS_FILLED; }
static void a_resting_ioc(struct engine *e) { order_at(e, 2)->time_in_force = TIF_IOC; }
static void a_best_price_that_is_not(struct engine *e)
{
    e->markets[0].sides[SIDE_BUY].best = book_behind(e, level_at(e, e->markets[0].sides[SIDE_BUY].best));
}
static void a_staking_tier_that_no_table_has(struct engine *e)
{
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) account_at(e, slot)->tiers.staking = 4;
}
static void a_sub_account_with_another_tier(struct engine *e) { account_at(e, e->account_end - 1)->tiers.staking = 1; }
static void a_lost_slot(struct engine *e) { e->order_end += 1; }
static void a_lost_level(struct engine *e) { e->level_end += 1; }
static void a_lost_rung(struct engine *e) { e->rung_end += 1; }
static void a_rung_that_lost_a_child(struct engine *e)
{
    engine_rungs(e)[1].set &= (uint16_t)(engine_rungs(e)[1].set - 1);
}
static void a_child_in_a_wrong_place(struct engine *e)
{
    struct rung *rung = &engine_rungs(e)[1];
    uint32_t     at = (uint32_t)__builtin_ctz(rung->set), free_at = (uint32_t)__builtin_ctz((uint32_t)~rung->set);

    rung->child[free_at] = rung->child[at];
    rung->child[at] = 0;
    rung->set ^= (uint16_t)(1u << at | 1u << free_at);
}
/* The page of the best ask. */
static struct page *ask_page(struct engine *e)
{
    return page_at(e, level_at(e, e->markets[0].sides[SIDE_SELL].best)->page);
}
static void a_lost_page(struct engine *e) { e->page_end += 1; }
static void a_lost_wide_page(struct engine *e) { e->wide_end += 1; }
static void a_page_that_lost_a_price(struct engine *e) { ask_page(e)->set &= ask_page(e)->set - 1; }
static void a_page_with_a_price_too_many(struct engine *e) { ask_page(e)->set |= UINT32_C(1) << 31; }
static void a_page_that_cannot_count(struct engine *e) { ask_page(e)->count += 1; }
static void a_page_of_the_other_side(struct engine *e) { ask_page(e)->key ^= SIDE_BUY ^ SIDE_SELL; }
static void a_page_of_another_market(struct engine *e) { ask_page(e)->key += 1u << 8; }
static void a_page_of_other_prices(struct engine *e) { ask_page(e)->key += 1u << 16; }
static void a_page_without_its_neighbour(struct engine *e) { ask_page(e)->higher = 0; }
static void a_page_with_another_level(struct engine *e) { ask_page(e)->few[0] = 1; }
static void a_digit_of_another_price(struct engine *e) { ask_page(e)->digits ^= 1; }
static void a_level_of_another_page(struct engine *e) { level_at(e, e->markets[0].sides[SIDE_SELL].best)->page += 1; }
static void a_wide_page_with_another_level(struct engine *e)
{
    engine_wide_pages(e)[1].level[__builtin_ctz(ask_page(e)->set)] = 1;
}
static void a_wide_page_with_a_level_too_many(struct engine *e)
{
    engine_wide_pages(e)[1].level[__builtin_ctz(~ask_page(e)->set)] = 1;
}
static void a_wide_page_that_is_forgotten(struct engine *e) { ask_page(e)->wide = 0; }
static void an_alias_that_its_order_lost(struct engine *e) { order_at(e, 3)->time_in_force = TIF_GTC; }
static void an_alias_of_nothing(struct engine *e) { order_at(e, 1)->time_in_force |= ORDER_HAS_ALIAS; }
static void an_order_with_another_key(struct engine *e) { order_at(e, 1)->key += 1; }
/* A set that is full; `wrong`: one of its nonces that is no more than the one before. */
static void fill_nonces(struct engine *e, uint32_t wrong)
{
    struct nonce_set  *set = engine_nonces(e) + 1;
    struct signer     *signer = &account_at(e, set->owner)->signer;
    struct nonce_entry entries[NONCES_MAX];

    for (uint32_t i = 0; i < NONCES_MAX; i++)
        entries[i] = (struct nonce_entry){ .nonce = signer->highest + 1 + i - (i == wrong), .seq = 1 };
    nonce_store_write(e, set, entries, NONCES_MAX);
    signer->highest = entries[NONCES_MAX - 1].nonce;
}
static void a_nonce_twice(struct engine *e) { fill_nonces(e, 1); }
static void a_nonce_twice_in_the_middle(struct engine *e) { fill_nonces(e, NONCES_MAX / 2); }
static void a_nonce_twice_at_the_end(struct engine *e) { fill_nonces(e, NONCES_MAX - 1); }
static void a_step_back_among_nonces(struct engine *e)
{
    struct nonce_entry entries[NONCES_MAX];
    uint32_t           count = nonce_store_read(e, engine_nonces(e) + 1, entries);

    assert(count >= 3);
    entries[1].nonce = entries[0].nonce - 1;
    nonce_store_write(e, engine_nonces(e) + 1, entries, count);
}
static void a_nonce_of_the_future(struct engine *e) { engine_nonces(e)[1].seq = e->seq + 1; }
static void a_nonce_above_the_highest(struct engine *e)
{
    engine_nonces(e)[1].nonce = account_at(e, 4)->signer.highest + 1;
}
static void nonces_of_another_signer(struct engine *e) { engine_nonces(e)[1].owner += 1; }
static void nonces_of_a_key_that_is_a_wallet(struct engine *e) { engine_nonces(e)[1].of_key = 1; }
static void a_lost_nonce_chunk(struct engine *e) { e->nonce_chunk_end += 1; }
static void a_nonce_chunk_that_is_free_too(struct engine *e) { e->nonce_chunk_free = engine_nonces(e)[1].oldest; }
static void a_nonce_that_its_chunk_forgot(struct engine *e)
{
    engine_nonce_chunks(e)[engine_nonces(e)[1].oldest].begun -= 1;
}
static void nonces_that_end_elsewhere(struct engine *e) { engine_nonces(e)[1].used -= 1; }
static void nonces_that_begin_elsewhere(struct engine *e)
{
    engine_nonce_chunks(e)[engine_nonces(e)[1].oldest].first += 1;
}
static void nonces_without_their_end(struct engine *e)
{
    fill_nonces(e, NONCES_MAX);
    engine_nonces(e)[1].newest = engine_nonces(e)[1].oldest;
}
static void a_lost_record_of_volumes(struct engine *e) { e->volumes_end += 1; }
static void a_day_twice(struct engine *e)
{
    memset(engine_volumes(e)[account_at(e, 4)->volumes].on, MARKET_SPOT << 5 | 5, 2);
}
static void a_day_that_is_none(struct engine *e)
{
    engine_volumes(e)[account_at(e, 4)->volumes].on[0] = MARKET_SPOT << 5 | VOLUME_DAYS;
}
static void a_volume_on_no_day(struct engine *e)
{
    engine_volumes(e)[account_at(e, 4)->volumes].days[VOLUMES_DAYS - 1].volume = 1;
}
static void more_made_than_traded(struct engine *e)
{
    engine_volumes(e)[account_at(e, 4)->volumes].days[0].maker_volume = INT64_C(1) << 50;
}
static void volumes_of_a_sub_account(struct engine *e)
{
    account_at(e, e->account_end - 1)->volumes = account_at(e, 4)->volumes;
    account_at(e, 4)->volumes = 0;
}
static void a_lost_list_of_revocations(struct engine *e) { e->revocations_end += 1; }
static void revocations_of_a_sub_account(struct engine *e)
{
    account_at(e, e->account_end - 1)->revocations = account_at(e, 4)->revocations;
    account_at(e, 4)->revocations = 0;
}
static void a_heap_out_of_step(struct engine *e) { engine_schedules(e)[8].heap_at = 0; }
static void an_eleventh_trigger(struct engine *e) { engine_schedules(e)[8].count = 11; }
static void an_owner_changed(struct engine *e) { account_at(e, 4)->owner.bytes[0] ^= 1; }
static void a_count_of_open_orders(struct engine *e) { account_at(e, 4)->order_count += 1; }

static void a_wallet_from_nowhere(struct engine *e) { engine_margins(e)[4].wallet += 1; }
static void a_wallet_below_zero(struct engine *e)
{
    engine_margins(e)[5].wallet -= 1;
    engine_margins(e)[4].wallet += 1;
}
static void a_wallet_of_the_bridge(struct engine *e)
{
    engine_margins(e)[4].wallet -= 1;
    engine_margins(e)[SLOT_BRIDGE].wallet += 1;
}
static void an_evm_ledger_from_nowhere(struct engine *e) { engine_evm(e)[4 * 3 + VUSDC] += 1; }
static void an_evm_ledger_below_zero(struct engine *e)
{
    engine_evm(e)[5 * 3 + VUSDC] -= 1;
    engine_evm(e)[4 * 3 + VUSDC] += 1;
}
static void an_evm_ledger_of_a_sub_account(struct engine *e)
{
    engine_evm(e)[4 * 3 + VUSDC] -= 1;
    engine_evm(e)[6 * 3 + VUSDC] += 1;
}
static void a_transfer_id_out_of_order(struct engine *e) { engine_transfers(e)[1].id = 7; }
static void a_transfer_of_nothing(struct engine *e) { engine_transfers(e)[2].amount = 0; }
static void a_transfer_that_is_in_no_list(struct engine *e) { e->transfer_end += 1; }
static void a_transfer_list_that_lost_its_end(struct engine *e) { engine_transfer_lists(e)[8].highest = 1; }
static void a_transfer_list_that_cannot_count(struct engine *e) { engine_transfer_lists(e)[9].count += 1; }
static void a_shared_transfer_too_many(struct engine *e) { e->transfer_shared += 1; }
static void a_transfer_pool_that_is_overdrawn(struct engine *e) { e->limits.transfers = e->transfer_shared - 1; }
static void a_floor_above_what_is_kept(struct engine *e)
{
    engine_transfer_lists(e)[8].has_floor = 1;
    engine_transfer_lists(e)[8].floor = UINT64_MAX;
}
static void a_key_with_a_list_of_nobody(struct engine *e) { engine_transfer_lists(e)[8].own += 1; }
static void keys_without_nonce_sets(struct engine *e) { e->limits.signers = DOMAINS * (e->key_end - 1) - 1; }
static void revocations_out_of_step(struct engine *e) { engine_revocations(e)[1].next = REVOCATIONS_MAX - 1; }
static void a_key_with_another_address(struct engine *e) { engine_keys(e)[1].address.bytes[5] ^= 1; }
static void a_key_with_another_name(struct engine *e) { engine_keys(e)[1].name.at[0] = 'x'; }
static void a_key_of_another_user(struct engine *e) { engine_keys(e)[1].account = 5; }
static void a_key_number_of_the_future(struct engine *e) { engine_keys(e)[3].number = e->next_key_number; }
static void a_key_that_is_a_wallet(struct engine *e) { account_at(e, 5)->owner = engine_keys(e)[3].address; }
static void a_revoked_key_that_lives(struct engine *e) { engine_keys(e)[2].live = 1; }
static void a_live_key_that_does_not(struct engine *e) { engine_keys(e)[3].live = 0; }
static void a_sixth_key(struct engine *e) { account_at(e, 4)->key_count = 6; }
static void a_key_too_many(struct engine *e) { account_at(e, 4)->key_count += 1; }
static void a_revoked_key_that_is_forgotten(struct engine *e) { e->key_oldest = e->key_newest = 0; }
static void nonces_of_a_key_that_are_nobody_s(struct engine *e) { engine_keys(e)[1].signer.sets[0] = 0; }
static void nonces_of_a_key_at_a_wallet(struct engine *e)
{
    account_at(e, 5)->signer.sets[2] = engine_keys(e)[1].signer.sets[0];
}
static void nonces_of_a_sub_account(struct engine *e)
{
    account_at(e, 6)->signer.sets[0] = account_at(e, 4)->signer.sets[0];
    engine_nonces(e)[account_at(e, 6)->signer.sets[0]].owner = 6;
    account_at(e, 4)->signer.sets[0] = 0;
}
static void a_sub_account_of_a_sub_account(struct engine *e)
{
    account_at(e, 5)->owner = account_at(e, 6)->owner;
    account_at(e, 5)->user = 6;
}
static void time_ahead_in_production(struct engine *e) { e->time_offset_ms = 1; }
static void time_behind(struct engine *e)
{
    e->development = 1;
    e->time_offset_ms = -1;
}
static void a_mode_that_is_none(struct engine *e) { e->mode = 0; }
static void a_mode_of_a_later_version(struct engine *e) { e->mode = VENUE_REDUCE_ONLY + 1; }
static void an_operator_s_id_that_nobody_finds(struct engine *e) { engine_operators(e)[1].id.bytes[0] ^= 1; }

#define FAULT(function)                                                                                                \
    {                                                                                                                  \
#function, function                                                                                            \
    }
/* clang-format off */
static const struct planted_fault faults[] = {
    FAULT(money_from_nowhere), FAULT(money_between_buckets), FAULT(money_below_zero), FAULT(money_on_the_bridge),
    FAULT(a_level_that_forgets_quantity), FAULT(a_level_that_lost_an_order), FAULT(an_order_off_its_price),
    FAULT(an_order_filled_in_the_book), FAULT(an_order_with_another_id),
    FAULT(an_order_id_without_a_place), FAULT(a_place_of_another_order_id), FAULT(a_crowded_order_id_that_is_not),
    FAULT(an_order_with_another_name),
    FAULT(an_order_of_a_wrong_status), FAULT(a_resting_ioc), FAULT(a_best_price_that_is_not), FAULT(a_lost_slot),
    FAULT(a_staking_tier_that_no_table_has), FAULT(a_sub_account_with_another_tier),
    FAULT(a_lost_level), FAULT(a_lost_rung), FAULT(a_rung_that_lost_a_child), FAULT(a_child_in_a_wrong_place),
        FAULT(a_lost_page), FAULT(a_lost_wide_page), FAULT(a_page_that_lost_a_price),
        FAULT(a_page_with_a_price_too_many), FAULT(a_page_that_cannot_count), FAULT(a_page_of_the_other_side),
        FAULT(a_page_of_another_market), FAULT(a_page_of_other_prices), FAULT(a_page_without_its_neighbour),
        FAULT(a_page_with_another_level), FAULT(a_digit_of_another_price), FAULT(a_level_of_another_page),
        FAULT(an_alias_that_its_order_lost), FAULT(an_alias_of_nothing), FAULT(an_order_with_another_key),
        FAULT(a_nonce_twice), FAULT(a_heap_out_of_step),
    FAULT(a_nonce_twice_in_the_middle), FAULT(a_nonce_twice_at_the_end), FAULT(a_step_back_among_nonces),
        FAULT(a_nonce_of_the_future), FAULT(a_nonce_above_the_highest), FAULT(nonces_of_another_signer),
        FAULT(nonces_of_a_key_that_is_a_wallet), FAULT(a_lost_nonce_chunk), FAULT(a_nonce_chunk_that_is_free_too),
        FAULT(a_nonce_that_its_chunk_forgot), FAULT(nonces_that_end_elsewhere), FAULT(nonces_that_begin_elsewhere),
        FAULT(nonces_without_their_end), FAULT(a_lost_record_of_volumes), FAULT(a_day_twice),
        FAULT(a_day_that_is_none), FAULT(a_volume_on_no_day), FAULT(more_made_than_traded),
        FAULT(volumes_of_a_sub_account), FAULT(a_lost_list_of_revocations), FAULT(revocations_of_a_sub_account),
    FAULT(an_eleventh_trigger), FAULT(an_owner_changed), FAULT(a_count_of_open_orders),
    FAULT(a_wallet_from_nowhere), FAULT(a_wallet_below_zero), FAULT(a_wallet_of_the_bridge),
        FAULT(an_evm_ledger_from_nowhere),
    FAULT(an_evm_ledger_below_zero), FAULT(an_evm_ledger_of_a_sub_account), FAULT(a_transfer_id_out_of_order),
    FAULT(a_transfer_of_nothing), FAULT(a_transfer_that_is_in_no_list), FAULT(a_transfer_list_that_lost_its_end),
    FAULT(a_transfer_list_that_cannot_count), FAULT(a_shared_transfer_too_many),
        FAULT(a_transfer_pool_that_is_overdrawn), FAULT(a_floor_above_what_is_kept), FAULT(a_key_with_a_list_of_nobody),
        FAULT(keys_without_nonce_sets), FAULT(revocations_out_of_step),
        FAULT(a_key_with_another_address), FAULT(a_key_with_another_name),
    FAULT(a_key_of_another_user), FAULT(a_key_number_of_the_future), FAULT(a_key_that_is_a_wallet),
        FAULT(a_revoked_key_that_lives),
    FAULT(a_live_key_that_does_not), FAULT(a_sixth_key), FAULT(a_key_too_many), FAULT(a_revoked_key_that_is_forgotten),
    FAULT(nonces_of_a_key_that_are_nobody_s), FAULT(nonces_of_a_key_at_a_wallet), FAULT(nonces_of_a_sub_account),
    FAULT(a_sub_account_of_a_sub_account), FAULT(time_ahead_in_production), FAULT(time_behind),
        FAULT(a_mode_that_is_none), FAULT(a_mode_of_a_later_version), FAULT(an_operator_s_id_that_nobody_finds),
};
/* clang-format on */

static void every_planted_fault_is_found(void **state)
{
    (void)state;
    find_planted_faults(faults, ARRAY_COUNT(faults), busy);
}

/* Eight asks at prices of one page. */
static struct fixture *crowded(void)
{
    struct fixture *f = busy();
    char            price[] = "100096.0", name[] = "w0";

    for (char i = 0; i < 8; i++) {
        price[7] = (char)('0' + i);
        name[1] = (char)('0' + i);
        limit(f, 2, SIDE_SELL, price, "0.001", name);
    }
    assert_int_not_equal(ask_page(f->engine)->wide, 0);
    engine_verify(f->engine);
    return f;
}

static void every_planted_fault_of_a_wide_page_is_found(void **state)
{
    /* clang-format off */
    static const struct planted_fault wide_faults[] = {
        FAULT(a_lost_wide_page), FAULT(a_page_that_lost_a_price), FAULT(a_page_with_a_price_too_many),
        FAULT(a_page_that_cannot_count), FAULT(a_page_with_another_level), FAULT(a_digit_of_another_price),
        FAULT(a_wide_page_with_another_level), FAULT(a_wide_page_with_a_level_too_many),
        FAULT(a_wide_page_that_is_forgotten),
    };
    /* clang-format on */

    (void)state;
    find_planted_faults(wide_faults, ARRAY_COUNT(wide_faults), crowded);
}

static void a_full_set_of_nonces_is_right(void **state)
{
    struct fixture *f = busy();

    (void)state;
    fill_nonces(f->engine, NONCES_MAX);
    engine_verify(f->engine);
    fixture_free(f);
}

/* State that the hash must cover: one change each. */
static void change_balance(struct engine *e) { bucket(e, 4, VUSDC)->available += 1; }
static void change_last(struct engine *e) { e->markets[0].last_price += 1; }
static void change_volume(struct engine *e) { volume_on(e, MARKET_SPOT, 5, 3)->volume += 1; }
static void change_nonce(struct engine *e) { engine_nonces(e)[1].nonce -= 1; }
static void change_nonce_seq(struct engine *e) { engine_nonces(e)[1].seq -= 1; }
static void change_nonce_tag(struct engine *e)
{
    engine_nonce_chunks(e)[engine_nonces(e)[1].oldest].bytes[1] ^= 1; /* of the tag */
}
static void change_revocation(struct engine *e) { engine_revocations(e)[1].at_ms[0] += 1; }
static void change_schedule(struct engine *e) { engine_schedules(e)[8].count += 1; }
static void change_alias(struct engine *e) { engine_aliases(e)[3].client_id.at[0] ^= 1; }
static void change_counter(struct engine *e) { e->next_trade_id += 1; }
static void change_wallet(struct engine *e) { engine_margins(e)[4].wallet += 1; }
static void change_evm(struct engine *e) { engine_evm(e)[4 * 3 + VUSDC] += 1; }
static void change_transfer(struct engine *e) { engine_transfers(e)[1].amount += 1; }
static void change_transfer_id(struct engine *e) { engine_transfers(e)[3].id += 1; }
static void change_key(struct engine *e) { engine_keys(e)[1].permissions ^= 1; }
static void change_key_life(struct engine *e) { engine_keys(e)[1].live = 0; }
static void change_key_nonce(struct engine *e) { engine_nonces(e)[engine_keys(e)[1].signer.sets[0]].nonce -= 1; }
static void change_offset(struct engine *e) { e->time_offset_ms += 1; }
static void change_mode(struct engine *e) { e->mode = VENUE_CANCEL_ONLY; }
static void change_content(struct engine *e) { engine_operators(e)[0].digest[0] ^= 1; }
static void change_deposit(struct engine *e) { engine_operators(e)[0].id.bytes[0]++; }
static void change_queue(struct engine *e)
{
    struct level *level = level_at(e, order_at(e, 1)->level);
    uint32_t      a = level->head, b = order_at(e, a)->next;

    level->head = b, level->tail = a;
    order_at(e, b)->next = a, order_at(e, a)->next = 0;
}

static void the_hash_sees_every_part_of_the_logical_state(void **state)
{
    void (*const changes[])(struct engine *) = {
        change_balance,     change_last,      change_volume,    change_nonce,     change_schedule, change_alias,
        change_counter,     change_deposit,   change_queue,     change_wallet,    change_evm,      change_transfer,
        change_transfer_id, change_key,       change_key_life,  change_key_nonce, change_offset,   change_content,
        change_mode,        change_nonce_seq, change_nonce_tag, change_revocation
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
        struct fixture *f = busy();
        struct hash256  was = engine_hash(f->engine), is;

        changes[i](f->engine);
        is = engine_hash(f->engine);
        assert_memory_not_equal(&was, &is, sizeof(was));
        fixture_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_planted_fault_is_found),
        cmocka_unit_test(every_planted_fault_of_a_wide_page_is_found),
        cmocka_unit_test(a_full_set_of_nonces_is_right),
        cmocka_unit_test(the_hash_sees_every_part_of_the_logical_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
