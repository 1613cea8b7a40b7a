import { LineReader } from '../../domain/common/line-reader.ts';
import { parseJson } from './messages.ts';

/** Most messages of one stream. */
const MESSAGES_MAX = 2_000;

/** Parses messages from an event stream as it arrives. */
export class EventStreamReader {
  readonly #lines = new LineReader();
  #data: string[] = [];
  #messages = 0;

  /** Whether the stream exceeded the message limit. It returns no more messages then. */
  get isOver(): boolean {
    return this.#messages > MESSAGES_MAX;
  }

  /** Returns the messages completed by this piece. Invalid JSON is skipped. */
  push(piece: string): readonly unknown[] {
    const found: unknown[] = [];
    for (const line of this.#lines.push(piece)) {
      if (this.isOver) break;
      if (line === '') found.push(...this.#complete());
      else if (line.startsWith('data:')) this.#data.push(line.slice(5).replace(/^ /, ''));
    }
    return found;
  }

  #complete(): readonly unknown[] {
    const data = this.#data.join('\n');
    this.#data = [];
    if (data === '') return [];
    this.#messages += 1;
    const message = this.isOver ? undefined : parseJson(data);
    return message === undefined ? [] : [message];
  }
}
