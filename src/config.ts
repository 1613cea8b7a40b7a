import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Input, parseInput } from './cli/common/usage.ts';
import { SERVE } from './cli/usage/serve.ts';
import { AppError, invalidSetting } from './domain/common/error.ts';
import { trimEndChars } from './domain/common/text.ts';
import { MINUTE_MS } from './domain/common/time.ts';
import { type LocalHostingSettings, readHostingSettings } from './providers/hosting/settings.ts';
import {
  type NotificationSettings,
  readNotificationSettings,
} from './providers/notification/settings.ts';
import {
  type FacilitatorSettings,
  readFacilitatorSettings,
} from './providers/payment/facilitator.ts';
import { type AuditSettings, readAuditSettings } from './providers/target/audit-settings.ts';
import { readTelemetrySettings } from './providers/telemetry/read-settings.ts';
import type { TelemetrySettings } from './providers/telemetry/settings.ts';
import {
  type AuthoritySettings,
  readAuthoritySettings,
} from './transport/http/authority-settings.ts';

/** All settings from flags and environment, parsed once at startup. */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly dataDir: string;
  readonly http: 'auto' | 'uws' | 'node';
  /** Print one JSON line when ready, instead of text for people. */
  readonly json: boolean;
  readonly conformanceFixtures: boolean;
  /** Exit when the last local client has left and nothing is due. For daemons that stdio starts. */
  readonly untilIdle: boolean;
  /** Tool groups to serve, always with `core`. All groups when absent. */
  readonly toolsets?: readonly string[];
  /** Serve only tools that change nothing. */
  readonly readOnly: boolean;
  /** Apply the front's rate limits to local callers too. */
  readonly limitLocal: boolean;
  /**
   * Set when the server runs for third parties. It then rejects databases that need an allowlist.
   */
  readonly hosted: boolean;
  /** The operator's statement about a copied data directory. */
  readonly accepted?: 'moved' | 'restored';
  /** Console actions that the operator allows. Empty means read-only. */
  readonly consoleActions: readonly ConsoleAction[];
  readonly publicUrl?: string;
  readonly trustedProxies: readonly string[];
  /** Hosts and origins that are allowed beside the server's own. */
  readonly authority: AuthoritySettings;
  readonly operatorContact?: string;
  /** `STOA_LLM_MODELS`, unparsed. */
  readonly llmModels: string;
  /** `STOA_LLM_PRICES`, unparsed: `vendor:model=input/output`, in dollars per million tokens. */
  readonly llmPrices: string;
  /** `STOA_YOUTUBE_CAPTIONS`: allows fetching video captions, which YouTube's terms forbid. */
  readonly youtubeCaptions: boolean;
  /** Reads a secret from the variable itself, or from the file that `<name>_FILE` names. */
  secret(name: string): string | undefined;
  /** An external chain. The embedded one is used when absent. */
  readonly rpc?: RpcConfig;
  /** Settles the payments to this server. The server does it itself when absent. */
  readonly facilitator?: FacilitatorSettings;
  /** `STOA_PASSPORT_ID`: the server's ERC-8004 passport. */
  readonly passportId?: string;
  /** How often a proof log that has grown is anchored. The chain's default when absent. */
  readonly anchorEveryMs?: number;
  /** `STOA_WITNESS_KEYS`: verifier keys of the witnesses whose cosignatures are accepted. */
  readonly witnessKeys: readonly string[];
  /** How the operator is notified, and which settings for it are missing. */
  readonly notify: NotificationSettings;
  /** Audit targets that are allowed beside public ones. */
  readonly audits: AuditSettings;
  /** The local hosting provider. Nothing is hosted when absent. */
  readonly hosting?: LocalHostingSettings;
  /** Where traces are sent. Nowhere when absent. */
  readonly telemetry?: TelemetrySettings;
  /** Present on a test server, with a simulated clock, fault injection and development actors. */
  readonly testControl?: TestControlConfig;
}

