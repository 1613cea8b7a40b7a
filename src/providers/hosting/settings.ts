import ipaddr from 'ipaddr.js';
import { AppError } from '../../domain/common/error.ts';

/** Hosting on this machine, as its operator wants it. */
export interface LocalHostingSettings {
  readonly provider: 'local';
  /**
   * The one folder of this machine that repositories may be taken from. With more than one
   * workspace each has the folder of its name in it.
   */
  readonly sources?: string;
  /** Names in that folder that every workspace may take from. */
  readonly sharedSources: readonly string[];
  /** Programs of others may be built and run here, however far this machine keeps them apart. */
  readonly trustsRepositories: boolean;
  /** What programs may reach beside the public internet and what is their own. */
  readonly reach: readonly ReachedRange[];
  /** Where services are reached; 0 takes a free port once, and keeps it. */
  readonly routerPort: number;
  /** Names of the workspaces; the first one is always there. */
  readonly workspaces: readonly string[];
}

/** A range of addresses, and the port there; all ports without one. */
export interface ReachedRange {
  readonly range: string;
  readonly port?: number;
}

/** Flags of `stoa serve` that speak of hosting. */
export interface HostingFlags {
  readonly hosting?: string | undefined;
  readonly 'hosting-sources'?: string | undefined;
  readonly 'hosting-shared-sources'?: string | undefined;
  readonly 'trust-repositories': boolean;
  readonly 'router-port'?: string | undefined;
}

const ROUTER_PORT_DEFAULT = '8480';
const WORKSPACES_DEFAULT = 'default';
const WORKSPACES_MAX = 100;
const REACH_MAX = 100;
const SHARED_MAX = 100;
const SHARED_NAME = /^(?!\.{1,2}$)[^/\0]{1,255}$/;
const WORKSPACE_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u;

/**
 * Reads what hosts services; `undefined` where nothing does. A flag goes before its variable.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the flag or variable, what it was, what is allowed.
 */
export function readHostingSettings(
  flags: HostingFlags,
  env: Readonly<Record<string, string | undefined>>,
): LocalHostingSettings | undefined {
  const provider = flags.hosting ?? env['STOA_HOSTING'] ?? '';
  // A second host has settings of its own.
  if (provider === '' || provider === 'rest') return undefined;
  if (provider !== 'local') throw invalid('STOA_HOSTING', provider, 'local, rest, or left out');
  const sources = flags['hosting-sources'] ?? env['STOA_HOSTING_SOURCES'] ?? '';
  if (sources !== '' && !sources.startsWith('/')) {
    throw invalid('STOA_HOSTING_SOURCES', sources, 'the absolute path of a folder');
  }
  const workspaces = readWorkspaces(env['STOA_HOSTING_WORKSPACES'] ?? WORKSPACES_DEFAULT);
  const named = flags['hosting-shared-sources'] ?? env['STOA_HOSTING_SHARED_SOURCES'] ?? '';
  if (sources !== '') refuseAlike(workspaces);
  return {
    provider,
    sharedSources: readShared(named, workspaces),
    ...(sources === '' ? {} : { sources }),
    trustsRepositories: flags['trust-repositories'],
    reach: readReach(env['STOA_HOSTING_REACH'] ?? ''),
    routerPort: readPort(flags['router-port'] ?? env['STOA_ROUTER_PORT'] ?? ROUTER_PORT_DEFAULT),
    workspaces,
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw invalid('STOA_ROUTER_PORT', text, 'a whole number from 0 to 65535');
}

/** Ranges with commas between them, each `10.1.0.0/16`, `10.1.2.3:5432` or `[fd00::1]:5432`. */
function readReach(text: string): readonly ReachedRange[] {
  const words = text.split(',').map((word) => word.trim());
  const ranges = words.filter((word) => word !== '').map(rangeOf);
  if (ranges.length <= REACH_MAX) return ranges;
  throw invalid('STOA_HOSTING_REACH', `${ranges.length} ranges`, `at most ${REACH_MAX} ranges`);
}

function rangeOf(word: string): ReachedRange {
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(word) ?? [];
  const range = six ?? four ?? word;
  const isGood = ipaddr.isValidCIDR(range) || ipaddr.isValid(range);
  if (!isGood || (port !== undefined && !isPort(port))) {
    const allowed = 'ranges such as 10.1.0.0/16, 10.1.2.3:5432 or [fd00::1]:5432, with commas';
    throw invalid('STOA_HOSTING_REACH', word.slice(0, 200), allowed);
  }
  return port === undefined ? { range } : { range, port: Number(port) };
}

function isPort(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 65_535;
}

function readWorkspaces(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const isGood = names.every((name) => WORKSPACE_NAME.test(name));
  if (isGood && new Set(names).size === names.length && names.length <= WORKSPACES_MAX) {
    return names;
  }
  const allowed = `up to ${WORKSPACES_MAX} different names with commas between them`;
  throw invalid('STOA_HOSTING_WORKSPACES', text.slice(0, 200), allowed);
}

/** Workspaces whose folders are the same one where a file system takes no account of case. */
function refuseAlike(workspaces: readonly string[]): void {
  const alike = new Set(workspaces.map(folded));
  if (alike.size === workspaces.length) return;
  const allowed =
    'names that differ in more than case, as each is a folder of STOA_HOSTING_SOURCES';
  throw invalid('STOA_HOSTING_WORKSPACES', workspaces.join(',').slice(0, 200), allowed);
}

/** Names of folders with commas between them; none is that of a workspace. */
function readShared(text: string, workspaces: readonly string[]): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const shared = names.filter((name) => name !== '');
  const owned = new Set(workspaces.map(folded));
  const isGood = shared.every(
    (name) => SHARED_NAME.test(name) && (workspaces.length === 1 || !owned.has(folded(name))),
  );
  if (isGood && shared.length <= SHARED_MAX) return shared;
  const allowed =
    `up to ${SHARED_MAX} names of folders in STOA_HOSTING_SOURCES with commas between them, ` +
    'and no name of a workspace';
  throw invalid('STOA_HOSTING_SHARED_SOURCES', text.slice(0, 200), allowed);
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function invalid(name: string, received: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${name} is ${JSON.stringify(received)}; it must be ${allowed}.`,
    data: { name, received, allowed },
  });
}
