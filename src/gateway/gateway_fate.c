/* SPDX-License-Identifier: MIT */
/* gateway_fate.c — what rules of faults do to the messages of streams. */
#include "gateway/gateway_disturbed.h"

/* A message that stalls waits, and nothing overtakes it; one at which the stream is cut ends it behind those before. */
enum stream_fate gateway_stream_fate(void *self, uint32_t slot, struct stream_about *about)
{
    struct gateway        *gateway = self;
    struct net_conn       *conn = net_at(gateway->net, slot);
    struct session_faults *faults = conn != NULL ? session_faults(gateway, conn) : NULL;
    struct chaos_subject   subject;
    struct chaos_verdict   verdict;

    if (faults == NULL) return FATE_SEND;
    if (faults->end == LATE_CUT) return FATE_CUT;
    subject = stream_subject(gateway, conn, POINT_MESSAGE);
    subject.channel = slice_of(about->channel);
    subject.account_id = about->account_id;
    subject.owner = about->user;
    subject.seen = faults->seen;
    chaos_judge(gateway->shared->chaos, &subject, &verdict);
    if (verdict.in_us != 0) faults->late_ms = max_i64(faults->late_ms, net_now_ms(gateway->net) + ms_of(verdict.in_us));
    about->code = verdict.code;
    if (verdict.cut && verdict.code == 0) {
        if (session_is_late(conn->owner)) faults->end = LATE_CUT;
        else gateway_stream_cut(gateway, conn);
    }
    return verdict.cut ? FATE_CUT : verdict.skip ? FATE_SKIP : verdict.repeat ? FATE_REPEAT : FATE_SEND;
}
