// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The viewer under load, in a real browser:
//
//   node bench/view/view_bench.mjs stream [--bodies 1000] [--rounds 6] [--seconds 4]
//     A machine of many bodies runs as fast as it can. Rounds without a viewer, with one that only receives, and with
//     the page that draws, in turns. Steps for each second of the simulation's thread do not depend on what else
//     the machine does; steps for each second of the clock do.
//
//   node bench/view/view_bench.mjs soak [--minutes 10]
//     Pages are opened, reloaded, cut off and closed; the server's memory is printed as it goes.
//
// Environment: PAWL_COMMAND (build/pawl), PAWL_WEB_PACKAGES (build/web), PAWL_CHROMIUM (chromium).
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [mode, ...words] = process.argv.slice(2);
const option = (name, usual) => (words.includes(`--${name}`) ? Number(words[words.indexOf(`--${name}`) + 1]) : usual);
const pawl = resolve(process.env.PAWL_COMMAND ?? "build/pawl");
const packages = resolve(process.env.PAWL_WEB_PACKAGES ?? "build/web");
const folder = mkdtempSync(join(tmpdir(), "pawl-view-bench-"));
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Chains of four links that swing: every body moves in every frame, and nothing comes to rest. */
function manyBodies(count) {
    const body = (c, k) => {
        const [x, y, z] = [1.2 * (c % 16), 0.5 * Math.floor(c / 16), 2 - 0.05 * k];
        const link = `<link name="l${c}_${k}"><pose>${x + 0.2 * k} ${y} ${z} 0 0 0</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>1</mass>
<inertia><ixx>0.001</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia></inertial><visual name="v"><pose>0.1 0 0 0 0 0</pose><geometry><box><size>0.2 0.04 0.04</size></box></geometry></visual></link>`;
        const parent = k === 0 ? "world" : `l${c}_${k - 1}`;
        return `${link}<joint name="j${c}_${k}" type="revolute"><parent>${parent}</parent><child>l${c}_${k}</child><axis><xyz>0 1 0</xyz></axis></joint>`;
    };
    const bodies = Array.from({ length: count }, (_, i) => body(Math.floor(i / 4), i % 4));
    const file = join(folder, "many.sdf");
    writeFileSync(file, `<sdf version="1.9"><model name="many">${bodies.join("\n")}</model></sdf>`);
    return file;
}

