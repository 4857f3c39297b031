// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The document that C writes into a page: what a recorded machine consists of and how it moved. docs/player.md
// describes it. Long arrays are little-endian numbers in base64.
import type { Contacts, SceneData } from "./scene";

export interface EventData {
    time: number;
    text: string;
}

export interface MotionData extends SceneData {
    events: EventData[];
    frames: number;
    recorded: number; // frames of the recording; more than `frames` where the motion was thinned
    time: string; // float64 (frames)
    poses: string; // float32 (frames x bodies x 7)
    contact_start: string; // uint32 (frames + 1): rows of the next two
    contact_pair: string; // int32 (rows x 3): body a, body b, mode
    contact_point: string; // float32 (rows x 6): position, force on body b
    contact_normal?: string; // int16 (rows x 4): 32767 times the normal, 1000 times the coefficient of friction
    gaps?: string; // float32 (frames x joint_count): how far the two sides of each joint are apart [m]
    joint_count?: number; // all joints of the model, those without a frame included
}

export function bytes(text: string): ArrayBuffer {
    const raw = atob(text);
    const out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) {
        out[i] = raw.charCodeAt(i);
    }
    return out.buffer;
}

function unpackNormals(packed: Int16Array): Float32Array {
    const out = new Float32Array(packed.length);
    packed.forEach((x, i) => (out[i] = i % 4 === 3 ? x / 1000 : x / 32767));
    return out;
}

export class Motion {
    readonly scene: SceneData;
    readonly events: EventData[];
    readonly frames: number;
    readonly recorded: number;
    readonly time: Float64Array;
    readonly poses: Float32Array;
    readonly contactStart: Uint32Array;
    readonly contactPair: Int32Array;
    readonly contactPoint: Float32Array;
    readonly contactNormal: Float32Array | null;
    readonly gaps: Float32Array | null;
    readonly jointCount: number;

    constructor(d: MotionData) {
        if (d.format !== 1) {
            throw new Error(`this page knows format 1 of a motion, got ${d.format}`);
        }
        this.scene = d;
        this.events = d.events;
        this.frames = d.frames;
        this.recorded = d.recorded;
        this.time = new Float64Array(bytes(d.time));
        this.poses = new Float32Array(bytes(d.poses));
        this.contactStart = new Uint32Array(bytes(d.contact_start));
        this.contactPair = new Int32Array(bytes(d.contact_pair));
        this.contactPoint = new Float32Array(bytes(d.contact_point));
        this.contactNormal = d.contact_normal ? unpackNormals(new Int16Array(bytes(d.contact_normal))) : null;
        this.gaps = d.gaps ? new Float32Array(bytes(d.gaps)) : null;
        this.jointCount = d.joint_count ?? d.joints.length;
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

    /** The contacts of a frame. */
    contactsAt(frame: number): Contacts {
        const first = this.contactStart[frame] ?? 0;
        return {
            first,
            count: (this.contactStart[frame + 1] ?? first) - first,
            pair: this.contactPair,
            point: this.contactPoint,
            normal: this.contactNormal,
        };
    }
}
