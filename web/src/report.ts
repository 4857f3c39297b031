// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The report of a run: verdict, player, figures, plots, tables. Everything comes from one document (docs/pages.md).
import { Chart } from "./charts";
import { make, number, plural } from "./kit";
import { Motion, type MotionData } from "./motion";
import { chartOf, forcesByPair, type PlotData } from "./plotdata";
import { Player } from "./player";
import { table } from "./table";

export interface Criterion {
    name: string;
    title: string;
    unit: string;
    met: boolean | null;
    measured: boolean;
    value: number | null;
    limit: number | null;
    where: string;
    advice: string;
}

export interface ReportData {
    format: number;
    page: "report";
    name: string;
    run: { bodies: number; joints: number; frames: number; steps: number; start: number; end: number; dt: number; project: boolean; stepper: string; solver: string; formulation: string; file: string; version: string; hash: string };
    verdict: { passed: boolean; sentence: string; criteria: Criterion[] };
    motion: MotionData | null;
    plots: PlotData[];
    contacts: { a: string; b: string; depth: number; time: number; force: number; open: number; stick: number; slip: number }[];
    events: { count: number; kinds: { kind: string; count: number; first: number; last: number; figure: string; least: number; most: number }[]; list: { time: number; kind: string; where: string; figure: number; what: string }[] };
    settings: { key: string; value: string; unit: string; help: string }[];
    bodies: { name: string; mass: number }[];
    joints: { name: string; kind: string; base: string; follower: string }[];
}

export function verdictBox(parent: HTMLElement, passed: boolean, title: string, text: string): void {
    const box = make("section", `verdict ${passed ? "pass" : "check"}`, parent);
    make("strong", "", box, title);
    make("p", "", box, text);
}

/** A tile for each criterion that says something; the rest in one line. */
export function criteria(parent: HTMLElement, list: Criterion[]): void {
    const tiles = make("section", "figures", parent);
    for (const c of list.filter((one) => one.met !== null)) {
        const tile = make("div", "card", tiles);
        tile.dataset.criterion = c.name;
        const name = make("div", "name", tile);
        make("span", "", name, c.title);
        make("span", c.met ? "ok" : "no", name, c.met ? "✓ passed" : "! FAILED");
        const value = make("div", "value", tile, number(c.value));
        make("small", "", value, ` ${c.unit}`);
        const limit = c.limit !== null ? `at most ${number(c.limit)}${c.unit ? ` ${c.unit}` : ""}` : "";
        make("div", "where", tile, [limit, c.where].filter(Boolean).join("; "));
        if (!c.met) {
            make("div", "where", tile, c.advice);
        }
    }
    const rest = list.filter((one) => one.met === null);
    if (rest.length > 0) {
        const line = make("p", "unjudged", parent, `Not judged here: ${rest.map((c) => c.title).join(", ")}.`);
        line.title = rest.map((c) => `${c.title}: ${c.advice}`).join("\n");
        line.dataset.unjudged = rest.map((c) => c.name).join(" ");
    }
}

/** The player, or why there is none. */
export function player(parent: HTMLElement, data: MotionData): Player | null {
    const host = make("div", "", parent);
    host.id = document.getElementById("pawl-player") ? "" : "pawl-player";
    try {
        const made = new Player(host, new Motion(data));
        host.dataset.state = "ready";
        return made;
    } catch (error) {
        host.replaceChildren();
        host.className = "card";
        host.dataset.state = "failed";
        make("p", "player-failed", host, `The motion cannot be shown in 3D here: ${error instanceof Error ? error.message : String(error)}. The plots below remain.`);
        return null;
    }
}

/** Section by section, so that the eye finds energy with energy. */
const SECTIONS: [string, RegExp][] = [
    ["Motion", /^Joint/],
    ["Energy", /^(Energy|Work)/],
    ["Accuracy", /^(Closure|Residual|Iterations|Penetration)/],
    ["Loads", /./],
];

export class Report {
    readonly player: Player | null;
    readonly charts: Chart[] = [];

    constructor(data: ReportData, host: HTMLElement) {
        document.title = `${data.name} · pawl report`;
        const page = make("main", "page", host);
        this.head(page, data);
        const { passed, sentence } = data.verdict;
        verdictBox(page, passed, passed ? "PASSED" : "NOT MET", sentence.replace(/^(PASSED|NOT MET)[,:] */, ""));
        this.player = data.motion ? player(page, data.motion) : null;
        criteria(page, data.verdict.criteria);
        this.plots(page, data);
        this.contacts(page, data);
        this.events(page, data);
        this.details(page, data);
        make("footer", "", page, `Recorded by pawl ${data.run.version} in ${data.run.file}; model hash ${data.run.hash}. Residuals and closure are the worst since the frame before, so that no step is left out. Energy balance: energy now, less all work done since the start, less energy at the start.`);
        if (this.player) {
            (window as unknown as { pawlPlayer: Player }).pawlPlayer = this.player;
            const query = new URLSearchParams(location.hash.slice(1));
            if (query.has("t")) {
                this.player.seek(Number(query.get("t")));
            }
        }
    }

