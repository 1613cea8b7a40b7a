import { sweepForks } from '../../actors/inspect/sweep-forks.ts';
import { sweepEnded } from '../../actors/notification/sweep-ended.ts';
import { sweepPayments } from '../../actors/payment/sweep.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { MACHINES } from '../../machines/common/registry.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { TrustStore } from '../../store/chain/trust-store.ts';
import type { DurableBlobStore } from '../../store/common/blob-store.ts';
import type { McpState } from '../../store/session/mcp-state.ts';

/** Retention of finished payments, in milliseconds. */
const PAYMENTS_KEPT_MS = 30 * DAY_MS;
/** Retention of forks that an operator made, after their last change, in milliseconds. */
const FORKS_KEPT_MS = 7 * DAY_MS;
const FORKED_KINDS = MACHINES.map(({ kind }) => kind);

/** The dependencies of maintenance. */
export interface MaintenanceDeps {
  readonly engine: ActorEngine;
  readonly store: {
    readonly blobs: DurableBlobStore;
    readonly mcp: McpState;
    readonly trust: Pick<TrustStore, 'compact'>;
  };
  readonly clock: Clock;
  /** Resolves when the proofs of finished payments are recorded. No payment is deleted before. */
  readonly whenProven: () => Promise<void>;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/**
 * Runs maintenance at startup and once a day. Returns a function that stops it and waits for a run.
 */
export function startMaintenance({
  engine,
  store,
  clock,
  whenProven,
  notice,
}: MaintenanceDeps): () => Promise<void> {
  const abortController = new AbortController();
  const { signal } = abortController;
  const ended = whenAborted(signal);
  let cancel: () => void = () => undefined;
  let running = Promise.resolve();
  const maintenanceTasks = [
    () => Promise.race([whenProven(), ended]),
    () => sweepPayments(engine, { before: clock.now() - PAYMENTS_KEPT_MS, signal }),
    () => sweepForks(engine, { kinds: FORKED_KINDS, before: clock.now() - FORKS_KEPT_MS, signal }),
    () => sweepEnded(engine, { now: clock.now(), signal }),
    () => trimBlobs(store.blobs, clock.now(), signal),
    () => store.blobs.compact(),
    () => store.mcp.compact(),
    () => store.trust.compact(),
  ];
  const runTasks = async (): Promise<void> => {
    for (const task of maintenanceTasks) {
      if (!signal.aborted) await task();
    }
  };
  const daily = (): void => {
    cancel = clock.at(clock.now() + DAY_MS, daily);
    running = runTasks().catch((thrown: unknown) => {
      notice(`maintenance: ${toAppError(thrown).message}`);
    });
  };
  daily();
  // The stores close after this, so no task may still read them.
  return async () => {
    abortController.abort();
    cancel();
    await running;
  };
}

async function trimBlobs(blobs: DurableBlobStore, now: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await blobs.trim(now)) > 0);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
