// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Charts as SVG, drawn from scratch: profiles, accuracy against time, boxes, and a heat map as a table.
import { History, Lab, Quantity, Score, quantile, residualAt, values } from "./lab_data";

const space = "http://www.w3.org/2000/svg";
type Attributes = Record<string, string | number>;

export function svg(name: string, attributes: Attributes, ...children: (Node | string)[]): SVGElement {
    const node = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    node.append(...children);
    return node;
}

export function html(name: string, attributes: Attributes, ...children: (Node | string)[]): HTMLElement {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    node.append(...children);
    return node;
}

/** A colour and a dash for each solver, the same in every chart whatever is chosen: the best eight, which a page begins with,
 * have a colour each; after them colours come again with dashes. */
export function look(lab: Lab, solver: number): { color: string; dash: string } {
    const rank = lab.ranking.indexOf(solver);
    return { color: `var(--k${rank % 8})`, dash: ["", "7 3", "2 3", "8 3 2 3"][Math.floor(rank / 8) % 4] };
}

export function power(x: number): string {
    const exponent = Math.floor(Math.log10(x) + 1e-9);
    return exponent >= -2 && exponent <= 3 ? String(Number(x.toPrecision(3))) : `1e${exponent}`;
}

export function seconds(t: number): string {
    return !Number.isFinite(t) ? "–" : t < 1e-3 ? `${(t * 1e6).toPrecision(3)} µs` : t < 1 ? `${(t * 1e3).toPrecision(3)} ms` : `${t.toPrecision(3)} s`;
}

/** On a phone charts are drawn half as wide, so that letters keep their size, and curves have no names beside them: chips above have their colours. */
const isNarrow = (): boolean => matchMedia("(max-width: 760px)").matches;
const chartWidth = (): number => (isNarrow() ? 430 : 900);

interface Frame { root: SVGElement; x: (v: number) => number; y: (v: number) => number; width: number; height: number; right: number }

