import { beforeEach, expect, test } from 'vitest';
import type { BroadcastFate, MemoryPaymentChain } from '../support/chain-memory/memory-chain.ts';
import {
  challengeFor,
  codeOf,
  onChain,
  payFor,
  type RawCall,
  rawCall,
  receiptOf,
} from '../support/raw-calls.ts';
import { type ServedCommerce, serveCommerce } from '../support/served-commerce.ts';

// The attacks of attacks.long.test.ts in the flow that settles last, over the real front and real
// tool, on a chain in memory that can be told what becomes of a broadcast.

const TOOL = 'ops_link-integrity';
const PRICE = 10_000n;
const CARRIERS = ['header', 'meta'] as const;
const UNSURE = CARRIERS.flatMap((carrier) =>
  (['late', 'lost'] as const).map((fate): [RawCall['carrier'], BroadcastFate] => [carrier, fate]),
);
let served: ServedCommerce;

beforeEach(async () => {
  served = await serveCommerce();
});

function base(carrier: RawCall['carrier']): RawCall {
  const ready = { mcp_v1: `${served.baseUrl}/v1/mcp`, mcp_v2: `${served.baseUrl}/v2/` };
  return { ready, carrier, tool: TOOL, args: { urls: [`${served.site.url}/here`] } };
}

const present = (carrier: RawCall['carrier'], payment: unknown) =>
  rawCall({ ...base(carrier), payments: [payment] });

const signed = async (carrier: RawCall['carrier']) =>
  payFor(served.payer, await challengeFor(base(carrier)));

test.each(UNSURE)(
  'I-A: work of a payment by %s whose settlement is %s is withheld',
  async (carrier, fate) => {
    const payment = await signed(carrier);
    served.chain.faults.fates.push(fate);
    const answer = await present(carrier, payment);
    expect(codeOf(answer)).toBe('PAYMENT_PENDING');
    expect(answer.text).not.toContain('PASS');
    // Nothing is offered that could be paid a second time.
    expect(answer.result['structuredContent']).toMatchObject({ accepts: [] });
  },
);

test.each(CARRIERS)(
  'I-A: work whose settlement is refused is withheld and free (%s)',
  async (carrier) => {
    const payment = await signed(carrier);
    served.chain.faults.fates.push('refused');
    const answer = await present(carrier, payment);
    expect(codeOf(answer)).toBe('SETTLEMENT_FAILED');
    expect(answer.text).not.toContain('PASS');
    expect(paid(served.chain)).toBe(0n);
  },
);

test.each(CARRIERS)(
  'I-B: a pre-empted settlement still buys its payer one answer (%s)',
  async (carrier) => {
    const payment = await signed(carrier);
    const { value, ...terms } = payment.payload.authorization;
    const movement = { ...terms, value: BigInt(value) };
    const { transaction } = served.chain.ledger.transfer(movement, true);
    const answer = await present(carrier, payment);
    expect(answer.text).toContain('PASS');
    expect(receiptOf(answer)).toMatchObject({ success: true, transaction });
    expect(codeOf(await present(carrier, onChain(payment)))).toBe('PAYMENT_REPLAYED');
    expect(paid(served.chain)).toBe(PRICE);
  },
);

test.each(CARRIERS)(
  'II: one payment presented 20 times at once does its work once (%s)',
  async (carrier) => {
    const payment = await signed(carrier);
    const answers = await Promise.all(Array.from({ length: 20 }, () => present(carrier, payment)));
    expect(new Set(answers.map((each) => receiptOf(each).transaction)).size).toBe(1);
    expect(served.site.hits).toHaveLength(1);
    expect(paid(served.chain)).toBe(PRICE);
  },
);

test.each(CARRIERS)(
  'III: what is public on the chain fetches no stored answer (%s)',
  async (carrier) => {
    const payment = await signed(carrier);
    const first = await present(carrier, payment);
    const stolen = await present(carrier, onChain(payment));
    expect(codeOf(stolen)).toBe('PAYMENT_REPLAYED');
    expect(stolen.text).not.toContain('PASS');
    for (const { headers } of [first, stolen]) {
      expect(headers.get('cache-control')).toBe('no-store');
    }
    expect((await present(carrier, payment)).result).toEqual(first.result);
  },
);

function paid({ ledger, facts }: MemoryPaymentChain): bigint {
  return ledger.transfers
    .filter(({ to }) => to.toLowerCase() === facts.treasury.toLowerCase())
    .reduce((sum, { value }) => sum + value, 0n);
}
