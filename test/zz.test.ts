import { test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { natureOf } from '../src/domain/audit/reading-tool.ts';
import { allTargets } from './support/targets/all-targets.ts';
import { knownTargets } from './support/targets/known/known-targets.ts';
import { callLeave } from '../src/domain/audit/tool-nature.ts';
test('x', () => {
const rows = new Set<string>();
for (const t of [...allTargets, ...knownTargets]) for (let seed=0; seed<4; seed++) {
  const made:any = (t as any).make({seed, fixed:false});
  for (const tool of (() => { try { return made.tools('x'); } catch { return []; } })() ?? []) { const d = tool.definition; rows.add(`${t.name.padEnd(22)} ${natureOf(d).padEnd(8)} ${callLeave(d).padEnd(7)} ${d.name}`); }
  made.close?.();
}
writeFileSync('/tmp/d/n.txt', [...rows].sort().join('\n'));
});
