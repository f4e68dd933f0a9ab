/* SPDX-License-Identifier: MIT */
/*
 * http_forward.h — the header lines of a request that is passed on to another node, and of the answer that comes back.
 * What is about the connection stays with the connection (RFC 9110, 7.6.1); everything else passes as it is.
 */
#ifndef WIRE_HTTP_FORWARD_H
#define WIRE_HTTP_FORWARD_H

#include "base/out.h"

/*
 * Writes the header lines that go on, each with its CR LF. `request` begins with a whole request that http_parse has
 * taken. Left out: lines about the connection and the length; Host; X-Forwarded-For and Forwarded, because the other
 * node is told the client; and X-Dojima-*, which only nodes write.
 */
void http_forward_lines(struct out *out, struct slice request);

/* Does the head of an answer (status line and header lines) end its connection? */
bool http_forward_closes(struct slice head);

/*
 * Writes an answer with the same status line, header lines and body. Its line Connection says what `close` says, and
 * Content-Length replaces Transfer-Encoding.
 */
void http_forward_answer(struct out *out, struct slice head, struct slice body, bool close);

#endif
