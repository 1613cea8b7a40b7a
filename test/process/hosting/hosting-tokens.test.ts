import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import {
  createToken,
  listTokens,
  openGrants,
  revokeToken,
  TOKENS_MAX,
  tokensPath,
} from '../../../src/process/hosting/hosting-tokens.ts';
import { tempDir } from '../../support/temp-dir.ts';

const WISH = { name: 'ci', isReadOnly: false };
const silent = (): void => undefined;

function folder(): string {
  const { path, remove } = tempDir();
  onTestFinished(remove);
  return path;
}

test('a token is kept as its hash, in a file of its owner', () => {
  const dataDir = folder();
  const { token, row } = createToken(dataDir, { ...WISH, workspaceId: 'tea-a' });
  expect(token).toMatch(/^stoa_[0-9a-f]{16}_[\w-]{43}$/);
  const text = readFileSync(tokensPath(dataDir), 'utf8');
  const secret = token.slice(`stoa_${row.id}_`.length);
  expect(text).not.toContain(secret);
  expect(text).toContain(createHash('sha256').update(secret).digest('hex'));
  expect(statSync(tokensPath(dataDir)).mode & 0o777).toBe(0o600);
  expect(listTokens(dataDir)).toEqual([row]);
  expect(JSON.stringify(listTokens(dataDir))).not.toContain('sha256');
});

test('a token gives what it was made for, and nothing near it does', () => {
  const dataDir = folder();
  const grantOf = openGrants(dataDir, silent);
  expect(grantOf('')).toBeUndefined();
  const wish = { ...WISH, workspaceId: 'tea-a', toolsets: ['logs'], isReadOnly: true };
  const { token, row } = createToken(dataDir, wish);
  const { name: _name, ...granted } = wish;
  expect(grantOf(token)).toEqual({ tokenId: row.id, ...granted });
  const other = createToken(dataDir, WISH).token;
  expect(grantOf(other)).toEqual({ tokenId: expect.any(String), isReadOnly: false });
  const swapped = `${token.slice(0, 22)}${other.slice(22)}`;
  const near = [
    token.slice(0, -1),
    `${token}x`,
    ` ${token}`,
    token.toUpperCase(),
    swapped,
    'stoa__',
  ];
  for (const one of near) expect([one, grantOf(one)]).toEqual([one, undefined]);
});

test('a token that is taken back is refused by a process that has it open', () => {
  const dataDir = folder();
  const grantOf = openGrants(dataDir, silent);
  const { token, row } = createToken(dataDir, WISH);
  const kept = createToken(dataDir, WISH).token;
  expect(grantOf(token)).toBeDefined();
  revokeToken(dataDir, row.id);
  expect(grantOf(token)).toBeUndefined();
  expect(grantOf(kept)).toBeDefined();
  expect(listTokens(dataDir)[0]).toMatchObject({ id: row.id, revokedAt: expect.any(String) });
  expect(() => revokeToken(dataDir, 'none')).toThrow('No token has the id "none"');
});

test('a file that cannot be read lets nobody in, and is told', () => {
  const dataDir = folder();
  const told: string[] = [];
  const grantOf = openGrants(dataDir, (line) => told.push(line));
  const { token } = createToken(dataDir, WISH);
  appendFileSync(tokensPath(dataDir), '{"revoked":"ab');
  expect(grantOf(token)).toBeUndefined();
  expect(told).toEqual([expect.stringMatching(/^tokens: Line \d+ of the token file/)]);
  expect(() => listTokens(dataDir)).toThrow('cannot be read');
});

test('a torn line does not swallow the one that comes after it', () => {
  const dataDir = folder();
  const { row } = createToken(dataDir, WISH);
  appendFileSync(tokensPath(dataDir), '{"torn');
  expect(() => revokeToken(dataDir, row.id)).toThrow('cannot be read');
  const text = readFileSync(tokensPath(dataDir), 'utf8');
  expect(text.split('\n').filter((line) => line.startsWith('{'))).toHaveLength(2);
});

test('there are at most so many', () => {
  const dataDir = folder();
  const { row } = createToken(dataDir, WISH);
  const line = { ...row, sha256: 'a'.repeat(64) };
  const more = Array.from({ length: TOKENS_MAX - 1 }, (_, at) => ({ ...line, id: `t${at}` }));
  appendFileSync(tokensPath(dataDir), more.map((one) => `${JSON.stringify(one)}\n`).join(''));
  expect(() => createToken(dataDir, WISH)).toThrow('Too many tokens');
});
