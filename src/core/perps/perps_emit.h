/* SPDX-License-Identifier: MIT */
/* perps_emit.h — the event of a perps order. */
#ifndef CORE_PERPS_PERPS_EMIT_H
#define CORE_PERPS_PERPS_EMIT_H

#include "core/perps/perps.h"

/* Appends the order's PERPS_ORDER. */
void perps_emit(struct apply_context *ctx, uint32_t ix, uint8_t exec_type, uint8_t reason);
/* The same for a caller that knows the records of the order and of its market. */
void perps_emit_order(struct apply_context *ctx, const struct market *market, const struct order *order, uint32_t ix,
                      uint8_t exec_type, uint8_t reason);
/* The TP/SL part of the record: perps_emit_order, which is expanded in its callers, leaves it to this one. */
void perps_write_stop(const struct engine *e, uint32_t ix, struct perps_order_changed *event);

/* Writes that of a limit order without TP/SL whole into room that was taken. */
void perps_write(struct perps_order_changed *event, const struct market *market, const struct order *order,
                 uint64_t account_id, uint8_t exec_type, uint8_t reason);

#endif
