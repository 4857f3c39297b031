// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The page of pawl bench in a real browser: what it shows is what the results say, filters change it, nothing is fetched.
// Environment: as in player.test.mjs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";

const { PAWL_COMMAND: pawl, PAWL_WEB_PACKAGES: packages, PAWL_CHROMIUM: chromium, PAWL_SCREENSHOTS: shots } = process.env;
const folder = mkdtempSync(join(tmpdir(), "pawl-lab-"));
let browser;
let results;

before(async () => {
    const { chromium: driver } = createRequire(join(packages, "package.json"))("playwright-core");
    browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox"] });
    execFileSync(pawl, ["bench", "smoke", "-q", "--solvers", "auto,nsgs,nbgs,nbgs/paper,direct", "-o", "r.h5", "--html", "r.html", "--json", "r.json"], { cwd: folder, stdio: "pipe" });
    results = JSON.parse(readFileSync(join(folder, "r.json"), "utf8"));
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

async function open(options = {}) {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    const troubles = [];
    tab.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
    tab.on("pageerror", (error) => troubles.push(String(error)));
    tab.on("request", (request) => !/^(file|data|blob):/.test(request.url()) && troubles.push(request.url()));
    await tab.goto(`file://${join(folder, "r.html")}`);
    await tab.waitForSelector(".curve");
    return { tab, troubles };
}

test("the page shows the conclusions and a curve for each solver", async () => {
    const { tab, troubles } = await open();
    assert.equal(await tab.locator(".conclusions li").count(), results.conclusions.length);
    assert.equal(await tab.locator("#profile .curve").count(), 5);
    assert.equal(await tab.locator(".numbers tbody tr").count(), 5);
    const row = tab.locator(".numbers tbody tr", { has: tab.locator("th", { hasText: /^auto$/ }) });
    assert.match(await row.innerText(), /36\s+100\.0 %/);
    assert.deepEqual(troubles, []);
    if (shots) await tab.screenshot({ path: join(shots, "lab.png"), fullPage: true });
    await tab.close();
});

test("charts are as wide as a telephone's page, with letters that can be read", async () => {
    const { tab } = await open({ viewport: { width: 390, height: 844 } });
    const charts = await tab.evaluate(() => [...document.querySelectorAll(".chart svg")].map((chart) => {
        const { left, right } = chart.getBoundingClientRect();
        const scale = (right - left) / chart.viewBox.baseVal.width;
        return { left, right, letters: scale * parseFloat(getComputedStyle(chart.querySelector("text")).fontSize) };
    }));
    assert.ok(charts.length >= 4);
    charts.forEach(({ left, right, letters }) => assert.ok(left >= 0 && right <= 390 && letters >= 10, JSON.stringify({ left, right, letters })));
    await tab.close();
});

test("filters leave what they say", async () => {
    const { tab, troubles } = await open();
    await tab.getByLabel("machine").selectOption("fourbar-fixed");
    const own = results.samples.filter((s) => s[0] === "fourbar-fixed").length;
    assert.match(await tab.locator(".count").innerText(), new RegExp(`^${own} samples`));
    await tab.getByRole("button", { name: "as published", exact: true }).click();
    assert.equal(await tab.locator("#profile .curve").count(), 1);
    await tab.locator(".chip", { hasText: /^auto$/ }).click();
    assert.equal(await tab.locator("#profile .curve").count(), 2);
    // Histories: those of one sample, chosen by its name, for the solvers that are shown.
    const own_history = results.histories.sample.findIndex((s) => results.samples[s][0] === "fourbar-fixed");
    await tab.getByLabel("sample", { exact: true }).selectOption(String(results.histories.sample[own_history]));
    assert.equal(await tab.locator("#history circle.end").count(), 2);
    await tab.getByLabel("of", { exact: true }).selectOption("iterations");
    assert.match(await tab.locator("#boxes").innerText(), /iterations/);
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("it is readable in the dark, on a telephone and on paper", async () => {
    const { tab, troubles } = await open({ colorScheme: "dark", viewport: { width: 390, height: 800 } });
    const ground = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.ok(ground.match(/\d+/g).every((x) => Number(x) < 60), ground);
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= 391), "no sideways scrolling");
    if (shots) await tab.screenshot({ path: join(shots, "lab-dark.png"), fullPage: true });
    await tab.emulateMedia({ media: "print" });
    assert.equal(await tab.locator(".quick").isVisible(), false);
    assert.deepEqual(troubles, []);
    await tab.close();
});
