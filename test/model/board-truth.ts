import type { JobContext } from '../../src/machines/escrow/job-context.ts';
import type { ModelView } from '../../src/testing/path.ts';

/** A confirmed fact as the machine is told it. */
export type FactName =
  | 'CHAIN.ESCROWED'
  | 'CHAIN.FULFILLED'
  | 'CHAIN.RELEASED'
  | 'CHAIN.REFUNDED'
  | 'CHAIN.DISPUTED'
  | 'CHAIN.DISPUTE_WITHDRAWN'
  | 'CHAIN.DECIDED';

/** Where the escrow contract has a job. */
export type EscrowPlace = 'none' | 'escrowed' | 'fulfilled' | 'disputed' | 'released' | 'refunded';

/** What the chain has and the server was not told, oldest first. */
interface Untold {
  readonly facts: readonly FactName[];
  readonly upheld?: 'provider' | 'buyer';
}

/**
 * What the chain knows more than the machine stands in the machine's own memory: as the wait that
 * the last try told. No real try tells one of these; the driver compares no waits.
 */
const UNTOLD: Readonly<Record<number, Untold>> = {
  300001: { facts: ['CHAIN.ESCROWED'] },
  300002: { facts: ['CHAIN.FULFILLED'] },
  300003: { facts: ['CHAIN.RELEASED'] },
  300004: { facts: ['CHAIN.REFUNDED'] },
  300005: { facts: ['CHAIN.DISPUTED'] },
  300006: { facts: ['CHAIN.DISPUTE_WITHDRAWN'] },
  300007: { facts: ['CHAIN.DECIDED', 'CHAIN.RELEASED'], upheld: 'provider' },
  300008: { facts: ['CHAIN.DECIDED', 'CHAIN.REFUNDED'], upheld: 'buyer' },
};

/** The wait that stands for something that the chain has and nobody told. */
export const MARK = {
  escrowed: 300_001,
  fulfilled: 300_002,
  released: 300_003,
  refunded: 300_004,
  disputed: 300_005,
  withdrawn: 300_006,
  decidedForProvider: 300_007,
  decidedForBuyer: 300_008,
} as const;

/** Wait of a try that came before its time. */
export const EARLY_MS = 60_000;

/** The memory of the model's job. */
export function jobIn({ context }: Pick<ModelView, 'context'>): JobContext {
  return context as unknown as JobContext;
}

/** What the chain has already and the machine will be told next. */
export function untoldIn(view: Pick<ModelView, 'context' | 'status'>): Untold {
  const { facts, verdict, waitMs } = jobIn(view);
  if (view.status === 'active' && facts.at(-1)?.fact === 'CHAIN.DECIDED') {
    return { facts: [verdict === 'provider' ? 'CHAIN.RELEASED' : 'CHAIN.REFUNDED'] };
  }
  return UNTOLD[waitMs ?? 0] ?? { facts: [] };
}

/** The wait that the next answer must tell so that what is untold is not forgotten. */
export function markIn(view: Pick<ModelView, 'context'>): number | undefined {
  const { waitMs } = jobIn(view);
  return UNTOLD[waitMs ?? 0] === undefined ? undefined : (waitMs ?? undefined);
}

/** Where the escrow has a job, by everything that has happened to it. */
export function placeIn(view: Pick<ModelView, 'context' | 'status'>): EscrowPlace {
  const told = jobIn(view).facts.map(({ fact }) => fact);
  return [...told, ...untoldIn(view).facts].reduce<EscrowPlace>(
    (place, fact) => AFTER[fact] ?? place,
    'none',
  );
}

const AFTER: Readonly<Record<string, EscrowPlace>> = {
  'CHAIN.ESCROWED': 'escrowed',
  'CHAIN.FULFILLED': 'fulfilled',
  'CHAIN.DISPUTED': 'disputed',
  'CHAIN.DISPUTE_WITHDRAWN': 'fulfilled',
  'CHAIN.RELEASED': 'released',
  'CHAIN.REFUNDED': 'refunded',
};

/** Name of the innermost state, parents first: as callers see it. */
export function stateIn(value: unknown): string {
  if (typeof value === 'string') return value;
  const [[name, inner] = ['', '']] = Object.entries(value as object);
  return `${name}.${stateIn(inner)}`;
}
