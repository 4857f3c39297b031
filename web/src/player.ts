// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The player: a recorded motion on a canvas with its time line. Time runs by the clock; plots elsewhere on the page
// follow through the event `pawl-time` of the document, and may send `pawl-seek` to set it.
import * as THREE from "three";
import { Toggle, button, helpPanel, make, number, plural, save } from "./kit";
import { Machine } from "./machine";
import type { Motion } from "./motion";
import type { Contacts } from "./scene";
import { Stage } from "./stage";
import { film, filmDefaults } from "./video";

const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const HELP: [string, string][] = [
    ["space", "play or pause"],
    ["← →", "one frame back or on (with shift: ten)"],
    ["[ ]", "to the event before or after"],
    ["home, end", "to the start, to the end"],
    ["+ −", "faster, slower"],
    ["c  b  k", "contacts; one arrow for each pair; friction cones"],
    ["j", "joints with their frames, coloured by closure"],
    ["p  f", "path of the chosen body; follow it"],
    ["r", "frame the whole motion"],
    ["drag, wheel", "turn and zoom; with the right button: move"],
    ["click", "choose a body"],
    ["?", "this list"],
];

/** What a body is doing, for people. */
export function describeBody(machine: Machine, body: number, contacts: Contacts, speed: number | null): string {
    const { name, mass } = machine.scene.bodies[body];
    const p = machine.centre(body);
    let count = 0;
    let force = 0;
    for (let i = contacts.first; i < contacts.first + contacts.count; i++) {
        if (contacts.pair[3 * i + 2] > 0 && (contacts.pair[3 * i] === body || contacts.pair[3 * i + 1] === body)) {
            count++;
            force += Math.hypot(contacts.point[6 * i + 3], contacts.point[6 * i + 4], contacts.point[6 * i + 5]);
        }
    }
    const lines = [name, `${number(mass)} kg`, `x ${number(p.x)}  y ${number(p.y)}  z ${number(p.z)} m`];
    if (speed !== null) {
        lines.push(`${number(speed)} m/s`);
    }
    if (count > 0) {
        lines.push(`${plural(count, "contact")}, ${number(force)} N`);
    }
    return lines.join("\n");
}

export class Player {
    readonly machine: Machine;
    readonly stage: Stage;
    readonly motion: Motion;
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
    private readonly help: HTMLElement;
    private readonly toggles = new Map<string, Toggle>();

    constructor(
        private readonly host: HTMLElement,
        motion: Motion,
    ) {
        this.motion = motion;
        this.time = motion.start;
        host.classList.add("player");
        host.tabIndex = 0;
        host.setAttribute("role", "group");
        host.setAttribute("aria-label", `The motion of ${motion.scene.name}, to play`);
        const view = make("div", "player-view", host);
        const canvas = make("canvas", "player-canvas", view);
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `${motion.scene.name} in three dimensions`);
        this.machine = new Machine(motion.scene);
        this.measure();
        this.stage = new Stage(canvas);
        this.stage.show([this.machine], motion.scene.up, false);
        this.frame();
        this.tip = make("div", "player-tip", view);
        this.info = make("div", "player-info", view);
        this.tools(make("div", "player-tools", view));
        this.help = helpPanel(view, HELP);

