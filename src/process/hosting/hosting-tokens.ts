import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, toAppError } from '../../domain/common/error.ts';
import type { Grant } from '../../domain/tool/tool.ts';

/** Most tokens per data directory, including revoked ones. */
export const TOKENS_MAX = 1_000;
/** Longest token name, in characters. */
export const TOKEN_NAME_CHARS_MAX = 100;

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const TOKEN = /^stoa_([0-9a-f]{16})_([\w-]{43})$/;

/** A stored token, with the SHA-256 of its secret instead of the secret. */
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

/** A token as listed to the operator. */
export interface TokenRow extends Omit<Kept, 'sha256'> {
  readonly revokedAt?: string;
}

/** The grants of a new token. */
export type NewToken = Pick<Kept, 'name' | 'workspaceId' | 'toolsets' | 'isReadOnly'>;

/** Returns the path of the token file in a data directory. It is append-only, one fact per line. */
export function tokensPath(dataDir: string): string {
  return join(dataDir, 'tokens.jsonl');
}

/**
 * Creates a token. It is returned once; the file (mode 0600) stores only its hash.
 *
 * @throws {AppError} `OVERLOADED` when there are too many tokens.
 */
export function createToken(dataDir: string, wish: NewToken): { token: string; row: TokenRow } {
  const { rows } = readTokens(dataDir);
  if (rows.length >= TOKENS_MAX) {
    const data = { received: rows.length, allowed: TOKENS_MAX };
    throw new AppError('OVERLOADED', { message: 'Too many tokens.', data });
  }
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const row = { id, ...wish, createdAt: new Date().toISOString() };
  appendLine(dataDir, { ...row, sha256: hashSecret(secret).toString('hex') });
  return { token: `stoa_${id}_${secret}`, row };
}

/** Returns the tokens of a data directory, oldest first. */
export function listTokens(dataDir: string): readonly TokenRow[] {
  return readTokens(dataDir).rows.map(({ sha256: _sha256, ...row }) => row);
}

/**
 * Revokes a token. A running server rejects it from the next request on.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN` for an unknown id.
 */
export function revokeToken(dataDir: string, id: string): void {
  if (!readTokens(dataDir).rows.some((row) => row.id === id)) {
    const received = id.slice(0, 40);
    const advice = 'List tokens with `stoa token list`.';
    const message = `No token has the id ${JSON.stringify(received)}. ${advice}`;
    throw new AppError('RESOURCE_UNKNOWN', { message, data: { received } });
  }
  appendLine(dataDir, { revoked: id, at: new Date().toISOString() });
}

/**
 * Opens the grants of a data directory's tokens. Changes by other processes apply at once. If the
 * file is unreadable, all tokens are rejected and the operator is notified.
 */
export function openGrants(
  dataDir: string,
  notice: (line: string) => void,
): (presented: string) => Grant | undefined {
  let cached: { readonly stamp: string; readonly live: ReadonlyMap<string, Kept> } | undefined;
  const activeTokens = (): ReadonlyMap<string, Kept> => {
    const stamp = changeMarker(tokensPath(dataDir));
    if (cached?.stamp !== stamp) {
      cached = {
        stamp,
        live: new Map(readActiveRows(dataDir, notice).map((row) => [row.id, row])),
      };
    }
    return cached.live;
  };
  return (presented) => {
    const [, id = '', secret = ''] = TOKEN.exec(presented) ?? [];
    const row = id === '' ? undefined : activeTokens().get(id);
    if (row === undefined) return undefined;
    const isOne = timingSafeEqual(hashSecret(secret), Buffer.from(row.sha256, 'hex'));
    return isOne ? toGrant(row) : undefined;
  };
}

function readActiveRows(dataDir: string, notice: (line: string) => void): readonly Kept[] {
  try {
    return readTokens(dataDir).rows.filter(({ revokedAt }) => revokedAt === undefined);
  } catch (thrown) {
    notice(`tokens: ${toAppError(thrown).message}`);
    return [];
  }
}

function toGrant({ id, workspaceId, toolsets, isReadOnly }: Kept): Grant {
  return {
    tokenId: id,
    isReadOnly,
    ...(workspaceId === undefined ? {} : { workspaceId }),
    ...(toolsets === undefined ? {} : { toolsets }),
  };
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Returns a change marker of the file. Lines are only appended, so each change alters its size. */
function changeMarker(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/**
 * Writes one line at once, after a line break that isolates a torn line. Concurrent writes do not
 * mix.
 */
function appendLine(dataDir: string, line: object): void {
  appendFileSync(tokensPath(dataDir), `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
}

function readTokens(dataDir: string): { readonly rows: readonly (Kept & TokenRow)[] } {
  const path = tokensPath(dataDir);
  if (!existsSync(path)) return { rows: [] };
  const rows = new Map<string, Kept & TokenRow>();
  for (const [at, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (line === '') continue;
    const fact = readLine(line);
    if (fact === undefined) throw unreadableLineError(path, at + 1);
    const known = 'revoked' in fact ? rows.get(fact.revoked) : undefined;
    if ('id' in fact) rows.set(fact.id, fact);
    else if (known !== undefined) rows.set(known.id, { ...known, revokedAt: fact.at });
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

/**
 * Rejects the whole file: an unreadable line may revoke a token, so no other line can be trusted.
 */
function unreadableLineError(path: string, line: number): AppError {
  const message = `Line ${line} of the token file cannot be read. Fix or delete it.`;
  return new AppError('CONFIG_INVALID', { message, data: { file: path, line } });
}
