// SPDX-License-Identifier: MIT
// The program of a release: fetched, compared with the release's SHA256SUMS, made executable.
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { input } from "./runner.mjs";

const NAMES = { x64: "dojima-linux-x86_64", arm64: "dojima-linux-arm64" };
const WAIT_MS = 60000;

function nameHere() {
    const name = NAMES[arch()];
    if (platform() !== "linux" || !name)
        throw new Error(`no dojima for ${platform()} on ${arch()}: use a runner with Linux on x86-64 or arm64`);
    return name;
}

async function get(url) {
    let answer;
    try {
        answer = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS) });
    } catch (error) {
        throw new Error(`${url} cannot be fetched: ${error.cause?.message ?? error.message}`);
    }
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
}

function folderOfRelease() {
    const { GITHUB_SERVER_URL: server = "https://github.com", GITHUB_ACTION_REPOSITORY: repository } = process.env;
    const version = input("version") || process.env.GITHUB_ACTION_REF;
    const releases = input("releases") || (repository && `${server}/${repository}/releases/download`);

    if (!version || !releases)
        throw new Error("name the input version, and releases or binary: this action was not taken from a release");
    return `${releases.replace(/\/+$/, "")}/${version}`;
}

function hashOf(sums, name) {
    for (const line of sums.toString().split("\n")) {
        const [hash, file] = line.trim().split(/\s+\*?/);
        if (file === name && /^[0-9a-f]{64}$/.test(hash)) return hash;
    }
    throw new Error(`SHA256SUMS of the release does not name ${name}`);
}

// Path of the program that the job asked for.
export async function program() {
    const given = input("binary");
    if (given) {
        if (!existsSync(given)) throw new Error(`the input binary names ${given}, which is not there`);
        return given;
    }
    const name = nameHere(), from = folderOfRelease();
    const [bytes, sums] = await Promise.all([get(`${from}/${name}`), get(`${from}/SHA256SUMS`)]);
    const found = createHash("sha256").update(bytes).digest("hex"), wanted = hashOf(sums, name);
    if (found !== wanted) throw new Error(`${from}/${name} has the SHA-256 ${found}, and SHA256SUMS names ${wanted}`);
    const folder = join(process.env.RUNNER_TEMP || "/tmp", `dojima-${found.slice(0, 16)}`), path = join(folder, "dojima");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, bytes);
    chmodSync(path, 0o755);
    return path;
}
