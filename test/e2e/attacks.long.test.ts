import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  PAYMENT_META,
  type PaymentPayload,
  type PaymentRequired,
} from '../../src/domain/payment/payment.ts';
import { nodeRpc } from '../support/node-rpc.ts';
import { preempt } from '../support/observer.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import {
  challengeFor,
  codeOf,
  encodePayment,
  jobOf,
  onChain,
  payFor,
  type RawCall,
  rawCall,
  receiptOf,
} from '../support/raw-calls.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

// The attacks of Li, Wang and Wang, "Five Attacks on x402 Agentic Payment Protocol" (arXiv
// 2605.11781), by its numbers, and of "Free-Riding the Agentic Web" (arXiv 2605.30998), against a
// real server on its own chain, in the flow that settles first.

const DEBATE = 'deliberation_multi-agent-debate';
const PRICE = 2_000_000n;
const CARRIERS = ['header', 'meta'] as const;
/** The identifier of a job, which the schema of a challenge only describes. */
const JOB_ID = /job_[0-9a-f]{40}/;
type Carrier = RawCall['carrier'];
/** Waiting transactions by sender and nonce. */
type Pool = Record<string, Record<string, { readonly hash: string }>>;

let server: RealServer;
let payer: Payer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
  payer = createPayer();
  await fund(server, payer.address, '200');
}, 120_000);
afterAll(cleanUp);

let asked = 0;
function question(): object {
  asked += 1;
  const options = ['first', 'second'].map((name, at) => ({ name, scores: { cost: at + 1 } }));
  const criteria = [{ name: 'cost', higher_is_better: false }];
  return { question: `Attack ${asked}?`, options, criteria, wait_s: 20 };
}

function call(carrier: Carrier, args: object, payments: readonly unknown[], more = {}) {
  return rawCall({ ready: server.ready, tool: DEBATE, carrier, args, payments, ...more });
}

function challenge(carrier: Carrier, args: object, more = {}): Promise<PaymentRequired> {
  return challengeFor({ ready: server.ready, tool: DEBATE, carrier, args, ...more });
}

const spent = async (act: () => Promise<unknown>): Promise<bigint> => {
  const before = await balanceOf(server, payer.address);
  await act();
  return before - (await balanceOf(server, payer.address));
};

const chain = <Result>(method: string, ...params: readonly unknown[]) =>
  nodeRpc<Result>(server.ready.chain.rpc_url, method, ...params);

test.each(CARRIERS)(
  'I-A: nothing is granted while the settlement is in no block (%s)',
  {
    timeout: 60_000,
  },
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    const { nonce, from } = payment.payload.authorization;
    const isSpent = async () => {
      const data = `0xe94a0102${from.slice(2).padStart(64, '0')}${nonce.slice(2)}`;
      const word = await chain<string>(
        'eth_call',
        { to: server.ready.chain.token, data },
        'latest',
      );
      return BigInt(word) === 1n;
    };
    await chain('evm_setAutomine', false);
    const states: string[] = [];
    const buying = call(carrier, args, [payment]).then(async (answer) => {
      states.push(`answered, spent ${await isSpent()}`);
      return answer;
    });
    for (let at = 0; at < 8; at += 1) {
      if (!(await isSpent()) && states.length > 0) states.push('answered before it was spent');
      await new Promise((done) => setTimeout(done, 100));
    }
    await chain('evm_setAutomine', true);
    await chain('anvil_mine', '0x1');
    expect(receiptOf(await buying).success).toBe(true);
    expect(states).toEqual(['answered, spent true']);
  },
);

test.each(CARRIERS)(
  'I-A: a settlement that the chain drops after the grant comes back (%s)',
  {
    timeout: 60_000,
  },
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    const mark = await chain<string>('evm_snapshot');
    const before = await balanceOf(server, payer.address);
    const first = await call(carrier, args, [payment]);
    expect(await chain('evm_revert', mark)).toBe(true);
    await vi.waitFor(
      async () => expect(await balanceOf(server, payer.address)).toBe(before - PRICE),
      { timeout: 20_000, interval: 100 },
    );
    const { transaction } = receiptOf(first);
    expect(await chain('eth_getTransactionReceipt', transaction)).toMatchObject({ status: '0x1' });
    const again = await call(carrier, args, [payment]);
    expect(jobOf(again)).toBe(jobOf(first));
    expect(receiptOf(again)).toMatchObject({ success: true, transaction });
  },
);

