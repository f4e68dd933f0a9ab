// SPDX-License-Identifier: MIT
// A chromium without a window, and a page of it that finds things as a person with a screen reader does: by role and
// name. Everything that a page says on its console as an error, throws, or requests from elsewhere is kept, and a test
// ends with nothing of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./exchange.mjs";

/** Packages of package.json, which tests/web/run installs beside the build. */
export const packages = createRequire(path.join(ROOT, "build/clients/web/package.json"));
const puppeteer = packages("puppeteer-core");
export const PICTURES = path.join(ROOT, "build/pictures");
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
export const SECONDS = 1000;
const WAIT = 30 * SECONDS;                          // how long anything may take on a busy machine

function chromium() {
  const name = process.env.CHROMIUM ?? "chromium";
  return name.includes("/") ? name : execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
}

/** Folders of browsers: removed when this program ends, however it does, and their browsers with them. */
const homes = new Map();
process.on("exit", () => {
  for (const [home, browser] of homes) {
    browser?.process()?.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
});

export async function openBrowser(more = []) {
  const home = mkdtempSync(path.join(tmpdir(), "dojima-browser-"));
  homes.set(home, undefined);
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--mute-audio",
                "--disable-background-networking", "--disable-extensions", "--font-render-hinting=none", ...more];
  const browser = await puppeteer.launch({
    executablePath: chromium(), headless: true, args, protocolTimeout: 120 * SECONDS,
    userDataDir: path.join(home, "profile"), env: { ...process.env, TMPDIR: home },
    handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false,
  });
  homes.set(home, browser);
  return browser;
}

export class Screen {
  /** A new page in a context of its own (no cookies, no localStorage of others). `before`: a function for the page,
      run before any script of it, with `argument`. */
  static async open(browser, url, { viewport = DESKTOP, before, argument, media = [], storage } = {}) {
    const screen = new this();
    screen.context = await browser.createBrowserContext();
    screen.page = await screen.context.newPage();
    screen.origin = new URL(url).origin;
    screen.faults = [];
    screen.expected = [];
    await screen.page.setViewport(viewport);
    if (media.length) await screen.page.emulateMediaFeatures(media);
    if (storage) await screen.page.evaluateOnNewDocument((rows) => {
      for (const [key, value] of Object.entries(rows)) localStorage.setItem(key, value);
    }, storage);
    if (before) await screen.page.evaluateOnNewDocument(before, argument);
    screen.#listen();
    await screen.page.goto(url, { waitUntil: "domcontentloaded", timeout: WAIT });
    return screen;
  }

  #listen() {
    const { page } = this;
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`console: ${message.text()} ${message.location().url ?? ""}`);
    });
    page.on("pageerror", (error) => this.faults.push(`thrown: ${error.stack ?? error}`));
    page.on("request", (request) => {
      const at = request.url();
      if (/^(data|blob):/.test(at)) return;
      const origin = new URL(at).origin.replace(/^ws/, "http");
      if (origin !== this.origin) this.faults.push(`request to elsewhere: ${at}`);
    });
  }

  /** Faults that match are part of the test: a connection that is refused while the exchange is away. */
  expect(pattern) {
    this.expected.push(pattern);
  }

  /** Asserts that the page had no fault but the expected ones, then closes it. */
  async close() {
    const faults = this.faults.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
    await this.context.close();
    assert.deepEqual(faults, []);
  }

  /** The first element with this role and name, inside `within` (an element) when given; waits for it. */
  async find(role, name, within) {
    const selector = selectorOf(role, name);
    const found = within ? await within.waitForSelector(selector, { timeout: WAIT })
      : await this.page.waitForSelector(selector, { timeout: WAIT });
    assert.ok(found, `no ${role} "${name}"`);
    return found;
  }

  /** The same without waiting; null when there is none. */
  async look(role, name, within) {
    return (within ?? this.page).$(selectorOf(role, name));
  }

  region(name) {
    return this.find("region", name);
  }

  /** A row that is drawn anew between the look and the click has another button, which is looked for again. */
  async click(role, name, within) {
    for (let tries = 1; ; tries++) {
      try {
        const element = await this.find(role, name, within);
        await element.evaluate((node) => node.scrollIntoView({ block: "nearest", inline: "nearest" }));
        return await element.click();
      } catch (error) {
        if (tries === 5 || !/detached|not clickable/i.test(String(error))) throw error;
      }
    }
  }

  /** Types into a textbox as a person does: selects what is there, then types. */
  async fill(name, text, within, role = "textbox") {
    const element = await this.find(role, name, within);
    await element.click({ count: 3 });
    await element.press("Backspace");
    await element.evaluate((node) => { if (node.value) node.select(); });
    await element.type(text);
  }

  value(element) {
    return element.evaluate((node) => node.value);
  }

  text(element) {
    return element.evaluate((node) => node.innerText);
  }

  /** Waits until `what` (async, truthy) holds. */
  async until(what, why, wait = WAIT) {
    const end = Date.now() + wait;
    for (;;) {
      const value = await what();
      if (value) return value;
      if (Date.now() > end) {
        await this.picture(`failed-${why.replace(/[^a-z0-9]+/gi, "-").slice(0, 60)}`);
        assert.fail(`it did not happen: ${why}`);
      }
      await new Promise((done) => setTimeout(done, 25));
    }
  }

  /** Waits until the text of a region (or of all status regions, with name null) has this in it. */
  async says(pattern, name = null) {
    let last = "";
    const what = async () => {
      last = name ? await this.text(await this.region(name)) : await this.statusText();
      return pattern.test(last);
    };
    await this.until(what, `${name ?? "status"} says ${pattern}`).catch((error) => {
      throw new Error(`${error.message}; it says: ${last.slice(0, 600)}`);
    });
    return last;
  }

  statusText() {
    return this.page.$$eval("[role=status], [role=alert]", (nodes) => nodes.map((node) => node.innerText).join("\n"));
  }

  /** Rows of the table or grid in a region, each an array of the texts of its cells; rows of headings are left out. */
  async rows(name) {
    const region = await this.region(name);
    return region.$$eval("tr, [role=row]", (rows) => rows.map((row) =>
      [...row.querySelectorAll("td, [role=gridcell], [role=cell], [role=rowheader], th[scope=row]")]
        .map((cell) => cell.innerText.trim())).filter((row) => row.length > 0));
  }

  /** A file in build/pictures. */
  async picture(name) {
    if (!existsSync(PICTURES)) mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: path.join(PICTURES, `${name}.png`) }).catch(() => {});
  }

  /** Violations of axe-core's rules (WCAG 2 A and AA, and best practices), each with its elements. */
  async violations() {
    const source = packages.resolve("axe-core/axe.min.js");
    await this.page.evaluate(readFileSync(source, "utf8"));     // by the debugger: the page's policy allows no script
    const result = await this.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    return result.violations.map((rule) => `${rule.id}: ${rule.help}: ${rule.nodes.slice(0, 4).map((node) =>
      `${node.html.slice(0, 160)} (${(node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? ""})`).join(" | ")}`);
  }
}

function selectorOf(role, name) {
  const text = name === undefined ? "" : name.replaceAll('"', '\\"');
  return `aria/${text}[role="${role}"]`;
}

/** No line of the window is cut: the page is not wider than its window. */
export async function assertFits(screen) {
  const { wide, window } = await screen.page.evaluate(() =>
    ({ wide: document.documentElement.scrollWidth, window: document.documentElement.clientWidth }));
  assert.ok(wide <= window, `the page is ${wide} pixels wide in a window of ${window}`);
}
