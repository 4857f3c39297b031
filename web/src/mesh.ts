// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes of a scene as geometries of three.js. Normals are smooth over edges of less than 30 degrees and sharp over
// others, as the parts of a machine are: flat faces stay flat, cylinders look round.
import * as THREE from "three";
import { bytes } from "./motion";
import type { MeshData } from "./scene";

const CREASE = Math.cos((30 * Math.PI) / 180);

function pointsOf(mesh: MeshData): Float32Array {
    const packed = new Uint16Array(bytes(mesh.points));
    const out = new Float32Array(packed.length);
    packed.forEach((x, i) => (out[i] = mesh.low[i % 3] + (mesh.size[i % 3] * x) / 65535));
    return out;
}

/** Unit normals of the triangles, and twice their areas. */
function faceNormals(points: Float32Array, corners: ArrayLike<number>): { unit: Float32Array; area: Float32Array } {
    const count = corners.length / 3;
    const unit = new Float32Array(3 * count);
    const area = new Float32Array(count);
    for (let t = 0; t < count; t++) {
        const [a, b, c] = [3 * corners[3 * t], 3 * corners[3 * t + 1], 3 * corners[3 * t + 2]];
        const [ux, uy, uz] = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
        const [vx, vy, vz] = [points[c] - points[a], points[c + 1] - points[a + 1], points[c + 2] - points[a + 2]];
        const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        const length = Math.hypot(n[0], n[1], n[2]);
        area[t] = length;
        for (let k = 0; k < 3; k++) {
            unit[3 * t + k] = length > 0 ? n[k] / length : 0;
        }
    }
    return { unit, area };
}

/** The triangles at each point, one point after the other. */
function trianglesAt(corners: ArrayLike<number>, points: number): { start: Uint32Array; list: Uint32Array } {
    const start = new Uint32Array(points + 1);
    for (let k = 0; k < corners.length; k++) {
        start[corners[k] + 1]++;
    }
    for (let p = 0; p < points; p++) {
        start[p + 1] += start[p];
    }
    const next = start.slice();
    const list = new Uint32Array(corners.length);
    for (let k = 0; k < corners.length; k++) {
        list[next[corners[k]]++] = Math.floor(k / 3);
    }
    return { start, list };
}

export function meshGeometry(mesh: MeshData): THREE.BufferGeometry {
    const points = pointsOf(mesh);
    const corners = mesh.wide ? new Uint32Array(bytes(mesh.triangles)) : new Uint16Array(bytes(mesh.triangles));
    const { unit, area } = faceNormals(points, corners);
    const { start, list } = trianglesAt(corners, points.length / 3);
    const position = new Float32Array(3 * corners.length);
    const normal = new Float32Array(3 * corners.length);
    for (let k = 0; k < corners.length; k++) {
        const own = 3 * Math.floor(k / 3);
        const p = corners[k];
        const n = [0, 0, 0];
        for (let i = start[p]; i < start[p + 1]; i++) {
            const f = 3 * list[i];
            if (unit[f] * unit[own] + unit[f + 1] * unit[own + 1] + unit[f + 2] * unit[own + 2] >= CREASE) {
                const weight = area[list[i]];
                n[0] += weight * unit[f];
                n[1] += weight * unit[f + 1];
                n[2] += weight * unit[f + 2];
            }
        }
        const length = Math.hypot(n[0], n[1], n[2]) || 1;
        for (let i = 0; i < 3; i++) {
            position[3 * k + i] = points[3 * p + i];
            normal[3 * k + i] = n[i] / length;
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
    return geometry;
}
