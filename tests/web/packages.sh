# SPDX-License-Identifier: MIT
# packages FOLDER PLACE — sourced: installs what FOLDER/package-lock.json names into build/clients/PLACE, once. Fails
# when npm cannot. Several tests begin at once: the first one installs.
packages() {
    place=build/clients/$2
    mkdir -p "$place"
    exec 9>>"$place.lock"
    flock 9
    if ! cmp -s "$1/package-lock.json" "$place/installed"; then
        cp "$1/package.json" "$1/package-lock.json" "$place/"
        npm ci --prefix "$place" --no-audit --no-fund --ignore-scripts >/dev/null 2>&1 || { exec 9>&-; return 1; }
        cp "$1/package-lock.json" "$place/installed"
    fi
    exec 9>&-
}
