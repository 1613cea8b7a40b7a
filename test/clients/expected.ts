/** Addresses at which a client can reach the server. */
export const ADDRESSES = ['/mcp', '/v2/', '/v1/mcp', 'stdio', 'connect'] as const;
/** See {@link ADDRESSES}. */
export type Address = (typeof ADDRESSES)[number];

/** What a client does at an address, in this order. */
export const STEPS = [
  'connect',
  'list',
  'free',
  'unpaid',
  'paid',
  'progress',
  'cancel',
  'resume',
] as const;
/** See {@link STEPS}. */
export type Step = (typeof STEPS)[number];

/** What a client cannot do: why, for readers, and what its program reports. */
export interface Limit {
  readonly cannot: string;
  readonly detail: RegExp;
}

/** Expected outcome of a step. */
export type Outcome = 'works' | Limit;

/** Expected outcomes at one address. A step without one is not taken there. */
export type Outcomes = Readonly<Partial<Record<Step, Outcome>>>;

/** A client, its version and what it can do at each address. */
export interface ClientRow {
  readonly program: string;
  readonly package: string;
  readonly version: string;
  /** The client pays by itself at these addresses, so that no call of it is unpaid. */
  readonly paysAt?: readonly Address[];
  readonly at: Readonly<Partial<Record<Address, Outcomes>>>;
}

const W = 'works';
const cannot = (reason: string, detail: RegExp): Limit => ({ cannot: reason, detail });

