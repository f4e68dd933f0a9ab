/* SPDX-License-Identifier: MIT */
/* http_limits.h — how large a request and its parts may be, in bytes or lines. */
#ifndef WIRE_HTTP_LIMITS_H
#define WIRE_HTTP_LIMITS_H

#define HTTP_REQUEST_LINE_MAX    4096
#define HTTP_HEADERS_MAX         16384 /* bytes of the header block, request line included */
#define HTTP_HEADER_LINES_MAX    64
#define HTTP_BODY_MAX            131072
#define HTTP_FORWARDED_LINES     4
#define HTTP_CHUNK_EXTENSION_MAX 256
/* A whole request plus the framing of a chunked body. */
#define HTTP_BUFFER_BYTES (HTTP_HEADERS_MAX + HTTP_BODY_MAX + 16384)

#endif
