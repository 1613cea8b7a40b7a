import { AppError } from '../../../src/domain/common/error.ts';
import { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { DocumentReader } from './document-readers.ts';

/** Characters of what is made of one document at the most. */
export const OUTCOME_CHARS_MAX = 8_000_000;
/** Levels of what is made of one document at the most. */
export const OUTCOME_LEVELS_MAX = 12;

const NO_FIGURE = /^[-+]?(nan|infinity|undefined|\d+(\.\d+)?e[-+]?\d+)$/i;

/** What came of one reading. */
export interface Outcome {
  /** `undefined` for a typed fault and a sound value. */
  readonly wrong: string | undefined;
  readonly isAnswer: boolean;
}

/** Reads once, and looks at what came of it. */
export async function outcomeOf(read: DocumentReader): Promise<Outcome> {
  let isAnswer = false;
  const wrong = await wrongIn(async () => {
    const made = await read();
    isAnswer = (made as { fault?: unknown }).fault === undefined;
    return made;
  });
  return { wrong, isAnswer };
}

async function wrongIn(read: DocumentReader): Promise<string | undefined> {
  let made: unknown;
  try {
    made = await read();
  } catch (thrown) {
    return thrown instanceof AppError && thrown.code !== 'INTERNAL' && thrown.code !== 'INVARIANT'
      ? undefined
      : `it throws ${String(thrown)}`;
  }
  const fault = (made as { fault?: unknown }).fault;
  if (fault !== undefined) {
    return DataFailure.safeParse(fault).success ? undefined : `a fault that is none`;
  }
  const wrong = wrongValue(made, 0);
  if (wrong !== undefined) return wrong;
  const chars = JSON.stringify(made).length;
  return chars > OUTCOME_CHARS_MAX ? `${chars} characters` : undefined;
}

function wrongValue(value: unknown, level: number): string | undefined {
  if (level > OUTCOME_LEVELS_MAX) return 'too many levels';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `the number ${value}`;
  if (typeof value === 'string') return NO_FIGURE.test(value) ? `the figure ${value}` : undefined;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  if (Object.hasOwn(value, 'polluted') || 'polluted' in value) return 'a member of all objects';
  for (const [name, one] of Object.entries(value)) {
    const wrong = wrongValue(one, level + 1);
    if (wrong !== undefined) return `${name}: ${wrong}`;
  }
  return undefined;
}
