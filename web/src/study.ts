// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A study: claims first, because who reads one line should read whether the work was reproduced, then paragraphs,
// tables, plots and machines in their order.
import { Chart } from "./charts";
import { make, plural } from "./kit";
import type { MotionData } from "./motion";
import { chartOf, type PlotData } from "./plotdata";
import { player, verdictBox } from "./report";
import { powers } from "./table";

type Item =
    | { kind: "paragraph"; text: string }
    | { kind: "table"; title: string; note: string; columns: { name: string; unit: string; words: boolean; against: number }[]; rows: string[][]; differs: [number, number][] }
    | { kind: "plot"; plot: PlotData }
    | { kind: "motion"; title: string; motion: MotionData };

export interface StudyData {
    page: "study";
    name: string;
    title: string;
    source: string;
    footer: string;
    claims: { text: string; unit: string; found: string; relation: string; limit: string; met: boolean }[];
    items: Item[];
}

export class Study {
    constructor(data: StudyData, host: HTMLElement) {
        document.title = `${data.name} · pawl reproduce`;
        const page = make("main", "page", host);
        const head = make("header", "", page);
        make("div", "eyebrow", head, `pawl reproduce ${data.name}`);
        make("h1", "", head, data.title);
        make("p", "lead", head, data.source);
        const missed = data.claims.filter((claim) => !claim.met).length;
        const sentence = missed > 0 ? `${missed} of ${plural(data.claims.length, "claim")} ${missed === 1 ? "is" : "are"} not met; they are marked below.` : data.claims.length > 0 ? "Every claim below is met." : "There was nothing to claim.";
        verdictBox(page, missed === 0, missed === 0 ? "REPRODUCED" : "NOT MET", sentence);
        this.claims(page, data);
        let grid: HTMLElement | null = null;
        for (const item of data.items) {
            if (item.kind === "plot") {
                grid ??= make("div", "plots", page); // plots that follow each other share it
                new Chart(grid, chartOf(item.plot));
                continue;
            }
            grid = null;
            this.item(page, item);
        }
        make("footer", "", page, data.footer);
    }

    private claims(page: HTMLElement, data: StudyData): void {
        make("h2", "", page, "Claims");
        const card = make("div", "card scroll fit", page);
        const list = make("table", "", card);
        const top = make("tr", "", list);
        ["claim", "found", "limit", "met"].forEach((text, c) => make("th", c === 1 ? "n" : "", top, text));
        for (const claim of data.claims) {
            const row = make("tr", "", list);
            powers(make("td", "", row), claim.text);
            make("td", "n", row, claim.found);
            make("td", "", row, `${claim.relation} ${claim.limit}${claim.unit ? ` ${claim.unit}` : ""}`);
            make("td", claim.met ? "ok" : "no", row, claim.met ? "✓ yes" : "! no");
        }
    }

    private item(page: HTMLElement, item: Exclude<Item, { kind: "plot" }>): void {
        if (item.kind === "paragraph") {
            powers(make("p", "prose", page), item.text);
        } else if (item.kind === "motion") {
            make("h2", "", page, item.title);
            player(page, item.motion);
        } else {
            this.table(page, item);
        }
    }

    private table(page: HTMLElement, item: Extract<Item, { kind: "table" }>): void {
        powers(make("h2", "", page), item.title);
        const list = make("table", "", make("div", "card scroll fit", page));
        const top = make("tr", "", list);
        const reference = new Set(item.columns.filter((c) => c.against > 0).map((c) => c.against - 1));
        const differs = new Set(item.differs.map(([r, c]) => `${r} ${c}`));
        item.columns.forEach((column) => {
            const cell = make("th", column.words ? "" : "n", top, column.name);
            if (column.unit) {
                make("small", "", cell, ` [${column.unit}]`);
            }
        });
        item.rows.forEach((row, r) => {
            const line = make("tr", "", list);
            row.forEach((text, c) => {
                const column = item.columns[c];
                const cls = [column.words ? "" : "n", column.against > 0 ? "ours" : "", reference.has(c) ? "theirs" : "", differs.has(`${r} ${c}`) ? "differs" : ""];
                powers(make("td", cls.filter(Boolean).join(" "), line), text);
            });
        });
        const note = [item.note, item.differs.length > 0 ? "Marked: the printed digits differ." : ""].filter(Boolean).join(" ");
        if (note) {
            powers(make("p", "note", page), note);
        }
    }
}