/** Axes: x logarithmic between two powers of ten, y linear or logarithmic, with gridlines and titles. */
function frame(w: number, h: number, xr: [number, number], yr: [number, number], logY: boolean, titles: [string, string], right: number): Frame {
    const left = 64, top = 14, bottom = 44, root = svg("svg", { viewBox: `0 0 ${w} ${h}`, role: "img" });
    const [a, b] = xr.map(Math.log10), [c, d] = logY ? yr.map(Math.log10) : yr;
    const x = (v: number) => left + (Math.log10(v) - a) / (b - a) * (w - left - right);
    const y = (v: number) => h - bottom - ((logY ? Math.log10(v) : v) - c) / (d - c) * (h - top - bottom);
    const every = Math.max(1, Math.ceil((b - a) / (w > 500 ? 8 : 4)));
    for (let e = Math.ceil(a); e <= b + 1e-9; e += every) {
        const v = 10 ** e;
        root.append(svg("line", { class: "grid", x1: x(v), x2: x(v), y1: top, y2: h - bottom }),
            svg("text", { class: "tick", x: x(v), y: h - bottom + 16, "text-anchor": "middle" }, power(v)));
    }
    const steps = logY ? Math.max(1, Math.ceil((d - c) / 7)) : 0.25;
    for (let v = logY ? Math.ceil(c) : c; v <= d + 1e-9; v += steps) {
        const at = logY ? 10 ** v : v;
        root.append(svg("line", { class: "grid", x1: left, x2: w - right, y1: y(at), y2: y(at) }),
            svg("text", { class: "tick", x: left - 8, y: y(at) + 4, "text-anchor": "end" }, logY ? power(at) : `${Math.round(v * 100)} %`));
    }
    root.append(svg("text", { class: "axis", x: (left + w - right) / 2, y: h - 8, "text-anchor": "middle" }, titles[0]),
        svg("text", { class: "axis", transform: `translate(14 ${(top + h - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, titles[1]));
    return { root, x, y, width: w, height: h, right };
}

/** A frame as wide as the page allows, with room for labels where there is any. */
function wideFrame(h: number, xr: [number, number], yr: [number, number], logY: boolean, titles: [string, string], right: number): Frame {
    return frame(chartWidth(), h, xr, yr, logY, titles, isNarrow() ? 16 : right);
}

/** Labels at the right end, moved apart where they would overlap. */
function labels(f: Frame, items: { y: number; text: string; color: string; solver: number }[]): void {
    if (isNarrow()) return;
    const gap = 15, sorted = [...items].sort((p, q) => p.y - q.y);
    for (let i = 1; i < sorted.length; ++i) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + gap);
    const over = sorted.length ? sorted[sorted.length - 1].y - (f.height - 48) : 0;
    if (over > 0) for (let i = sorted.length - 1, most = f.height - 48; i >= 0; --i, most -= gap) sorted[i].y = Math.min(sorted[i].y, most);
    for (const s of sorted) f.root.append(svg("text", { class: "series", x: f.width - f.right + 8, y: s.y + 4, fill: s.color, "data-solver": s.solver }, s.text));
}

/** Largest ratio that the axis of a profile has. */
function profileEnd(lists: Score[][]): number {
    const far = Math.max(1, ...lists.flatMap((list) => list.map((s) => s.ratios.length ? quantile(s.ratios, 0.95) : 1)));
    return Math.min(1000, Math.max(10, 10 ** Math.ceil(Math.log10(far))));
}

/** Steps of all solvers; returns where they end, for labels. */
function profileCurves(lab: Lab, list: Score[], f: Frame, most: number): { y: number; text: string; color: string; solver: number }[] {
    return list.map((s) => {
        const { color, dash } = look(lab, s.solver), all = Math.max(1, s.tried);
        let path = `M${f.x(1).toFixed(1)} ${f.y(0).toFixed(1)}`, share = 0, lastX = NaN;
        s.ratios.forEach((ratio, i) => {
            if (ratio > most) return;
            const x = f.x(Math.max(1, ratio));
            share = (i + 1) / all;
            if (i + 1 < s.ratios.length && s.ratios[i + 1] <= most && Math.abs(x - lastX) < 0.7) return; // finer than a pixel
            path += `H${x.toFixed(1)}V${f.y(share).toFixed(1)}`;
            lastX = x;
        });
        path += `H${f.x(most).toFixed(1)}`;
        f.root.append(svg("path", { class: "curve", d: path, stroke: color, "stroke-dasharray": dash, "data-solver": s.solver },
            svg("title", {}, `${lab.solvers[s.solver].name}: solves ${(100 * s.solved).toFixed(1)} %, fastest on ${(100 * s.best).toFixed(1)} %`)));
        return { y: f.y(share), text: lab.solvers[s.solver].name, color, solver: s.solver };
    });
}

export function profileChart(lab: Lab, list: Score[]): SVGElement {
    const most = profileEnd([list]), f = wideFrame(400, [1, most], [0, 1], false, ["time over that of the fastest solver, τ", "share of samples solved within τ"], 176);
    labels(f, profileCurves(lab, list, f, most));
    return f.root;
}

/** Small profiles side by side, with the same axes. */
export function profileGrid(lab: Lab, parts: { title: string; count: number; list: Score[] }[]): HTMLElement {
    const most = profileEnd(parts.map((p) => p.list));
    return html("div", { class: "small-charts" }, ...parts.map((p) => {
        const f = frame(430, 250, [1, most], [0, 1], false, ["τ", ""], 14);
        profileCurves(lab, p.list, f, most);
        return html("figure", {}, html("figcaption", {}, p.title, html("small", {}, `${p.count.toLocaleString("en")} samples`)), f.root);
    }));
}

/** Medians of time and residual with the middle half of the samples as a cross. */
export function accuracyChart(lab: Lab, samples: number[], list: Score[]): SVGElement {
    const points = list.map((s) => {
        const t = values(lab, samples, s.solver, "seconds").map((v) => Math.max(v, 1e-8));
        const r = values(lab, samples, s.solver, "residual").map((v) => Math.max(v, 1e-17));
        return { s, t: [0.25, 0.5, 0.75].map((q) => quantile(t, q)), r: [0.25, 0.5, 0.75].map((q) => quantile(r, q)) };
    }).filter((p) => Number.isFinite(p.t[1]) && Number.isFinite(p.r[1]));
    const low = (v: number[]) => 10 ** Math.floor(Math.log10(Math.min(...v))), high = (v: number[]) => 10 ** Math.ceil(Math.log10(Math.max(...v)) + 1e-9);
    if (!points.length) return svg("svg", { viewBox: "0 0 900 40" }, svg("text", { class: "axis", x: 450, y: 24, "text-anchor": "middle" }, "no samples"));
    const xr: [number, number] = [low(points.flatMap((p) => p.t)), high(points.flatMap((p) => p.t))];
    const yr: [number, number] = [low(points.flatMap((p) => p.r)), high(points.flatMap((p) => p.r))];
    const f = wideFrame(420, xr, yr[0] === yr[1] ? [yr[0] / 10, yr[1]] : yr, true, ["processor time of a solve [s]", "scaled natural map of the answer [m/s]"], 176);
    const ends: { y: number; text: string; color: string; solver: number }[] = [];
    for (const p of points) {
        const { color } = look(lab, p.s.solver), name = lab.solvers[p.s.solver].name;
        const g = svg("g", { class: "mark", "data-solver": p.s.solver, stroke: color, fill: color },
            svg("line", { x1: f.x(p.t[0]), x2: f.x(p.t[2]), y1: f.y(p.r[1]), y2: f.y(p.r[1]) }),
            svg("line", { x1: f.x(p.t[1]), x2: f.x(p.t[1]), y1: f.y(p.r[0]), y2: f.y(p.r[2]) }),
            lab.solvers[p.s.solver].paper ? svg("rect", { x: f.x(p.t[1]) - 4.5, y: f.y(p.r[1]) - 4.5, width: 9, height: 9, fill: "var(--card)" })
                : svg("circle", { cx: f.x(p.t[1]), cy: f.y(p.r[1]), r: 5 }),
            svg("title", {}, `${name}: median ${seconds(p.t[1])}, residual ${p.r[1].toExponential(1)} m/s`));
        f.root.append(g);
        ends.push({ y: f.y(p.r[1]), text: name, color, solver: p.s.solver });
    }
    labels(f, ends);
    return f.root;
}

/** Residual by iteration, the median over samples where there are several. Solvers that do not tell their iterations have a dot: the answer. */
export function historyChart(lab: Lab, histories: History[], solvers: number[]): SVGElement {
    const floor = 1e-14, shown = solvers.map((solver) => ({ solver, own: histories.filter((h) => h.solver === solver) })).filter((s) => s.own.length);
    const last = Math.max(10, ...histories.map((h) => h.iteration[h.iteration.length - 1]));
    const curves = shown.map(({ solver, own }) => {
        const end = Math.max(...own.map((h) => h.iteration[h.iteration.length - 1])), points: [number, number][] = [];
        for (let i = 1; i <= end; i = i < 16 ? i + 1 : i + Math.max(1, Math.floor(i / 8))) {
            const r = own.map((h) => residualAt(h, i)).filter((v) => Number.isFinite(v)).sort((a, b) => a - b);
            // Before half of the samples have a residual there is no median to speak of.
            if (2 * r.length > own.length) points.push([i, Math.max(floor, quantile(r, 0.5))]);
        }
        const ends = own.map((h) => h.residual[h.residual.length - 1]).sort((a, b) => a - b);
        points.push([end, Math.max(floor, quantile(ends, 0.5))]);
        return { solver, points };
    });
    const values = curves.flatMap((c) => c.points.map((p) => p[1])).filter((v) => Number.isFinite(v));
    const low = 10 ** Math.floor(Math.log10(Math.min(1e-10, ...values))), high = 10 ** Math.ceil(Math.log10(Math.min(1e4, Math.max(1, ...values))));
    const f = wideFrame(400, [1, last], [low, high], true, ["iterations", "scaled natural map [m/s]"], 150);
    f.root.append(svg("line", { class: "goal", x1: f.x(1), x2: f.x(last), y1: f.y(lab.tolerance), y2: f.y(lab.tolerance) }, svg("title", {}, "tolerance of the solvers")));
    const ends: { y: number; text: string; color: string; solver: number }[] = [];
    for (const { solver, points } of curves) {
        const { color, dash } = look(lab, solver), name = lab.solvers[solver].name, at = (p: [number, number]) => `${f.x(p[0]).toFixed(1)},${f.y(Math.min(high, p[1])).toFixed(1)}`;
        if (points.length > 2) f.root.append(svg("polyline", { class: "curve history", points: points.map(at).join(" "), stroke: color, "stroke-dasharray": dash, "data-solver": solver }, svg("title", {}, name)));
        const end = points[points.length - 1];
        f.root.append(svg("circle", { class: "end", cx: f.x(end[0]), cy: f.y(Math.min(high, end[1])), r: 3.5, fill: color, "data-solver": solver },
            svg("title", {}, `${name}: ${end[1].toExponential(1)} m/s after ${end[0]} iterations`)));
        ends.push({ y: f.y(Math.min(high, end[1])), text: name, color, solver });
    }
    labels(f, ends);
    return f.root;
}

/** Boxes over the middle half, whiskers from the 5th to the 95th percentile. */
export function boxChart(lab: Lab, samples: number[], list: Score[], of: Quantity, title: string): SVGElement {
    const least = of === "iterations" ? 1 : 1e-17, row = 24, left = isNarrow() ? 120 : 190, width = chartWidth(), top = 8, bottom = 44;
    const boxes = list.map((s) => ({ s, q: (() => {
        const v = values(lab, samples, s.solver, of).map((x) => Math.max(Math.abs(x), least)).sort((a, b) => a - b);
        return [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => quantile(v, share));
    })() })).filter((b) => Number.isFinite(b.q[2]));
    const h = top + bottom + row * Math.max(1, boxes.length), root = svg("svg", { viewBox: `0 0 ${width} ${h}`, role: "img" });
    if (!boxes.length) {
        root.append(svg("text", { class: "axis", x: 450, y: 24, "text-anchor": "middle" }, "not measured on these samples"));
        return root;
    }
    const a = Math.floor(Math.log10(Math.min(...boxes.map((b) => b.q[0])))), b = Math.max(a + 1, Math.ceil(Math.log10(Math.max(...boxes.map((x) => x.q[4])))));
    const x = (v: number) => left + (Math.log10(v) - a) / (b - a) * (width - left - 20), every = Math.max(1, Math.ceil((b - a) / (isNarrow() ? 4 : 9)));
    for (let e = a; e <= b; e += every)
        root.append(svg("line", { class: "grid", x1: x(10 ** e), x2: x(10 ** e), y1: top, y2: h - bottom }),
            svg("text", { class: "tick", x: x(10 ** e), y: h - bottom + 16, "text-anchor": "middle" }, power(10 ** e)));
    boxes.forEach((box, i) => {
        const y = top + row * (i + 0.5), { color } = look(lab, box.s.solver), [p5, q1, m, q3, p95] = box.q.map(x);
        root.append(svg("text", { class: "series", x: left - 10, y: y + 4, "text-anchor": "end", fill: color, "data-solver": box.s.solver }, lab.solvers[box.s.solver].name),
            svg("g", { class: "box", stroke: color, fill: color, "data-solver": box.s.solver },
                svg("line", { x1: p5, x2: p95, y1: y, y2: y }), svg("rect", { x: q1, y: y - 7, width: Math.max(1.5, q3 - q1), height: 14, "fill-opacity": 0.22 }),
                svg("line", { class: "median", x1: m, x2: m, y1: y - 8, y2: y + 8 }),
                svg("title", {}, `${lab.solvers[box.s.solver].name}: median ${box.q[2].toExponential(1)}`)));
    });
    root.append(svg("text", { class: "axis", x: (left + width) / 2, y: h - 8, "text-anchor": "middle" }, title));
    return root;
}

/** Solved shares by solver and column, as a table whose cells are coloured. */
export function heatMap(lab: Lab, solvers: number[], columns: { name: string; samples: number[] }[],
    share: (samples: number[], solver: number) => number): HTMLElement {
    const head = html("tr", {}, html("th", {}, ""), ...columns.map((c) => html("th", { scope: "col" }, html("span", {}, c.name), html("small", {}, String(c.samples.length)))));
    const rows = solvers.map((s) => html("tr", { "data-solver": s }, html("th", { scope: "row" }, lab.solvers[s].name), ...columns.map((c) => {
        const v = share(c.samples, s);
        return Number.isNaN(v) ? html("td", { class: "none" }, "–")
            : html("td", { style: `--v:${v.toFixed(3)}`, class: v > 0.93 ? "deep" : "", title: `${lab.solvers[s].name} on ${c.name}: ${(100 * v).toFixed(1)} %` }, v === 1 ? "100" : (100 * v).toFixed(v > 0.995 ? 1 : 0));
    })));
    return html("table", { class: "heat" }, html("thead", {}, head), html("tbody", {}, ...rows));
}
