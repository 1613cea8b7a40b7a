import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';
import type { LlmPort, LlmReply } from '../../domain/llm/llm.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { EngineStore, RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import type { CallFault, InjectionPoint, Release } from './test-control-commands.ts';
import { wrapTrust } from './test-control-trust.ts';

/** A fault that waits for matching calls. */
export interface ArmedFault {
  readonly name: CallFault;
  readonly where: InjectionPoint;
  /** Number of calls that it still affects. */
  count: number;
  readonly ms: number;
  /** Prefix of the subject of affected calls. All calls when absent. */
  readonly about?: string;
  /** Arm the fault again when the next server starts in the same data directory. */
  readonly kept?: boolean;
}

interface HeldCall {
  readonly where: InjectionPoint;
  readonly about: string;
  go(how: Release): void;
}

type CallOutcome = { readonly how: 'go' | 'lost_reply' | 'failed_call' };

/** How a call fails or loses its reply, in the terms of its interface. */
interface FailureModes<T> {
  /** The call was executed. Returns what its caller receives instead of the reply. */
  lost(answer: T): T;
  failed(): T;
}

/**
 * Injects faults at the external interfaces of a server. It counts the calls in progress: the
 * server is not idle while there is one. Held and delayed calls do not count.
 */
export class FaultInjection {
  readonly #armed: ArmedFault[];
  readonly #held: HeldCall[] = [];
  readonly #persist: (faults: readonly ArmedFault[]) => void;
  #clock: RuntimeClock | undefined;
  #callsInProgress = 0;
  #failingCommits = 0;

  /**
   * @param kept - Persistent faults of the last process.
   * @param keep - Stores the faults to arm again in the next process.
   */
  constructor(
    kept: readonly ArmedFault[] = [],
    keep: (faults: readonly ArmedFault[]) => void = () => undefined,
  ) {
    this.#armed = kept.map((fault) => ({ ...fault }));
    this.#persist = keep;
  }

  /** The number of calls in progress. */
  get underWay(): number {
    return this.#callsInProgress;
  }

  /** Faults that still wait for calls. */
  get armed(): readonly ArmedFault[] {
    return this.#armed;
  }

  /** Interfaces of the calls that wait for `release`, first one first. */
  get held(): readonly InjectionPoint[] {
    return this.#held.map(({ where }) => where);
  }

  /** Subjects of these calls, in the same order. */
  get heldAbout(): readonly string[] {
    return this.#held.map(({ about }) => about);
  }

  /** Sets the clock of delayed calls. */
  setClock(clock: RuntimeClock): void {
    this.#clock = clock;
  }

  arm(fault: ArmedFault): void {
    this.#armed.push(fault);
    if (fault.kept === true) this.#persistFaults();
  }

  /** Makes the next commit of the engine fail, and with it the process. */
  failNextCommit(): void {
    this.#failingCommits = 1;
  }

  /** @returns Whether a matching call was held. */
  release(where: InjectionPoint, how: Release, about = ''): boolean {
    const at = this.#held.findIndex((held) => held.where === where && held.about.startsWith(about));
    const [held] = at < 0 ? [] : this.#held.splice(at, 1);
    held?.go(how);
    return held !== undefined;
  }

  /** Releases calls that others wait for. Held effects start in the next process instead. */
  close(): void {
    const [effects, others] = [true, false].map((isEffect) =>
      this.#held.filter(({ where }) => (where === 'effect') === isEffect),
    );
    this.#held.splice(0, this.#held.length, ...(effects ?? []));
    for (const held of others ?? []) held.go('go');
  }

