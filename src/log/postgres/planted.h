/* SPDX-License-Identifier: MIT */
/*
 * planted.h — faults that a test plants into the shared log, to see that its judges find them. Only the program
 * dojima_planted has them (tests/planted): the environment variable DOJIMA_PLANTED lists them, with commas between.
 *
 *     NO_FENCE             an append that was fenced counts as durable
 *     NO_PREDECESSOR       an append compares its number alone
 *     WARNING_IS_OK        a commit that was broken off with a warning counts as durable
 *     REPLY_BEFORE_COMMIT  a commit waits for no other machine
 *     AHEAD_OF_COMMIT      a follower applies what it can read
 *     LEASE_ONLY           a node leads without a fence
 */
#ifndef LOG_POSTGRES_PLANTED_H
#define LOG_POSTGRES_PLANTED_H

#include "base/base.h"

#ifdef DOJIMA_PLANTED
bool planted(const char *name);
#define FAULT_PLANTED(name) planted(#name)
#else
#define FAULT_PLANTED(name) false
#endif

#endif
