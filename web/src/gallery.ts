// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The gallery: the models that come with pawl, each with a short motion that the server makes when its card comes into
// view. One renderer draws all cards, one after the other, and copies each picture to its card.
import * as THREE from "three";
import { make, plural } from "./kit";
import { Machine } from "./machine";
import { Motion, type MotionData } from "./motion";
import { Stage } from "./stage";

const TITLES: Record<string, string> = {
    "": "Begin here",
    classics: "Classics of mechanics",
    joints: "Kinds of joints",
    lit: "Machines with stiff contact",
    nmdp: "Walking and jumping with large steps",
    primitives: "Loops and contacts, small",
    robots: "Robots",
    suite: "The suite of Table II",
    wrench: "Feet on soft ground",
};

const ORDER = ["", "suite", "robots", "lit", "nmdp", "primitives", "wrench", "joints", "classics"];

interface Card {
    index: number;
    element: HTMLButtonElement;
    canvas: HTMLCanvasElement;
    seen: boolean;
    asked: boolean;
    drawn: boolean;
    shown: { motion: Motion; machine: Machine } | null;
}

/** The same machine in another format comes after all machines. */
const second = (path: string): number => Number(path.endsWith("-mjcf.xml"));

export class Gallery {
    private readonly root: HTMLElement;
    private cards: Card[] = [];
    private stage: Stage | null = null;
    private shown: Machine | null = null;
    private readonly observer: IntersectionObserver;
    private online = true;

    constructor(
        host: HTMLElement,
        private readonly open: (index: number) => void,
    ) {
        this.root = make("main", "gallery", host);
        this.root.hidden = true;
        this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.see(entry)), { rootMargin: "120px" });
        setInterval(() => this.load(), 300);
        requestAnimationFrame((now) => this.tick(now));
    }

    connected(on: boolean): void {
        this.online = on;
    }

    show(models: string[] | null): void {
        this.root.hidden = models === null;
        if (models !== null && this.cards.length === 0) {
            this.build(models);
        }
    }

    private build(models: string[]): void {
        make("h1", "", this.root, "Models");
        make("p", "", this.root, `${plural(models.length, "machine")} that come with pawl. Choose one to run it.`);
        const find = make("input", "gallery-find", this.root);
        find.type = "search";
        find.placeholder = "Find a model";
        find.setAttribute("aria-label", "find a model");
        const folders = new Map<string, number[]>();
        models.forEach((path, i) => {
            const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
            folders.set(folder, [...(folders.get(folder) ?? []), i]);
        });
        const sections: { section: HTMLElement; names: { name: string; element: HTMLElement }[] }[] = [];
        const place = (folder: string): number => (ORDER.includes(folder) ? ORDER.indexOf(folder) : ORDER.length);
        for (const folder of [...folders.keys()].sort((a, b) => place(a) - place(b) || a.localeCompare(b))) {
            const section = make("section", "", this.root);
            const title = make("h2", "", section, TITLES[folder] ?? folder);
            make("small", "", title, folder);
            const grid = make("div", "gallery-grid", section);
            const mine = folders.get(folder)!.sort((a, b) => second(models[a]) - second(models[b]) || models[a].localeCompare(models[b]));
            const names = mine.map((i) => ({ name: models[i].toLowerCase(), element: this.card(grid, i, models[i]) }));
            sections.push({ section, names });
        }
        find.oninput = () => {
            const word = find.value.trim().toLowerCase();
            for (const { section, names } of sections) {
                names.forEach(({ name, element }) => (element.hidden = !name.includes(word)));
                section.hidden = names.every(({ element }) => element.hidden);
            }
        };
    }

    private card(parent: HTMLElement, index: number, path: string): HTMLElement {
        const element = make("button", "gallery-card", parent);
        element.type = "button";
        element.onclick = () => this.open(index);
        const canvas = make("canvas", "", element);
        [canvas.width, canvas.height] = [480, 330];
        const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.(sdf|urdf|xml)$/, "");
        make("span", "", element, name);
        element.title = path;
        this.cards.push({ index, element, canvas, seen: false, asked: false, drawn: false, shown: null });
        this.observer.observe(element);
        return element;
    }

    private see(entry: IntersectionObserverEntry): void {
        const card = this.cards.find(({ element }) => element === entry.target);
        if (card) {
            card.seen = entry.isIntersecting;
        }
    }

    /** Asks the server for what is in view, a few at a time. */
    private load(): void {
        if (this.root.hidden || !this.online) {
            return;
        }
        const waiting = this.cards.filter((card) => card.seen && !card.asked && !card.shown).slice(0, 4);
        waiting.forEach((card) => void this.fetch(card));
    }

    private async fetch(card: Card): Promise<void> {
        card.asked = true;
        try {
            const answer = await fetch(`/thumb/${card.index}${location.search}`);
            const data = (await answer.json()) as MotionData & { wait?: boolean; failed?: boolean };
            if (data.wait) {
                setTimeout(() => (card.asked = false), 400);
            } else if (data.failed) {
                card.element.dataset.ready = "0";
            } else {
                const motion = new Motion(data);
                const machine = new Machine(motion.scene);
                machine.includeMotion(motion, 8);
                machine.finish();
                card.shown = { motion, machine };
                card.element.dataset.ready = "1";
            }
        } catch {
            setTimeout(() => (card.asked = false), 2000);
        }
    }

    private tick(now: number): void {
        requestAnimationFrame((then) => this.tick(then));
        if (this.root.hidden) {
            return;
        }
        const ready = this.cards.filter((card) => card.seen && card.shown && !card.element.hidden);
        if (ready.length === 0) {
            return;
        }
        this.stage ??= this.makeStage();
        // As many a frame as fit: each card gets its turn, the time of its motion is the clock's.
        const begun = performance.now();
        for (let k = 0; k < ready.length && performance.now() - begun < 12; k++) {
            const blank = ready.find((one) => !one.drawn); // the first pictures before any moves on
            const card = blank ?? ready[(this.turn = (this.turn + 1) % ready.length)];
            this.draw(card, now / 1000);
        }
    }

    private turn = 0;
    private readonly followed = new THREE.Vector3(); // where the camera went along with a machine that travels

    private makeStage(): Stage {
        const canvas = make("canvas", "", document.body);
        canvas.style.cssText = "position:fixed;left:-9999px;top:0;width:480px;height:330px";
        canvas.setAttribute("aria-hidden", "true");
        const stage = new Stage(canvas);
        stage.renderer.setPixelRatio(1);
        return stage;
    }

    private draw(card: Card, clock: number): void {
        const { motion, machine } = card.shown!;
        const stage = this.stage!;
        const span = Math.max(0.2, motion.end - motion.start);
        const time = motion.start + Math.min(span, clock % (span + 0.6));
        const { frame, part } = motion.at(time);
        const stride = 7 * motion.scene.bodies.length;
        machine.take(motion.poses, frame * stride);
        machine.blend(motion.poses, Math.min(frame + 1, motion.frames - 1) * stride, part);
        machine.place();
        if (this.shown !== machine) {
            this.shown = machine;
            stage.show([machine], motion.scene.up, false);
            stage.frame(machine.bounds, 1.02);
            this.followed.set(0, 0, 0);
        }
        const travelled = machine.travelled();
        stage.follow(travelled.clone().sub(this.followed));
        this.followed.copy(travelled);
        stage.touch();
        stage.render();
        const context = card.canvas.getContext("2d")!;
        context.clearRect(0, 0, card.canvas.width, card.canvas.height);
        context.drawImage(stage.canvas, 0, 0, card.canvas.width, card.canvas.height);
        card.drawn = true;
    }
}

