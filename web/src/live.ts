// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The live page: a model that runs in the server, drawn here. Everything that can be changed is changed by a command;
// what is shown as its value is what the server says it is.
import * as THREE from "three";
import { Chart } from "./charts";
import { Gallery } from "./gallery";
import { Toggle, button, helpPanel, make, number } from "./kit";
import { Machine } from "./machine";
import { describeBody } from "./player";
import type { Figure, Frame, GalleryDocument, ModelDocument, PaneFrame, StateData } from "./protocol";
import { Link } from "./protocol";
import { Stage } from "./stage";

const SPEEDS: [number, string][] = [[0.01, "0.01×"], [0.05, "0.05×"], [0.1, "0.1×"], [0.25, "0.25×"], [0.5, "0.5×"], [1, "1×"], [2, "2×"], [5, "5×"], [0, "max"]];
const HELP: [string, string][] = [
    ["space", "run or pause"],
    [". or →", "one step (with shift: ten)"],
    ["backspace", "back to the start"],
    ["+ −", "faster, slower"],
    ["drag a body", "pull it with a spring"],
    ["drag elsewhere, wheel", "turn and zoom; right button: move"],
    ["click", "choose a body"],
    ["c  b  k", "contacts; by pair; friction cones"],
    ["j", "joints, coloured by closure"],
    ["p  f", "path of the chosen body; follow it"],
    ["r", "frame the machine"],
    ["s", "side by side: off, ghost, two panes"],
    ["?", "this list"],
];
const FACTS: [Figure, string, string][] = [
    ["kinetic", "kinetic energy", "J"],
    ["potential", "potential energy", "J"],
    ["balance", "unexplained energy", "J"],
    ["residual", "solver residual", "m/s"],
    ["closure", "joint closure", "m"],
    ["penetration", "penetration", "m"],
    ["iterations", "iterations", ""],
    ["contacts", "contacts", ""],
    ["unsolved", "steps not solved", ""],
    ["stepTime", "processor a step", "s"],
    ["drag", "pull", "N"],
];
const HISTORY = 600; // points of the live plots
const CHASE = 250; // how fast the camera comes after a machine that leaves [ms]

type Side = "off" | "ghost" | "split";
type Choice = { name: string; summary: string };

const METHOD = ["stepper", "solver", "formulation", "dt"];

/** The words of a setting whose range is a list of them; null for numbers and texts. */
function choicesOf(range: string): Choice[] | null {
    const words = range.split(" ");
    return words.length > 1 && words.every((word) => /^[a-z][a-z0-9-]*$/.test(word)) ? words.map((name) => ({ name, summary: "" })) : null;
}

/** One number that a slider sets. */
interface Slider {
    input: HTMLInputElement;
    output: HTMLOutputElement;
    unit: string;
    show(value: number): void;
}

export class Live {
    private readonly root: HTMLElement;
    private readonly view: HTMLElement;
    private readonly side: HTMLElement;
    private readonly title: HTMLElement;
    private readonly lamp: HTMLElement;
    private readonly clock: HTMLElement;
    private readonly pace: HTMLElement;
    private readonly tip: HTMLElement;
    private readonly info: HTMLElement;
    private readonly note: HTMLElement;
    private readonly lost: HTMLElement;
    private readonly help: HTMLElement;
    private readonly labels: HTMLElement[];
    private readonly playButton: HTMLButtonElement;
    private readonly speedSelect: HTMLSelectElement;
    private readonly recordButton: HTMLButtonElement;
    private readonly sideSelect: HTMLSelectElement;
    private readonly toggles = new Map<string, Toggle>();
    private readonly gallery: Gallery;
    readonly stage: Stage;
    readonly link: Link;
    private machines: Machine[] = [];
    private model: ModelDocument | null = null;
    private number = 0;
    private touches = false; // something can meet something
    private mode: Side = "off";
    private state: StateData | null = null;
    private frame: Frame | null = null;
    private fresh = false;
    private framed = false;
    private chosen = -1;
    private chosenPane = 0;
    private readonly followed = new THREE.Vector3();
    private trail: THREE.Vector3[] = [];
    private largest = 0;
    private anchor: THREE.Vector3 | null = null; // where the machine was when the camera looked at it
    private chases = false; // the camera moves with the machine, until it stands still again
    private chasedAt = 0;
    private noteNumber = -1;
    private pull: { body: number; local: THREE.Vector3; plane: THREE.Plane; line: THREE.Line } | null = null;
    private second: HTMLElement | null = null; // the panel's part for the second run
    private settingInputs: { key: string; panes: number; element: HTMLInputElement | HTMLSelectElement }[] = [];
    private sliders: { friction?: Slider; gravity: Slider[]; actuators: Slider[]; gains: ((state: StateData) => void)[] } = { gravity: [], actuators: [], gains: [] };
    private facts = new Map<Figure, HTMLElement>();
    private charts: { chart: Chart; figures: Figure[] }[] = [];
    private history: { time: number; figures: Record<Figure, number> }[] = [];
    private chartsDue = 0;

