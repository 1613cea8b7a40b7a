import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { auditFromVersion1 } from '../../../src/actors/audit/audit.ts';
import { auditMachine, version } from '../../../src/machines/audit/audit.ts';
import type { AuditContext } from '../../../src/machines/audit/audit-context.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { PersistedActor } from '../../../src/runtime/engine/types.ts';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';

type Kept = PersistedActor & { readonly id: string };

/** Audits as version 1 left them on disk. */
const kept: readonly Kept[] = JSON.parse(
  readFileSync(new URL('../../fixtures/machines/audit-1.json', import.meta.url), 'utf8'),
);

test.each(kept)('$id of version 1 stands where it stood, with its timers and effects', (audit) => {
  const after = auditFromVersion1.migrate(audit);
  // Throws for a state that the machine does not have.
  const { value } = auditMachine.resolveState(after.snapshot as never);
  expect(value).toEqual(audit.snapshot.value);
  expect([after.timers, after.effects]).toEqual([audit.timers, audit.effects]);
});

test('an audit of version 1 that its target had cut off ends by the terms of version 2', async () => {
  const old = kept.find(({ id }) => id === 'audit_reporting_down');
  const { context = {}, value } = old?.snapshot ?? {};
  const store = memoryStore();
  const clock = new SimulatedClock(1_700_000_100_000);
  const machine = createMachine({
    id: 'audit',
    context,
    initial: String(value),
    states: { [String(value)]: {} },
  });
  const first = define({ kind: 'audit', version: 1, machine, effects: {} });
  const before = await createEngine({ store, clock, definitions: [first] });
  await before.create('audit', 'job_path');
  await before.close();
  const waiting = { run: async () => LATER };
  const names = ['consent', 'recon', 'probe', 'look', 'replay', 'seal', 'sign', 'anchor'];
  const newest = define({
    kind: 'audit',
    version,
    machine: auditMachine,
    migrations: [auditFromVersion1],
    effects: Object.fromEntries(names.map((name) => [name, waiting])) as never,
  });
  const after = await createEngine({ store, clock, definitions: [newest] });
  const view = await after.view('job_path');
  expect([view.version, view.value]).toEqual([2, 'reporting']);
  expect((view.context as unknown as AuditContext).outcome).toBe('target_down');
  await after.close();
});
