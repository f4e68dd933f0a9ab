/* SPDX-License-Identifier: MIT */
#include "app/cli/doctor_judge.h"

enum level doctor_judge_room(uint64_t free_bytes)
{
    if (free_bytes < DOCTOR_ROOM_LEAST) return LEVEL_ERROR;
    return free_bytes < DOCTOR_ROOM_LOW ? LEVEL_WARNING : LEVEL_FINE;
}

enum level doctor_judge_syncs(int64_t median_ns)
{
    return median_ns > DOCTOR_SYNC_SLOW_NS ? LEVEL_WARNING : LEVEL_FINE;
}

enum level doctor_judge_clock(int64_t error_us)
{
    return error_us > DOCTOR_CLOCK_ERROR_US ? LEVEL_WARNING : LEVEL_FINE;
}

enum level doctor_judge_memory(uint64_t needed, uint64_t has)
{
    if (needed > has) return LEVEL_ERROR;
    return needed > has / 10 * 9 ? LEVEL_WARNING : LEVEL_FINE;
}

enum level doctor_judge_cores(uint32_t cores) { return cores < DOCTOR_CORES ? LEVEL_WARNING : LEVEL_FINE; }

enum level doctor_judge_huge_pages(enum machine_huge huge) { return huge == HUGE_NEVER ? LEVEL_WARNING : LEVEL_FINE; }
