/* SPDX-License-Identifier: MIT */
/*
 * http_host.h — host, host:port or [v6]:port in Host and in a target of absolute form (RFC 3986, 3.2.2 and 3.2.3), and
 * in an Origin behind "://".
 */
#ifndef WIRE_HTTP_HOST_H
#define WIRE_HTTP_HOST_H

#include "base/slice.h"

/*
 * Whether the text is a host, with an optional port of 0 to 65535 or an empty one. Then *name (may be NULL) is the
 * part before the port; an IPv6 address keeps its brackets. The empty text is a host (RFC 9112, 3.2). User names,
 * commas and control characters are refused although some grammar may allow them: another parser could find another
 * host in them.
 */
bool http_host_read(struct slice text, struct slice *name) MUST_USE;

#endif
