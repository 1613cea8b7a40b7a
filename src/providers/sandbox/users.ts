import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from './write-atomically.ts';

/**
 * A range of user ids for the programs hosted from one folder. Nothing else on the machine uses it.
 */
export interface UserRange {
  /** Short and stable name of the folder. */
  readonly name: string;
  /** The user that fetches sources. Those of tenants follow. */
  readonly first: number;
  readonly last: number;
}

/** Users per folder. */
const BLOCK_USERS = 2_048;
/** Bounds of the user ids that neither distributions nor systemd assign. */
const FIRST_USER_ID = 1_879_048_192;
const LAST_USER_ID = 2_147_352_575;
const BLOCKS = Math.floor((LAST_USER_ID - FIRST_USER_ID + 1) / BLOCK_USERS);
/** Folder in which servers of one machine record their user ids. It is empty after a reboot. */
const CLAIMS_FOLDER = '/run/stoa/users';

interface Claim {
  readonly root: string;
  readonly first: number;
}

/**
 * Returns the users of a folder. They stay the same, and they never overlap with those of another
 * existing folder on this machine.
 *
 * @param claims - Folder of the claims, which tests replace.
 */
export function claimUsers(root: string, claims = CLAIMS_FOLDER): UserRange {
  if (process.getuid?.() !== 0)
    return { name: shortName(root), ...userRangeAt(preferredBlock(root)) };
  mkdirSync(claims, { recursive: true, mode: 0o755 });
  const claimedFirsts = new Set(
    readClaims(claims)
      .filter((claim) => claim.root !== root && existsSync(claim.root))
      .map(({ first }) => first),
  );
  let block = preferredBlock(root);
  while (claimedFirsts.has(userRangeAt(block).first)) block = (block + 1) % BLOCKS;
  const claim: Claim = { root, first: userRangeAt(block).first };
  writeAtomically(join(claims, `${shortName(root)}.json`), JSON.stringify(claim));
  return { name: shortName(root), ...userRangeAt(block) };
}

/** Returns the users of folders that no longer exist. */
export function findStaleClaims(claims = CLAIMS_FOLDER): readonly UserRange[] {
  return readClaims(claims)
    .filter(({ root }) => !existsSync(root))
    .map(({ root, first }) => ({ name: shortName(root), first, last: first + BLOCK_USERS - 1 }));
}

/** Releases the users of a folder. */
export function releaseClaim({ name }: UserRange, claims = CLAIMS_FOLDER): void {
  rmSync(join(claims, `${name}.json`), { force: true });
}

function shortName(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 12);
}

function preferredBlock(root: string): number {
  return createHash('sha256').update(root).digest().readUInt32BE(0) % BLOCKS;
}

function userRangeAt(block: number): Omit<UserRange, 'name'> {
  const first = FIRST_USER_ID + block * BLOCK_USERS;
  return { first, last: first + BLOCK_USERS - 1 };
}

function readClaims(claims: string): readonly Claim[] {
  if (!existsSync(claims)) return [];
  return readdirSync(claims).flatMap((name) => readClaim(join(claims, name)));
}

function readClaim(file: string): readonly Claim[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as Claim];
  } catch {
    return [];
  }
}
