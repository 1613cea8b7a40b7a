import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './whole.ts';

/**
 * A range of user ids for the programs hosted from one folder. Nothing else on the machine uses it.
 */
export interface UserBlock {
  /** Short and stable name of the folder. */
  readonly name: string;
  /** The user that fetches sources. Those of tenants follow. */
  readonly first: number;
  readonly last: number;
}

/** Users per folder. */
const BLOCK_USERS = 2_048;
/** Bounds of the user ids that neither distributions nor systemd assign. */
const LOWEST = 1_879_048_192;
const HIGHEST = 2_147_352_575;
const BLOCKS = Math.floor((HIGHEST - LOWEST + 1) / BLOCK_USERS);
/** Folder in which servers of one machine record their user ids. It is empty after a reboot. */
const CLAIMS = '/run/stoa/users';

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
export function claimUsers(root: string, claims = CLAIMS): UserBlock {
  if (process.getuid?.() !== 0) return { name: nameOf(root), ...blockAt(wantedBlock(root)) };
  mkdirSync(claims, { recursive: true, mode: 0o755 });
  const taken = new Set(
    claimsIn(claims)
      .filter((claim) => claim.root !== root && existsSync(claim.root))
      .map(({ first }) => first),
  );
  let block = wantedBlock(root);
  while (taken.has(blockAt(block).first)) block = (block + 1) % BLOCKS;
  const claim: Claim = { root, first: blockAt(block).first };
  writeWhole(join(claims, `${nameOf(root)}.json`), JSON.stringify(claim));
  return { name: nameOf(root), ...blockAt(block) };
}

/** Returns the users of folders that no longer exist. */
export function goneClaims(claims = CLAIMS): readonly UserBlock[] {
  return claimsIn(claims)
    .filter(({ root }) => !existsSync(root))
    .map(({ root, first }) => ({ name: nameOf(root), first, last: first + BLOCK_USERS - 1 }));
}

/** Releases the users of a folder. */
export function forgetClaim({ name }: UserBlock, claims = CLAIMS): void {
  rmSync(join(claims, `${name}.json`), { force: true });
}

function nameOf(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 12);
}

function wantedBlock(root: string): number {
  return createHash('sha256').update(root).digest().readUInt32BE(0) % BLOCKS;
}

function blockAt(block: number): Omit<UserBlock, 'name'> {
  const first = LOWEST + block * BLOCK_USERS;
  return { first, last: first + BLOCK_USERS - 1 };
}

function claimsIn(claims: string): readonly Claim[] {
  if (!existsSync(claims)) return [];
  return readdirSync(claims).flatMap((name) => claimIn(join(claims, name)));
}

function claimIn(file: string): readonly Claim[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as Claim];
  } catch {
    return [];
  }
}