test.each(CARRIERS)(
  'I-B: a settlement pre-empted by an observer still buys its payer one answer (%s)',
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    let transaction = '';
    const cost = await spent(async () => {
      transaction = await preempt(server.ready, payment);
      const answer = await call(carrier, args, [payment]);
      expect(receiptOf(answer)).toMatchObject({ success: true, transaction });
      expect(answer.result['structuredContent']).toMatchObject({ status: 'decided' });
    });
    expect(cost).toBe(PRICE);
    for (const other of [args, question()]) {
      const stolen = await call(carrier, other, [onChain(payment)]);
      expect(['PAYMENT_REPLAYED', 'PAYMENT_CONFLICT']).toContain(codeOf(stolen));
      expect(stolen.text).not.toMatch(JOB_ID);
    }
  },
);

test.each(CARRIERS)(
  'I-B: an observer who overtakes our own transaction gains nothing (%s)',
  {
    timeout: 60_000,
  },
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    await chain('evm_setAutomine', false);
    const cost = await spent(async () => {
      const buying = call(carrier, args, [payment]);
      await vi.waitFor(
        async () => {
          const { pending } = await chain<{ pending: Pool }>('txpool_content');
          const [ours] = Object.values(pending).flatMap((each) => Object.values(each));
          expect(await chain('anvil_dropTransaction', ours?.hash)).toBe(ours?.hash);
        },
        { timeout: 10_000 },
      );
      const overtaking = preempt(server.ready, payment);
      await chain('anvil_mine', '0x1');
      await chain('evm_setAutomine', true);
      const transaction = await overtaking;
      const first = await buying;
      // Ours was thrown away, so its fate had to be looked up: the answer may be "not yet".
      const pending = codeOf(first) === 'PAYMENT_PENDING';
      if (pending) expect(first.text).not.toMatch(JOB_ID);
      await vi.waitFor(
        async () => {
          const answer = pending ? await call(carrier, args, [payment]) : first;
          expect(receiptOf(answer)).toMatchObject({ success: true, transaction });
        },
        { timeout: 30_000, interval: 500 },
      );
    });
    expect(cost).toBe(PRICE);
  },
);

test.each(CARRIERS)(
  'II: one payment presented 20 times at once is granted once and charged once (%s)',
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    const cost = await spent(async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => call(carrier, args, [payment])),
      );
      expect(new Set(answers.map(jobOf)).size).toBe(1);
      expect(new Set(answers.map((each) => receiptOf(each).transaction)).size).toBe(1);
    });
    expect(cost).toBe(PRICE);
  },
);

test.each(CARRIERS)(
  'II: a payment buys no other arguments and no other tool, at once or later (%s)',
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    const links = { urls: ['https://example.org/'] };
    const cost = await spent(async () => {
      // Whichever comes in first is bought; the order of ten connections is nobody's.
      const all = await Promise.all([
        call(carrier, args, [payment]),
        ...Array.from({ length: 9 }, () => call(carrier, question(), [payment])),
      ]);
      const bought = all.filter((answer) => jobOf(answer)?.startsWith('job_'));
      expect(bought).toHaveLength(1);
      const others = all.filter((answer) => !bought.includes(answer));
      const later = [
        await call(carrier, question(), [payment]),
        await call(carrier, links, [payment], { tool: 'ops_link-integrity' }),
      ];
      // Whoever asks with another patience asks for the same work.
      const patient = await call(carrier, { ...args, wait_s: 19 }, [payment]);
      expect(jobOf(patient)).toBe(all[0] && jobOf(all[0]));
      for (const answer of [...others, ...later]) {
        expect(codeOf(answer)).toMatch(/^PAYMENT_(CONFLICT|UNDERPAID|MALFORMED)$/);
        expect(answer.text).not.toMatch(JOB_ID);
      }
    });
    expect(cost).toBe(PRICE);
  },
);

test.each(CARRIERS)(
  'III: no challenge and no paid answer may be kept by a cache (%s)',
  async (carrier) => {
    const args = question();
    const unpaid = await call(carrier, args, []);
    const payment = await payFor(payer, await challenge(carrier, args));
    const paid = await call(carrier, args, [payment]);
    const again = await call(carrier, args, [payment]);
    const refused = await call(carrier, question(), [payment]);
    for (const answer of [unpaid, paid, again, refused]) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  },
);

