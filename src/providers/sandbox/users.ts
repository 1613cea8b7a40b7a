import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './whole.ts';

/** Users of the programs that are hosted from one folder: nobody else on the machine has them. */
export interface UserBlock {
  /** Names the folder, short and the same each time. */
  readonly name: string;
  /** The user that fetches sources; those of tenants are behind it. */
  readonly first: number;
  readonly last: number;
}

/** Users of one folder. */
const BLOCK_USERS = 2_048;
/** Users that distributions give to nobody and systemd leaves alone. */
const LOWEST = 1_879_048_192;
const HIGHEST = 2_147_352_575;
const BLOCKS = Math.floor((HIGHEST - LOWEST + 1) / BLOCK_USERS);
/** Where servers of one machine tell each other which users they have; empty after its restart. */
const CLAIMS = '/run/stoa/users';

interface Claim {
  readonly root: string;
  readonly first: number;
}

/**
 * The users of a folder: the same each time, and never those of another folder on this machine
 * that is still there.
 *
 * @param claims - Folder of the claims; another one in tests.
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

/** Users of folders that are not there any more. */
export function goneClaims(claims = CLAIMS): readonly UserBlock[] {
  return claimsIn(claims)
    .filter(({ root }) => !existsSync(root))
    .map(({ root, first }) => ({ name: nameOf(root), first, last: first + BLOCK_USERS - 1 }));
}

/** Gives the users of a folder back. */
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
