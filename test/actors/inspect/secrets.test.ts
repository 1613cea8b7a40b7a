import { expect, test } from 'vitest';
import type { Topic } from '../../../src/domain/inspect/message.ts';
import { paymentMachine } from '../../../src/machines/payment/payment.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { debateInput } from '../../../src/testing/plans/debate.ts';
import { debateMachine } from '../../support/debate-machine.ts';
import { inspectorOf, until, Watcher } from '../../support/inspected.ts';
import { paymentOrder } from '../../support/machine-plans.ts';

const SECRET = 'planted-secret-0xabcdef0123456789';
const later = { run: async (): Promise<typeof LATER> => LATER };

test('secrets of a payment and a debate are in no push and no answer', async () => {
  const engine = await createEngine({
    store: memoryStore(),
    clock: new SimulatedClock(0),
    definitions: [
      define({
        kind: 'payment',
        version: 1,
        machine: paymentMachine,
        effects: { check: later, settle: later, lookUp: later, refund: later },
      }),
      define({
        kind: 'debate',
        version: 1,
        machine: debateMachine,
        effects: { turn: later, seal: later } as never,
      }),
    ],
  });
  const inspector = inspectorOf({ engine });
  const topics: Topic[] = [
    { name: 'actors' },
    { name: 'feed', fromSeq: 0 },
    { name: 'feed', fromSeq: 0, format: 'xstate' },
  ];
  const watchers = await Promise.all(topics.map((topic) => Watcher.on(inspector, topic)));
  await engine.create('payment', 'pay/1', plantedPayment(), { idempotencyKey: SECRET });
  await engine.create('debate', 'debate/1', plantedDebate());
  for (const actorId of ['pay/1', 'debate/1']) {
    watchers.push(await Watcher.on(inspector, { name: 'actor', actorId, fromSeq: 0 }));
  }
  watchers.push(await Watcher.on(inspector, { name: 'panel', actorId: 'debate/1' }));
  await engine.complete('pay/1:1:check', {
    ok: true,
    output: { fault: { code: 'PAYMENT_FORGED', message: SECRET } },
  });
  const error = { name: 'AppError', code: 'CHAIN_UNAVAILABLE', message: SECRET };
  const turn = (await engine.view('debate/1')).effects[0]?.token ?? '';
  await engine.complete(turn, { ok: false, error });
  await engine.tell('debate/1', { type: 'CLIENT.GONE', note: SECRET }, { idempotencyKey: SECRET });
  await until(() => watchers.every(({ pushes }) => pushes.length > 0), 'all have been told');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const answers = await Promise.all(
    ['pay/1', 'debate/1'].flatMap((actorId) => [
      inspector.read({ name: 'point', actorId, atSeq: 2 }),
      inspector.read({ name: 'journal', actorId, from: 1, limit: 100 }),
    ]),
  );
  for (const seen of [...watchers.flatMap(({ pushes }) => pushes), ...answers]) {
    expect(JSON.stringify(seen)).not.toContain(SECRET);
  }
  expect(watchers.flatMap(({ rows }) => rows).length).toBeGreaterThan(8);
  for (const watcher of watchers) watcher.end();
  await engine.close();
});

function plantedPayment() {
  const order = paymentOrder({ jobId: SECRET, job: { kind: 'debate', input: { key: SECRET } } });
  const payload = JSON.parse(
    JSON.stringify(order.payload, (_key, value: unknown) =>
      typeof value === 'string' ? SECRET : value,
    ),
  ) as typeof order.payload;
  const hidden = { argsHash: SECRET, binding: SECRET, resourceUrl: SECRET, src: SECRET };
  return { ...order, ...hidden, payload, identifierHash: SECRET };
}

function plantedDebate() {
  const seats = debateInput.seats.map((seat) => ({ ...seat, family: SECRET }));
  return { ...debateInput, jobId: SECRET, seed: SECRET, briefSha: SECRET, seats };
}
