// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Starts what a page asks for: an element with the id `pawl-player` is filled from the motion in the script element
// `pawl-motion`. Where a browser has no WebGL, the page keeps its drawings and says so.
import { Motion } from "./motion";
import { Player } from "./player";
import { linkPlots } from "./plots";
import style from "./style.css";

const host = document.getElementById("pawl-player");
const data = document.getElementById("pawl-motion");
if (host && data) {
    document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
    host.className = "player";
    try {
        const motion = new Motion(data.textContent ?? "");
        linkPlots();
        // For scripts and tests: window.pawlPlayer.seek(t), .pose(body).
        (window as unknown as { pawlPlayer: Player }).pawlPlayer = new Player(host, motion);
        host.dataset.state = "ready";
        document.body.classList.add("has-player");
    } catch (error) {
        host.dataset.state = "failed";
        host.textContent = `The motion cannot be shown in 3D here (${error instanceof Error ? error.message : String(error)}); the drawings below remain.`;
    }
}
