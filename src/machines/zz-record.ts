import { writeFileSync } from 'node:fs';
import { SimulatedClock } from '../runtime/clock.ts';
import { createEngine } from '../runtime/engine.ts';
import { memoryStore } from '../runtime/memory-store.ts';
import { define } from '../runtime/define.ts';
import { LATER } from '../runtime/types.ts';
import { jobMachine } from './zz-job-v1.ts';
const later = { run: async () => LATER as never };
const engine = await createEngine({ store: memoryStore(), clock: new SimulatedClock(1_700_000_000_000), definitions: [define({ kind: 'job', version: 1, machine: jobMachine, effects: { fund: later, release: later, refund: later } })] });
const input = (jobId: string, funding: string) => ({ jobId, funding, buyer: '0x' + 'a1'.repeat(20), provider: '0x' + 'b2'.repeat(20), priceMicroUsd: '25000000', feeBps: 2000, fulfilMs: 86_400_000 });
const fact = (type: string) => ({ type, transaction: '0x03', block: 9, logIndex: 0 });
const delivered = { type: 'WORK.DELIVERED', deliverableSha: 'c'.repeat(64) };
const cases: [string, string, any[]][] = [
  ['job_escrowed', 'escrow', [fact('CHAIN.ESCROWED')]],
  ['job_fulfilled', 'escrow', [fact('CHAIN.ESCROWED'), delivered]],
  ['job_releasing', 'escrow', [fact('CHAIN.ESCROWED'), delivered, { type: 'JOB.COMPLETED' }]],
  ['job_disputed', 'escrow', [fact('CHAIN.ESCROWED'), delivered, { type: 'DISPUTE.OPENED', by: 'buyer', reason: 'no' }]],
  ['job_agreed', 'on_release', []],
  ['job_paying', 'on_release', [delivered, { type: 'JOB.COMPLETED', paymentId: 'pay_1' }]],
  ['job_funded', 'escrow', []],
];
const rows = [];
for (const [id, funding, events] of cases) {
  await engine.create('job', id, input(id, funding));
  for (const event of events) await engine.tell(id, event);
  const v = await engine.view(id);
  rows.push({ id, snapshot: { status: v.status, value: v.value, context: v.context }, timers: v.timers, effects: v.effects });
}
writeFileSync('test/fixtures/machines/job-1.json', JSON.stringify(rows, null, 1) + '\n');
await engine.close();
