#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/endpoint_class.sh FOLDER [COMPILER]   A row of endpoint_rows.h without its class under overload does not
# compile. The rows as they are compile; with each planted row at their end, they must not. Copies go to FOLDER.
set -eu
folder=$1
compiler=${2:-cc}
mkdir -p "$folder/api"

compiles() {
    "$compiler" -std=gnu17 -fsyntax-only -D_GNU_SOURCE -DDOJIMA_VERSION='"0"' -I"$folder" -Isrc src/api/endpoints.c
}

cp src/api/endpoint_rows.h "$folder/api/"
compiles || { echo "the rows do not compile as they are"; exit 1; }
# A row that no macro makes; a write of a command that has no row, so that nothing says its class.
for row in '{ .method = HTTP_GET, .path = "/planted", .name = "GET /planted" },' \
           'WRITE(SPOT, POST, "/planted", PLANTED, NULL, "Planted."),'; do
    { cat src/api/endpoint_rows.h; printf '%s\n' "$row"; } > "$folder/api/endpoint_rows.h"
    ! compiles 2> "$folder/errors" || { echo "compiles without a class: $row"; exit 1; }
    grep -q 'endpoint_rows.h' "$folder/errors" || { cat "$folder/errors"; exit 1; }
done
