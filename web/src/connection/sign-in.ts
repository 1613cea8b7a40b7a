/** Result of signing in with a code. */
export type SignInResult =
  | { readonly isIn: true }
  | { readonly isIn: false; readonly reason: string };

const CODE_PREFIX = '#enter=';

/**
 * Parses the one-time code from a URL of the form `/console/#enter=<code>`.
 *
 * @returns The code, or `null` if the text has none.
 */
export function parseCode(address: string): string | null {
  const start = address.indexOf(CODE_PREFIX);
  const code = start < 0 ? '' : address.slice(start + CODE_PREFIX.length).trim();
  return code === '' ? null : code;
}

/** Returns the code in the address bar and removes it there and from the history. */
export function takeCode(): string | null {
  const code = parseCode(location.hash);
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Exchanges the code for the console's cookie. */
export async function signIn(code: string): Promise<SignInResult> {
  try {
    const answer = await fetch('/console/enter', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    return answer.ok ? { isIn: true } : { isIn: false, reason: await readMessage(answer) };
  } catch {
    return { isIn: false, reason: 'The server did not respond.' };
  }
}

/** Signs out: the server clears the cookie. */
export async function signOut(): Promise<void> {
  await fetch('/console/leave', { method: 'POST' });
}

async function readMessage(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const message = readMember(body, 'message');
  return typeof message === 'string' ? message : `The server returned HTTP ${answer.status}.`;
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
