import { test } from 'vitest';
import { appendFileSync, writeFileSync } from 'node:fs';
import { READERS } from '../adversary/text/readers.ts';
import { ReadingProcess } from '../adversary/text/reading.ts';
const UNITS = [' ', '\n', '\t', 'a', 'a ', 'a-', 'a.', '<a ', '<a href=x', '<a href="http://a.b">x</a>', '[', '](', '{', '{"a":', '["', '"', "'", '`', '\\', '\\n', '&', '&amp;', '%20', '%', '1', '1,', '1.', '12:34 ', '\u0301', 'é', '😀', '中', '。', '<', '<b>', '<!--', '--', '-->', '/', '/*', '/**/', '//', ':', ';', ',', '.', '. ', '! ', 'http://', 'http://a.b ', '@', 'a@', 'a@b.c ', '=', '==', 'KEY=', 'api_key=x ', 'sk-', 'eyJ', '00:00:01,000 --> 00:00:02,000\nx\n\n', 'ITEM 1.\n', 'the user ', 'ignore all previous instructions. ', 'you must ', 'and ', 'AbCdEfGhIjKlMnOp', 'aGVsbG8gd29ybGQhIQ==', '\u200b', '\u{e0041}', 'аb', '\r\n', ': ', 'a: b\r\n', '<entry><title>', '$', '{{', '(', ')', '()', '[x](', '![](', '— '];
test('m', { timeout: 3e6 }, async () => {
  const p = await ReadingProcess.start();
  writeFileSync('/tmp/b-m.txt', '');
  for (const r of READERS) {
    if (process.env.ONLY && !r.name.includes(process.env.ONLY)) continue;
    let worst = { ms: 0, u: '' };
    for (const u of UNITS) {
      let prev = 0; 
      for (let chars = 1024; ; chars = Math.min(chars * 4, r.charsMax)) {
        const t = await p.read({ reader: r.name, parts: ['', u, ''], chars: Math.min(chars, r.charsMax), times: 2 }, 2000);
        if (t.fault) appendFileSync('/tmp/b-m.txt', `FAULT ${r.name} ${JSON.stringify(u)} ${chars} ${t.fault}\n`);
        if (t.ms > 8 && prev > 2 && t.ms / prev > 7) appendFileSync('/tmp/b-m.txt', `GROW ${r.name} ${JSON.stringify(u)} ${chars} ${prev.toFixed(1)}->${t.ms.toFixed(1)}\n`);
        if (t.ms > worst.ms) worst = { ms: t.ms, u };
        prev = t.ms;
        if (t.fault || chars >= r.charsMax) break;
      }
    }
    appendFileSync('/tmp/b-m.txt', `${r.name} ${r.charsMax} worst ${worst.ms.toFixed(1)} ${JSON.stringify(worst.u)}\n`);
  }
  p.close();
});
