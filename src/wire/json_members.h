/* SPDX-License-Identifier: MIT */
/*
 * json_members.h — writes a JSON text whose members are not known before, piece by piece. What stands last in `out`
 * decides whether a comma is due, so no piece counts the ones before it. Names and texts are escaped; `out` notes when
 * there is no room.
 */
#ifndef WIRE_JSON_MEMBERS_H
#define WIRE_JSON_MEMBERS_H

#include "wire/shape.h"

/* A comma where one is due; precedes an element or a name. */
static inline void json_next(struct out *out)
{
    char last = out->len != 0 ? out->at[out->len - 1] : '{';

    if (last != '{' && last != '[' && last != ':') out_char(out, ',');
}

/* An object or a list, by its bracket, that is an element or the value of a name that was written. */
static inline void json_begin(struct out *out, char bracket)
{
    json_next(out);
    out_char(out, bracket);
}

/* Closes an object or a list with this bracket. */
static inline void json_close(struct out *out, char bracket) { out_char(out, bracket); }

/* Writes a name; its value must follow. */
static inline void json_key(struct out *out, const char *name)
{
    json_next(out);
    json_write_string(out, slice_of(name));
    out_char(out, ':');
}

/* A member that is an object or a list. */
static inline void json_open(struct out *out, const char *name, char bracket)
{
    json_key(out, name);
    out_char(out, bracket);
}

/* A member whose value is a string: UTF-8, which is escaped here. */
static inline void json_text(struct out *out, const char *name, const char *value)
{
    json_key(out, name);
    json_write_string(out, slice_of(value));
}

/* A member whose value is a whole number. */
static inline void json_number(struct out *out, const char *name, uint64_t value)
{
    json_key(out, name);
    out_u64(out, value);
}

/* A member whose value is JSON already. */
static inline void json_plain(struct out *out, const char *name, const char *json)
{
    json_key(out, name);
    out_text(out, json);
}

#endif
