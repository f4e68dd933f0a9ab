// SPDX-License-Identifier: MIT
// The step itself: starts the exchange, waits until it serves, and tells the job where.
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { program } from "./program.mjs";
import { exported, fail, input, keep, output } from "./runner.mjs";

const START_MS = 30000;

function words() {
    const port = input("port") || "0";
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) throw new Error(`the input port is ${port}, and must be 0 to 65535`);
    return ["dev", "--json", "--port", port, ...input("options").split(/\s+/).filter(Boolean)];
}

// The exchange outlives this step: its lines go to files, which the post step reads.
function start(binary, folder) {
    const out = join(folder, "banner.json"), err = join(folder, "log");
    const child = spawn(binary, words(), { detached: true, stdio: ["ignore", openSync(out, "w"), openSync(err, "w")] });
    const state = { child, out, err, ended: undefined };
    child.on("error", (error) => (state.ended = error.message));
    child.on("exit", (code, signal) => (state.ended = signal ?? `exit ${code}`));
    return state;
}

async function banner(state) {
    for (const until = Date.now() + START_MS; Date.now() < until; await sleep(5)) {
        const text = readFileSync(state.out, "utf8");
        if (text.endsWith("\n")) return text.trim();
        if (state.ended !== undefined)
            throw new Error(`the exchange did not start (${state.ended}): ${readFileSync(state.err, "utf8").trim()}`);
    }
    process.kill(state.child.pid, "SIGKILL");
    throw new Error(`the exchange did not serve within ${START_MS / 1000} s`);
}

async function main() {
    const binary = await program();
    const state = start(binary, mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), "dojima-")));
    const line = await banner(state), about = JSON.parse(line);

    keep("pid", state.child.pid);
    keep("log", state.err);
    output("url", about.url);
    output("rpc", about.rpc);
    output("json", line);
    output("binary", binary);
    exported("DOJIMA_URL", about.url);
    console.log(`dojima serves on ${about.url}`);
    state.child.unref();
}

main().catch(fail);
