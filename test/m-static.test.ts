import { test } from 'vitest';
import { overReachOf } from '../src/domain/audit/over-reach.ts';
import { exfiltrationIn, hintFaultsIn, overBroadIn } from '../src/domain/audit/tool-shape.ts';
import { allTargets } from './support/targets/all-targets.ts';
const CHECKS = { 'exfiltration-fields': [exfiltrationIn, overReachOf], 'over-reach': [overReachOf], 'misleading-hints': [(d) => hintFaultsIn(d).filter((f) => f.fault === 'misleading')], 'over-broad': [overBroadIn] };
test('static', async () => {
  for (const [name, checks] of Object.entries(CHECKS)) for (let seed = 0; seed < 10; seed += 1) for (const fixed of [false, true]) {
    const plan = await allTargets.find((t) => t.name === name).make({ seed, fixed });
    const tools = plan.tools({ session: 's', ordinal: 1, calls: 0, listings: 0 }).map((t) => t.definition);
    const told = tools.some((d) => checks.some((c) => c({ ...d }).length > 0));
    if (told === fixed) console.log('STATIC', name, seed, fixed ? 'TWIN TOLD' : 'missed', JSON.stringify(tools.map((d) => [d.name, d.inputSchema, d.annotations])).slice(0, 700));
  }
});
