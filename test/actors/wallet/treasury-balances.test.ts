import { expect, test } from 'vitest';
import {
  createTreasuryBalances,
  type OpenJob,
} from '../../../src/actors/wallet/treasury-balances.ts';
import type { EscrowState } from '../../../src/domain/chain/trust-chain.ts';
import { AppError } from '../../../src/domain/common/error.ts';

const ESCROW = `0x${'e5'.repeat(20)}`;
const facts = {
  chainId: 31_337,
  network: 'eip155:31337',
  rpcUrl: 'http://127.0.0.1:1',
  token: `0x${'70'.repeat(20)}`,
  tokenName: 'Test Dollar',
  tokenVersion: '2',
  treasury: `0x${'77'.repeat(20)}`,
  isLocal: true,
};

interface World {
  balance: string;
  jobs: OpenJob[];
  ended: Record<string, EscrowState>;
  reads: number;
  isDown: boolean;
  escrow: string | null;
  undone: ReadonlySet<string>;
}

function rig(overrides: Partial<World> = {}) {
  const world: World = {
    balance: '30000000',
    jobs: [
      { escrowKey: '0x1', amount: '10000000' },
      { escrowKey: '0x2', amount: '20000000' },
    ],
    ended: {},
    reads: 0,
    isDown: false,
    escrow: ESCROW,
    undone: new Set(),
    ...overrides,
  };
  const trust = {
    contracts: { escrow: world.escrow },
    revertedTransactions: () => world.undone,
    escrow: {
      readHoldings: async () => {
        world.reads += 1;
        if (world.isDown) throw new AppError('CHAIN_UNAVAILABLE');
        return { block: 7, balance: world.balance, held: '30000000', owed: '0', unaccounted: '0' };
      },
      readJob: async (key: string) => ({ state: world.ended[key] ?? 'escrowed' }),
    },
  };
  const read = createTreasuryBalances({
    chain: { facts, balance: async () => '5000000' },
    trust: trust as never,
    openJobs: async () => world.jobs,
  });
  return { world, read };
}

test('treasury, escrow and open jobs are told as of a block, and solvent', async () => {
  const { read } = rig();
  expect(await read()).toEqual({
    chain: 'eip155:31337',
    token: facts.token,
    treasury: { address: facts.treasury, balance: dollars('5.00', '5000000') },
    escrow: {
      address: ESCROW,
      balance: dollars('30.00', '30000000'),
      held: dollars('30.00', '30000000'),
      owed: dollars('0.00', '0'),
      unaccounted: dollars('0.00', '0'),
    },
    open_jobs: { count: 2, amount: dollars('30.00', '30000000') },
    solvent: true,
    as_of_block: 7,
  });
});

test('a micro-dollar too few is not solvent', async () => {
  const { read } = rig({ balance: '29999999' });
  expect(await read()).toMatchObject({ solvent: false, open_jobs: { count: 2 } });
});

test('a job that is over on the chain, and not yet in the books, holds nothing', async () => {
  const { read } = rig({ balance: '20000000', ended: { '0x1': 'released' } });
  expect(await read()).toMatchObject({
    solvent: true,
    open_jobs: { count: 1, amount: dollars('20.00', '20000000') },
  });
});

test('without an escrow there are no jobs in it, and nothing to cover', async () => {
  const { read } = rig({ escrow: null, jobs: [] });
  expect(await read()).toMatchObject({ escrow: null, solvent: true, as_of_block: null });
});

test('reads at one time are one, each later one is live, and a failed one is not kept', async () => {
  const { world, read } = rig();
  await Promise.all([read(), read(), read()]);
  expect(world.reads).toBe(1);
  world.isDown = true;
  await expect(read()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  world.isDown = false;
  await read();
  expect(world.reads).toBe(3);
});

function dollars(amount: string, micro: string) {
  return { amount, currency: 'USD', micro_usd: micro };
}

test('nothing is solvent while an end of a job has left the chain again', async () => {
  const { world, read } = rig();
  expect((await read())['solvent']).toBe(true);
  world.undone = new Set(['0xabc']);
  expect(await read()).toMatchObject({ solvent: false, undone: ['0xabc'] });
});
