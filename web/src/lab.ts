// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
document.body.append("lab");
export {};
