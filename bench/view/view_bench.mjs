// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The viewer under load, in a real browser:
//
//   node bench/view/view_bench.mjs stream [--bodies 1000] [--rounds 40] [--seconds 1] [--draw]
//     A machine of many bodies runs as fast as it can, and a viewer comes and goes: each round is four short phases,
//     without, with, with, without, so that what drifts slowly leaves no trace in a round's ratio. The median of the
//     rounds stands with its 95 % interval, which needs no model of the noise. By the processor time of the
//     simulation's thread, and by the clock, which other programs disturb more. The viewer receives frames as a page
//     does; with --draw it is the page itself, which shares the processor's cores where there is no graphics card.
//
//   node bench/view/view_bench.mjs count [--bodies 1000] [--seconds 60]
//     Instructions of a frame and of a step, under valgrind: the same on every machine, whatever else it does.
//
//   node bench/view/view_bench.mjs soak [--minutes 10]
//     Pages are opened, reloaded, cut off and closed; the server's memory is printed as it goes.
//
// Environment: PAWL_COMMAND (build/pawl), PAWL_WEB_PACKAGES (build/web), PAWL_CHROMIUM (chromium).
import { execFileSync, spawn } from "node:child_process";
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

/** `pawl view` and its address; a first argument { under } is a command that runs it. */
function serve(...given) {
    const [under, words] = given[0].under ? [given[0].under, given.slice(1)] : [[], given];
    const [command, ...line] = [...under, pawl, "view", ...words, "--no-browser"];
    const server = spawn(command, line, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
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

/** A page whose receiver takes frames as the viewer does, draws nothing, and can be hung up. */
async function receiver(browser, address) {
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(address.replace("/?", "/status?"));
    await page.evaluate(() => (window.frames_seen = 0));
    const connect = (where) => {
        const socket = (window.socket = new WebSocket(where.replace(/^http/, "ws").replace("/?", "/socket?"), "pawl-view-1"));
        let drawn = 0; // of this connection
        socket.binaryType = "arraybuffer";
        socket.onmessage = ({ data }) => {
            if (new DataView(data).getUint8(0) === 2) {
                window.frames_seen += 1;
                drawn += 1;
                const answer = new DataView(new ArrayBuffer(8));
                answer.setUint8(0, 18);
                answer.setUint8(1, 3);
                answer.setUint32(4, drawn, true);
                socket.send(answer.buffer);
            }
        };
    };
    return {
        come: () => page.evaluate(connect, address),
        go: () => page.evaluate(() => window.socket.close()),
        frames: () => page.evaluate(() => window.frames_seen),
    };
}

/** The page itself: it leaves for a blank one when it is to go. */
async function viewer(browser, address) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
    return {
        page,
        come: async () => {
            await page.goto(address);
            await page.waitForFunction(() => Number(document.body.dataset.drawn) > 0, null, { timeout: 60000 });
        },
        go: () => page.goto("about:blank"),
        frames: () => page.evaluate(() => Number(window.pawlPage.link.received)),
    };
}

const asker = (address) => async () => (await fetch(address.replace("/?", "/status?"))).json();

/** The median and the ranks around it that hold it in 95 of 100 cases, by the binomial distribution. */
function medianWithin(list) {
    const sorted = [...list].sort((a, b) => a - b);
    const n = sorted.length;
    let below = 0.5 ** n; // P(no more than `out` of n values are on one side)
    let term = below;
    let out = 0;
    while (out + 1 < n / 2 && below + (term * (n - out)) / (out + 1) < 0.025) {
        term *= (n - out) / (out + 1);
        below += term;
        out += 1;
    }
    return { middle: (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2, low: sorted[out], high: sorted[n - 1 - out] };
}

async function stream() {
    const [bodies, seconds, rounds] = [option("bodies", 1000), option("seconds", 1), option("rounds", 40)];
    const { server, address } = await serve(manyBodies(bodies), "--speed", "0", "--set", "dt=0.005");
    const status = asker(address);
    const browser = await browse();
    const client = await (words.includes("--draw") ? viewer : receiver)(browser, address);
    const until = async (viewers) => {
        while ((await status()).viewers !== viewers) {
            await sleep(0.02);
        }
        await sleep(0.2);
    };
    const phase = async (watched) => {
        const [a, n, t] = [await status(), watched ? await client.frames() : 0, performance.now()];
        await sleep(seconds);
        const [b, m, u] = [await status(), watched ? await client.frames() : 0, performance.now()];
        const steps = b.steps - a.steps;
        return { cpu: (b.cpu - a.cpu) / steps, clock: (b.clock - a.clock) / steps, share: (b.frameCpu - a.frameCpu) / (b.cpu - a.cpu), frames: (1000 * (m - n)) / (u - t) };
    };
    const seen = { cpu: [], clock: [], alone: [], share: [], frames: [] };
    await sleep(2);
    for (let round = 0; round < rounds; round++) {
        const alone = [await phase(false)];
        await client.come();
        await until(1);
        const watched = [await phase(true), await phase(true)];
        await client.go();
        await until(0);
        alone.push(await phase(false));
        for (const key of ["cpu", "clock"]) {
            seen[key].push(Math.sqrt((alone[0][key] * alone[1][key]) / (watched[0][key] * watched[1][key])));
        }
        seen.alone.push(...alone.map((x) => 1 / x.cpu));
        seen.share.push(...watched.map((x) => 100 * x.share));
        seen.frames.push(...watched.map((x) => x.frames));
    }
    const tell = (what, list, digits, unit = "") => {
        const { middle, low, high } = medianWithin(list);
        console.log(`${what.padEnd(46)}${middle.toFixed(digits).padStart(9)}${unit}   within ${low.toFixed(digits)} .. ${high.toFixed(digits)}`);
    };
    console.log(`${bodies} bodies, ${rounds} rounds of 4 x ${seconds} s; medians, and where they lie in 95 of 100 cases`);
    tell("steps a second of the thread, nobody watching", seen.alone, 1);
    tell("speed with a viewer, by the thread's time", seen.cpu, 4);
    tell("speed with a viewer, by the clock", seen.clock, 4);
    tell("frames' share of the thread's time", seen.share, 2, " %");
    tell("frames a second", seen.frames, 1);
    await browser.close();
    server.removeAllListeners("exit").kill("SIGINT");
}

/** Instructions of a function with all that it calls, in what callgrind wrote. */
function instructions(file, name) {
    const text = execFileSync("callgrind_annotate", ["--inclusive=yes", "--threshold=100", file], { encoding: "utf8", maxBuffer: 1 << 28 });
    const line = text.split("\n").find((row) => row.includes(`:${name} [`));
    return line ? Number(line.trim().split(" ")[0].replaceAll(",", "")) : NaN;
}

async function count() {
    const [bodies, seconds] = [option("bodies", 1000), option("seconds", 60)];
    const file = join(folder, "callgrind.out");
    const { server, address } = await serve({ under: ["valgrind", "-q", "--tool=callgrind", `--callgrind-out-file=${file}`] }, manyBodies(bodies), "--speed", "0", "--set", "dt=0.005");
    const browser = await browse();
    const client = await receiver(browser, address);
    await client.come();
    await sleep(seconds);
    const done = await asker(address)();
    await browser.close();
    const over = new Promise((ended) => server.removeAllListeners("exit").on("exit", ended));
    server.kill("SIGINT");
    await over;
    const frame = instructions(file, "view_pane_write") / done.frames;
    const step = instructions(file, "pawl_sim_step") / done.steps;
    console.log(`${bodies} bodies: ${done.frames} frames of ${(frame / 1e6).toFixed(3)} million instructions, ${done.steps} steps of ${(step / 1e6).toFixed(3)} million; a frame is ${(frame / step).toFixed(4)} steps`);
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
        const { page, come } = await viewer(browser, address);
        page.on("pageerror", (error) => troubles.push(String(error)));
        page.on("crash", () => troubles.push("a page crashed"));
        await come();
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
    const run = { stream, count, soak }[mode];
    if (!run) {
        throw new Error("node bench/view/view_bench.mjs stream|count|soak");
    }
    await run();
} finally {
    rmSync(folder, { recursive: true, force: true });
}
