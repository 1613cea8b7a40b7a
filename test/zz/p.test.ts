import { test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { patternsIn } from '../adversary/patterns.ts';
import { readFiles } from '../tidy/files.ts';
test('x', () => {
const files=[...readFiles('src',/\.ts$/),...readFiles('web/src',/\.tsx?$/)];
const all=files.flatMap(patternsIn);
const uniq=new Map(all.map(p=>[`/${p.source}/${p.flags}`,p]));
console.log(files.length, all.length, uniq.size, new Set(all.map(p=>p.file)).size);
writeFileSync('/tmp/b-patterns.json',JSON.stringify(all));
for(const p of all) if(p.isOpen) console.log('OPEN',p.file,p.line,p.source.slice(0,100));
});
