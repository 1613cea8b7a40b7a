import { type Config, readConfig } from '../../config.ts';
import { rejectFewDescriptors } from '../../process/server/descriptor-limits.ts';
import { monitorProcess } from '../../process/server/process-monitor.ts';
import type { Ready } from '../../process/server/ready.ts';
import type { Stoa } from '../../process/server/stoa.ts';
import type { Input } from '../common/usage.ts';
import type { SERVE } from '../usage/serve.ts';

/** Time limit of a graceful shutdown, in milliseconds; then the process exits anyway. */
const CLOSE_TIMEOUT_MS = 30_000;
/** Signals within this time of the first, in milliseconds, count as the same request. */
const SIGNAL_GRACE_MS = 500;
/** Time to flush output before exit, in milliseconds. */
const FLUSH_MS = 100;

/** `stoa serve`: runs the server until a signal stops it. */
export async function serve(flags: Input<typeof SERVE.serve>): Promise<number> {
  const config = readConfig(flags, process.env);
  rejectFewDescriptors();
  const notice = (line: string): void => {
    process.stderr.write(`stoa: ${line}\n`);
  };
  if (!config.json) process.stderr.write('stoa: starting store, chain and MCP endpoints …\n');
  // Listen early: a signal during startup must not leave a chain process behind.
  const signal = waitForSignal();
  // Load late: it takes most of the startup time, and invalid usage does not need it.
  const { startStoa } = await import('../../main.ts');
  const watch = monitorProcess({ dataDir: config.dataDir, notice });
  const stoa = await startStoa(config, notice, { watch }).catch(async (thrown: unknown) => {
    // The watcher would keep the process alive.
    await watch.stop();
    throw thrown;
  });
  // Output that is not a terminal may be a log that others read; it must not contain the link.
  const link = process.stdout.isTTY ? stoa.consoleLink()?.url : undefined;
  const text = config.json ? JSON.stringify(stoa.ready) : readyPage(stoa.ready, config, link);
  process.stdout.write(`${text}\n`);
  const failure = await Promise.race([stoa.ended, signal]);
  if (failure !== undefined) notice(`cannot continue: ${failure.message}`);
  await closeWithTimeout(stoa);
  // Idle client connections can keep the process alive for seconds.
  setTimeout(() => process.exit(), FLUSH_MS).unref();
  return failure === undefined ? 0 : 1;
}

/**
 * Resolves at the first signal. A later one exits at once, without loss of stored data. Signals
 * right after the first are ignored: npm and the terminal each forward one Ctrl-C.
 */
function waitForSignal(): Promise<undefined> {
  let answer: 'end' | 'ignore' | 'exit' = 'end';
  return new Promise((done) => {
    const onSignal = (): void => {
      if (answer === 'exit') process.exit(1);
      if (answer === 'ignore') return;
      answer = 'ignore';
      setTimeout(() => {
        answer = 'exit';
      }, SIGNAL_GRACE_MS).unref();
      done(undefined);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

async function closeWithTimeout(stoa: Stoa): Promise<void> {
  const timer = setTimeout(() => process.exit(1), CLOSE_TIMEOUT_MS);
  await stoa.close();
  clearTimeout(timer);
}

function readyPage(ready: Ready, config: Config, link: string | undefined): string {
  const client = { mcpServers: { stoa: { type: 'http', url: ready.mcp } } };
  const stdio = {
    mcpServers: {
      stoa: {
        command: process.execPath,
        args: [process.argv[1], 'stdio', '--server', 'commerce', '--data', config.dataDir],
      },
    },
  };
  const cli = process.argv[1] ?? '';
  const paste = createPasteLines(ready, config.dataDir, { node: process.execPath, cli });
  return `
Stoa is ready (${ready.http_engine} front, chain ${ready.chain.id}).

  MCP endpoint      ${ready.mcp}
  for x402 fetch    ${ready.mcp_v1} (answers unpaid calls with HTTP 402)
  console           ${link ?? `${ready.console} (get a link with "npx stoa console")`}
  data              ${config.dataDir}
  operator token    ${ready.token_file}

Paste this into any MCP client. A local wallet with test money pays, within small caps:

  ${paste.claude}

${JSON.stringify(paste.json, null, 2)}

For a client that can pay by itself, over HTTP or as a command:

${JSON.stringify(client)}

${JSON.stringify(stdio)}

Next: "npx stoa tour" runs a paid panel; "npx stoa faucet --to 0x… --usd 10" sends test money.
Stop with Ctrl-C.`;
}

/** Text to paste into an MCP client that cannot pay by itself. */
interface PasteLines {
  /** One shell line for Claude Code. */
  readonly claude: string;
  /** The same for clients with a JSON file of servers. */
  readonly json: { readonly mcpServers: { readonly stoa: Command } };
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the lines that start `stoa connect` for a server. Paths are absolute, because MCP clients
 * start commands from their own folders.
 *
 * @param program - Paths of Node and of the command line program.
 */
export function createPasteLines(
  ready: Pick<Ready, 'mcp'>,
  dataDir: string,
  program: { readonly node: string; readonly cli: string },
): PasteLines {
  const args = [program.cli, 'connect', ready.mcp, '--data', dataDir];
  const line = [program.node, ...args].map(quoteForShell).join(' ');
  return {
    claude: `claude mcp add stoa -- ${line}`,
    json: { mcpServers: { stoa: { command: program.node, args } } },
  };
}

/** Quotes a word for a POSIX shell if needed. */
function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
