// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The player: a canvas with its time line. Time runs by the clock; plots elsewhere on the page follow through the event
// `pawl-time` of the document, and may send `pawl-seek` to set it.
import * as THREE from "three";
import { Machine } from "./machine";
import type { Motion } from "./motion";
import { Stage } from "./stage";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const HELP: [string, string][] = [
    ["space", "play or pause"],
    ["← →", "one frame back or on (with shift: ten)"],
    ["home, end", "to the start, to the end"],
    ["+ −", "faster, slower"],
    ["c  j  p", "contacts, joints, path of the chosen body"],
    ["f", "follow the chosen body"],
    ["r", "frame the whole motion"],
    ["drag, wheel", "turn and zoom; with the right button: move"],
    ["click", "choose a body"],
];

function make<K extends keyof HTMLElementTagNameMap>(tag: K, cls: string, parent: HTMLElement, text = ""): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    element.className = cls;
    element.textContent = text;
    parent.append(element);
    return element;
}

function number(x: number): string {
    const a = Math.abs(x);
    return x === 0 ? "0" : a >= 1e-3 && a < 1e5 ? x.toPrecision(4) : x.toExponential(2);
}

export class Player {
    private readonly machine: Machine;
    private readonly stage: Stage;
    private time: number;
    private speed: number;
    private playing = false;
    private chosen = -1;
    private following = false;
    private readonly followed = new THREE.Vector3();
    private last = 0;
    private readonly slider: HTMLInputElement;
    private readonly clock: HTMLOutputElement;
    private readonly playButton: HTMLButtonElement;
    private readonly speedButton: HTMLSelectElement;
    private readonly info: HTMLDivElement;
    private readonly tip: HTMLDivElement;
    private readonly toggles = new Map<string, HTMLButtonElement>();

    constructor(
        private readonly host: HTMLElement,
        private readonly motion: Motion,
    ) {
        this.time = motion.start;
        host.tabIndex = 0;
        host.setAttribute("role", "group");
        host.setAttribute("aria-label", `The motion of ${motion.name}, to play`);
        const view = make("div", "player-view", host);
        const canvas = make("canvas", "player-canvas", view);
        canvas.setAttribute("aria-label", `${motion.name} in three dimensions`);
        this.machine = new Machine(motion);
        this.stage = new Stage(canvas, this.machine, motion.up);
        this.tip = make("div", "player-tip", view);
        this.info = make("div", "player-info", view);
        const tools = make("div", "player-tools", view);
        this.toggle(tools, "contacts", "Contacts", "contact points and forces (c)", motion.contactPoint.length > 0, true);
        this.toggle(tools, "joints", "Joints", "joints (j)", motion.joints.length > 0, false);
        this.toggle(tools, "path", "Path", "path of the chosen body (p)", true, false);
        this.toggle(tools, "follow", "Follow", "follow the chosen body (f)", true, false);
        const frame = make("button", "", tools, "Frame");
        frame.title = "frame the whole motion (r)";
        frame.onclick = () => this.stage.frame();
        const help = make("button", "", tools, "?");
        help.title = "keys";
        const panel = this.helpPanel(view);
        help.onclick = () => (panel.hidden = !panel.hidden);

        const bar = make("div", "player-bar", host);
        this.playButton = make("button", "player-play", bar);
        this.playButton.onclick = () => this.play(!this.playing);
        const line = make("div", "player-line", bar);
        this.slider = make("input", "", line);
        Object.assign(this.slider, { type: "range", min: "0", max: String(Math.max(1, motion.frames - 1)), step: "any", value: "0" });
        this.slider.setAttribute("aria-label", "time");
        this.slider.oninput = () => this.seekFrame(Number(this.slider.value));
        this.marks(line);
        this.clock = make("output", "player-clock", bar);
        this.speedButton = make("select", "", bar);
        this.speedButton.setAttribute("aria-label", "speed");
        this.speed = this.chooseSpeed();
        for (const speed of SPEEDS) {
            const option = make("option", "", this.speedButton, `${speed}×`);
            option.value = String(speed);
            option.selected = speed === this.speed;
        }
        this.speedButton.onchange = () => (this.speed = Number(this.speedButton.value));
        if (motion.recorded > motion.frames) {
            make("p", "player-note", host, `${motion.frames} of ${motion.recorded} recorded frames are in this page.`);
        }
        this.listen(canvas);
        this.play(false);
        this.seek(motion.start);
        requestAnimationFrame((now) => this.tick(now));
    }

