// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A motion as WebM or GIF. Frames are drawn one by one, however long each takes, so that a slow machine makes the same
// film as a fast one. WebM: the browser's own encoder (WebCodecs) and a writer of the container (Matroska, RFC 9559).
// GIF: one palette by median cut, frames that hold only what changed (GIF89a).
import { themed } from "./kit";
import type { Player } from "./player";

export interface FilmOptions {
    format: "webm" | "gif";
    fps: number;
    speed: number; // simulated over shown time
    width: number;
    height: number;
    start: number;
    end: number;
}

export function filmDefaults(player: Player, format: "webm" | "gif"): FilmOptions {
    const { motion } = player;
    const canvas = player.stage.canvas;
    const span = motion.end - motion.start;
    const width = format === "gif" ? 480 : Math.min(1920, Math.max(640, 2 * Math.round(canvas.clientWidth / 2)));
    return {
        format,
        fps: format === "gif" ? 15 : 30,
        speed: span >= 2 ? 1 : span / 3,
        width,
        height: 2 * Math.round((width * canvas.clientHeight) / canvas.clientWidth / 2),
        start: motion.start,
        end: motion.end,
    };
}

/** The pictures of a film, drawn on a ground as the page has it. */
class Reel {
    readonly canvas = document.createElement("canvas");
    private readonly context: CanvasRenderingContext2D;
    readonly count: number;

    constructor(
        private readonly player: Player,
        private readonly options: FilmOptions,
    ) {
        [this.canvas.width, this.canvas.height] = [options.width, options.height];
        this.context = this.canvas.getContext("2d", { willReadFrequently: options.format === "gif" })!;
        this.count = Math.max(1, Math.round(((options.end - options.start) / options.speed) * options.fps));
    }

    draw(i: number): void {
        const { width, height } = this.canvas;
        const time = this.options.start + Math.min(this.options.end - this.options.start, (i * this.options.speed) / this.options.fps);
        this.player.draw(time);
        const sky = this.context.createRadialGradient(width / 2, 0.15 * height, 0, width / 2, 0.15 * height, width);
        sky.addColorStop(0, themed("--sky-0"));
        sky.addColorStop(1, themed("--sky-1"));
        this.context.fillStyle = this.options.format === "gif" ? themed("--sky-0") : sky; // few colours stay few
        this.context.fillRect(0, 0, width, height);
        this.context.drawImage(this.player.stage.canvas, 0, 0, width, height);
        this.context.fillStyle = themed("--soft");
        this.context.font = `${Math.max(11, Math.round(height / 32))}px system-ui, sans-serif`;
        this.context.fillText(`${time.toFixed(2)} s`, 12, height - 12);
    }

    pixels(): Uint8ClampedArray {
        return this.context.getImageData(0, 0, this.canvas.width, this.canvas.height).data;
    }
}

// ---- WebM -----------------------------------------------------------------------------------------

class Bytes {
    private readonly parts: Uint8Array[] = [];
    size = 0;

    add(part: Uint8Array | number[]): this {
        const bytes = part instanceof Uint8Array ? part : Uint8Array.from(part);
        this.parts.push(bytes);
        this.size += bytes.length;
        return this;
    }

    join(): Uint8Array {
        const out = new Uint8Array(this.size);
        let at = 0;
        for (const part of this.parts) {
            out.set(part, at);
            at += part.length;
        }
        return out;
    }
}

function bigEndian(value: number, bytes: number): number[] {
    return Array.from({ length: bytes }, (_, i) => Math.floor(value / 2 ** (8 * (bytes - 1 - i))) % 256);
}

/** An element of EBML: its id, its size in eight bytes, its content. */
function element(id: number[], content: Uint8Array | number[]): Uint8Array {
    const size = bigEndian(content.length, 8);
    size[0] |= 1;
    return new Bytes().add(id).add(size).add(content).join();
}

const uint = (id: number[], value: number): Uint8Array => element(id, bigEndian(value, 4));
const text = (id: number[], value: string): Uint8Array => element(id, new TextEncoder().encode(value));

function float(id: number[], value: number): Uint8Array {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value);
    return element(id, new Uint8Array(view.buffer));
}

interface Chunk {
    time: number; // [ms]
    key: boolean;
    data: Uint8Array;
}

