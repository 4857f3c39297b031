// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The machine as objects of three.js. Shapes of one form are one instanced mesh, so that a thousand bodies are a few
// draw calls; beside them stands what explains the motion: joints with their frames, contacts with forces and cones,
// the path of a body. A machine shows one moment; who drives it (player, live view, thumbnail) says which.
import * as THREE from "three";
import { meshGeometry } from "./mesh";
import type { Motion } from "./motion";
import type { Contacts, SceneData, ShapeData } from "./scene";
import { NO_CONTACTS } from "./scene";

export const MODES = [0x8a93a3, 0x2f9e62, 0xe08a1e]; // open, sticking, sliding
const AXES = [0xd6455a, 0x3f9b58, 0x3f74d6];
const Y = new THREE.Vector3(0, 1, 0);
const FAR = 6; // sizes of a machine: one that goes further is followed

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
function geometryOf(scene: SceneData, shape: ShapeData): THREE.BufferGeometry | null {
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
        case "mesh":
            return shape.mesh === undefined ? new THREE.BufferGeometry() : meshGeometry(scene.meshes![shape.mesh]);
        case "heightfield":
            return heightfield(shape);
        case "plane":
            return null;
    }
}

/** Shapes with this key are copies of one mesh. */
function meshKey(shape: ShapeData): string {
    return `mesh ${shape.mesh} ${shape.colour[3] < 1} ${shape.body < 0}`;
}

function matrixOf(pose: ArrayLike<number>, at = 0): THREE.Matrix4 {
    return new THREE.Matrix4().compose(
        new THREE.Vector3(pose[at], pose[at + 1], pose[at + 2]),
        new THREE.Quaternion(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]).normalize(),
        new THREE.Vector3(1, 1, 1),
    );
}

/** Shapes of one form and one transparency. */
interface Batch {
    mesh: THREE.InstancedMesh;
    bodies: number[]; // of each instance
    local: THREE.Matrix4[];
    colours: THREE.Color[];
}

/** Many copies of one little thing, as many as are needed at the moment. */
class Swarm {
    mesh: THREE.InstancedMesh;
    private readonly matrix = new THREE.Matrix4();

    constructor(
        private readonly parent: THREE.Object3D,
        private readonly geometry: THREE.BufferGeometry,
        private readonly material: THREE.Material,
        private readonly order: number,
    ) {
        this.mesh = this.grow(64);
    }

    private grow(capacity: number): THREE.InstancedMesh {
        const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
        mesh.frustumCulled = false;
        mesh.renderOrder = this.order;
        mesh.count = 0;
        this.parent.add(mesh);
        return mesh;
    }

    begin(): void {
        this.mesh.count = 0;
    }

    add(position: THREE.Vector3, rotation: THREE.Quaternion, scale: THREE.Vector3, colour: THREE.Color): void {
        if (this.mesh.count === this.mesh.instanceMatrix.count) {
            const old = this.mesh;
            this.mesh = this.grow(2 * old.count);
            const entry = new THREE.Matrix4();
            const tint = new THREE.Color();
            for (let i = 0; i < old.count; i++) {
                old.getMatrixAt(i, entry);
                old.getColorAt(i, tint);
                this.mesh.setMatrixAt(i, entry);
                this.mesh.setColorAt(i, tint);
            }
            this.mesh.count = old.count;
            this.parent.remove(old);
            old.dispose();
        }
        const at = this.mesh.count++;
        this.mesh.setMatrixAt(at, this.matrix.compose(position, rotation, scale));
        this.mesh.setColorAt(at, colour);
    }

    end(): void {
        this.mesh.instanceMatrix.needsUpdate = true;
        if (this.mesh.instanceColor) {
            this.mesh.instanceColor.needsUpdate = true;
        }
        this.mesh.visible = this.mesh.count > 0;
    }
}