    /** Real time, unless the run would be over in less than two seconds. */
    private chooseSpeed(): number {
        const span = this.motion.end - this.motion.start;
        const wanted = span > 2 ? 1 : span / 3;
        return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
    }

    private toggle(parent: HTMLElement, key: string, label: string, title: string, useful: boolean, on: boolean): void {
        if (!useful) {
            return;
        }
        const button = make("button", "", parent, label);
        button.title = title;
        button.setAttribute("aria-pressed", String(on));
        button.onclick = () => {
            button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
            this.apply();
        };
        this.toggles.set(key, button);
    }

    private isOn(key: string): boolean {
        return this.toggles.get(key)?.getAttribute("aria-pressed") === "true";
    }

    private apply(): void {
        this.machine.contacts.visible = this.isOn("contacts");
        this.machine.joints.visible = this.isOn("joints");
        this.machine.showPath(this.isOn("path") ? Math.max(0, this.chosen) : -1);
        this.following = this.isOn("follow") && this.chosen >= 0;
        if (this.following) {
            this.followed.copy(this.machine.bodies[this.chosen].position);
        }
        this.show();
    }

    private helpPanel(parent: HTMLElement): HTMLElement {
        const panel = make("div", "player-help", parent);
        panel.hidden = true;
        for (const [keys, what] of HELP) {
            const row = make("div", "", panel);
            make("kbd", "", row, keys);
            make("span", "", row, what);
        }
        return panel;
    }

    private marks(line: HTMLElement): void {
        const span = this.motion.end - this.motion.start || 1;
        for (const event of this.motion.events.slice(0, 400)) {
            const mark = make("i", "player-mark", line);
            const { frame, part } = this.motion.at(event.time);
            mark.style.left = `${(100 * (frame + part)) / Math.max(1, this.motion.frames - 1)}%`;
            mark.title = `${number(event.time)} s: ${event.text}`;
            mark.dataset.at = String((event.time - this.motion.start) / span);
        }
    }

    private listen(canvas: HTMLCanvasElement): void {
        let moved = 0;
        canvas.addEventListener("pointerdown", () => (moved = 0));
        canvas.addEventListener("pointermove", (event) => {
            moved += Math.abs(event.movementX) + Math.abs(event.movementY);
            const hit = event.buttons === 0 ? this.stage.pick(event) : null;
            this.tip.textContent = hit ? this.label(hit) : "";
            const box = canvas.getBoundingClientRect();
            this.tip.style.transform = `translate(${event.clientX - box.left + 14}px, ${event.clientY - box.top + 10}px)`;
        });
        canvas.addEventListener("pointerleave", () => (this.tip.textContent = ""));
        canvas.addEventListener("click", (event) => {
            if (moved < 6) {
                this.choose(this.stage.pick(event as PointerEvent)?.body ?? -1);
            }
        });
        this.host.addEventListener("keydown", (event) => this.key(event));
        document.addEventListener("pawl-seek", (event) => {
            this.play(false);
            this.seek((event as CustomEvent<number>).detail);
        });
    }

    private label(hit: { body: number; name: string }): string {
        const body = this.motion.bodies[hit.body].name;
        return hit.name.startsWith("joint ") ? hit.name : body;
    }

