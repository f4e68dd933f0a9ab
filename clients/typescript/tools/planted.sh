#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/planted.sh DOJIMA FOLDER — checks that tools/generate.mjs --check notices an operation more, one that is gone,
# another type of a field, and a new code of an error. Run from the root of the repository.
set -eu
contract=$2/contract.json planted=$2/contract_planted.json
node - "$1" "$contract" <<'JS'
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const [program, file] = process.argv.slice(2);
const child = spawn(program, ['dev', '--port', '0', '--json', '--until-stdin-closes'], { stdio: ['pipe', 'pipe', 2] });
child.stdout.once('data', async (line) => {
  writeFileSync(file, await (await fetch(`${JSON.parse(line).url}/openapi.json`)).text());
  child.stdin.end();
});
JS
# plant PATTERN REPLACEMENT EXPECTED
plant() {
    sed "s|$1|$2|" "$contract" > "$planted"
    ! cmp -s "$contract" "$planted" || { echo "nothing was planted: $1"; exit 1; }
    ! said=$(node clients/typescript/tools/generate.mjs "$planted" --check 2>&1) || { echo "not noticed: $1"; exit 1; }
    echo "$said" | grep -q "$3" || { echo "told otherwise: $1: $said"; exit 1; }
}
node clients/typescript/tools/generate.mjs "$contract" --check
plant '"gateway GET /time"' '"gateway GET /times"' 'names what is not there: gateway GET /time'
plant '"/docs":{"get"' '"/doc":{"get":{"operationId":"process GET /doc","tags":["process"]}},"/docs":{"get"' \
      'process GET /doc has no method'
plant '"tickSize":{"type":"string","pattern":"[^"]*","format":"decimal"' '"tickSize":{"type":"number"' 'spec/types.ts'
plant '{"code":40404,' '{"code":40499,' 'spec/codes.ts'
rm -f "$planted" "$contract"
