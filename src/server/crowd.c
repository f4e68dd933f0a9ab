/* SPDX-License-Identifier: MIT */
#include "server/crowd.h"

#define LINE_BYTES 96           /* no path of a write is longer, without its query */

uint64_t crowd_keeps(uint64_t cap, uint8_t class)
{
    static const uint8_t sixteenths[API_CLASSES] = { [CLASS_CANCEL] = 0, [CLASS_REPLACE] = 4, [CLASS_TRANSFER] = 5, [CLASS_RISK] = 6, [CLASS_READ] = 6 };

    assert(class < API_CLASSES);
    return cap / 16 * sixteenths[class];
}

static bool begins(struct slice text, struct slice with) { return text.len >= with.len && memcmp(text.at, with.at, with.len) == 0; }

static bool ends(struct slice text, struct slice with)
{
    return text.len >= with.len && memcmp(text.at + text.len - with.len, with.at, with.len) == 0;
}

/* Behind the method, as far as the query or the space. */
static struct slice path_of(struct slice bytes, size_t at)
{
    size_t end = at;

    while (end < bytes.len && end - at < LINE_BYTES && bytes.at[end] != ' ' && bytes.at[end] != '?') end++;
    return slice_make(bytes.at + at, end < bytes.len && end - at < LINE_BYTES ? end - at : 0);
}

uint8_t crowd_class(struct slice bytes)
{
    struct slice path;

    if (begins(bytes, SLICE("DELETE "))) return CLASS_CANCEL;
    if (!begins(bytes, SLICE("POST "))) return CLASS_READ;
    path = path_of(bytes, 5);
    if (path.len == 0 || ends(path, SLICE("/rpc"))) return CLASS_READ;
    if (ends(path, SLICE("/schedule-cancel")) || ends(path, SLICE("/oracle"))) return CLASS_CANCEL;
    if (ends(path, SLICE("/orders/replace")) || ends(path, SLICE("/orders/modify"))) return CLASS_REPLACE;
    if (ends(path, SLICE("/orders")) || ends(path, SLICE("/orders/batch"))) return CLASS_RISK;
    return CLASS_TRANSFER;
}
