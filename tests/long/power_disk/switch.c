/* SPDX-License-Identifier: MIT */
#include "switch.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define SYNC_MS 1 /* the time of a sync on a good disk */

static const char *const kind_names[] = { "write", "sync", "names", "syncnames", "any" };

/* The one disk of the process. */
static struct {
    struct image image;
    bool         out; /* no power any more */
    struct {
        bool             set, after;
        enum switch_kind kind;
        uint64_t         left, seed;
        char             path[4096], prefix[256];
    } arm;
} disk;

struct image *switch_image(void) { return &disk.image; }
bool          switch_is_out(void) { return disk.out; }

/* ---- the power ---- */

static void go_out(uint64_t seed, const char *path, const char *at)
{
    struct image_loss loss;
    int               error;

    image_lose(&disk.image, seed, &loss);
    disk.out = true;
    error = image_leave(&disk.image, path);
    printf("{\"out\": \"%s\", \"error\": %d, \"sectors\": %llu, \"sectors_kept\": %llu, \"names\": %llu, "
           "\"names_kept\": %llu",
           at, error, (unsigned long long)loss.sectors, (unsigned long long)loss.sectors_kept,
           (unsigned long long)loss.names, (unsigned long long)loss.names_kept);
    for (int i = 0; i < IMAGE_PATTERNS; i++)
        printf("%s\"%s\": %llu", i == 0 ? ", \"files\": {" : ", ", image_patterns[i],
               (unsigned long long)loss.files[i]);
    printf("}}\n");
    (void)fflush(stdout);
}

static bool begins(const char *name, const char *prefix) { return strncmp(name, prefix, strlen(prefix)) == 0; }

bool switch_passes(enum switch_kind kind, const char *name, bool after)
{
    char at[512];

    if (disk.out) return false;
    if (!disk.arm.set || disk.arm.after != after || (disk.arm.kind != KIND_ANY && disk.arm.kind != kind)
        || !begins(name, disk.arm.prefix))
        return true;
    if (--disk.arm.left > 0) return true;
    (void)snprintf(at, sizeof(at), "%s %s of %.255s", after ? "after" : "before", kind_names[kind], name);
    go_out(disk.arm.seed, disk.arm.path, at);
    return false;
}

/* ---- lines of the parent ---- */

static bool kind_of(const char *name, enum switch_kind *kind)
{
    for (size_t i = 0; i < ARRAY_COUNT(kind_names); i++)
        if (strcmp(name, kind_names[i]) == 0) {
            *kind = (enum switch_kind)i;
            return true;
        }
    return false;
}

static void obey(const char *line)
{
    char               path[4096], kind[16], when[16], prefix[256];
    unsigned long long seed, number;

    if (sscanf(line, "lose %llu %4095s", &seed, path) == 2) {
        if (!disk.out) go_out(seed, path, "now");
    } else if (sscanf(line, "keep %4095s", path) == 1) {
        if (!disk.out) image_sync_all(&disk.image);
        if (!disk.out) go_out(0, path, "kept");
    } else if (sscanf(line, "arm %llu %4095s %15s %15s %llu %255s", &seed, path, kind, when, &number, prefix) == 6
               && kind_of(kind, &disk.arm.kind)) {
        disk.arm.set = true;
        disk.arm.after = strcmp(when, "after") == 0;
        disk.arm.left = number;
        disk.arm.seed = seed;
        memcpy(disk.arm.path, path, strlen(path) + 1);
        memcpy(disk.arm.prefix, prefix, strlen(prefix) + 1);
        if (strcmp(prefix, "-") == 0) disk.arm.prefix[0] = '\0';
    } else {
        fprintf(stderr, "power_disk: what is that: %s\n", line);
    }
}

bool switch_hear(void)
{
    static char   text[8192];
    static size_t used;
    ssize_t       got = read(0, text + used, sizeof(text) - 1 - used);
    char         *end;

    if (got <= 0) return false;
    used += (size_t)got;
    text[used] = '\0';
    while ((end = strchr(text, '\n')) != NULL) {
        *end = '\0';
        obey(text);
        used -= (size_t)(end + 1 - text);
        memmove(text, end + 1, used + 1);
    }
    return used < sizeof(text) - 1;
}

void switch_take_time(void)
{
    struct pollfd input = { 0, POLLIN, 0 };

    if (poll(&input, 1, SYNC_MS) > 0) (void)switch_hear();
}
