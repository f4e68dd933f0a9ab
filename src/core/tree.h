/* SPDX-License-Identifier: MIT */
/* tree.h — the AVL tree of one side of a book: levels by price, with neighbours. Only book.c uses it. */
#ifndef CORE_TREE_H
#define CORE_TREE_H

#include "core/state.h"

/* The level with this price, or 0. */
uint32_t tree_find(const struct engine *e, const struct book_side *side, int64_t price);

/* Links a level whose price is set and not in the tree. Keeps `best` of the side up to date. */
void tree_insert(struct engine *e, struct book_side *side, uint32_t ix);

/* Unlinks a level. */
void tree_remove(struct engine *e, struct book_side *side, uint32_t ix);

/* Asserts order, balance, parents and neighbours. */
void tree_verify(const struct engine *e, const struct book_side *side, uint8_t side_of);

#endif
