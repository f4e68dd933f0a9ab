#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/library/exports.sh BUILD [LIST]   Fails when libdojima shows others than the names of src/library/exports.txt,
# needs more of libc than memory and strings, keeps writable data, or has another SONAME than its ABI.
build=$1
list=${2:-src/library/exports.txt}
bad=0
names() { awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { sub(/@.*/, "", $3); print $3 }' | sort; }
nm -D --defined-only "$build/libdojima.so" | names | diff -u "$list" - || bad=1
nm -g --defined-only "$build/libdojima.a" | names | diff -u "$list" - || bad=1
nm -D --defined-only "$build/libdojima_market.so" | names | grep -vE '^dojima_(environments?|market)_' \
    && { echo "^ shown by libdojima_market"; bad=1; }
allowed='^(mem(cpy|move|set|cmp|chr)|str(len|chr|cmp)|__(u?(div|mod)ti3|muloti4|assert_fail|stack_chk_fail|memcpy_chk)'
allowed="$allowed|_GLOBAL_OFFSET_TABLE_)\$"
nm -u "$build/libdojima.a" | awk 'NF == 2 { print $2 }' | grep -vE "$allowed" && { echo "^ needed of libc"; bad=1; }
# keccak's `known` remembers which of two equal permutations this processor runs faster.
objdump -t "$build/libdojima.a" \
    | awk '/ O \.(data|bss|tdata|tbss)[ \t]/ && $NF !~ /^known\.[0-9]+$/ { print $NF; bad = 1 } END { exit bad }' \
    || { echo "^ writable data"; bad=1; }
abi=$(sed -n 's/^#define DOJIMA_ABI //p' include/dojima/engine.h)
objdump -p "$build/libdojima.so" | grep -q "SONAME *libdojima.so.$abi\$" || { echo "SONAME is not of ABI $abi"; bad=1; }
exit $bad
