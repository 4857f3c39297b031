// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Plots by uPlot: zoom by dragging, a choice of curves, logarithmic scales, a readout under the pointer, the player's
// time as a line, export as PNG and CSV.
import uPlot from "uplot";
import uplotStyle from "uplot/dist/uPlot.min.css";
import { button, make, number, onTheme, save, themed } from "./kit";

export interface Curve {
    name: string;
    y: ArrayLike<number | null>;
    colour: number; // of the theme, 0 to 7
    dashed?: boolean;
    points?: boolean; // marks alone
    dots?: boolean; // marks on the line
    hidden?: boolean;
}

export interface ChartData {
    title: string;
    unit: string;
    xName: string;
    x: ArrayLike<number>;
    curves: Curve[];
    log: boolean;
    xLog?: boolean;
    note?: string;
    marks?: number[]; // vertical lines, e.g. events
    level?: number; // a horizontal line, e.g. a tolerance
    levelName?: string;
    zero?: boolean; // y = 0 is always shown
    follows?: boolean; // the player's time is the horizontal axis
}

export const chartStyle = `${uplotStyle}
.chart { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 0; padding: 12px 14px; min-width: 0; break-inside: avoid }
.chart figcaption { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; font-size: 14px }
.chart figcaption b { font-weight: 600 } .chart figcaption small { color: var(--soft); font-size: 13px }
.chart-tools { margin-left: auto; display: flex; gap: 4px }
.chart-tools button { min-height: 24px; padding: 1px 8px; font-size: 12.5px; color: var(--soft) }
.chart-tools button[aria-pressed="true"] { color: var(--on-accent) }
.chart-keys { display: flex; flex-wrap: wrap; gap: 0 14px; margin-top: 4px }
.chart-keys button { border: 0; background: none; padding: 1px 2px; min-height: 24px; display: inline-flex; align-items: center; gap: 6px; text-align: left; overflow-wrap: anywhere }
.chart-keys button[aria-pressed="false"] { opacity: .42; text-decoration: line-through; background: none; color: var(--ink) }
.chart-keys button[aria-pressed="true"] { background: none; color: var(--ink) }
.chart-keys i { width: 14px; height: 3px; border-radius: 2px; flex: none } .chart-keys i.points { width: 8px; height: 8px; border-radius: 50% }
.chart-keys i.dashed { background: repeating-linear-gradient(90deg, var(--c) 0 5px, transparent 5px 8px) !important }
.chart-keys button[aria-expanded] { color: var(--accent) }
.chart-keys output { color: var(--soft) }
.chart .note { color: var(--soft); font-size: 13px; margin: 4px 0 0 }
.chart-hair { position: absolute; left: -1px; top: 0; bottom: 0; width: 2px; background: var(--accent); opacity: .8; pointer-events: none }
.u-legend { display: none } .u-select { background: rgb(90 120 200 / .16) }
.uplot, .u-wrap { width: 100% !important }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 470px), 1fr)); gap: 14px }
`;

/** A logarithmic scale ends here: less is rounding, and uPlot has no ticks for it. */
const SMALLEST = 1e-15;
const FONT = "11.5px system-ui, -apple-system, Segoe UI, Roboto, sans-serif";

/** Tick labels of powers of ten stay short. */
function tick(value: number | null): string {
    const text = value === null ? "" : number(value);
    return text.startsWith("1·") ? text.slice(2) : text.startsWith("1.0·") ? text.slice(4) : text;
}

/** Round numbers from low to high, about `count` of them. uPlot's own search does not end for some tiny ranges. */
export function linearTicks(low: number, high: number, count: number): number[] {
    const raw = (high - low) / Math.max(1, count);
    if (!(raw > 0) || !Number.isFinite(raw)) {
        return [low];
    }
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10);
    const first = Math.ceil(low / step - 1e-9);
    const last = Math.min(first + 60, Math.floor(high / step + 1e-9));
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Powers of ten, thinned to about `count`; with 2 and 5 between where there are few. */
export function logTicks(low: number, high: number, count: number): number[] {
    const [a, b] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    const every = Math.max(1, Math.ceil((b - a + 1) / Math.max(1, count)));
    const ticks: number[] = [];
    for (let e = a - 1; e <= b && ticks.length < 100; e++) {
        for (const m of b - a < 2 ? [1, 2, 5] : [1]) {
            const tick = Number(`${m}e${e}`);
            if ((e - a) % every === 0 && tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) {
                ticks.push(tick);
            }
        }
    }
    return ticks;
}

