// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The page of pawl bench: conclusions, filters by solver, machine, scenario and category, and charts of what they leave.
import css from "./lab.css";
import { accuracyChart, boxChart, heatMap, historyChart, html, look, profileChart, profileGrid, seconds } from "./lab_charts";
import { Filter, Lab, Quantity, Score, readLab, scores, select } from "./lab_data";

const measures: [Quantity, string, string][] = [
    ["residual", "natural map", "scaled natural map of Coulomb's law [m/s]"],
    ["seconds", "time", "processor time of a solve [s]"],
    ["iterations", "iterations", "iterations"],
    ["dual", "dual residual", "dual residual [m/s]"],
    ["complementarity", "complementarity", "complementarity residual [J]"],
    ["penetration", "penetration", "position error at the end of the step [m or rad]"],
    ["sensitivity", "sensitivity", "change of the answer over that of v_f"],
    ["jump", "jump", "change of the answer from the step before [m/s]"],
];

// Plain text as the console has it, set as type: what it is about stands out, kinds of samples that a solver is for have a line each.
function conclusion(text: string): HTMLElement {
    const set = text.replace(/->/g, "→").replace(/(\d) us\b/g, "$1 µs").replace(/(\d) %/g, "$1\u00a0%");
    const use = /^(Use \S+) for (.*)\.$/.exec(set), kinds = use?.[2].split("; ") ?? [];
    if (use && kinds.length > 1) return html("li", {}, html("strong", {}, use[1]), " for", ...kinds.map((kind) => html("span", { class: "kind" }, kind)));
    const head = /^(Best over all|The default, [\w-]+|As published \u2192 pawl's variant|Use \S+|Answers follow a small change)/.exec(set)?.[0] ?? "";
    return html("li", {}, html("strong", {}, head), set.slice(head.length));
}

class Page {
    private filter: Filter;
    private measure: Quantity = "residual";
    private across: "category" | "system" | "scenario" = "category";
    private order: keyof Score = "area";
    private history = ""; // the sample whose histories are drawn; "" for the median of all that the filters leave
    private parts: Record<string, HTMLElement> = {};

    constructor(private lab: Lab, private root: HTMLElement) {
        this.filter = { system: "", scenario: "", category: "", decade: 6, solvers: new Set() };
        const own = lab.solvers.findIndex((s) => s.name === lab.default); // the default solver has the first colour
        lab.ranking = this.ranking().filter((i) => i !== own);
        if (own >= 0) lab.ranking.unshift(own);
        this.filter.solvers = new Set(lab.ranking.slice(0, 8));
        this.build();
        this.draw();
    }

    private all(): number[] { return this.lab.solvers.map((_, i) => i); }

    /** Solvers that take all samples first, by area. */
    private ranking(): number[] {
        const list = scores(this.lab, select(this.lab, this.filter), this.all(), this.filter.decade);
        const most = Math.max(...list.map((s) => s.tried));
        return list.sort((a, b) => Number(b.tried === most) - Number(a.tried === most) || b.area - a.area).map((s) => s.solver);
    }

    private section(id: string, title: string, note: string, ...tools: Node[]): HTMLElement {
        this.parts[id] = html("div", { class: "chart", id });
        return html("section", { class: "card" }, html("div", { class: "head" }, html("h2", {}, title), ...tools), html("p", { class: "note" }, note), this.parts[id]);
    }

    private choice(label: string, options: [string, string][], value: string, take: (value: string) => void): HTMLElement {
        const box = html("select", { "aria-label": label }) as HTMLSelectElement;
        for (const [key, text] of options) box.append(html("option", key === value ? { value: key, selected: "" } : { value: key }, text));
        box.addEventListener("change", () => { take(box.value); this.draw(); });
        return html("label", { class: "field" }, html("span", {}, label), box);
    }

    private names(of: (i: number) => string): [string, string][] {
        const seen = [...new Set(this.lab.samples.map((_, i) => of(i)))];
        return [["", "all"], ...seen.map((n) => [n, n] as [string, string])];
    }

    private build(): void {
        const { lab } = this, s = lab.samples;
        const facts = [[`${s.length.toLocaleString("en")}`, s.length < lab.recorded ? `of ${lab.recorded.toLocaleString("en")} samples` : "samples"],
            [`${lab.solvers.length}`, "solvers"], [`${new Set(s.map((x) => x.system)).size}`, "machines"], [`${new Set(s.map((x) => x.category)).size}`, "categories"]];
        this.root.append(html("header", {}, html("div", {}, html("h1", {}, "Which solver for which machine?"),
            html("p", { class: "lead" }, `The benchmark laboratory of pawl ${lab.pawl}, suite “${lab.suite}”. Every solver solves every sample from zero; one judge measures all.`)),
            html("dl", { class: "facts" }, ...facts.map(([n, what]) => html("div", {}, html("dt", {}, n), html("dd", {}, what))))));
        this.root.append(html("section", { class: "card conclusions" }, html("h2", {}, "Conclusions"),
            html("ul", {}, ...lab.conclusions.map(conclusion))));
        this.parts.chips = html("div", { class: "chips", role: "group", "aria-label": "solvers" });
        const quick: [string, () => number[]][] = [["best 8", () => this.ranking().slice(0, 8)], ["pawl's own", () => this.all().filter((i) => !lab.solvers[i].paper)],
            ["as published", () => this.all().filter((i) => lab.solvers[i].paper)], ["all", () => this.all()]];
        this.root.append(html("div", { class: "filters" },
            html("div", { class: "fields" },
                this.choice("machine", this.names((i) => s[i].system), "", (v) => { this.filter.system = v; }),
                this.choice("scenario", this.names((i) => s[i].scenario), "", (v) => { this.filter.scenario = v; }),
                this.choice("category", this.names((i) => lab.categories[s[i].category]), "", (v) => { this.filter.category = v; }),
                this.choice("accuracy", [["4", "1e-4 m/s"], ["6", "1e-6 m/s"], ["8", "1e-8 m/s"]], "6", (v) => { this.filter.decade = Number(v) as 4 | 6 | 8; }),
                html("span", { class: "quick" }, ...quick.map(([text, which]) => {
                    const b = html("button", { type: "button" }, text);
                    b.addEventListener("click", () => { this.filter.solvers = new Set(which()); this.draw(); });
                    return b;
                })), this.parts.count = html("span", { class: "count", "aria-live": "polite" })), this.parts.chips));
        this.root.append(html("main", {},
            this.section("profile", "Performance profiles", "How often a solver is within a factor of the fastest, at the accuracy chosen (Dolan and Moré). Higher and further left is better; the right end is how much it solves at all."),
            this.section("profiles", "Profiles by category", "The same for each kind of sample that the filters leave; colours as above."),
            this.section("heat", "Solved, in percent", "Share of samples that reach the accuracy; a dash where a solver does not apply. Small numbers are samples.",
                this.choice("by", [["category", "category"], ["system", "machine"], ["scenario", "scenario"]], "category", (v) => { this.across = v as "category"; })),
            this.section("accuracy", "Accuracy against time", "Medians, with the middle half of the samples as a cross; squares are solvers as published. Down and left is better."),
            this.section("history", "Residual histories", "How far a solver is after its iterations, on one sample of each run. A dot is the answer; pivoting methods have only that. The line is the tolerance.",
                this.parts.historyField = html("span", {})),
            this.section("boxes", "Distributions", "Boxes are the middle half of the samples, whiskers the 5th and the 95th percentile.",
                this.choice("of", measures.map(([key, text]) => [key, text]), "residual", (v) => { this.measure = v as Quantity; })),
            this.section("table", "Numbers", "Click a heading to sort. Sensitivity is the 95th percentile; time, residual and iterations are medians.")));
        this.root.append(html("footer", {}, `${lab.machine}. ${lab.system}. ${lab.date}. Tolerance ${lab.tolerance.toExponential(0)}, at most ${lab.maxIterations} iterations. Times are processor times.`));
        this.root.addEventListener("mouseover", (event) => this.point((event.target as Element).closest("[data-solver]")?.getAttribute("data-solver") ?? null));
        this.root.addEventListener("mouseleave", () => this.point(null));
    }

    /** Everything of one solver stands out while the mouse is on it. */
    private point(solver: string | null): void {
        this.root.classList.toggle("pointing", solver !== null);
        this.root.querySelectorAll(".on").forEach((node) => node.classList.remove("on"));
        if (solver !== null) this.root.querySelectorAll(`[data-solver="${solver}"]`).forEach((node) => node.classList.add("on"));
    }

    private drawChips(): void {
        const chips = this.lab.solvers.map((s, i) => {
            const chip = html("button", { type: "button", class: s.paper ? "chip paper" : "chip", "aria-pressed": String(this.filter.solvers.has(i)), "data-solver": i, style: `--c:${look(this.lab, i).color}` }, s.name);
            chip.addEventListener("click", () => {
                if (!this.filter.solvers.delete(i)) this.filter.solvers.add(i);
                this.draw();
            });
            return chip;
        });
        this.parts.chips.replaceChildren(...chips);
    }

    private drawTable(list: Score[]): void {
        const columns: [keyof Score, string, (s: Score) => string][] = [
            ["solver", "solver", (s) => this.lab.solvers[s.solver].name], ["tried", "samples", (s) => String(s.tried)],
            ["solved", "solved", (s) => `${(100 * s.solved).toFixed(1)} %`], ["best", "fastest", (s) => `${(100 * s.best).toFixed(1)} %`],
            ["near", "within 2×", (s) => `${(100 * s.near).toFixed(1)} %`], ["area", "area", (s) => s.area.toFixed(2)], ["time", "time", (s) => seconds(s.time)],
            ["iterations", "iterations", (s) => String(s.iterations)], ["residual", "residual", (s) => Number.isFinite(s.residual) ? s.residual.toExponential(1) : "–"],
            ["penetration", "penetration", (s) => Number.isFinite(s.penetration) ? s.penetration.toExponential(1) : "–"],
            ["sensitivity", "sensitivity", (s) => Number.isFinite(s.sensitivity) ? s.sensitivity.toPrecision(3) : "–"]];
        const ascending = new Set<keyof Score>(["solver", "time", "iterations", "residual", "penetration", "sensitivity"]);
        const key = this.order, number = (s: Score) => { const v = s[key] as number; return Number.isFinite(v) ? v : Infinity; };
        const sorted = [...list].sort((a, b) => ascending.has(key) ? number(a) - number(b) : number(b) - number(a));
        const head = columns.map(([name, text]) => {
            const b = html("button", { type: "button" }, text), th = html("th", { scope: "col", "aria-sort": name === key ? (ascending.has(key) ? "ascending" : "descending") : "none" }, b);
            b.addEventListener("click", () => { this.order = name; this.draw(); });
            return th;
        });
        this.parts.table.replaceChildren(html("table", { class: "numbers" }, html("thead", {}, html("tr", {}, ...head)),
            html("tbody", {}, ...sorted.map((s) => html("tr", { "data-solver": s.solver }, ...columns.map(([name, , text]) => html(name === "solver" ? "th" : "td", {}, text(s))))))));
    }

    private columns(samples: number[]): { name: string; samples: number[] }[] {
        const of = (i: number) => this.across === "category" ? this.lab.categories[this.lab.samples[i].category] : this.lab.samples[i][this.across];
        const order = this.across === "category" ? this.lab.categories : [...new Set(this.lab.samples.map((_, i) => of(i)))];
        return order.map((name) => ({ name, samples: samples.filter((i) => of(i) === name) })).filter((c) => c.samples.length > 0);
    }

    private drawHistories(samples: number[], solvers: number[]): void {
        const left = new Set(samples), all = this.lab.histories.filter((h) => left.has(h.sample)), known = [...new Set(all.map((h) => h.sample))];
        if (this.history && !known.includes(Number(this.history))) this.history = "";
        const label = (i: number) => { const s = this.lab.samples[i]; return `${s.system}, ${s.scenario}, step ${s.step}`; };
        this.parts.historyField.replaceChildren(this.choice("sample", [["", `median of ${known.length}`], ...known.map((i) => [String(i), label(i)] as [string, string])], this.history, (v) => { this.history = v; }));
        const shown = this.history ? all.filter((h) => h.sample === Number(this.history)) : all;
        this.parts.history.replaceChildren(shown.length ? historyChart(this.lab, shown, solvers) : html("p", { class: "note" },
            this.lab.histories.length ? "No sample with a history is left by the filters." : "Not part of these results: they are made when a run ends."));
    }

    private draw(): void {
        const { lab, filter } = this, samples = select(lab, filter), solvers = this.ranking().filter((i) => filter.solvers.has(i));
        const list = scores(lab, samples, solvers, filter.decade), time = lab.cells[`time_${filter.decade}` as Quantity], n = lab.solvers.length;
        const share = (chosen: number[], s: number) => {
            let tried = 0, solved = 0;
            for (const i of chosen) if (!Number.isNaN(lab.cells.outcome[i * n + s])) { ++tried; if (Number.isFinite(time[i * n + s])) ++solved; }
            return tried ? solved / tried : NaN;
        };
        this.parts.count.textContent = `${samples.length.toLocaleString("en")} samples, ${solvers.length} solvers`;
        this.drawChips();
        this.parts.profile.replaceChildren(profileChart(lab, list));
        const kinds = this.lab.categories.map((name, c) => ({ name, samples: samples.filter((i) => lab.samples[i].category === c) })).filter((k) => k.samples.length > 0);
        this.parts.profiles.replaceChildren(profileGrid(lab, kinds.map((k) => ({ title: k.name, count: k.samples.length, list: scores(lab, k.samples, solvers, filter.decade) }))));
        this.drawHistories(samples, solvers);
        this.parts.heat.replaceChildren(heatMap(lab, solvers, this.columns(samples), share));
        this.parts.accuracy.replaceChildren(accuracyChart(lab, samples, list));
        const measure = measures.find(([key]) => key === this.measure) ?? measures[0];
        this.parts.boxes.replaceChildren(boxChart(lab, samples, list, measure[0], measure[2]));
        this.drawTable(list);
    }
}

const style = document.createElement("style");
style.textContent = css;
document.head.append(style);
const root = html("div", { class: "lab" });
document.body.prepend(root);
try {
    const data = document.getElementById("pawl-data")?.textContent ?? "";
    new Page(readLab(data), root);
} catch (error) {
    root.append(html("p", { class: "lead" }, `This page cannot be drawn: ${(error as Error).message}`));
}
