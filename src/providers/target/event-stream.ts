import { LineReader } from '../../domain/common/line-reader.ts';
import { parseJson } from './messages.ts';

/** Messages of one stream that are read. */
const MESSAGES_MAX = 2_000;

/** Takes the messages out of an event stream as it comes. */
export class EventStreamReader {
  readonly #lines = new LineReader();
  #data: string[] = [];
  #messages = 0;

  /** True once the stream has held more messages than are read; none is given any more. */
  get isOver(): boolean {
    return this.#messages > MESSAGES_MAX;
  }

  /** Gives the messages that are complete with this piece; what is no JSON is passed over. */
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
