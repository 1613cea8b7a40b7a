import type { Erasable } from '../../domain/common/erasable.ts';
import { AppError } from '../../domain/common/error.ts';

const SUBJECT_CHARS_MAX = 200;

/** The result of an erasure. */
export interface ErasureResult {
  readonly subject: string;
  /** Number of erased rows, by store. */
  readonly erased: Readonly<Record<string, number>>;
}

/**
 * Erases a subject from every store. Log records stay, with hashes that can no longer be opened, so
 * every proof still verifies. Safe to repeat.
 *
 * @param subjectInput - A wallet or an agent name, in any case.
 * @throws {AppError} `INPUT_INVALID`
 */
export async function eraseSubject(
  stores: readonly Erasable[],
  subjectInput: string,
): Promise<ErasureResult> {
  const subject = subjectInput.trim().toLowerCase();
  if (subject === '' || subject.length > SUBJECT_CHARS_MAX || /\s/.test(subject)) {
    throw new AppError('INPUT_INVALID', {
      message: 'The subject must be a wallet address or an agent name.',
      data: { received: subjectInput.slice(0, SUBJECT_CHARS_MAX), allowed: '0x… or a name' },
    });
  }
  const erased: Record<string, number> = {};
  for (const { store, erase } of stores) erased[store] = await erase(subject);
  return { subject, erased };
}
