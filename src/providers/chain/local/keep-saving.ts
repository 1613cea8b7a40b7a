import { toAppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import { type CheckpointParts, checkpoint } from './checkpoint.ts';
import { bringLevel, type LevelParts } from './level.ts';

/** The dependencies of saving, and how often checkpoints are made. */
export interface SavingParts extends CheckpointParts, LevelParts {
  /** Transactions in the journal from which on a checkpoint is made. */
  readonly checkpointRows: number;
  readonly notice: (line: string) => void;
}

/**
 * Pause after a save, as a multiple of its duration up to a limit: a large state is saved less
 * often.
 */
const REST = { factor: 5, mostMs: 5 * SECOND_MS };

/**
 * Saves the chain every second in which it grew. Makes a checkpoint when it has grown by
 * `checkpointRows` transactions.
 *
 * @returns A function that stops this and saves once more.
 */
export function keepSaving(parts: SavingParts): () => Promise<void> {
  const { rpc, state, journal, checkpointRows, notice } = parts;
  let saving: Promise<void> | undefined;
  let restUntil = 0;
  const save = async () => {
    try {
      const dropped = await bringLevel(parts);
      if (dropped > 0) notice(`the chain had dropped ${dropped} transaction(s), now sent again`);
      await state.save(rpc);
    } catch {
      // The node is restarting, or the disk is full. The journal still holds what is not saved.
    }
  };
  const tidy = async () => {
    try {
      await checkpoint(parts);
    } catch (thrown) {
      notice(`the chain checkpoint failed: ${toAppError(thrown).message}`);
    }
  };
  const look = async () => {
    const begun = performance.now();
    await (journal.rows().length >= checkpointRows ? tidy() : save());
    const tookMs = performance.now() - begun;
    restUntil = performance.now() + Math.min(REST.mostMs, tookMs * REST.factor);
    saving = undefined;
  };
  const timer = setInterval(() => {
    if (performance.now() >= restUntil) saving ??= look();
  }, SECOND_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await saving;
    await save();
  };
}
