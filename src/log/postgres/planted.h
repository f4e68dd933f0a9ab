/* SPDX-License-Identifier: MIT */
/*
 * planted.h — faults that a test program plants into the shared log, to see that its judges find them. Only a build
 * with DOJIMA_PLANTED has them; they are chosen by the environment variable DOJIMA_PLANTED (tests/long/cluster).
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
