import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { hiddenIn } from '../src/domain/audit/hidden-characters.ts';
import { suspicionOf } from '../src/domain/audit/text-check.ts';
test('more', () => {
  const all = JSON.parse(readFileSync('/tmp/m/more2.json', 'utf8')) as { repo: string; name: string; text: string }[];
  let n = 0;
  for (const { repo, name, text } of all) {
    const s = suspicionOf(text, { purpose: name });
    const h = hiddenIn(text);
    if (s || h.length) { n += 1; console.log('MORE', repo.split('+')[1], name, JSON.stringify([s?.weight, s?.signs, s?.excerpt, h])); }
  }
  console.log('MORESUM', all.length, n);
});