/** An action that an operator may enable for consoles. */
export type ConsoleAction = (typeof CONSOLE_ACTIONS)[number];

/** The initial settings of a test server. */
export interface TestControlConfig {
  /** Start time of the clock in a new data directory, in milliseconds. Default: now. */
  readonly beginAt?: number;
  /** Use production jobs and controls instead of development actors. */
  readonly hasRealKinds: boolean;
}

/** An external chain, reached by JSON-RPC. */
export interface RpcConfig {
  readonly url: string;
  readonly token: string;
  /** Blocks before a settlement counts, its own block included. The chain's default when absent. */
  readonly confirmations?: number;
  /** Addresses by contract name, such as `identity` or `escrow`. */
  readonly contracts: Readonly<Record<string, string>>;
  /** Daily budget for gas that is given away, in wei. The chain's default when absent. */
  readonly gasBudgetWei?: string;
  /** Price of the coin that pays for gas, in whole dollars. The chain's default when absent. */
  readonly gasCoinUsd?: number;
}

/** The process environment, as a plain record. */
export type Environment = Readonly<Record<string, string | undefined>>;

const CONSOLE_ACTIONS = ['send', 'retry', 'fork', 'hosting', 'reports'] as const;

/**
 * Parses the flags of `stoa serve` and the environment.
 *
 * @throws {AppError} `CONFIG_INVALID` with the flag or variable, the value received and the values
 * allowed.
 */
export function parseConfig(argv: readonly string[], env: Environment): Config {
  return readConfig(parseInput(SERVE.serve, argv), env);
}

type ServeFlags = Input<typeof SERVE.serve>;

/**
 * Checks the flags of `stoa serve` and the environment.
 *
 * @throws {AppError} `CONFIG_INVALID` as {@link parseConfig}
 */
export function readConfig(flags: ServeFlags, env: Environment): Config {
  const port = Number(flags.port);
  if (!/^\d{1,5}$/.test(flags.port) || port > 65_535) {
    throw invalidSetting('--port', flags.port, 'a whole number from 0 to 65535');
  }
  const toolsets = readList(flags.toolsets);
  const telemetry = readTelemetrySettings(env);
  const hosting = readHosting(flags, env);
  const facilitator = readFacilitatorSettings((name) => readSecret(name, env));
  const optional = {
    ...(toolsets.length > 0 ? { toolsets } : {}),
    ...(env['STOA_PUBLIC_URL'] ? { publicUrl: readUrl('STOA_PUBLIC_URL', env) } : {}),
    ...(env['STOA_OPERATOR_EMAIL'] ? { operatorContact: env['STOA_OPERATOR_EMAIL'] } : {}),
    ...(env['STOA_PASSPORT_ID'] ? { passportId: env['STOA_PASSPORT_ID'] } : {}),
    ...(readSecret('STOA_RPC_URL', env) === undefined ? {} : { rpc: readRpc(env) }),
    ...(facilitator === undefined ? {} : { facilitator }),
    ...(telemetry === undefined ? {} : { telemetry }),
    ...(hosting === undefined ? {} : { hosting }),
    ...(env['STOA_ANCHOR_EVERY_MINUTES'] ? { anchorEveryMs: readAnchorEvery(env) } : {}),
    ...readAcceptance(flags),
    ...readTestControl(flags, env),
  };
  return {
    host: flags.host,
    port,
    dataDir: resolve(flags.data),
    http: flags.http,
    json: flags.json,
    conformanceFixtures: flags['conformance-fixtures'],
    untilIdle: flags['until-idle'],
    readOnly: flags['read-only'],
    limitLocal: flags['limit-local'],
    hosted: flags.hosted,
    consoleActions: readConsoleActions(flags['console-actions'] ?? env['STOA_CONSOLE_ACTIONS']),
    trustedProxies: readList(env['STOA_TRUSTED_PROXIES']),
    authority: readAuthoritySettings(env),
    witnessKeys: readList(env['STOA_WITNESS_KEYS']),
    llmModels: env['STOA_LLM_MODELS'] ?? '',
    llmPrices: env['STOA_LLM_PRICES'] ?? '',
    youtubeCaptions: readSwitch('STOA_YOUTUBE_CAPTIONS', env),
    secret: (name) => readSecret(name, env),
    audits: readAuditSettings(flags, env),
    notify: readNotificationSettings({ env, secret: (name) => readSecret(name, env) }),
    ...optional,
  };
}

