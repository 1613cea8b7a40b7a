import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditBooks } from '../../src/auditor/audit-books.ts';
import type { PublicEvent } from '../../src/domain/event/event-log.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { type EventFeedServer, eventFeedServer } from '../support/event-feed-server.ts';
import { type LiveBoard, liveBoard, type Move } from '../support/live-board.ts';
import { sendAsStranger } from '../support/node-rpc.ts';
import { type PayingClient, payingClient } from '../support/paying-client.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const SHA = 'd'.repeat(64);
const RELEASE: Move = { name: 'release', path: 'complete' };
const GIVE_BACK: Move = { name: 'give_back', path: 'give-back' };
const DISPUTE: Move = {
  name: 'dispute',
  path: 'dispute',
  words: { reason: 'not as agreed' },
};
const DEBATE = 'deliberation_multi-agent-debate';
/** What every kind of money's way comes to here, in micro-dollars. */
const BOOKS = {
  // Two seals, a debate, five escrowed jobs, one that is paid on release.
  in: 100_000n + 2_000_000n + 31_000_000n + 5_000_000n,
  paidOut: 4_000_000n + 8_000_000n + 4_000_000n,
  refunded: 2_000_000n + 6_000_000n + 7_000_000n,
  openJobs: 2_000_000n + 1_000_000n,
};

let server: RealServer;
let board: LiveBoard;
let agent: PayingClient;
let copy: EventFeedServer;
const seals: string[] = [];

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
  board = await liveBoard(() => server, '60');
  agent = await payingClient(server);
  copy = await eventFeedServer(500);
  await liveThrough();
}, 240_000);
afterAll(async () => {
  await copy.close();
  await agent.close();
  await cleanUp();
});

/** Calls that are paid, a refund, and jobs of each funding with each of their ends. */
async function liveThrough(): Promise<void> {
  for (const name of ['one', 'two']) {
    const seal = { action: 'issue', deliverable_sha256: SHA, agent: name };
    const { structuredContent } = await agent.buy('attestation_single-use-seal', seal);
    seals.push((structuredContent['proof'] as never as { readonly ref: string }).ref);
  }
  const options = ['an embedded log', 'a broker of its own'];
  const question = { question: 'Which queue?', options, seats_by: 'caller', wait_s: 0 };
  const debate = await agent.buy(DEBATE, { ...question, max_rounds: 0 });
  const { job_id } = debate.structuredContent;
  await agent.call('get_result', { job_id, cancel: true });

  const { buyer, provider, fulfil, hire, move } = board;
  const good = await hire('escrow', '5');
  await fulfil(good.job_id);
  await move(buyer, good.job_id, RELEASE);
  const back = await hire('escrow', '6');
  await move(provider, back.job_id, GIVE_BACK);
  for (const [usd, upheld] of [
    ['7', 'buyer'],
    ['10', 'provider'],
  ] as const) {
    const bad = await hire('escrow', usd);
    await fulfil(bad.job_id);
    await move(buyer, bad.job_id, DISPUTE);
    await board.decide(bad.job_id, upheld);
  }
  const disputed = await hire('escrow', '2');
  await fulfil(disputed.job_id);
  await move(buyer, disputed.job_id, DISPUTE);
  await hire('escrow', '1');
  const later = await hire('on_release', '5');
  await fulfil(later.job_id);
  await board.release(later.job_id);
}

test('calls, a refund, and jobs released, given back, decided, disputed and paid on release balance', async () => {
  const audited = await expectBooksBalanced(server);
  expect(audited).toMatchObject({ ...BOOKS, held: BOOKS.openJobs, owed: 0n, unaccounted: 0n });
  expect(audited.kept).toBe(BOOKS.in - BOOKS.paidOut - BOOKS.refunded - BOOKS.openJobs);
}, 60_000);

test('after kill -9 in the middle of moves the books come to the same, and to no more', async () => {
  const job = await board.hire('escrow', '5');
  await board.fulfil(job.job_id);
  const lost = board.move(board.buyer, job.job_id, RELEASE).catch(() => undefined);
  await new Promise((done) => setTimeout(done, 15));
  await server.kill();
  await lost;
  server = await startRealServer(server.dataDir);
  const { moves } = await board.job(job.job_id);
  if (moves.some(({ move }) => move === 'release')) {
    await board.move(board.buyer, job.job_id, RELEASE).catch(() => undefined);
  }
  await expect.poll(async () => (await board.job(job.job_id)).state).toBe('released');
  expect(await expectBooksBalanced(server, { hint: 'killed in a release' })).toMatchObject({
    ...BOOKS,
    in: BOOKS.in + 5_000_000n,
    paidOut: BOOKS.paidOut + 4_000_000n,
  });
}, 180_000);

