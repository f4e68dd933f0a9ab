/* SPDX-License-Identifier: MIT */
#include "io/process.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The second number of statm is resident pages. */
size_t process_page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

bool process_program(char *path, size_t cap)
{
    ssize_t len = readlink("/proc/self/exe", path, cap);

    if (len <= 0 || (size_t)len >= cap) return false;
    path[len] = '\0';
    return true;
}

static uint64_t read_resident(void)
{
    FILE         *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (file == NULL) return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
    fclose(file);
    return (uint64_t)pages * process_page_bytes();
}

/* New kernels give the count; on others the entries are counted, without the descriptor that the count itself opens. */
static uint64_t count_handles(void)
{
    struct stat status;
    uint64_t    count = 0;
    DIR        *folder;

    if (stat("/proc/self/fd", &status) == 0 && status.st_size > 0) return (uint64_t)status.st_size;
    folder = opendir("/proc/self/fd");
    if (folder == NULL) return 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count - 1;
}

struct process_figures process_look(void)
{
    struct timespec used = { 0, 0 };

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (struct process_figures){ read_resident(), count_handles(),
                                     (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec };
}

uint64_t process_handles_max(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (uint64_t)limit.rlim_cur : 0;
}

/* A number in a file, UINT64_MAX where there is none ("max", or no file). */
static uint64_t read_number(const char *path)
{
    FILE         *file = fopen(path, "r");
    unsigned long number = 0;
    bool          found = file != NULL && fscanf(file, "%lu", &number) == 1;

    if (file != NULL) fclose(file);
    return found ? number : UINT64_MAX;
}

/* The least limit of the control group in a line of /proc/PID/cgroup and of its parents; unified hierarchy only. */
static uint64_t least_of_groups(char *line)
{
    char     path[1152];
    uint64_t least = UINT64_MAX;

    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::/", 4) != 0) return least;
    for (char *last; (last = strrchr(line + 3, '/')) != NULL; *last = '\0') {
        uint64_t number;

        (void)snprintf(path, sizeof(path), "/sys/fs/cgroup%.1024s/memory.max", line + 3);
        number = read_number(path);
        if (number < least) least = number;
    }
    return least;
}

static uint64_t read_groups(uint32_t pid)
{
    char     path[32], line[1024];
    uint64_t least = UINT64_MAX;
    FILE    *file;

    (void)snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
    file = fopen(pid == 0 ? "/proc/self/cgroup" : path, "r");
    if (file == NULL) return least;
    while (fgets(line, sizeof(line), file) != NULL) {
        uint64_t number = least_of_groups(line);

        if (number < least) least = number;
    }
    fclose(file);
    return least;
}

uint64_t process_memory_max(uint32_t pid)
{
    long     pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX, group = read_groups(pid);
    uint64_t least = machine < group ? machine : group;

    return least == UINT64_MAX ? 0 : least;
}

uint64_t process_space_max(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    return (uint64_t)limit.rlim_cur;
}

uint32_t process_cores(uint32_t pid)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    return sched_getaffinity((pid_t)pid, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}
