import { expect } from 'vitest';
import type { JobView } from '../../src/domain/escrow/work.ts';
import type { JobContext } from '../../src/machines/escrow/job-context.ts';
import type { Standing } from '../../src/testing/path.ts';
import type { BoardServer } from './board-server.ts';
import type { BoardSides } from './board-sides.ts';
import { jobIn, placeIn, stateIn } from './board-truth.ts';

/** A job, and where to look for it. */
export interface SeenJob {
  readonly server: BoardServer;
  readonly jobId: string;
  readonly sides: BoardSides;
}

/** What anybody can see of the job is what the model says: its page, and the chain. */
export async function checkPage(seen: SeenJob & { readonly expected: Standing }): Promise<void> {
  const { server, jobId, sides, expected } = seen;
  const job = await server.get<JobView>(`/a2a/jobs/${jobId}`);
  const state = stateIn(expected.value);
  expect(job.state).toBe(state);
  expect(job.moves.map(({ move }) => move).sort()).toEqual([...movesIn(expected)].sort());
  if (job.funding === 'escrow') expect(await sides.place()).toBe(placeIn(expected));
}

/** Moves that each state leaves open; typed by hand from the specification, section 3. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  agreed: ['fulfil'],
  'escrowed.waiting': ['fulfil', 'release', 'give_back'],
  'fulfilled.waiting': ['release', 'give_back', 'dispute'],
  'disputed.waiting': ['release', 'give_back', 'withdraw_dispute', 'decide'],
  expired_unreleased: ['release_late'],
};

function movesIn(expected: Standing): readonly string[] {
  const { funding, dispute } = jobIn(expected);
  const moves = MOVES[stateIn(expected.value)] ?? [];
  if (funding === 'on_release') {
    return moves.filter((move) => !['give_back', 'dispute'].includes(move));
  }
  return dispute === null ? moves : moves.filter((move) => move !== 'dispute');
}

/** Where nothing is held any more. */
const CLOSED = /^(released|refunded|lapsed|forgone|expired_unreleased|unfunded\.closed)$/;
/** Timers of one job that are let pass at most until its end. */
const TIMERS_MAX = 60;

/** Time alone brings the job to an end, and every micro-dollar is where it should be. */
export async function checkEnd({ server, jobId, sides }: SeenJob): Promise<void> {
  const stand = async () => {
    const { value, context, timers } = await server.actor(jobId);
    return { state: stateIn(value), context: context as JobContext, timers };
  };
  for (let passed = 0; passed < TIMERS_MAX; passed += 1) {
    await server.until(async () => {
      const { context } = await stand();
      return context.funding !== 'escrow' || lastPlace(context) === (await sides.place());
    });
    await server.tell({ do: 'quiesce' });
    const { state, timers } = await stand();
    const next = timers.map(({ due }) => due).sort((one, other) => one - other)[0];
    if (CLOSED.test(state) || next === undefined) break;
    await server.tell({ do: 'clock.set', at: Math.max(next, await server.now()) });
  }
  const { state } = await stand();
  expect(state).toMatch(CLOSED);
  const { isBalanced, differences, held, owed, unaccounted } = await server.audit();
  expect({ isBalanced, differences, held, owed, unaccounted }).toEqual({
    isBalanced: true,
    differences: [],
    held: 0n,
    owed: 0n,
    unaccounted: 0n,
  });
}

function lastPlace({ facts }: JobContext): string {
  const told = facts.filter(({ fact }) => fact !== 'CHAIN.DECIDED').at(-1)?.fact ?? '';
  return PLACES[told] ?? 'none';
}

const PLACES: Readonly<Record<string, string>> = {
  'CHAIN.ESCROWED': 'escrowed',
  'CHAIN.FULFILLED': 'fulfilled',
  'CHAIN.DISPUTED': 'disputed',
  'CHAIN.DISPUTE_WITHDRAWN': 'fulfilled',
  'CHAIN.RELEASED': 'released',
  'CHAIN.REFUNDED': 'refunded',
};
