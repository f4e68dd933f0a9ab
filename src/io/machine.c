/* SPDX-License-Identifier: MIT */
#include "io/machine.h"

#include "io/clock.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

bool machine_clock_is_kept(int64_t *error_us)
{
    struct timex state = { .modes = 0 };
    int          answer = adjtimex(&state);

    *error_us = state.maxerror;
    return answer >= 0 && answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

int machine_look_at_folder(const char *path, struct machine_folder *folder)
{
    struct stat    info;
    struct statvfs system;
    int            error = files_check_folder(path, true);

    *folder = (struct machine_folder){ 0 };
    if (error != 0) return error;
    if (stat(path, &info) != 0 || statvfs(path, &system) != 0) return errno;
    folder->is_own = info.st_uid == geteuid();
    folder->mode = info.st_mode & 07777;
    folder->free_bytes = (uint64_t)system.f_bavail * system.f_frsize;
    folder->all_bytes = (uint64_t)system.f_blocks * system.f_frsize;
    return 0;
}

static int compare_times(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

    return one < other ? -1 : one > other;
}

static int time_syncs(int file, int64_t times[MACHINE_SYNCS])
{
    char block[4096] = { 0 };

    for (int i = 0; i < MACHINE_SYNCS; i++) {
        int64_t began_ns = clock_mono_ns();

        if (pwrite(file, block, sizeof(block), i * (off_t)sizeof(block)) != (ssize_t)sizeof(block))
            return errno != 0 ? errno : EIO;
        if (fdatasync(file) != 0) return errno;
        times[i] = clock_mono_ns() - began_ns;
    }
    return 0;
}

int machine_measure_syncs(const char *path, int64_t *median_ns, int64_t *longest_ns)
{
    char    name[4096];
    int64_t times[MACHINE_SYNCS] = { 0 };
    int     len = snprintf(name, sizeof(name), "%s/doctor.%ld.tmp", path, (long)getpid()), file, error;

    *median_ns = *longest_ns = 0;
    if (len < 0 || (size_t)len >= sizeof(name)) return ENAMETOOLONG;
    file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return errno;
    errno = 0;
    error = time_syncs(file, times);
    files_close(file);
    (void)unlink(name);
    if (error != 0) return error;
    qsort(times, MACHINE_SYNCS, sizeof(times[0]), compare_times);
    *median_ns = times[MACHINE_SYNCS / 2];
    *longest_ns = times[MACHINE_SYNCS - 1];
    return 0;
}

enum machine_huge machine_read_huge_pages(const char *setting)
{
    if (strstr(setting, "[always]") != NULL) return HUGE_ALWAYS;
    if (strstr(setting, "[madvise]") != NULL) return HUGE_ASKED;
    return strstr(setting, "[never]") != NULL ? HUGE_NEVER : HUGE_UNKNOWN;
}

enum machine_huge machine_huge_pages(void)
{
    char   text[128];
    size_t len;

    if (files_read("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text) - 1, &len) != 0)
        return HUGE_UNKNOWN;
    text[len] = '\0';
    return machine_read_huge_pages(text);
}
