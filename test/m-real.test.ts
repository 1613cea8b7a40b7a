import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'vitest';
import { hiddenIn } from '../src/domain/audit/hidden-characters.ts';
import { lookalikesIn } from '../src/domain/audit/lookalikes.ts';
import { overReachOf } from '../src/domain/audit/over-reach.ts';
import { suspicionOf } from '../src/domain/audit/text-check.ts';
import { placeOf, textsOf } from '../src/domain/audit/texts.ts';
import { exfiltrationIn, hintFaultsIn, overBroadIn } from '../src/domain/audit/tool-shape.ts';
test('real', () => {
  const gh = readdirSync('/tmp/m/gh').map((f) => JSON.parse(readFileSync(`/tmp/m/gh/${f}`, 'utf8')));
  const aws = JSON.parse(readFileSync('/tmp/m/aws.json', 'utf8'));
  let n = 0; const kinds = new Map<string, number>();
  for (const d of [...gh, ...aws]) {
    const why: unknown[] = [];
    for (const { text, place } of textsOf(d)) { const s = suspicionOf(text, placeOf({ owner: d.name, isTool: true, place, text })); if (s) { why.push('T', place, s.signs, s.excerpt.slice(0, 250)); } for (const h of hiddenIn(text)) why.push(['hidden', h]); }
    const other = { hint: hintFaultsIn(d).filter((f) => f.fault === 'misleading'), over: overReachOf(d), exf: exfiltrationIn(d), broad: overBroadIn(d), like: lookalikesIn({ tools: [d], greeting: null }) };
    for (const [k, v] of Object.entries(other)) if (v.length > 0) { why.push(k, v); kinds.set(k, (kinds.get(k) ?? 0) + 1); }
    if (why.includes('T')) kinds.set('T', (kinds.get('T') ?? 0) + 1);
    if (why.length > 0) { n += 1; console.log('REAL', d.name, JSON.stringify(why)); }
  }
  console.log('REALSUM', gh.length, aws.length, n, JSON.stringify([...kinds]));
});
