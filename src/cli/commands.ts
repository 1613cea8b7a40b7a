/** A command: receives its arguments and returns the exit code. */
type Command = (argv: readonly string[]) => Promise<number>;

/** A row of the command table. */
interface CommandRow {
  /** Its line in the usage: what it does, and its flags. */
  readonly about: string;
  readonly load: () => Promise<Command>;
}

/** All commands of `stoa`, in the order of the usage. A new one is its file and an entry here. */
export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  serve: {
    about: 'run the server: store, chain, MCP endpoints (--host --port --data --http --json)',
    load: async () => (await import('./server/serve.ts')).serve,
  },
  stdio: {
    about: 'serve MCP over stdio through the daemon (--server --data --toolsets --read-only)',
    load: async () => (await import('./server/stdio.ts')).stdio,
  },
  connect: {
    about: 'serve MCP over stdio and pay a Stoa server (<url> --per-call --per-day; --ledger)',
    load: async () => (await import('./connect/connect.ts')).connect,
  },
  tour: {
    about: 'run a guided demo against a real server',
    load: async () => (await import('./connect/tour.ts')).tour,
  },
  router: {
    about: 'route requests to hosted services (--folder --host --port --json)',
    load: async () => (await import('./hosting/router.ts')).router,
  },
  hosting: {
    about: 'stop: stop the programs and the router of hosted services (--data --json)',
    load: async () => (await import('./hosting/hosting.ts')).hosting,
  },
  faucet: {
    about: 'send test money on the local chain (--to 0x… --usd 10 --data)',
    load: async () => (await import('./wallet/faucet.ts')).faucet,
  },
  'audit-books': {
    about: 'check from chain logs and public events that the books balance (--rpc --events)',
    load: async () => (await import('./audit/audit-books.ts')).auditBooks,
  },
  contracts: {
    about: 'deploy missing contracts to the chain of STOA_RPC_URL, print variables (deploy --json)',
    load: async () => (await import('./machine/contracts.ts')).contracts,
  },
  console: {
    about: 'print a one-time link to the console of the running server (--data)',
    load: async () => (await import('./server/console.ts')).openConsole,
  },
  control: {
    about: 'list the controls, or set a label (list; set <id> <LIVE|SHADOW|OFF> --why "…")',
    load: async () => (await import('./control/control.ts')).control,
  },
  doctor: {
    about: 'check the requirements of each feature and how to install them (--fix --yes)',
    load: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  sources: {
    about: 'check every upstream of the data tools (<upstream> … --json)',
    load: async () => (await import('./server/sources.ts')).sources,
  },
  report: {
    about: 'render a saved report or answer as one HTML page (<file.json> --html <file>)',
    load: async () => (await import('./report/report.ts')).report,
  },
  verify: {
    about: 'verify a proof file or a signed answer without a server (<file> --key --witness)',
    load: async () => (await import('./proof/verify.ts')).verify,
  },
  witness: {
    about: 'check a proof log for consistency and cosign it (--log <url> --key-file)',
    load: async () => (await import('./proof/witness.ts')).witness,
  },
  proofs: {
    about: 'rotate-key: create a new HMAC key for records; anchor: anchor the log now (--data)',
    load: async () => (await import('./proof/proofs.ts')).proofs,
  },
  erase: {
    about: 'erase a wallet or agent from every store; proofs still verify (<subject> --data)',
    load: async () => (await import('./proof/proofs.ts')).erase,
  },
  passport: {
    about:
      'manage agent passports (mint|show|bind|claim|revoke <name> --data|--url --key-file --json)',
    load: async () => (await import('./passport/passport.ts')).passport,
  },
  reputation: {
    about: 'recompute a track record from public events (<wallet|agent> --events --compare)',
    load: async () => (await import('./reputation/reputation.ts')).reputation,
  },
  token: {
    about: 'manage hosting tokens (create --name --workspace --toolsets; list; revoke <id>)',
    load: async () => (await import('./server/token.ts')).token,
  },
  machine: {
    about: 'list machines, or export a chart (export <kind|file[#export]> --format --width --out)',
    load: async () => (await import('./machine/machine.ts')).machine,
  },
  paths: {
    about: 'list the paths through a machine (<kind|file[#export]> --how --seed --json --count)',
    load: async () => (await import('./machine/paths.ts')).paths,
  },
};
