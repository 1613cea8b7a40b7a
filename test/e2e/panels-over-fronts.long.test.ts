import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectBooksBalanced } from '../support/books.ts';
import { goodFacts } from '../support/council.ts';
import { type LiveBoard, liveBoard } from '../support/live-board.ts';
import { type Answer, FRONTS, type FrontBuyer, frontBuyer } from '../support/panel-fronts.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';
import { codeEvaluation } from '../support/targets/faults/code-evaluation.ts';
import { shadowing } from '../support/targets/faults/shadowing.ts';
import { startTarget } from '../support/targets/start-target.ts';
import type { RunningTarget } from '../support/targets/target.ts';

const COUNCIL = 'procurement_council';
const ARBITRATION = 'arbitration_dispute-settlement';
const FRAMEWORK = 'security_framework-audit';
const ENTERPRISE = 'security_enterprise-audit';
const INTERNAL = { STOA_AUDIT_ALLOW_INTERNAL: '1' };
/** Long enough for a line of progress, short enough for the repetition. */
const WAIT = { wait_s: 3 };

let targets: readonly RunningTarget[] = [];
beforeAll(async () => {
  const start = (source: typeof shadowing) => startTarget(source, { seed: 3, fixed: false });
  targets = [await start(codeEvaluation), await start(shadowing)];
});
afterAll(async () => {
  await Promise.all(targets.map((target) => target.close()));
  await cleanUp();
});

/** One front, its server and what is in flight. */
interface Story {
  readonly buyer: FrontBuyer;
  readonly board: LiveBoard;
  readonly server: () => RealServer;
}

async function council({ buyer }: Story) {
  const args = { vendor: 'Acme', product: 'a ticket system', facts: goodFacts(), ...WAIT };
  const caller = { seats_by: 'caller', cross_examination: false };
  return await buyer.buyAndHangUp(COUNCIL, { ...args, ...caller });
}

async function arbitration({ buyer, board }: Story) {
  const job = await board.hire('escrow', '2.00');
  await board.fulfil(job.job_id);
  const words = { reason: 'That is not what was asked for.' };
  await board.move(board.buyer, job.job_id, { name: 'dispute', path: 'dispute', words });
  const bought = await buyer.buyAndHangUp(ARBITRATION, { job_id: job.job_id, ...WAIT });
  return { ...bought, boardJobId: job.job_id };
}

async function audit({ buyer }: Story, tool: string, target: RunningTarget | undefined) {
  const categories = ['ASI01', 'ASI02', 'ASI04', 'ASI05'];
  const args = { target: target?.url, categories, ...WAIT };
  const { data } = (await buyer.call(tool, args)) as { data: Record<string, string> };
  target?.serveWellKnown('stoa-audit.txt', String(data['serve_text']));
  return await buyer.buyAndHangUp(tool, { ...args, consent: { nonce: data['nonce'] } });
}

async function handIn({ buyer, board }: Story, jobId: string, side: 'buyer' | 'provider') {
  const claims = [{ fact: 'claim_admitted', value: 'true' }];
  const evidence = side === 'buyer' ? [{ text: 'Wrong.' }] : [{ text: 'True.', claims }];
  const body = JSON.stringify({ evidence, is_last: true });
  const path = `/a2a/jobs/${jobId}/evidence`;
  const stoaWallet = await board[side].wallet.header({ method: 'POST', path, body });
  const given = { job_id: jobId, evidence: { body, stoa_wallet: stoaWallet } };
  const { your_side } = await buyer.call('get_result', given);
  expect(your_side).toBe(side === 'buyer' ? 'claimant' : 'respondent');
}

/** Answers what the council asks of its caller until `enough`. */
async function answerTurns({ buyer }: Story, jobId: string, enough: (state: Answer) => boolean) {
  let state: Answer = {};
  await until(async () => {
    state = await buyer.call('get_result', { job_id: jobId, wait_s: 1 });
    if (enough(state)) return true;
    const asked = (state['needs_turns'] ?? []) as readonly { turn_id: string; schema: object }[];
    const turns = asked.map(({ turn_id, schema }) => ({ turn_id, answer: answerTo(schema) }));
    if (turns.length > 0) await buyer.call('get_result', { job_id: jobId, turns });
    return false;
  }, 300_000);
  return state;
}

function answerTo(schema: object): object {
  const isVote = JSON.stringify(schema).includes('ranking');
  const words = { argument: 'It keeps within the budget.', confidence: 0.5 };
  return isVote ? { ranking: ['approve'], ...words } : { position: 'Approve', ...words };
}

async function ended({ buyer }: Story, jobId: string): Promise<Answer> {
  let state: Answer = {};
  await until(async () => {
    state = await buyer.call('get_result', { job_id: jobId, wait_s: 10 });
    return !['working', 'deliberating'].includes(String(state['status']));
  }, 300_000);
  return state;
}

