// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The player of a report in a real browser. Environment: PAWL_COMMAND, the command; PAWL_WEB_PACKAGES, the folder that
// has node_modules; PAWL_MODELS; PAWL_CHROMIUM, the browser; PAWL_SCREENSHOTS, a folder for pictures, or nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { after, before } from "node:test";

const { PAWL_COMMAND: pawl, PAWL_WEB_PACKAGES: packages, PAWL_MODELS: models, PAWL_CHROMIUM: chromium, PAWL_SCREENSHOTS: shots } = process.env;
const folder = mkdtempSync(join(tmpdir(), "pawl-web-"));
let browser;
let runs = 0;

before(async () => {
    const { chromium: driver } = createRequire(join(packages, "package.json"))("playwright-core");
    browser = await driver.launch({
        executablePath: chromium,
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

/** Runs a model, opens its report, and fails on console errors and on requests that are not for the page itself. */
async function open(model, time, options = {}) {
    const record = join(folder, `${++runs}.h5`);
    const page = join(folder, `${runs}.html`);
    for (const words of [["run", resolve(models, model), "--time", time, "-o", record], ["report", record, "-o", page]]) {
        try {
            execFileSync(pawl, words, { stdio: "pipe" });
        } catch (error) {
            assert.equal(error.status, 1, String(error.stderr)); // a verdict that is not met is no failure here
        }
    }
    const tab = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    const troubles = [];
    tab.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
    tab.on("pageerror", (error) => troubles.push(String(error)));
    tab.on("request", (request) => !/^(file|data|blob):/.test(request.url()) && troubles.push(request.url()));
    await tab.goto(`file://${page}`);
    await tab.waitForSelector("#pawl-page[data-state]");
    assert.equal(await tab.getAttribute("#pawl-page", "data-state"), "ready");
    assert.equal(await tab.getAttribute("#pawl-player", "data-state"), "ready");
    return { tab, record, troubles };
}

/** How many different colours the canvas shows on a coarse grid: 1 if it is blank. */
async function colours(tab) {
    return tab.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const from = document.querySelector(".player-canvas");
        const to = document.createElement("canvas");
        [to.width, to.height] = [160, 90];
        const context = to.getContext("2d");
        context.drawImage(from, 0, 0, 160, 90);
        const seen = new Set();
        const { data } = context.getImageData(0, 0, 160, 90);
        for (let i = 0; i < data.length; i += 4) {
            seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        }
        return seen.size;
    });
}

const picture = (tab) => tab.locator(".player-canvas").screenshot();

test("a machine is drawn, plays, and stops at the end", async () => {
    const { tab, troubles } = await open("quickstart.sdf", "0.5");
    assert.ok((await colours(tab)) > 50);
    const still = await picture(tab);
    await tab.click(".player-play");
    await tab.waitForFunction(() => Number(document.querySelector(".player-line input").value) > 20);
    assert.notDeepEqual(await picture(tab), still);
    await tab.waitForFunction(() => document.querySelector(".player-play").getAttribute("aria-label") === "play", null, { timeout: 20000 });
    if (shots) {
        await tab.screenshot({ path: join(shots, "quickstart.png") });
    }
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("a scrub shows the recorded pose", async () => {
    const { tab, record, troubles } = await open("suite/walker31.sdf", "0.05");
    const read = `import h5py, json, sys
f = h5py.File(sys.argv[1], "r")
names = [n.decode() if isinstance(n, bytes) else n for n in f["/model/body_name"][()]]
print(json.dumps([names, list(f["/body/pose"][30].tolist()), float(f["/time"][30])]))`;
    let recorded;
    try {
        recorded = JSON.parse(execFileSync("/usr/bin/python3", ["-c", read, record], { stdio: "pipe" }));
    } catch {
        return; // no h5py here: the pose in C's own test is the check
    }
    const [names, poses, time] = recorded;
    await tab.evaluate((t) => window.pawlPlayer.seek(t), time);
    for (const [i, name] of names.entries()) {
        const shown = await tab.evaluate((n) => window.pawlPlayer.pose(n), name);
        shown.forEach((x, k) => assert.ok(Math.abs(x - poses[i][k]) < 1e-6, `${name} ${k}`));
    }
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("keys step, plots follow, and a click in a plot sets the time", async () => {
    const { tab, troubles } = await open("primitives/box-on-plane.sdf", "0.5");
    await tab.focus("#pawl-player");
    await tab.keyboard.press("ArrowRight");
    assert.ok(Math.abs(Number(await tab.inputValue(".player-line input")) - 1) < 1e-6);
    await tab.keyboard.press("End");
    assert.match(await tab.textContent(".player-clock"), /0\.5/);
    const chart = tab.locator(".chart").first();
    assert.ok(Math.abs(Number(await chart.getAttribute("data-time")) - 0.5) < 1e-9);
    const plot = chart.locator(".u-over");
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await plot.click({ position: { x: box.width / 2, y: box.height / 3 } });
    const time = Number.parseFloat(await tab.textContent(".player-clock"));
    assert.ok(Math.abs(time - 0.25) < 0.01, `${time}`);
    assert.ok(Math.abs(Number(await chart.getAttribute("data-time")) - time) < 1e-3);
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("bodies without shapes are drawn as a skeleton, and no name is taken for HTML", async () => {
    const name = "&lt;img src=x onerror=&quot;document.title=1&quot;&gt;&amp;&lt;/script&gt; Ünï";
    const link = (which, at) => `<link name="${which}"><inertial><origin xyz="${at}"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>`;
    const joint = (which, parent, child, at) => `<joint name="${which}" type="continuous"><parent link="${parent}"/><child link="${child}"/><origin xyz="${at}"/><axis xyz="0 1 0"/></joint>`;
    const file = join(folder, "bare.urdf");
    writeFileSync(file, `<robot name="${name}"><link name="base"/>${link(name, "0.2 0 0")}${link("b", "0.1 0 0.1")}${joint("j", "base", name, "0 0 0")}${joint(name, name, "b", "0.4 0 0")}</robot>`);
    const { tab, troubles } = await open(file, "0.5");
    const plain = '<img src=x onerror="document.title=1">&</script> Ünï';
    assert.equal(await tab.locator("h1").first().textContent(), plain);
    assert.ok((await tab.title()).startsWith(plain));
    // Somewhere in the picture it is as dark as the rods are: an empty stage is light.
    const darkest = await tab.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const from = document.querySelector(".player-canvas");
        const to = document.createElement("canvas");
        [to.width, to.height] = [from.width, from.height];
        const context = to.getContext("2d");
        context.drawImage(from, 0, 0);
        const { data } = context.getImageData(0, 0, to.width, to.height);
        return data.reduce((least, value, i) => (i % 4 === 0 ? Math.min(least, value) : least), 255);
    });
    assert.ok(darkest < 120, `${darkest}`);
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("a machine that nothing supports fills the picture from start to end", async () => {
    const { tab, troubles } = await open("suite/fourbar-free.sdf", "3"); // falls 44 m
    const covered = () =>
        tab.evaluate(async () => {
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const copy = document.createElement("canvas");
            [copy.width, copy.height] = [160, 90];
            const context = copy.getContext("2d");
            context.drawImage(document.querySelector(".player-canvas"), 0, 0, 160, 90);
            const { data } = context.getImageData(0, 0, 160, 90);
            let [low, high] = [160, 0]; // columns that show more than the backdrop of the first
            for (let x = 0; x < 160; x++) {
                for (let y = 0; y < 90; y++) {
                    const [i, j] = [4 * (160 * y + x), 4 * 160 * y];
                    if (Math.abs(data[i] - data[j]) + Math.abs(data[i + 1] - data[j + 1]) + Math.abs(data[i + 2] - data[j + 2]) > 60) {
                        [low, high] = [Math.min(low, x), Math.max(high, x)];
                    }
                }
            }
            return (high - low) / 160;
        });
    await tab.focus(".player");
    for (const key of ["Home", "End", "r"]) {
        await tab.keyboard.press(key);
        assert.ok((await covered()) > 0.15, `${key}: ${await covered()} of the width`);
    }
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("a phone shows it, in the dark, without scrolling sideways", async () => {
    const { tab, troubles } = await open("suite/figure22.sdf", "0.1", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    assert.ok((await colours(tab)) > 50);
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    if (shots) {
        await tab.screenshot({ path: join(shots, "phone.png") });
    }
    // Paper is light, whatever the screen was, and shows the machine without its buttons.
    const colour = (name) => tab.evaluate((n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim(), name);
    assert.equal(await colour("--good-bg"), "#16301f");
    await tab.emulateMedia({ media: "print" });
    assert.equal(await colour("--good-bg"), "#e4f4ea");
    assert.ok(await tab.locator(".player-canvas").isVisible());
    assert.ok(await tab.locator(".player-tools").isHidden());
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("plots zoom, hide curves, change scales and give their numbers away", async () => {
    const { tab, record, troubles } = await open("primitives/fourbar-fixed.sdf", "0.3");
    const chart = tab.locator('.chart[data-title="Energy"]');
    await chart.scrollIntoViewIfNeeded();
    const [download] = await Promise.all([tab.waitForEvent("download"), chart.getByText("CSV").click()]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
    assert.match(lines[0], /^"time \[s\]","kinetic \[J\]","gravity \[J\]"/);
    // The sum of each row is the last column: the engine wrote both.
    for (const line of lines.slice(1, 50)) {
        const numbers = line.split(",").map(Number);
        const parts = numbers.slice(1, -1).reduce((a, b) => a + b, 0);
        assert.ok(Math.abs(parts - numbers[numbers.length - 1]) < 1e-9 * Math.max(1, Math.abs(parts)), line);
    }
    const picture = async () => chart.locator("canvas").screenshot();
    const whole = await picture();
    await chart.getByText("kinetic").click();
    assert.notDeepEqual(await picture(), whole);
    await chart.getByText("kinetic").click();
    const box = await chart.locator(".u-over").boundingBox();
    await tab.mouse.move(box.x + 0.2 * box.width, box.y + 20);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 0.5 * box.width, box.y + 30, { steps: 4 });
    await tab.mouse.up();
    assert.notDeepEqual(await picture(), whole);
    const [png] = await Promise.all([tab.waitForEvent("download"), chart.getByText("PNG").click()]);
    assert.equal(readFileSync(await png.path()).subarray(1, 4).toString(), "PNG");
    assert.equal(await tab.locator(".chart-tools button[aria-pressed='true']").count() > 0, true); // closure is in decades
    assert.ok(record);
    assert.deepEqual(troubles, []);
    await tab.close();
});

test("several runs stand in one page, and their machines move together", async () => {
    const files = [];
    for (const stepper of ["euler", "moreau"]) {
        files.push(join(folder, `${stepper}.h5`));
        execFileSync(pawl, ["run", join(models, "primitives/fourbar-fixed.sdf"), "--time", "0.3", "--stepper", stepper, "-o", files.at(-1)], { stdio: "pipe" });
    }
    const page = join(folder, "compare.html");
    execFileSync(pawl, ["compare", ...files, "--html", page], { stdio: "pipe" });
    const tab = await browser.newPage();
    const troubles = [];
    tab.on("pageerror", (error) => troubles.push(String(error)));
    await tab.goto(`file://${page}`);
    await tab.waitForSelector("#pawl-page[data-state='ready']");
    assert.match(await tab.textContent("table"), /stepper/);
    await tab.evaluate(() => window.pawlPage.players[0].seek(0.2));
    assert.ok(Math.abs((await tab.evaluate(() => window.pawlPage.players[1].now)) - 0.2) < 1e-9);
    assert.deepEqual(troubles, []);
    await tab.close();
});
