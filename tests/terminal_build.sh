#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/terminal_build.sh SCRIPT — checks SCRIPT (tools/terminal) in a folder of its own, with commands in the place of
# node and npm: it builds once, again after a change, never two at once, whole or not at all, says when it cannot, and
# ends with the process that it was started beside. Exit 1 and a line when it does not.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

mkdir -p "$folder/tools" "$folder/bin" "$folder/build/release" "$folder/web/src" "$folder/clients/typescript/src"
cp "$1" "$folder/tools/terminal"
echo one > "$folder/web/src/main.ts"
echo lock > "$folder/web/package-lock.json"
printf '#!/bin/sh\necho setup >> %s/called\n' "$folder" > "$folder/tools/setup"
# node answers whether it is new enough; the file `old` says that it is not.
printf '#!/bin/sh\n! [ -e %s/old ]\n' "$folder" > "$folder/bin/node"
cat > "$folder/bin/npm" <<'NPM'
#!/bin/sh
echo "npm $1" >> "$ROOT/called"
[ -e "$ROOT/offline" ] && [ "$1" = ci ] && exit 1
[ "$1" = ci ] && { mkdir -p node_modules; exit 0; }
[ -e "$ROOT/slow" ] && { sleep 600 & echo $! > "$ROOT/sleeper"; wait; }
while [ "$1" != --outDir ]; do shift; done
mkdir -p "$2"
cat src/main.ts > "$2/index.html"
! [ -e "$ROOT/broken" ]
NPM
chmod +x "$folder/bin/node" "$folder/bin/npm" "$folder/tools/setup"
export ROOT="$folder" PATH="$folder/bin:$PATH"
into=$folder/build/release/terminal

# build EXPECTED [OPTIONS...] — runs the script; its exit code must be this. What it called is in $folder/called.
build() {
    expected=$1 code=0
    shift
    : > "$folder/called"
    "$folder/tools/terminal" "$@" > "$folder/said" 2>&1 || code=$?
    [ "$code" = "$expected" ] || fail "exit $code instead of $expected: $(cat "$folder/said")"
}
calls() { tr '\n' ' ' < "$folder/called"; }

touch "$folder/old"
build 77
grep -q '^terminal: skipped' "$folder/said" || fail "an old node is not told: $(cat "$folder/said")"
[ "$(calls)" = "setup " ] || fail "an old node: called $(calls)"
rm "$folder/old"

touch "$folder/offline"
build 77
grep -q '^terminal: skipped' "$folder/said" || fail "a missing registry is not told: $(cat "$folder/said")"
rm "$folder/offline"

build 0
[ "$(calls)" = "npm ci npm run " ] || fail "the first build: called $(calls)"
[ "$(cat "$into/index.html")" = one ] || fail "nothing is built"
build 0
[ -z "$(calls)" ] || fail "nothing has changed: called $(calls)"

echo two > "$folder/web/src/main.ts"
touch "$folder/broken"
build 1
[ "$(cat "$into/index.html")" = one ] || fail "a build that failed replaced the old one"
rm "$folder/broken"
build 0
[ "$(calls)" = "npm run " ] || fail "a changed source: called $(calls)"
[ "$(cat "$into/index.html")" = two ] || fail "a changed source is not built"

echo shared > "$folder/clients/typescript/src/decimal.ts"
build 0
[ "$(calls)" = "npm run " ] || fail "a changed source of the client: called $(calls)"

echo three > "$folder/web/src/main.ts"
: > "$folder/called"
"$folder/tools/terminal" & first=$!
"$folder/tools/terminal" & second=$!
wait "$first" && wait "$second" || fail "one of two at once failed"
[ "$(calls)" = "npm run " ] || fail "two at once: called $(calls)"

# beside: the process ends while the build goes on, and nothing of the build is left.
echo four > "$folder/web/src/main.ts"
touch "$folder/slow"
sleep 600 & exchange=$!
"$folder/tools/terminal" --beside "$exchange" > "$folder/said" 2>&1 & beside=$!
tries=0
until [ -s "$folder/sleeper" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "the build beside does not begin: $(cat "$folder/said")"
    sleep 0.1
done
kill "$exchange"
code=0
wait "$beside" || code=$?
[ "$code" = 143 ] || fail "the build beside ends with $code"
tries=0
# One that has ended and waits for a parent to ask has ended.
lives() { read -r line 2>/dev/null < "/proc/$1/stat" && case ${line##*) } in Z*|X*) false ;; esac; }
while lives "$(cat "$folder/sleeper")"; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "something of the build is left"
    sleep 0.1
done
[ "$(cat "$into/index.html")" = three ] || fail "an ended build replaced the old one"
exit 0
