/* SPDX-License-Identifier: MIT */
/* replay.c — gives a fuzzer the files of folders: every input that was ever worth keeping, in every build. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>

static size_t replayed;

static void replay_file(const char *path)
{
    FILE  *file = fopen(path, "rb");
    size_t len;
    char  *bytes = malloc(1 << 20);
    struct slice copy;

    if (file == NULL || bytes == NULL) { perror(path); exit(1); }
    len = fread(bytes, 1, 1 << 20, file);
    (void)fclose(file);
    copy = exact_copy(bytes, len);
    free(bytes);
    (void)LLVMFuzzerTestOneInput((const uint8_t *)copy.at, copy.len);
    free_copy(copy);
    replayed++;
}

static void replay_folder(const char *folder)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;
    char           path[4096];

    if (dir == NULL) { perror(folder); exit(1); }
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        replay_file(path);
    }
    (void)closedir(dir);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) replay_folder(argv[i]);
    printf("%zu inputs\n", replayed);
    return replayed != 0 ? 0 : 1;
}
