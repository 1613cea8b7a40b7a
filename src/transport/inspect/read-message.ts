import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { ClientMessage } from '../../domain/inspect/message.ts';
import { checkBounds } from '../mcp/json-bounds.ts';

/** The result of parsing a client's text: a message, or an error with the id if it is readable. */
export type ReadMessage =
  | { readonly message: ClientMessage }
  | { readonly message?: undefined; readonly id?: number; readonly error: AppError };

/** Number of validation errors in one reply. */
const ERRORS_SHOWN_MAX = 5;

/** Parses the text of a client message. */
export function readMessage(text: string): ReadMessage {
  const found = checkBounds(Buffer.from(text));
  if (found !== undefined) return { error: found };
  const value = tryJson(text);
  const parsed = ClientMessage.safeParse(value);
  if (parsed.success) return { message: parsed.data };
  const id = isObject(value) ? value['id'] : undefined;
  const faults = parsed.error.issues.slice(0, ERRORS_SHOWN_MAX).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join('.')}: ${message}`;
  });
  const error = new AppError('INPUT_INVALID', {
    message: value === undefined ? 'The message is not JSON.' : 'The message has an unknown shape.',
    data: { received: text.slice(0, RECEIVED_CHARS_SHOWN), faults, allowed: 'docs/inspect.md' },
  });
  const isId = typeof id === 'number' && Number.isSafeInteger(id) && id > 0;
  return isId ? { id, error } : { error };
}

/** Length of the invalid message in the reply, in characters. */
const RECEIVED_CHARS_SHOWN = 200;

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