export class Chart {
    private plot: uPlot | null = null;
    private readonly box: HTMLElement;
    private readonly keys: { button: HTMLButtonElement; readout: HTMLOutputElement }[] = [];
    private time = NaN;
    private readonly hair = make("div", "chart-hair", null);
    private log: boolean;
    private readonly shown: boolean[];
    readonly element: HTMLElement;

    constructor(
        parent: HTMLElement,
        readonly data: ChartData,
        private readonly height = 230,
        plain = false,
    ) {
        this.log = data.log;
        this.shown = data.curves.map((curve) => !curve.hidden);
        this.element = make("figure", "chart", parent);
        this.element.dataset.title = data.title;
        if (!plain) {
            this.caption();
        }
        this.box = make("div", "", this.element);
        this.box.setAttribute("role", "img");
        this.box.setAttribute("aria-label", `${data.title} ${data.unit}`);
        if (!plain && (data.curves.length > 1 || data.curves[0]?.name)) {
            this.legend();
        }
        if (data.note) {
            make("p", "note", this.element, data.note);
        }
        this.draw();
        new ResizeObserver(() => this.fit()).observe(this.box);
        onTheme(() => this.draw());
        if (data.follows) {
            document.addEventListener("pawl-time", (event) => {
                this.time = (event as CustomEvent<number>).detail;
                this.showTime();
                this.element.dataset.time = String(this.time);
            });
        }
    }

    private caption(): void {
        const caption = make("figcaption", "", this.element);
        make("b", "", caption, this.data.title);
        if (this.data.unit) {
            make("small", "", caption, this.data.unit);
        }
        const tools = make("div", "chart-tools", caption);
        const log = button(tools, "log", "logarithmic scale", () => {
            this.log = !this.log;
            log.setAttribute("aria-pressed", String(this.log));
            this.draw();
        });
        log.setAttribute("aria-pressed", String(this.log));
        log.hidden = !this.canLog();
        button(tools, "all", "show all again (or a double click)", () => this.draw());
        button(tools, "PNG", "save this plot as a picture", () => this.savePng());
        button(tools, "CSV", "save these numbers as a table", () => this.saveCsv());
    }

    private canLog(): boolean {
        return this.data.curves.some((curve) => Array.from(curve.y).some((y) => y !== null && y !== undefined && y > 0));
    }

    private legend(): void {
        const keys = make("div", "chart-keys", this.element);
        this.data.curves.forEach((curve, i) => {
            const key = button(keys, "", `show or hide ${curve.name}`, () => {
                this.shown[i] = !this.shown[i];
                key.setAttribute("aria-pressed", String(this.shown[i]));
                this.plot?.setSeries(i + 1, { show: this.shown[i] });
            });
            key.setAttribute("aria-pressed", String(this.shown[i]));
            const swatch = make("i", curve.points ? "points" : curve.dashed ? "dashed" : "", key);
            swatch.style.background = `var(--k${curve.colour % 8})`;
            swatch.style.setProperty("--c", `var(--k${curve.colour % 8})`);
            make("span", "", key, curve.name);
            this.keys.push({ button: key, readout: make("output", "", key) });
        });
        this.fold(keys);
    }

    /** Many curves that are not shown at first wait behind one button. */
    private fold(keys: HTMLElement): void {
        const waiting = this.keys.filter((_, i) => !this.shown[i]).map(({ button: key }) => key);
        if (waiting.length <= 4) {
            return;
        }
        const show = (on: boolean): void => {
            waiting.forEach((key) => (key.hidden = !on && key.getAttribute("aria-pressed") === "false"));
            more.setAttribute("aria-expanded", String(on));
            more.textContent = on ? "fewer" : `${waiting.filter((key) => key.hidden).length} more`;
        };
        const more = button(keys, "", "curves that are not shown", () => show(more.getAttribute("aria-expanded") !== "true"));
        show(false);
    }