export function webm(chunks: Chunk[], codec: "V_VP8" | "V_VP9", width: number, height: number, duration: number): Uint8Array {
    const head = element([0x1a, 0x45, 0xdf, 0xa3], new Bytes().add(uint([0x42, 0x86], 1)).add(uint([0x42, 0xf7], 1)).add(uint([0x42, 0xf2], 4)).add(uint([0x42, 0xf3], 8)).add(text([0x42, 0x82], "webm")).add(uint([0x42, 0x87], 2)).add(uint([0x42, 0x85], 2)).join());
    const info = element([0x15, 0x49, 0xa9, 0x66], new Bytes().add(uint([0x2a, 0xd7, 0xb1], 1000000)).add(float([0x44, 0x89], duration)).add(text([0x4d, 0x80], "pawl")).add(text([0x57, 0x41], "pawl")).join());
    const video = element([0xe0], new Bytes().add(uint([0xb0], width)).add(uint([0xba], height)).join());
    const track = element([0xae], new Bytes().add(uint([0xd7], 1)).add(uint([0x73, 0xc5], 1)).add(uint([0x83], 1)).add(text([0x86], codec)).add(video).join());
    const body = new Bytes().add(info).add(element([0x16, 0x54, 0xae, 0x6b], track));
    let cluster = new Bytes();
    let start = 0;
    const flush = (): void => {
        if (cluster.size > 0) {
            body.add(element([0x1f, 0x43, 0xb6, 0x75], cluster.join()));
        }
    };
    for (const chunk of chunks) {
        if (cluster.size === 0 || chunk.key || chunk.time - start > 30000) {
            flush();
            start = chunk.time;
            cluster = new Bytes().add(uint([0xe7], start));
        }
        const block = new Bytes().add([0x81, ...bigEndian(chunk.time - start, 2), chunk.key ? 0x80 : 0]).add(chunk.data);
        cluster.add(element([0xa3], block.join()));
    }
    flush();
    return new Bytes().add(head).add(element([0x18, 0x53, 0x80, 0x67], body.join())).join();
}

async function filmWebm(reel: Reel, options: FilmOptions, progress: (part: number) => void): Promise<Blob> {
    if (typeof VideoEncoder === "undefined") {
        throw new Error("this browser has no video encoder (WebCodecs); save a GIF instead");
    }
    const chunks: Chunk[] = [];
    let failure: unknown = null;
    const encoder = new VideoEncoder({
        output: (chunk) => {
            const data = new Uint8Array(chunk.byteLength);
            chunk.copyTo(data);
            chunks.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", data });
        },
        error: (error) => (failure = error),
    });
    const config = { width: options.width, height: options.height, bitrate: Math.round(3 * options.width * options.height), framerate: options.fps };
    let codec: "V_VP8" | "V_VP9" = "V_VP9";
    if ((await VideoEncoder.isConfigSupported({ ...config, codec: "vp09.00.31.08" })).supported) {
        encoder.configure({ ...config, codec: "vp09.00.31.08" });
    } else {
        codec = "V_VP8";
        encoder.configure({ ...config, codec: "vp8" });
    }
    for (let i = 0; i < reel.count && !failure; i++) {
        reel.draw(i);
        const frame = new VideoFrame(reel.canvas, { timestamp: Math.round((i * 1e6) / options.fps) });
        encoder.encode(frame, { keyFrame: i % (4 * options.fps) === 0 });
        frame.close();
        progress(i / reel.count);
        do {
            await new Promise((done) => setTimeout(done, 0));
        } while (encoder.encodeQueueSize > 4 && !failure);
    }
    await encoder.flush();
    encoder.close();
    if (failure) {
        throw failure instanceof Error ? failure : new Error(String(failure));
    }
    return new Blob([webm(chunks, codec, options.width, options.height, (1000 * reel.count) / options.fps)], { type: "video/webm" });
}

// ---- GIF ------------------------------------------------------------------------------------------

const COLOURS = 127; // and one index for "as before"

/** Colours that stand for all of some pictures, by median cut: the box with the widest edge is divided at its median. */
function palette(samples: number[][]): number[][] {
    const boxes = [samples];
    while (boxes.length < COLOURS) {
        let [best, axis, width] = [-1, 0, 0];
        boxes.forEach((box, b) => {
            for (let k = 0; k < 3 && box.length > 1; k++) {
                const values = box.map((c) => c[k]);
                const edge = (values.reduce((m, v) => Math.max(m, v), 0) - values.reduce((m, v) => Math.min(m, v), 255)) * Math.log2(1 + box.length);
                if (edge > width) {
                    [best, axis, width] = [b, k, edge];
                }
            }
        });
        if (best < 0) {
            break;
        }
        const box = boxes[best].sort((a, b) => a[axis] - b[axis]);
        const middle = box.length >> 1;
        boxes.splice(best, 1, box.slice(0, middle), box.slice(middle));
    }
    return boxes.filter((box) => box.length > 0).map((box) => [0, 1, 2].map((k) => Math.round(box.reduce((sum, c) => sum + c[k], 0) / box.length)));
}

