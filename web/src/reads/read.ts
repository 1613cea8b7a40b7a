/** Why a read failed. */
export interface ReadError {
  /** HTTP status; 0 if the server did not respond. */
  readonly status: number;
  /** Public error code; `null` if the server sent none. */
  readonly code: string | null;
  readonly words: string;
}

/** Result of a read. */
export type ReadResult<Value> =
  | { readonly value: Value; readonly fault: null }
  | { readonly value: null; readonly fault: ReadError };

/** Reads one of the server's public URLs: parses JSON, returns other content as text. */
export async function readUrl<Value>(
  path: string,
  signal?: AbortSignal,
): Promise<ReadResult<Value>> {
  try {
    const answer = await fetch(path, {
      headers: { accept: 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.text();
    if (!answer.ok) return { value: null, fault: parseError(answer.status, text) };
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { value: (isJson ? JSON.parse(text) : text) as Value, fault: null };
  } catch {
    return {
      value: null,
      fault: { status: 0, code: null, words: 'The server did not respond.' },
    };
  }
}

function parseError(status: number, text: string): ReadError {
  try {
    const { error, message }: { readonly error?: unknown; readonly message?: unknown } =
      JSON.parse(text);
    if (typeof message === 'string') {
      return { status, code: typeof error === 'string' ? error : null, words: message };
    }
  } catch {
    // Not JSON: the status is reported below.
  }
  const words =
    status === 404 ? 'Not found on this server.' : `The server returned HTTP ${status}.`;
  return { status, code: null, words };
}