test.each(CARRIERS)(
  'III: what is public on the chain does not fetch a stored answer (%s)',
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    const first = await call(carrier, args, [payment]);
    const guess = {
      'payment-identifier': { info: { required: false, id: `pay_${'0'.repeat(40)}` } },
    };
    const { extensions } = await challenge(carrier, args);
    for (const more of [{}, { extensions: guess }, { extensions }]) {
      const stolen = await call(carrier, args, [{ ...onChain(payment), ...more }]);
      expect(codeOf(stolen)).toBe('PAYMENT_REPLAYED');
      expect(stolen.text).not.toMatch(JOB_ID);
      expect(stolen.headers.get('payment-response')).toBeNull();
    }
    expect(jobOf(await call(carrier, args, [payment]))).toBe(jobOf(first));
  },
);

test.each(CARRIERS)(
  'III: two payments in one call are refused whichever way they come, and none is charged (%s)',
  async (carrier) => {
    const args = question();
    const required = await challenge(carrier, args);
    const [one, two] = [await payFor(payer, required), await payFor(payer, required)];
    const line = (payment: PaymentPayload) =>
      ['payment-signature', encodePayment(payment)] as const;
    const joined = ['payment-signature', [one, two].map(encodePayment).join(', ')] as const;
    const ways: readonly Partial<RawCall>[] = [
      { headers: [line(one), line(two)] },
      { headers: [line(one), line(one)] },
      { headers: [joined] },
      { headers: [line(one)], meta: { [PAYMENT_META]: two } },
      { headers: [line(one)], meta: { [PAYMENT_META]: one } },
    ];
    const cost = await spent(async () => {
      for (const way of ways) {
        const answer = await call(carrier, args, [], way);
        expect(codeOf(answer)).toBe('PAYMENT_DUPLICATED');
        expect(answer.text).not.toMatch(JOB_ID);
      }
    });
    expect(cost).toBe(0n);
  },
);

test.each(CARRIERS)(
  'III: a payment of version 1 is refused alone, and is noise beside one of version 2 (%s)',
  async (carrier) => {
    const args = question();
    const payment = await payFor(payer, await challenge(carrier, args));
    const old = { headers: [['x-payment', encodePayment(payment)]] } as const;
    const cost = await spent(async () => {
      const alone = await call(carrier, args, [], old);
      expect(alone.text).toContain('version 2');
      expect(alone.text).not.toMatch(JOB_ID);
      expect(jobOf(await call(carrier, args, [payment], old))).toMatch(/^job_/);
    });
    expect(cost).toBe(PRICE);
  },
);

test.each(CARRIERS)(
  'IV: listing, challenge, signed offer and charge agree, whatever the request says of itself (%s)',
  async (carrier) => {
    const args = question();
    const [plain] = (await challenge(carrier, args)).accepts;
    const steered = [
      { headers: [['x-forwarded-host', 'evil.example']] },
      { headers: [['forwarded', 'host=evil.example;proto=https']] },
      {
        headers: [
          ['x-forwarded-proto', 'https'],
          ['x-original-url', '/cheap'],
        ],
      },
      { headers: [['x-forwarded-prefix', '/evil.example']] },
      { query: '?src=evil.example' },
      { meta: { 'x402/accepts': [{ ...plain, amount: '1', payTo: payer.address }] } },
    ] as readonly Partial<RawCall>[];
    for (const more of steered) {
      const { accepts, resource, extensions } = await challenge(carrier, args, more);
      expect(accepts).toEqual([plain]);
      const [address, bound] = resource.url.split('#');
      expect(address).toBe(carrier === 'header' ? server.ready.mcp_v1 : server.ready.mcp_v2);
      expect(bound).toMatch(new RegExp(`^tool=${DEBATE}&arguments=[0-9a-f]{64}$`));
      const { offers } = Object(extensions?.['offer-receipt']).info;
      expect(offers[0].payload).toMatchObject({
        resourceUrl: resource.url,
        amount: plain?.amount,
        payTo: plain?.payTo,
        asset: plain?.asset,
        network: plain?.network,
      });
      expect(JSON.stringify({ accepts, resource, extensions })).not.toContain('evil.example');
    }
  },
);
