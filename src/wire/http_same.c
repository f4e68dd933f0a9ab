/* SPDX-License-Identifier: MIT */
#include "wire/http_same.h"

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Visible ASCII: no blanks, no controls, no DEL, nothing above. */
static bool is_visible(const char *at, size_t len)
{
    uint64_t word, del, wrong = 0;

    for (; len >= 8; at += 8, len -= 8) {
        memcpy(&word, at, 8);
        del = word ^ EACH_BYTE(0x7f);
        wrong |= ((word - EACH_BYTE(0x21)) & ~word) | ((del - EACH_BYTE(0x01)) & ~del) | word;
    }
    wrong &= EACH_BYTE(0x80);
    for (; len > 0; at++, len--)
        if (*at < '!' || *at > '~') return false;
    return wrong == 0;
}

bool length_read(struct slice text, uint64_t *length)
{
    *length = 0;
    if (text.len == 0 || text.len > 19) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        *length = *length * 10 + (uint64_t)(text.at[i] - '0');
    }
    return true;
}

/* In its place among the others. */
static void add_gap(struct same_head *same, const char *head, struct slice value, bool is_length)
{
    uint32_t i = same->count;

    if (value.at == NULL || value.len == 0) return;
    for (; i > 0 && same->gaps[i - 1].at > value.at - head; i--) same->gaps[i] = same->gaps[i - 1];
    same->gaps[i] = (struct same_gap){ (uint16_t)(value.at - head), (uint16_t)value.len, is_length };
    same->count += 1;
}

void same_head_keep(struct same_head *same, const char *head, size_t bytes, const struct slice values[SAME_GAPS - 1],
                    struct slice length)
{
    same->bytes = 0;
    if (bytes > SAME_BYTES) return;
    same->bytes = (uint16_t)bytes;
    same->count = 0;
    for (uint32_t i = 0; i < SAME_GAPS - 1; i++) add_gap(same, head, values[i], false);
    add_gap(same, head, length, true);
    memcpy(same->text, head, bytes);
}

bool same_head_is(const struct same_head *same, const char *bytes, size_t len, uint64_t *body_bytes)
{
    size_t at = 0;

    *body_bytes = 0;
    if (same->bytes == 0 || len < same->bytes) return false;
    for (uint32_t i = 0; i < same->count; i++) {
        const struct same_gap *gap = &same->gaps[i];
        if (memcmp(bytes + at, same->text + at, gap->at - at) != 0) return false;
        at = (size_t)gap->at + gap->len;
        if (gap->is_length ? !length_read(slice_make(bytes + gap->at, gap->len), body_bytes)
                           : !is_visible(bytes + gap->at, gap->len))
            return false;
    }
    return memcmp(bytes + at, same->text + at, same->bytes - at) == 0;
}
