// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Tables of pages: words to the left, numbers to the right, sideways scrolling inside the card on narrow screens.
import { make } from "./kit";

export type Cell = string | number;

/** `words`: the columns that hold text. */
export function table(parent: HTMLElement, head: string[], rows: Cell[][], words: number[] = [0]): HTMLElement {
    const card = make("div", "card scroll fit", parent);
    const element = make("table", "", card);
    const cls = (column: number): string => (words.includes(column) ? "" : "n");
    const top = make("tr", "", make("thead", "", element));
    head.forEach((text, c) => make("th", cls(c), top, text));
    const body = make("tbody", "", element);
    for (const row of rows) {
        const line = make("tr", "", body);
        row.forEach((text, c) => make("td", cls(c), line, String(text)));
    }
    return card;
}

/** Text with powers as such: "2^-5" gets its exponent raised. */
export function powers(parent: HTMLElement, text: string): void {
    for (const part of text.split(/(\^-?\d+)/)) {
        if (/^\^-?\d+$/.test(part)) {
            make("sup", "", parent, part.slice(1).replace("-", "−"));
        } else {
            parent.append(part);
        }
    }
}
