/* SPDX-License-Identifier: MIT */
#include "core/account/volume.h"
#include "core/state/layout.h"

/* Side and place of a day in one byte, never 0. */
static inline uint8_t  on_day(uint32_t kind, uint32_t place) { return (uint8_t)(kind << 5 | place); }
static inline uint32_t place_on(uint8_t on) { return on & 31u; }
static_assert(VOLUME_DAYS <= 32 && MARKET_SPOT >= 1 && MARKET_PERPS < 8, "both fit a byte");

static inline struct volumes *record_at(const struct engine *e, uint32_t ix) { return engine_volumes(e) + ix; }

/* The day in one record; NULL when it is not there. */
static inline struct volume_day *day_in(struct volumes *record, uint8_t on)
{
    for (uint32_t i = 0; i < VOLUMES_DAYS; i++)
        if (record->on[i] == on) return &record->days[i];
    return NULL;
}

/* A record before the others of the user. The one that is taken next is prefetched: no look ahead knows it. */
static struct volumes *add_record(struct engine *e, uint32_t *records)
{
    uint32_t ix = e->volumes_free;

    if (ix != 0) e->volumes_free = record_at(e, ix)->next;
    else ix = e->volumes_end++;
    assert(ix != 0 && ix <= volume_records(&e->limits)); /* reserved with the account */
    FETCH(record_at(e, e->volumes_free != 0 ? e->volumes_free : e->volumes_end));
    record_at(e, ix)->next = *records;
    *records = ix;
    return record_at(e, ix);
}

/* A day that begins, in the newest record or in a new one. */
static struct volume_day *add_day(struct engine *e, uint32_t *records, uint8_t on)
{
    struct volumes    *record = record_at(e, *records);
    struct volume_day *day = *records == 0 ? NULL : day_in(record, 0);

    if (day == NULL) {
        record = add_record(e, records);
        day = &record->days[0];
    }
    record->on[day - record->days] = on;
    return day;
}

/*
 * A day that is not in the newest record: it begins, or the other side's day filled that record, or the account is one
 * of ours, whose days are not forgotten.
 */
static NOINLINE struct volume_day *find_day(struct engine *e, uint32_t *records, uint8_t on)
{
    for (uint32_t ix = *records; ix != 0; ix = record_at(e, ix)->next) {
        struct volume_day *day = day_in(record_at(e, ix), on);
        if (day != NULL) return day;
    }
    return add_day(e, records, on);
}

HOT struct volume_day *volume_on(struct engine *e, uint8_t kind, uint32_t user, uint32_t place)
{
    uint32_t          *records = &account_at(e, user)->volumes;
    struct volume_day *day = day_in(record_at(e, *records), on_day(kind, place)); /* record 0 has no day */

    assert(place < VOLUME_DAYS);
    return day != NULL ? day : find_day(e, records, on_day(kind, place));
}

void volume_prefetch(const struct engine *e, uint32_t user) { FETCH(record_at(e, account_at(e, user)->volumes)); }

void volume_read(const struct engine *e, uint8_t kind, uint32_t user, struct volume_day days[VOLUME_DAYS])
{
    memset(days, 0, VOLUME_DAYS * sizeof(days[0]));
    for (uint32_t ix = account_at(e, user)->volumes; ix != 0; ix = record_at(e, ix)->next)
        for (uint32_t i = 0; i < VOLUMES_DAYS; i++) {
            uint8_t on = record_at(e, ix)->on[i];
            if (on == on_day(kind, place_on(on)) && place_on(on) < VOLUME_DAYS)
                days[place_on(on)] = record_at(e, ix)->days[i];
        }
}

struct volume_day volume_sum(const struct engine *e, uint8_t kind, uint32_t user, uint32_t without)
{
    struct volume_day sum = { 0 };

    assert(without < VOLUME_DAYS);
    for (uint32_t ix = account_at(e, user)->volumes; ix != 0; ix = record_at(e, ix)->next)
        for (uint32_t i = 0; i < VOLUMES_DAYS; i++) {
            const struct volume_day *day = &record_at(e, ix)->days[i];
            uint8_t                  on = record_at(e, ix)->on[i];

            if (on != on_day(kind, place_on(on)) || place_on(on) == without) continue;
            sum.volume = add_saturating(sum.volume, day->volume, AMOUNT_MAX);
            sum.maker_volume = add_saturating(sum.maker_volume, day->maker_volume, AMOUNT_MAX);
        }
    assert(sum.maker_volume >= 0 && sum.maker_volume <= sum.volume && sum.volume <= AMOUNT_MAX);
    return sum;
}

/* Empties days of one record; returns whether any is left. */
static bool forget_in(struct volumes *record, uint32_t places)
{
    bool left = false;

    for (uint32_t i = 0; i < VOLUMES_DAYS; i++) {
        if (record->on[i] != 0 && (places >> place_on(record->on[i]) & 1) != 0) {
            record->on[i] = 0;
            record->days[i] = (struct volume_day){ 0 };
        }
        left |= record->on[i] != 0;
    }
    return left;
}

void volume_forget(struct engine *e, uint32_t user, uint32_t places)
{
    uint32_t *link = &account_at(e, user)->volumes;

    while (*link != 0) {
        uint32_t        ix = *link;
        struct volumes *record = record_at(e, ix);

        assert(ix < e->volumes_end);
        if (forget_in(record, places)) {
            link = &record->next;
            continue;
        }
        *link = record->next;
        record->next = e->volumes_free;
        e->volumes_free = ix;
    }
}

/* ---- invariants ---- */

/* One record: nothing at a free place. Notes its days, a bit per place by kind; none of them is there already. */
static void verify_record(const struct volumes *record, uint32_t places[MARKET_PERPS + 1])
{
    for (uint32_t i = 0; i < VOLUMES_DAYS; i++) {
        const struct volume_day *day = &record->days[i];
        uint32_t                 kind = record->on[i] >> 5, place = place_on(record->on[i]);

        assert(day->maker_volume >= 0 && day->maker_volume <= day->volume);
        assert(record->on[i] != 0 || day->volume == 0);
        if (record->on[i] == 0) continue;
        assert(kind >= MARKET_SPOT && kind <= MARKET_PERPS && place < VOLUME_DAYS);
        assert((places[kind] >> place & 1) == 0);
        places[kind] |= UINT32_C(1) << place;
    }
}

/* The records of one user, few enough; returns how many. */
static uint32_t verify_records(const struct engine *e, uint32_t slot)
{
    uint32_t count = 0, places[MARKET_PERPS + 1] = { 0 };

    for (uint32_t ix = account_at(e, slot)->volumes; ix != 0 && count <= VOLUME_RECORDS;
         ix = record_at(e, ix)->next, count++) {
        assert(ix < e->volumes_end);
        verify_record(record_at(e, ix), places);
    }
    assert(count <= VOLUME_RECORDS);
    assert(count == 0 || slot < SLOT_USERS || account_at(e, slot)->user == slot);
    return count;
}

void volume_verify(const struct engine *e)
{
    uint32_t used = 0, unused = 0;

    for (uint32_t slot = 0; slot < e->account_end; slot++) used += verify_records(e, slot);
    for (uint32_t ix = e->volumes_free; ix != 0 && unused < e->volumes_end; ix = record_at(e, ix)->next) unused++;
    assert(used + unused == e->volumes_end - 1);
}
