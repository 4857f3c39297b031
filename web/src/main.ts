// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Starts what a page asks for. A page holds one JSON document, in the script element `pawl-document`, whose key `page`
// says what it is (docs/pages.md); each kind of page is one module and one row of PAGES.
import { chartStyle } from "./charts";
import { make } from "./kit";
import { Live } from "./live";
import liveStyle from "./live.css";
import { Motion, type MotionData } from "./motion";
import { Player } from "./player";
import playerStyle from "./player.css";
import { linkPlots } from "./plots";
import theme from "./theme.css";

/** What a page needs: the document, and the element to fill. */
type Page = (document: unknown, host: HTMLElement) => unknown;

const PAGES: Record<string, Page> = {
    view: (_document, host) => new Live(host),
};

function begin(): void {
    const data = document.getElementById("pawl-document");
    if (!data) {
        return;
    }
    document.head.append(Object.assign(document.createElement("style"), { textContent: theme + playerStyle + liveStyle + chartStyle }));
    const host = make("div", "", document.body);
    host.id = "pawl-page";
    try {
        const content = JSON.parse(data.textContent ?? "") as { page?: string };
        const page = PAGES[content.page ?? ""];
        if (!page) {
            throw new Error(`this program knows no page of kind '${content.page}'`);
        }
        // For scripts and tests.
        (window as unknown as { pawlPage: unknown }).pawlPage = page(content, host);
        host.dataset.state = "ready";
    } catch (error) {
        host.dataset.state = "failed";
        make("p", "player-failed", host, `This page cannot be shown here: ${error instanceof Error ? error.message : String(error)}.`);
    }
}

/** The report of C's own pages, until they are documents, too. */
function beginPlayer(): void {
    const host = document.getElementById("pawl-player");
    const data = document.getElementById("pawl-motion");
    if (!host || !data) {
        return;
    }
    document.head.append(Object.assign(document.createElement("style"), { textContent: `${theme}${playerStyle}.player-cursor { stroke: var(--k1); stroke-width: 1.3; fill: none; pointer-events: none } @media screen { .has-player .drawings { display: none } }` }));
    try {
        const motion = new Motion(JSON.parse(data.textContent ?? "") as MotionData);
        linkPlots();
        (window as unknown as { pawlPlayer: Player }).pawlPlayer = new Player(host, motion);
        host.dataset.state = "ready";
        document.body.classList.add("has-player");
    } catch (error) {
        host.dataset.state = "failed";
        host.textContent = `The motion cannot be shown in 3D here (${error instanceof Error ? error.message : String(error)}).`;
    }
}

begin();
beginPlayer();
