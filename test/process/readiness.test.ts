import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTreasuryBalances } from '../../src/actors/wallet/treasury-balances.ts';
import { healthChecks, isSolvent } from '../../src/process/alert/alerts.ts';
import {
  openTelemetry,
  type Running,
  type Telemetry,
} from '../../src/process/telemetry/telemetry.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import type { HttpExchange, HttpReply } from '../../src/transport/http/host.ts';
import {
  createMemoryPaymentChain,
  type MemoryPaymentChain,
} from '../support/chain-memory/memory-chain.ts';

const JOB = { escrowKey: `0x${'1'.repeat(64)}`, amount: '5000000' };
/** How long an answer is given again, in milliseconds, and a little more. */
const FRESH_MS = 1_100;
let chain: MemoryPaymentChain;
let openJobs: readonly (typeof JOB)[];
let hasRoom: boolean;
let running: Running;
let telemetry: Telemetry;

function engineStore() {
  const store = memoryStore();
  return Object.assign(store, { hasRoom: () => hasRoom });
}

function balances() {
  return createTreasuryBalances({ chain, trust: chain.trust, openJobs: async () => openJobs })();
}

beforeEach(async () => {
  chain = createMemoryPaymentChain();
  openJobs = [];
  hasRoom = true;
  running = { isClosing: false, isSolvent: () => isSolvent(balances) };
  const sizes = { sizes: () => [] };
  telemetry = await openTelemetry({
    config: {},
    chain,
    clock: new SimulatedClock(0),
    running,
    notice: () => undefined,
    stalls: () => ({ count: 0, blockedMs: 0 }),
    store: { engine: engineStore(), blobs: sizes, mcp: sizes, proofs: sizes, trust: sizes },
  });
});
afterEach(() => telemetry.close());

async function readiness() {
  const replies: HttpReply[] = [];
  const exchange = {
    method: 'GET',
    path: '/readyz',
    reply: (reply: HttpReply) => replies.push(reply),
  } as unknown as HttpExchange;
  const route = telemetry.routes.find(({ path }) => path === '/readyz');
  await route?.handle(exchange);
  const [reply] = replies;
  return [reply?.status, JSON.parse(String(reply?.body))];
}

async function lookAtHealth() {
  const checks = healthChecks({ chain, store: { engine: { hasRoom: () => hasRoom } } }, balances);
  const found = await Promise.all(
    checks.map(async ({ part, run }) => [part, await run().catch(({ code }) => code)]),
  );
  return Object.fromEntries(found.filter(([, fault]) => fault !== undefined));
}

/** The escrow is said to need more than it holds. */
function owe(): void {
  openJobs = [JOB];
  const { contracts } = chain.ledger;
  contracts.jobs.set(JOB.escrowKey, {
    state: 'escrowed',
    buyer: '0x1',
    provider: '0x2',
    amount: JOB.amount,
    fulfilByS: 0,
    releaseByS: 0,
    disputedAtS: 0,
    undecidedRefundS: 0,
    wasDisputed: false,
    deliverable: `0x${'00'.repeat(32)}`,
    jobId: `0x${'00'.repeat(32)}`,
  });
}

const FAULTS = [
  {
    part: 'store',
    break: () => {
      hasRoom = false;
    },
    says: 'rejects writes, or the disk reserve is reached',
    tells: /disk reserve/,
  },
  {
    part: 'chain',
    break: () => {
      chain.faults.isDown = true;
    },
    says: 'does not respond',
    tells: /^CHAIN_UNAVAILABLE$/,
  },
  {
    part: 'solvency',
    break: owe,
    says: 'the escrow holds less than the open jobs need',
    tells: /holds less/,
  },
];

test('a server that is well is ready, and nothing is told', async () => {
  expect(await readiness()).toEqual([200, { ready: true, reasons: [] }]);
  expect(await lookAtHealth()).toEqual({});
});

test.each(FAULTS)(
  '$part alone turns readiness false and says why, and the operator is told',
  async (fault) => {
    fault.break();
    const reason = { part: fault.part, fault: fault.says };
    expect(await readiness()).toEqual([503, { ready: false, reasons: [reason] }]);
    expect(await lookAtHealth()).toEqual({ [fault.part]: expect.stringMatching(fault.tells) });
  },
);

test('what is well again is ready again', async () => {
  hasRoom = false;
  expect((await readiness())[0]).toBe(503);
  hasRoom = true;
  await expect.poll(async () => (await readiness())[0], { timeout: 3 * FRESH_MS }).toBe(200);
});

test('a server that is ending says so', async () => {
  running.isClosing = true;
  const reason = { part: 'process', fault: 'is shutting down' };
  expect(await readiness()).toEqual([503, { ready: false, reasons: [reason] }]);
});
