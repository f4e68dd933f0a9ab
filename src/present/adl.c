/* SPDX-License-Identifier: MIT */
#include "present/adl.h"
#include "rules/liquidation.h"

/* An own position among the others of its symbol and side. */
struct standing {
    int64_t  score, leverage; /* score 0: not in profit */
    uint64_t account_id;
    uint8_t  side; /* 0: not ranked */
    uint32_t ahead, profitable;
};

static int64_t score_of(int128_t profit, int128_t cost, int128_t value, int128_t equity)
{
    int64_t score = adl_score(profit, cost, value, equity);

    return profit > 0 && score == 0 ? 1 : score; /* profitable, if barely */
}

/* By score, then by leverage, then by account: the engine's order. */
static void count_stake(struct standing *own, const struct view_stake *stake)
{
    int64_t score = score_of(stake->profit, stake->cost, stake->value, stake->equity), leverage;

    if (score == 0 || stake->account_id == ACCOUNT_FUND) return;
    own->profitable += 1;
    if (stake->account_id == own->account_id || score < own->score) return;
    leverage = adl_leverage(stake->value, stake->equity);
    if (score > own->score || leverage > own->leverage
        || (leverage == own->leverage && stake->account_id < own->account_id))
        own->ahead += 1;
}

/* Returns whether there is any position that is ranked; the own ones that are not in profit are group 6 already. */
static bool start(const struct view_margin *margin, const struct margin_figures *figures,
                  struct standing standings[PERPS_MAX], uint8_t sides[PERPS_MAX], uint32_t groups[PERPS_MAX])
{
    bool any = false;

    for (uint32_t i = 0; i < margin->position_count; i++) {
        const struct position_changed *position = &margin->positions[i];
        const struct position_figures *own = &figures->positions[i];
        int128_t equity = position->margin_mode == MARGIN_ISOLATED ? position->bucket + own->profit : figures->equity;
        struct standing *standing = &standings[position->symbol_id - 1];

        groups[i] = position->position_id == 0 ? 0 : 6;
        if (position->position_id == 0 || own->profit <= 0) continue;
        *standing = (struct standing){ .score = score_of(own->profit, own->cost, own->value, equity),
                                       .leverage = adl_leverage(own->value, equity),
                                       .account_id = position->account_id,
                                       .side = position->size > 0 ? SIDE_BUY : SIDE_SELL };
        sides[position->symbol_id - 1] = (uint8_t)(1 << standing->side);
        any = true;
    }
    return any;
}

static void walk(struct adl_room *room, const struct views *views, const uint8_t sides[PERPS_MAX],
                 struct standing standings[PERPS_MAX])
{
    uint32_t from = 0;

    do {
        uint32_t count = views_stakes(views, sides, &from, room->stakes, ADL_STAKES);
        for (uint32_t i = 0; i < count; i++) count_stake(&standings[room->stakes[i].symbol_id - 1], &room->stakes[i]);
    } while (from != 0);
}

static uint32_t group_of(const struct standing *standing, uint8_t mode)
{
    if (mode == ADL_QUEUE) return 1 + standing->ahead;
    /* The others may have been looked at after this one: it is one of them in any case. */
    return adl_group(standing->ahead,
                     standing->profitable > standing->ahead ? standing->profitable : standing->ahead + 1);
}

/* Whether the slot, made in this second for this account, has all positions to be ranked. */
static bool slot_knows(const struct adl_slot *slot, uint64_t account_id, int64_t second, const uint8_t sides[PERPS_MAX])
{
    if (slot->account_id != account_id || slot->second != second) return false;
    for (uint32_t i = 0; i < PERPS_MAX; i++)
        if (sides[i] != 0 && slot->groups[i] == 0) return false;
    return true;
}

static void slot_fill(struct adl_slot *slot, uint64_t account_id, int64_t second, const uint8_t sides[PERPS_MAX],
                      const struct standing standings[PERPS_MAX], uint8_t mode)
{
    *slot = (struct adl_slot){ .account_id = account_id, .second = second };
    for (uint32_t i = 0; i < PERPS_MAX; i++)
        if (sides[i] != 0) slot->groups[i] = group_of(&standings[i], mode);
}

void adl_groups(struct adl_room *room, const struct views *views, uint8_t mode, const struct view_margin *margin,
                const struct margin_figures *figures, int64_t now_ms, uint32_t groups[PERPS_MAX])
{
    struct standing  standings[PERPS_MAX];
    uint8_t          sides[PERPS_MAX] = { 0 };
    struct adl_slot *slot;
    uint64_t         account_id;

    if (!start(margin, figures, standings, sides, groups)) return;
    account_id = margin->positions[0].account_id;
    slot = &room->slots[account_id % ADL_SLOTS];
    if (views_stake_places(views) <= ADL_PLACES_FEW || !slot_knows(slot, account_id, now_ms / 1000, sides)) {
        walk(room, views, sides, standings);
        slot_fill(slot, account_id, now_ms / 1000, sides, standings, mode);
    }
    for (uint32_t i = 0; i < margin->position_count; i++) {
        uint32_t at = margin->positions[i].symbol_id - 1;
        if (sides[at] != 0 && margin->positions[i].position_id != 0) groups[i] = slot->groups[at];
    }
}
