/* SPDX-License-Identifier: MIT */
/* schedule.c — scheduled cancel (service 4.3; mechanics 6), and the TICK, which lets it fire. */
#include "world.h"

static void tell_schedule(struct twin *twin, struct account *account, uint8_t market, bool fired)
{
    struct schedule *told = TELL(twin, SCHEDULE, schedule, market);

    told->account_id = account->id;
    told->fire_ms = account->schedule[market].fire_ms;
    told->fired_today = account->schedule[market].day == twin->now_ms / DAY_MS ? account->schedule[market].count : 0;
    told->fired = fired;
}

void do_schedule(struct twin *twin, const struct schedule_cancel *schedule)
{
    uint8_t  market = twin->command->market;
    uint64_t at = schedule->scheduled_ms.value, soonest = (uint64_t)twin->now_ms + 5000,
             limit = twin->genesis.rules.schedule_triggers_per_day;
    int64_t  today = twin->now_ms / DAY_MS;
    uint64_t count = twin->actor->schedule[market].day == today ? twin->actor->schedule[market].count : 0;

    if (schedule->scheduled_ms.given) {
        if (at < soonest) {
            answer_said(twin, 0, REJECT_SCHEDULE_TOO_SOON, whole((int128_t)at), whole((int128_t)soonest));
            return;
        }
        if (count >= limit && (int64_t)(at / DAY_MS) <= today) {
            answer_said(twin, 0, REJECT_SCHEDULE_LIMIT, whole((int128_t)at), whole((today + 1) * DAY_MS));
            return;
        }
    }
    answer(twin, 0, REJECT_NONE);
    twin->actor->schedule[market].fire_ms = schedule->scheduled_ms.given ? (int64_t)at : 0;
    tell_schedule(twin, twin->actor, market, false);
}

/* All open orders of the account on that side, and the schedule is gone (mechanics 6). */
static void fire(struct twin *twin, struct account *account, uint8_t market)
{
    int64_t today = twin->now_ms / DAY_MS;
    bool    may;

    if (account->schedule[market].day != today) {
        account->schedule[market].day = today;
        account->schedule[market].count = 0;
    }
    may = account->schedule[market].count < twin->genesis.rules.schedule_triggers_per_day;
    account->schedule[market].fire_ms = 0;
    if (may) account->schedule[market].count++;
    for (bool again = may; again;) {
        struct order *first = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *order = &twin->orders[i];
            if (twin->genesis.rules.dms_keeps_stops && order->is.reduce_only && is_stop(order) && !order->rests)
                continue;
            if (order->market == market && order->is.base.account_id == account->id
                && (first == NULL || order->is.base.order_id < first->is.base.order_id))
                first = order;
        }
        again = first != NULL;
        if (again) order_end(twin, first, STATUS_CANCELED, REASON_SCHEDULED_CANCEL);
    }
    tell_schedule(twin, account, market, true);
}

/* TICK pipeline (mechanics 0): day, schedules by time and account. */
void do_tick(struct twin *twin, const struct tick *tick)
{
    (void)tick;
    if (twin->now_ms / DAY_MS != twin->day) {
        twin->day = twin->now_ms / DAY_MS;
        fee_day(twin);
    }
    for (;;) {
        struct account *due = NULL;
        uint8_t         side = 0;

        for (uint32_t i = 0; i < twin->account_count; i++)
            for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++) {
                struct account *a = &twin->accounts[i];
                if (a->schedule[market].fire_ms == 0 || a->schedule[market].fire_ms > twin->now_ms) continue;
                if (due == NULL || a->schedule[market].fire_ms < due->schedule[side].fire_ms) {
                    due = a;
                    side = market;
                }
            }
        if (due == NULL) break;
        fire(twin, due, side);
    }
    if (twin->genesis.perps_count != 0) fund_dawn(twin);
    second_goes_by(twin);
    if (twin->genesis.perps_count != 0) fund_says(twin);
}
