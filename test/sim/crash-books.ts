import type { CrashRow, Write } from '../../src/runtime/engine/ports.ts';
import type { JournalEntry } from '../../src/runtime/engine/types.ts';
import type { ModelActor } from './model-actor.ts';
import type { Faults } from './trace.ts';

/** Deaths of a process after which an effect is not run again, as the engine promises. */
const DEATHS_MAX = 3;
/** Ends that no attempt has brought about. */
const NOT_LIVED = ['EFFECT_CRASHED', 'EFFECT_ATTEMPTS'];

/** Counts the deaths that the world has seen, beside those that the engine has written. */
export class CrashBooks {
  readonly #faults: Faults;
  readonly #seen = new WeakMap<ModelActor, Map<string, number>>();
  readonly #written = new Map<string, CrashRow>();
  /** Processes that were lost so far. */
  #lost = 0;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** A process was lost. */
  lost(): void {
    this.#lost += 1;
  }

  /** An attempt was at work when its process was lost. */
  died(actor: ModelActor | undefined, token: string): void {
    if (actor === undefined) return;
    const deaths = this.#seen.get(actor) ?? new Map<string, number>();
    this.#seen.set(actor, deaths);
    const childId = childOf(token);
    deaths.set(childId, (deaths.get(childId) ?? 0) + 1);
  }

  /** An attempt begins. */
  begins(actor: ModelActor | undefined, token: string): void {
    const deaths = actor === undefined ? 0 : (this.#seen.get(actor)?.get(childOf(token)) ?? 0);
    const claim = 'an effect that three processes died of is not run again';
    this.#faults.check(deaths < DEATHS_MAX, claim, () => ({ token, deaths }));
  }

  /** A child answered while its process lived, or an operator has allowed it again. */
  lives(actor: ModelActor | undefined, childId: string): void {
    if (actor !== undefined) this.#seen.get(actor)?.delete(childId);
  }

  /** A row that is safe on the disk. */
  row({ id, event, cause, entry }: JournalEntry, actor: ModelActor | undefined): void {
    if (cause.by !== 'effect') return;
    const { code = '' } = (event['error'] ?? {}) as { readonly code?: string };
    const childId = childOf(cause.token);
    if (!NOT_LIVED.includes(code)) this.lives(actor, childId);
    if (code !== 'EFFECT_CRASHED' || entry === 'stale') return;
    const known = this.#written.get(`${id}\n${childId}`);
    const claim = 'an effect is refused for three deaths, with a dead letter';
    const isFair = known?.deaths === DEATHS_MAX;
    this.#faults.check(isFair, claim, () => ({ id, childId, known }));
  }

  take(
    write: Extract<Write, { put: 'crash' } | { del: 'crash' }>,
    actors: ReadonlyMap<string, ModelActor>,
  ): void {
    if ('del' in write) {
      this.#written.delete(`${write.id}\n${write.childId}`);
      return;
    }
    const { row } = write;
    // A refusal that was held while its actor was stuck may come behind the actor's end.
    if (actors.get(row.id)?.isClosed === true && row.deadLetterId !== undefined) return;
    const key = `${row.id}\n${row.childId}`;
    const known = this.#written.get(key)?.deaths ?? 0;
    const grows = row.deaths === known || row.deaths === known + 1;
    const isFair = grows && row.deaths <= Math.min(DEATHS_MAX, this.#lost);
    const claim = 'a death is counted once, and only where a process was lost';
    this.#faults.check(isFair, claim, () => ({ row, known, lost: this.#lost }));
    this.#written.set(key, row);
  }

  purge(id: string): void {
    for (const [key, row] of this.#written) if (row.id === id) this.#written.delete(key);
  }
}

/** Tokens are `actor:transition:child`; the kinds of the simulation have no colon in a child. */
export function childOf(token: string): string {
  return token.slice(token.lastIndexOf(':') + 1);
}
