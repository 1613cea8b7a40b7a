import { AppError } from '../domain/error.ts';
import type { BlobStore } from '../domain/ports/blob-store.ts';
import type { EgressPort } from '../domain/ports/egress.ts';
import type { LlmPort, LlmReply } from '../domain/ports/llm.ts';
import type { PaymentChain } from '../domain/ports/payment-chain.ts';
import type { TrustChain } from '../domain/ports/trust-chain.ts';
import type { EngineStore, RuntimeClock } from '../runtime/ports.ts';
import { trustBehind } from './test-control-trust.ts';
import type { Border, CallFault, Release } from './test-control-words.ts';

/** A fault that waits for calls. */
export interface ArmedFault {
  readonly name: CallFault;
  readonly where: Border;
  /** Calls that it is still for. */
  count: number;
  readonly ms: number;
}

interface Held {
  readonly where: Border;
  go(how: Release): void;
}

/** What happens to one call. */
type Fate = { readonly how: 'go' | 'lost_reply' | 'failed_call' };

/** How a call of one border is lost, or fails, in the words of its port. */
interface Ways<T> {
  /** It was carried out; what its caller gets in place of the answer. */
  lost(answer: T): T;
  failed(): T;
}

/**
 * The borders of a server to its outside, with faults on demand. Calls that are under way are
 * counted: while there is one the server is not at rest. A held or delayed call is not under way.
 */
export class Borders {
  readonly #armed: ArmedFault[] = [];
  readonly #held: Held[] = [];
  #clock: RuntimeClock | undefined;
  #underWay = 0;
  #failingCommits = 0;

  /** Calls that are under way now. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Faults that still wait for calls. */
  get armed(): readonly ArmedFault[] {
    return this.#armed;
  }

  /** Calls that wait for `release`, the first one at the front. */
  get held(): readonly Border[] {
    return this.#held.map(({ where }) => where);
  }

  /** Delayed calls wait by this clock. */
  follow(clock: RuntimeClock): void {
    this.#clock = clock;
  }

  arm(fault: ArmedFault): void {
    this.#armed.push(fault);
  }

  /** The next commit of the engine fails, and with it the process. */
  failNextCommit(): void {
    this.#failingCommits = 1;
  }

  /** @returns Whether a call was held there. */
  release(where: Border, how: Release): boolean {
    const at = this.#held.findIndex((held) => held.where === where);
    const [held] = at < 0 ? [] : this.#held.splice(at, 1);
    held?.go(how);
    return held !== undefined;
  }