export class Machine {
    readonly root = new THREE.Group();
    readonly position: THREE.Vector3[];
    readonly quaternion: THREE.Quaternion[];
    readonly joints = new THREE.Group();
    readonly contacts = new THREE.Group();
    readonly cones = new THREE.Group();
    readonly bounds = new THREE.Box3();
    travels = false; // goes further than a picture could show it
    byPair = false;
    size = 1;
    forceScale = 1;
    private readonly origin = new THREE.Vector3(); // its middle where the bounds are
    private readonly batches: Batch[] = [];
    private readonly planes: ShapeData[] = [];
    private readonly floors: THREE.Group[] = [];
    private readonly carpets: THREE.Object3D[] = []; // what is drawn of the planes of the world
    private readonly jointColours: THREE.MeshStandardMaterial[] = [];
    private shafts!: Swarm;
    private tips!: Swarm;
    private dots!: Swarm;
    private coneSwarm!: Swarm;
    private readonly trail = new THREE.Line(
        new THREE.BufferGeometry(),
        new THREE.LineBasicMaterial({ color: 0xd0641a, transparent: true, opacity: 0.85 }),
    );
    private readonly boxes: THREE.Box3[]; // around the shapes of each body, in its frame
    private readonly mounts: THREE.Box3[] = []; // around each shape of the world that has an end
    private glowing = -1;
    private readonly matrix = new THREE.Matrix4();
    private readonly one = new THREE.Vector3(1, 1, 1);
    private readonly scratch = new THREE.Matrix4();

    constructor(
        readonly scene: SceneData,
        private readonly ghost = false,
    ) {
        this.position = scene.bodies.map(() => new THREE.Vector3());
        this.quaternion = scene.bodies.map(() => new THREE.Quaternion());
        this.boxes = scene.bodies.map(() => new THREE.Box3());
        this.addShapes();
        this.root.add(this.joints, this.contacts, this.cones, this.trail);
        this.trail.visible = false;
        this.joints.visible = false;
        this.cones.visible = false;
    }

    // ---- what it consists of ----------------------------------------------------------------------

    private addShapes(): void {
        const groups = new Map<string, { shape: ShapeData; geometry: THREE.BufferGeometry; members: ShapeData[] }>();
        for (const shape of this.scene.shapes) {
            if (shape.kind === "mesh" && shape.mesh === undefined) {
                continue; // hidden by other shapes of its body
            }
            const twin = shape.kind === "mesh" ? groups.get(meshKey(shape)) : undefined;
            const geometry = shape.kind === "plane" ? null : (twin?.geometry ?? geometryOf(this.scene, shape));
            if (geometry === null) {
                this.planes.push(shape);
                continue;
            }
            this.measureShape(shape, geometry);
            if (!shape.drawn || (this.ghost && shape.body < 0)) {
                continue;
            }
            const own = shape.kind === "hull" || shape.kind === "heightfield";
            const key = own ? `${groups.size}` : shape.kind === "mesh" ? meshKey(shape) : `${shape.kind} ${shape.size.join(" ")} ${shape.colour[3] < 1} ${shape.body < 0}`;
            const group = groups.get(key);
            if (group) {
                group.members.push(shape);
                if (geometry !== group.geometry) {
                    geometry.dispose();
                }
            } else {
                groups.set(key, { shape, geometry, members: [shape] });
            }
        }
        groups.forEach(({ shape, geometry, members }) => this.addBatch(shape, geometry, members));
    }

    private addBatch(shape: ShapeData, geometry: THREE.BufferGeometry, members: ShapeData[]): void {
        const opacity = this.ghost ? 0.32 : shape.colour[3];
        const material = new THREE.MeshStandardMaterial({
            color: 0xffffff,
            roughness: 0.62,
            metalness: 0.06,
            flatShading: shape.kind === "hull",
            transparent: opacity < 1,
            opacity,
            depthWrite: !this.ghost,
            side: shape.kind === "heightfield" || shape.kind === "mesh" ? THREE.DoubleSide : THREE.FrontSide,
        });
        const colours = members.map((m) => new THREE.Color().setRGB(m.colour[0], m.colour[1], m.colour[2], THREE.SRGBColorSpace));
        const mesh = this.addInstances(geometry, material, members.map((m) => m.body), members.map((m) => matrixOf(m.pose)), colours);
        mesh.castShadow = shape.kind !== "heightfield" && !this.ghost;
    }

