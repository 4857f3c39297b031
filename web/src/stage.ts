// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Camera, light and canvas for one machine or two: alone, one as a ghost over the other, or in two panes with one camera.
// A picture is drawn only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Machine } from "./machine";

export interface Hit {
    body: number;
    name: string;
    point: THREE.Vector3;
    pane: number;
}

const LENS = 32; // what the camera sees along the shorter side [degrees]

export class Stage {
    readonly renderer: THREE.WebGLRenderer;
    readonly camera = new THREE.PerspectiveCamera(LENS, 16 / 9, 0.01, 1000);
    controls: OrbitControls;
    readonly scene = new THREE.Scene();
    readonly bounds = new THREE.Box3();
    private readonly sun = new THREE.DirectionalLight(0xffffff, 2.4);
    private readonly machines: Machine[] = [];
    private up = new THREE.Vector3(0, 0, 1);
    private split = false;
    private stale = true;
    private readonly caster = new THREE.Raycaster();
    private readonly observer: ResizeObserver;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.controls = this.control();
        this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb9c2d0, 1.5), this.sun, this.sun.target);
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(canvas);
        this.resize();
    }

    private control(): OrbitControls {
        const controls = new OrbitControls(this.camera, this.canvas);
        controls.enableDamping = false;
        controls.addEventListener("change", () => this.touch());
        return controls;
    }

    /** Shows these machines, the first with the floor; both are finished. */
    show(machines: Machine[], up: number[], split: boolean): void {
        this.machines.forEach((machine) => this.scene.remove(machine.root));
        this.machines.length = 0;
        this.machines.push(...machines);
        machines.forEach((machine) => this.scene.add(machine.root));
        this.split = split && machines.length > 1;
        this.up.fromArray(up).normalize();
        this.camera.up.copy(this.up);
        const target = this.controls.target.clone();
        this.controls.dispose(); // it takes the direction upward when it is made
        this.controls = this.control();
        this.controls.target.copy(target);
        this.controls.update(); // new ones look at the origin
        this.resize();
        this.touch();
    }

    /** Asks for a new picture. */
    touch(): void {
        this.stale = true;
    }

    private lightUp(): void {
        const size = this.bounds.getSize(new THREE.Vector3()).length() || 1;
        const centre = this.bounds.getCenter(new THREE.Vector3());
        const side = new THREE.Vector3(0.5, -0.7, 0.3).multiplyScalar(size);
        this.sun.position.copy(centre).addScaledVector(this.up, 1.6 * size).add(side);
        this.sun.target.position.copy(centre);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.bias = -2e-4;
        this.sun.shadow.normalBias = 0.004 * size;
        this.sun.shadow.radius = 3;
        const camera = this.sun.shadow.camera;
        camera.left = camera.bottom = -0.8 * size;
        camera.right = camera.top = 0.8 * size;
        camera.near = 0.1 * size;
        camera.far = 4 * size;
        camera.updateProjectionMatrix();
    }

    /** With all of the box in view: from the front right and a little above, or from where the camera is. */
    frame(bounds: THREE.Box3, margin = 1, from: "front" | "here" = "front"): void {
        this.bounds.copy(bounds);
        this.lightUp();
        const centre = bounds.getCenter(new THREE.Vector3());
        const side = Math.abs(this.up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
        side.addScaledVector(this.up, -side.dot(this.up)).normalize();
        const front = side.clone().cross(this.up);
        const toward = from === "here" ? this.camera.position.clone().sub(this.controls.target).normalize() : side.multiplyScalar(0.5).addScaledVector(front, 0.76).addScaledVector(this.up, 0.36).normalize();
        const tall = Math.tan((this.camera.fov * Math.PI) / 360);
        const wide = tall * this.camera.aspect;
        const right = this.up.clone().cross(toward).normalize();
        const above = toward.clone().cross(right);
        let distance = 1e-6;
        for (let k = 0; k < 8; k++) {
            const corner = new THREE.Vector3(k & 1 ? bounds.max.x : bounds.min.x, k & 2 ? bounds.max.y : bounds.min.y, k & 4 ? bounds.max.z : bounds.min.z);
            corner.sub(centre);
            const near = corner.dot(toward);
            distance = Math.max(distance, near + (margin * 1.1 * Math.abs(corner.dot(right))) / wide, near + (margin * 1.25 * Math.abs(corner.dot(above))) / tall);
        }
        this.camera.position.copy(centre).addScaledVector(toward, distance);
        this.camera.near = distance / 200;
        this.camera.far = distance * 60;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(centre);
        this.controls.update();
        this.touch();
    }

    /** Moves camera and light along with something. */
    follow(step: THREE.Vector3): void {
        this.camera.position.add(step);
        this.controls.target.add(step);
        this.sun.position.add(step);
        this.sun.target.position.add(step);
        this.sun.target.updateMatrixWorld();
        this.controls.update();
    }

    /** Takes the canvas's size as it is now, with so many pixels for each of the page's. */
    fit(ratio: number): void {
        this.ratio = ratio;
        this.resize();
    }

    private ratio = 0; // 0: the screen's

    private resize(): void {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) {
            return;
        }
        this.renderer.setPixelRatio(this.ratio || Math.min(devicePixelRatio || 1, 2));
        this.renderer.setSize(width, height, false);
        const aspect = (this.split ? width / 2 : width) / height;
        // The shorter side keeps its angle: a window that becomes tall or narrow does not cut off what was in it.
        this.camera.fov = (360 / Math.PI) * Math.atan(Math.tan((LENS * Math.PI) / 360) / Math.min(1, aspect));
        this.camera.aspect = aspect;
        this.camera.updateProjectionMatrix();
        this.touch();
    }

    /** A ray through a point of the canvas, and the pane that it is in. */
    ray(event: { clientX: number; clientY: number }): { caster: THREE.Raycaster; pane: number } {
        const box = this.canvas.getBoundingClientRect();
        let x = (event.clientX - box.left) / box.width;
        const pane = this.split && x > 0.5 ? 1 : 0;
        if (this.split) {
            x = 2 * x - pane;
        }
        this.camera.updateMatrixWorld();
        this.caster.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - (2 * (event.clientY - box.top)) / box.height), this.camera);
        return { caster: this.caster, pane };
    }

    /** The body under a point of the canvas. */
    pick(event: { clientX: number; clientY: number }): Hit | null {
        const { caster, pane } = this.ray(event);
        const hit = this.machines[pane]?.pick(caster) ?? null;
        return hit && { ...hit, pane };
    }

    /** Draws if something changed; whether it did. */
    render(): boolean {
        if (!this.stale) {
            return false;
        }
        this.stale = false;
        this.machines.forEach((machine) => machine.lookAt(this.controls.target));
        if (!this.split) {
            this.renderer.setScissorTest(false);
            this.machines.forEach((machine) => (machine.root.visible = true));
            this.renderer.render(this.scene, this.camera);
            return true;
        }
        const { clientWidth: width, clientHeight: height } = this.canvas;
        this.renderer.setScissorTest(true);
        this.machines.forEach((_, pane) => {
            this.machines.forEach((machine, other) => (machine.root.visible = other === pane));
            this.renderer.setViewport((pane * width) / 2, 0, width / 2, height);
            this.renderer.setScissor((pane * width) / 2, 0, width / 2, height);
            this.renderer.render(this.scene, this.camera);
        });
        this.renderer.setViewport(0, 0, width, height);
        this.renderer.setScissorTest(false);
        return true;
    }

    dispose(): void {
        this.observer.disconnect();
        this.controls.dispose();
        this.renderer.dispose();
    }
}
