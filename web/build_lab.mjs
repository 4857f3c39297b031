// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bundles the page of `pawl bench`: node build_lab.mjs OUTPUT.c. The result is a C array, which libpawl-io embeds, so that a page needs no
// other file and no network.
import { build } from "esbuild";
import { writeFileSync } from "node:fs";

const output = process.argv[2];
if (!output) {
    console.error("usage: node build_lab.mjs OUTPUT.c");
    process.exit(2);
}
const result = await build({
    entryPoints: [new URL("src/lab.ts", import.meta.url).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "ascii",
    loader: { ".css": "text" },
    legalComments: "inline",
});
// A page holds the bundle in a script element, which this text would end.
const text = result.outputFiles[0].text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const bytes = Buffer.from(text, "ascii");
const lines = [];
for (let i = 0; i < bytes.length; i += 32) {
    lines.push([...bytes.subarray(i, i + 32)].join(","));
}
writeFileSync(
    output,
    `// Written by web/build_lab.mjs.\n#include "page/lab_bundle.h"\nconst char pawl_lab_bundle[] = {\n${lines.join(",\n")},0};\n` +
        `const size_t pawl_lab_bundle_size = ${bytes.length};\n`,
);
console.log(`bundle: ${bytes.length} bytes`);
