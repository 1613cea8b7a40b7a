import { describe, expect, test } from 'vitest';
import { connectWorld, DEBATE, LINKS, question, type Told } from '../../support/connect-world.ts';

const isPaid = (told: Told) => told.isError !== true;

describe('above a cap, where the client cannot be asked', () => {
  test.each([
    ['per call', { perCall: '1.99' }, 'per_call', '--per-call 2.00'],
    ['per day', { perDay: '1.00' }, 'per_day', '--per-day 2.00'],
    ['per tool', { perTool: { [DEBATE]: '1.50' } }, 'per_tool', `--per-tool ${DEBATE}=2.00`],
    ['a forbidden tool', { perTool: { [DEBATE]: '0' } }, 'per_tool', `--per-tool ${DEBATE}=2.00`],
  ])('%s: nothing is paid, and the answer says how to allow it', async (_n, wish, cap, raise) => {
    const { bridge, proxy, commerce } = await connectWorld();
    const { call, ledger } = await bridge(wish);
    const told = await call(DEBATE, question('One'));
    expect(told.isError).toBe(true);
    expect(told.structuredContent).toMatchObject({
      error: 'SPENDING_CAP',
      data: { cap, asked: 'not_offered', raise, price: { amount: '2.00' } },
    });
    expect(told.content[0]?.text).toContain(`start stoa connect with ${raise}`);
    expect(proxy.payments).toEqual([]);
    expect(ledger.entries()).toEqual([]);
    const other = await call(LINKS, { urls: [`${commerce.site.url}/here`] });
    expect(isPaid(other)).toBe(true);
  });

  test('the cap of a tool leaves the others alone and ends with what it has spent', async () => {
    const { bridge } = await connectWorld();
    const { call } = await bridge({ perTool: { [DEBATE]: '4.00' } });
    const told = [];
    for (const name of ['One', 'Two', 'Three']) told.push(await call(DEBATE, question(name)));
    expect(told.map(isPaid)).toEqual([true, true, false]);
  });
});

test('ten calls at once at the edge of the day: exactly those that fit are paid', async () => {
  const { bridge, commerce } = await connectWorld();
  const { call, ledger } = await bridge({ perDay: '7.00' });
  const names = Array.from({ length: 10 }, (_, at) => `Number ${at}`);
  const told = await Promise.all(names.map((name) => call(DEBATE, question(name))));
  expect(told.filter(isPaid)).toHaveLength(3);
  expect(ledger.totalsToday('').day).toBe(6_000_000n);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('44000000');
});

test('two bridges on one wallet share its caps', async () => {
  const { bridge, commerce } = await connectWorld();
  const [one, two] = [await bridge({ perDay: '6.00' }), await bridge({ perDay: '6.00' })];
  const told = await Promise.all(
    ['A', 'B', 'C', 'D'].flatMap((name) => [
      one.call(DEBATE, question(`One ${name}`)),
      two.call(DEBATE, question(`Two ${name}`)),
    ]),
  );
  expect(told.filter(isPaid)).toHaveLength(3);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('44000000');
  expect(two.ledger.totalsToday('').day).toBe(6_000_000n);
});

describe('above a cap, where the client can be asked', () => {
  const accept = { action: 'accept' as const, content: { pay: true } };

  test('an agreement pays, once, and counts as spent', async () => {
    const asked: string[] = [];
    const { bridge, proxy } = await connectWorld();
    const { call, ledger } = await bridge({
      perCall: '1.00',
      person: async (message) => {
        asked.push(message);
        return accept;
      },
    });
    const told = await call(DEBATE, question('One'));
    expect(isPaid(told)).toBe(true);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^Pay \$2\.00 for deliberation_multi-agent-debate to 0x/);
    expect(asked[0]).toContain('The cap is $1.00 per call');
    expect(proxy.payments).toHaveLength(1);
    expect(ledger.entries()[0]?.reserved.approved).toBe(true);
    expect(ledger.totalsToday(DEBATE)).toEqual({ day: 2_000_000n, tool: 2_000_000n });
    await call(DEBATE, question('Two'));
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['declined', { action: 'decline' as const }, 'declined'],
    ['cancelled', { action: 'cancel' as const }, 'declined'],
    [
      'accepted without the yes',
      { action: 'accept' as const, content: { pay: false } },
      'declined',
    ],
  ])('a question that is %s pays nothing', async (_name, answer, asked) => {
    const { bridge, proxy } = await connectWorld();
    const { call } = await bridge({ perCall: '1.00', person: async () => answer });
    const told = await call(DEBATE, question('One'));
    expect(told.structuredContent).toMatchObject({ error: 'SPENDING_CAP', data: { asked } });
    expect(proxy.payments).toEqual([]);
  });

  test('a question that nobody answers ends by itself and pays nothing', async () => {
    const { bridge, proxy } = await connectWorld();
    const person = () => new Promise<never>(() => undefined);
    const { call, progress } = await bridge({ perCall: '1.00', answerMsMax: 200, person });
    const told = await call(DEBATE, question('One'));
    expect(told.structuredContent).toMatchObject({ data: { asked: 'no_answer' } });
    expect(progress[0]).toMatch(/^waiting for your answer: Pay \$2\.00/);
    expect(proxy.payments).toEqual([]);
  });

  test('a price that rises while a person thinks is asked about again', async () => {
    const { bridge, proxy } = await connectWorld();
    const asked: string[] = [];
    const rise = (answer: Record<string, unknown>) => {
      const text = JSON.stringify(answer).replaceAll('"2000000"', '"3000000"');
      Object.assign(answer, JSON.parse(text));
    };
    const person = async (message: string) => {
      asked.push(message.slice(0, 9));
      proxy.alter = rise;
      return asked.length === 1 ? accept : { action: 'decline' as const };
    };
    const { call } = await bridge({ perCall: '1.00', person });
    const told = await call(DEBATE, question('One'));
    expect(asked).toEqual(['Pay $2.00', 'Pay $3.00']);
    expect(told.structuredContent).toMatchObject({ error: 'SPENDING_CAP' });
    expect(proxy.payments).toEqual([]);
  });
});
