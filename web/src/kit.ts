// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Small tools of all pages: elements, numbers for people, colours of the theme, files to save.

export function make<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    cls: string,
    parent: HTMLElement | null,
    text = "",
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    if (cls) {
        element.className = cls;
    }
    element.textContent = text;
    parent?.append(element);
    return element;
}

/** A button with a label that people hear, too. */
export function button(parent: HTMLElement, label: string, title: string, act: () => void, cls = ""): HTMLButtonElement {
    const element = make("button", cls, parent, label);
    element.type = "button";
    element.title = title;
    element.setAttribute("aria-label", title);
    element.onclick = act;
    return element;
}

const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Four significant digits; powers of ten with a raised exponent, as people write them. */
export function number(x: number | null | undefined): string {
    if (x === null || x === undefined || Number.isNaN(x)) {
        return "–";
    }
    if (!Number.isFinite(x)) {
        return x > 0 ? "∞" : "−∞";
    }
    const a = Math.abs(x);
    if (a === 0) {
        return "0";
    }
    if (a >= 1e-3 && a < 1e6) {
        return (a >= 1e4 ? x.toFixed(0) : String(Number(x.toPrecision(4)))).replace("-", "−");
    }
    const [mantissa, exponent] = x.toExponential(1).split("e");
    const power = [...String(Math.abs(Number(exponent)))].map((d) => DIGITS[Number(d)]).join("");
    return `${mantissa.replace("-", "−")}·10${Number(exponent) < 0 ? "⁻" : ""}${power}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
    return `${count} ${count === 1 ? one : many}`;
}

/** A colour of the theme, as the page shows it now. */
export function themed(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function save(name: string, data: Blob): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(data);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Calls when the colours change between light and dark, and before and after a page goes to paper, which is light. */
export function onTheme(act: () => void): void {
    ["screen and (prefers-color-scheme: dark)", "print"].forEach((query) => matchMedia(query).addEventListener("change", act));
}

/** A switch that is pressed or not. */
export class Toggle {
    readonly element: HTMLButtonElement;

    constructor(parent: HTMLElement, label: string, title: string, on: boolean, act: (on: boolean) => void) {
        this.element = button(parent, label, title, () => {
            this.on = !this.on;
            act(this.on);
        });
        this.on = on;
    }

    get on(): boolean {
        return this.element.getAttribute("aria-pressed") === "true";
    }

    set on(on: boolean) {
        this.element.setAttribute("aria-pressed", String(on));
    }
}

/** A panel with a row for each key; closed until asked for. */
export function helpPanel(parent: HTMLElement, rows: [string, string][]): HTMLElement {
    const panel = make("div", "help", parent);
    panel.hidden = true;
    panel.setAttribute("role", "dialog");
    panel.setAttribute("aria-label", "keys");
    for (const [keys, what] of rows) {
        const row = make("div", "", panel);
        make("kbd", "", row, keys);
        make("span", "", row, what);
    }
    return panel;
}
