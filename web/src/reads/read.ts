/** Why a read gave nothing. */
export interface ReadFault {
  /** 0 when the server did not answer. */
  readonly status: number;
  /** Code of the error table, where the server gave one. */
  readonly code: string | null;
  readonly words: string;
}

/** What a read came to. */
export type ReadAnswer<Value> =
  | { readonly value: Value; readonly fault: null }
  | { readonly value: null; readonly fault: ReadFault };

/** Reads one of the server's open addresses: JSON, or text where it answers text. */
export async function readAddress<Value>(
  path: string,
  signal?: AbortSignal,
): Promise<ReadAnswer<Value>> {
  try {
    const answer = await fetch(path, {
      headers: { accept: 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.text();
    if (!answer.ok) return { value: null, fault: faultOf(answer.status, text) };
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { value: (isJson ? JSON.parse(text) : text) as Value, fault: null };
  } catch {
    return {
      value: null,
      fault: { status: 0, code: null, words: 'The server did not answer.' },
    };
  }
}

function faultOf(status: number, text: string): ReadFault {
  try {
    const { error, message }: { readonly error?: unknown; readonly message?: unknown } =
      JSON.parse(text);
    if (typeof message === 'string') {
      return { status, code: typeof error === 'string' ? error : null, words: message };
    }
  } catch {
    // What is no JSON is told by its status.
  }
  const words =
    status === 404 ? 'This server does not have this.' : `The server answered ${status}.`;
  return { status, code: null, words };
}
