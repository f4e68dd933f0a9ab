/* SPDX-License-Identifier: MIT */
/*
 * encode.h — the events of a block as its state root is fed with them (model/encoded.h, decision 940).
 */
#ifndef RULES_ENCODE_H
#define RULES_ENCODE_H

#include "model/encoded.h"

/* What earlier commands have emitted. Zero before the first command of a log; kept from block to block. */
struct encoder {
    uint64_t emitted_id; /* orders up to this id were emitted by an earlier command */
    uint64_t newest;     /* greatest id of an order that was emitted */
};

/* A walk over the events of whole commands; pointers are into these. */
struct encoding {
    struct encoder             *encoder;
    const uint8_t              *at, *end;
    const struct command_began *began;
    const struct result        *result, *results_end; /* the next one that a new order may be of */
    const struct traded        *trade;                /* the last one of the command */
    bool                        is_of_items;          /* the command has items */
    bool                        item_begins; /* the record before is a result or a balance: no order of the item yet */
};

/* The events stay where they are until the last piece; `encoder` is moved on. */
struct encoding encode_begin(struct encoder *encoder, const struct events *events);

/*
 * Writes the next whole records, as many as surely fit into `room` bytes, which is at least ENCODE_ROOM, to `to`,
 * which is aligned to 8 bytes. Returns the bytes written; 0 at the end.
 */
#define ENCODE_ROOM 2048
size_t encode_next(struct encoding *encoding, uint8_t *to, size_t room);

#endif
