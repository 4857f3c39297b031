// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bundles the pages: node build.mjs OUTPUT.c. The result is a C array, which libpawl-io embeds, so that a page needs no
// other file and no network.
import { build } from "esbuild";
import { writeFileSync } from "node:fs";

const output = process.argv[2];
if (!output) {
    console.error("usage: node build.mjs OUTPUT.c");
    process.exit(2);
}
const result = await build({
    entryPoints: [new URL("src/main.ts", import.meta.url).pathname],
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
const odd = text.search(/[^\x00-\x7f]/);
if (odd >= 0) {
    // Pages declare UTF-8, but a C array of char does not take bytes above 127.
    console.error(`bundle: a character that is not ASCII, near: ${text.slice(odd - 40, odd + 40)}`);
    process.exit(1);
}
const bytes = Buffer.from(text, "ascii");
const lines = [];
for (let i = 0; i < bytes.length; i += 32) {
    lines.push([...bytes.subarray(i, i + 32)].join(","));
}
writeFileSync(
    output,
    `// Written by web/build.mjs.\n#include "page/player_bundle.h"\nconst char pawl_player_bundle[] = {\n${lines.join(",\n")},0};\n` +
        `const size_t pawl_player_bundle_size = ${bytes.length};\n`,
);
console.log(`bundle: ${bytes.length} bytes`);