function readAcceptance({
  'accept-moved': isMoved,
  'accept-restored': isRestored,
}: ServeFlags): Pick<Config, 'accepted'> {
  if (isMoved && isRestored)
    throw invalidSetting('--accept-moved', 'given', 'without --accept-restored');
  if (isRestored) return { accepted: 'restored' };
  return isMoved ? { accepted: 'moved' } : {};
}

function readConsoleActions(text: string | undefined): readonly ConsoleAction[] {
  const named = readList(text);
  const unknown = named.filter((name) => !CONSOLE_ACTIONS.some((action) => action === name));
  if (unknown.length > 0) {
    throw invalidSetting(
      '--console-actions',
      unknown.join(','),
      `a list of ${CONSOLE_ACTIONS.join(', ')}`,
    );
  }
  return CONSOLE_ACTIONS.filter((action) => named.includes(action));
}

/** Rejects hosting under a simulated clock: hosted programs use the machine's clock. */
function readHosting(flags: ServeFlags, env: Environment) {
  const hosting = readHostingSettings(flags, env);
  if (hosting === undefined || !flags['test-control']) return hosting;
  if (hosting.isDefault) return undefined;
  throw invalidSetting('STOA_HOSTING', hosting.provider, 'off or unset beside --test-control');
}

/** Addresses that only this machine can reach. */
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
/** Variables that expose a server to third parties. A test server must not be exposed. */
const EXPOSING_VARIABLES = ['STOA_RPC_URL', 'STOA_PUBLIC_URL', 'STOA_TRUSTED_PROXIES'];

function readTestControl(
  { host, 'test-control': isWanted, 'test-clock': beginAt = '', ...flags }: ServeFlags,
  env: Environment,
): { readonly testControl?: TestControlConfig } {
  const { 'test-real-kinds': hasRealKinds } = flags;
  if (!isWanted) {
    const leftOut = 'omitted unless `--test-control` is set';
    if (beginAt !== '') throw invalidSetting('--test-clock', beginAt, leftOut);
    if (hasRealKinds) throw invalidSetting('--test-real-kinds', 'given', leftOut);
    return {};
  }
  if (!LOOPBACK.includes(host)) {
    throw invalidSetting('--host', host, `one of ${LOOPBACK.join(', ')} beside --test-control`);
  }
  for (const name of EXPOSING_VARIABLES) {
    if (env[name]) throw invalidSetting(name, env[name], 'unset beside --test-control');
  }
  if (beginAt === '') return { testControl: { hasRealKinds } };
  const at = /^\d{4}-\d\d-\d\dT/.test(beginAt) ? Date.parse(beginAt) : Number.NaN;
  if (at >= 0) return { testControl: { beginAt: at, hasRealKinds } };
  throw invalidSetting('--test-clock', beginAt, 'a time from 1970 on such as 2026-01-01T00:00:00Z');
}

function readUrl(name: string, env: Environment): string {
  const text = env[name] ?? '';
  if (!URL.canParse(text)) throw invalidSetting(name, text, 'an absolute http or https address');
  return trimEndChars(text, '/');
}