    private addInstances(geometry: THREE.BufferGeometry, material: THREE.Material, bodies: number[], local: THREE.Matrix4[], given: THREE.Color[]): THREE.InstancedMesh {
        const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
        const colours = this.ghost ? given.map(() => new THREE.Color(0xe0701e)) : given;
        mesh.frustumCulled = false;
        mesh.castShadow = mesh.receiveShadow = !this.ghost;
        colours.forEach((colour, i) => mesh.setColorAt(i, colour));
        bodies.forEach((body, i) => body < 0 && mesh.setMatrixAt(i, local[i]));
        mesh.userData = { bodies };
        this.batches.push({ mesh, bodies, local, colours });
        this.root.add(mesh);
        return mesh;
    }

    /** Bodies that have no shape: a ball at the centre of mass and a rod to each joint, so that a bare mechanism is seen. */
    private addSkeleton(): void {
        const bare = this.boxes.map((box) => box.isEmpty());
        const radius = 0.008 * this.size;
        const rods: { body: number; local: THREE.Matrix4 }[] = [];
        for (const joint of this.scene.joints) {
            for (const [body, pose] of [[joint.follower, joint.pose], [joint.base, joint.base_pose]] as const) {
                if (bare[body]) {
                    const from = new THREE.Vector3().fromArray(this.scene.bodies[body].com);
                    const way = new THREE.Vector3().fromArray(pose).sub(from);
                    const turn = new THREE.Quaternion().setFromUnitVectors(Y, way.clone().normalize());
                    rods.push({ body, local: new THREE.Matrix4().compose(from, turn, new THREE.Vector3(radius, way.length(), radius)) });
                }
            }
        }
        const balls = this.scene.bodies.flatMap((body, b) => (bare[b] ? [{ body: b, local: new THREE.Matrix4().makeScale(2 * radius, 2 * radius, 2 * radius).setPosition(...(body.com as [number, number, number])) }] : []));
        const forms = [
            { geometry: new THREE.SphereGeometry(1, 20, 14), parts: balls },
            { geometry: new THREE.CylinderGeometry(1, 1, 1, 14).translate(0, 0.5, 0), parts: rods.filter(({ local }) => local.determinant() > 0) },
        ];
        for (const { geometry, parts } of forms.filter((form) => form.parts.length > 0)) {
            const material = new THREE.MeshStandardMaterial({ roughness: 0.62, transparent: this.ghost, opacity: this.ghost ? 0.32 : 1 });
            this.addInstances(geometry, material, parts.map((part) => part.body), parts.map((part) => part.local), parts.map(() => new THREE.Color(0x5b6676)));
        }
    }

    private measureShape(shape: ShapeData, geometry: THREE.BufferGeometry): void {
        geometry.computeBoundingBox();
        const box = geometry.boundingBox!.clone().applyMatrix4(matrixOf(shape.pose));
        if (shape.body >= 0) {
            this.boxes[shape.body].union(box);
        } else {
            this.mounts.push(box);
        }
    }

    /** What stands beside the machine and is no larger, as the base of an arm, belongs into the picture; floors and hills do not. */
    private includeMounts(): void {
        const size = this.bounds.getSize(new THREE.Vector3()).length();
        const near = this.bounds.clone().expandByScalar(0.2 * size);
        this.mounts
            .filter((box) => box.getSize(new THREE.Vector3()).length() <= size && near.intersectsBox(box))
            .forEach((box) => this.bounds.union(box));
    }

    /** Takes the bodies where they are now into the bounds. */
    include(): void {
        this.bounds.union(this.box());
    }

