import type { Came, Sent } from './exchange.ts';

/** A way in which the lean path answers otherwise than the SDK, and why that is meant. */
export interface Difference {
  readonly name: string;
  readonly reason: string;
  holds(sent: Sent, lean: Came, sdk: Came): boolean;
}

const code = (came: Came): number | undefined => came.messages[0]?.error?.code;
const both = (lean: Came, sdk: Came, ...codes: readonly [number, number]): boolean =>
  lean.status === sdk.status && code(lean) === codes[0] && code(sdk) === codes[1];
const rpcMethod = (sent: Sent): unknown => (sent.body as { method?: unknown } | undefined)?.method;

/** All of them. Each is met in the corpus, so that one which is gone must leave the list. */
export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'code of a body that is no message',
    reason: 'JSON-RPC: -32700 is for what is not JSON; JSON that is no request is -32600.',
    holds: (_sent, lean, sdk) => lean.status === 400 && both(lean, sdk, -32_600, -32_700),
  },
  {
    name: 'a batch where the version has none',
    reason: 'Batches came with 2025-03-26 and went with 2025-06-18; the SDK takes them always.',
    holds: ({ body }, lean) => Array.isArray(body) && code(lean) === -32_600,
  },
  {
    name: 'code of an unknown resource',
    reason: 'The versions before 2026-07-28 name -32002 for it; the SDK sends -32602 for all.',
    holds: (sent, lean, sdk) =>
      rpcMethod(sent) === 'resources/read' && both(lean, sdk, -32_002, -32_602),
  },
  {
    name: 'code of params that do not fit',
    reason: 'JSON-RPC has -32602 for it; the SDK says -32603, as of a fault of its own.',
    holds: (_sent, lean, sdk) => both(lean, sdk, -32_602, -32_603),
  },
  {
    name: 'a version that was not negotiated',
    reason: 'The header must name the version of its session; the SDK takes every one it knows.',
    holds: ({ headers }, lean) =>
      headers['mcp-protocol-version'] !== undefined &&
      JSON.stringify(lean.messages).includes('"negotiated":'),
  },
  {
    name: 'Accept: */*',
    reason: 'It takes both forms by the rules of HTTP; the SDK wants both spelled out.',
    holds: ({ headers }, lean, sdk) =>
      headers['accept']?.includes('*/*') === true && lean.status !== 406 && sdk.status === 406,
  },
];

/**
 * Compares two answers.
 *
 * @returns `same`, the difference that explains it, or nothing.
 */
export function compare(sent: Sent, lean: Came, sdk: Came): 'same' | Difference | undefined {
  if (plain(lean) === plain(sdk)) return 'same';
  const isAnswered = lean.status === 200 && sdk.status === 200;
  if (Array.isArray(sent.body) && isAnswered) return compareBatch(sent, lean, sdk);
  return DIFFERENCES.find((one) => one.holds(sent, lean, sdk));
}

/** Compares the answers of a batch one by one; they may come in any order. */
function compareBatch(sent: Sent, lean: Came, sdk: Came): ReturnType<typeof compare> {
  const verdicts = (sent.body as readonly { readonly id?: unknown }[]).map((body) => {
    const ofThis = (came: Came): Came => ({
      ...came,
      messages: came.messages.filter(({ id }) => id === body.id),
    });
    return compare({ ...sent, body }, ofThis(lean), ofThis(sdk));
  });
  if (lean.messages.length !== sdk.messages.length || verdicts.includes(undefined)) {
    return undefined;
  }
  return verdicts.find((verdict) => verdict !== 'same') ?? 'same';
}

/** An answer without the words of errors, which are for people, with its members in order. */
function plain(came: Came): string {
  return JSON.stringify(ordered(came), (_key, value) =>
    isError(value) ? { ...value, message: '' } : value,
  );
}

function isError(value: unknown): value is { code: number; message: string } {
  const { code: number, message } = (value ?? {}) as { code?: unknown; message?: unknown };
  return typeof number === 'number' && typeof message === 'string';
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, ordered(one)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
