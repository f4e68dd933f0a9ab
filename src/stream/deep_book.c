/* SPDX-License-Identifier: MIT */
/*
 * deep_book.c — the best prices of a book, as many as l2Book merges. A fold of the views waits while they are copied,
 * so all topics of a symbol share a copy.
 */
#include "stream/inside.h"

#include <stdlib.h>

struct deep_book {
    struct deep_book *next;
    uint8_t           market;
    uint32_t          symbol_id;
    bool              is_made;
    uint64_t          version; /* of the copy */
    uint32_t          round;   /* of stream->round */
    struct view_book  book;
    struct view_level levels[2][BOOK_DEEP_MAX];
};

static struct deep_book *find(struct stream *stream, const struct symbol *symbol)
{
    struct deep_book *deep = stream->deep_books;

    while (deep != NULL && (deep->market != symbol->market || deep->symbol_id != symbol->id)) deep = deep->next;
    if (deep != NULL) return deep;
    deep = calloc(1, sizeof(*deep));
    if (deep == NULL) return NULL;
    deep->market = symbol->market;
    deep->symbol_id = symbol->id;
    deep->next = stream->deep_books;
    stream->deep_books = deep;
    return deep;
}

bool deep_book_read(struct stream *stream, const struct symbol *symbol, bool of_round, struct book_copy *copy)
{
    const struct views *views = stream->settings.present->views;
    struct deep_book   *deep = find(stream, symbol);
    uint64_t            version = views_depth_version(views, symbol->market, symbol->id);

    if (deep == NULL) return false;
    if (!deep->is_made || (deep->version != version && !(of_round && deep->round == stream->round))) {
        deep->is_made = true;
        deep->version = version; /* loaded before the copy is made, so that nothing in it is older */
        deep->round = stream->round;
        views_book(views, symbol->market, symbol->id, BOOK_DEEP_MAX, deep->levels[0], deep->levels[1], &deep->book);
    }
    *copy = (struct book_copy){ .book = deep->book,
                                .version = deep->version,
                                .limit = BOOK_DEEP_MAX,
                                .levels = { deep->levels[0], deep->levels[1] } };
    return true;
}

void deep_books_forget(struct stream *stream)
{
    for (struct deep_book *deep = stream->deep_books; deep != NULL; deep = deep->next) deep->is_made = false;
}

void deep_books_free(struct stream *stream)
{
    for (struct deep_book *deep = stream->deep_books, *next; deep != NULL; deep = next) {
        next = deep->next;
        free(deep);
    }
}
