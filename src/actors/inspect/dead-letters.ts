import { SECOND_MS } from '../../domain/common/time.ts';
import type { DeadLetterLine } from '../../domain/inspect/wire.ts';
import type { DeadLetter } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { toDeadLetterLine } from './console-rows.ts';
import type { Redactor } from './redaction/redaction.ts';

/** Maximum number of pages searched for one actor's dead letters. */
const PAGES_MAX = 10;
/** Maximum age of a cached search, in milliseconds. */
const SEARCH_CACHE_MS = SECOND_MS;
/** Maximum number of actors with the same id prefix that are searched for a kind. */
const PREFIX_MATCHES_MAX = 10;

type Ports = Pick<Services, 'clock' | 'engine'> & {
  readonly redactorOf: (kind: string) => Redactor;
};

/** Reads redacted dead letters for consoles. */
export class DeadLetters {
  readonly #parts: Ports;
  #cachedSearch:
    | { readonly at: number; readonly letters: Promise<readonly DeadLetter[]> }
    | undefined;

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  /** Returns one page of all dead letters, oldest first. */
  async page(cursor?: string): Promise<{ rows: DeadLetterLine[]; cursor?: string }> {
    const page = await this.#parts.engine.deadLetters(cursor);
    const rows: DeadLetterLine[] = [];
    for (const letter of page.rows) {
      rows.push(
        toDeadLetterLine(letter, this.#parts.redactorOf(await this.#kindOf(letter.actorId))),
      );
    }
    return page.cursor === undefined ? { rows } : { rows, cursor: page.cursor };
  }

  /** Returns the dead letters of one actor, among the oldest 1,000. */
  async forActor(actorId: string, redactor: Redactor): Promise<readonly DeadLetterLine[]> {
    const now = this.#parts.clock.now();
    if (this.#cachedSearch === undefined || now - this.#cachedSearch.at >= SEARCH_CACHE_MS) {
      this.#cachedSearch = { at: now, letters: this.#readAll() };
    }
    const letters = await this.#cachedSearch.letters;
    return letters
      .filter((letter) => letter.actorId === actorId)
      .map((letter) => toDeadLetterLine(letter, redactor));
  }

  /** Invalidates the cached search. */
  invalidate(): void {
    this.#cachedSearch = undefined;
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
    const { rows } = await this.#parts.engine.list({ prefix: id, limit: PREFIX_MATCHES_MAX });
    return rows.find((row) => row.id === id)?.kind ?? '';
  }
}
