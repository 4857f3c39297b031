// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Several runs in one page: the settings that differ, the verdicts side by side, every curve of one quantity in one
// plot with a colour for each run, the machines moving together.
import { Chart, type ChartData } from "./charts";
import { make, number } from "./kit";
import { chartOf } from "./plotdata";
import type { Player } from "./player";
import { player, type ReportData } from "./report";

export interface CompareData {
    page: "compare";
    runs: ReportData[];
}

export class Compare {
    readonly players: (Player | null)[];

    constructor(data: CompareData, host: HTMLElement) {
        const { runs } = data;
        const names = this.names(runs);
        document.title = `${runs.length} runs · pawl compare`;
        const page = make("main", "page", host);
        const head = make("header", "", page);
        make("div", "eyebrow", head, "Comparison");
        const models = [...new Set(runs.map((run) => run.name))];
        make("h1", "", head, models.length === 1 ? models[0] : `${runs.length} runs`);
        make("p", "lead", head, names.join(" · "));
        this.table(page, runs, names);
        make("h2", "", page, "Machines");
        const grid = make("div", "players", page);
        this.players = runs.map((run, i) => {
            if (!run.motion) {
                return null;
            }
            const box = make("section", "", grid);
            this.key(make("p", "lead", box), i, names[i]);
            return player(box, run.motion);
        });
        this.together();
        this.plots(page, runs, names);
    }

    /** What tells runs apart: file names, or whole settings where these are alike. */
    private names(runs: ReportData[]): string[] {
        const differing = this.differing(runs);
        return runs.map((run) => {
            const settings = differing.slice(0, 3).map((key) => `${key} ${this.setting(run, key)}`);
            return [run.run.file.replace(/\.h5$/, ""), ...settings].join(", ");
        });
    }

    private setting(run: ReportData, key: string): string {
        return run.settings.find((s) => s.key === key)?.value ?? "–";
    }

    private differing(runs: ReportData[]): string[] {
        return runs[0].settings.map((s) => s.key).filter((key) => new Set(runs.map((run) => this.setting(run, key))).size > 1);
    }

    private key(parent: HTMLElement, run: number, name: string): void {
        make("i", "run-key", parent).style.background = `var(--k${run % 8})`;
        parent.append(name);
    }

    private table(page: HTMLElement, runs: ReportData[], names: string[]): void {
        make("h2", "", page, "What differs");
        const list = make("table", "", make("div", "card scroll fit", page));
        const top = make("tr", "", list);
        make("th", "", top, "");
        names.forEach((name, i) => this.key(make("th", "n", top), i, name));
        const row = (title: string, cells: { text: string; cls?: string }[]): void => {
            const line = make("tr", "", list);
            make("td", "", line, title);
            cells.forEach((cell) => make("td", `n ${cell.cls ?? ""}`, line, cell.text));
        };
        row("verdict", runs.map((run) => ({ text: run.verdict.passed ? "✓ passed" : "! NOT MET", cls: run.verdict.passed ? "ok" : "no" })));
        for (const key of this.differing(runs)) {
            row(key, runs.map((run) => ({ text: this.setting(run, key) })));
        }
        row("steps", runs.map((run) => ({ text: String(run.run.steps) })));
        for (const [k, criterion] of runs[0].verdict.criteria.entries()) {
            const all = runs.map((run) => run.verdict.criteria[k]);
            if (all.some((c) => c && c.met !== null)) {
                row(`${criterion.title}${criterion.unit ? ` [${criterion.unit}]` : ""}`, all.map((c) => ({ text: c?.met === null || !c ? "–" : number(c.value), cls: c?.met === false ? "no" : "" })));
            }
        }
    }

    /** All players show the time of the one that was touched last. */
    private together(): void {
        const pace = Math.max(...this.players.map((one) => one?.pace ?? 0)); // that of the longest run
        this.players.forEach((one) => one && (one.pace = pace));
        let busy = false;
        document.addEventListener("pawl-time", (event) => {
            if (busy) {
                return;
            }
            busy = true;
            const time = (event as CustomEvent<number>).detail;
            this.players.forEach((one) => one && Math.abs(one.now - time) > 1e-12 && one.seek(time));
            busy = false;
        });
    }

    private plots(page: HTMLElement, runs: ReportData[], names: string[]): void {
        make("h2", "", page, "Curves");
        const grid = make("div", "plots", page);
        const titles = [...new Set(runs.flatMap((run) => run.plots.map((plot) => plot.title)))];
        for (const title of titles) {
            const plots = runs.map((run) => run.plots.find((plot) => plot.title === title));
            const first = plots.find((plot) => plot !== undefined)!;
            const curves: ChartData[] = plots.map((plot, i) => chartOf({ ...first, curves: plot?.curves ?? [] }, [], () => i));
            new Chart(grid, this.merge(curves, names));
        }
    }

    /** The curves of all runs on one axis; of many curves of one run the first few are shown. */
    private merge(charts: ChartData[], names: string[]): ChartData {
        const xs = [...new Set(charts.flatMap((chart) => Array.from(chart.x)))].sort((a, b) => a - b);
        const at = new Map(xs.map((x, i) => [x, i]));
        const several = charts.some((chart) => chart.curves.length > 1);
        const curves = charts.flatMap((chart, run) =>
            chart.curves.map((curve, k) => {
                const y = new Array<number | null | undefined>(xs.length).fill(undefined);
                for (let i = 0; i < chart.x.length; i++) {
                    y[at.get(chart.x[i])!] = curve.y[i];
                }
                return { ...curve, y: y as ArrayLike<number | null>, colour: run, dashed: k % 2 === 1, name: several ? `${curve.name} (${names[run]})` : names[run], hidden: k >= 3 };
            }),
        );
        return { ...charts[0], x: xs, curves, note: "" };
    }
}
