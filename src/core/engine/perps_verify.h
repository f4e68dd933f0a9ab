/* SPDX-License-Identifier: MIT */
/* perps_verify.h — the invariants of the perps side (mechanics 1.6), for engine_verify. */
#ifndef CORE_ENGINE_PERPS_VERIFY_H
#define CORE_ENGINE_PERPS_VERIFY_H

#include "core/state/state.h"

void perps_verify(const struct engine *e);

#endif
