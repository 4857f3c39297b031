// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The machine as objects of three.js: one group a body, a mesh a shape, and what explains them: joints, contacts, paths.
import * as THREE from "three";
import type { Motion, ShapeData } from "./motion";

const MODES = [0x8a93a3, 0x2f9e62, 0xe08a1e]; // open, sticking, sliding

function heightfield(shape: ShapeData): THREE.BufferGeometry {
    const field = shape.field!;
    const geometry = new THREE.BufferGeometry();
    const points: number[] = [];
    const faces: number[] = [];
    for (let j = 0; j < field.rows; j++) {
        for (let i = 0; i < field.columns; i++) {
            points.push(i * field.dx, j * field.dy, field.heights[j * field.columns + i]);
        }
    }
    for (let j = 0; j + 1 < field.rows; j++) {
        for (let i = 0; i + 1 < field.columns; i++) {
            const a = j * field.columns + i;
            faces.push(a, a + 1, a + field.columns + 1, a, a + field.columns + 1, a + field.columns);
        }
    }
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.setIndex(faces);
    geometry.computeVertexNormals();
    return geometry;
}

/** The geometry of a shape in its own frame; null for a plane, whose size depends on the scene. */
function geometryOf(shape: ShapeData): THREE.BufferGeometry | null {
    const [x, y, z] = shape.size;
    switch (shape.kind) {
        case "sphere":
            return new THREE.SphereGeometry(x, 32, 20);
        case "box":
            return new THREE.BoxGeometry(2 * x, 2 * y, 2 * z);
        case "cylinder":
            return new THREE.CylinderGeometry(x, x, 2 * z, 32).rotateX(Math.PI / 2);
        case "capsule":
            return new THREE.CapsuleGeometry(x, 2 * z, 12, 28).rotateX(Math.PI / 2);
        case "ellipsoid":
            return new THREE.SphereGeometry(1, 32, 20).scale(x, y, z);
        case "hull": {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.corners ?? [], 3));
            geometry.computeVertexNormals();
            return geometry;
        }
        case "heightfield":
            return heightfield(shape);
        case "plane":
            return null;
    }
}

function place(object: THREE.Object3D, pose: ArrayLike<number>, at = 0): void {
    object.position.set(pose[at], pose[at + 1], pose[at + 2]);
    object.quaternion.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]).normalize();
}

export class Machine {
    readonly root = new THREE.Group();
    readonly bodies: THREE.Group[] = [];
    readonly world = new THREE.Group();
    readonly joints = new THREE.Group();
    readonly contacts = new THREE.Group();
    readonly bounds = new THREE.Box3();
    private readonly planes: ShapeData[] = [];
    private readonly arrows: { group: THREE.Group; shaft: THREE.Mesh; tip: THREE.Mesh; dot: THREE.Mesh }[] = [];
    private readonly forceScale: number;
    private readonly trail = new THREE.Line(
        new THREE.BufferGeometry(),
        new THREE.LineBasicMaterial({ color: 0xd0641a, transparent: true, opacity: 0.8 }),
    );
    private readonly next = new THREE.Quaternion();

    constructor(private readonly motion: Motion) {
        for (const body of motion.bodies) {
            const group = new THREE.Group();
            group.name = body.name;
            this.bodies.push(group);
            this.root.add(group);
        }
        motion.shapes.forEach((shape) => this.addShape(shape));
        this.root.add(this.world, this.joints, this.contacts, this.trail);
        this.trail.visible = false;
        this.measure();
        const size = this.bounds.getSize(new THREE.Vector3()).length() || 1;
        this.addFloors(size);
        this.addJoints(size);
        this.forceScale = (0.16 * size) / (motion.largestForce() || 1);
        this.show(motion.start);
    }

