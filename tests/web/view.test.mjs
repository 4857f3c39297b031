// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The live viewer in a real browser. Environment as in player.test.mjs.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";

const { PAWL_COMMAND: pawl, PAWL_WEB_PACKAGES: packages, PAWL_MODELS: models, PAWL_CHROMIUM: chromium } = process.env;
const folder = mkdtempSync(join(tmpdir(), "pawl-view-"));
const has = execFileSync(pawl, ["--version"], { encoding: "utf8" }).includes("libwebsockets");
const servers = [];
let browser;

before(async () => {
    const { chromium: driver } = createRequire(join(packages, "package.json"))("playwright-core");
    browser = await driver.launch({
        executablePath: chromium,
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
});

after(async () => {
    servers.forEach((server) => server.kill("SIGKILL"));
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

/** Starts a server; the address is what it prints. */
function serve(...words) {
    const server = spawn(pawl, ["view", ...words, "--no-browser"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    servers.push(server);
    return new Promise((done, fail) => {
        let text = "";
        server.stdout.on("data", (data) => {
            text += data;
            const address = text.match(/http:\S+/);
            if (address) {
                done({ server, address: address[0] });
            }
        });
        server.on("exit", (code) => fail(new Error(`pawl view ended with ${code}`)));
    });
}

async function look(address, allowed = []) {
    const tab = await browser.newPage({ viewport: { width: 900, height: 560 }, bypassCSP: true }); // for waitForFunction, which evaluates text
    const troubles = [];
    tab.on("console", (message) => message.type() === "error" && !allowed.some((a) => message.text().includes(a)) && troubles.push(message.text()));
    tab.on("pageerror", (error) => troubles.push(String(error)));
    const host = new URL(address).host;
    tab.on("request", (request) => !/^(data|blob):/.test(request.url()) && new URL(request.url()).host !== host && troubles.push(request.url()));
    await tab.goto(address);
    return { tab, troubles };
}

const drawn = (tab) => tab.waitForFunction(() => Number(document.body.dataset.drawn) > 0, null, { timeout: 30000 });

test("a model runs, a solver change takes effect, a drag moves a body", { skip: !has, timeout: 120000 }, async () => {
    const { server, address } = await serve(join(models, "primitives/box-on-plane.sdf"));
    const { tab, troubles } = await look(address);
    await drawn(tab);
    const picture = () => tab.locator(".live-view canvas").screenshot();
    const seen = await tab.evaluate(() => {
        const from = document.querySelector(".live-view canvas");
        const to = document.createElement("canvas");
        [to.width, to.height] = [120, 70];
        const context = to.getContext("2d");
        context.drawImage(from, 0, 0, 120, 70);
        const { data } = context.getImageData(0, 0, 120, 70);
        return new Set(Array.from({ length: 8400 }, (_, i) => `${data[4 * i]} ${data[4 * i + 1]} ${data[4 * i + 2]}`)).size;
    });
    assert.ok(seen > 20, `${seen} colours`);
    await tab.selectOption('select[data-key="solver"][data-panes="1"]', "pgs-ncp");
    await tab.waitForFunction(() => window.pawlPage.settings.panes[0].settings.solver === "pgs-ncp");
    // Over the middle of the box: pull it to the right of the screen.
    const before = await tab.evaluate(() => [...window.pawlPage.last.panes[0].poses.slice(0, 3)]);
    const still = await picture();
    const at = await tab.evaluate(() => window.pawlPage.screen(0));
    await tab.mouse.move(at.x, at.y);
    await tab.mouse.down();
    await tab.mouse.move(at.x + 120, at.y - 120, { steps: 3 });
    await tab.waitForFunction((p) => Math.hypot(...window.pawlPage.last.panes[0].poses.slice(0, 3).map((x, i) => x - p[i])) > 0.05, before, { timeout: 20000 });
    await tab.mouse.up();
    assert.notDeepEqual(await picture(), still);
    await tab.keyboard.press("Backspace");
    await tab.waitForFunction((p) => window.pawlPage.last.panes[0].time < 1 || Math.hypot(...window.pawlPage.last.panes[0].poses.slice(0, 3).map((x, i) => x - p[i])) < 1, before);
    await tab.keyboard.press(" ");
    await tab.waitForFunction(() => window.pawlPage.settings.running === false);
    // Two panes, the second with another step.
    await tab.selectOption('select[aria-label="side by side"]', "split");
    await tab.waitForFunction(() => window.pawlPage.settings.panes.length === 2);
    await tab.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
    await tab.fill('input[data-key="dt"][data-panes="2"]', "0.002");
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => window.pawlPage.settings.panes[1].settings.dt === "0.002");
    // A setting that is one of some words is chosen from them; one that is a number is written, and a wrong one refused.
    await tab.selectOption('select[data-key="project"]', "off");
    await tab.waitForFunction(() => window.pawlPage.settings.panes[0].settings.project === "off");
    await tab.fill('input[data-key="erp.contact"]', "7");
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => /erp\.contact/.test(document.querySelector(".live-note").textContent));
    await tab.waitForFunction(() => document.querySelector('input[data-key="erp.contact"]').value === "0.2");
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});

test("a machine far from where it began has ground below it", { skip: !has, timeout: 120000 }, async () => {
    const { server, address } = await serve(join(models, "primitives/box-on-plane.sdf"));
    const { tab, troubles } = await look(address);
    await drawn(tab);
    const from = await tab.evaluate(() => {
        const { stage } = window.pawlPage;
        stage.follow(stage.controls.target.clone().set(300.3, -200.2, 0));
        return Number(document.body.dataset.drawn); // before the first drawing from there
    });
    await tab.waitForFunction((n) => Number(document.body.dataset.drawn) > n, from);
    const away = await tab.evaluate(() => {
        const { stage } = window.pawlPage;
        const [ground] = stage.machines[0].carpets;
        ground.updateWorldMatrix(true, false);
        const at = ground.getWorldPosition(stage.controls.target.clone()).sub(stage.controls.target);
        return Math.hypot(at.x, at.y) / stage.machines[0].size;
    });
    assert.ok(away < 1, `${away} sizes of the machine from it`);
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});

test("a stone that falls for ever stays in the picture", { skip: !has, timeout: 120000 }, async () => {
    const file = join(folder, "stone.urdf");
    writeFileSync(file, '<robot name="stone"><link name="stone"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><sphere radius="0.5"/></geometry></visual></link></robot>');
    const { server, address } = await serve(file, "--speed", "5");
    const { tab, troubles } = await look(address);
    await drawn(tab);
    await tab.waitForFunction(() => window.pawlPage.last.panes[0].poses[2] < -1000, null, { timeout: 60000 });
    const from = await tab.evaluate(() => Number(document.body.dataset.drawn));
    await tab.waitForFunction((n) => Number(document.body.dataset.drawn) > n + 2, from);
    const { at, box } = await tab.evaluate(() => ({ at: window.pawlPage.screen(0), box: document.querySelector(".live-view canvas").getBoundingClientRect().toJSON() }));
    assert.ok(at.x > box.left && at.x < box.right && at.y > box.top && at.y < box.bottom, JSON.stringify({ at, box }));
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});

test("a window that becomes narrow shows the machine as wide as before", { skip: !has, timeout: 120000 }, async () => {
    const { server, address } = await serve(join(models, "primitives/fourbar-fixed.sdf"), "--paused");
    const { tab, troubles } = await look(address);
    await drawn(tab);
    /** Distance between two bodies in the picture, over the width of the picture. */
    const width = () => tab.evaluate(() => {
        const [a, b] = [window.pawlPage.screen(0), window.pawlPage.screen(2)];
        return Math.hypot(a.x - b.x, a.y - b.y) / document.querySelector(".live-view canvas").clientWidth;
    });
    await tab.setViewportSize({ width: 950, height: 750 }); // a view that is about square
    // A model that waits is drawn once for a new size, which may be over before anybody asks: the camera has the picture's shape then.
    await tab.waitForFunction(() => {
        const { clientWidth, clientHeight } = document.querySelector(".live-view canvas");
        return innerWidth === 950 && Math.abs(window.pawlPage.stage.camera.aspect - clientWidth / clientHeight) < 0.01;
    });
    const before = await width();
    await tab.setViewportSize({ width: 950, height: 1900 });
    await tab.waitForFunction(() => window.pawlPage.stage.camera.aspect < 0.5);
    const after = await width();
    assert.ok(Math.abs(after / before - 1) < 0.15, `${before} ${after}`);
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});

test("a lost connection is shown and recovers", { skip: !has, timeout: 120000 }, async () => {
    const { server, address } = await serve(join(models, "joints/revolute.sdf"));
    const { tab, troubles } = await look(address);
    await drawn(tab);
    assert.ok(await tab.locator(".live-lost").isHidden());
    await tab.evaluate(() => {
        // Noted by the page itself: the connection may be back before anybody asks whether it was lost.
        const note = () => document.body.dataset.link === "off" && (window.lostShown = !document.querySelector(".live-lost").hidden);
        new MutationObserver(note).observe(document.body, { attributes: true });
        window.pawlPage.link.drop();
    });
    await tab.waitForFunction(() => window.lostShown !== undefined && document.body.dataset.link === "on");
    assert.ok(await tab.evaluate(() => window.lostShown));
    assert.ok(await tab.locator(".live-lost").isHidden());
    const count = await tab.evaluate(() => window.pawlPage.link.received);
    await tab.waitForFunction((n) => window.pawlPage.link.received > n, count);
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});

test("a servo's gains follow their sliders and the state that the server tells", { skip: !has, timeout: 120000 }, async () => {
    const { server, address } = await serve(join(models, "suite/arm7.sdf"));
    const { tab, troubles } = await look(address);
    await drawn(tab);
    await tab.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
    const gains = () => tab.evaluate(() => window.pawlPage.settings.targets.map((t) => t.stiffness));
    const given = await gains();
    assert.ok(given[0] > 0);
    const slide = (value) =>
        tab.evaluate((x) => {
            const input = document.querySelector('input[aria-label$=" stiffness"]');
            input.value = String(x);
            input.dispatchEvent(new Event("input"));
        }, value);
    await slide(-1);
    await tab.waitForFunction((k) => Math.abs(window.pawlPage.settings.targets[0].stiffness / k - 0.1) < 1e-6, given[0]);
    assert.deepEqual((await gains()).slice(1), given.slice(1));
    await slide(0);
    await tab.waitForFunction((k) => window.pawlPage.settings.targets[0].stiffness === k, given[0]);
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});

test("a component of gravity changes alone and goes back to the model's own value", { skip: !has, timeout: 120000 }, async () => {
    const { server, address } = await serve(join(models, "primitives/box-on-plane.sdf"), "--paused");
    const { tab, troubles } = await look(address);
    await drawn(tab);
    const own = await tab.evaluate(() => window.pawlPage.settings.gravity);
    const slide = (axis, value) => tab.evaluate(([name, x]) => {
        const input = document.querySelector(`input[aria-label="${name}"]`);
        input.value = String(x);
        input.dispatchEvent(new Event("input"));
    }, [`gravity ${axis}`, value]);
    const is = (x, z) => tab.waitForFunction((g) => window.pawlPage.settings.gravity[0] === g[0] && window.pawlPage.settings.gravity[2] === g[1], [x, z]);
    await slide("x", 5);
    await is(5, own[2]);
    await slide("z", 3);
    await is(5, 3);
    for (const [axis, x] of [["z", 5], ["x", own[0]]]) {
        await tab.click(`button[aria-label="gravity ${axis} as in the model"]`);
        await is(x, own[2]); // the other components are those of the newest state
    }
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});

test("the gallery shows models that move, and opens one", { skip: !has, timeout: 120000 }, async () => {
    const { server, address } = await serve();
    const { tab, troubles } = await look(address);
    await tab.waitForSelector(".gallery-card");
    await tab.fill(".gallery-find", "joints/re");
    await tab.waitForSelector(".gallery-card[data-ready]:not([hidden])", { timeout: 30000 });
    await tab.locator(".gallery-card:not([hidden])").first().click();
    await drawn(tab);
    assert.match(await tab.textContent(".live-head h1"), /revolute/);
    assert.deepEqual(troubles, []);
    await tab.close();
    server.kill("SIGINT");
});
