import { test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { hashOf, placesIn } from '../adversary/text/places.ts';
import { readFiles } from '../tidy/files.ts';
test('x', () => {
const files=[...readFiles('src',/\.ts$/),...readFiles('web/src',/\.tsx?$/)];
const out: any = {};
for (const f of files) { const p = placesIn(f); if (p.patterns.length + p.parsers.length) out[f.path] = { ...p, hash: hashOf(p) }; }
writeFileSync('/tmp/b-places.json',JSON.stringify(out,null,1));
console.log(Object.keys(out).length);
});
