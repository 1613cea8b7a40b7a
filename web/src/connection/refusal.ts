import type { WireError } from '../../../src/domain/inspect/wire.ts';

/** The server said no, or the line broke; `message` can be shown to a person. */
export class Refusal extends Error {
  readonly code: string;
  readonly data: WireError['data'];

  constructor({ code, message, data }: WireError) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.data = data;
  }
}

/** Words for a person about anything that was thrown. */
export function wordsOf(thrown: unknown): string {
  if (thrown instanceof Refusal) return `${thrown.message} (${thrown.code})`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