/** LZW as GIF has it: codes grow from 8 to 12 bits, then the table begins anew. */
export function lzw(indices: Uint8Array, bits: number): number[] {
    const clear = 1 << bits;
    const out: number[] = [];
    let [buffer, held, size, next] = [0, 0, bits + 1, clear + 2];
    let table = new Map<number, number>();
    const emit = (code: number): void => {
        buffer |= code << held;
        held += size;
        while (held >= 8) {
            out.push(buffer & 255);
            buffer >>>= 8;
            held -= 8;
        }
    };
    emit(clear);
    let prefix = indices[0];
    for (let i = 1; i < indices.length; i++) {
        const key = (prefix << 8) | indices[i];
        const known = table.get(key);
        if (known !== undefined) {
            prefix = known;
            continue;
        }
        emit(prefix);
        if (next === 4096) {
            emit(clear);
            table = new Map();
            [size, next] = [bits + 1, clear + 2];
        } else {
            table.set(key, next);
            if (next === 1 << size) {
                size++;
            }
            next++;
        }
        prefix = indices[i];
    }
    emit(prefix);
    emit(clear + 1);
    if (held > 0) {
        out.push(buffer & 255);
    }
    return out;
}

async function filmGif(reel: Reel, options: FilmOptions, progress: (part: number) => void): Promise<Blob> {
    const { width, height } = options;
    const samples: number[][] = [];
    for (let k = 0; k < 5; k++) {
        reel.draw(Math.floor((k * (reel.count - 1)) / 4));
        const pixels = reel.pixels();
        for (let i = k; i < width * height; i += 23) {
            samples.push([pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]]);
        }
    }
    const colours = palette(samples);
    const nearest = new Map<number, number>();
    const find = (r: number, g: number, b: number): number => {
        const key = ((r >> 2) << 12) | ((g >> 2) << 6) | (b >> 2);
        let index = nearest.get(key);
        if (index === undefined) {
            let least = Infinity;
            colours.forEach(([x, y, z], k) => {
                const d = 2 * (x - r) ** 2 + 4 * (y - g) ** 2 + 3 * (z - b) ** 2;
                if (d < least) {
                    [least, index] = [d, k];
                }
            });
            nearest.set(key, index!);
        }
        return index!;
    };
    const out = new Bytes();
    const word = (value: number): number[] => [value & 255, value >> 8];
    out.add([..."GIF89a"].map((c) => c.charCodeAt(0))).add([...word(width), ...word(height), 0xf6, 0, 0]);
    out.add(Array.from({ length: 128 }, (_, k) => colours[k] ?? [0, 0, 0]).flat());
    out.add([0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0]); // for ever
    let before: Uint8Array | null = null;
    for (let i = 0; i < reel.count; i++) {
        reel.draw(i);
        const pixels = reel.pixels();
        const now = new Uint8Array(width * height);
        const shown = new Uint8Array(width * height);
        let [x0, y0, x1, y1] = [width, height, -1, -1];
        for (let p = 0; p < now.length; p++) {
            now[p] = find(pixels[4 * p], pixels[4 * p + 1], pixels[4 * p + 2]);
            const same = before !== null && before[p] === now[p];
            shown[p] = same ? 127 : now[p];
            if (!same) {
                const [x, y] = [p % width, Math.floor(p / width)];
                [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x), Math.max(y1, y)];
            }
        }
        before = now;
        if (x1 < 0) {
            [x0, y0, x1, y1] = [0, 0, 0, 0];
        }
        const [w, h] = [x1 - x0 + 1, y1 - y0 + 1];
        const part = new Uint8Array(w * h);
        for (let y = 0; y < h; y++) {
            part.set(shown.subarray((y0 + y) * width + x0, (y0 + y) * width + x0 + w), y * w);
        }
        out.add([0x21, 0xf9, 4, 0x05, ...word(Math.round(100 / options.fps)), 127, 0]); // keep what is there; 127 is clear
        out.add([0x2c, ...word(x0), ...word(y0), ...word(w), ...word(h), 0, 7]);
        const data = lzw(part, 7);
        for (let at = 0; at < data.length; at += 255) {
            const block = data.slice(at, at + 255);
            out.add([block.length, ...block]);
        }
        out.add([0]);
        progress(i / reel.count);
        await new Promise((done) => setTimeout(done, 0));
    }
    out.add([0x3b]);
    return new Blob([out.join()], { type: "image/gif" });
}

/** The motion of a player as a film. The player shows the last picture afterwards. */
export async function film(player: Player, options: FilmOptions, progress: (part: number) => void = () => undefined): Promise<Blob> {
    player.play(false);
    const reel = new Reel(player, options);
    return options.format === "gif" ? filmGif(reel, options, progress) : filmWebm(reel, options, progress);
}

/** What `pawl report --video` asks for in the address: a film of a given size, sent back to the server. */
export async function filmOnRequest(player: Player, request: URLSearchParams): Promise<void> {
    const answer = async (kind: string, body: Blob | string): Promise<void> => {
        await fetch(`/video${location.search}&kind=${kind}`, { method: "POST", body });
    };
    try {
        const format = request.get("video") === "gif" ? "gif" : "webm";
        const options = filmDefaults(player, format);
        for (const key of ["fps", "speed", "width", "height", "start", "end"] as const) {
            if (request.has(key)) {
                options[key] = Number(request.get(key));
            }
        }
        await answer("film", await film(player, options));
    } catch (error) {
        await answer("failure", error instanceof Error ? error.message : String(error));
    }
    document.body.dataset.film = "done";
}
