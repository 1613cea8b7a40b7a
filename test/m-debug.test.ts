import { test } from 'vitest';
import { hiddenIn } from '../src/domain/audit/hidden-characters.ts';
import { lookalikesIn } from '../src/domain/audit/lookalikes.ts';
import { overReachOf } from '../src/domain/audit/over-reach.ts';
import { suspicionOf } from '../src/domain/audit/text-check.ts';
import { placeOf, textsOf } from '../src/domain/audit/texts.ts';
import { exfiltrationIn, hintFaultsIn, overBroadIn } from '../src/domain/audit/tool-shape.ts';
import { corpusScore } from './support/audits/corpus-score.ts';
import { corpusOf } from './support/corpus/corpus.ts';
test('debug', () => {
  for (const half of ['development', 'tune'] as const) {
    const by = new Map(corpusOf(half).map((e) => [e.id, e.definition]));
    for (const id of corpusScore(half).alarms) {
      const d = { ...by.get(id)! };
      const why: unknown[] = [];
      for (const { text, place } of textsOf(d)) { const s = suspicionOf(text, placeOf({ owner: d.name, isTool: true, place, text })); if (s) why.push(place, s.signs, s.excerpt); why.push(...hiddenIn(text)); }
      why.push(hintFaultsIn(d), overReachOf(d), exfiltrationIn(d), overBroadIn(d), lookalikesIn({ tools: [d], greeting: null }));
      console.log('ALARM', id, JSON.stringify(why));
    }
  }
});