  /** Takes all faults back and lets all calls go on. */
  clear(): void {
    this.#armed.length = 0;
    this.#failingCommits = 0;
    for (const held of this.#held.splice(0)) held.go('go');
  }

  chain<Chain extends PaymentChain>(chain: Chain, setTime: () => Promise<void>): Chain {
    const timed =
      <T>(call: () => Promise<T>) =>
      async () => {
        await setTime();
        return call();
      };
    const trust = trustOf(chain);
    const behind = trust && {
      trust: trustBehind(trust, {
        call: (act) => this.#call('chain.call', timed(act), LOST_CALL) as ReturnType<typeof act>,
        read: (act) => this.#call('chain.read', timed(act), THROWING),
      }),
    };
    return {
      ...chain,
      ...behind,
      checkOnChain: (payload) =>
        this.#call(
          'chain.check',
          timed(() => chain.checkOnChain(payload)),
          THROWING,
        ),
      settle: (payload) =>
        this.#call(
          'chain.settle',
          timed(() => chain.settle(payload)),
          TRANSFER,
        ),
      lookUp: (payload) =>
        this.#call(
          'chain.look_up',
          timed(() => chain.lookUp(payload)),
          THROWING,
        ),
      transfer: (order) =>
        this.#call(
          'chain.transfer',
          timed(() => chain.transfer(order)),
          TRANSFER,
        ),
      faucet: (to, amount) => this.#counted(timed(() => chain.faucet(to, amount))),
    };
  }

  llm<Llm extends LlmPort>(llm: Llm): Llm {
    const { complete } = llm;
    return { ...llm, complete: (request) => this.#call('llm', () => complete(request), REPLY) };
  }

  egress<Egress extends EgressPort>(egress: Egress): Egress {
    const { fetch } = egress;
    return { ...egress, fetch: (request) => this.#call('egress', () => fetch(request), FETCH) };
  }

  /** Texts are written outside of the engine's commits, so they are counted here. */
  blobs<Blobs extends BlobStore>(blobs: Blobs): Blobs {
    return counting(blobs, 'put', (put) => this.#counted(put));
  }

  /** @see failNextCommit */
  store(store: EngineStore): EngineStore {
    return counting(store, 'commit', (commit) => {
      if (this.#failingCommits === 0) return this.#counted(commit);
      this.#failingCommits -= 1;
      return Promise.reject(new AppError('INTERNAL', { message: 'fault: the commit failed' }));
    });
  }

  async #call<T>(where: Border, call: () => Promise<T>, ways: Ways<T>): Promise<T> {
    const { how } = await this.#fate(where);
    if (how === 'failed_call') return ways.failed();
    const answer = await this.#counted(call);
    return how === 'lost_reply' ? ways.lost(answer) : answer;
  }

  async #fate(where: Border): Promise<Fate> {
    const fault = this.#armed.find((each) => each.where === where);
    if (fault === undefined) return { how: 'go' };
    fault.count -= 1;
    if (fault.count === 0) this.#armed.splice(this.#armed.indexOf(fault), 1);
    switch (fault.name) {
      case 'lost_reply':
      case 'failed_call':
        return { how: fault.name };
      case 'held_call':
        return new Promise((done) => this.#held.push({ where, go: (how) => done({ how }) }));
      case 'delayed_call':
        await this.#wait(fault.ms);
        return { how: 'go' };
    }
  }

  #wait(ms: number): Promise<void> {
    const clock = this.#clock;
    if (clock === undefined) return Promise.resolve();
    return new Promise((done) => {
      clock.at(clock.now() + ms, done);
    });
  }

  async #counted<T>(call: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await call();
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** The same object with one method that goes through `around`. */
function counting<T extends object, Name extends keyof T>(
  whole: T,
  name: Name,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): T {
  return new Proxy(whole, {
    get: (target, wanted) => {
      const member = Reflect.get(target, wanted) as unknown;
      if (typeof member !== 'function') return member;
      if (wanted !== name) return member.bind(target) as unknown;
      return (...args: unknown[]) => around(() => Reflect.apply(member, target, args));
    },
  });
}

const LOST = 'fault: the answer was lost';
const FAILED = 'fault: the call was not carried out';

function unavailable(message: string): never {
  throw new AppError('CHAIN_UNAVAILABLE', { message });
}

const THROWING: Ways<never> = { lost: () => unavailable(LOST), failed: () => unavailable(FAILED) };

/** A transfer whose answer is lost is unknown; one that never began breaks the call. */
const TRANSFER = {
  lost: () => ({ state: 'unknown', transaction: null, detail: LOST }) as const,
  failed: () => unavailable(FAILED),
};

/** Likewise for a call of a contract, whatever it gives. */
const LOST_CALL: Ways<unknown> = TRANSFER;

function trustOf(chain: PaymentChain): TrustChain | undefined {
  return 'trust' in chain ? (chain.trust as TrustChain) : undefined;
}

const REPLY: Ways<LlmReply> = {
  lost: ({ usage, costMicroUsd, priceSource, requestId, ms }) => ({
    ...{ usage, costMicroUsd, priceSource, requestId, ms },
    ...({ ok: false, failure: 'timeout', detail: LOST } as const),
  }),
  failed: () => ({
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, source: 'none' },
    ...({ costMicroUsd: '0', priceSource: 'none', requestId: null, ms: 0 } as const),
    ...({ ok: false, failure: 'provider_error', detail: FAILED } as const),
  }),
};

const FETCH: Ways<never> = {
  lost: () => broken('reset', LOST),
  failed: () => broken('connect', FAILED),
};

function broken(kind: string, message: string): never {
  throw new AppError('EGRESS_FAILED', { message, data: { kind } });
}