    private head(page: HTMLElement, { name, run }: ReportData): void {
        const head = make("header", "", page);
        make("div", "eyebrow", head, "Simulation report");
        make("h1", "", head, name);
        const parts = [
            `${plural(run.bodies, "body", "bodies")}, ${plural(run.joints, "joint")}`,
            `${number(run.end - run.start)} s in ${plural(run.steps, "step")} of ${number(run.dt)} s`,
            `stepper ${run.stepper}, solver ${run.solver}${run.project ? ", projected" : ""}, ${run.formulation} coordinates`,
            plural(run.frames, "recorded frame"),
        ];
        make("p", "lead", head, parts.join(" · "));
    }

    private plots(page: HTMLElement, data: ReportData): void {
        const marks = data.motion?.events.map((event) => event.time) ?? data.events.list.map((event) => event.time);
        const charts = data.plots.map((plot) => chartOf(plot, marks));
        const pairs = this.player && forcesByPair(this.player.motion, marks);
        if (pairs) {
            charts.push(pairs);
        }
        const left = new Set(charts);
        for (const [title, pattern] of SECTIONS) {
            const chosen = [...left].filter((chart) => pattern.test(chart.title));
            chosen.forEach((chart) => left.delete(chart));
            if (chosen.length > 0) {
                make("h2", "", page, title);
                const grid = make("div", "plots", page);
                chosen.forEach((chart) => this.charts.push(new Chart(grid, chart)));
            }
        }
    }

    private contacts(page: HTMLElement, data: ReportData): void {
        if (data.contacts.length === 0) {
            return;
        }
        make("h2", "", page, "Contacts");
        const rows = data.contacts.map((c) => [`${c.a} on ${c.b}`, number(Math.max(0, c.depth)), number(c.time), number(c.force), c.open, c.stick, c.slip]);
        const card = table(page, ["pair", "penetration [m]", "at [s]", "largest force [N]", "open", "stick", "slip"], rows);
        card.dataset.table = "contacts";
        make("p", "note", page, `The ${data.contacts.length} pairs of shapes that were closest or deepest in the recorded frames. Modes are counts of recorded contact points.`);
    }

    private events(page: HTMLElement, { events }: ReportData): void {
        if (events.count === 0) {
            return;
        }
        make("h2", "", page, "Events");
        table(page, ["kind", "count", "first [s]", "last [s]", "figure", "least", "largest"], events.kinds.map((k) => [k.kind, k.count, number(k.first), number(k.last), k.figure, number(k.least), number(k.most)]), [0, 4]).dataset.table = "events";
        make("p", "note", page, "Found within the steps; ticks on the time line and at the top of the plots show where.");
        const box = make("details", "card wide", page);
        make("summary", "", box, `${events.list.length < events.count ? "The first " : ""}${events.list.length} of ${events.count} events`);
        const list = table(box, ["time [s]", "kind", "where", "figure", ""], events.list.map((e) => [String(e.time), e.kind, e.where, number(e.figure), e.what]), [1, 2, 4]);
        list.classList.remove("card");
    }

    private details(page: HTMLElement, data: ReportData): void {
        make("h2", "", page, "Details");
        const fold = (title: string, head: string[], rows: (string | number)[][], words: number[]): void => {
            const box = make("details", "card wide", page);
            make("summary", "", box, title);
            table(box, head, rows, words).classList.remove("card");
        };
        fold("Settings", ["key", "value", "unit", "meaning"], data.settings.map((s) => [s.key, s.value, s.unit, s.help]), [0, 1, 2, 3]);
        const more = (shown: number, all: number): string => (shown < all ? ` (the first ${shown} of ${all})` : "");
        fold(`Bodies${more(data.bodies.length, data.run.bodies)}`, ["body", "mass [kg]"], data.bodies.map((b) => [b.name, number(b.mass)]), [0]);
        if (data.joints.length > 0) {
            fold(`Joints${more(data.joints.length, data.run.joints)}`, ["joint", "kind", "base", "follower"], data.joints.map((j) => [j.name, j.kind, j.base, j.follower]), [0, 1, 2, 3]);
        }
    }
}