    constructor(host: HTMLElement) {
        this.gallery = new Gallery(host, (index) => this.link.count("open", index));
        this.root = make("div", "live", host);
        this.root.hidden = true; // until the server says what to show
        const head = make("header", "live-head", this.root);
        button(head, "☰", "all models", () => this.link.count("open", 0xffffffff));
        this.title = make("h1", "", head, "pawl");
        this.lamp = make("span", "live-lamp", head, "connecting");
        this.lamp.setAttribute("role", "status");
        button(head, "Controls", "settings, inputs and figures", () => this.side.classList.toggle("open"), "live-sheet");
        button(head, "?", "keys (?)", () => (this.help.hidden = !this.help.hidden));
        this.view = make("div", "live-view", this.root);
        this.view.tabIndex = 0;
        this.view.setAttribute("role", "application");
        const canvas = make("canvas", "player-canvas", this.view);
        this.stage = new Stage(canvas);
        this.labels = ["", "second"].map((cls) => {
            const label = make("div", `live-label ${cls}`, this.view);
            label.hidden = true;
            return label;
        });
        this.tip = make("div", "player-tip", this.view);
        this.info = make("div", "player-info", this.view);
        this.info.hidden = true;
        this.note = make("div", "live-note", this.view);
        this.note.hidden = true;
        this.note.setAttribute("role", "alert");
        this.tools(make("div", "live-tools", this.view));
        this.help = helpPanel(this.view, HELP);
        this.lost = make("div", "live-lost", this.view);
        const box = make("div", "", this.lost);
        make("b", "", box, "The connection is lost");
        make("span", "", box, "The server is looked for again…");
        this.lost.hidden = true;
        this.side = make("aside", "live-side", this.root);
        this.side.setAttribute("aria-label", "settings, inputs and figures");
        const foot = make("footer", "live-foot", this.root);
        this.playButton = button(foot, "▶", "run", () => this.run(), "player-play primary");
        button(foot, "Step", "one step (.)", () => this.link.count("step", 1));
        button(foot, "Reset", "back to the start (backspace)", () => this.reset());
        this.speedSelect = make("select", "", foot);
        this.speedSelect.setAttribute("aria-label", "speed");
        SPEEDS.forEach(([value, text]) => (make("option", "", this.speedSelect, text).value = String(value)));
        this.speedSelect.onchange = () => this.link.numbers("speed", [Number(this.speedSelect.value)]);
        this.clock = make("span", "live-clock", foot);
        this.pace = make("span", "live-pace", foot);
        make("span", "gap", foot);
        this.sideSelect = make("select", "", foot);
        this.sideSelect.setAttribute("aria-label", "side by side");
        (["off", "ghost", "split"] as Side[]).forEach((mode, i) => (make("option", "", this.sideSelect, ["One run", "Two: ghost", "Two: panes"][i]).value = mode));
        this.sideSelect.onchange = () => this.compare(this.sideSelect.value as Side);
        this.recordButton = button(foot, "● Record", "record to a file", () => this.link.count("record", this.state?.recording ? 0 : 1), "live-record");
        this.listen(canvas);
        this.link = new Link({
            document: (n, document) => this.open(n, document),
            state: (state) => this.takeState(state),
            frame: (frame) => this.takeFrame(frame),
            connected: (on) => this.connected(on),
        });
        requestAnimationFrame(() => this.tick());
    }

