#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/hardening.sh PROGRAM — checks that this program is built as process 7 requires. Prints the missing
# parts; exit 1 when there are any.
set -u
program=$1
missing=
lacks() { missing="$missing
  $1"; }
headers=$(readelf -hlW "$program") && dynamic=$(readelf -dW "$program") || exit 2
symbols=$(readelf -sW --dyn-syms "$program") || exit 2

echo "$headers" | grep -q 'Type: *DYN'                         || lacks "a position that varies (PIE)"
echo "$headers" | grep -q 'GNU_RELRO'                          || lacks "tables that are read-only once it runs (relro)"
echo "$dynamic" | grep -Eq 'BIND_NOW|FLAGS_1.*NOW'             || lacks "names bound at the start (now)"
echo "$headers" | grep -q 'GNU_STACK.* RW '                    || lacks "a stack that cannot be run"
echo "$symbols" | grep -q '__stack_chk_fail'                   || lacks "stack protector"
echo "$symbols" | grep -Eq '__(snprintf|vsnprintf|memcpy|read|memset)_chk' || lacks "FORTIFY_SOURCE"
echo "$dynamic" | grep -Eq 'RPATH|RUNPATH'                     && lacks "no path of its own to libraries (RPATH)"
echo "$headers" | grep -q 'LOAD .* RWE '                       && lacks "no memory that is written and run"
case $(uname -m) in
    x86_64)
        objdump -d --no-show-raw-insn "$program" --disassemble=main | grep -q endbr64 ||
            lacks "branch targets that are marked (cf-protection)" ;;
esac
[ -z "$missing" ] && exit 0
echo "$program lacks:$missing"
exit 1
