#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/configured.sh SCRIPT — checks that SCRIPT (./test) configures the build again when a package was installed
# since its configuration was written, and only then. Exit 1 when it does not.
# A copy of SCRIPT runs in a folder of its own, where the commands that it calls only write their names to a list.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/tools" "$folder/bin" "$folder/build/release"
cp "$1" "$folder/test"
for command in tools/setup bin/cmake bin/ninja bin/ctest; do
    printf '#!/bin/sh\necho "${0##*/}" >> %s/called\n' "$folder" > "$folder/$command"
    chmod +x "$folder/$command"
done

# configured DATE — whether the script configures a build whose configuration has this date.
configured() {
    touch -d "$1" "$folder/build/release/build.ninja"
    : > "$folder/called"
    PATH="$folder/bin:$PATH" sh "$folder/test"
    grep -q '^ctest$' "$folder/called" || { echo "the script runs no tests"; exit 1; }
    grep -q '^cmake$' "$folder/called"
}

configured '2000-01-01' || { echo "older than the packages: not configured"; exit 1; }
configured 'tomorrow' && { echo "newer than the packages: configured"; exit 1; }
exit 0
