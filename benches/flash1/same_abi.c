/* SPDX-License-Identifier: MIT */
/* same_abi.c — the structs of abi.h are those of the benchmark's header. Compiled with -DDOJIMA_FLASH1=PATH only. */
#include "abi.h"

#include <assert.h>
#include <stddef.h>

#include "matching_engine_api.h"

#define SAME_SIZE(ours, theirs)           static_assert(sizeof(struct ours) == sizeof(theirs), "the size of " #ours)
#define SAME(ours, member, theirs, other) static_assert(offsetof(struct ours, member) == offsetof(theirs, other), #ours)

SAME_SIZE(flash1_new, new_order_t);
SAME(flash1_new, id, new_order_t, order_id);
SAME(flash1_new, sequence, new_order_t, sequence_number);
SAME(flash1_new, price, new_order_t, price_ticks);
SAME(flash1_new, quantity, new_order_t, quantity);
SAME(flash1_new, side, new_order_t, side);
SAME(flash1_new, ioc, new_order_t, ioc);
SAME_SIZE(flash1_cancel, cancel_t);
SAME(flash1_cancel, sequence, cancel_t, sequence_number);
SAME_SIZE(flash1_modify, modify_t);
SAME(flash1_modify, price, modify_t, new_price_ticks);
SAME(flash1_modify, quantity, modify_t, new_quantity);
SAME(flash1_modify, side, modify_t, side);
SAME_SIZE(flash1_message, me_msg_t);
SAME(flash1_message, placed, me_msg_t, no);
SAME_SIZE(flash1_report, me_report_t);
SAME(flash1_report, side, me_report_t, side);
SAME(flash1_report, sequence, me_report_t, sequence_number);
SAME(flash1_report, id, me_report_t, order_id);
SAME(flash1_report, price, me_report_t, price_ticks);
SAME(flash1_report, quantity, me_report_t, quantity);
SAME(flash1_report, maker, me_report_t, maker_order_id);
SAME(flash1_report, taker, me_report_t, taker_order_id);
SAME_SIZE(flash1_transport, me_transport_t);
SAME(flash1_transport, push, me_transport_t, push);
SAME(flash1_transport, drain, me_transport_t, drain);
SAME(flash1_transport, flush, me_transport_t, flush);
static_assert((int)FLASH1_TRADE == ME_TRADE && (int)FLASH1_CANCEL_ACK == ME_CANCEL_ACK
                  && (int)FLASH1_MODIFY_ACK == ME_MODIFY_ACK && (int)FLASH1_CANCEL_REJECT == ME_CANCEL_REJECT
                  && (int)FLASH1_MODIFY_REJECT == ME_MODIFY_REJECT && (int)FLASH1_ORDER_ACK == ME_ORDER_ACK,
              "types of reports");
