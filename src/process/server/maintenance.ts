import { sweepForks } from '../../actors/inspect/sweep-forks.ts';
import { sweepEnded } from '../../actors/notification/sweep-ended.ts';
import { sweepPayments } from '../../actors/payment/sweep.ts';
import { toAppError } from '../../domain/common/error.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { MACHINES } from '../../machines/common/registry.ts';
import type { DurableBlobStore } from '../../store/common/blob-store.ts';
import type { ServerServices } from './services.ts';

/** Retention of finished payments, in milliseconds. */
const PAYMENTS_KEPT_MS = 30 * DAY_MS;
/** Retention of forks that an operator made, after their last change, in milliseconds. */
const FORKS_KEPT_MS = 7 * DAY_MS;
const FORKED_KINDS = MACHINES.map(({ kind }) => kind);

/**
 * Runs maintenance at startup and once a day, until the server closes.
 *
 * @param whenProven - Resolves when the proofs of finished payments are recorded. No payment is
 * deleted before.
 */
export function startMaintenance(
  services: Pick<ServerServices, 'clock' | 'closers' | 'engine' | 'notice' | 'store'>,
  whenProven: () => Promise<void>,
): void {
  const { clock, engine, notice, store } = services;
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
  services.closers.add(async () => {
    abortController.abort();
    cancel();
    await running;
  });
}

async function trimBlobs(blobs: DurableBlobStore, now: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await blobs.trim(now)) > 0);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