test('every settled call, refund, end of a job, verdict and seal has left its proof', async () => {
  const kinds = async (ref: string): Promise<readonly number[]> => {
    const answer = await fetch(`${server.ready.base_url}/v1/proofs/records?ref=${ref}`);
    const { records } = (await answer.json()) as { records: { kind: number }[] };
    return records.map(({ kind }) => kind);
  };
  const events = await feed();
  const of = (...types: readonly string[]) => events.filter(({ type }) => types.includes(type));
  // One record for each: a refund stands beside its settlement, the end of a job beside its
  // funding, under the same reference.
  const ended = of('settlement.settled', 'settlement.refunded', 'job.released', 'job.refunded');
  const moved = [...ended, ...of('job.escrowed')];
  expect(moved.length).toBeGreaterThan(9);
  const refs = [...new Set(moved.map(({ ref }) => ref))];
  for (const ref of refs) {
    const count = moved.filter((event) => event.ref === ref).length;
    expect(
      (await kinds(ref)).filter((kind) => kind === 30_020),
      ref,
    ).toHaveLength(count);
  }
  const decided = of('job.decided');
  expect(decided).toHaveLength(2);
  for (const { ref } of decided) expect(await kinds(ref), ref).toContain(30_021);
  for (const seal of seals) expect(await kinds(seal), seal).toContain(30_016);
}, 60_000);

type Tamper = (events: readonly PublicEvent[]) => readonly PublicEvent[];

/** The first event of a type with other data, or left out. */
function changed(type: string, data?: Readonly<Record<string, string>>): Tamper {
  return (events) => {
    const at = events.findIndex((event) => event.type === type);
    const event = events[at] as PublicEvent;
    const instead = data === undefined ? [] : [{ ...event, data: { ...event.data, ...data } }];
    return [...events.slice(0, at), ...instead, ...events.slice(at + 1)];
  };
}

const twice =
  (type: string): Tamper =>
  (events) => {
    const event = events.find((each) => each.type === type) as PublicEvent;
    return [...events, { ...event, seq: events.length }];
  };

test.each<[string, Tamper, string]>([
  [
    'leaves a refund out',
    changed('settlement.refunded'),
    'money left without an event in the feed',
  ],
  [
    'tells a smaller refund',
    changed('settlement.refunded', { amount: '1999999' }),
    'settlement.refunded is in the feed but not on the chain',
  ],
  [
    'tells a price twice',
    twice('settlement.settled'),
    'settlement.settled is in the feed but not on the chain',
  ],
  [
    'tells a fee twice as high',
    changed('job.released', { fee: '2000000' }),
    'job.released is in the feed but the escrow did not emit it',
  ],
  [
    'leaves a funded job out',
    changed('job.escrowed'),
    'the escrow emitted an event that is not in the feed (JobEscrowed)',
  ],
])(
  'a feed that %s does not balance, to the micro-dollar',
  async (_what, tamper, says) => {
    const honest = await feed();
    copy.events = [...tamper(honest)];
    const { history_url, rpc_url, escrow } = server.ready.chain;
    const audited = await auditBooks({
      rpcUrl: history_url ?? rpc_url,
      eventsUrl: copy.url,
      fromBlock: 0,
      waitMs: 0,
      escrow: escrow as `0x${string}`,
    });
    expect(audited.isBalanced).toBe(false);
    expect(audited.differences.map(({ what }) => what)).toContain(says);
    expect(audited.differences.every(({ expected, found }) => (expected ?? found) !== '')).toBe(
      true,
    );
  },
  60_000,
);

test('a fee that the escrow gives twice is a difference, and the server says it is not solvent', async () => {
  const { ready } = server;
  const { escrow, rpc_url, token } = ready.chain;
  const treasury = (await treasuryOf()).slice(2).padStart(64, '0');
  const before = await balanceOf(server, `0x${treasury.slice(24)}`);
  const data = `0xa9059cbb${treasury}${(1_000_000).toString(16).padStart(64, '0')}`;
  await sendAsStranger(rpc_url, { from: String(escrow), to: token, data });
  expect(await balanceOf(server, `0x${treasury.slice(24)}`)).toBe(before + 1_000_000n);
  await expect(expectBooksBalanced(server, { waitMs: 0 })).rejects.toThrow(
    /money left without an event in the feed: expected 0, found 1000000 micro-dollars/,
  );
  const answer = await fetch(`${ready.base_url}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    {
      ready: false,
      reasons: [{ part: 'solvency', fault: 'the escrow holds less than the open jobs need' }],
    },
  ]);
}, 90_000);

async function feed(): Promise<readonly PublicEvent[]> {
  const answer = await fetch(`${server.ready.base_url}/v1/events?from=0&limit=1000`);
  return ((await answer.json()) as { events: PublicEvent[] }).events;
}

async function treasuryOf(): Promise<string> {
  const answer = await fetch(`${server.ready.base_url}/a2a/treasury/balances`);
  const { treasury } = (await answer.json()) as { treasury: { address: string } };
  return treasury.address.toLowerCase();
}