/** Connects, lists, calls a free tool, and shows the price of an unpaid call in a sentence. */
const READS: Outcomes = { connect: W, list: W, free: W, unpaid: W };
const PAYS: Outcomes = { connect: W, list: W, free: W, paid: W, progress: W, cancel: W };
const FULL: Outcomes = { ...READS, ...PAYS };
const THROWS = cannot(
  'A call that is answered with HTTP 402 throws; the sentence is inside the JSON of its message.',
  /^thrown: .*402.*\{.*This call costs|^thrown: .*POSTing to endpoint.*\{.*This call costs/s,
);
/** The address for clients whose `fetch` pays. */
const CHALLENGED: Outcomes = { ...READS, unpaid: THROWS };
const NO_META = cannot(
  'A call has no option for `_meta`, which carries the payment.',
  /^no option: _meta/,
);
const NO_PROGRESS = cannot('A call has no option for progress.', /^no option: progress$|^0 lines$/);
const NO_ABORT = cannot('A call has no option to cancel it.', /^no option: signal$/);
const LOSES_META = cannot(
  'A progress token replaces the `_meta` of a call, so that a paid call has no progress.',
  /^0 lines$/,
);
const DROPS_PROGRESS = cannot(
  'It does not pass on what the server sends besides answers.',
  /^0 lines$/,
);
const OTHER_PLACE = cannot(
  'It looks for the challenge in `_meta["x402/error"]`, where only its own servers put it.',
  /^This call costs/,
);
const NO_INITIALIZE = cannot(
  'It asks for the list of tools without `initialize`, which a server with sessions refuses.',
  /^0 tools$/,
);
const NO_RECONNECTION = cannot(
  'It does not connect again after a stream was cut off.',
  /^thrown: .*timed out/,
);
const OTHER_STREAM = cannot(
  'It connects again for the messages of the session, but not for the stream of a call.',
  /^thrown: .*timed out/,
);
const NO_STREAM_IDS = cannot(
  'It speaks 2026-07-28, in which a stream that was cut off cannot be resumed.',
  /^thrown: .*timed out/,
);
const GIVES_UP = cannot('It gives up before the next server is ready.', /^thrown: /);

/** Every client of the matrix. */
export const CLIENTS: readonly ClientRow[] = [
  {
    program: 'sdk-1.10',
    package: '@modelcontextprotocol/sdk',
    version: '1.10.2',
    at: {
      '/mcp': { ...FULL, progress: LOSES_META, resume: NO_RECONNECTION },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: { ...FULL, progress: LOSES_META },
      connect: PAYS,
    },
  },
  {
    program: 'sdk-1.17',
    package: '@modelcontextprotocol/sdk',
    version: '1.17.5',
    at: {
      '/mcp': { ...FULL, resume: OTHER_STREAM },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: FULL,
      connect: PAYS,
    },
  },
  {
    program: 'sdk-1.32',
    package: '@modelcontextprotocol/sdk',
    version: '1.32.2',
    at: {
      '/mcp': { ...FULL, resume: W },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: FULL,
      connect: PAYS,
    },
  },
  {
    program: 'client-2.4',
    package: '@modelcontextprotocol/client',
    version: '2.4.0',
    at: {
      '/mcp': { ...FULL, resume: NO_STREAM_IDS },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: FULL,
      connect: { ...PAYS, resume: W },
    },
  },
  {
    program: 'inspector',
    package: '@modelcontextprotocol/inspector',
    version: '2.12.0',
    at: {
      '/mcp': { ...READS, paid: NO_META, cancel: NO_ABORT },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: { ...READS, paid: NO_META, cancel: NO_ABORT },
      connect: { ...PAYS, progress: NO_PROGRESS, cancel: NO_ABORT },
    },
  },
  {
    program: 'mcp-remote',
    package: 'mcp-remote',
    version: '0.15.1',
    at: {
      '/mcp': { ...FULL, resume: GIVES_UP },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
    },
  },
  {
    program: 'supergateway',
    package: 'supergateway',
    version: '4.0.0',
    at: {
      '/mcp': { ...FULL, progress: DROPS_PROGRESS, resume: GIVES_UP },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: FULL,
      connect: PAYS,
    },
  },
  {
    program: 'mcporter',
    package: 'mcporter',
    version: '0.12.3',
    at: {
      '/mcp': { ...READS, paid: NO_META, cancel: NO_ABORT },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: { ...READS, paid: NO_META, cancel: NO_ABORT },
      connect: { ...PAYS, progress: NO_PROGRESS, cancel: NO_ABORT },
    },
  },
  {
    program: 'ai-sdk',
    package: '@ai-sdk/mcp',
    version: '2.0.99',
    at: {
      '/mcp': { ...READS, paid: NO_META, cancel: W },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: { ...READS, paid: NO_META, cancel: W },
      connect: { ...PAYS, progress: NO_PROGRESS, resume: W },
    },
  },
  {
    program: 'openai-agents',
    package: '@openai/agents',
    version: '0.20.0',
    at: {
      '/mcp': { ...FULL, progress: NO_PROGRESS, resume: GIVES_UP },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: { ...FULL, progress: NO_PROGRESS },
      connect: { ...PAYS, progress: NO_PROGRESS },
    },
  },
  {
    program: 'langchain',
    package: '@langchain/mcp-adapters',
    version: '1.1.4',
    at: {
      '/mcp': { ...READS, paid: NO_META, cancel: W },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: { ...READS, paid: NO_META, cancel: W },
      connect: PAYS,
    },
  },
  {
    program: 'mcp-use',
    package: 'mcp-use',
    version: '1.34.6',
    at: {
      '/mcp': { ...READS, paid: NO_META, cancel: W },
      '/v2/': READS,
      '/v1/mcp': CHALLENGED,
      stdio: { ...READS, paid: NO_META, cancel: W },
      connect: PAYS,
    },
  },
  {
    program: 'x402-fetch',
    package: '@x402/fetch',
    version: '2.27.0',
    paysAt: ['/v1/mcp'],
    at: {
      '/v1/mcp': { ...PAYS, resume: W },
    },
  },
  {
    program: 'agent0',
    package: 'agent0-sdk',
    version: '1.7.1',
    paysAt: ['/v1/mcp'],
    at: {
      '/v1/mcp': { ...PAYS, list: NO_INITIALIZE, progress: NO_PROGRESS, cancel: NO_ABORT },
    },
  },
  {
    program: 'agents-x402',
    package: 'agents',
    version: '0.32.0',
    paysAt: ['/mcp'],
    at: {
      '/mcp': { ...READS, paid: OTHER_PLACE, cancel: W },
    },
  },
];

/** Packages that were looked at and are not run, with the reason. */
export const NOT_RUN: readonly { readonly package: string; readonly reason: string }[] = [
  {
    package: 'fastmcp',
    reason:
      'version 4.20.16 has a server and no client; the package of this name for Python has one.',
  },
  {
    package: '@mcp-use/client',
    reason:
      'it was not in the registry. `mcp-use` 2 has its client there; the table has the last version ' +
      'with a client of its own.',
  },
  {
    package: 'x402-mcp',
    reason: 'version 0.0.5 installs 400 MB of browser wallets.',
  },
  { package: '@x402/mcp', reason: 'it was not in the registry.' },
];
