// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The document that C writes into a page: what a recorded machine consists of and how it moved. docs/player.md
// describes it. Long arrays are little-endian numbers in base64.

export interface ShapeData {
    body: number; // -1: the world
    kind: "sphere" | "box" | "cylinder" | "capsule" | "ellipsoid" | "plane" | "hull" | "heightfield";
    pose: number[]; // x y z qw qx qy qz in the body's frame
    size: number[];
    colour: number[]; // r g b a
    drawn: boolean; // false: it only touches, and another shape of its body is drawn
    name: string;
    corners?: number[]; // of a hull's faces, triangles of nine numbers
    field?: { columns: number; rows: number; dx: number; dy: number; heights: number[] };
}

export interface JointData {
    name: string;
    kind: string;
    base: number;
    follower: number;
    pose: number[]; // of the joint's frame, in the follower's
    revolves: boolean;
}

export interface EventData {
    time: number;
    text: string;
}

interface Document {
    format: number;
    name: string;
    up: number[];
    bodies: { name: string; mass: number; com: number[] }[];
    shapes: ShapeData[];
    joints: JointData[];
    events: EventData[];
    frames: number;
    recorded: number; // frames of the recording; more than `frames` where the motion was thinned
    time: string; // float64 (frames)
    poses: string; // float32 (frames x bodies x 7)
    contact_start: string; // uint32 (frames + 1): rows of the next two
    contact_pair: string; // int32 (rows x 3): body a, body b, mode
    contact_point: string; // float32 (rows x 6): position, force on body b
}

function bytes(text: string): ArrayBuffer {
    const raw = atob(text);
    const out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) {
        out[i] = raw.charCodeAt(i);
    }
    return out.buffer;
}

export class Motion {
    readonly name: string;
    readonly up: number[];
    readonly bodies: Document["bodies"];
    readonly shapes: ShapeData[];
    readonly joints: JointData[];
    readonly events: EventData[];
    readonly frames: number;
    readonly recorded: number;
    readonly time: Float64Array;
    readonly poses: Float32Array;
    readonly contactStart: Uint32Array;
    readonly contactPair: Int32Array;
    readonly contactPoint: Float32Array;

    constructor(text: string) {
        const d = JSON.parse(text) as Document;
        if (d.format !== 1) {
            throw new Error(`this page knows format 1 of a motion, got ${d.format}`);
        }
        this.name = d.name;
        this.up = d.up;
        this.bodies = d.bodies;
        this.shapes = d.shapes;
        this.joints = d.joints;
        this.events = d.events;
        this.frames = d.frames;
        this.recorded = d.recorded;
        this.time = new Float64Array(bytes(d.time));
        this.poses = new Float32Array(bytes(d.poses));
        this.contactStart = new Uint32Array(bytes(d.contact_start));
        this.contactPair = new Int32Array(bytes(d.contact_pair));
        this.contactPoint = new Float32Array(bytes(d.contact_point));
    }

    get start(): number {
        return this.time[0] ?? 0;
    }

    get end(): number {
        return this.time[this.frames - 1] ?? 0;
    }

    /** The last frame at or before a time, and how far the time is towards the next one (0 to 1). */
    at(time: number): { frame: number; part: number } {
        let low = 0;
        let high = this.frames - 1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (this.time[middle] <= time) {
                low = middle;
            } else {
                high = middle;
            }
        }
        const span = this.time[high] - this.time[low];
        const part = span > 0 ? (time - this.time[low]) / span : 0;
        return { frame: low, part: Math.min(1, Math.max(0, part)) };
    }

    /** The largest contact force of the run, for the length of arrows. */
    largestForce(): number {
        let largest = 0;
        for (let i = 0; i < this.contactPoint.length; i += 6) {
            largest = Math.max(
                largest,
                Math.hypot(this.contactPoint[i + 3], this.contactPoint[i + 4], this.contactPoint[i + 5]),
            );
        }
        return largest;
    }
}
