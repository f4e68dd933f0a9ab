/* SPDX-License-Identifier: MIT */
/*
 * replay.c — gives a fuzzer the files of folders: every input of the corpus, in every build. With -mutate=N before a
 * folder also N changed copies of each.
 */
#include "fuzz/fuzz.h"
#include "rigs/random.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

static size_t   replayed;
static uint32_t mutations; /* of each input */
static uint64_t die = 88172645463325252;

static uint64_t random_next(void) { return random_xorshift(&die); }

static void replay(const char *at, size_t len)
{
    struct slice copy = exact_copy(at, len);

    (void)LLVMFuzzerTestOneInput((const uint8_t *)copy.at, copy.len);
    free_copy(copy);
    replayed++;
}

/* Changed bytes, a part removed, a part repeated. */
static void mutate(const char *at, size_t len)
{
    char  *bytes = malloc(2 * len + 1);
    size_t from = random_next() % (len + 1), count = random_next() % (len - from + 1) % 16;

    assert(bytes != NULL);
    memcpy(bytes, at, len);
    for (uint64_t changes = random_next() % 4; changes > 0 && len != 0; changes--) {
        char bit = (char)(1 << random_next() % 8);
        bytes[random_next() % len] ^= bit;
    }
    memmove(bytes + from + count, bytes + from, len - from);
    replay(bytes, len + (random_next() % 2 != 0 ? count : 0));
    free(bytes);
}

static void replay_file(const char *path)
{
    FILE  *file = fopen(path, "rb");
    size_t len;
    char  *bytes = malloc(1 << 20);

    if (file == NULL || bytes == NULL) {
        perror(path);
        exit(1);
    }
    len = fread(bytes, 1, 1 << 20, file);
    (void)fclose(file);
    replay(bytes, len);
    for (uint32_t i = 0; i < mutations; i++) mutate(bytes, len);
    free(bytes);
}

static void replay_folder(const char *folder)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;
    char           path[4096];

    if (dir == NULL) {
        perror(folder);
        exit(1);
    }
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        replay_file(path);
    }
    (void)closedir(dir);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-mutate=", 8) == 0) mutations = (uint32_t)strtoul(argv[i] + 8, NULL, 10);
        else replay_folder(argv[i]);
    }
    printf("%zu inputs, said %016" PRIx64 "\n", replayed, fuzz_said);
    return replayed != 0 ? 0 : 1;
}