function serve(...given) {
    const server = spawn(pawl, ["view", ...given, "--no-browser"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
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

async function browse() {
    const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
    return chromium.launch({
        executablePath: process.env.PAWL_CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
}

/** A page that receives frames as the viewer does and draws nothing. */
async function receiver(browser, address) {
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(address.replace("/?", "/status?"));
    await page.evaluate((where) => {
        const socket = new WebSocket(where.replace(/^http/, "ws").replace("/?", "/socket?"), "pawl-view-1");
        socket.binaryType = "arraybuffer";
        window.frames_seen = 0;
        socket.onmessage = ({ data }) => {
            if (new DataView(data).getUint8(0) === 2) {
                window.frames_seen += 1;
                const answer = new DataView(new ArrayBuffer(8));
                answer.setUint8(0, 18);
                answer.setUint8(1, 3);
                answer.setUint32(4, window.frames_seen, true);
                socket.send(answer.buffer);
            }
        };
    }, address);
    return { page, frames: () => page.evaluate(() => window.frames_seen) };
}

async function viewer(browser, address) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
    await page.goto(address);
    await page.waitForFunction(() => Number(document.body.dataset.drawn) > 0, null, { timeout: 60000 });
    return { page, frames: () => page.evaluate(() => Number(window.pawlPage.link.received)) };
}

async function stream() {
    const bodies = option("bodies", 1000);
    const seconds = option("seconds", 4);
    const { server, address } = await serve(manyBodies(bodies), "--speed", "0", "--set", "dt=0.005");
    const status = async () => (await fetch(address.replace("/?", "/status?"))).json();
    const browser = await browse();
    const kinds = [["no viewer"], ["one that receives", receiver], ["the page that draws", viewer]];
    const seen = kinds.map(() => ({ cpu: [], clock: [], frames: [], share: [] }));
    await sleep(2);
    for (let round = 0; round < option("rounds", 6); round++) {
        for (const [k, [, open]] of kinds.entries()) {
            const client = open ? await open(browser, address) : null;
            await sleep(0.5);
            const [a, n, t] = [await status(), client ? await client.frames() : 0, performance.now()];
            await sleep(seconds);
            const [b, m, u] = [await status(), client ? await client.frames() : 0, performance.now()];
            seen[k].cpu.push((b.steps - a.steps) / (b.cpu - a.cpu));
            seen[k].clock.push((1000 * (b.steps - a.steps)) / (u - t));
            seen[k].share.push((100 * (b.frameCpu - a.frameCpu)) / (b.cpu - a.cpu));
            seen[k].frames.push((1000 * (m - n)) / (u - t));
            await client?.page.close();
        }
    }
    console.log(`${bodies} bodies, medians of ${option("rounds", 6)} rounds of ${seconds} s in turns`);
    console.log("viewer                steps / s of its thread   ratio   steps / s of the clock   ratio   frames / s   frames' share of the thread");
    kinds.forEach(([name], k) => {
        const [cpu, clock] = [median(seen[k].cpu), median(seen[k].clock)];
        const ratio = (list) => median(list.map((x, i) => x / seen[0][list === seen[k].cpu ? "cpu" : "clock"][i])).toFixed(3);
        console.log(`${name.padEnd(22)}${cpu.toFixed(1).padStart(23)}${ratio(seen[k].cpu).padStart(8)}${clock.toFixed(1).padStart(25)}${ratio(seen[k].clock).padStart(8)}${median(seen[k].frames).toFixed(1).padStart(13)}${median(seen[k].share).toFixed(2).padStart(26)} %`);
    });
    await browser.close();
    server.removeAllListeners("exit").kill("SIGINT");
}

const resident = (pid) => Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]) / 1024;
const descriptors = async (pid) => (await import("node:fs")).readdirSync(`/proc/${pid}/fd`).length;

async function soak() {
    const end = Date.now() + 60000 * option("minutes", 10);
    const { server, address } = await serve(resolve("models/lit/rover.sdf"));
    const browser = await browse();
    const troubles = [];
    const counts = { opened: 0, reloaded: 0, cut: 0, closed: 0 };
    let report = Date.now();
    let first = 0;
    console.log("   s  opened  reloaded  cut  closed  server MiB  descriptors  page heap MiB");
    for (const begin = Date.now(); Date.now() < end; ) {
        const { page } = await viewer(browser, address);
        page.on("pageerror", (error) => troubles.push(String(error)));
        page.on("crash", () => troubles.push("a page crashed"));
        counts.opened++;
        await page.reload();
        await page.waitForFunction(() => Number(document.body.dataset.drawn) > 0, null, { timeout: 60000 });
        counts.reloaded++;
        await page.evaluate(() => {
            // Noted by the page itself: the connection may be back before anybody asks whether it was lost.
            const note = () => document.body.dataset.link === "off" && (window.wasLost = true);
            new MutationObserver(note).observe(document.body, { attributes: true });
            window.pawlPage.link.drop();
        });
        await page.waitForFunction(() => window.wasLost && document.body.dataset.link === "on", null, { timeout: 60000 });
        counts.cut++;
        const heap = await page.evaluate(() => (performance.memory?.usedJSHeapSize ?? 0) / 1048576);
        await page.close();
        counts.closed++;
        if (Date.now() > report) {
            report += 30000;
            first ||= resident(server.pid);
            const row = [Math.round((Date.now() - begin) / 1000), counts.opened, counts.reloaded, counts.cut, counts.closed, resident(server.pid).toFixed(1), await descriptors(server.pid), heap.toFixed(1)];
            console.log(row.map((x, i) => String(x).padStart([4, 8, 10, 5, 8, 12, 13, 15][i])).join(""));
        }
    }
    console.log(`server: ${first.toFixed(1)} MiB at the beginning, ${resident(server.pid).toFixed(1)} at the end; errors in pages: ${troubles.length}${troubles.length ? `: ${troubles[0]}` : ""}`);
    await browser.close();
    server.removeAllListeners("exit").kill("SIGINT");
    process.exitCode = troubles.length ? 1 : 0;
}

try {
    if (mode !== "stream" && mode !== "soak") {
        throw new Error("node bench/view/view_bench.mjs stream|soak");
    }
    await (mode === "stream" ? stream() : soak());
} finally {
    rmSync(folder, { recursive: true, force: true });
}
