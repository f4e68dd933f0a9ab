/* SPDX-License-Identifier: MIT */
#include "app/client/symbol.h"

#include "app/cli/members.h"
#include "app/client/plain.h"

#include <stdio.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool is_alphanumeric(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9'); }

bool symbol_is_name(const char *text)
{
    size_t len = strlen(text);

    if (len == 0 || len >= sizeof(((struct client_symbol *)NULL)->name)) return false;
    for (size_t i = 0; i < len; i++)
        if (!is_alphanumeric(text[i]) && strchr("_-.", text[i]) == NULL) return false;
    return strspn(text, ".") != len;
}

/* Without regard to case; '-', '/' and '_' are the same. */
static bool is_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        bool both = *a != '\0' && *b != '\0' && strchr("-/_", *a) != NULL && strchr("-/_", *b) != NULL;

        if (!both && lower(*a) != lower(*b)) return false;
        if (*a == '\0') return true;
    }
}

static bool fits(const json_t *record, const char *text, bool exactly)
{
    const char *name = text_at(record, "name");

    if (!symbol_is_name(name)) return false; /* of no use in a path */
    if (exactly) return strcmp(name, text) == 0;
    return is_alike(name, text) || is_alike(text_at(record, "displayName"), text);
}

/* How many symbols fit; the last one into *symbol. */
static int search(const json_t *both, const char *text, bool exactly, struct client_symbol *symbol)
{
    static const char *const bases[] = { "spot", "perps" };
    int                      count = 0;

    for (uint8_t b = 0; b < 2; b++) {
        json_t *rows = json_object_get(both, bases[b]), *row;
        size_t  i;

        json_array_foreach(rows, i, row) {
            if (!fits(row, text, exactly)) continue;
            count++;
            *symbol = (struct client_symbol){ .market = b == 0 ? MARKET_SPOT : MARKET_PERPS,
                                              .base = bases[b],
                                              .id = (uint64_t)number_at(row, "id") };
            (void)snprintf(symbol->name, sizeof(symbol->name), "%s", text_at(row, "name"));
        }
    }
    return count;
}

static void list_names(const json_t *both, char *text, size_t cap)
{
    const char *base;
    json_t     *rows, *row;
    size_t      i, len = 0;

    text[0] = '\0';
    json_object_foreach((json_t *)both, base, rows)
        json_array_foreach(rows, i, row)
            if (len + 40 < cap)
                len += (size_t)snprintf(text + len, cap - len, "%s%.31s", len != 0 ? ", " : "", text_at(row, "name"));
    plain_clean(text);
}

int symbol_find(struct client *client, const char *text, struct client_symbol *symbol)
{
    json_t *both = client_read_both(client, "/markets/symbols");
    char    names[400], asked[48];
    int     count;

    if (both == NULL) return EXIT_GENERAL;
    count = search(both, text, true, symbol);
    if (count == 0) count = search(both, text, false, symbol);
    list_names(both, names, sizeof(names));
    json_decref(both);
    if (count == 1) return EXIT_FINE;
    (void)snprintf(asked, sizeof(asked), "%s", text);
    plain_clean(asked);
    if (count == 0)
        return complain(EXIT_GENERAL, "%s: there is no symbol \"%s\"; there are %s", client->command, asked, names);
    return complain(EXIT_GENERAL, "%s: \"%s\" may be several symbols; there are %s", client->command, asked, names);
}
