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
import { readFlags } from '../common/flags.ts';

type Run = (argv: readonly string[]) => number;

const ACTIONS: Readonly<Record<string, Run>> = { create, list, revoke };

const USAGE = [
  'stoa token create --name <name> [--workspace <id>] [--toolsets a,b] [--read-only]',
  'stoa token list',
  'stoa token revoke <id>',
  'each with --data <folder> and --json',
].join('\n');

const SHARED = {
  data: { type: 'string', default: './data' },
  json: { type: 'boolean', default: false },
} as const;

/** The group that every token includes; without it a caller cannot find its workspace. */
const REQUIRED_GROUP = 'workspaces';
const WORKSPACE = /^tea-[0-9a-z]{1,60}$/;

/**
 * `stoa token create|list|revoke`: manages additional tokens of the hosting server, each optionally
 * limited to one workspace, to some toolsets, or to read-only tools.
 */
export async function token([move = '', ...rest]: readonly string[]): Promise<number> {
  const run = Object.hasOwn(ACTIONS, move) ? ACTIONS[move] : undefined;
  if (run === undefined) throw new AppError('CONFIG_INVALID', { message: `Usage:\n${USAGE}` });
  return run(rest);
}

function create(argv: readonly string[]): number {
  const flags = readFlags(argv, {
    ...SHARED,
    name: { type: 'string', default: '' },
    workspace: { type: 'string' },
    toolsets: { type: 'string' },
    'read-only': { type: 'boolean', default: false },
  });
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

function list(argv: readonly string[]): number {
  const { data, json } = readFlags(argv, SHARED);
  const rows = listTokens(resolve(data));
  printLines(rows.map((row) => (json ? JSON.stringify(row) : formatToken(row))));
  return 0;
}

function revoke([id = '', ...rest]: readonly string[]): number {
  if (id === '' || id.startsWith('-')) {
    throw new AppError('CONFIG_INVALID', { message: `The token id is missing.\n${USAGE}` });
  }
  const { data, json } = readFlags(rest, SHARED);
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