        const bar = make("div", "player-bar", host);
        this.playButton = button(bar, "", "play", () => this.play(!this.playing), "player-play");
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
        const [drawn, given] = motion.scene.triangles ?? [0, 0];
        if (given > drawn) {
            make("p", "player-note", host, `To keep this page small, meshes are drawn with ${drawn.toLocaleString("en")} of their ${given.toLocaleString("en")} triangles.`);
        }
        if (motion.recorded > motion.frames) {
            make("p", "player-note", host, `To keep this page small it holds ${motion.frames} of ${motion.recorded} recorded frames, spread evenly; the recording has all of them.`);
        }
        this.listen(canvas);
        this.play(false);
        this.apply();
        this.seek(motion.start);
        requestAnimationFrame((now) => this.tick(now));
    }

    /** A box around some thirty moments of the run, and the length of arrows. */
    private measure(): void {
        this.machine.includeMotion(this.motion, 30);
        this.machine.finish();
        this.machine.forceScale = (0.2 * this.machine.size) / (this.motion.largestForce() || 1);
    }

    /** All of the motion in the picture; of a machine that travels, the machine where it is. */
    private frame(): void {
        this.stage.frame(this.machine.bounds);
        this.stage.follow(this.machine.travelled());
        this.followed.copy(this.leader());
    }

    /** What the camera goes along with: the chosen body if it is followed, a machine that travels, or nothing. */
    private leader(): THREE.Vector3 {
        return this.following ? this.machine.position[this.chosen].clone() : this.machine.travelled();
    }

    private tools(parent: HTMLElement): void {
        const add = (key: string, label: string, title: string, useful: boolean, on: boolean): void => {
            if (useful) {
                this.toggles.set(key, new Toggle(parent, label, title, on, () => this.apply()));
            }
        };
        const touching = this.motion.contactPoint.length > 0;
        add("contacts", "Contacts", "contact points and forces (c)", touching, true);
        add("pairs", "By pair", "one arrow for each pair of bodies (b)", touching, false);
        add("cones", "Cones", "friction cones (k)", this.motion.contactNormal !== null && touching, false);
        add("joints", "Joints", "joints with their frames, coloured by closure (j)", this.motion.scene.joints.length > 0, false);
        add("path", "Path", "path of the chosen body (p)", true, false);
        add("follow", "Follow", "follow the chosen body (f)", true, false);
        button(parent, "Frame", "frame the whole motion (r)", () => this.frame());
        button(parent, "Save", "save this picture as PNG", () => this.savePicture());
        const reel = button(parent, "Film", "save the motion as a film (WebM or GIF)", () => void this.saveFilm(reel));
        button(parent, "?", "keys (?)", () => (this.help.hidden = !this.help.hidden));
    }

    private savePicture(): void {
        this.stage.touch();
        this.stage.render();
        this.stage.canvas.toBlob((blob) => blob && save(`${this.motion.scene.name}-${this.time.toFixed(3)}s.png`, blob), "image/png");
    }

    /** Real time, unless the run would be over in less than two seconds. */
    private chooseSpeed(): number {
        const span = this.motion.end - this.motion.start;
        const wanted = span > 2 ? 1 : span / 3;
        return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
    }

    private isOn(key: string): boolean {
        return this.toggles.get(key)?.on ?? false;
    }

    private apply(): void {
        this.machine.contacts.visible = this.isOn("contacts") || this.isOn("pairs");
        this.machine.cones.visible = this.isOn("cones");
        this.machine.byPair = this.isOn("pairs");
        this.machine.joints.visible = this.isOn("joints");
        this.machine.showPath(this.isOn("path") ? this.pathOf(Math.max(0, this.chosen)) : []);
        this.following = this.isOn("follow") && this.chosen >= 0;
        this.followed.copy(this.leader());
        this.show();
    }

    /** The path of a body's centre of mass over the whole run. */
    private pathOf(body: number): THREE.Vector3[] {
        const m = this.motion;
        const com = new THREE.Vector3().fromArray(m.scene.bodies[body].com);
        const q = new THREE.Quaternion();
        return Array.from({ length: m.frames }, (_, frame) => {
            const at = 7 * (frame * m.scene.bodies.length + body);
            q.set(m.poses[at + 4], m.poses[at + 5], m.poses[at + 6], m.poses[at + 3]);
            return com.clone().applyQuaternion(q).add(new THREE.Vector3(m.poses[at], m.poses[at + 1], m.poses[at + 2]));
        });
    }

    private marks(line: HTMLElement): void {
        for (const event of this.motion.events.slice(0, 400)) {
            const mark = make("i", "player-mark", line);
            const { frame, part } = this.motion.at(event.time);
            mark.style.left = `${(100 * (frame + part)) / Math.max(1, this.motion.frames - 1)}%`;
            mark.title = `${number(event.time)} s: ${event.text}`;
        }
    }

    private listen(canvas: HTMLCanvasElement): void {
        let moved = 0;
        canvas.addEventListener("pointerdown", () => (moved = 0));
        canvas.addEventListener("pointermove", (event) => {
            moved += Math.abs(event.movementX) + Math.abs(event.movementY);
            this.tip.textContent = event.buttons === 0 ? (this.stage.pick(event)?.name ?? "") : "";
            const box = canvas.getBoundingClientRect();
            this.tip.style.transform = `translate(${event.clientX - box.left + 14}px, ${event.clientY - box.top + 10}px)`;
        });
        canvas.addEventListener("pointerleave", () => (this.tip.textContent = ""));
        canvas.addEventListener("click", (event) => {
            if (moved < 6) {
                this.choose(this.stage.pick(event)?.body ?? -1);
            }
        });
        this.host.addEventListener("keydown", (event) => this.key(event));
        document.addEventListener("pawl-seek", (event) => {
            this.play(false);
            this.seek((event as CustomEvent<number>).detail);
        });
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
            "[": () => this.seekEvent(-1),
            "]": () => this.seekEvent(1),
            "+": () => this.faster(1),
            "-": () => this.faster(-1),
            c: () => this.toggles.get("contacts")?.element.click(),
            b: () => this.toggles.get("pairs")?.element.click(),
            k: () => this.toggles.get("cones")?.element.click(),
            j: () => this.toggles.get("joints")?.element.click(),
            p: () => this.toggles.get("path")?.element.click(),
            f: () => this.toggles.get("follow")?.element.click(),
            r: () => this.frame(),
            "?": () => (this.help.hidden = !this.help.hidden),
        };
        const step = steps[event.key];
        if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            step();
        }
    }

    private seekEvent(by: number): void {
        const times = this.motion.events.map((event) => event.time);
        const next = by > 0 ? times.find((t) => t > this.time + 1e-9) : [...times].reverse().find((t) => t < this.time - 1e-9);
        if (next !== undefined) {
            this.seek(next);
        }
    }

    private faster(by: number): void {
        this.pace = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by))];
    }

    /** How fast it plays, one of the choices. */
    get pace(): number {
        return this.speed;
    }

    set pace(speed: number) {
        this.speed = speed;
        this.speedButton.value = String(speed);
    }

    choose(body: number): void {
        this.chosen = body;
        this.machine.highlight(body);
        this.apply();
    }

    /** Position and orientation (x y z qw qx qy qz) of a body as shown. */
    pose(name: string): number[] {
        const body = this.motion.scene.bodies.findIndex((b) => b.name === name);
        const [p, q] = [this.machine.position[body], this.machine.quaternion[body]];
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
        const m = this.motion;
        const { frame, part } = m.at(this.time);
        const stride = 7 * m.scene.bodies.length;
        const after = Math.min(frame + 1, m.frames - 1);
        const near = part < 0.5 ? frame : after;
        this.machine.take(m.poses, frame * stride);
        if (part > 0) {
            this.machine.blend(m.poses, after * stride, part);
        }
        this.machine.place();
        if (m.gaps && this.machine.joints.visible) {
            this.machine.showGaps(m.gaps, near * m.jointCount);
        }
        this.machine.showContacts(m.contactsAt(near));
        const leader = this.leader();
        this.stage.follow(leader.clone().sub(this.followed));
        this.followed.copy(leader);
        this.slider.value = String(frame + part);
        this.clock.textContent = `${this.time.toFixed(this.motion.end - this.motion.start < 1 ? 4 : 3)} s`;
        this.info.hidden = this.chosen < 0;
        if (this.chosen >= 0) {
            const span = m.time[after] - m.time[frame];
            const [a, b] = [frame * stride + 7 * this.chosen, after * stride + 7 * this.chosen];
            const speed = span > 0 ? Math.hypot(m.poses[b] - m.poses[a], m.poses[b + 1] - m.poses[a + 1], m.poses[b + 2] - m.poses[a + 2]) / span : null;
            this.info.textContent = describeBody(this.machine, this.chosen, m.contactsAt(near), speed);
        }
        this.stage.touch();
        document.dispatchEvent(new CustomEvent("pawl-time", { detail: this.time }));
    }

    private tick(now: number): void {
        if (this.playing) {
            const passed = this.last > 0 ? Math.min(0.3, (now - this.last) / 1000) : 0;
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

    /** The time that is shown. */
    get now(): number {
        return this.time;
    }

    /** A picture of a given size, for a film. */
    resize(width: number, height: number): void {
        const view = this.stage.canvas.parentElement!;
        [view.style.width, view.style.height, view.style.minHeight] = [`${width}px`, `${height}px`, "0"];
        this.stage.fit(1);
        this.frame();
    }

    private async saveFilm(button: HTMLButtonElement): Promise<void> {
        button.disabled = true;
        const format = typeof VideoEncoder === "undefined" ? "gif" : "webm";
        try {
            const blob = await film(this, filmDefaults(this, format), (part) => (button.textContent = `${Math.round(100 * part)} %`));
            save(`${this.motion.scene.name}.${format}`, blob);
        } catch (error) {
            this.info.hidden = false;
            this.info.textContent = error instanceof Error ? error.message : String(error);
        }
        button.textContent = "Film";
        button.disabled = false;
    }

    /** The picture at a time, for a film: drawn when it returns. */
    draw(time: number): void {
        this.seek(time);
        this.stage.render();
    }
}
