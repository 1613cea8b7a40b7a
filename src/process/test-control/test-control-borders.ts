import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';
import type { LlmPort, LlmReply } from '../../domain/llm/llm.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { EngineStore, RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import { trustBehind } from './test-control-trust.ts';
import type { Border, CallFault, Release } from './test-control-words.ts';

/** A fault that waits for calls. */
export interface ArmedFault {
  readonly name: CallFault;
  readonly where: Border;
  /** Calls that it is still for. */
  count: number;
  readonly ms: number;
  /** It is for calls about what begins like this; all of them, unless given. */
  readonly about?: string;
  /** Armed again when the next server begins in the same data directory. */
  readonly kept?: boolean;
}

interface Held {
  readonly where: Border;
  readonly about: string;
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
  readonly #armed: ArmedFault[];
  readonly #held: Held[] = [];
  readonly #keep: (faults: readonly ArmedFault[]) => void;
  #clock: RuntimeClock | undefined;
  #underWay = 0;
  #failingCommits = 0;

  /**
   * @param kept - Faults that the last process left behind.
   * @param keep - Keeps the faults that are to be armed again in the next process.
   */
  constructor(
    kept: readonly ArmedFault[] = [],
    keep: (faults: readonly ArmedFault[]) => void = () => undefined,
  ) {
    this.#armed = kept.map((fault) => ({ ...fault }));
    this.#keep = keep;
  }

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

  /** What they are about, in the same order. */
  get heldAbout(): readonly string[] {
    return this.#held.map(({ about }) => about);
  }

  /** Delayed calls wait by this clock. */
  follow(clock: RuntimeClock): void {
    this.#clock = clock;
  }

  arm(fault: ArmedFault): void {
    this.#armed.push(fault);
    if (fault.kept === true) this.#keepKept();
  }

  /** The next commit of the engine fails, and with it the process. */
  failNextCommit(): void {
    this.#failingCommits = 1;
  }

  /** @returns Whether a call was held there. */
  release(where: Border, how: Release, about = ''): boolean {
    const at = this.#held.findIndex((held) => held.where === where && held.about.startsWith(about));
    const [held] = at < 0 ? [] : this.#held.splice(at, 1);
    held?.go(how);
    return held !== undefined;
  }

  /** Lets calls go on whose ends somebody waits for. Effects begin in the next process. */
  close(): void {
    const [effects, others] = [true, false].map((isEffect) =>
      this.#held.filter(({ where }) => (where === 'effect') === isEffect),
    );
    this.#held.splice(0, this.#held.length, ...(effects ?? []));
    for (const held of others ?? []) held.go('go');
  }

  /** Takes all faults back and lets all calls go on. */
  clear(): void {
    this.#armed.length = 0;
    this.#keepKept();
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
        fact: (key, tell) => this.#call('chain.facts', tell, THROWING, key),
        isHolding: (key) => this.#faultFor('chain.facts', key)?.name === 'held_call',
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

  /** Effects wait before they begin; one that is stopped meanwhile does not begin. */
  definitions(definitions: readonly Definition[]): readonly Definition[] {
    return definitions.map((definition) => {
      const effects = Object.entries(definition.effects).map(([name, effect]) => {
        const run: typeof effect.run = async (input, context) => {
          const { actorId, signal } = context;
          const { how } = await this.#fate('effect', `${actorId}.${name}`, signal);
          if (how === 'failed_call') return unavailable(FAILED);
          const result = await effect.run(input, context);
          return how === 'lost_reply' ? unavailable(LOST) : result;
        };
        return [name, { ...effect, run }] as const;
      });
      return { ...definition, effects: Object.fromEntries(effects) };
    });
  }

  async #call<T>(where: Border, call: () => Promise<T>, ways: Ways<T>, about = ''): Promise<T> {
    const { how } = await this.#fate(where, about);
    if (how === 'failed_call') return ways.failed();
    const answer = await this.#counted(call);
    return how === 'lost_reply' ? ways.lost(answer) : answer;
  }

  async #fate(where: Border, about: string, signal?: AbortSignal): Promise<Fate> {
    const fault = this.#faultFor(where, about);
    if (fault === undefined) return { how: 'go' };
    fault.count -= 1;
    if (fault.count === 0) this.#armed.splice(this.#armed.indexOf(fault), 1);
    switch (fault.name) {
      case 'lost_reply':
      case 'failed_call':
        return { how: fault.name };
      case 'held_call':
        return this.#hold(where, about, signal);
      case 'delayed_call':
        await this.#wait(fault.ms);
        return { how: 'go' };
    }
  }

  #keepKept(): void {
    this.#keep(this.#armed.filter(({ kept }) => kept === true));
  }

  #faultFor(where: Border, about: string): ArmedFault | undefined {
    return this.#armed.find((each) => each.where === where && about.startsWith(each.about ?? ''));
  }

  #hold(where: Border, about: string, signal: AbortSignal | undefined): Promise<Fate> {
    return new Promise((done) => {
      const held: Held = { where, about, go: (how) => done({ how }) };
      this.#held.push(held);
      const leave = (): void => {
        const at = this.#held.indexOf(held);
        if (at >= 0) this.#held.splice(at, 1);
        held.go('failed_call');
      };
      signal?.addEventListener('abort', leave, { once: true });
    });
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
