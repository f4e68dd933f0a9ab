/* SPDX-License-Identifier: MIT */
#include "limits/limiter.h"

static bool any_group(const struct limiter_settings *settings)
{
    for (uint32_t i = 0; i < LIMIT_GROUPS; i++)
        if (settings->key_groups[i] != 0) return true;
    return false;
}

/* The parts, one behind the other. */
struct plan {
    size_t weight, refusals, orders, keys;
};

static struct plan plan_of(const struct limiter_settings *settings)
{
    return (struct plan){
        settings->weight_per_minute != 0 ? align_up(minutes_size(settings->addresses), 64) : 0,
        settings->weight_per_minute != 0 ? align_up(minutes_size(settings->addresses), 64) : 0,
        settings->orders_per_minute != 0 ? align_up(minutes_size(settings->keys), 64) : 0,
        any_group(settings) ? align_up(quotas_size(settings->keys), 64) : 0,
    };
}

size_t limiter_size(const struct limiter_settings *settings)
{
    struct plan plan = plan_of(settings);
    return plan.weight + plan.refusals + plan.orders + plan.keys;
}

void limiter_init(struct limiter *limiter, void *memory, const struct limiter_settings *settings,
                  const uint64_t seed[2])
{
    struct plan                  plan = plan_of(settings);
    uint8_t                     *at = memory;
    const struct minute_settings weight = { settings->addresses, settings->weight_per_minute, { seed[0], seed[1] } };
    const struct minute_settings refusals = { settings->addresses, REFUSALS_MAX, { ~seed[0], ~seed[1] } };
    const struct minute_settings orders = { settings->keys, settings->orders_per_minute, { seed[0], ~seed[1] } };
    const struct quota_settings  keys = {
         settings->keys, settings->key_per_minute, settings->key_per_month, { ~seed[0], seed[1] }
    };

    *limiter = (struct limiter){ .settings = *settings };
    if (plan.weight != 0) limiter->weight = minutes_init(at, &weight);
    if (plan.refusals != 0) limiter->refusals = minutes_init(at + plan.weight, &refusals);
    if (plan.orders != 0) limiter->orders = minutes_init(at + plan.weight + plan.refusals, &orders);
    if (plan.keys != 0) limiter->keys = quotas_init(at + plan.weight + plan.refusals + plan.orders, &keys);
}

void limiter_deinit(struct limiter *limiter)
{
    if (limiter->weight != NULL) minutes_deinit(limiter->weight);
    if (limiter->refusals != NULL) minutes_deinit(limiter->refusals);
    if (limiter->orders != NULL) minutes_deinit(limiter->orders);
    if (limiter->keys != NULL) quotas_deinit(limiter->keys);
}
