/* SPDX-License-Identifier: MIT */
#include "present/present.h"

void present_init(struct present *present, const struct genesis *genesis, struct views *views, struct history *history,
                  struct row_forms *forms)
{
    present->genesis = genesis;
    present->views = views;
    present->history = history;
    present->perps_state_form = row_form(forms, &perps_state_shape);
    for (uint32_t i = 0; i < genesis->perps_count; i++) {
        present->contracts[i] = genesis->contracts[i];
        contract_complete(&present->contracts[i], pow10_i64((int)genesis->coins[COIN_MARGIN].precision));
    }
}
