// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Camera, light and canvas. The camera frames what moved; a frame is drawn only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Machine } from "./machine";

export class Stage {
    readonly renderer: THREE.WebGLRenderer;
    readonly camera = new THREE.PerspectiveCamera(32, 16 / 9, 0.01, 1000);
    readonly controls: OrbitControls;
    private readonly scene = new THREE.Scene();
    private readonly sun = new THREE.DirectionalLight(0xffffff, 2.4);
    private readonly up: THREE.Vector3;
    private stale = true;
    private readonly caster = new THREE.Raycaster();

    constructor(
        private readonly canvas: HTMLCanvasElement,
        private readonly machine: Machine,
        up: number[],
    ) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.up = new THREE.Vector3(...(up as [number, number, number]));
        this.camera.up.copy(this.up);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.addEventListener("change", () => this.touch());
        this.scene.add(machine.root, new THREE.HemisphereLight(0xffffff, 0xb9c2d0, 1.5), this.sun, this.sun.target);
        this.lightUp();
        this.resize();
        this.frame();
        new ResizeObserver(() => this.resize()).observe(canvas);
    }

    /** Asks for a new picture. */
    touch(): void {
        this.stale = true;
    }

    private lightUp(): void {
        const box = this.machine.bounds;
        const size = box.getSize(new THREE.Vector3()).length() || 1;
        const centre = box.getCenter(new THREE.Vector3());
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
    }

    /** From the front right and a little above, with all of the motion in view. */
    frame(): void {
        const box = this.machine.bounds;
        const centre = box.getCenter(new THREE.Vector3());
        const side = Math.abs(this.up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
        side.addScaledVector(this.up, -side.dot(this.up)).normalize();
        const front = side.clone().cross(this.up);
        const toward = side.multiplyScalar(0.5).addScaledVector(front, 0.76).addScaledVector(this.up, 0.36).normalize();
        // As near as all corners of the box allow; the tools at the top need a little room.
        const tall = Math.tan((this.camera.fov * Math.PI) / 360);
        const wide = tall * this.camera.aspect;
        const right = this.up.clone().cross(toward).normalize();
        const above = toward.clone().cross(right);
        let distance = 1e-6;
        for (let k = 0; k < 8; k++) {
            const corner = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
            corner.sub(centre);
            const near = corner.dot(toward);
            distance = Math.max(distance, near + (1.08 * Math.abs(corner.dot(right))) / wide, near + (1.2 * Math.abs(corner.dot(above))) / tall);
        }
        this.camera.position.copy(centre).addScaledVector(toward, distance);
        this.camera.near = distance / 200;
        this.camera.far = distance * 60;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(centre);
        this.controls.update();
        this.touch();
    }

    private resize(): void {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) {
            return;
        }
        this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        this.touch();
    }

    /** The body under a point of the canvas and what it is called. */
    pick(event: PointerEvent): { body: number; name: string } | null {
        const box = this.canvas.getBoundingClientRect();
        const at = new THREE.Vector2(
            (2 * (event.clientX - box.left)) / box.width - 1,
            1 - (2 * (event.clientY - box.top)) / box.height,
        );
        this.caster.setFromCamera(at, this.camera);
        for (const hit of this.caster.intersectObjects([...this.machine.bodies, ...(this.machine.joints.visible ? [this.machine.joints] : [])], true)) {
            const data = hit.object.userData as { body?: number; name?: string };
            if (data.body !== undefined && data.body >= 0) {
                return { body: data.body, name: data.name ?? "" };
            }
        }
        return null;
    }

    render(): void {
        if (this.stale) {
            this.stale = false;
            this.renderer.render(this.scene, this.camera);
        }
    }
}
