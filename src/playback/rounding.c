/* SPDX-License-Identifier: MIT */
#include "playback/rounding.h"

#include "base/id_map.h"

#include <stdlib.h>

/* A recorded price, or the price that some of them round to. */
struct fine {
    uint64_t key;
    int64_t  price, quantity; /* rounded, in units */
    uint32_t seen;            /* the snapshot that it was last in */
    uint8_t  side;
};

/* Those of one kind; the first place is not used. */
struct fines {
    struct id_map map[2]; /* of bids, of asks: key to place */
    struct fine  *at;
    uint32_t      used, free_count;
    uint32_t     *free_places;
};

struct playback_rounding {
    struct playback_market market;
    struct fines           recorded, sums; /* by recorded and by rounded price */
    uint32_t               snapshot;
    bool                   in_snapshot; /* its levels are played at its end */
};

/* ---- memory ---- */

static bool open_fines(struct fines *fines)
{
    uint64_t places = id_map_places(PLAYBACK_LEVELS_MAX);

    for (int i = 0; i < 2; i++) fines->map[i] = (struct id_map){ calloc(places, sizeof(struct id_entry)), places - 1 };
    fines->at = calloc(PLAYBACK_LEVELS_MAX, sizeof(*fines->at));
    fines->free_places = calloc(PLAYBACK_LEVELS_MAX, sizeof(*fines->free_places));
    fines->used = 1;
    return fines->map[0].entries != NULL && fines->map[1].entries != NULL && fines->at != NULL
        && fines->free_places != NULL;
}

static void close_fines(struct fines *fines)
{
    for (int i = 0; i < 2; i++) free(fines->map[i].entries);
    free(fines->at);
    free(fines->free_places);
}

struct playback_rounding *playback_rounding_open(const struct playback_market *market)
{
    struct playback_rounding *rounding = calloc(1, sizeof(*rounding));
    bool                      ok;

    if (rounding == NULL) return NULL;
    rounding->market = *market;
    ok = open_fines(&rounding->recorded);
    ok = open_fines(&rounding->sums) && ok;
    if (ok) return rounding;
    playback_rounding_close(rounding);
    return NULL;
}

void playback_rounding_close(struct playback_rounding *rounding)
{
    if (rounding == NULL) return;
    close_fines(&rounding->recorded);
    close_fines(&rounding->sums);
    free(rounding);
}

/* ---- prices ---- */

static struct id_map *map_of(struct fines *fines, uint8_t side) { return &fines->map[side == SIDE_BUY ? 0 : 1]; }

/* The one with this key, made when there is none; NULL: no room. */
static struct fine *take_fine(struct fines *fines, uint8_t side, uint64_t key)
{
    uint32_t ix = id_map_get(map_of(fines, side), key);

    if (ix != 0) return &fines->at[ix];
    if (fines->free_count != 0) ix = fines->free_places[--fines->free_count];
    else if (fines->used < PLAYBACK_LEVELS_MAX) ix = fines->used++;
    else return NULL;
    fines->at[ix] = (struct fine){ .key = key, .side = side };
    id_map_put(map_of(fines, side), key, ix);
    return &fines->at[ix];
}

/* Without a quantity it is not needed. */
static void settle_fine(struct fines *fines, struct fine *fine)
{
    if (fine->quantity != 0) return;
    id_map_remove(map_of(fines, fine->side), fine->key);
    fines->free_places[fines->free_count++] = (uint32_t)(fine - fines->at);
    *fine = (struct fine){ 0 };
}

/* A normalised decimal as one number: digits in the upper bits, decimals in the lower. False: too large. */
static bool key_of(struct decimal price, uint64_t *key)
{
    *key = (uint64_t)price.digits << 5 | price.scale;
    return price.digits > 0 && price.digits < INT64_C(1) << 58;
}

/* ---- events ---- */

