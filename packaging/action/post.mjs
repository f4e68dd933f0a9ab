// SPDX-License-Identifier: MIT
// Behind the last step of the job: stops the exchange, and shows what it said.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fail, kept } from "./runner.mjs";

const STOP_MS = 10000;

function signal(pid, name) {
    try {
        process.kill(pid, name);
        return true;
    } catch {
        return false; // it has ended
    }
}

async function main() {
    const pid = Number(kept("pid"));
    if (!pid) return; // it was not started
    if (!signal(pid, "SIGTERM")) console.log("::warning title=dojima::the exchange had ended before the job did");
    const until = Date.now() + STOP_MS;
    while (signal(pid, 0) && Date.now() < until) await sleep(20);
    signal(pid, "SIGKILL");
    console.log(`::group::dojima\n${readFileSync(kept("log"), "utf8")}\n::endgroup::`);
}

main().catch(fail);
