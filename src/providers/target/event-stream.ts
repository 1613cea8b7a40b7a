import { parseJson } from './messages.ts';

/** Takes the messages out of an event stream as it comes. */
export class EventStreamReader {
  #rest = '';

  /** Gives the messages that are complete with this piece; what is no JSON is passed over. */
  push(piece: string): readonly unknown[] {
    this.#rest += piece.replaceAll('\r\n', '\n');
    const blocks = this.#rest.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap(messageOf);
  }
}

function messageOf(block: string): readonly unknown[] {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n');
  const message = data === '' ? undefined : parseJson(data);
  return message === undefined ? [] : [message];
}
