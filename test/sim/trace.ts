import { createHash } from 'node:crypto';

/** Most lines of a trace that are kept for people. */
const LINES_KEPT = 60;

/** What happened in a run, as one hash and as its last lines. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #lines: string[] = [];

  /** Adds something that every run of the same seed has to do at this point. */
  add(line: string): void {
    this.#hash.update(`${line}\n`);
    this.#lines.push(line);
    if (this.#lines.length > 2 * LINES_KEPT) this.#lines.splice(0, LINES_KEPT);
  }

  /** The last lines, oldest first. */
  lines(): readonly string[] {
    return this.#lines.slice(-LINES_KEPT);
  }

  /** 16 hex digits over everything that was added. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}

/** Thrown where a run shows that the engine broke a promise. */
export class SimFault extends Error {
  constructor(claim: string, facts?: unknown) {
    super(facts === undefined ? claim : `${claim}: ${short(facts)}`);
    this.name = 'SimFault';
  }
}

/** Keeps the first fault of a run; faults are found in callbacks that must not throw. */
export class Faults {
  #first: SimFault | undefined;

  get first(): SimFault | undefined {
    return this.#first;
  }

  /** Notes a broken promise. */
  add(claim: string, facts?: unknown): void {
    this.#first ??= new SimFault(claim, facts);
  }

  /** Notes a broken promise unless the claim holds. */
  check(isTrue: boolean, claim: string, facts?: () => unknown): void {
    if (!isTrue) this.add(claim, facts?.());
  }
}

const FACTS_CHARS_MAX = 1_200;

function short(facts: unknown): string {
  const text = typeof facts === 'string' ? facts : (JSON.stringify(facts) ?? String(facts));
  return text.length > FACTS_CHARS_MAX ? `${text.slice(0, FACTS_CHARS_MAX)}…` : text;
}
