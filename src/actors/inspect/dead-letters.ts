import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { DeadLetterLine } from '../../domain/inspect/wire.ts';
import type { ActorEngine, DeadLetter } from '../../runtime/engine/types.ts';
import type { Redactor } from './redaction/redaction.ts';
import { shownLetter } from './shown-rows.ts';

/** Pages of dead letters that are looked through for those of one actor. */
const PAGES_MAX = 10;
/** How old that look may be, in milliseconds. */
const LOOK_KEPT_MS = SECOND_MS;
/** Actors whose id begins alike among which the kind of one is looked for. */
const ALIKE_MAX = 10;

/** What dead letters are read with. */
export interface DeadLetterParts {
  readonly engine: ActorEngine;
  readonly clock: Clock;
  readonly redactorOf: (kind: string) => Redactor;
}

/** Reads dead letters for consoles. */
export class DeadLetters {
  readonly #parts: DeadLetterParts;
  #look: { readonly at: number; readonly letters: Promise<readonly DeadLetter[]> } | undefined;

  constructor(parts: DeadLetterParts) {
    this.#parts = parts;
  }

  /** One page of all of them, oldest first. */
  async page(cursor?: string): Promise<{ rows: DeadLetterLine[]; cursor?: string }> {
    const page = await this.#parts.engine.deadLetters(cursor);
    const rows: DeadLetterLine[] = [];
    for (const letter of page.rows) {
      rows.push(shownLetter(letter, this.#parts.redactorOf(await this.#kindOf(letter.actorId))));
    }
    return page.cursor === undefined ? { rows } : { rows, cursor: page.cursor };
  }

  /** Those of one actor, among the oldest 1,000 of all. */
  async of(actorId: string, redactor: Redactor): Promise<readonly DeadLetterLine[]> {
    const now = this.#parts.clock.now();
    if (this.#look === undefined || now - this.#look.at >= LOOK_KEPT_MS) {
      this.#look = { at: now, letters: this.#readAll() };
    }
    const letters = await this.#look.letters;
    return letters
      .filter((letter) => letter.actorId === actorId)
      .map((letter) => shownLetter(letter, redactor));
  }

  /** Has the next look be a new one. */
  changed(): void {
    this.#look = undefined;
  }

  async #readAll(): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = await this.#parts.engine.deadLetters(cursor);
      letters.push(...page.rows);
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    return letters;
  }

  async #kindOf(id: string): Promise<string> {
    const { rows } = await this.#parts.engine.list({ prefix: id, limit: ALIKE_MAX });
    return rows.find((row) => row.id === id)?.kind ?? '';
  }
}
