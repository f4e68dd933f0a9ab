/* SPDX-License-Identifier: MIT */
/* config_hint.c — what an unknown key of the configuration was probably meant to be. */
#include "app/config_inside.h"

#include <stdio.h>

#define KEY_MAX 32
#define FAR     3 /* so many changes away a key is another one */

static char     small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static uint32_t least(uint32_t a, uint32_t b, uint32_t c) { return min_u32(a, min_u32(b, c)); }

/* How many letters are to be added, removed or changed, capital ones being the small ones; FAR for long words. */
static uint32_t distance(const char *a, const char *b)
{
    uint32_t row[KEY_MAX + 1], len = (uint32_t)strlen(b);

    if (len > KEY_MAX || strlen(a) > KEY_MAX) return FAR;
    for (uint32_t j = 0; j <= len; j++) row[j] = j;
    for (uint32_t i = 0; a[i] != '\0'; i++) {
        uint32_t corner = row[0]++;

        for (uint32_t j = 0; j < len; j++) {
            uint32_t above = row[j + 1], changed = small(a[i]) != small(b[j]);

            row[j + 1] = least(above + 1, row[j] + 1, corner + changed);
            corner = above;
        }
    }
    return row[len];
}

static bool is_of(const struct section *kind, const char *section)
{
    size_t len = strlen(kind->kind);

    return strncmp(kind->kind, section, len) == 0 && (section[len] == ' ' || section[len] == '\0');
}

const char *config_hint(const char *section, const char *key, char text[CONFIG_HINT])
{
    uint32_t nearest = FAR;

    text[0] = '\0';
    for (uint32_t i = 0; i < SECTIONS; i++)
        for (uint32_t k = 0; k < config_sections[i].count; k++) {
            const char *known = config_sections[i].rows[k].key;
            uint32_t    away = is_of(&config_sections[i], section) ? distance(key, known) : FAR;

            if (strcmp(key, known) == 0 && nearest == FAR)
                (void)snprintf(text, CONFIG_HINT, "; it is a key of %.30s", config_sections[i].header);
            if (away >= nearest) continue;
            nearest = away;
            (void)snprintf(text, CONFIG_HINT, "; is %.32s meant?", known);
        }
    return text;
}
