/* SPDX-License-Identifier: MIT */
#include "model/text.h"

struct client_id client_id_make(struct slice text)
{
    struct client_id id = { 0 };

    assert(text.len <= CLIENT_ID_MAX);
    id.len = (uint8_t)text.len;
    if (text.len != 0) memcpy(id.at, text.at, text.len);
    return id;
}

struct name name_make(struct slice text)
{
    struct name name = { 0 };

    assert(text.len <= NAME_MAX_LEN);
    name.len = (uint8_t)text.len;
    if (text.len != 0) memcpy(name.at, text.at, text.len);
    return name;
}

static bool is_id_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

bool text_is_client_id(struct slice text)
{
    if (text.len == 0 || text.len > CLIENT_ID_MAX) return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_id_char(text.at[i])) return false;
    return true;
}
