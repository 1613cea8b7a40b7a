import { toAppError } from '../../domain/error.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { type CheckpointParts, checkpoint } from './checkpoint.ts';

/** What is saved, and how often it is tidied. */
export interface SavingParts extends CheckpointParts {
  /** Kept transactions from which on a checkpoint is made. */
  readonly checkpointRows: number;
  readonly notice: (line: string) => void;
}

/** Saving takes at most this share of the time: a big state is saved less often. */
const REST_FACTOR = 10;

/**
 * Saves the chain every second in which it grew, and tidies it when it has grown by so many
 * transactions. @returns A stop that saves once more.
 */
export function keepSaving(parts: SavingParts): () => Promise<void> {
  const { rpc, state, journal, checkpointRows, notice } = parts;
  let saving: Promise<void> | undefined;
  let restUntil = 0;
  const save = async () => {
    try {
      await state.save(rpc);
    } catch {
      // The node is starting again, or the disk is full: the journal still holds what is not saved.
    }
  };
  const tidy = async () => {
    try {
      await checkpoint(parts);
    } catch (thrown) {
      notice(`the chain could not be tidied: ${toAppError(thrown).message}`);
    }
  };
  const look = async () => {
    const begun = performance.now();
    await (journal.rows().length >= checkpointRows ? tidy() : save());
    restUntil = performance.now() + (performance.now() - begun) * REST_FACTOR;
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
