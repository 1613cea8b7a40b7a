import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, toAppError } from '../../domain/common/error.ts';
import type { Grant } from '../../domain/tool/tool.ts';

/** Most tokens of one data directory, those that are revoked included. */
export const TOKENS_MAX = 1_000;
/** Longest name of a token, in characters. */
export const TOKEN_NAME_CHARS_MAX = 100;

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const TOKEN = /^stoa_([0-9a-f]{16})_([\w-]{43})$/;

/** A token as it is kept: never itself, only the SHA-256 of its secret. */
const Kept = z.object({
  id: z.string(),
  sha256: z.string(),
  name: z.string(),
  workspaceId: z.string().optional(),
  toolsets: z.array(z.string()).readonly().optional(),
  isReadOnly: z.boolean(),
  createdAt: z.string(),
});
type Kept = z.infer<typeof Kept>;
const Revoked = z.object({ revoked: z.string(), at: z.string() });

/** A token as it is told. */
export interface TokenRow extends Omit<Kept, 'sha256'> {
  readonly revokedAt?: string;
}

/** What a new token allows. */
export type NewToken = Pick<Kept, 'name' | 'workspaceId' | 'toolsets' | 'isReadOnly'>;

/** Path of the file of tokens in a data directory. Each line says one thing; none is changed. */
export function tokensPath(dataDir: string): string {
  return join(dataDir, 'tokens.jsonl');
}

/**
 * Makes a token. It is told here once: the file (mode 0600) keeps its hash.
 *
 * @throws {AppError} `OVERLOADED` where there are too many.
 */
export function createToken(dataDir: string, wish: NewToken): { token: string; row: TokenRow } {
  const { rows } = readTokens(dataDir);
  if (rows.length >= TOKENS_MAX) {
    const data = { received: rows.length, allowed: TOKENS_MAX };
    throw new AppError('OVERLOADED', { message: 'There are too many tokens.', data });
  }
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const row = { id, ...wish, createdAt: new Date().toISOString() };
  append(dataDir, { ...row, sha256: hashOf(secret).toString('hex') });
  return { token: `stoa_${id}_${secret}`, row };
}

/** The tokens of a data directory, the oldest first. */
export function listTokens(dataDir: string): readonly TokenRow[] {
  return readTokens(dataDir).rows.map(({ sha256: _sha256, ...row }) => row);
}

/**
 * Takes a token back; a server that runs refuses it from its next request on.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN` for an id that no token has.
 */
export function revokeToken(dataDir: string, id: string): void {
  if (!readTokens(dataDir).rows.some((row) => row.id === id)) {
    const received = id.slice(0, 40);
    const message = `There is no token ${JSON.stringify(received)}; stoa token list tells them.`;
    throw new AppError('RESOURCE_UNKNOWN', { message, data: { received } });
  }
  append(dataDir, { revoked: id, at: new Date().toISOString() });
}

/**
 * The grants of a data directory's tokens; what another process changes there is seen at once. A
 * file that cannot be read lets nobody in, and is told.
 */
export function openTokens(
  dataDir: string,
  notice: (line: string) => void,
): (presented: string) => Grant | undefined {
  let known: { readonly stamp: string; readonly live: ReadonlyMap<string, Kept> } | undefined;
  const live = (): ReadonlyMap<string, Kept> => {
    const stamp = stampOf(tokensPath(dataDir));
    if (known?.stamp !== stamp) {
      known = { stamp, live: new Map(liveRows(dataDir, notice).map((row) => [row.id, row])) };
    }
    return known.live;
  };
  return (presented) => {
    const [, id = '', secret = ''] = TOKEN.exec(presented) ?? [];
    const row = id === '' ? undefined : live().get(id);
    if (row === undefined) return undefined;
    const isOne = timingSafeEqual(hashOf(secret), Buffer.from(row.sha256, 'hex'));
    return isOne ? grantOf(row) : undefined;
  };
}

function liveRows(dataDir: string, notice: (line: string) => void): readonly Kept[] {
  try {
    return readTokens(dataDir).rows.filter(({ revokedAt }) => revokedAt === undefined);
  } catch (thrown) {
    notice(`tokens: ${toAppError(thrown).message}`);
    return [];
  }
}

function grantOf({ id, workspaceId, toolsets, isReadOnly }: Kept): Grant {
  return {
    tokenId: id,
    isReadOnly,
    ...(workspaceId === undefined ? {} : { workspaceId }),
    ...(toolsets === undefined ? {} : { toolsets }),
  };
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Size and time of the file; lines are only ever added, so a change shows in its size. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** One write of one line, never behind one that a crash has torn; two at once do not mix theirs. */
function append(dataDir: string, line: object): void {
  appendFileSync(tokensPath(dataDir), `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
}

function readTokens(dataDir: string): { readonly rows: readonly (Kept & TokenRow)[] } {
  const path = tokensPath(dataDir);
  if (!existsSync(path)) return { rows: [] };
  const rows = new Map<string, Kept & TokenRow>();
  for (const [at, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (line === '') continue;
    const said = readLine(line);
    if (said === undefined) throw unreadable(path, at + 1);
    const known = 'revoked' in said ? rows.get(said.revoked) : undefined;
    if ('id' in said) rows.set(said.id, said);
    else if (known !== undefined) rows.set(known.id, { ...known, revokedAt: said.at });
  }
  return { rows: [...rows.values()] };
}

function readLine(line: string): Kept | z.infer<typeof Revoked> | undefined {
  try {
    return z.union([Kept, Revoked]).safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A line that cannot be read may be one that takes a token back: nobody is let in by the rest. */
function unreadable(path: string, line: number): AppError {
  const message = `Line ${line} of the file of tokens cannot be read; mend or remove it.`;
  return new AppError('CONFIG_INVALID', { message, data: { file: path, line } });
}
