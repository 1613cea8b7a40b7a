import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import {
  createToken,
  listTokens,
  revokeToken,
  TOKEN_NAME_CHARS_MAX,
  type TokenRow,
} from '../../process/hosting/hosting-tokens.ts';
import { HOSTING_TOOLS } from '../../tools/service/hosting-tools.ts';
import { ALL_GROUPS } from '../../tools/service/tool-groups.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';

/** The group that every token includes; without it a caller cannot find its workspace. */
const REQUIRED_GROUP = 'workspaces';
const WORKSPACE = /^tea-[0-9a-z]{1,60}$/;

/**
 * `stoa token create`: creates a token of the hosting server, optionally limited to one workspace,
 * to some toolsets, or to read-only tools.
 */
export function create(flags: Input<typeof OPERATE.tokenCreate>): number {
  const { name, workspace, toolsets } = flags;
  if (name === '' || name.length > TOKEN_NAME_CHARS_MAX || /\p{Cc}/u.test(name)) {
    throw flagError(
      '--name',
      name,
      `1 to ${TOKEN_NAME_CHARS_MAX} characters, without control characters`,
    );
  }
  if (workspace !== undefined && !WORKSPACE.test(workspace)) {
    throw flagError('--workspace', workspace, 'the id of a workspace, tea-…');
  }
  const dataDir = resolve(flags.data);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const made = createToken(dataDir, {
    name,
    isReadOnly: flags['read-only'],
    ...(workspace === undefined ? {} : { workspaceId: workspace }),
    ...(toolsets === undefined ? {} : { toolsets: parseGroups(toolsets) }),
  });
  const lines = [made.token, `The token is shown only this once. ${formatToken(made.row)}`];
  printLines(flags.json ? [JSON.stringify({ token: made.token, ...made.row })] : lines);
  return 0;
}

/** `stoa token list`: lists the tokens without their values. */
export function list({ data, json }: Input<typeof OPERATE.tokenList>): number {
  const rows = listTokens(resolve(data));
  printLines(rows.map((row) => (json ? JSON.stringify(row) : formatToken(row))));
  return 0;
}

/** `stoa token revoke`: revokes a token. */
export function revoke({ id, data, json }: Input<typeof OPERATE.tokenRevoke>): number {
  revokeToken(resolve(data), id);
  printLines([json ? JSON.stringify({ revoked: id }) : `Revoked ${id}.`]);
  return 0;
}

function parseGroups(text: string): readonly string[] {
  const known = [...new Set(Object.values(HOSTING_TOOLS).map(({ group }) => group))];
  const given = text.split(',').map((name) => name.trim());
  const unknown = given.find((name) => !known.includes(name) && name !== ALL_GROUPS);
  if (unknown !== undefined) throw flagError('--toolsets', unknown, known.join(', '));
  return [...new Set([REQUIRED_GROUP, ...given])];
}

function flagError(flag: string, received: string, allowed: string): AppError {
  const message = `${flag} is ${JSON.stringify(received.slice(0, 100))}; it must be: ${allowed}.`;
  return new AppError('CONFIG_INVALID', { message });
}

function formatToken({ id, name, workspaceId, toolsets, isReadOnly, revokedAt }: TokenRow): string {
  const parts = [
    `workspace ${workspaceId ?? 'any'}`,
    `toolsets ${(toolsets ?? [ALL_GROUPS]).join(', ')}`,
    ...(isReadOnly ? ['read-only'] : []),
    ...(revokedAt === undefined ? [] : [`revoked ${revokedAt}`]),
  ];
  return `${id} ${name}: ${parts.join('; ')}`;
}

function printLines(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
