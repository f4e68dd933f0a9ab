/* SPDX-License-Identifier: MIT */
/*
 * moves.h — the moves of the coalition, and the events it can cause: single steps, and a few common strategies of
 * traders (quoting for a while, trading far from the mark, printing small trades, being present for a moment). None of
 * them is an attack by itself.
 */
#ifndef ADVERSARY_MOVES_H
#define ADVERSARY_MOVES_H

#include "world.h"

#define MOVES 18

/* clang-format off */
enum kind {
    MOVE_ORDER, MOVE_STOP, MOVE_CANCEL, MOVE_LEVERAGE, MOVE_MARGIN, MOVE_TRANSFER, MOVE_KEY, MOVE_SPOT, MOVE_TIME,
    MOVE_INDEX, MOVE_FEED, MOVE_VENUE,
    MOVE_QUOTE, MOVE_FAR, MOVE_PRINT, MOVE_FLICKER, MOVE_KINDS
};
/* clang-format on */
extern const char *const kind_names[MOVE_KINDS];

/* Which of them mean something depends on the kind; all of them are always within reach. */
struct move {
    uint8_t kind, who, other, symbol, side, tif, size, anchor, arg, reduce;
    int16_t away; /* hundredths of a per cent of the anchor */
};
#define MOVE_FIELDS 11

struct sequence {
    uint32_t    count;
    struct move moves[MOVES];
};

struct move move_draw(const struct world *world);
void        move_play(struct world *world, const struct move *move);

/* One to three changes of a sequence; the beginning of one and the end of another. */
void sequence_change(const struct world *world, struct sequence *sequence);
void sequence_cross(struct sequence *into, const struct sequence *other);
void sequence_draw(const struct world *world, struct sequence *sequence);

#endif
