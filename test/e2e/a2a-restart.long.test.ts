import type { Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { afterAll, expect, test } from 'vitest';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { connectA2a, say } from '../support/a2a-client.ts';
import { createPayer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  startRealServer,
  until,
} from '../support/real-server.ts';

const QUESTION = {
  question: 'Which cache should we use?',
  options: ['local', 'shared'],
  seats_by: 'caller',
  max_rounds: 0,
};

afterAll(cleanUp);

test('a server that is killed keeps the task of a paid message, and takes no second payment', {
  timeout: 240_000,
}, async () => {
  const dataDir = freshDataDir();
  const server = await startRealServer(dataDir);
  const payer = createPayer();
  await fund(server, payer.address, '10');
  const client = await connectA2a(server.ready.base_url);
  const data = { skill: 'deliberation_multi-agent-debate', arguments: QUESTION };
  const offered = (await client.sendMessage(say({ data }))) as Task;
  const required = PaymentRequired.parse(
    offered.status?.message?.metadata?.['x402.payment.required'],
  );
  const [offer] = required.accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  const payload = { ...(await payer.pay(offer)), extensions: required.extensions };
  const paid = { taskId: offered.id, metadata: { 'x402.payment.payload': payload } };
  const before = await balanceOf(server, payer.address);
  // The reply is lost with the server, once the payment is under way.
  const lost = client.sendMessage(say(paid)).catch(() => undefined);
  await until(async () => (await balanceOf(server, payer.address)) < before);
  await server.kill();
  await lost;

  const next = await startRealServer(dataDir);
  const again = await connectA2a(next.ready.base_url);
  await until(async () => {
    const task = (await again.sendMessage(say(paid))) as Task;
    expect(task.id).toBe(offered.id);
    return task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
  });
  const stream = again.resubscribeTask({ tenant: '', id: offered.id });
  const first = await stream[Symbol.asyncIterator]().next();
  expect(first.value?.payload).toMatchObject({ $case: 'task', value: { id: offered.id } });
  const charged = before - (await balanceOf(next, payer.address));
  expect(charged).toBe(BigInt(offer.amount));
  const ref = { tenant: '', id: offered.id, metadata: undefined };
  expect((await again.cancelTask(ref)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  // The node may refuse a read while it mines the refund.
  const balance = () => balanceOf(next, payer.address).catch(() => undefined);
  await until(async () => (await balance()) === before);
});
