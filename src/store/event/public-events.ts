import type { RangeOptions } from 'lmdb';
import { AppError, invariant } from '../../domain/common/error.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import type { EventFeed, NewPublicEvent, PublicEvent } from '../../domain/event/event-log.ts';
import type { Environment } from '../common/environment.ts';
import type { TextTable } from '../common/text-table.ts';

/**
 * Limits of one event: length of its texts, number of subjects, and length of its JSON, in
 * characters.
 */
export const PUBLIC_EVENT = {
  nameCharsMax: 256,
  subjectsMax: 8,
  jsonCharsMax: 8_192,
} as const;

const POSITION = 'position';

/**
 * The public feed on disk. Events are never changed or removed. Their numbers have no gaps: an
 * event that could not be written leaves its number to the next.
 */
export class LmdbPublicEvents implements EventFeed {
  readonly #environment: Environment;
  /** Sequence number to event. */
  readonly #events: TextTable;
  /** Key of an event to its sequence number. */
  readonly #keys: TextTable;
  /** `[subject, seq]` */
  readonly #subjects: TextTable;
  /** One row: how far the actors' feed has been read. */
  readonly #marks: TextTable;
  readonly #pending = new Map<string, Promise<PublicEvent>>();
  readonly #listeners = new Set<() => void>();
  #next: number;
  #onDisk: number;
  /** Counts how often the state was reloaded from disk after a failure. */
  #reloads = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#events = environment.openTable('events');
    this.#keys = environment.openTable('event-keys');
    this.#subjects = environment.openTable('event-subjects');
    this.#marks = environment.openTable('event-marks');
    this.#next = this.#sizeOnDisk();
    this.#onDisk = this.#next;
  }

  get size(): number {
    return this.#onDisk;
  }

  get position(): number {
    return Number(this.#marks.get(POSITION) ?? 0);
  }

  keepPosition(position: number): Promise<void> {
    return this.#environment.commit([{ db: this.#marks, key: POSITION, text: String(position) }]);
  }

  append(event: NewPublicEvent): Promise<PublicEvent> {
    const known = this.#keys.get(event.key);
    if (known !== undefined) return Promise.resolve(this.#readKnown(Number(known)));
    const pending = this.#pending.get(event.key);
    if (pending !== undefined) return pending;
    const written = this.#write(event).finally(() => this.#pending.delete(event.key));
    this.#pending.set(event.key, written);
    return written;
  }

  read(fromSeq: number, limit: number): readonly PublicEvent[] {
    const end = Math.min(this.#onDisk, fromSeq + limit);
    if (end <= fromSeq) return [];
    const rows = this.#events.getRange({ start: fromSeq, end });
    return Array.from(rows, ({ value }) => JSON.parse(value) as PublicEvent);
  }

  about(subject: string, fromSeq: number, limit: number): readonly PublicEvent[] {
    return this.#readListed({ start: [subject, fromSeq], end: [subject, this.#onDisk] }, limit);
  }

  readLatestBySubject(subject: string, limit: number): readonly PublicEvent[] {
    const range = { start: [subject, this.#onDisk], end: [subject, -1], reverse: true };
    return this.#readListed(range, limit);
  }

  watch(listener: () => void): () => void {
    const subscription = (): void => listener();
    this.#listeners.add(subscription);
    return () => {
      this.#listeners.delete(subscription);
    };
  }

  async #write({ key, happenedAt, ...content }: NewPublicEvent): Promise<PublicEvent> {
    assertWithinLimits(key, content);
    const seq = this.#next;
    const { type, ref, data } = content;
    const subjects = [...new Set(content.subjects.map((subject) => subject.toLowerCase()))];
    const event = { seq, at: new Date(happenedAt).toISOString(), type, ref, subjects, data };
    const text = canonicalJson(event);
    invariant(text.length <= PUBLIC_EVENT.jsonCharsMax, `the event ${key} is too large`);
    this.#next = seq + 1;
    const reloads = this.#reloads;
    const committed = this.#environment.commit([
      { db: this.#events, key: seq, text },
      { db: this.#keys, key, text: String(seq) },
      ...subjects.map((subject) => ({ db: this.#subjects, key: [subject, seq], text: '' })),
    ]);
    try {
      await committed;
    } catch (thrown) {
      this.#reload(reloads);
      throw thrown;
    }
    this.#onDisk = Math.max(this.#onDisk, seq + 1);
    for (const listener of this.#listeners) listener();
    return JSON.parse(text) as PublicEvent;
  }

  /** Reloads the state from disk after a failed commit, once for all events that failed with it. */
  #reload(turn: number): void {
    if (turn !== this.#reloads) return;
    this.#reloads += 1;
    this.#next = this.#sizeOnDisk();
  }

  /** Returns the events of a range in the subject index. */
  #readListed(range: RangeOptions, limit: number): readonly PublicEvent[] {
    if (limit <= 0) return [];
    const keys = this.#subjects.getKeys({ ...range, limit });
    return Array.from(keys, (key) => this.#readKnown(Number((key as readonly unknown[])[1])));
  }

  #sizeOnDisk(): number {
    for (const { key } of this.#events.getRange({ reverse: true, limit: 1 })) {
      return Number(key) + 1;
    }
    return 0;
  }

  #readKnown(seq: number): PublicEvent {
    const text = this.#events.get(seq);
    if (text === undefined) {
      throw new AppError('INVARIANT', { message: `Event ${seq} is missing.` });
    }
    return JSON.parse(text) as PublicEvent;
  }
}

/** An event that the store cannot hold is a programming error. */
function assertWithinLimits(
  key: string,
  { type, ref, subjects }: Pick<PublicEvent, TextFields>,
): void {
  const { nameCharsMax, subjectsMax } = PUBLIC_EVENT;
  const isFit = [key, type, ref, ...subjects].every(
    (text) => text.length > 0 && text.length <= nameCharsMax,
  );
  invariant(isFit, `texts of an event have 1 to ${nameCharsMax} characters`);
  invariant(subjects.length <= subjectsMax, `an event has at most ${subjectsMax} subjects`);
}

type TextFields = 'type' | 'ref' | 'subjects';
