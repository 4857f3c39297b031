// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a machine consists of, as C describes it (docs/player.md): the same for recordings and for models that run.

export interface ShapeData {
    body: number; // -1: the world
    kind: "sphere" | "box" | "cylinder" | "capsule" | "ellipsoid" | "plane" | "hull" | "heightfield" | "mesh";
    pose: number[]; // x y z qw qx qy qz in the body's frame
    size: number[];
    colour: number[]; // r g b a
    drawn: boolean; // false: it only touches, and another shape of its body is drawn
    name: string;
    corners?: number[]; // of a hull's faces, triangles of nine numbers
    mesh?: number; // of the scene's meshes; none where it is not drawn
    field?: { columns: number; rows: number; dx: number; dy: number; heights: number[] };
}

export interface JointData {
    name: string;
    kind: string;
    index?: number; // among all joints of the model
    base: number;
    follower: number;
    pose: number[]; // of the joint's frame, in the follower's
    base_pose: number[]; // and in the base's
    revolves: boolean;
}

export interface BodyData {
    name: string;
    mass: number;
    com: number[];
}

/** Triangles over points, which are 16-bit fractions of a box. */
export interface MeshData {
    low: number[];
    size: number[];
    points: string; // uint16 (points x 3), base64
    wide: boolean;
    triangles: string; // uint16, or uint32 where wide (triangles x 3), base64
}

export interface SceneData {
    format: number;
    name: string;
    up: number[];
    bodies: BodyData[];
    shapes: ShapeData[];
    joints: JointData[];
    meshes?: MeshData[];
    triangles?: number[]; // of the meshes here, and of the model
}

/** Contacts of one moment: rows `first` to `first + count - 1` of arrays. */
export interface Contacts {
    first: number;
    count: number;
    pair: Int32Array; // body a, body b, mode (0 open, 1 stick, 2 slip)
    point: Float32Array; // position (3), force of a on b (3)
    normal: Float32Array | null; // normal from a to b (3), coefficient of friction
}

export const NO_CONTACTS: Contacts = {
    first: 0,
    count: 0,
    pair: new Int32Array(0),
    point: new Float32Array(0),
    normal: null,
};
