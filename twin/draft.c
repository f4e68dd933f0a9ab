/* SPDX-License-Identifier: MIT */
/* draft.c — a body in pieces, and how it is written down. */
#include "draft.h"

static uint32_t piece_new(struct draft *draft, const struct line *line, const char *key, char is, const char *text)
{
    struct piece *piece = &draft->at[++draft->count];

    assert(draft->count < ARRAY_COUNT(draft->at));
    *piece = (struct piece){ .is = is, .line = line };
    (void)snprintf(piece->key, sizeof(piece->key), "%s", key);
    (void)snprintf(piece->text, sizeof(piece->text), "%s", text);
    return draft->count;
}

static void piece_hang(struct draft *draft, uint32_t parent, uint32_t piece)
{
    uint32_t *at = &draft->at[parent].first;

    while (*at != 0) at = &draft->at[*at].next;
    *at = piece;
}

uint32_t piece_add(struct draft *draft, uint32_t parent, const struct line *line, const char *key, char is,
                   const char *text)
{
    uint32_t piece = piece_new(draft, line, key, is, text);

    if (parent != 0) piece_hang(draft, parent, piece);
    return piece;
}

uint32_t piece_copy(struct draft *draft, uint32_t piece)
{
    uint32_t copy =
        piece_new(draft, draft->at[piece].line, draft->at[piece].key, draft->at[piece].is, draft->at[piece].text);

    for (uint32_t child = draft->at[piece].first; child != 0; child = draft->at[child].next)
        piece_hang(draft, copy, piece_copy(draft, child));
    return copy;
}

uint32_t piece_of(const struct draft *draft, uint32_t parent, const char *key)
{
    uint32_t piece = draft->at[parent].first;

    while (piece != 0 && strcmp(draft->at[piece].key, key) != 0) piece = draft->at[piece].next;
    return piece;
}

void piece_put(struct draft *draft, uint32_t piece, const char *text)
{
    if (piece == 0) return;
    draft->at[piece].is = 'l';
    (void)snprintf(draft->at[piece].text, sizeof(draft->at[piece].text), "%s", text);
}

static void space(struct draft *draft, char *into, size_t *len)
{
    static const char blanks[] = " \n\t\r";

    while (draft->loose && random_below(&draft->random_state, 4) == 0)
        into[(*len)++] = blanks[random_below(&draft->random_state, 4)];
}

size_t piece_write(struct draft *draft, uint32_t p, char *into, size_t len)
{
    const struct piece *piece = &draft->at[p];

    assert(len < BODY_MAX - 1024);
    if (piece->is == 'l') return len + (size_t)sprintf(into + len, "%s", piece->text);
    into[len++] = piece->is == 'o' ? '{' : '[';
    for (uint32_t child = piece->first; child != 0; child = draft->at[child].next) {
        if (child != piece->first) into[len++] = ',';
        space(draft, into, &len);
        if (piece->is == 'o') {
            len += (size_t)sprintf(into + len, "\"%s\"", draft->at[child].key);
            space(draft, into, &len);
            into[len++] = ':';
            space(draft, into, &len);
        }
        len = piece_write(draft, child, into, len);
        space(draft, into, &len);
    }
    into[len++] = piece->is == 'o' ? '}' : ']';
    return len;
}