/* A recorded price has this quantity now; *sum is what it rounds to. False: no room. */
static bool set_quantity(struct playback_rounding *rounding, uint8_t side, uint64_t key, int64_t price,
                         int64_t quantity, int64_t *sum)
{
    struct fine *recorded = take_fine(&rounding->recorded, side, key),
                *total = take_fine(&rounding->sums, side, (uint64_t)price);

    if (recorded == NULL || total == NULL) return false;
    total->price = recorded->price = price;
    total->quantity += quantity - recorded->quantity;
    recorded->quantity = quantity;
    recorded->seen = rounding->snapshot;
    *sum = total->quantity;
    settle_fine(&rounding->recorded, recorded);
    settle_fine(&rounding->sums, total);
    return true;
}

static bool play_level(struct playback_rounding *rounding, struct playback_book *book,
                       const struct playback_event *event, int64_t price, int64_t quantity)
{
    uint64_t key;
    int64_t  sum;

    if (price == 0) return true; /* a bid below one tick */
    if (!key_of(event->price, &key) || !set_quantity(rounding, event->side, key, price, quantity, &sum)) return false;
    return rounding->in_snapshot || playback_book_play(book, event, price, sum);
}

/* What a trade takes is gone from its recorded price, until the next change says what is there. */
static bool play_trade(struct playback_rounding *rounding, struct playback_book *book,
                       const struct playback_event *event, int64_t price, int64_t quantity)
{
    uint8_t  side = event->side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
    uint64_t key;
    uint32_t ix;
    int64_t  left, sum;

    if (quantity == 0 || price == 0) return true;
    ix = key_of(event->price, &key) && event->side != 0 ? id_map_get(map_of(&rounding->recorded, side), key) : 0;
    if (ix != 0) {
        left = max_i64(rounding->recorded.at[ix].quantity - quantity, 0);
        if (!set_quantity(rounding, side, key, rounding->recorded.at[ix].price, left, &sum)) return false;
    }
    return playback_book_play(book, event, price, quantity);
}

/* The snapshot is complete: what it did not have goes, and the sums are the book. */
static bool play_snapshot(struct playback_rounding *rounding, struct playback_book *book,
                          const struct playback_event *event)
{
    struct playback_event level = *event;
    int64_t               sum;

    for (uint32_t i = 1; i < rounding->recorded.used; i++) {
        struct fine *fine = &rounding->recorded.at[i];

        if (fine->quantity != 0 && fine->seen != rounding->snapshot
            && !set_quantity(rounding, fine->side, fine->key, fine->price, 0, &sum))
            return false;
    }
    level.kind = PLAYBACK_SNAPSHOT;
    if (!playback_book_play(book, &level, 0, 0)) return false;
    level.kind = PLAYBACK_LEVEL;
    for (uint32_t i = 1; i < rounding->sums.used; i++) {
        const struct fine *fine = &rounding->sums.at[i];

        level.side = fine->side;
        if (fine->quantity != 0 && !playback_book_play(book, &level, fine->price, fine->quantity)) return false;
    }
    return playback_book_play(book, event, 0, 0);
}

bool playback_rounding_play(struct playback_rounding *rounding, struct playback_book *book,
                            const struct playback_event *event)
{
    char    why[PLAYBACK_WHY_BYTES];
    int64_t price, quantity;

    switch (event->kind) {
    case PLAYBACK_SNAPSHOT:
        rounding->in_snapshot = true;
        rounding->snapshot++;
        return true;
    case PLAYBACK_SETTLED: rounding->in_snapshot = false; return play_snapshot(rounding, book, event);
    case PLAYBACK_LEVEL:
        return playback_scale(&rounding->market, event, true, &price, &quantity, why) == PLAYBACK_FITS
            && play_level(rounding, book, event, price, quantity);
    case PLAYBACK_TRADE:
        return playback_scale(&rounding->market, event, true, &price, &quantity, why) == PLAYBACK_FITS
            && play_trade(rounding, book, event, price, quantity);
    default: return true;
    }
}
