// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The document of a benchmark, and what is computed from it: which cells a filter leaves, profiles, quantiles.

export interface Solver { name: string; paper: boolean }
export interface Sample {
    system: string; scenario: string; step: number; category: number; rows: number; contacts: number; rank: number;
    hyperstaticity: number; condition: number; density: number; massRatio: number;
}
export type Quantity = "seconds" | "iterations" | "outcome" | "residual" | "dual" | "complementarity" | "penetration"
    | "sensitivity" | "jump" | "time_4" | "time_6" | "time_8";
/** How far a solver is after its iterations, on one sample; the last point is its answer. */
export interface History { sample: number; solver: number; iteration: Float32Array; residual: Float32Array }
export interface Lab {
    suite: string; pawl: string; machine: string; system: string; date: string; tolerance: number; maxIterations: number;
    recorded: number; default: string; categories: string[]; solvers: Solver[]; samples: Sample[]; conclusions: string[];
    ranking: number[]; // solvers, the best over all samples first; set by the page
    histories: History[];
    cells: Record<Quantity, Float32Array>; // sample by sample, a number for each solver; NaN: does not apply
}

function decode(text: string): Float32Array {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
    return new Float32Array(bytes.buffer);
}

function readHistories(d: { sample: number[]; solver: number[]; end: number[]; iteration: string; residual: string } | undefined): History[] {
    if (!d) return [];
    const iteration = decode(d.iteration), residual = decode(d.residual);
    return d.sample.map((sample, k) => {
        const from = k ? d.end[k - 1] : 0, to = d.end[k];
        return { sample, solver: d.solver[k], iteration: iteration.subarray(from, to), residual: residual.subarray(from, to) };
    });
}

/** The residual that a history has after so many iterations; an answer stays. */
export function residualAt(h: History, iteration: number): number {
    let at = 0;
    while (at + 1 < h.iteration.length && h.iteration[at + 1] <= iteration) ++at;
    return h.iteration[at] <= iteration ? h.residual[at] : NaN;
}

/** Throws where the document is none. */
export function readLab(text: string): Lab {
    const d = JSON.parse(text);
    if (d.format !== "pawl bench") throw new Error("not a benchmark of pawl");
    const samples: Sample[] = d.samples.map((s: (string | number | null)[]) => ({
        system: s[0], scenario: s[1], step: s[2], category: s[3], rows: s[4], contacts: s[5], rank: s[6],
        hyperstaticity: s[7], condition: s[8] ?? Infinity, density: s[9], massRatio: s[10],
    }) as Sample);
    const cells = {} as Record<Quantity, Float32Array>;
    for (const name of Object.keys(d.cells) as Quantity[]) cells[name] = decode(d.cells[name]);
    return { ...d, maxIterations: d.max_iterations, samples, cells, histories: readHistories(d.histories), ranking: [] };
}

export interface Filter { system: string; scenario: string; category: string; decade: 4 | 6 | 8; solvers: Set<number> }

/** Indices of the samples that a filter leaves; "" stands for all. */
export function select(lab: Lab, f: Filter): number[] {
    const chosen: number[] = [];
    lab.samples.forEach((s, i) => {
        if ((!f.system || s.system === f.system) && (!f.scenario || s.scenario === f.scenario)
            && (!f.category || lab.categories[s.category] === f.category)) chosen.push(i);
    });
    return chosen;
}

export interface Score {
    solver: number; tried: number; solved: number; best: number; near: number; area: number;
    ratios: number[]; // sorted, of the samples that were solved: time over the fastest
    time: number; residual: number; iterations: number; penetration: number; sensitivity: number; jump: number; // medians
}

export function quantile(sorted: number[], share: number): number {
    return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : NaN;
}

export function values(lab: Lab, samples: number[], solver: number, of: Quantity): number[] {
    const n = lab.solvers.length, out: number[] = [];
    for (const i of samples) {
        const x = lab.cells[of][i * n + solver];
        if (Number.isFinite(x)) out.push(x);
    }
    return out.sort((a, b) => a - b);
}

/** Dolan and More's profiles of the chosen solvers, against each other. */
export function scores(lab: Lab, samples: number[], solvers: number[], decade: 4 | 6 | 8): Score[] {
    const n = lab.solvers.length, time = lab.cells[`time_${decade}` as Quantity], outcome = lab.cells.outcome;
    const list: Score[] = solvers.map((solver) => ({ solver, tried: 0, solved: 0, best: 0, near: 0, area: 0, ratios: [],
        time: NaN, residual: NaN, iterations: NaN, penetration: NaN, sensitivity: NaN, jump: NaN }));
    for (const i of samples) {
        let fastest = Infinity;
        for (const s of solvers) { const t = time[i * n + s]; if (t < fastest) fastest = t; }
        for (const score of list) {
            const at = i * n + score.solver;
            if (Number.isNaN(outcome[at])) continue;
            ++score.tried;
            if (Number.isFinite(time[at])) score.ratios.push(fastest > 0 ? time[at] / fastest : 1);
        }
    }
    for (const s of list) {
        s.ratios.sort((a, b) => a - b);
        const all = Math.max(1, s.tried);
        s.solved = s.ratios.length / all;
        s.best = s.ratios.filter((r) => r <= 1).length / all;
        s.near = s.ratios.filter((r) => r <= 2).length / all;
        s.area = s.ratios.reduce((sum, r) => sum + Math.max(0, 1 - Math.log10(r) / 3), 0) / all;
        s.time = quantile(values(lab, samples, s.solver, `time_${decade}` as Quantity), 0.5);
        for (const of of ["residual", "iterations", "penetration", "jump"] as const)
            s[of] = quantile(values(lab, samples, s.solver, of), 0.5);
        s.sensitivity = quantile(values(lab, samples, s.solver, "sensitivity"), 0.95);
    }
    return list;
}
