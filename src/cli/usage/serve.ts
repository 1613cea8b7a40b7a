import type { Usage } from '../common/usage.ts';
import { DATA, JSON_LINE } from './shared.ts';

const group = 'Serve and connect';

const TOOLSETS = { value: 'a,b', about: 'Tool groups to serve; all if omitted' };
const READ_ONLY = { about: 'Serve only tools that change nothing' };
const SEARCH = { about: 'List three tools, which find, describe and call the others' };
const HOST = { value: 'address', default: '127.0.0.1', about: 'Address to listen on' };

/** What the commands under this heading take. */
export const SERVE = {
  serve: {
    group,
    about: 'Run the server: store, chain and MCP endpoints. It stops at Ctrl-C.',
    flags: {
      host: HOST,
      port: {
        value: 'number',
        default: '8402',
        about: 'Port to listen on, 0 to 65535; 0 picks a free port',
      },
      data: DATA,
      http: {
        value: 'engine',
        default: 'auto',
        allowed: ['auto', 'uws', 'node'],
        about: 'HTTP engine; auto takes uws if it loads',
      },
      json: { about: 'Print one JSON line when the server is ready' },
      toolsets: TOOLSETS,
      'read-only': READ_ONLY,
      'limit-local': { about: 'Apply rate limits to callers on this machine too' },
      hosted: { about: 'Run for third parties: refuse to query databases restricted by IP' },
      'console-actions': {
        value: 'a,b',
        about:
          'Actions that the console may run: send, retry, fork, hosting, reports ' +
          '(variable STOA_CONSOLE_ACTIONS)',
      },
      'accept-moved': {
        about: 'Confirm, for one start, that the data directory was moved and the original is gone',
      },
      'accept-restored': {
        about: 'Confirm, for one start, that the data directory is a restored copy',
      },
      hosting: {
        value: 'provider',
        about:
          'Where services are hosted: local or off; if omitted, local from the first call on ' +
          '(variable STOA_HOSTING)',
      },
      'hosting-sources': {
        value: 'dir',
        about:
          'Absolute path of the only folder on this machine whose repositories can be deployed ' +
          '(variable STOA_HOSTING_SOURCES)',
      },
      'hosting-shared-sources': {
        value: 'a,b',
        about:
          'Names in that folder that every workspace may deploy ' +
          '(variable STOA_HOSTING_SHARED_SOURCES)',
      },
      'router-port': {
        value: 'number',
        about:
          'Port of all hosted services; if omitted, 8480 with --hosting local, else a free one ' +
          '(variable STOA_ROUTER_PORT)',
      },
      'trust-repositories': { about: 'Host even if this machine cannot isolate programs' },
      'trust-target': { about: 'Run audited programs without the sandbox' },
      'until-idle': { about: 'Exit when the last local client has left and no work is due' },
      'conformance-fixtures': { about: 'Serve fixtures for MCP conformance tests; loopback only' },
      'test-control': {
        about: 'Run a test server with a simulated clock and injected faults; loopback only',
      },
      'test-clock': {
        value: 'time',
        about: 'Start time of the simulated clock, such as 2031-05-01T12:00:00Z',
      },
      'test-real-kinds': { about: 'Use production jobs and controls on a test server' },
    },
    examples: ['stoa serve', 'stoa serve --port 0 --data ./data --json'],
  },
  stdio: {
    group,
    about: 'Serve MCP over stdio through the server of a data directory. Starts it if none runs.',
    flags: {
      server: {
        value: 'name',
        default: 'commerce',
        allowed: ['commerce', 'hosting'],
        about: 'Tools to serve',
      },
      data: DATA,
      toolsets: TOOLSETS,
      'read-only': READ_ONLY,
      search: SEARCH,
    },
    examples: ['stoa stdio --server commerce --data ./data'],
  },
  connect: {
    group,
    about:
      'Serve MCP over stdio and pay a Stoa server for calls. It never exceeds your limits. ' +
      'The wallet is that of --wallet, STOA_CONNECT_KEY or STOA_CONNECT_KEY_FILE.',
    args: {
      url: {
        isOptional: true,
        about: 'http or https address of the server; omit it with --ledger and --address',
      },
    },
    flags: {
      data: DATA,
      wallet: { value: 'file', about: 'Key file; created if missing (default: in --data)' },
      'per-call': { value: 'usd', about: 'Most that one call may cost, such as 0.25' },
      'per-day': { value: 'usd', about: 'Most to spend in a day' },
      'per-tool': {
        value: 'name=usd',
        isMultiple: true,
        about: 'Most to spend on one tool in a day; repeatable, or separated by commas',
      },
      network: { value: 'id', about: 'Network to pay on, such as eip155:8453' },
      asset: { value: '0x…', about: 'Address of the stablecoin on that network' },
      rpc: { value: 'url', about: 'JSON-RPC address of that network' },
      payee: { value: '0x…', about: 'The only address to pay' },
      ledger: { about: 'Print what the wallet has spent, and exit' },
      json: { about: 'Print the ledger as JSON' },
      address: { about: 'Print the address to fund, and exit' },
      search: SEARCH,
    },
    examples: [
      'stoa connect http://127.0.0.1:8402/mcp --per-call 0.25 --per-day 5',
      'stoa connect --ledger',
    ],
  },
  router: {
    group,
    about: 'Route requests to hosted services. The server starts it; it keeps running without it.',
    flags: {
      folder: { value: 'dir', isRequired: true, about: 'Folder of the routes' },
      host: HOST,
      port: { value: 'number', default: '8480', about: 'Port to listen on, 0 to 65535' },
      build: { value: 'name', about: 'Name of the build of the router' },
      'take-over': { about: 'Take over the port of the router that starts this one' },
      json: JSON_LINE,
    },
    examples: ['stoa router --folder ./data/hosting/router --port 8480'],
  },
} as const satisfies Readonly<Record<string, Usage>>;