    private addShape(shape: ShapeData): void {
        const geometry = geometryOf(shape);
        if (geometry === null) {
            this.planes.push(shape);
            return;
        }
        if (!shape.drawn) {
            return;
        }
        const [r, g, b, a] = shape.colour;
        const material = new THREE.MeshStandardMaterial({
            color: new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace),
            roughness: 0.62,
            metalness: 0.06,
            flatShading: shape.kind === "hull",
            transparent: a < 1,
            opacity: a,
            side: shape.kind === "heightfield" ? THREE.DoubleSide : THREE.FrontSide,
        });
        const mesh = new THREE.Mesh(geometry, material);
        place(mesh, shape.pose);
        mesh.castShadow = shape.kind !== "heightfield";
        mesh.receiveShadow = true;
        mesh.userData = { body: shape.body, name: shape.name };
        (shape.body < 0 ? this.world : this.bodies[shape.body]).add(mesh);
    }

    /** A box around some thirty moments of the run, without half spaces. */
    private measure(): void {
        const step = Math.max(1, Math.floor(this.motion.frames / 30));
        for (let frame = 0; frame < this.motion.frames; frame += step) {
            this.show(this.motion.time[frame]);
            this.root.updateMatrixWorld(true);
            for (const body of this.bodies) {
                const box = new THREE.Box3().setFromObject(body);
                if (body.children.length === 0) {
                    box.set(body.position, body.position);
                }
                this.bounds.union(box);
            }
        }
        if (this.bounds.isEmpty()) {
            this.bounds.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
        }
    }

    private addFloors(size: number): void {
        const centre = this.bounds.getCenter(new THREE.Vector3());
        for (const plane of this.planes) {
            const holder = new THREE.Group();
            place(holder, plane.pose);
            holder.updateMatrixWorld(true);
            const local = holder.worldToLocal(centre.clone());
            const half = 4 * size;
            const floor = new THREE.Mesh(
                new THREE.PlaneGeometry(2 * half, 2 * half),
                new THREE.ShadowMaterial({ opacity: 0.22, side: THREE.DoubleSide }),
            );
            floor.position.set(local.x, local.y, 0);
            floor.receiveShadow = true;
            const cell = Math.pow(10, Math.floor(Math.log10(size)));
            const lines = 2 * Math.ceil(half / cell / 2);
            const grid = new THREE.GridHelper(lines * cell, lines, 0x8f99ab, 0x8f99ab).rotateX(Math.PI / 2);
            const material = grid.material as THREE.LineBasicMaterial;
            material.transparent = true;
            material.opacity = 0.28;
            material.depthWrite = false;
            grid.position.set(Math.round(local.x / cell) * cell, Math.round(local.y / cell) * cell, 0);
            holder.add(floor, grid);
            (plane.body < 0 ? this.world : this.bodies[plane.body]).add(holder);
        }
    }

    private addJoints(size: number): void {
        const radius = 0.006 * size;
        const pin = new THREE.CylinderGeometry(radius, radius, 4.5 * radius, 20).rotateZ(Math.PI / 2); // along x
        const ball = new THREE.SphereGeometry(1.3 * radius, 20, 14);
        for (const joint of this.motion.joints) {
            const mesh = new THREE.Mesh(
                joint.revolves ? pin : ball,
                new THREE.MeshStandardMaterial({ color: 0xf4f6fa, emissive: 0x39404d, depthTest: false, transparent: true }),
            );
            mesh.renderOrder = 2;
            place(mesh, joint.pose);
            mesh.userData = { body: joint.follower, name: `joint ${joint.name} (${joint.kind})` };
            const holder = new THREE.Group();
            holder.userData.body = joint.follower;
            holder.add(mesh);
            this.joints.add(holder);
        }
        this.joints.visible = false;
    }

    /** Poses at a time: positions along the line between two frames, orientations along the shortest turn. */
    show(time: number): void {
        const m = this.motion;
        const { frame, part } = m.at(time);
        const stride = 7 * m.bodies.length;
        const after = Math.min(frame + 1, m.frames - 1);
        this.bodies.forEach((body, b) => {
            const at = frame * stride + 7 * b;
            place(body, m.poses, at);
            if (part > 0) {
                const then = after * stride + 7 * b;
                body.position.lerp(new THREE.Vector3(m.poses[then], m.poses[then + 1], m.poses[then + 2]), part);
                this.next.set(m.poses[then + 4], m.poses[then + 5], m.poses[then + 6], m.poses[then + 3]).normalize();
                body.quaternion.slerp(this.next, part);
            }
        });
        if (this.joints.visible) {
            for (const holder of this.joints.children) {
                const body = this.bodies[holder.userData.body as number];
                if (body) {
                    holder.position.copy(body.position);
                    holder.quaternion.copy(body.quaternion);
                }
            }
        }
        this.showContacts(part < 0.5 ? frame : after);
    }

    private arrow(i: number): (typeof this.arrows)[number] {
        while (this.arrows.length <= i) {
            const material = new THREE.MeshStandardMaterial({ emissive: 0x222222, depthTest: false, transparent: true });
            const group = new THREE.Group();
            const size = this.bounds.getSize(new THREE.Vector3()).length() || 1;
            const width = 0.0035 * size;
            const shaft = new THREE.Mesh(new THREE.CylinderGeometry(width, width, 1, 10).translate(0, 0.5, 0), material);
            const tip = new THREE.Mesh(new THREE.ConeGeometry(2.6 * width, 7 * width, 14), material);
            const dot = new THREE.Mesh(new THREE.SphereGeometry(1.9 * width, 14, 10), material);
            [shaft, tip, dot].forEach((mesh) => (mesh.renderOrder = 3));
            group.add(shaft, tip, dot);
            this.contacts.add(group);
            this.arrows.push({ group, shaft, tip, dot });
        }
        return this.arrows[i];
    }

    private showContacts(frame: number): void {
        const m = this.motion;
        const first = m.contactStart[frame] ?? 0;
        const count = this.contacts.visible ? (m.contactStart[frame + 1] ?? first) - first : 0;
        for (let i = 0; i < count; i++) {
            const { group, shaft, tip, dot } = this.arrow(i);
            const at = 6 * (first + i);
            const p = m.contactPoint;
            const force = new THREE.Vector3(p[at + 3], p[at + 4], p[at + 5]);
            const length = this.forceScale * force.length();
            group.visible = true;
            group.position.set(p[at], p[at + 1], p[at + 2]);
            shaft.visible = tip.visible = length > 0;
            if (length > 0) {
                group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.normalize());
                shaft.scale.set(1, length, 1);
                tip.position.set(0, length, 0);
            }
            (dot.material as THREE.MeshStandardMaterial).color.setHex(MODES[m.contactPair[3 * (first + i) + 2]] ?? MODES[0]);
        }
        for (let i = count; i < this.arrows.length; i++) {
            this.arrows[i].group.visible = false;
        }
    }

    /** The path of a body's centre of mass over the whole run; -1 hides it. */
    showPath(body: number): void {
        this.trail.visible = body >= 0;
        if (body < 0) {
            return;
        }
        const m = this.motion;
        const com = new THREE.Vector3(...(m.bodies[body].com as [number, number, number]));
        const points: THREE.Vector3[] = [];
        const q = new THREE.Quaternion();
        for (let frame = 0; frame < m.frames; frame++) {
            const at = 7 * (frame * m.bodies.length + body);
            q.set(m.poses[at + 4], m.poses[at + 5], m.poses[at + 6], m.poses[at + 3]);
            points.push(com.clone().applyQuaternion(q).add(new THREE.Vector3(m.poses[at], m.poses[at + 1], m.poses[at + 2])));
        }
        this.trail.geometry.dispose();
        this.trail.geometry = new THREE.BufferGeometry().setFromPoints(points);
    }

    /** Marks a body by a glow; -1: none. */
    highlight(body: number): void {
        this.bodies.forEach((group, b) =>
            group.traverse((object) => {
                const mesh = object as THREE.Mesh;
                if (mesh.isMesh && mesh.material instanceof THREE.MeshStandardMaterial) {
                    mesh.material.emissive.setHex(b === body ? 0x3a2a10 : 0x000000);
                }
            }),
        );
    }
}
