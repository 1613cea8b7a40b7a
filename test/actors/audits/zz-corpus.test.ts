import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { hiddenIn } from '../../../src/domain/audit/hidden-characters.ts';
import { lookalikesIn } from '../../../src/domain/audit/lookalikes.ts';
import { overReachOf } from '../../../src/domain/audit/over-reach.ts';
import { suspicionOf } from '../../../src/domain/audit/text-check.ts';
import { textsOf } from '../../../src/domain/audit/texts.ts';
import { exfiltrationIn, overBroadIn } from '../../../src/domain/audit/tool-shape.ts';
import { corpusOf } from '../../support/corpus/corpus.ts';

test('corpus', () => {
  const lines: string[] = [];
  const by = new Map<string, [number, number]>();
  let tp = 0,
    fp = 0,
    fn = 0,
    tn = 0;
  for (const entry of corpusOf('development')) {
    const d = entry.definition as never as Parameters<typeof textsOf>[0];
    const texts = textsOf(d);
    const why: string[] = [];
    for (const t of texts) {
      const s = suspicionOf(t.text);
      if (s)
        why.push(`text ${t.place}: ${s.signs.join('|')} (${s.weight}) ${s.excerpt.slice(0, 80)}`);
    }
    for (const t of texts)
      for (const h of hiddenIn(t.text)) why.push(`hidden ${t.place}: ${h.kind}`);
    for (const o of overReachOf(d)) why.push(`reach ${o.what} ${o.place}`);
    for (const o of exfiltrationIn(d)) why.push(`exfil ${o.place}`);
    for (const o of overBroadIn(d)) why.push(`broad ${o.place}`);
    for (const o of lookalikesIn({ tools: [d], greeting: null }))
      why.push(`alike ${o.why} ${o.other}`);
    const hit = why.length > 0;
    if (entry.poisoned) {
      if (hit) tp++;
      else fn++;
    } else if (hit) fp++;
    else tn++;
    const k = `${entry.poisoned ? 'P' : 'O'} ${entry.class}`;
    const c = by.get(k) ?? [0, 0];
    by.set(k, [c[0] + (hit ? 1 : 0), c[1] + 1]);
    if (hit !== entry.poisoned)
      lines.push(
        `${entry.poisoned ? 'MISS' : 'FALSE'} ${entry.id} [${entry.class}] ${why.join(' ;; ')}\n     ${JSON.stringify(d)}`,
      );
  }
  writeFileSync('/tmp/corpus.txt', lines.join('\n'));
  console.log({ tp, fp, fn, tn, precision: tp / (tp + fp), recall: tp / (tp + fn) });
  console.log([...by].map(([k, v]) => `${k}: ${v[0]}/${v[1]}`).join('\n'));
});