    /** Around the bodies where they are now. */
    private box(): THREE.Box3 {
        const box = new THREE.Box3();
        const corner = new THREE.Vector3();
        this.position.forEach((p, b) => {
            const { min, max } = this.boxes[b];
            if (this.boxes[b].isEmpty()) {
                box.expandByPoint(p);
                return;
            }
            for (let k = 0; k < 8; k++) {
                corner.set(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
                box.expandByPoint(corner.applyQuaternion(this.quaternion[b]).add(p));
            }
        });
        if (this.position.length > 0 && box.min.equals(box.max)) {
            box.expandByScalar(0.5); // one bare body: it has a place and no size
        }
        return box;
    }

    /**
     * Takes so many moments of a run into the bounds. A machine that goes many times its own size would be a dot in a
     * picture of its whole way: the bounds then hold it as seen from its middle, and who shows it goes along with that.
     */
    includeMotion(motion: Motion, moments: number): void {
        const step = Math.max(1, Math.floor(motion.frames / moments));
        const way = new THREE.Box3();
        const own = new THREE.Box3();
        const start = new THREE.Vector3();
        for (let frame = 0; frame < motion.frames; frame += step) {
            this.take(motion.poses, frame * 7 * motion.scene.bodies.length);
            const middle = this.middle();
            if (frame === 0) {
                start.copy(middle);
            }
            const box = this.box();
            this.bounds.union(box);
            own.union(box.translate(start.clone().sub(middle)));
            way.expandByPoint(middle);
        }
        const length = (box: THREE.Box3): number => box.getSize(new THREE.Vector3()).length();
        this.travels = length(way) > FAR * length(own);
        if (this.travels) {
            this.bounds.copy(own);
            this.origin.copy(start);
        }
    }

    /** The mean of the bodies' places. */
    middle(): THREE.Vector3 {
        return this.position.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(this.position.length || 1);
    }

    /** How far a machine that travels is from where its bounds are. */
    travelled(): THREE.Vector3 {
        return this.travels ? this.middle().sub(this.origin) : new THREE.Vector3();
    }

    /** Makes what depends on the size of the scene; to be called once, after include(). */
    finish(): void {
        if (this.bounds.isEmpty()) {
            this.bounds.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
        }
        this.includeMounts();
        this.size = this.bounds.getSize(new THREE.Vector3()).length();
        this.addSkeleton();
        if (!this.ghost) {
            this.addFloors();
        }
        this.addJoints();
        this.addArrows();
    }

    private addFloors(): void {
        const size = this.size;
        const centre = this.bounds.getCenter(new THREE.Vector3());
        for (const plane of this.planes) {
            const holder = new THREE.Group();
            holder.applyMatrix4(matrixOf(plane.pose));
            holder.updateMatrixWorld(true);
            const half = 5 * size;
            const floor = new THREE.Mesh(
                new THREE.PlaneGeometry(2 * half, 2 * half),
                new THREE.ShadowMaterial({ opacity: 0.26, side: THREE.DoubleSide }),
            );
            floor.receiveShadow = true;
            const carpet = new THREE.Group();
            carpet.add(floor, this.grid(half));
            holder.add(carpet);
            if (plane.body < 0) {
                this.carpets.push(carpet);
            }
            const frame = new THREE.Group();
            frame.add(holder);
            frame.userData.body = plane.body;
            this.floors.push(frame);
            this.root.add(frame);
        }
        this.lookAt(centre);
        if (!this.travels && this.planes.length === 0 && !this.scene.shapes.some((shape) => shape.body < 0 && shape.kind === "heightfield")) {
            this.addStageFloor();
        }
    }

    /** Ground has no end: what is drawn of it lies below what the camera looks at, moved by whole cells of its grid. */
    lookAt(target: THREE.Vector3): void {
        const cell = this.gridCell();
        for (const carpet of this.carpets) {
            const local = carpet.parent!.worldToLocal(target.clone());
            carpet.position.set(Math.round(local.x / cell) * cell, Math.round(local.y / cell) * cell, 0);
        }
    }

    private gridCell(): number {
        return Math.pow(10, Math.floor(Math.log10(this.size * 0.7)));
    }

    /** A machine without a ground casts its shadow below itself, so that the eye knows how high it hangs. */
    private addStageFloor(): void {
        const up = new THREE.Vector3().fromArray(this.scene.up).normalize();
        const centre = this.bounds.getCenter(new THREE.Vector3());
        const half = this.bounds.getSize(new THREE.Vector3()).multiplyScalar(0.5);
        const below = Math.abs(half.x * up.x) + Math.abs(half.y * up.y) + Math.abs(half.z * up.z) + 0.02 * this.size;
        const floor = new THREE.Mesh(new THREE.CircleGeometry(3 * this.size, 48), new THREE.ShadowMaterial({ opacity: 0.16 }));
        floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
        floor.position.copy(centre).addScaledVector(up, -below);
        floor.receiveShadow = true;
        this.root.add(floor);
    }

    /** Lines at round lengths that fade with the distance from the machine. */
    private grid(half: number): THREE.LineSegments {
        const cell = this.gridCell();
        const points: number[] = [];
        const shades: number[] = [];
        const count = Math.min(120, Math.ceil(half / cell));
        const reach = count * cell;
        const fade = (x: number, y: number): number => Math.max(0, 1 - Math.hypot(x, y) / (0.55 * reach)) ** 1.5;
        for (let i = -count; i <= count; i++) {
            for (let j = -count; j < count; j++) {
                const [a, b, c] = [i * cell, j * cell, (j + 1) * cell];
                for (const [x0, y0, x1, y1] of [[a, b, a, c], [b, a, c, a]]) {
                    const [s, e] = [fade(x0, y0), fade(x1, y1)];
                    if (s + e > 0) {
                        points.push(x0, y0, 0, x1, y1, 0);
                        shades.push(0.5, 0.55, 0.63, 0.5 * s, 0.5, 0.55, 0.63, 0.5 * e);
                    }
                }
            }
        }
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
        geometry.setAttribute("color", new THREE.Float32BufferAttribute(shades, 4));
        const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
        return new THREE.LineSegments(geometry, material);
    }

    private addJoints(): void {
        const radius = 0.006 * this.size;
        const pin = new THREE.CylinderGeometry(radius, radius, 4.5 * radius, 20).rotateZ(Math.PI / 2); // along x
        const ball = new THREE.SphereGeometry(1.3 * radius, 20, 14);
        const axes = new THREE.BufferGeometry();
        const length = 6 * radius;
        axes.setAttribute("position", new THREE.Float32BufferAttribute([0, 0, 0, length, 0, 0, 0, 0, 0, 0, length, 0, 0, 0, 0, 0, 0, length], 3));
        axes.setAttribute("color", new THREE.Float32BufferAttribute(AXES.flatMap((hex) => [hex, hex]).flatMap((hex) => new THREE.Color(hex).toArray()), 3));
        const lines = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
        for (const joint of this.scene.joints) {
            const material = new THREE.MeshStandardMaterial({ color: 0xf4f6fa, emissive: 0x39404d, depthTest: false, transparent: true });
            const mesh = new THREE.Mesh(joint.revolves ? pin : ball, material);
            const frame = new THREE.LineSegments(axes, lines);
            mesh.renderOrder = frame.renderOrder = 2;
            mesh.applyMatrix4(matrixOf(joint.pose));
            frame.applyMatrix4(matrixOf(joint.pose));
            mesh.userData = { body: joint.follower, name: `${joint.name} (${joint.kind})` };
            const holder = new THREE.Group();
            holder.userData.body = joint.follower;
            holder.add(mesh, frame);
            this.jointColours.push(material);
            this.joints.add(holder);
        }
    }

    private addArrows(): void {
        const width = 0.0035 * this.size;
        const material = (): THREE.Material => new THREE.MeshStandardMaterial({ emissive: 0x222222, depthTest: false, transparent: true, opacity: this.ghost ? 0.5 : 1 });
        this.shafts = new Swarm(this.contacts, new THREE.CylinderGeometry(width, width, 1, 10).translate(0, 0.5, 0), material(), 3);
        this.tips = new Swarm(this.contacts, new THREE.ConeGeometry(2.6 * width, 7 * width, 14), material(), 3);
        this.dots = new Swarm(this.contacts, new THREE.SphereGeometry(1.9 * width, 14, 10), material(), 3);
        const glass = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.22, depthWrite: false, side: THREE.DoubleSide });
        const cone = new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0); // tip at the origin, opens along y
        this.coneSwarm = new Swarm(this.cones, cone, glass, 2);
    }

    // ---- what it shows ---------------------------------------------------------------------------

    /** The pose of each body, from (bodies x 7) numbers at `at`; position and quaternion are set before. */
    take(poses: ArrayLike<number>, at: number): void {
        for (let b = 0; b < this.position.length; b++) {
            const i = at + 7 * b;
            this.position[b].set(poses[i], poses[i + 1], poses[i + 2]);
            this.quaternion[b].set(poses[i + 4], poses[i + 5], poses[i + 6], poses[i + 3]).normalize();
        }
    }

    /** Moves `part` of the way to other poses: along a line, and along the shortest turn. */
    blend(poses: ArrayLike<number>, at: number, part: number): void {
        const to = new THREE.Vector3();
        const turn = new THREE.Quaternion();
        for (let b = 0; b < this.position.length; b++) {
            const i = at + 7 * b;
            this.position[b].lerp(to.set(poses[i], poses[i + 1], poses[i + 2]), part);
            this.quaternion[b].slerp(turn.set(poses[i + 4], poses[i + 5], poses[i + 6], poses[i + 3]).normalize(), part);
        }
    }

    /** Brings the drawing in line with position and quaternion. */
    place(): void {
        for (const batch of this.batches) {
            let moved = false;
            for (let i = 0; i < batch.bodies.length; i++) {
                const body = batch.bodies[i];
                if (body >= 0) {
                    this.matrix.compose(this.position[body], this.quaternion[body], this.one);
                    batch.mesh.setMatrixAt(i, this.scratch.multiplyMatrices(this.matrix, batch.local[i]));
                    moved = true;
                }
            }
            if (moved) {
                batch.mesh.instanceMatrix.needsUpdate = true;
                batch.mesh.boundingSphere = null; // of the next ray
            }
        }
        const held = [...this.floors, ...(this.joints.visible ? this.joints.children : [])];
        for (const holder of held) {
            const body = holder.userData.body as number;
            if (body >= 0) {
                holder.position.copy(this.position[body]);
                holder.quaternion.copy(this.quaternion[body]);
            }
        }
    }

    /** Joints by how far their two sides are apart: white below 1 nm, then blue, amber and red towards 1 mm. */
    showGaps(gaps: ArrayLike<number>, at = 0): void {
        this.scene.joints.forEach((joint, i) => {
            const gap = gaps[at + (joint.index ?? i)];
            const t = Math.min(1, Math.max(0, (Math.log10(Math.max(gap, 1e-12)) + 9) / 6));
            const colour = this.jointColours[i].color;
            if (!Number.isFinite(gap) || t === 0) {
                colour.setHex(0xf4f6fa);
            } else {
                colour.setHSL(0.6 - 0.6 * t, 0.85, 0.6);
            }
        });
    }

    showContacts(contacts: Contacts): void {
        const c = this.contacts.visible || this.cones.visible ? contacts : NO_CONTACTS;
        [this.shafts, this.tips, this.dots, this.coneSwarm].forEach((swarm) => swarm.begin());
        if (this.byPair) {
            this.addPairs(c);
        } else {
            this.addPoints(c);
        }
        [this.shafts, this.tips, this.dots, this.coneSwarm].forEach((swarm) => swarm.end());
    }

    private arrow(at: THREE.Vector3, force: THREE.Vector3, colour: THREE.Color): void {
        const length = this.forceScale * force.length();
        const turn = new THREE.Quaternion();
        this.dots.add(at, turn, this.one, colour);
        if (length > 0) {
            turn.setFromUnitVectors(Y, force.clone().normalize());
            this.shafts.add(at, turn, new THREE.Vector3(1, length, 1), colour);
            const tip = Math.min(1, length / (0.05 * this.size)); // a small force has a small head
            this.tips.add(at.clone().addScaledVector(force, this.forceScale), turn, new THREE.Vector3(tip, tip, tip), colour);
        }
    }

    private addPoints(c: Contacts): void {
        const [at, force, normal] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
        const colour = new THREE.Color();
        const turn = new THREE.Quaternion();
        for (let i = c.first; i < c.first + c.count; i++) {
            const mode = c.pair[3 * i + 2];
            if (mode === 0) {
                continue;
            }
            at.fromArray(c.point, 6 * i);
            force.fromArray(c.point, 6 * i + 3);
            colour.setHex(MODES[mode] ?? MODES[0]);
            this.arrow(at, force, colour);
            const mu = c.normal ? c.normal[4 * i + 3] : 0;
            if (c.normal && mu > 0 && this.cones.visible) {
                normal.fromArray(c.normal, 4 * i).normalize();
                const height = Math.max(0.05 * this.size, 0.8 * this.forceScale * Math.abs(force.dot(normal)));
                this.coneSwarm.add(at, turn.setFromUnitVectors(Y, normal), new THREE.Vector3(mu * height, height, mu * height), colour);
            }
        }
    }

    /** One arrow for each pair of bodies: the sum of its forces, where their weighted mean acts. */
    private addPairs(c: Contacts): void {
        const pairs = new Map<string, { at: THREE.Vector3; force: THREE.Vector3; weight: number; slips: boolean }>();
        const force = new THREE.Vector3();
        for (let i = c.first; i < c.first + c.count; i++) {
            const mode = c.pair[3 * i + 2];
            if (mode === 0) {
                continue;
            }
            const key = `${c.pair[3 * i]} ${c.pair[3 * i + 1]}`;
            let pair = pairs.get(key);
            if (!pair) {
                pairs.set(key, (pair = { at: new THREE.Vector3(), force: new THREE.Vector3(), weight: 0, slips: false }));
            }
            force.fromArray(c.point, 6 * i + 3);
            const weight = force.length() + 1e-12;
            pair.at.addScaledVector(new THREE.Vector3().fromArray(c.point, 6 * i), weight);
            pair.force.add(force);
            pair.weight += weight;
            pair.slips ||= mode === 2;
        }
        pairs.forEach((pair) => this.arrow(pair.at.divideScalar(pair.weight), pair.force, new THREE.Color(MODES[pair.slips ? 2 : 1])));
    }

    /** A line through points of the world; none hides it. */
    showPath(points: THREE.Vector3[]): void {
        this.trail.visible = points.length > 1;
        this.trail.geometry.dispose();
        this.trail.geometry = new THREE.BufferGeometry().setFromPoints(points);
    }

    /** Where the centre of mass of a body is. */
    centre(body: number, out = new THREE.Vector3()): THREE.Vector3 {
        return out.fromArray(this.scene.bodies[body].com).applyQuaternion(this.quaternion[body]).add(this.position[body]);
    }

    /** Marks a body by a brighter tone; -1: none. */
    highlight(body: number): void {
        if (body === this.glowing) {
            return;
        }
        this.glowing = body;
        const tint = new THREE.Color();
        for (const { mesh, bodies, colours } of this.batches) {
            bodies.forEach((owner, i) => mesh.setColorAt(i, owner === body && body >= 0 ? tint.copy(colours[i]).lerp(new THREE.Color(0xffb347), 0.55) : colours[i]));
            if (mesh.instanceColor) {
                mesh.instanceColor.needsUpdate = true;
            }
        }
    }

    /** What a ray meets first: a body or a joint, and where. */
    pick(ray: THREE.Raycaster): { body: number; name: string; point: THREE.Vector3 } | null {
        const targets: THREE.Object3D[] = this.batches.map((batch) => batch.mesh);
        if (this.joints.visible) {
            const joint = ray.intersectObject(this.joints, true).find((hit) => hit.object.userData.name !== undefined);
            if (joint) {
                return { body: joint.object.userData.body as number, name: joint.object.userData.name as string, point: joint.point };
            }
        }
        for (const hit of ray.intersectObjects(targets, false)) {
            const body = (hit.object.userData.bodies as number[])[hit.instanceId ?? 0];
            if (body >= 0) {
                return { body, name: this.scene.bodies[body].name, point: hit.point };
            }
            return null;
        }
        return null;
    }

    dispose(): void {
        this.root.traverse((object) => {
            const mesh = object as THREE.Mesh;
            mesh.geometry?.dispose();
            for (const material of mesh.material ? [mesh.material].flat() : []) {
                material.dispose();
            }
            if (object instanceof THREE.InstancedMesh) {
                object.dispose();
            }
        });
    }
}