    private key(event: KeyboardEvent): void {
        const ten = event.shiftKey ? 10 : 1;
        const frame = Math.round(Number(this.slider.value));
        const steps: Record<string, () => void> = {
            " ": () => this.play(!this.playing),
            ArrowLeft: () => this.seekFrame(frame - ten),
            ArrowRight: () => this.seekFrame(frame + ten),
            Home: () => this.seek(this.motion.start),
            End: () => this.seek(this.motion.end),
            "+": () => this.faster(1),
            "-": () => this.faster(-1),
            c: () => this.toggles.get("contacts")?.click(),
            j: () => this.toggles.get("joints")?.click(),
            p: () => this.toggles.get("path")?.click(),
            f: () => this.toggles.get("follow")?.click(),
            r: () => this.stage.frame(),
        };
        const step = steps[event.key];
        if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            step();
        }
    }

    private faster(by: number): void {
        const at = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by));
        this.speed = SPEEDS[at];
        this.speedButton.value = String(this.speed);
    }

    private choose(body: number): void {
        this.chosen = body;
        this.machine.highlight(body);
        this.apply();
    }

    /** Position and orientation (x y z qw qx qy qz) of a body as shown. */
    pose(name: string): number[] {
        const body = this.machine.bodies[this.motion.bodies.findIndex((b) => b.name === name)];
        const { position: p, quaternion: q } = body;
        return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
    }

    play(on: boolean): void {
        if (on && this.time >= this.motion.end) {
            this.time = this.motion.start;
        }
        this.playing = on;
        this.last = 0;
        this.playButton.textContent = on ? "❚❚" : "▶";
        this.playButton.setAttribute("aria-label", on ? "pause" : "play");
    }

    seekFrame(frame: number): void {
        const low = Math.max(0, Math.min(this.motion.frames - 1, Math.floor(frame)));
        const high = Math.min(this.motion.frames - 1, low + 1);
        const part = Math.max(0, Math.min(1, frame - low));
        this.seek(this.motion.time[low] + part * (this.motion.time[high] - this.motion.time[low]));
    }

    seek(time: number): void {
        this.time = Math.min(this.motion.end, Math.max(this.motion.start, time));
        this.show();
    }

    private show(): void {
        this.machine.show(this.time);
        if (this.following && this.chosen >= 0) {
            const now = this.machine.bodies[this.chosen].position;
            const step = now.clone().sub(this.followed);
            this.stage.camera.position.add(step);
            this.stage.controls.target.add(step);
            this.stage.controls.update();
            this.followed.copy(now);
        }
        const { frame, part } = this.motion.at(this.time);
        this.slider.value = String(frame + part);
        this.clock.textContent = `${number(this.time)} s`;
        this.describe(frame);
        this.stage.touch();
        document.dispatchEvent(new CustomEvent("pawl-time", { detail: this.time }));
    }

    private describe(frame: number): void {
        this.info.hidden = this.chosen < 0;
        if (this.chosen < 0) {
            return;
        }
        const body = this.motion.bodies[this.chosen];
        const p = this.machine.bodies[this.chosen].position;
        const m = this.motion;
        let contacts = 0;
        let force = 0;
        for (let i = m.contactStart[frame] ?? 0; i < (m.contactStart[frame + 1] ?? 0); i++) {
            if (m.contactPair[3 * i] === this.chosen || m.contactPair[3 * i + 1] === this.chosen) {
                contacts++;
                force += Math.hypot(m.contactPoint[6 * i + 3], m.contactPoint[6 * i + 4], m.contactPoint[6 * i + 5]);
            }
        }
        this.info.textContent =
            `${body.name}\n${number(body.mass)} kg\nx ${number(p.x)}  y ${number(p.y)}  z ${number(p.z)} m` +
            (m.contactPoint.length > 0 ? `\n${contacts} contacts, ${number(force)} N` : "");
    }

    private tick(now: number): void {
        if (this.playing) {
            const passed = this.last > 0 ? Math.min(0.1, (now - this.last) / 1000) : 0;
            this.last = now;
            this.time += this.speed * passed;
            if (this.time >= this.motion.end) {
                this.time = this.motion.end;
                this.play(false);
            }
            this.show();
        }
        this.stage.render();
        requestAnimationFrame((then) => this.tick(then));
    }
}