function readRpc(env: Environment): RpcConfig {
  const token = env['STOA_TOKEN_ADDRESS'] ?? '';
  if (!/^0x[0-9a-fA-F]{40}$/.test(token)) {
    throw invalidSetting('STOA_TOKEN_ADDRESS', token, 'the stablecoin’s address on that chain');
  }
  const text = env['STOA_CONFIRMATIONS'] ?? '';
  if (!/^\d{0,3}$/.test(text) || text === '0') {
    throw invalidSetting('STOA_CONFIRMATIONS', text, 'a whole number from 1 to 999');
  }
  const confirmations = text === '' ? {} : { confirmations: Number(text) };
  // Node providers put their key into the URL, so an error never repeats it.
  const url = trimEndChars(readSecret('STOA_RPC_URL', env) ?? '', '/');
  const allowed = 'an absolute http or https address';
  if (!URL.canParse(url)) throw invalidSetting('STOA_RPC_URL', 'not an address', allowed);
  return {
    url,
    token,
    contracts: readContracts(env),
    ...confirmations,
    ...readGasBudget(env),
    ...readGasCoin(env),
  };
}

/** Contracts of the service that an external chain may have. */
const CONTRACTS = ['identity', 'reputation', 'validation', 'escrow', 'anchor', 'prediction'];

function readContracts(env: Environment): Readonly<Record<string, string>> {
  const named = CONTRACTS.map((name) => {
    const variable = `STOA_${name.toUpperCase()}_ADDRESS`;
    const address = env[variable] ?? '';
    if (address !== '' && !/^0x[0-9a-fA-F]{40}$/.test(address)) {
      throw invalidSetting(variable, address, 'an address: 0x and 40 digits');
    }
    return [name, address.toLowerCase()] as const;
  });
  return Object.fromEntries(named.filter(([, address]) => address !== ''));
}

function readGasCoin(env: Environment): { readonly gasCoinUsd?: number } {
  const text = env['STOA_GAS_COIN_USD'] ?? '';
  if (text === '') return {};
  if (/^[1-9]\d{0,6}$/.test(text)) return { gasCoinUsd: Number(text) };
  throw invalidSetting('STOA_GAS_COIN_USD', text, 'whole dollars from 1 to 9999999');
}

function readGasBudget(env: Environment): { readonly gasBudgetWei?: string } {
  const text = env['STOA_GAS_BUDGET_PER_DAY'] ?? '';
  if (text === '') return {};
  if (/^(0|[1-9]\d{0,29})$/.test(text)) return { gasBudgetWei: text };
  throw invalidSetting('STOA_GAS_BUDGET_PER_DAY', text, 'a whole number of wei');
}

/**
 * Reads a secret from the variable itself, or from the file that `<name>_FILE` names.
 *
 * @throws {AppError} `CONFIG_INVALID` when that file cannot be read.
 */
export function readSecret(name: string, env: Environment): string | undefined {
  const direct = env[name];
  if (direct !== undefined && direct !== '') return direct;
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', {
      message: `The file named in \`${name}_FILE\` cannot be read.`,
      data: { variable: `${name}_FILE` },
      cause,
    });
  }
}

/** One day: an anchor that comes later is of no use to a waiting verifier. */
const ANCHOR_MINUTES_MAX = 1_440;

function readAnchorEvery(env: Environment): number {
  const text = env['STOA_ANCHOR_EVERY_MINUTES'] ?? '';
  const minutes = Number(text);
  if (/^[1-9]\d{0,3}$/.test(text) && minutes <= ANCHOR_MINUTES_MAX) return minutes * MINUTE_MS;
  const allowed = `a whole number from 1 to ${ANCHOR_MINUTES_MAX}`;
  throw invalidSetting('STOA_ANCHOR_EVERY_MINUTES', text, allowed);
}

function readSwitch(name: string, env: Environment): boolean {
  const text = env[name] ?? '';
  if (['', 'off', 'on'].includes(text)) return text === 'on';
  throw invalidSetting(name, text.slice(0, 200), 'on or off');
}

function readList(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
