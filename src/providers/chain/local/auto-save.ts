import { toAppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import { type CheckpointDeps, checkpoint } from './checkpoint.ts';
import { type RestoreDeps, restoreDropped } from './restore-dropped.ts';

/** The dependencies of saving, and how often checkpoints are made. */
export interface AutoSaveDeps extends CheckpointDeps, RestoreDeps {
  /** Transactions in the journal from which on a checkpoint is made. */
  readonly checkpointRows: number;
  readonly notice: (line: string) => void;
}

/**
 * Pause after a save, as a multiple of its duration up to a limit: a large state is saved less
 * often.
 */
const SAVE_PAUSE = { factor: 5, mostMs: 5 * SECOND_MS };

/**
 * Saves the chain every second in which it grew. Makes a checkpoint when it has grown by
 * `checkpointRows` transactions.
 *
 * @returns A function that stops this and saves once more.
 */
export function startAutoSave(parts: AutoSaveDeps): () => Promise<void> {
  const { rpc, state, journal, checkpointRows, notice } = parts;
  let saving: Promise<void> | undefined;
  let pausedUntil = 0;
  const save = async () => {
    try {
      const dropped = await restoreDropped(parts);
      if (dropped > 0) notice(`the chain had dropped ${dropped} transaction(s), now sent again`);
      await state.save(rpc);
    } catch {
      // The node is restarting, or the disk is full. The journal still holds what is not saved.
    }
  };
  const makeCheckpoint = async () => {
    try {
      await checkpoint(parts);
    } catch (thrown) {
      notice(`the chain checkpoint failed: ${toAppError(thrown).message}`);
    }
  };
  const tick = async () => {
    const begun = performance.now();
    await (journal.rows().length >= checkpointRows ? makeCheckpoint() : save());
    const tookMs = performance.now() - begun;
    pausedUntil = performance.now() + Math.min(SAVE_PAUSE.mostMs, tookMs * SAVE_PAUSE.factor);
    saving = undefined;
  };
  const timer = setInterval(() => {
    if (performance.now() >= pausedUntil) saving ??= tick();
  }, SECOND_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await saving;
    await save();
  };
}
