// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Starts what a page asks for. A page holds one JSON document, in the script element `pawl-document`, whose key `page`
// says what it is (docs/pages.md); each kind of page is one module and one row of PAGES.
import { chartStyle } from "./charts";
import { Compare, type CompareData } from "./compare";
import { make } from "./kit";
import { Live } from "./live";
import liveStyle from "./live.css";
import type { MotionData } from "./motion";
import pageStyle from "./page.css";
import playerStyle from "./player.css";
import { Report, player, type ReportData } from "./report";
import { Study, type StudyData } from "./study";
import theme from "./theme.css";
import { filmOnRequest } from "./video";

/** What a page needs: the document, and the element to fill. */
type Page = (document: never, host: HTMLElement) => unknown;

const PAGES: Record<string, Page> = {
    view: (_document, host) => new Live(host),
    report: (document: ReportData, host) => report(document, host),
    study: (document: StudyData, host) => new Study(document, host),
    compare: (document: CompareData, host) => new Compare(document, host),
    motion: (document: MotionData, host) => player(host, document), // the player alone, e.g. in a notebook
};

/** With `#video=` in the address, as `pawl report --video` opens it: the player alone, of a given size. */
function report(document: ReportData, host: HTMLElement): unknown {
    const request = new URLSearchParams(location.hash.slice(1));
    if (!request.has("video") || !document.motion) {
        return new Report(document, host);
    }
    host.style.width = `${request.get("width") ?? 960}px`;
    const made = player(host, document.motion);
    if (made) {
        made.resize(Number(request.get("width") ?? 960), Number(request.get("height") ?? 540));
        void filmOnRequest(made, request);
    }
    return made;
}

function begin(): void {
    const data = document.getElementById("pawl-document");
    if (!data) {
        return;
    }
    document.head.append(Object.assign(document.createElement("style"), { textContent: theme + playerStyle + liveStyle + chartStyle + pageStyle }));
    const host = make("div", "", document.body);
    host.id = "pawl-page";
    try {
        const content = JSON.parse(data.textContent ?? "") as { page?: string };
        const page = PAGES[content.page ?? ""];
        if (!page) {
            throw new Error(`this program knows no page of kind '${content.page}'`);
        }
        // For scripts and tests.
        (window as unknown as { pawlPage: unknown }).pawlPage = page(content as never, host);
        host.dataset.state = "ready";
    } catch (error) {
        host.dataset.state = "failed";
        make("p", "player-failed", host, `This page cannot be shown here: ${error instanceof Error ? error.message : String(error)}.`);
    }
}

begin();
