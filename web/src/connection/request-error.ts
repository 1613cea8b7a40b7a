import type { WireError } from '../../../src/domain/inspect/wire.ts';

/** A rejection by the server or a lost connection; `message` is fit for display. */
export class RequestError extends Error {
  readonly code: string;
  readonly data: WireError['data'];

  constructor({ code, message, data }: WireError) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.data = data;
  }
}

/** Returns a displayable message for any thrown value. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof RequestError) return `${thrown.message} (${thrown.code})`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
