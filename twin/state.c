/* SPDX-License-Identifier: MIT */
/* state.c — whether views equal an earlier copy: accounts, keys, orders and books. */
#include "views/inside.h"

bool views_are(const struct views *views, const void *then, size_t bytes);

/* Their lock comes and goes. */
bool views_are(const struct views *views, const void *then, size_t bytes)
{
    size_t      lock = offsetof(struct views, lock), behind = lock + sizeof(views->lock);
    const char *now = (const char *)views, *before = then;

    return memcmp(now, before, lock) == 0 && memcmp(now + behind, before + behind, bytes - behind) == 0;
}
