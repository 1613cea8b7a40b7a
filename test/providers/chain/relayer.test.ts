import { generatePrivateKey } from 'viem/accounts';
import { expect, test } from 'vitest';
import type { ChainRpc } from '../../../src/providers/chain/chain-rpc.ts';
import { readFreeFees } from '../../../src/providers/chain/fees.ts';
import type { RawJournal } from '../../../src/providers/chain/local/raw-journal.ts';
import { createRelayer } from '../../../src/providers/chain/relayer.ts';
import { createDigestSigner } from '../../../src/providers/chain/signature.ts';
import { deferred } from '../../support/deferred.ts';

const ORDER = { data: '0x', gas: 21_000n, key: 'payer:1' } as const;

test('nothing is sent before its row is on disk', async () => {
  const { relayer, written, steps } = world();
  const sending = relayer.send(ORDER);
  await settled();
  expect(steps).toEqual(['nonce', 'row']);
  written.resolve();
  expect((await sending).state).toBe('sent');
  expect(steps).toEqual(['nonce', 'row', 'sent']);
});

test('what cannot be written down is not sent', async () => {
  const { relayer, written, steps } = world();
  const sending = relayer.send(ORDER);
  written.reject(new Error('disk full'));
  expect((await sending).state).toBe('unsent');
  expect(steps).not.toContain('sent');
});

test('while it is paused nothing is sent, and afterwards everything is', async () => {
  const { relayer, written, steps } = world();
  written.resolve();
  const resume = await relayer.pause();
  const sending = Promise.all([relayer.send(ORDER), relayer.send(ORDER)]);
  await settled();
  expect(steps).toEqual([]);
  resume();
  expect((await sending).map(({ state }) => state)).toEqual(['sent', 'sent']);
});

test('a pause waits for the batch that is under way', async () => {
  const { relayer, written, steps } = world();
  const sending = relayer.send(ORDER);
  await settled();
  const pausing = relayer.pause().then((resume) => {
    steps.push('paused');
    return resume;
  });
  await settled();
  expect(steps).not.toContain('paused');
  written.resolve();
  (await pausing)();
  await sending;
  expect(steps).toEqual(['nonce', 'row', 'sent', 'paused']);
});

/** A relayer whose journal writes when it is let, and a node that takes everything. */
function world() {
  const steps: string[] = [];
  const written = deferred<void>();
  const call = async <Result>(method: string) => {
    steps.push(method === 'eth_sendRawTransaction' ? 'sent' : 'nonce');
    return '0x0' as Result;
  };
  const rpc: ChainRpc = {
    call,
    ask: async <Result>(method: string) => ({ ok: true, result: await call<Result>(method) }),
  };
  const journal = {
    append: async (rows: readonly unknown[]) => {
      steps.push(...rows.map(() => 'row'));
      await written.promise;
    },
    drop: () => undefined,
  } as Partial<RawJournal> as RawJournal;
  const operator = createDigestSigner(generatePrivateKey());
  const relayer = createRelayer({
    rpc,
    journal,
    operator,
    chainId: 1,
    fees: readFreeFees,
    now: () => 0,
  });
  return { relayer, written, steps };
}

function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done, 20));
}