    // ---- commands ----------------------------------------------------------------------------------

    private run(): void {
        this.link.count("run", this.state?.running ? 0 : 1);
    }

    private reset(): void {
        this.history = [];
        this.trail = [];
        this.link.plain("reset");
    }

    private compare(mode: Side): void {
        const narrower = (mode === "split") !== (this.mode === "split");
        this.mode = mode;
        this.sideSelect.value = mode;
        this.link.count("compare", mode === "off" ? 0 : 1);
        if (mode !== "off" && this.second) {
            (this.second.parentElement as HTMLDetailsElement).open = true; // what is different comes next
        }
        this.build();
        if (narrower && this.framed) {
            this.reframe("here");
        }
    }

    private faster(by: number): void {
        const at = SPEEDS.findIndex(([value]) => value === (this.state?.speed ?? 1));
        const next = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
        this.link.numbers("speed", [next[0]]);
    }

    private key(event: KeyboardEvent): void {
        if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey || !this.model) {
            return;
        }
        const click = (key: string) => () => this.toggles.get(key)?.element.click();
        const step = (): void => this.link.count("step", event.shiftKey ? 10 : 1);
        const keys: Record<string, () => void> = {
            " ": () => this.run(),
            ".": step,
            ArrowRight: step,
            Backspace: () => this.reset(),
            "+": () => this.faster(1),
            "-": () => this.faster(-1),
            c: click("contacts"),
            b: click("pairs"),
            k: click("cones"),
            j: click("joints"),
            p: click("path"),
            f: click("follow"),
            r: () => this.reframe(),
            s: () => this.compare(({ off: "ghost", ghost: "split", split: "off" } as const)[this.mode]),
            "?": () => (this.help.hidden = !this.help.hidden),
        };
        if (keys[event.key]) {
            event.preventDefault();
            keys[event.key]();
        }
    }

    // ---- what the server says ------------------------------------------------------------------------

    private connected(on: boolean): void {
        this.lost.hidden = on;
        this.lamp.classList.toggle("off", !on);
        this.lamp.textContent = on ? "connected" : "not connected";
        document.body.dataset.link = on ? "on" : "off";
        this.gallery.connected(on);
    }

    private open(n: number, document: ModelDocument | GalleryDocument): void {
        const gallery = document.show === "gallery";
        this.gallery.show(gallery ? document.models : null);
        this.root.hidden = gallery;
        this.number = n;
        if (gallery) {
            this.model = null;
            window.document.title = "pawl: models";
            return;
        }
        const same = this.model !== null && JSON.stringify(this.model) === JSON.stringify(document);
        this.model = document;
        this.touches = document.friction;
        ["contacts", "pairs", "cones"].forEach((key) => (this.toggles.get(key)!.element.hidden = !document.friction));
        this.toggles.get("joints")!.element.hidden = document.scene.joints.length === 0;
        window.document.title = `pawl: ${document.scene.name}`;
        this.title.textContent = document.scene.name;
        if (!same) {
            this.chosen = -1;
            this.mode = "off";
            this.sideSelect.value = "off";
            this.largest = 0;
            this.framed = false;
            this.anchor = null;
            this.history = [];
            this.build();
            this.panel();
        }
    }

    private takeState(state: StateData): void {
        this.state = state;
        this.playButton.textContent = state.running ? "❚❚" : "▶";
        this.playButton.title = state.running ? "pause (space)" : "run (space)";
        this.playButton.setAttribute("aria-label", state.running ? "pause" : "run");
        this.speedSelect.value = String(state.speed);
        this.recordButton.setAttribute("aria-pressed", String(state.recording !== ""));
        this.recordButton.textContent = state.recording ? `■ ${state.recording}` : "● Record";
        if (state.panes.length === 2 && this.mode === "off") {
            this.mode = "ghost";
            this.sideSelect.value = "ghost";
            this.build();
        }
        for (const { key, panes, element } of this.settingInputs) {
            const value = state.panes[panes === 2 ? 1 : 0]?.settings[key];
            if (value !== undefined && document.activeElement !== element) {
                element.value = value;
            }
        }
        this.sliders.friction?.show(state.friction);
        state.gravity.forEach((g, i) => this.sliders.gravity[i]?.show(g));
        state.targets.forEach((t, i) => this.sliders.actuators[i]?.show(t.target ?? 0));
        this.sliders.gains.forEach((show) => show(state));
        this.label();
        if (state.noteNumber !== this.noteNumber) {
            if (this.noteNumber >= 0 || state.note) {
                this.tell(state.note);
            }
            this.noteNumber = state.noteNumber;
        }
    }

    private tell(text: string): void {
        this.note.textContent = text;
        this.note.hidden = text === "";
        setTimeout(() => (this.note.hidden = true), 7000);
    }

    /** What tells the two runs apart: the settings that differ. */
    private label(): void {
        const two = this.mode !== "off" && (this.state?.panes.length ?? 0) === 2;
        const [a, b] = (this.state?.panes ?? []).map((pane) => pane.settings);
        this.view.classList.toggle("live-split", two && this.mode === "split");
        this.view.classList.toggle("live-ghost", two && this.mode === "ghost");
        this.second?.classList.toggle("on", two);
        this.labels.forEach((label, pane) => {
            label.hidden = !two;
            if (two) {
                const own = pane === 0 ? a : b;
                const differing = Object.keys(a).filter((key) => a[key] !== b[key]);
                label.replaceChildren(make("i", "", null), differing.length > 0 ? differing.map((key) => `${key} ${own[key]}`).join(", ") : "same settings");
                label.style.left = pane === 0 ? "12px" : this.mode === "split" ? "calc(50% + 12px)" : "12px";
                label.style.top = pane === 1 && this.mode === "ghost" ? "46px" : "12px";
            }
        });
    }

    private takeFrame(frame: Frame): void {
        if (frame.document === this.number) {
            this.frame = frame;
            this.fresh = true;
        } else {
            this.link.drawn();
        }
    }

    // ---- drawing -------------------------------------------------------------------------------------

    private build(): void {
        if (!this.model) {
            return;
        }
        this.machines.forEach((machine) => machine.dispose());
        const scene = this.model.scene;
        this.machines = this.mode === "off" ? [new Machine(scene)] : [new Machine(scene), new Machine(scene, this.mode === "ghost")];
        this.stage.show(this.machines, scene.up, this.mode === "split");
        if (this.frame?.document === this.number) {
            this.begin(this.frame);
        }
        this.apply();
        this.fresh = this.frame !== null;
    }

    /** The first frame of new machines: now their size is known. */
    private begin(frame: Frame): void {
        this.machines.forEach((machine, p) => {
            machine.take((frame.panes[p] ?? frame.panes[0]).poses, 0);
            machine.include();
            machine.finish();
        });
        if (!this.framed) {
            this.framed = true;
            this.stage.frame(this.machines[0].bounds);
        }
        this.apply();
    }

    private reframe(from: "front" | "here" = "front"): void {
        const machine = this.machines[0];
        if (machine) {
            machine.bounds.makeEmpty();
            machine.include();
            this.anchor = null;
            this.stage.frame(machine.bounds, 1, from);
        }
    }

    private tools(parent: HTMLElement): void {
        const add = (key: string, label: string, title: string, on = false): void => {
            this.toggles.set(key, new Toggle(parent, label, title, on, () => this.apply()));
        };
        add("contacts", "Contacts", "contact points and forces (c)", true);
        add("pairs", "By pair", "one arrow for each pair of bodies (b)");
        add("cones", "Cones", "friction cones (k)");
        add("joints", "Joints", "joints with their frames, coloured by closure (j)");
        add("path", "Path", "path of the chosen body (p)");
        add("follow", "Follow", "follow the chosen body (f)");
        button(parent, "Frame", "frame the machine (r)", () => this.reframe());
    }

    private isOn(key: string): boolean {
        return this.toggles.get(key)?.on ?? false;
    }

    private apply(): void {
        for (const machine of this.machines) {
            machine.contacts.visible = this.isOn("contacts") || this.isOn("pairs");
            machine.cones.visible = this.isOn("cones");
            machine.byPair = this.isOn("pairs");
            machine.joints.visible = this.isOn("joints");
        }
        this.machines.forEach((machine, p) => machine.highlight(p === this.chosenPane ? this.chosen : -1));
        if (!this.isOn("path")) {
            this.trail = [];
            this.machines[0]?.showPath([]);
        }
        if (this.chosen >= 0 && this.machines[this.chosenPane]) {
            this.followed.copy(this.machines[this.chosenPane].position[this.chosen]);
        }
        this.fresh = this.frame !== null;
        this.stage.touch();
    }

    private tick(): void {
        if (this.fresh && this.frame && this.model && this.machines.length > 0) {
            this.fresh = false;
            this.draw(this.frame);
            this.link.drawn();
        }
        if (!this.root.hidden && this.stage.render() && this.framed && this.frame?.document === this.number) {
            document.body.dataset.drawn = String(Number(document.body.dataset.drawn ?? 0) + 1);
        }
        requestAnimationFrame(() => this.tick());
    }

    private draw(frame: Frame): void {
        if (this.machines[0].bounds.isEmpty()) {
            this.begin(frame);
        }
        this.machines.forEach((machine, p) => {
            const pane = frame.panes[p] ?? frame.panes[0];
            machine.root.visible = p < frame.panes.length;
            machine.take(pane.poses, 0);
            this.scaleForces(machine, pane);
            machine.place();
            machine.showGaps(pane.gaps);
            machine.showContacts(pane.contacts);
        });
        const pane = frame.panes[Math.min(this.chosenPane, frame.panes.length - 1)];
        this.keepInView();
        this.showChosen(pane);
        this.clock.textContent = `${frame.panes[0].time.toFixed(3)} s`;
        const ratio = frame.panes[0].figures.realTime;
        this.pace.textContent = frame.running ? `${number(Number(ratio.toPrecision(2)))}× real time` : "paused";
        this.showFacts(frame.panes[0]);
        this.keep(frame.panes[0]);
        this.drawPull();
        this.stage.touch();
    }

    /** A machine that drives out of the picture takes the camera along. */
    private keepInView(): void {
        const machine = this.machines[0];
        const centre = machine.middle();
        if (this.anchor === null) {
            this.anchor = centre;
        }
        const step = centre.clone().sub(this.anchor);
        const now = performance.now();
        const share = 1 - Math.exp((this.chasedAt - now) / CHASE);
        this.chasedAt = now;
        this.chases = step.length() > (this.chases ? 0.01 : 0.15) * machine.size;
        if (this.pull || this.isOn("follow") || !this.chases) {
            return;
        }
        // Never further behind than the picture reaches: a stone that falls for ever stays in it.
        step.multiplyScalar(Math.max(share, 1 - (0.3 * machine.size) / step.length()));
        this.anchor.add(step);
        this.stage.follow(step);
    }

    /** The longest arrow so far, slowly forgotten, is a fifth of the machine's size. */
    private scaleForces(machine: Machine, pane: PaneFrame): void {
        let largest = 0;
        for (let i = 0; i < pane.contacts.count; i++) {
            largest = Math.max(largest, Math.hypot(pane.contacts.point[6 * i + 3], pane.contacts.point[6 * i + 4], pane.contacts.point[6 * i + 5]));
        }
        this.largest = Math.max(largest, 0.995 * this.largest);
        machine.forceScale = (0.2 * machine.size) / (this.largest || 1);
    }

    private showChosen(pane: PaneFrame): void {
        const machine = this.machines[this.chosenPane];
        this.info.hidden = this.chosen < 0 || !machine;
        if (this.chosen < 0 || !machine) {
            return;
        }
        this.info.textContent = describeBody(machine, this.chosen, pane.contacts, null);
        const now = machine.position[this.chosen];
        if (this.isOn("follow")) {
            this.stage.follow(now.clone().sub(this.followed));
        }
        this.followed.copy(now);
        if (this.isOn("path")) {
            this.trail.push(machine.centre(this.chosen));
            this.trail = this.trail.slice(-2000);
            this.machines[0].showPath(this.trail);
        }
    }

    private showFacts(pane: PaneFrame): void {
        for (const [figure, element] of this.facts) {
            const value = pane.figures[figure];
            const row = element.previousElementSibling as HTMLElement;
            const useless = !Number.isFinite(value) || (figure === "drag" && !this.pull) || (figure === "closure" && this.model!.scene.joints.length === 0) || (!this.touches && (figure === "contacts" || figure === "penetration"));
            element.hidden = row.hidden = useless;
            element.textContent = `${number(value)} ${FACTS.find(([f]) => f === figure)![2]}`;
            element.classList.toggle("warn", figure === "unsolved" && value > 0);
        }
    }

    private keep(pane: PaneFrame): void {
        const last = this.history[this.history.length - 1];
        if (!last || pane.time > last.time) {
            this.history.push({ time: pane.time, figures: pane.figures });
        } else if (pane.time < last.time) {
            this.history = [{ time: pane.time, figures: pane.figures }];
        }
        if (this.history.length > HISTORY) {
            this.history.shift();
        }
        const now = performance.now();
        if (now < this.chartsDue) {
            return;
        }
        this.chartsDue = now + 120;
        const x = this.history.map((h) => h.time);
        for (const { chart, figures } of this.charts) {
            const seen = chart.element.closest("details")?.open && this.history.length > 1;
            if (seen) {
                chart.update(x, figures.map((figure) => this.history.map((h) => (Number.isFinite(h.figures[figure]) ? h.figures[figure] : null))));
            }
        }
    }

    // ---- the side panel --------------------------------------------------------------------------------

    private section(title: string, open: boolean): HTMLElement {
        const details = make("details", "", this.side);
        details.open = open;
        make("summary", "", details, title);
        return make("div", "", details);
    }

    private panel(): void {
        const model = this.model!;
        this.side.replaceChildren();
        this.settingInputs = [];
        this.sliders = { gravity: [], actuators: [], gains: [] };
        this.facts.clear();
        const method = this.section("Method", true);
        this.methodRows(method, 1);
        this.second = this.section("Second run", false);
        this.second.classList.add("live-second");
        make("p", "live-hint", this.second, "Choose “Two” below to run the same machine under other settings, too.");
        this.methodRows(this.second, 2);
        this.inputs(model);
        const facts = make("dl", "live-facts", this.section("Figures", true));
        for (const [figure, name] of FACTS) {
            make("dt", "", facts, name);
            this.facts.set(figure, make("dd", "", facts));
        }
        this.liveCharts(this.section("Plots", window.innerWidth > 760));
        const all = this.section("All settings", false);
        all.classList.add("live-all");
        make("p", "live-hint", all, "Take effect at once; what is refused stays as it was.");
        for (const setting of model.settings.filter(({ key }) => !METHOD.includes(key))) {
            this.settingRow(all, setting.key, 1, choicesOf(setting.range), `${setting.help}${setting.range ? ` (${setting.range})` : ""}`, setting.value);
        }
    }

    private methodRows(parent: HTMLElement, panes: number): void {
        const model = this.model!;
        const choices = [model.steppers, model.solvers, model.formulations, null];
        const help = ["how time advances", "what solves the constraints", "coordinates", "time step [s]"];
        METHOD.forEach((key, i) => this.settingRow(parent, key, panes, choices[i], help[i], ""));
    }

    private settingRow(parent: HTMLElement, key: string, panes: number, choices: Choice[] | null, help: string, value: string): void {
        const row = make("div", "live-row", parent);
        const label = make("label", "", row, key.replace(/[._]/g, "$&\u200b")); // long names break there
        label.title = help;
        const element = choices ? make("select", "", row) : make("input", "", row);
        for (const choice of choices ?? []) {
            const option = make("option", "", element, choice.name);
            option.value = choice.name;
            option.title = choice.summary;
        }
        if (element instanceof HTMLInputElement) {
            element.type = "text";
            element.spellcheck = false;
        }
        element.value = value;
        element.title = help;
        element.id = `set-${panes}-${this.settingInputs.length}-${key}`;
        label.htmlFor = element.id;
        element.dataset.key = key;
        element.dataset.panes = String(panes);
        element.onchange = () => {
            this.link.set(panes, key, element.value.trim());
            element.blur();
        };
        this.settingInputs.push({ key, panes, element });
    }

    private slider(parent: HTMLElement, name: string, unit: string, low: number, high: number, start: number, act: (value: number) => void, clear: () => void, shown = (value: number): number => value): Slider {
        const row = make("div", "live-row slide", parent);
        const label = make("span", "name", row, name);
        label.title = name;
        const input = make("input", "", row);
        Object.assign(input, { type: "range", min: String(low), max: String(high), step: String((high - low) / 400), value: String(start) });
        input.setAttribute("aria-label", name);
        const output = make("output", "", row);
        const slider: Slider = {
            input,
            output,
            unit,
            show: (value) => {
                if (document.activeElement !== input || !input.matches(":active")) {
                    input.value = String(value);
                }
                output.textContent = `${number(Number(shown(value).toPrecision(3)))} ${unit}`;
            },
        };
        input.oninput = () => {
            output.textContent = `${number(Number(shown(Number(input.value)).toPrecision(3)))} ${unit}`;
            act(Number(input.value));
        };
        button(row, "↺", `${name} as in the model`, clear);
        slider.show(start);
        return slider;
    }

    private inputs(model: ModelDocument): void {
        const world = this.section("World", true);
        const g = model.gravity;
        const size = Math.max(20, 2 * Math.hypot(...g));
        ["x", "y", "z"].forEach((axis, i) => {
            // The other two stay what the server has: sliders know them to a step only.
            const set = (value: number): void => this.link.numbers("gravity", (this.state?.gravity ?? g).map((now, k) => (k === i ? value : now)));
            this.sliders.gravity.push(this.slider(world, `gravity ${axis}`, "", -size, size, g[i], set, () => set(g[i])));
        });
        if (model.friction) {
            const act = (value: number): void => this.link.numbers("friction", [value]);
            this.sliders.friction = this.slider(world, "friction", "×", 0, 3, 1, act, () => act(1));
        }
        if (model.actuators.length === 0) {
            return;
        }
        const motors = this.section(`Actuators (${model.actuators.length})`, model.actuators.length <= 12);
        motors.classList.add("live-names");
        model.actuators.forEach((a, i) => {
            const act = (value: number): void => this.link.target("target", i, [value]);
            this.sliders.actuators.push(this.slider(motors, a.name, a.unit, a.low, a.high, 0, act, () => this.link.count("clearTarget", i)));
        });
        make("p", "live-hint", motors, "↺ gives the actuator back to its own signal.");
        this.gains(model);
    }

    /** Servos' stiffness and damping, from a hundredth to a hundred times the model's: equal steps of a slider are equal factors. */
    private gains(model: ModelDocument): void {
        const servos = model.actuators.map((a, i) => ({ ...a, i })).filter((a) => (a.stiffness ?? 0) > 0 || (a.damping ?? 0) > 0);
        if (servos.length === 0) {
            return;
        }
        const parent = this.section(`Gains (${servos.length})`, false);
        parent.classList.add("live-names");
        for (const a of servos) {
            const given = [a.stiffness ?? 0, a.damping ?? 0];
            let now = [...given];
            ["stiffness", "damping"].forEach((word, k) => {
                if (given[k] <= 0) {
                    return;
                }
                const act = (value: number): void => {
                    now[k] = given[k] * 10 ** value;
                    this.link.target("gains", a.i, now);
                };
                const slider = this.slider(parent, `${a.name} ${word}`, "×", -2, 2, 0, act, () => act(0), (x) => 10 ** x);
                this.sliders.gains.push((state) => {
                    const t = state.targets[a.i];
                    now = [t?.stiffness ?? given[0], t?.damping ?? given[1]];
                    slider.show(now[k] > 0 ? Math.log10(now[k] / given[k]) : -2);
                });
            });
        }
        make("p", "live-hint", parent, "Factors on the gains of the model.");
    }

    private liveCharts(parent: HTMLElement): void {
        const add = (title: string, unit: string, figures: [Figure, string][], log: boolean): void => {
            const box = make("div", "live-chart", parent);
            make("b", "", box, title);
            make("small", "", box, ` ${unit}`);
            const curves = figures.map(([, name], colour) => ({ name, y: [0, 0], colour }));
            const chart = new Chart(box, { title, unit, xName: "", x: [0, 1], curves, log }, 120, true);
            chart.element.style.cssText = "border:0;padding:0";
            this.charts.push({ chart, figures: figures.map(([f]) => f) });
        };
        this.charts = [];
        add("Energy", "J: kinetic, potential", [["kinetic", "kinetic"], ["potential", "potential"]], false);
        add("Unexplained energy", "J", [["balance", "balance"]], false);
        add("Residual", "m/s", [["residual", "residual"]], true);
        if (this.model!.scene.joints.length > 0) {
            add("Joint closure", "m", [["closure", "closure"]], true);
        }
        add("Iterations", "a step", [["iterations", "iterations"]], false);
    }

    // ---- the pointer ------------------------------------------------------------------------------------

    private listen(canvas: HTMLCanvasElement): void {
        let moved = 0;
        canvas.addEventListener("pointerdown", (event) => {
            moved = 0;
            if (event.button === 0 && !event.shiftKey) {
                this.grab(event);
            }
        }, true);
        canvas.addEventListener("pointermove", (event) => {
            moved += Math.abs(event.movementX) + Math.abs(event.movementY);
            if (this.pull) {
                this.drag(event);
            }
            const hit = event.buttons === 0 ? this.stage.pick(event) : null;
            this.tip.textContent = hit?.name ?? "";
            canvas.style.cursor = hit ? "pointer" : "";
            const box = canvas.getBoundingClientRect();
            this.tip.style.transform = `translate(${event.clientX - box.left + 14}px, ${event.clientY - box.top + 10}px)`;
        });
        const end = (event: PointerEvent): void => {
            if (this.pull) {
                this.release();
            }
            if (moved < 6 && event.type === "pointerup") {
                const hit = this.stage.pick(event);
                this.chosen = hit?.body ?? -1;
                this.chosenPane = hit?.pane ?? 0;
                this.trail = [];
                this.apply();
            }
        };
        canvas.addEventListener("pointerup", end);
        canvas.addEventListener("pointercancel", end);
        canvas.addEventListener("pointerleave", () => (this.tip.textContent = ""));
        window.addEventListener("keydown", (event) => this.key(event));
    }

    private grab(event: PointerEvent): void {
        const hit = this.stage.pick(event);
        if (!hit || !this.frame) {
            return;
        }
        const machine = this.machines[hit.pane];
        const local = hit.point.clone().sub(machine.position[hit.body]).applyQuaternion(machine.quaternion[hit.body].clone().invert());
        const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
        const line = new THREE.Line(
            new THREE.BufferGeometry().setFromPoints([hit.point, hit.point]),
            new THREE.LineBasicMaterial({ color: 0xd0641a, depthTest: false, transparent: true }),
        );
        line.renderOrder = 5;
        line.frustumCulled = false;
        this.stage.scene.add(line);
        this.pull = { body: hit.body, local, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point), line };
        this.stage.controls.enabled = false;
        this.stage.canvas.setPointerCapture(event.pointerId);
        this.drag(event);
    }

    private drag(event: PointerEvent): void {
        const target = this.stage.ray(event).caster.ray.intersectPlane(this.pull!.plane, new THREE.Vector3());
        if (target && this.pull) {
            this.link.grab(this.pull.body, this.pull.local.toArray(), target.toArray());
            this.pull.line.userData.target = target;
            this.drawPull();
        }
    }

    private drawPull(): void {
        const target = this.pull?.line.userData.target as THREE.Vector3 | undefined;
        if (this.pull && target) {
            const machine = this.machines[0];
            const at = this.pull.local.clone().applyQuaternion(machine.quaternion[this.pull.body]).add(machine.position[this.pull.body]);
            this.pull.line.geometry.setFromPoints([at, target]);
            this.stage.touch();
        }
    }

    private release(): void {
        this.link.plain("release");
        this.stage.scene.remove(this.pull!.line);
        this.pull = null;
        this.stage.controls.enabled = true;
        this.stage.touch();
    }

    // ---- for scripts and tests ----------------------------------------------------------------------------

    get last(): Frame | null {
        return this.frame;
    }

    get settings(): StateData | null {
        return this.state;
    }

    /** Where a body is on the screen. */
    screen(body: number): { x: number; y: number } {
        const at = this.machines[0].centre(body).project(this.stage.camera);
        const box = this.stage.canvas.getBoundingClientRect();
        return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
    }
}
