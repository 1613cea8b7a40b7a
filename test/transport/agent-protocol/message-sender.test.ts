import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import type { SettlementResponse } from '../../../src/domain/payment/payment.ts';
import type { AgentCore, Caller } from '../../../src/transport/agent-protocol/agent-core.ts';
import { MessageSender } from '../../../src/transport/agent-protocol/message-sender.ts';
import { OpenTasks } from '../../../src/transport/agent-protocol/open-tasks.ts';
import { systemRandom } from '../../support/front-rig.ts';

/** A server whose room for open tasks is used up. */
class FullTasks extends OpenTasks {
  override add(): never {
    throw new AppError('OVERLOADED', { message: 'Nothing was accepted.' });
  }
}

const SETTLED: SettlementResponse = {
  success: true,
  transaction: '0x1',
  network: 'eip155:31337',
  payer: '0x2',
};

function senderOf(settlement?: SettlementResponse): MessageSender {
  const result = { content: [{ type: 'text', text: '42' }] };
  const required = { x402Version: 2, error: 'Payment required', accepts: [] };
  const outcome =
    settlement === undefined
      ? { kind: 'payment_required', required, status: 402 }
      : { kind: 'result', result, settlement };
  const core = {
    service: { tools: [{ name: 'quick' }], call: async () => outcome },
    views: { rateLimitedTools: new Set() },
    load: { calls: 0 },
    limits: { callsMax: 1 },
    baseUrl: () => 'http://127.0.0.1',
    clock: { now: () => 0 },
    random: systemRandom,
  };
  return new MessageSender(core as unknown as AgentCore, new FullTasks());
}

function call(sender: MessageSender) {
  const parts = [{ data: { skill: 'quick', arguments: {} } }];
  const message = { messageId: '1', role: 'ROLE_USER', parts } as const;
  return sender.send(
    { message, configuration: { acceptedOutputModes: [] } } as never,
    {} as Caller,
  );
}

test('what was charged is answered even if no room is left to keep its task', async () => {
  expect(await call(senderOf(SETTLED))).toMatchObject({
    task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: '42' }] }] },
  });
});

test('an offer that cannot be kept is refused', async () => {
  await expect(call(senderOf())).rejects.toMatchObject({ code: 'OVERLOADED' });
});
