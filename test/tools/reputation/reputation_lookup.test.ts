import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolResult } from '../../../src/domain/tool/tool-result.ts';
import { reputationLookupTool } from '../../../src/tools/reputation/reputation_lookup.ts';
import { walletOf } from '../../support/job-events.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const SELLER = 1;
const PAYMENT = { paymentId: `pay_${'5'.repeat(64)}`, payer: `0x${'9'.repeat(40)}` };
let rig: LookRig;
beforeAll(async () => {
  rig = lookRig();
  rig.register('seller.one', { wallet: walletOf(SELLER) });
  rig.register('unbound');
  await rig.happen((feed) => {
    for (let n = 0; n < 12; n += 1) feed.released({ buyer: 100 + n, provider: SELLER, day: 9 * n });
    feed.released({ buyer: 7, provider: 7 });
  });
});
afterAll(() => rig.close());

async function ask(subject: string, over: object = {}): Promise<ToolResult> {
  const tool = reputationLookupTool(rig.deps);
  const { context } = toolContext({ ...PAYMENT, ...over });
  const result = await tool.run(tool.input.parse({ subject }), context);
  tool.output.parse(result.structuredContent);
  return result;
}

describe('what a lookup answers', () => {
  test('an agent with history by name, id, full id and wallet: the same record, signed', async () => {
    proves('C2.t2.c1', 'C2.t2.c2', 'C4.3.t28', 'C8.s1.c1');
    const { agent_id: fullId } = rig.agents.get('seller.one') ?? { agent_id: '' };
    const wallet = walletOf(SELLER);
    for (const subject of [
      'seller.one',
      '0',
      fullId,
      wallet,
      wallet.toUpperCase().replace('X', 'x'),
    ]) {
      const result = await ask(subject);
      expect(result.structuredContent, subject).toMatchObject({
        score: 64,
        badge: 'bronze',
        registered: true,
        payload: {
          subject,
          registered: true,
          wallet,
          agent: { name: 'seller.one', agent_id: fullId, status: 'active', custody: 'operator' },
          reputation: { settled_jobs: 12, settled_usd: '240.00', as_of: { events: 13 } },
        },
        statement: { kind: 'reputation', signature: { signer: rig.chain.facts.treasury } },
        proof: { kind: 30017, ref: `stm_${'5'.repeat(64)}` },
      });
      expect(rig.isSigned(result.structuredContent)).toBe(true);
    }
  });

  test('the price is a cent, and the work is paid only when it is done', () => {
    const tool = reputationLookupTool(rig.deps);
    expect(tool.name).toBe('reputation_lookup');
    expect(tool.price).toEqual({ amount: '10000', flow: 'authorization' });
    expect(tool.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  test('no history is an ordinary answer: score 0, badge none, and nothing held against anyone', async () => {
    proves('C2.t2.c3', 'C7.t2');
    for (const subject of ['nobody.here', '999', walletOf(0xdead), 'unbound']) {
      const result = await ask(subject);
      expect(result.isError, subject).toBeUndefined();
      expect(result.structuredContent, subject).toMatchObject({
        score: 0,
        badge: 'none',
        registered: subject === 'unbound',
        payload: { reputation: { score: 0, badge: 'none', settled_jobs: 0, disputes: 0 } },
      });
      expect(rig.isSigned(result.structuredContent)).toBe(true);
    }
    expect(textOf(await ask('nobody.here'))).toContain('nobody.here is not registered here.');
  });

  test('jobs that count nothing are named with the reason', async () => {
    const result = await ask(walletOf(7));
    expect(result.structuredContent).toMatchObject({
      score: 0,
      registered: false,
      payload: {
        reputation: { excluded: { jobs: 1, reasons: [{ reason: 'self_dealing', usd: '20.00' }] } },
      },
    });
    expect(textOf(result)).toContain('1 settled jobs are excluded.');
  });

  test('a changed byte of the payload or the statement is found without a server', async () => {
    const { structuredContent } = await ask('seller.one');
    const text = JSON.stringify(structuredContent);
    const forged = [
      text.replace('"settled_jobs":12', '"settled_jobs":13'),
      text.replace('"kind":"reputation"', '"kind":"trust_badge"'),
      text.replace(/"issued_at":"2026/, '"issued_at":"2027'),
    ];
    for (const each of forged) {
      expect(each).not.toBe(text);
      expect(rig.isSigned(JSON.parse(each))).toBe(false);
    }
  });
});

describe('what a lookup refuses before any payment', () => {
  test.each([
    ['No One', 'is not an agent name'],
    [`eip155:1:0x${'9'.repeat(40)}:0`, 'is not an agent name'],
    ['0x123', 'is not an agent name'],
    ['-1', 'is not an agent name'],
  ])('the subject %s', async (subject, message) => {
    const tool = reputationLookupTool(rig.deps);
    const error = await refusalOf(() => tool.checkReady?.({ subject }));
    expect(error.code).toBe('INPUT_INVALID');
    expect(error.message).toContain(message);
    expect(error.data).toMatchObject({ received: subject });
  });

  test.each([[{}], [{ subject: '' }], [{ subject: 'x'.repeat(201) }], [{ subject: 'a', more: 1 }]])(
    'the input %j',
    (input) => {
      expect(reputationLookupTool(rig.deps).input.safeParse(input).success).toBe(false);
    },
  );
});
