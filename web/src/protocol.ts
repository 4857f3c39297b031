// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The viewer's protocol, version 1 (docs/view-protocol.md): commands are put together, messages taken apart. A
// connection that is lost is made again until it stands.
import type { Contacts } from "./scene";
import type { SceneData } from "./scene";

export const FIGURES = ["kinetic", "potential", "balance", "residual", "closure", "penetration", "iterations", "contacts", "stepTime", "realTime", "drag", "unsolved"] as const;
export type Figure = (typeof FIGURES)[number];

export interface SettingData {
    key: string;
    value: string;
    unit: string;
    range: string;
    help: string;
}

export interface ActuatorData {
    name: string;
    kind: "force" | "position" | "velocity" | "adhesion";
    unit: string;
    stiffness: number | null;
    damping: number | null;
    low: number;
    high: number;
}

export interface ModelDocument {
    format: number;
    show: "model";
    scene: SceneData;
    settings: SettingData[];
    steppers: { name: string; summary: string }[];
    solvers: { name: string; summary: string }[];
    formulations: { name: string; summary: string }[];
    actuators: ActuatorData[];
    gravity: number[];
    friction: boolean;
}

export interface GalleryDocument {
    format: number;
    show: "gallery";
    models: string[];
}

export interface StateData {
    running: boolean;
    open: boolean;
    speed: number;
    panes: { settings: Record<string, string> }[];
    friction: number;
    gravity: number[];
    targets: { target: number | null; set: boolean; stiffness: number | null; damping: number | null }[];
    note: string;
    noteNumber: number;
    recording: string;
}

export interface PaneFrame {
    time: number;
    step: number;
    figures: Record<Figure, number>;
    gaps: Float32Array;
    poses: Float32Array;
    contacts: Contacts;
}

export interface Frame {
    document: number;
    sequence: number;
    running: boolean;
    wall: number;
    panes: PaneFrame[];
}

const CONTACT = 52;

export function readFrame(buffer: ArrayBuffer): Frame {
    const view = new DataView(buffer);
    const u32 = (at: number): number => view.getUint32(at, true);
    const [count, bodies, joints] = [view.getUint8(1), u32(12), u32(16)];
    const frame: Frame = { document: u32(4), sequence: u32(8), running: u32(20) !== 0, wall: view.getFloat64(24, true), panes: [] };
    let at = 32;
    for (let p = 0; p < count; p++) {
        const contacts = u32(at + 16);
        const [time, step] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)];
        at += 24;
        const figures = {} as Record<Figure, number>;
        FIGURES.forEach((name, i) => (figures[name] = view.getFloat32(at + 4 * i, true)));
        at += 4 * FIGURES.length;
        const gaps = new Float32Array(buffer.slice(at, at + 4 * joints));
        at += 4 * joints;
        const poses = new Float32Array(buffer.slice(at, at + 28 * bodies));
        at += 28 * bodies;
        const rows: Contacts = { first: 0, count: contacts, pair: new Int32Array(3 * contacts), point: new Float32Array(6 * contacts), normal: new Float32Array(4 * contacts) };
        for (let i = 0; i < contacts; i++, at += CONTACT) {
            for (let k = 0; k < 3; k++) {
                rows.pair[3 * i + k] = view.getInt32(at + 4 * k, true);
            }
            for (let k = 0; k < 6; k++) {
                rows.point[6 * i + k] = view.getFloat32(at + 12 + 4 * k, true);
            }
            for (let k = 0; k < 4; k++) {
                rows.normal![4 * i + k] = view.getFloat32(at + 36 + 4 * k, true);
            }
        }
        frame.panes.push({ time, step, figures, gaps, poses, contacts: rows });
    }
    return frame;
}

const COMMANDS = { run: 1, step: 2, speed: 3, reset: 4, set: 5, grab: 6, release: 7, target: 8, clearTarget: 9, friction: 10, gravity: 11, record: 12, compare: 13, open: 14, rate: 15, gains: 16, clearInputs: 17, drawn: 18 };

