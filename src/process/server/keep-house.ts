import { sweepForks } from '../../actors/inspect/sweep-forks.ts';
import { sweepEnded } from '../../actors/notification/sweep.ts';
import { sweepPayments } from '../../actors/payment/sweep.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { MACHINES } from '../../machines/common/registry.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { TrustStore } from '../../store/chain/trust-store.ts';
import type { DurableBlobStore } from '../../store/common/blob-store.ts';
import type { McpState } from '../../store/session/mcp-state.ts';

/** Finished payments are kept this long, in milliseconds, and swept this often. */
const PAYMENTS_KEPT_MS = 30 * DAY_MS;
/** Copies that an operator made of actors are kept this long after they moved, in milliseconds. */
const FORKS_KEPT_MS = 7 * DAY_MS;
const FORKED_KINDS = MACHINES.map(({ kind }) => kind);

/** What is kept in order. */
export interface HouseParts {
  readonly engine: ActorEngine;
  readonly store: {
    readonly blobs: DurableBlobStore;
    readonly mcp: McpState;
    readonly trust: Pick<TrustStore, 'compact'>;
  };
  readonly clock: Clock;
  /** Resolves when what finished payments prove is recorded: until then none is removed. */
  readonly proven: () => Promise<void>;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/** Sweeps at the start and once a day. Returns the way to end it, which waits for a sweep. */
export function keepHouse({
  engine,
  store,
  clock,
  proven,
  notice,
}: HouseParts): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const ended = aborted(signal);
  let cancel: () => void = () => undefined;
  let sweeping = Promise.resolve();
  const rooms = [
    () => Promise.race([proven(), ended]),
    () => sweepPayments(engine, { before: clock.now() - PAYMENTS_KEPT_MS, signal }),
    () => sweepForks(engine, { kinds: FORKED_KINDS, before: clock.now() - FORKS_KEPT_MS, signal }),
    () => sweepEnded(engine, { now: clock.now(), signal }),
    () => trimmed(store.blobs, clock.now(), signal),
    () => store.blobs.compact(),
    () => store.mcp.compact(),
    () => store.trust.compact(),
  ];
  const sweep = async (): Promise<void> => {
    for (const room of rooms) {
      if (!signal.aborted) await room();
    }
  };
  const daily = (): void => {
    cancel = clock.at(clock.now() + DAY_MS, daily);
    sweeping = sweep().catch((thrown: unknown) => {
      notice(`sweep: ${toAppError(thrown).message}`);
    });
  };
  daily();
  // The stores close behind it: nothing of a sweep may still read them then.
  return async () => {
    ending.abort();
    cancel();
    await sweeping;
  };
}

async function trimmed(blobs: DurableBlobStore, now: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await blobs.trim(now)) > 0);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
