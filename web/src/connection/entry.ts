/** Result of signing in with a code. */
export type Entered = { readonly isIn: true } | { readonly isIn: false; readonly reason: string };

const MARK = '#enter=';

/**
 * Parses the one-time code from a URL of the form `/console/#enter=<code>`.
 *
 * @returns The code, or `null` if the text has none.
 */
export function codeOf(address: string): string | null {
  const start = address.indexOf(MARK);
  const code = start < 0 ? '' : address.slice(start + MARK.length).trim();
  return code === '' ? null : code;
}

/** Returns the code in the address bar and removes it there and from the history. */
export function takeCode(): string | null {
  const code = codeOf(location.hash);
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Exchanges the code for the console's cookie. */
export async function enter(code: string): Promise<Entered> {
  try {
    const answer = await fetch('/console/enter', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    return answer.ok ? { isIn: true } : { isIn: false, reason: await reasonOf(answer) };
  } catch {
    return { isIn: false, reason: 'The server did not respond.' };
  }
}

/** Signs out: the server clears the cookie. */
export async function leave(): Promise<void> {
  await fetch('/console/leave', { method: 'POST' });
}

async function reasonOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const message = memberOf(body, 'message');
  return typeof message === 'string' ? message : `The server returned HTTP ${answer.status}.`;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