export interface Listener {
    document(number: number, document: ModelDocument | GalleryDocument): void;
    state(state: StateData): void;
    frame(frame: Frame): void;
    connected(on: boolean): void;
}

export class Link {
    private socket: WebSocket | null = null;
    private wait = 250;
    received = 0; // frames
    private before = 0; // of them over connections that are gone

    constructor(private readonly listener: Listener) {
        this.connect();
    }

    private connect(): void {
        const token = new URLSearchParams(location.search).get("token") ?? "";
        const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket?token=${encodeURIComponent(token)}`;
        const socket = new WebSocket(address, "pawl-view-1");
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.wait = 250;
            this.before = this.received;
            this.listener.connected(true);
        };
        socket.onmessage = (event) => this.message(event.data as ArrayBuffer);
        socket.onclose = () => {
            this.socket = null;
            this.listener.connected(false);
            setTimeout(() => this.connect(), this.wait);
            this.wait = Math.min(4000, 1.6 * this.wait);
        };
        this.socket = socket;
    }

    private message(buffer: ArrayBuffer): void {
        const head = new DataView(buffer);
        const kind = head.getUint8(0);
        if (kind === 2) {
            this.received++;
            this.listener.frame(readFrame(buffer));
            return;
        }
        const text = new TextDecoder().decode(new Uint8Array(buffer, 8));
        if (kind === 1) {
            this.listener.document(head.getUint32(4, true), JSON.parse(text) as ModelDocument | GalleryDocument);
        } else if (kind === 3) {
            this.listener.state(JSON.parse(text) as StateData);
        }
    }

    private send(kind: number, panes: number, size: number, fill: (view: DataView) => void): void {
        if (this.socket?.readyState !== WebSocket.OPEN) {
            return;
        }
        const view = new DataView(new ArrayBuffer(4 + size));
        view.setUint8(0, kind);
        view.setUint8(1, panes);
        fill(view);
        this.socket.send(view.buffer);
    }

    plain(kind: "reset" | "release" | "clearInputs"): void {
        this.send(COMMANDS[kind], 3, 0, () => undefined);
    }

    count(kind: "run" | "step" | "clearTarget" | "record" | "compare" | "open" | "rate", value: number): void {
        this.send(COMMANDS[kind], 3, 4, (view) => view.setUint32(4, value, true));
    }

    numbers(kind: "speed" | "friction" | "gravity", values: number[]): void {
        this.send(COMMANDS[kind], 3, 8 * values.length, (view) => values.forEach((x, i) => view.setFloat64(4 + 8 * i, x, true)));
    }

    target(kind: "target" | "gains", actuator: number, values: number[]): void {
        this.send(COMMANDS[kind], 3, 4 + 8 * values.length, (view) => {
            view.setUint32(4, actuator, true);
            values.forEach((x, i) => view.setFloat64(8 + 8 * i, x, true));
        });
    }

    set(panes: number, key: string, value: string): void {
        const bytes = new TextEncoder().encode(key + value);
        this.send(COMMANDS.set, panes, 2 + bytes.length, (view) => {
            view.setUint8(4, key.length);
            view.setUint8(5, bytes.length - key.length);
            bytes.forEach((byte, i) => view.setUint8(6 + i, byte));
        });
    }

    grab(body: number, point: number[], target: number[]): void {
        this.send(COMMANDS.grab, 3, 28, (view) => {
            view.setUint32(4, body, true);
            [...point, ...target].forEach((x, i) => view.setFloat32(8 + 4 * i, x, true));
        });
    }

    /** All frames that were received are on the screen, or never will be: the server may send more. */
    drawn(): void {
        this.send(COMMANDS.drawn, 3, 4, (view) => view.setUint32(4, this.received - this.before, true));
    }

    /** For tests: as if the connection were lost. */
    drop(): void {
        this.socket?.close();
    }
}