    private series(): uPlot.Series[] {
        return this.data.curves.map((curve, i) => ({
            label: curve.name,
            show: this.shown[i],
            stroke: themed(`--k${curve.colour % 8}`),
            width: curve.points ? 0 : 1.5,
            dash: curve.dashed ? [7, 4] : undefined,
            spanGaps: true,
            points: { show: curve.points || curve.dots ? true : false, size: curve.points ? 6 : 5, fill: themed(`--k${curve.colour % 8}`) },
            paths: curve.points ? () => null : undefined,
        }));
    }

    /** Columns of uPlot; a logarithmic scale has no place for what is not positive. */
    private columns(): uPlot.AlignedData {
        const positive = (y: number | null | undefined): number | null | undefined => {
            if (y === undefined) {
                return undefined; // another curve has a point here
            }
            if (y === null || !Number.isFinite(y) || (this.log && y <= 0)) {
                return null;
            }
            return this.log ? Math.max(y, SMALLEST) : y;
        };
        return [Array.from(this.data.x), ...this.data.curves.map((curve) => Array.from(curve.y, positive))] as uPlot.AlignedData;
    }

    private draw(): void {
        this.plot?.destroy();
        const axis = { stroke: themed("--soft"), grid: { stroke: themed("--grid"), width: 1 }, ticks: { stroke: themed("--zero"), width: 1, size: 5 }, font: FONT };
        const options: uPlot.Options = {
            width: this.box.clientWidth || 480,
            height: this.height,
            legend: { show: false },
            cursor: { drag: { x: true, y: false, setScale: true }, points: { size: 7 } },
            scales: { x: { time: false, distr: this.data.xLog ? 3 : 1 }, y: { distr: this.log ? 3 : 1, range: this.range() } },
            series: [{ label: this.data.xName }, ...this.series()],
            axes: [
                { ...axis, label: this.data.xName, labelFont: FONT, labelSize: 16, size: 28, splits: (u, _axis, low, high) => (this.data.xLog ? logTicks : linearTicks)(low, high, u.width / 90), filter: (_u, ticks) => ticks, values: (_u, ticks) => ticks.map(tick) },
                { ...axis, size: 62, splits: (u, _axis, low, high) => (this.log ? logTicks : linearTicks)(low, high, u.height / 42), filter: (_u, ticks) => ticks, values: (_u, ticks) => ticks.map(tick) },
            ],
            hooks: { draw: [(u) => this.marks(u)], setCursor: [(u) => this.read(u)] },
        };
        this.plot = new uPlot(options, this.columns(), this.box);
        if (this.data.follows) {
            this.plot.over.addEventListener("click", () => {
                const x = this.plot!.posToVal(this.plot!.cursor.left ?? 0, "x");
                document.dispatchEvent(new CustomEvent("pawl-seek", { detail: x }));
            });
        }
    }

    /** A flat curve at 0 still gets a scale. */
    private range(): uPlot.Range.Function {
        return (_u, low, high) => {
            if (this.log) {
                // Whole decades, from SMALLEST on.
                const top = Math.max(-14, high !== null && high > 0 && Number.isFinite(high) ? Math.ceil(Math.log10(high) + 1e-9) : 0);
                const bottom = low !== null && low > 0 && Number.isFinite(low) ? Math.floor(Math.log10(low) + 1e-9) : top - 1;
                return [10 ** Math.max(Math.min(bottom, top - 1), -15), 10 ** top];
            }
            if (low === null || high === null) {
                return [0, 1];
            }
            // Less than this is rounding, and uPlot's ticks would never end.
            if (this.data.zero) {
                [low, high] = [Math.min(0, low), Math.max(0, high)];
            }
            const least = Math.max(1e-13, 1e-9 * Math.max(Math.abs(low), Math.abs(high)));
            const room = high > low ? Math.max(0.06 * (high - low), least) : Math.abs(high) || 1;
            return [low - room, high + room];
        };
    }

