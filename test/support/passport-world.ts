import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProofProjector } from '../../src/actors/proof/proof-projector.ts';
import { createWalletAuth } from '../../src/actors/wallet/wallet-auth.ts';
import { parseConfig } from '../../src/config.ts';
import type { TrustChain } from '../../src/domain/chain/trust-chain.ts';
import { DAY_MS } from '../../src/domain/common/time.ts';
import type { WalletCall } from '../../src/domain/escrow/work-board.ts';
import type { Delegation } from '../../src/domain/passport/delegation.ts';
import type { PassportOrder } from '../../src/domain/passport/order.ts';
import type { PassportIndex } from '../../src/domain/passport/passport-index.ts';
import { createReputationReader } from '../../src/domain/reputation/read-model.ts';
import { type OpenPassports, openPassports } from '../../src/process/passport/passports.ts';
import { openEngine } from '../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { openTrustStore } from '../../src/store/chain/trust-store.ts';
import { openPassportIndex } from '../../src/store/passport/passport-index.ts';
import { openWalletNonces } from '../../src/store/wallet/wallet-nonces.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { type Death, Life, mortalStore } from './mortal.ts';
import { type ProofRig, proofRig } from './proof-rig.ts';
import { signingWallet, TEST_DOMAIN, TEST_ORIGIN } from './signing-wallet.ts';
import { tempDir } from './temp-dir.ts';

/** Where the server of these tests is reached. */
export const BASE_URL = 'https://stoa.example';

/** One life of a server with passports. */
export interface PassportProcess extends OpenPassports {
  readonly engine: ActorEngine;
  readonly life: Life;
  readonly projector: ProofProjector;
}

/** A chain and a disk that outlive a process, and the means to begin the next one. */
export interface PassportWorld {
  readonly clock: SimulatedClock;
  readonly chain: MemoryPaymentChain;
  readonly logs: ProofRig;
  /** What the operator was told. */
  readonly notices: string[];
  start(options?: {
    readonly death?: Death;
    readonly passportId?: string;
    readonly isLocalChain?: boolean;
    /** Where the server is reached in this life, when not at `BASE_URL`. */
    readonly reachedAt?: string;
    readonly hasPublicUrl?: boolean;
    /** Stands between the process and the contracts. */
    readonly wrap?: (trust: TrustChain, life: Life) => TrustChain;
  }): Promise<PassportProcess>;
  /** Moves the clock until the promise has settled; at most an hour. */
  drive<T>(promise: Promise<T>): Promise<T>;
  /** Another reader of the index on disk. */
  index(): PassportIndex;
  /** Removes every row of the index. */
  loseIndex(): Promise<void>;
  close(): Promise<void>;
}

/** Makes a world on a chain in memory. */
export function passportWorld(): PassportWorld {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
  const chain = createMemoryPaymentChain({ now: () => clock.now() });
  const engineStore = memoryStore();
  const logs = proofRig(() => clock.now());
  const folder = tempDir();
  const store = openTrustStore({ path: join(folder.path, 'trust') });
  const running: PassportProcess[] = [];
  const notices: string[] = [];
  return {
    clock,
    chain,
    logs,
    notices,
    start: async ({ death, passportId, isLocalChain = false, wrap = same, ...where } = {}) => {
      const { reachedAt = BASE_URL, hasPublicUrl = false } = where;
      const life = new Life(death);
      const trust = wrap(chain.trust, life);
      const baseUrl = () => Promise.resolve(reachedAt);
      const { engine, define, start } = openEngine({
        store: mortalStore(engineStore, life),
        clock,
        definitions: [],
      });
      const origins = () => [TEST_ORIGIN];
      const nonces = openWalletNonces(store);
      const services = {
        engine,
        define,
        clock,
        trust,
        baseUrl,
        origins,
        chain: { ...chain, facts: { ...chain.facts, isLocal: isLocalChain } },
        config: {
          ...parseConfig([], {}),
          ...(passportId === undefined ? {} : { passportId }),
          ...(hasPublicUrl ? { publicUrl: reachedAt } : {}),
        },
        wallets: createWalletAuth({ trust, domain: TEST_DOMAIN, nonces, clock, origins }),
        proofs: logs.log,
        reputationOf: createReputationReader(logs.events, () => Promise.resolve()),
        notice: (line: string) => void notices.push(line),
      };
      const opened = await openPassports(services, openPassportIndex(store));
      await start();
      const { log, events } = logs;
      const projector = new ProofProjector({
        engine,
        log,
        events,
        projectors: opened.projectors,
        clock,
        notice: () => undefined,
      });
      const process = { ...opened, engine, life, projector };
      running.push(process);
      return process;
    },
    drive: (promise) => driven(clock, promise),
    index: () => openPassportIndex(store),
    loseIndex: async () => {
      const rows = store.table<string[], unknown>('passports');
      await rows.remove(rows.list({ limit: 1_000 }).map(({ key }) => key));
    },
    close: async () => {
      for (const { projector } of running) await projector.stop();
      await logs.close();
      await store.close();
      folder.remove();
    },
  };
}

/** Real time that the disk has before the clock moves on, in milliseconds. */
const PATIENCE_MS = 60;

async function driven<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let seconds = 0; seconds < 3_600 && !isSettled; seconds += 1) {
    await clock.advance(0);
    await Promise.race([promise.then(settle, settle), sleep(PATIENCE_MS)]);
    if (!isSettled) await clock.advance(1_000);
  }
  return promise;
}

function same(trust: TrustChain): TrustChain {
  return trust;
}

/** An order of a passport. */
export function passportOrder(
  wallet: string,
  overrides: Partial<PassportOrder> = {},
): PassportOrder {
  return { name: 'alpha', agent_class: 'research', wallet, ...overrides };
}

let calls = 0;

/** A call whose wallet is proven. */
export function callBy(wallet: string): WalletCall {
  calls += 1;
  return { wallet, key: `${wallet}:${calls}` };
}

/** A delegation of all research, for a day. */
export function delegationOf(overrides: Partial<Delegation> = {}): Delegation {
  calls += 1;
  return {
    delegator: `0x${'a'.repeat(40)}`,
    delegate: `0x${'b'.repeat(40)}`,
    scope: ['research.*'],
    expires_at: new Date(Date.UTC(2026, 0, 1) + DAY_MS).toISOString(),
    depth: 3,
    parent_id: null,
    nonce: `0x${calls.toString(16).padStart(64, '0')}`,
    origin: TEST_ORIGIN,
    ...overrides,
  };
}

/** A wallet with a key. */
export const wallet = () => signingWallet();