  /** Removes all faults and releases all calls. */
  clear(): void {
    this.#armed.length = 0;
    this.#persistFaults();
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
      trust: wrapTrust(trust, {
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
      queryOutcome: (payload) =>
        this.#call(
          'chain.look_up',
          timed(() => chain.queryOutcome(payload)),
          THROWING,
        ),
      transfer: (order) =>
        this.#call(
          'chain.transfer',
          timed(() => chain.transfer(order)),
          TRANSFER,
        ),
      faucet: (to, amount) => this.#countCall(timed(() => chain.faucet(to, amount))),
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

  /** Counts writes of blobs, which happen outside the engine's commits. */
  blobs<Blobs extends BlobStore>(blobs: Blobs): Blobs {
    return interceptMethod(blobs, 'put', (put) => this.#countCall(put));
  }

  /** @see failNextCommit */
  store(store: EngineStore): EngineStore {
    return interceptMethod(store, 'commit', (commit) => {
      if (this.#failingCommits === 0) return this.#countCall(commit);
      this.#failingCommits -= 1;
      return Promise.reject(new AppError('INTERNAL', { message: 'fault: the commit failed' }));
    });
  }

  /** Wraps effects so that they can be held before they start. A stopped effect does not start. */
  definitions(definitions: readonly Definition[]): readonly Definition[] {
    return definitions.map((definition) => {
      const effects = Object.entries(definition.effects).map(([name, effect]) => {
        const run: typeof effect.run = async (input, context) => {
          const { actorId, signal } = context;
          const { how } = await this.#decide('effect', `${actorId}.${name}`, signal);
          if (how === 'failed_call') return unavailable(FAILED);
          const result = await effect.run(input, context);
          return how === 'lost_reply' ? unavailable(LOST) : result;
        };
        return [name, { ...effect, run }] as const;
      });
      return { ...definition, effects: Object.fromEntries(effects) };
    });
  }

  async #call<T>(
    where: InjectionPoint,
    call: () => Promise<T>,
    ways: FailureModes<T>,
    about = '',
  ): Promise<T> {
    const { how } = await this.#decide(where, about);
    if (how === 'failed_call') return ways.failed();
    const answer = await this.#countCall(call);
    return how === 'lost_reply' ? ways.lost(answer) : answer;
  }

  async #decide(where: InjectionPoint, about: string, signal?: AbortSignal): Promise<CallOutcome> {
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

  #persistFaults(): void {
    this.#persist(this.#armed.filter(({ kept }) => kept === true));
  }

  #faultFor(where: InjectionPoint, about: string): ArmedFault | undefined {
    return this.#armed.find((each) => each.where === where && about.startsWith(each.about ?? ''));
  }

  #hold(
    where: InjectionPoint,
    about: string,
    signal: AbortSignal | undefined,
  ): Promise<CallOutcome> {
    return new Promise((done) => {
      const held: HeldCall = { where, about, go: (how) => done({ how }) };
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

  async #countCall<T>(call: () => Promise<T>): Promise<T> {
    this.#callsInProgress += 1;
    try {
      return await call();
    } finally {
      this.#callsInProgress -= 1;
    }
  }
}

/** Returns a proxy whose calls of one method go through `around`. */
function interceptMethod<T extends object, Name extends keyof T>(
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

const LOST = 'fault: the reply was lost';
const FAILED = 'fault: the call was not executed';

function unavailable(message: string): never {
  throw new AppError('CHAIN_UNAVAILABLE', { message });
}

const THROWING: FailureModes<never> = {
  lost: () => unavailable(LOST),
  failed: () => unavailable(FAILED),
};

/** A transfer without a reply has an unknown outcome. One that never started throws. */
const TRANSFER = {
  lost: () => ({ state: 'unknown', transaction: null, detail: LOST }) as const,
  failed: () => unavailable(FAILED),
};

/** The same for contract calls, whatever they return. */
const LOST_CALL: FailureModes<unknown> = TRANSFER;

function trustOf(chain: PaymentChain): TrustChain | undefined {
  return 'trust' in chain ? (chain.trust as TrustChain) : undefined;
}

const REPLY: FailureModes<LlmReply> = {
  lost: ({ usage, costMicroUsd, priceSource, requestId, ms }) => ({
    usage,
    costMicroUsd,
    priceSource,
    requestId,
    ms,
    ...({ ok: false, failure: 'timeout', detail: LOST } as const),
  }),
  failed: () => ({
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, source: 'none' },
    ...({ costMicroUsd: '0', priceSource: 'none', requestId: null, ms: 0 } as const),
    ...({ ok: false, failure: 'provider_error', detail: FAILED } as const),
  }),
};

const FETCH: FailureModes<never> = {
  lost: () => broken('reset', LOST),
  failed: () => broken('connect', FAILED),
};

function broken(kind: string, message: string): never {
  throw new AppError('EGRESS_FAILED', { message, data: { kind } });
}