/** What goes back, in micro-dollars. */
function refundOf({ refund, result }: Answer): bigint {
  const { amount = '0' } = Object(refund ?? Object(result).refund);
  return BigInt(Math.round(Number(amount) * 1_000_000));
}

/** What must be the same, killed or not. */
function essence(state: Answer): unknown {
  const result = Object(state['result']);
  const { confirmed, verdicts, findings = [], outcome, winner, decision } = result;
  const titles = findings.map((one: { title: string; tool: string }) => [one.title, one.tool]);
  return { status: state['status'], confirmed, verdicts, titles, outcome, winner, decision };
}

interface Bought {
  readonly council: string;
  readonly framework: string;
  readonly enterprise: string;
  readonly arbitration: string;
  readonly boardJobId: string;
}

/** Buys one of each; each call is hung up in the middle. */
async function buyAll(story: Story): Promise<Bought> {
  const [calculator, shadow] = targets;
  const framework = await audit(story, FRAMEWORK, calculator);
  const enterprise = await audit(story, ENTERPRISE, shadow);
  const seated = await council(story);
  const filed = await arbitration(story);
  for (const { lines } of [framework, enterprise, seated, filed]) expect(lines).not.toEqual([]);
  return {
    council: seated.jobId,
    framework: framework.jobId,
    enterprise: enterprise.jobId,
    arbitration: filed.jobId,
    boardJobId: filed.boardJobId,
  };
}

/** Plays everything to its end, with a kill in the middle of all four or without. */
async function play(story: Story, kill?: () => Promise<void>) {
  const bought = await buyAll(story);
  await handIn(story, bought.boardJobId, 'buyer');
  const isVoting = ({ phase }: Answer) => String(phase).includes('vot');
  await answerTurns(story, bought.council, isVoting);
  await kill?.();
  await handIn(story, bought.boardJobId, 'provider');
  const isOver = ({ status }: Answer) => status === 'decided';
  await answerTurns(story, bought.council, isOver);
  const jobs = [bought.council, bought.framework, bought.enterprise, bought.arbitration];
  const states: Answer[] = [];
  for (const jobId of jobs) states.push(await ended(story, jobId));
  return states.map(essence);
}

test.each(FRONTS)(
  'over %s council, arbitration and both audits stream, go on without their caller, and come to the same over kill -9',
  { timeout: 900_000 },
  async (front) => {
    const dataDir = freshDataDir();
    let server = await startRealServer(dataDir, [], INTERNAL);
    const board = await liveBoard(() => server, '20.00');
    // Only a party may file an arbitration.
    const buyer = await frontBuyer(front, server, '90', board.buyer.payer);
    await buyer.connect(server);
    const story: Story = { buyer, board, server: () => server };
    const whole = await play(story);
    expect(whole).toMatchObject([
      { status: 'decided', winner: { option_id: 'approve' } },
      { status: 'published', outcome: 'complete', verdicts: { ASI05: 'fail' } },
      { status: 'published', outcome: 'complete' },
      { status: 'decided', winner: { option_id: 'overturned' } },
    ]);
    const killed = await play(story, async () => {
      // A client over stdio would start a daemon of its own.
      await buyer.close();
      await server.kill();
      server = await startRealServer(dataDir, [], INTERNAL);
      await buyer.connect(server);
    });
    expect(killed).toEqual(whole);
    // Twice 4 + 5 + 25 + 5, each charged once; both jobs of 2 were given back.
    await until(async () => (await balanceOf(server, buyer.payer.address)) === 32_000_000n);
    await expectBooksBalanced(server);
    await buyer.close();
    expect(await server.stop()).toBe(0);
  },
);

test.each(FRONTS)(
  'over %s council, arbitration and both audits are cancelled, and what is due goes back',
  { timeout: 900_000 },
  async (front) => {
    const server = await startRealServer(freshDataDir(), [], INTERNAL);
    const board = await liveBoard(() => server, '20.00');
    const buyer = await frontBuyer(front, server, '60', board.buyer.payer);
    await buyer.connect(server);
    const story: Story = { buyer, board, server: () => server };
    const bought = await buyAll(story);
    const jobs = [bought.council, bought.framework, bought.enterprise, bought.arbitration];
    for (const jobId of jobs) {
      await buyer.call('get_result', { job_id: jobId, cancel: true, wait_s: 10 });
    }
    let back = 0n;
    for (const jobId of jobs) {
      const state = await ended(story, jobId);
      expect(['aborted', 'cancelled', 'published']).toContain(state['status']);
      back += refundOf(state);
    }
    // Council and arbitration whole; of the audits the probes that had not run.
    expect(back).toBeGreaterThanOrEqual(9_000_000n);
    await until(async () => (await balanceOf(server, buyer.payer.address)) === 39_000_000n + back);
    await expectBooksBalanced(server);
    await buyer.close();
    expect(await server.stop()).toBe(0);
  },
);
