import { type Hex, keccak256, toHex, zeroHash } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import {
  ESCROW,
  type EscrowTerms,
  type EscrowWorld,
  escrowWorld,
} from '../support/escrow-world.ts';
import { seeded } from '../support/seeded.ts';

const SEED = Number(process.env['STOA_ESCROW_SEED'] ?? 1);
const RUNS = process.env['STOA_LONG'] === undefined ? 4 : 30;
const MOVES = 60;
const HOUR_S = 3_600;
let at: EscrowWorld;

interface Open {
  readonly terms: EscrowTerms;
  readonly key: Hex;
}

/** Everything that can be tried on a job, by whom it may and by whom it may not. */
const MOVES_OF = [
  ['provider', 'fulfil'],
  ['buyer', 'release'],
  ['provider', 'giveBack'],
  ['buyer', 'dispute'],
  ['buyer', 'withdrawDispute'],
  ['arbiter', 'decideFor'],
  ['arbiter', 'decideAgainst'],
  ['anyone', 'settleExpired'],
  ['anyone', 'refundUnfulfilled'],
  ['anyone', 'refundUndecided'],
] as const;

test(
  'whatever is tried in whatever order, no money is lost, made or held for nothing',
  async () => {
    for (let run = 0; run < RUNS; run += 1) {
      // A node of its own: stories pass years, and one node would pass centuries.
      at = await escrowWorld();
      try {
        await story(SEED * 1_000 + run);
      } finally {
        await at.world.close();
      }
    }
  },
  RUNS * 60_000,
);

async function story(seed: number): Promise<void> {
  const chance = seeded(seed);
  const pick = <Item>(list: readonly Item[]): Item =>
    list[Math.floor(chance() * list.length)] as Item;
  const people = [await at.party(), await at.party(), await at.party()];
  const jobs: Open[] = [];
  const settled = new Map<Hex, number>();
  const everyone = [
    ...people.map(({ address }) => address),
    at.treasury.address,
    at.escrow.address,
  ];
  const total = async () =>
    (await Promise.all(everyone.map(at.balance))).reduce((sum, each) => sum + each, 0n);
  const start = await total();
  for (let moves = 0; moves < MOVES; moves += 1) {
    const roll = chance();
    if (jobs.length === 0 || roll < 0.2) {
      jobs.push(
        await fund(pick(people), pick(people), BigInt(1 + Math.floor(chance() * 9_999_999))),
      );
    } else if (roll < 0.4) await at.world.passS(pick([60, HOUR_S, 73 * HOUR_S, 8 * 24 * HOUR_S]));
    else await tryMove(pick(jobs), pick(MOVES_OF), pick(people));
    await check(jobs, settled, `seed ${seed}, move ${moves}`);
    expect(await total(), `seed ${seed}, move ${moves}`).toBe(start);
  }
  await endByTime(jobs, people[0] as PrivateKeyAccount);
  expect(await at.escrow.read('held'), `seed ${seed}: time alone ends every job`).toBe(0n);
  expect(await at.balance(at.escrow.address), `seed ${seed}`).toBe(0n);
}

async function fund(
  buyer: PrivateKeyAccount,
  provider: PrivateKeyAccount,
  amount: bigint,
): Promise<Open> {
  const terms = await at.terms({ buyer: buyer.address, provider: provider.address, amount });
  const rest = await at.signed({ buyer, terms, form: 'receive' });
  await at.escrow.send(provider, 'fundWithAuthorization', terms, ...rest);
  return { terms, key: await at.keyOf(terms) };
}

/** Tries a move with its party's key when there is one; a refusal must change nothing. */
async function tryMove(
  { terms, key }: Open,
  [who, move]: (typeof MOVES_OF)[number],
  by: PrivateKeyAccount,
): Promise<void> {
  const isParty =
    who === 'anyone' ||
    (who === 'buyer' && by.address === terms.buyer) ||
    (who === 'provider' && by.address === terms.provider);
  const from = who === 'arbiter' ? at.arbiter : by;
  const before = JSON.stringify(await at.job(key), write);
  const call: readonly unknown[] = argumentsOf(move, key);
  const name = move.startsWith('decide') ? 'decide' : move;
  const isDone = await at.escrow.send(from, name, ...call).then(
    () => true,
    () => false,
  );
  const after = JSON.stringify(await at.job(key), write);
  if (!isDone) expect(after).toBe(before);
  else if (who !== 'arbiter') expect(isParty, `${move} by ${who}`).toBe(true);
}

function argumentsOf(move: (typeof MOVES_OF)[number][1], key: Hex): readonly unknown[] {
  if (move === 'fulfil') return [key, keccak256(toHex('work')), '0x'];
  if (move === 'dispute') return [key, zeroHash, '0x'];
  if (move === 'decideFor' || move === 'decideAgainst')
    return [key, move === 'decideFor', zeroHash];
  if (move === 'release' || move === 'giveBack' || move === 'withdrawDispute') return [key, '0x'];
  return [key];
}

/** What is held equals the open jobs; an ended job stays as it ended; nothing lies about. */
async function check(
  jobs: readonly Open[],
  settled: Map<Hex, number>,
  when: string,
): Promise<void> {
  let open = 0n;
  for (const { key, terms } of jobs) {
    const { state } = await at.job(key);
    const ended = settled.get(key);
    if (ended !== undefined) expect(state, when).toBe(ended);
    else if (state === ESCROW.released || state === ESCROW.refunded) settled.set(key, state);
    else open += terms.amount;
  }
  expect(await at.escrow.read('held'), when).toBe(open);
  expect(await at.balance(at.escrow.address), when).toBe(open);
}

async function endByTime(jobs: readonly Open[], anyone: PrivateKeyAccount): Promise<void> {
  await at.world.passS(8 * 24 * HOUR_S);
  for (const { key } of jobs) {
    const { state } = await at.job(key);
    if (state === ESCROW.escrowed) await at.escrow.send(anyone, 'refundUnfulfilled', key);
    if (state === ESCROW.fulfilled) await at.escrow.send(anyone, 'settleExpired', key);
    if (state === ESCROW.disputed) await at.escrow.send(anyone, 'refundUndecided', key);
  }
}

function write(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
