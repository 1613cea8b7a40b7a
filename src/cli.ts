#!/usr/bin/env node
import { type AppError, type ErrorCode, errorBody, toAppError } from './domain/common/error.ts';
import { ignoreClosedReaders, stopWithParent } from './system/standard-streams.ts';

/** A command: receives its arguments and returns the exit code. */
type Command = (argv: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, { about: string; load: () => Promise<Command> }>> = {
  serve: {
    about: 'run the server: store, chain, MCP endpoints (--host --port --data --http --json)',
    load: async () => (await import('./cli/server/serve.ts')).serve,
  },
  stdio: {
    about: 'serve MCP over stdio through the daemon (--server --data --toolsets --read-only)',
    load: async () => (await import('./cli/server/stdio.ts')).stdio,
  },
  connect: {
    about: 'serve MCP over stdio and pay a Stoa server (<url> --per-call --per-day; --ledger)',
    load: async () => (await import('./cli/connect/connect.ts')).connect,
  },
  tour: {
    about: 'run a guided demo against a real server',
    load: async () => (await import('./cli/connect/tour.ts')).tour,
  },
  router: {
    about: 'route requests to hosted services (--folder --host --port --json)',
    load: async () => (await import('./cli/hosting/router.ts')).router,
  },
  hosting: {
    about: 'stop: stop the programs and the router of hosted services (--data --json)',
    load: async () => (await import('./cli/hosting/hosting.ts')).hosting,
  },
  faucet: {
    about: 'send test money on the local chain (--to 0x… --usd 10 --data)',
    load: async () => (await import('./cli/wallet/faucet.ts')).faucet,
  },
  'audit-books': {
    about: 'check from chain logs and public events that the books balance (--rpc --events)',
    load: async () => (await import('./cli/audit/audit-books.ts')).auditBooks,
  },
  contracts: {
    about: 'deploy missing contracts to the chain of STOA_RPC_URL, print variables (deploy --json)',
    load: async () => (await import('./cli/machine/contracts.ts')).contracts,
  },
  console: {
    about: 'print a one-time link to the console of the running server (--data)',
    load: async () => (await import('./cli/server/console.ts')).openConsole,
  },
  control: {
    about: 'list the controls, or set a label (list; set <id> <LIVE|SHADOW|OFF> --why "…")',
    load: async () => (await import('./cli/control/control.ts')).control,
  },
  doctor: {
    about: 'check the requirements of each feature and how to install them (--fix --yes)',
    load: async () => (await import('./cli/doctor/doctor.ts')).doctor,
  },
  sources: {
    about: 'check every upstream of the data tools (<upstream> … --json)',
    load: async () => (await import('./cli/server/sources.ts')).sources,
  },
  report: {
    about: 'render a saved report or answer as one HTML page (<file.json> --html <file>)',
    load: async () => (await import('./cli/report/report.ts')).report,
  },
  verify: {
    about: 'verify a proof file or a signed answer without a server (<file> --key --witness)',
    load: async () => (await import('./cli/proof/verify.ts')).verify,
  },
  witness: {
    about: 'check a proof log for consistency and cosign it (--log <url> --key-file)',
    load: async () => (await import('./cli/proof/witness.ts')).witness,
  },
  proofs: {
    about: 'rotate-key: create a new HMAC key for records; anchor: anchor the log now (--data)',
    load: async () => (await import('./cli/proof/proofs.ts')).proofs,
  },
  erase: {
    about: 'erase a wallet or agent from every store; proofs still verify (<subject> --data)',
    load: async () => (await import('./cli/proof/proofs.ts')).erase,
  },
  passport: {
    about:
      'manage agent passports (mint|show|bind|claim|revoke <name> --data|--url --key-file --json)',
    load: async () => (await import('./cli/passport/passport.ts')).passport,
  },
  reputation: {
    about: 'recompute a track record from public events (<wallet|agent> --events --compare)',
    load: async () => (await import('./cli/reputation/reputation.ts')).reputation,
  },
  token: {
    about: 'manage hosting tokens (create --name --workspace --toolsets; list; revoke <id>)',
    load: async () => (await import('./cli/server/token.ts')).token,
  },
  machine: {
    about: 'list machines, or export a chart (export <kind|file[#export]> --format --width --out)',
    load: async () => (await import('./cli/machine/machine.ts')).machine,
  },
  paths: {
    about: 'list the paths through a machine (<kind|file[#export]> --how --seed --json --count)',
    load: async () => (await import('./cli/machine/paths.ts')).paths,
  },
};

/** Exit codes: success, failure, invalid usage. */
const EXIT = { fine: 0, failed: 1, usage: 2 } as const;
/** Errors that a restart does not fix. */
const USAGE_ERRORS: readonly ErrorCode[] = [
  'CONFIG_INVALID',
  'DATA_DAMAGED',
  'DATA_DIR_UNUSABLE',
  'PORT_IN_USE',
];

async function main(): Promise<number> {
  const [name = '', ...rest] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const isHelp = ['', 'help', '--help', '-h'].includes(name);
    (isHelp ? process.stdout : process.stderr).write(usage(isHelp ? '' : name));
    return isHelp ? EXIT.fine : EXIT.usage;
  }
  const run = await command.load();
  return run(rest);
}

function usage(unknown: string): string {
  const head = unknown === '' ? '' : `stoa: unknown command ${JSON.stringify(unknown)}\n\n`;
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).map(
    ([name, { about }]) => `  stoa ${name.padEnd(width)}  ${about}`,
  );
  return `${head}Usage:\n${rows.join('\n')}\n`;
}

function report(error: AppError): number {
  const { data } = errorBody(error);
  const facts = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  process.stderr.write(`stoa: ${error.code}: ${error.message}${facts}\n`);
  if (error.code === 'INTERNAL' && error.cause instanceof Error) {
    process.stderr.write(`${error.cause.stack ?? error.cause.message}\n`);
  }
  return USAGE_ERRORS.includes(error.code) ? EXIT.usage : EXIT.failed;
}

/** Returns the final exit code: a result that could not be written completely is a failure. */
function finish(code: number): number {
  const lost = lostOutput();
  if (lost === undefined) return code;
  process.stderr.write(`stoa: standard output could not be written: ${lost}\n`);
  return code === EXIT.fine ? EXIT.failed : code;
}

const lostOutput = ignoreClosedReaders();
// A router receives its port over such a channel and outlives the process that sent it.
if (process.argv[2] !== 'router') stopWithParent();
const code = await main().catch((thrown: unknown) => report(toAppError(thrown)));
process.exitCode = code;
// Write errors arrive after the write.
process.once('exit', () => {
  process.exitCode = finish(code);
});
