/* SPDX-License-Identifier: MIT */
/* doctor_judge.h — from which value on dojima doctor warns of the machine, or says that it will stop the exchange. */
#ifndef APP_CLI_DOCTOR_JUDGE_H
#define APP_CLI_DOCTOR_JUDGE_H

#include "base/base.h"
#include "io/machine.h"

enum level { LEVEL_FINE, LEVEL_WARNING, LEVEL_ERROR };

/* Each reply waits for a sync: above this median a lone client does less than 100 writes a second. */
#define DOCTOR_SYNC_SLOW_NS   INT64_C(10000000)
#define DOCTOR_ROOM_LEAST     (UINT64_C(256) << 20) /* the ballast and two segments of the log; less is an error */
#define DOCTOR_ROOM_LOW       (UINT64_C(10) << 30)
#define DOCTOR_CLOCK_ERROR_US INT64_C(500000) /* the nonce window and feeders' times are seconds */
#define DOCTOR_CORES          2

/* Bytes that are free for the exchange's user. */
enum level doctor_judge_room(uint64_t free_bytes);

/* The median time until 4 KiB are durable. */
enum level doctor_judge_syncs(int64_t median_ns);

/* The kernel's estimate of the error of a synchronized clock. */
enum level doctor_judge_clock(int64_t error_us);

/* Bytes that full pools need, and bytes of the machine or control group: more than nine tenths is a warning. */
enum level doctor_judge_memory(uint64_t needed, uint64_t has);

enum level doctor_judge_cores(uint32_t cores);

enum level doctor_judge_huge_pages(enum machine_huge huge);

#endif
