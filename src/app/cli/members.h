/* SPDX-License-Identifier: MIT */
/* members.h — members of a JSON object that may be absent. */
#ifndef APP_CLI_MEMBERS_H
#define APP_CLI_MEMBERS_H

#include <jansson.h>

/* A text; "" where there is none. It lives as long as the object. */
static inline const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* A whole number; 0 where there is none. */
static inline long long number_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Nothing where text is NULL. */
static inline void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL) (void)json_object_set_new(object, key, json_string(text));
}

#endif