    private marks(u: uPlot): void {
        const { ctx } = u;
        const { left, top, width, height } = u.bbox;
        const line = (x0: number, y0: number, x1: number, y1: number, colour: string, wide: number, dash: number[]): void => {
            ctx.save();
            ctx.strokeStyle = colour;
            ctx.lineWidth = wide * devicePixelRatio;
            ctx.setLineDash(dash.map((d) => d * devicePixelRatio));
            ctx.beginPath();
            ctx.moveTo(x0, y0);
            ctx.lineTo(x1, y1);
            ctx.stroke();
            ctx.restore();
        };
        for (const mark of this.data.marks ?? []) {
            const x = u.valToPos(mark, "x", true);
            if (x >= left && x <= left + width) {
                line(x, top, x, top + 6 * devicePixelRatio, themed("--check"), 1, []);
            }
        }
        if (this.data.level !== undefined && Number.isFinite(this.data.level)) {
            const y = u.valToPos(this.data.level, "y", true);
            if (y >= top && y <= top + height) {
                line(left, y, left + width, y, themed("--check"), 1, [5, 4]);
                ctx.fillStyle = themed("--check");
                ctx.font = `${11.5 * devicePixelRatio}px system-ui, sans-serif`;
                ctx.fillText(this.data.levelName ?? "", left + 6 * devicePixelRatio, y - 4 * devicePixelRatio);
            }
        }
        this.showTime();
    }

    /** The player's time: an element over the canvas, which costs nothing to move. */
    private showTime(): void {
        if (!this.plot || !Number.isFinite(this.time)) {
            return;
        }
        if (this.hair.parentElement !== this.plot.over) {
            this.plot.over.append(this.hair);
        }
        const x = this.plot.valToPos(this.time, "x");
        this.hair.hidden = !(x >= -1 && x <= this.plot.over.clientWidth + 1);
        this.hair.style.transform = `translateX(${x.toFixed(1)}px)`;
    }

    private read(u: uPlot): void {
        const at = u.cursor.idx;
        this.keys.forEach(({ readout }, i) => {
            const y = at === null || at === undefined ? null : this.data.curves[i].y[at];
            readout.textContent = y === null || y === undefined ? "" : number(y);
        });
    }

    private fit(): void {
        if (this.plot && this.box.clientWidth > 0 && Math.abs(this.plot.width - this.box.clientWidth) > 1) {
            this.plot.setSize({ width: this.box.clientWidth, height: this.height });
        }
    }

    /** Other numbers for the same curves, e.g. of a run that goes on. */
    update(x: ArrayLike<number>, ys: ArrayLike<number | null>[]): void {
        this.data.x = x;
        ys.forEach((y, i) => (this.data.curves[i].y = y));
        this.plot?.setData(this.columns());
    }

    private savePng(): void {
        const from = this.plot?.ctx.canvas;
        if (!from) {
            return;
        }
        const to = document.createElement("canvas");
        const head = 26 * devicePixelRatio;
        [to.width, to.height] = [from.width, from.height + head];
        const ctx = to.getContext("2d")!;
        ctx.fillStyle = themed("--card");
        ctx.fillRect(0, 0, to.width, to.height);
        ctx.fillStyle = themed("--ink");
        ctx.font = `600 ${14 * devicePixelRatio}px system-ui, sans-serif`;
        ctx.fillText(`${this.data.title} ${this.data.unit}`, 12 * devicePixelRatio, 18 * devicePixelRatio);
        ctx.drawImage(from, 0, head);
        to.toBlob((blob) => blob && save(`${this.fileName()}.png`, blob), "image/png");
    }

    private fileName(): string {
        return this.data.title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    }

    /** The numbers as they are, one column a curve. */
    csv(): string {
        const quote = (text: string): string => `"${text.replace(/"/g, '""')}"`;
        const rows = [[this.data.xName, ...this.data.curves.map((c) => (this.data.unit ? `${c.name} ${this.data.unit}` : c.name))].map(quote).join(",")];
        for (let i = 0; i < this.data.x.length; i++) {
            rows.push([this.data.x[i], ...this.data.curves.map((c) => c.y[i] ?? "")].join(","));
        }
        return `${rows.join("\n")}\n`;
    }

    private saveCsv(): void {
        save(`${this.fileName()}.csv`, new Blob([this.csv()], { type: "text/csv" }));
    }
}
