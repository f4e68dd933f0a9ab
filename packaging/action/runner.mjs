// SPDX-License-Identifier: MIT
// What a GitHub runner gives an action and takes from it: inputs, outputs, environment, state for the post step.
import { appendFileSync, existsSync } from "node:fs";
import { randomUUID } from "node:crypto";

export function input(name) {
    return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

// A line for a file of the runner. The separator is one that no value can hold.
function tell(file, name, value) {
    const path = process.env[file];
    if (!path || !existsSync(path)) throw new Error(`${file} names no file; this program runs as a step of a GitHub job`);
    const mark = randomUUID();
    appendFileSync(path, `${name}<<${mark}\n${value}\n${mark}\n`);
}

export const output = (name, value) => tell("GITHUB_OUTPUT", name, value);
export const exported = (name, value) => tell("GITHUB_ENV", name, value);
export const keep = (name, value) => tell("GITHUB_STATE", name, value);
export const kept = (name) => process.env[`STATE_${name}`] ?? "";

// An error as an annotation of the job; the step fails.
export function fail(error) {
    const text = String(error?.message ?? error).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
    console.log(`::error title=dojima::${text}`);
    process.exitCode = 1;
}
