// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The plots of a page follow the player: a line at its time in each, and a click in a plot sets the time. Plots whose
// horizontal axis is not the time are left alone.

const LEFT = 62;
const RIGHT = 608;
const WIDTH = 620;
const TOP = 12;
const BOTTOM = 216;

export function linkPlots(): void {
    for (const figure of document.querySelectorAll<HTMLElement>("figure.plot")) {
        const svg = figure.querySelector("svg");
        const range = (figure.dataset.t ?? "").split(" ").map(Number);
        if (!svg || figure.dataset.x !== "t" || figure.dataset.xLog === "1" || range.length !== 2 || !(range[1] > range[0])) {
            continue;
        }
        const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
        cursor.setAttribute("class", "player-cursor");
        svg.append(cursor);
        document.addEventListener("pawl-time", (event) => {
            const time = (event as CustomEvent<number>).detail;
            const x = LEFT + ((RIGHT - LEFT) * (time - range[0])) / (range[1] - range[0]);
            cursor.setAttribute("d", x >= LEFT - 0.01 && x <= RIGHT + 0.01 ? `M${x.toFixed(2)} ${TOP}V${BOTTOM}` : "");
        });
        svg.addEventListener("click", (event) => {
            const box = svg.getBoundingClientRect();
            const x = ((event.clientX - box.left) / box.width) * WIDTH;
            const time = range[0] + ((range[1] - range[0]) * (x - LEFT)) / (RIGHT - LEFT);
            document.dispatchEvent(new CustomEvent("pawl-seek", { detail: time }));
        });
    }
}
