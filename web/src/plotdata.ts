// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Plots as C writes them (docs/pages.md), made ready for a chart: curves that were thinned each for itself get one
// common axis, and of many curves those that change most are shown first.
import uPlot from "uplot";
import type { ChartData } from "./charts";
import { bytes, type Motion } from "./motion";

export interface PlotData {
    title: string;
    unit: string;
    note: string;
    xName: string;
    xUnit: string;
    log: boolean;
    zero: boolean;
    xLog: boolean;
    dots: boolean;
    time: boolean; // the horizontal axis is time
    level?: number;
    levelName?: string;
    curves: { name: string; dashed: boolean; points: boolean; x: string; y: string }[];
}

const SHOWN = 8; // curves that can be told apart

type Column = ArrayLike<number | null | undefined>;

/** Points in the order of their x, each x once. */
function ascending(x: Float64Array, y: Float64Array): [number[], (number | null)[]] {
    const order = Array.from(x.keys()).sort((i, j) => x[i] - x[j]);
    const xs: number[] = [];
    const ys: (number | null)[] = [];
    for (const i of order) {
        if (xs.length > 0 && xs[xs.length - 1] === x[i]) {
            continue;
        }
        xs.push(x[i]);
        ys.push(Number.isFinite(y[i]) ? y[i] : null);
    }
    return [xs, ys];
}

/** One axis for tables of their own x; undefined where a table has no value. */
export function join(tables: [number[], (number | null)[]][]): { x: number[]; ys: Column[] } {
    if (tables.length === 1) {
        return { x: tables[0][0], ys: [tables[0][1]] };
    }
    const joined = uPlot.join(tables as unknown as uPlot.AlignedData[]);
    return { x: Array.from(joined[0]), ys: joined.slice(1) as Column[] };
}

function span(y: Column): number {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < y.length; i++) {
        const value = y[i];
        if (value !== null && value !== undefined) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
    }
    return high - low;
}

/** Whether one spike would hide the rest: then decades tell more. */
function spiky(y: Column): boolean {
    const sizes = Array.from(y).filter((v): v is number => v !== null && v !== undefined && v >= 0);
    if (sizes.length < 20 || sizes.length < Array.from(y).filter((v) => v !== null && v !== undefined).length) {
        return false;
    }
    sizes.sort((a, b) => a - b);
    return sizes[sizes.length - 1] > 50 * Math.max(sizes[Math.floor(0.9 * sizes.length)], 1e-300);
}

/** By default the curves that are shown come first in the colours, so that no two of them are alike. */
export function chartOf(plot: PlotData, marks: number[] = [], colour?: (k: number) => number): ChartData {
    const tables = plot.curves.map((c) => ascending(new Float64Array(bytes(c.x)), new Float64Array(bytes(c.y))));
    const { x, ys } = join(tables);
    const ranked = ys.map((y, k) => ({ k, span: span(y) })).sort((a, b) => b.span - a.span);
    const hidden = new Set(ranked.slice(SHOWN).map(({ k }) => k));
    const places = [...ys.keys()].sort((a, b) => Number(hidden.has(a)) - Number(hidden.has(b)) || a - b);
    const own = colour ?? ((k: number) => places.indexOf(k));
    return {
        title: plot.title,
        unit: plot.unit ? `[${plot.unit}]` : "",
        xName: plot.xUnit ? `${plot.xName} [${plot.xUnit}]` : plot.xName,
        x,
        curves: plot.curves.map((c, k) => ({ name: c.name, y: ys[k] as ArrayLike<number | null>, colour: own(k), dashed: c.dashed, points: c.points, dots: plot.dots, hidden: hidden.has(k) })),
        log: plot.log || (plot.title.startsWith("Iterations") && ys.some(spiky)),
        xLog: plot.xLog,
        zero: plot.zero,
        note: [plot.note, hidden.size > 0 ? `${SHOWN} of ${plot.curves.length} curves are shown; choose others above.` : ""].filter(Boolean).join(" "),
        marks: plot.time ? marks : [],
        level: plot.level,
        levelName: plot.levelName,
        follows: plot.time,
    };
}

/** The force of each pair of bodies over time, from the contacts of the motion. */
export function forcesByPair(motion: Motion, marks: number[]): ChartData | null {
    const pairs = new Map<string, Float64Array>();
    const name = (body: number): string => (body < 0 ? "world" : motion.scene.bodies[body].name);
    for (let frame = 0; frame < motion.frames; frame++) {
        const sums = new Map<string, number[]>();
        const c = motion.contactsAt(frame);
        for (let i = c.first; i < c.first + c.count; i++) {
            const key = `${c.pair[3 * i]} ${c.pair[3 * i + 1]}`;
            const sum = sums.get(key) ?? [0, 0, 0];
            sums.set(key, sum);
            [0, 1, 2].forEach((k) => (sum[k] += c.point[6 * i + 3 + k]));
        }
        sums.forEach((sum, key) => {
            let column = pairs.get(key);
            if (!column) {
                pairs.set(key, (column = new Float64Array(motion.frames)));
            }
            column[frame] = Math.hypot(...sum);
        });
    }
    const ranked = [...pairs].map(([key, y]) => ({ key, y, most: y.reduce((a, b) => Math.max(a, b), 0) })).sort((a, b) => b.most - a.most);
    if (ranked.length === 0) {
        return null;
    }
    return {
        title: "Contact force by pair",
        unit: "[N]",
        xName: "time [s]",
        x: motion.time,
        curves: ranked.slice(0, 16).map(({ key, y }, k) => {
            const [a, b] = key.split(" ").map(Number);
            return { name: `${name(a)} – ${name(b)}`, y, colour: k, hidden: k >= SHOWN };
        }),
        log: false,
        zero: true,
        note: ranked.length > SHOWN ? `The ${Math.min(16, ranked.length)} of ${ranked.length} pairs with the largest; ${SHOWN} are shown.` : "",
        marks,
        follows: true,
    };
}
