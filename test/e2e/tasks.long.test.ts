import { afterAll, describe, expect, test } from 'vitest';
import { answerTurns } from '../../src/connect/tour/agent.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { ENGINES } from '../support/engines.ts';
import type { FrontRig } from '../support/front-rig.ts';
import { ModernWire } from '../support/modern-wire.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';
import { ASKING, DEBATE } from '../support/task-world.ts';
import { Wire } from '../transport/mcp/wire.ts';

afterAll(cleanUp);

const CALL = { name: DEBATE, arguments: ASKING };

async function sessionOn({ ready }: RealServer, sessionId?: string): Promise<Wire> {
  const wire = new Wire({ baseUrl: ready.base_url } as FrontRig);
  if (sessionId === undefined) await wire.open();
  else wire.sessionId = sessionId;
  return wire;
}

async function pay(payer: Payer, wire: Wire): Promise<object> {
  const unpaid = await wire.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL });
  expect(unpaid.status).toBe(402);
  const { result } = (await unpaid.json()) as { result: { structuredContent: unknown } };
  return inBandPayment(payer, PaymentRequired.parse(result.structuredContent));
}

async function read(wire: Wire, args: object): Promise<DebateState> {
  const { result } = await wire.ask('tools/call', { name: 'get_result', arguments: args });
  return DebateState.parse(result.structuredContent);
}

async function finish(wire: Wire, jobId: string): Promise<DebateState> {
  let state = await read(wire, { job_id: jobId, wait_s: 5 });
  while (state.result === undefined) {
    const turns = answerTurns(state);
    state = await read(wire, { job_id: jobId, ...(turns.length > 0 ? { turns } : { wait_s: 5 }) });
  }
  return state;
}

describe.each(ENGINES)('through the %s engine', (engine) => {
  test('tasks of both generations survive kill -9 and are charged once', {
    timeout: 240_000,
  }, async () => {
    const dataDir = freshDataDir();
    const payer = createPayer();
    const first = await startRealServer(dataDir, ['--http', engine]);
    await fund(first, payer.address, '10');
    const before = await sessionOn(first);
    const meta = await pay(payer, before);
    const begun = await before.ask('tools/call', { ...CALL, task: { ttl: 1_000 }, _meta: meta });
    const { taskId } = begun.result.task;
    const flat = new ModernWire(first.ready.base_url);
    const other = { ...CALL, _meta: await pay(payer, before) };
    const second = (await flat.ask('tools/call', other)).result;
    expect(second.resultType).toBe('task');
    await first.kill();

    const server = await startRealServer(dataDir, ['--http', engine]);
    const wire = await sessionOn(server, before.sessionId);
    // The session knows what it has begun, and nothing of what others have.
    expect((await wire.ask('tasks/list')).result.tasks).toMatchObject([
      { taskId, status: 'input_required' },
    ]);
    // The payment finds its task again, and pays nothing twice.
    const again = await wire.ask('tools/call', { ...CALL, task: {}, _meta: meta });
    expect(again.result.task.taskId).toBe(taskId);
    const waiting = wire.ask('tasks/result', { taskId }, 'r');
    expect((await finish(wire, taskId)).status).toBe('decided');
    expect((await waiting).result.structuredContent).toMatchObject({ status: 'decided' });

    const modern = new ModernWire(server.ready.base_url);
    await modern.ask('tasks/cancel', { taskId: second.taskId });
    const status = async () =>
      (await modern.ask('tasks/get', { taskId: second.taskId })).result.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('cancelled');
    const balance = () => balanceOf(server, payer.address);
    await expect.poll(balance, { timeout: 20_000 }).toBe(8_000_000n);
    expect(await expectBooksBalanced(server)).toMatchObject({ in: 4_000_000n, kept: 2_000_000n });
    expect(await server.stop()).toBe(0);
  });
});
