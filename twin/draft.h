/* SPDX-License-Identifier: MIT */
/* draft.h — between draw.c and mutate.c: a request that is being made, its body still in pieces. */
#ifndef TWIN_DRAFT_H
#define TWIN_DRAFT_H

#include "refused.h"

/* o object, a array, anything else as it stands in `text`. */
struct piece {
    char               is, key[48], text[256];
    uint32_t           first, next;
    const struct line *line;
};
struct draft {
    struct sent        *asked;
    struct random_state random_state;
    struct piece        at[4096];
    uint32_t            count;     /* at[1] is the whole */
    int32_t             nonce_off; /* the signed text has so far diverged from the request */
    bool                loose;     /* space between the pieces */
};

uint32_t piece_add(struct draft *draft, uint32_t parent, const struct line *line, const char *key, char is,
                   const char *text);
uint32_t piece_copy(struct draft *draft, uint32_t piece);
uint32_t piece_of(const struct draft *draft, uint32_t parent, const char *key);
void     piece_put(struct draft *draft, uint32_t piece, const char *text);
/* Writes it behind `len` bytes; the new length. */
size_t piece_write(struct draft *draft, uint32_t piece, char *into, size_t len);
/* A value that fits the line, if it is a plain one. */
void draw_value(struct draft *draft, const struct line *line, char into[160]);
void mutate(struct draft *draft, uint32_t kind);       /* before it is written down */
void mutate_bytes(struct draft *draft, uint32_t kind); /* the body as bytes */
/* … of the kinds about the body, as many as it has. */
uint32_t    mutate_body(struct draft *draft, uint32_t kind, bool bytes);
const char *mutate_body_name(uint32_t kind);
uint32_t    mutate_body_weight(uint32_t kind);

#endif
