import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Environment, readSecret } from '../../config.ts';
import type { CapOverrides } from '../../connect/bridge/chain-settings.ts';
import { runBridge } from '../../connect/bridge/run-bridge.ts';
import { type Ledger, openLedger } from '../../connect/ledger/ledger.ts';
import { createLedgerReport, formatLedgerReport } from '../../connect/ledger/ledger-report.ts';
import { openPayees } from '../../connect/wallet/payees.ts';
import {
  createSigningWallet,
  openWalletFile,
  type SigningWallet,
} from '../../connect/wallet/wallet.ts';
import { invalidSetting } from '../../domain/common/error.ts';
import { formatMicroUsd, type MicroUsdText, parseUsd } from '../../domain/common/money.ts';
import { StreamTransport } from '../../transport/mcp/stream-transport.ts';
import { VERSION } from '../../version.ts';
import type { Input } from '../common/usage.ts';
import type { SERVE } from '../usage/serve.ts';
import { createSettingReader } from './connect-setting.ts';

/** Variable with the private key of the wallet; `STOA_CONNECT_KEY_FILE` names a key file. */
const KEY_VARIABLE = 'STOA_CONNECT_KEY';
/** How long open sockets can keep the process after its client disconnects, in milliseconds. */
const LINGER_MS = 100;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * `stoa connect`: an MCP server on stdio that forwards to a Stoa server and pays for calls.
 * `--ledger [--json]` prints what the wallet has spent, `--address` the address to fund. `--search`
 * lists three tools, which find, describe and call the others.
 */
export async function connect(flags: Input<typeof SERVE.connect>): Promise<number> {
  const dataDir = resolve(flags.data);
  const url = flags.address || flags.ledger ? '' : parseUrl(flags.url);
  const wanted = parseCaps(flags);
  const { wallet, folder } = openPaymentWallet(dataDir, flags.wallet, process.env);
  if (flags.address) return print(wallet.address);
  const ledger = openLedger({ folder, address: wallet.address, now: Date.now });
  if (flags.ledger) return print(formatLedger(wallet.address, ledger, flags.json));
  if (flags.payee !== undefined && !ADDRESS.test(flags.payee)) {
    throw invalidSetting('--payee', flags.payee, 'an address, 0x and 40 hex digits');
  }
  const setting = createSettingReader({ dataDir, ...flags });
  await runBridge({
    url,
    search: flags.search,
    version: VERSION,
    transport: new StreamTransport({ input: process.stdin, output: process.stdout }),
    wallet,
    ledger,
    payees: openPayees(join(folder, 'payees')),
    capOverrides: wanted,
    chainSettings: setting,
    log: (line) => void process.stderr.write(`stoa connect: ${line}\n`),
    ...(flags.payee === undefined ? {} : { payee: flags.payee }),
  });
  ledger.close();
  setTimeout(() => process.exit(), LINGER_MS).unref();
  return 0;
}

interface WalletFiles {
  readonly wallet: SigningWallet;
  /** Folder of the ledger: beside the key, so that all users of the key share it. */
  readonly folder: string;
}

function openPaymentWallet(
  dataDir: string,
  file: string | undefined,
  env: Environment,
): WalletFiles {
  const key = readSecret(KEY_VARIABLE, env);
  const folder = join(dataDir, 'connect');
  if (key !== undefined) return { wallet: createSigningWallet(key, KEY_VARIABLE), folder };
  const path = resolve(file ?? join(folder, 'wallet.key'));
  if (file !== undefined && !existsSync(dirname(path))) {
    throw invalidSetting('--wallet', file, 'a file in a folder that exists');
  }
  const wallet = openWalletFile(path);
  return { wallet, folder: dirname(realpathSync(path)) };
}

function parseCaps(flags: Input<typeof SERVE.connect>): CapOverrides {
  const { 'per-call': perCall, 'per-day': perDay } = flags;
  const pairs = flags['per-tool'].flatMap((list) => list.split(',')).map(parseToolCap);
  return {
    ...(perCall === undefined ? {} : { perCall: readUsd('--per-call', perCall) }),
    ...(perDay === undefined ? {} : { perDay: readUsd('--per-day', perDay) }),
    perTool: Object.fromEntries(pairs),
  };
}

function parseToolCap(text: string): [string, MicroUsdText] {
  const at = text.lastIndexOf('=');
  if (at < 1) throw invalidSetting('--per-tool', text, 'name=USD, such as ops_link-integrity=0.50');
  return [text.slice(0, at).trim(), readUsd('--per-tool', text.slice(at + 1).trim())];
}

function readUsd(flag: string, text: string): MicroUsdText {
  try {
    return formatMicroUsd(parseUsd(text));
  } catch {
    throw invalidSetting(flag, text, 'dollars such as 0.25');
  }
}

function formatLedger(address: string, ledger: Ledger, isJson: boolean): string {
  const page = createLedgerReport(address, ledger.entries(), ledger.countUnreadable());
  return isJson ? JSON.stringify(page, null, 2) : formatLedgerReport(page);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function parseUrl(url = ''): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw invalidSetting('The address of the server', url, 'one http or https address');
}
