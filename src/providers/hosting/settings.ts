import ipaddr from 'ipaddr.js';
import { invalidSetting } from '../../domain/common/error.ts';

/** Settings for hosting on this machine. */
export interface LocalHostingSettings {
  readonly provider: 'local';
  /** Whether nobody asked for hosting: then the first call opens it. */
  readonly isDefault: boolean;
  /**
   * The only local folder from which repositories may be used. With several workspaces, each uses
   * the subfolder with its name.
   */
  readonly sources?: string;
  /** Names in that folder that every workspace may use. */
  readonly sharedSources: readonly string[];
  /** Whether third-party programs may be built and run here regardless of the isolation level. */
  readonly trustsRepositories: boolean;
  /**
   * Address ranges that programs may reach in addition to the public internet and their own
   * services.
   */
  readonly reach: readonly ReachedRange[];
  /** Port at which services are reached; 0 chooses a free port once and keeps it. */
  readonly routerPort: number;
  /** Names of the workspaces; the first one always exists. */
  readonly workspaces: readonly string[];
}

/** An address range and its port; without a port, all ports. */
export interface ReachedRange {
  readonly range: string;
  readonly port?: number;
}

/** Hosting flags of `stoa serve`. */
export interface HostingFlags {
  readonly hosting?: string | undefined;
  readonly 'hosting-sources'?: string | undefined;
  readonly 'hosting-shared-sources'?: string | undefined;
  readonly 'trust-repositories': boolean;
  readonly 'router-port'?: string | undefined;
}

const LOCAL = 'local';
const OFF = 'off';
const ROUTER_PORT_DEFAULT = '8480';
/** Several servers on one machine host by default, so none of them may insist on a port. */
const ANY_PORT = '0';
const WORKSPACES_DEFAULT = 'default';
const WORKSPACES_MAX = 100;
const REACH_MAX = 100;
const SHARED_MAX = 100;
const SHARED_NAME = /^(?!\.{1,2}$)[^/\0]{1,255}$/;
const WORKSPACE_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u;

/**
 * Reads the hosting settings; `undefined` if hosting is off. A flag overrides its variable.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the flag or variable, its value, and what is allowed.
 */
export function readHostingSettings(
  flags: HostingFlags,
  env: Readonly<Record<string, string | undefined>>,
): LocalHostingSettings | undefined {
  const provider = flags.hosting ?? env['STOA_HOSTING'] ?? '';
  if (provider === OFF) return undefined;
  const isDefault = provider === '';
  if (!isDefault && provider !== LOCAL) {
    throw invalidSetting('STOA_HOSTING', provider, `${LOCAL}, ${OFF} or unset`);
  }
  const sources = flags['hosting-sources'] ?? env['STOA_HOSTING_SOURCES'] ?? '';
  if (sources !== '' && !sources.startsWith('/')) {
    throw invalidSetting('STOA_HOSTING_SOURCES', sources, 'the absolute path of a folder');
  }
  const workspaces = parseWorkspaces(env['STOA_HOSTING_WORKSPACES'] ?? WORKSPACES_DEFAULT);
  const named = flags['hosting-shared-sources'] ?? env['STOA_HOSTING_SHARED_SOURCES'] ?? '';
  if (sources !== '') assertDistinctFolders(workspaces);
  const defaultPort = isDefault ? ANY_PORT : ROUTER_PORT_DEFAULT;
  return {
    provider: LOCAL,
    isDefault,
    sharedSources: parseSharedSources(named, workspaces),
    ...(sources === '' ? {} : { sources }),
    trustsRepositories: flags['trust-repositories'],
    reach: parseReach(env['STOA_HOSTING_REACH'] ?? ''),
    routerPort: parsePort(flags['router-port'] ?? env['STOA_ROUTER_PORT'] ?? defaultPort),
    workspaces,
  };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw invalidSetting('STOA_ROUTER_PORT', text, 'an integer from 0 to 65535');
}

/** Parses comma-separated ranges, each `10.1.0.0/16`, `10.1.2.3:5432` or `[fd00::1]:5432`. */
function parseReach(text: string): readonly ReachedRange[] {
  const words = text.split(',').map((word) => word.trim());
  const ranges = words.filter((word) => word !== '').map(parseRange);
  if (ranges.length <= REACH_MAX) return ranges;
  throw invalidSetting(
    'STOA_HOSTING_REACH',
    `${ranges.length} ranges`,
    `at most ${REACH_MAX} ranges`,
  );
}

function parseRange(word: string): ReachedRange {
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(word) ?? [];
  const range = six ?? four ?? word;
  const isGood = ipaddr.isValidCIDR(range) || ipaddr.isValid(range);
  if (!isGood || (port !== undefined && !isPort(port))) {
    const allowed = 'comma-separated ranges such as 10.1.0.0/16, 10.1.2.3:5432 or [fd00::1]:5432';
    throw invalidSetting('STOA_HOSTING_REACH', word.slice(0, 200), allowed);
  }
  return port === undefined ? { range } : { range, port: Number(port) };
}

function isPort(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 65_535;
}

function parseWorkspaces(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const isGood = names.every((name) => WORKSPACE_NAME.test(name));
  if (isGood && new Set(names).size === names.length && names.length <= WORKSPACES_MAX) {
    return names;
  }
  const allowed = `up to ${WORKSPACES_MAX} different names, separated by commas`;
  throw invalidSetting('STOA_HOSTING_WORKSPACES', text.slice(0, 200), allowed);
}

/** Rejects workspaces whose folders would be the same on a case-insensitive file system. */
function assertDistinctFolders(workspaces: readonly string[]): void {
  const alike = new Set(workspaces.map(foldName));
  if (alike.size === workspaces.length) return;
  const allowed =
    'names that differ in more than case, since each is a folder in STOA_HOSTING_SOURCES';
  throw invalidSetting('STOA_HOSTING_WORKSPACES', workspaces.join(',').slice(0, 200), allowed);
}

/** Parses comma-separated folder names; none may be that of a workspace. */
function parseSharedSources(text: string, workspaces: readonly string[]): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const shared = names.filter((name) => name !== '');
  const owned = new Set(workspaces.map(foldName));
  const isGood = shared.every(
    (name) => SHARED_NAME.test(name) && (workspaces.length === 1 || !owned.has(foldName(name))),
  );
  if (isGood && shared.length <= SHARED_MAX) return shared;
  const allowed =
    `up to ${SHARED_MAX} comma-separated names of folders in STOA_HOSTING_SOURCES, ` +
    'none of them a workspace name';
  throw invalidSetting('STOA_HOSTING_SHARED_SOURCES', text.slice(0, 200), allowed);
}

function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
