// node check_gltf.mjs FILE.glb...: what Khronos' validator says of each; status 1 if it has an error or a warning.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { cwd } from 'node:process';

const validator = createRequire(cwd() + '/')('gltf-validator');
let wrong = 0;
for (const path of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(path)));
    const { numErrors, numWarnings, messages } = report.issues;
    for (const { code, message, pointer } of messages.slice(0, 10)) {
        console.log(`${path}: ${code} ${pointer}: ${message}`);
    }
    const { totalVertexCount, totalTriangleCount, animationCount } = report.info;
    console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings; ${totalVertexCount} vertices, ` +
        `${totalTriangleCount} triangles, ${animationCount} animation`);
    wrong += numErrors + numWarnings;
}
process.exit(wrong === 0 && process.argv.length > 2 ? 0 : 1);
