/* SPDX-License-Identifier: MIT */
/* config_file.c — the configuration file as a list of entries: libinih reads, we keep lines and refuse repetition. */
#include "app/config_inside.h"

#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ENTRIES_MAX 8192
#define LINE_BYTES  4096

bool config_fail(struct reading *reading, int line, const char *format, ...)
{
    va_list arguments;
    int     len = 0;

    if (reading->failed) return false;
    reading->failed = true;
    len = line > 0 ? snprintf(reading->error, reading->cap, "%s:%d: ", reading->name, line)
                   : snprintf(reading->error, reading->cap, "%s: ", reading->name);
    va_start(arguments, format);
    if (len >= 0 && (size_t)len < reading->cap)
        (void)vsnprintf(reading->error + len, reading->cap - (size_t)len, format, arguments);
    va_end(arguments);
    return false;
}

static bool add_entry(struct reading *reading, const char *key, const char *value)
{
    const char *section = reading->section;

    if (section[0] == '\0') return config_fail(reading, reading->line, "the key %s is in no section", key);
    if (reading->count == ENTRIES_MAX) return config_fail(reading, reading->line, "more than %d lines", ENTRIES_MAX);
    for (uint32_t i = 0; i < reading->count; i++) {
        if (strcmp(reading->entries[i].section, section) != 0 || strcmp(reading->entries[i].key, key) != 0) continue;
        if (key[0] == '\0')
            return config_fail(reading, reading->line, "the section [%s] stands here a second time", section);
        return config_fail(reading, reading->line, "[%s] has the key %s a second time", section, key);
    }
    reading->entries[reading->count++] =
        (struct entry){ strdup(section), strdup(key), strdup(value), reading->line, false };
    return true;
}

/* The library reports a section only with its first key, and cuts its name: so its header is read here. */
static bool note_section(struct reading *reading, const char *line)
{
    const char *end;

    while (*line == ' ' || *line == '\t') line++;
    if (*line != '[') return true;
    end = strchr(line, ']');
    if (end == NULL || end - line - 1 >= (ptrdiff_t)sizeof(reading->section)) return true; /* its complaint */
    memcpy(reading->section, line + 1, (size_t)(end - line - 1));
    reading->section[end - line - 1] = '\0';
    return add_entry(reading, "", "");
}

static char *next_line(char *into, int cap, void *self)
{
    struct reading *reading = self;
    const char     *end = strchr(reading->at, '\n');
    size_t          len = end != NULL ? (size_t)(end - reading->at) + 1 : strlen(reading->at);

    if (len == 0 || reading->failed) return NULL;
    reading->line += 1;
    if (len >= (size_t)cap) {
        (void)config_fail(reading, reading->line, "the line is longer than %d bytes", cap - 1);
        return NULL;
    }
    memcpy(into, reading->at, len);
    into[len] = '\0';
    reading->at += len;
    return note_section(reading, into) ? into : NULL;
}

static int on_entry(void *self, const char *section, const char *key, const char *value)
{
    (void)section;
    return add_entry(self, key, value == NULL ? "" : value);
}

const struct entry *config_find_entry(struct reading *reading, const char *section, const char *key)
{
    for (uint32_t i = 0; i < reading->count; i++) {
        struct entry *entry = &reading->entries[i];
        if (strcmp(entry->section, section) != 0 || strcmp(entry->key, key) != 0) continue;
        entry->used = true;
        return entry;
    }
    return NULL;
}

bool config_entries_read(struct reading *reading)
{
    int line;

    reading->entries = calloc(ENTRIES_MAX + 1, sizeof(struct entry));
    assert(reading->entries != NULL);
    ini_allow_multiline = false;
    ini_stop_on_first_error = true;
    ini_use_stack = false;
    ini_max_line = ini_initial_alloc = LINE_BYTES;
    line = ini_parse_stream(next_line, reading, on_entry, reading);
    return !reading->failed
        && (line == 0
            || config_fail(reading, line > 0 ? line : reading->line, "neither a [section] nor a key = value"));
}

void config_entries_free(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->count; i++) {
        free(reading->entries[i].section);
        free(reading->entries[i].key);
        free(reading->entries[i].value);
    }
    free(reading->entries);
}
