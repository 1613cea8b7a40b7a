import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../src/config.ts';
import type { AppError } from '../src/domain/common/error.ts';

const CHAIN = {
  STOA_RPC_URL: 'http://127.0.0.1:1',
  STOA_TOKEN_ADDRESS: `0x${'00'.repeat(19)}01`,
};

test('without flags it serves on loopback, port 8402, ./data, engine of its choice', () => {
  const config = parseConfig([], {});
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8402, http: 'auto', json: false });
  expect(config.dataDir.endsWith('/data')).toBe(true);
  expect(config.conformanceFixtures).toBe(false);
  expect(config.rpc).toBeUndefined();
});

test.each([
  [['--port', '70000'], {}, '--port'],
  [['--http', 'apache'], {}, '--http'],
  [[], { STOA_PUBLIC_URL: 'nowhere' }, 'STOA_PUBLIC_URL'],
  [['--console-actions', 'send,purge'], {}, '--console-actions'],
  [[], { STOA_CONSOLE_ACTIONS: 'all' }, '--console-actions'],
  [[], { STOA_RPC_URL: 'http://127.0.0.1:1' }, 'STOA_TOKEN_ADDRESS'],
  [[], { ...CHAIN, STOA_ESCROW_ADDRESS: '0x12' }, 'STOA_ESCROW_ADDRESS'],
  [[], { ...CHAIN, STOA_GAS_BUDGET_PER_DAY: '0.01' }, 'STOA_GAS_BUDGET_PER_DAY'],
  [[], { ...CHAIN, STOA_GAS_COIN_USD: '0' }, 'STOA_GAS_COIN_USD'],
  [[], { ...CHAIN, STOA_GAS_COIN_USD: '4e3' }, 'STOA_GAS_COIN_USD'],
  [[], { STOA_YOUTUBE_CAPTIONS: 'yes' }, 'STOA_YOUTUBE_CAPTIONS'],
  [[], { STOA_HOSTING: 'cloud' }, 'STOA_HOSTING'],
  [['--hosting', 'local', '--hosting-sources', 'here'], {}, 'STOA_HOSTING_SOURCES'],
  [['--hosting', 'local', '--router-port', '80a'], {}, 'STOA_ROUTER_PORT'],
  [[], { STOA_HOSTING: 'local', STOA_HOSTING_WORKSPACES: 'a,a' }, 'STOA_HOSTING_WORKSPACES'],
  [[], { STOA_HOSTING: 'local', STOA_HOSTING_REACH: '10.1.0.0/33' }, 'STOA_HOSTING_REACH'],
  [[], { STOA_HOSTING: 'local', STOA_HOSTING_REACH: '10.1.2.3:0' }, 'STOA_HOSTING_REACH'],
  [[], { STOA_HOSTING: 'local', STOA_HOSTING_REACH: '10.1; flush ruleset' }, 'STOA_HOSTING_REACH'],
  [['--hosting', 'local', '--test-control'], {}, 'STOA_HOSTING'],
])('%j with %j is refused by the name %s', (argv, env, name) => {
  expect(() => parseConfig(argv, env)).toThrowError(
    expect.objectContaining({ code: 'CONFIG_INVALID', data: expect.objectContaining({ name }) }),
  );
});

test.each([
  [{}, false],
  [{ STOA_YOUTUBE_CAPTIONS: 'off' }, false],
  [{ STOA_YOUTUBE_CAPTIONS: 'on' }, true],
])('with %j captions of videos are taken: %s', (env, isOn) => {
  expect(parseConfig([], env).youtubeCaptions).toBe(isOn);
});

test('a chain of others is named with its contracts and its budget of gas', () => {
  const escrow = `0x${'E5'.repeat(20)}`;
  expect(parseConfig([], CHAIN).rpc).toEqual({
    url: 'http://127.0.0.1:1',
    token: CHAIN.STOA_TOKEN_ADDRESS,
    contracts: {},
  });
  const more = { STOA_ESCROW_ADDRESS: escrow, STOA_GAS_BUDGET_PER_DAY: '10000000000000000' };
  const coin = { STOA_GAS_COIN_USD: '2500' };
  expect(parseConfig([], { ...CHAIN, ...more, ...coin }).rpc).toMatchObject({
    contracts: { escrow: escrow.toLowerCase() },
    gasBudgetWei: '10000000000000000',
    gasCoinUsd: 2_500,
  });
});

test('the address of a node may be in a file, and one that is wrong is not repeated', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-config-'));
  const file = join(folder, 'rpc');
  writeFileSync(file, 'https://node.example/v3/secret-key/\n');
  const { STOA_TOKEN_ADDRESS } = CHAIN;
  const { rpc } = parseConfig([], { STOA_RPC_URL_FILE: file, STOA_TOKEN_ADDRESS });
  expect(rpc?.url).toBe('https://node.example/v3/secret-key');
  writeFileSync(file, 'node.example/v3/secret-key');
  for (const env of [{ STOA_RPC_URL_FILE: file }, { STOA_RPC_URL: 'node.example/secret-key' }]) {
    const thrown = (): unknown => parseConfig([], { ...env, STOA_TOKEN_ADDRESS });
    expect(thrown).toThrowError(/STOA_RPC_URL/);
    expect(thrown).not.toThrowError(/secret-key/);
  }
  rmSync(folder, { recursive: true });
});

test('consoles only look, unless actions are named by flag or variable', () => {
  expect(parseConfig([], {}).consoleActions).toEqual([]);
  expect(parseConfig([], { STOA_CONSOLE_ACTIONS: 'fork, send' }).consoleActions).toEqual([
    ...['send', 'fork'],
  ]);
  const env = { STOA_CONSOLE_ACTIONS: 'send' };
  expect(parseConfig(['--console-actions', 'retry'], env).consoleActions).toEqual(['retry']);
  expect(parseConfig(['--console-actions', ''], env).consoleActions).toEqual([]);
});

test('hosting is local, off or unset', () => {
  expect(parseConfig([], { STOA_HOSTING: 'off' }).hosting).toBeUndefined();
  expect(parseConfig(['--hosting', 'off'], { STOA_HOSTING: 'local' }).hosting).toBeUndefined();
  for (const STOA_HOSTING of ['cloud', 'rest']) {
    const error = thrownBy(() => parseConfig([], { STOA_HOSTING }));
    const message = `STOA_HOSTING is "${STOA_HOSTING}"; it must be local, off or unset`;
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  }
});

function thrownBy(run: () => unknown): AppError {
  try {
    run();
  } catch (thrown) {
    return thrown as AppError;
  }
  throw new Error('nothing was refused');
}

test('an unknown flag is refused', () => {
  expect(() => parseConfig(['--prot', '1'], {})).toThrowError(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  );
});

test('a secret comes from its variable or from the file that <name>_FILE names', () => {
  const dir = mkdtempSync(join(tmpdir(), 'stoa-secret-'));
  const file = join(dir, 'key');
  writeFileSync(file, 'from-file\n');
  const { secret } = parseConfig([], { A: 'direct', B_FILE: file, C_FILE: join(dir, 'none') });
  expect(secret('A')).toBe('direct');
  expect(secret('B')).toBe('from-file');
  expect(secret('X')).toBeUndefined();
  expect(() => secret('C')).toThrowError(
    expect.objectContaining({ code: 'CONFIG_INVALID', data: { variable: 'C_FILE' } }),
  );
  rmSync(dir, { recursive: true });
});

test('hosting that nobody asked for insists on no port; a flag goes before its variable', () => {
  expect(parseConfig([], {}).hosting).toMatchObject({ isDefault: true, routerPort: 0 });
  expect(parseConfig(['--test-control'], {}).hosting).toBeUndefined();
  expect(parseConfig([], { STOA_HOSTING: 'local' }).hosting).toEqual({
    provider: 'local',
    isDefault: false,
    trustsRepositories: false,
    routerPort: 8480,
    reach: [],
    sharedSources: [],
    workspaces: ['default'],
  });
  const env = {
    STOA_HOSTING: 'local',
    STOA_HOSTING_SOURCES: '/srv',
    STOA_ROUTER_PORT: '9000',
    STOA_HOSTING_WORKSPACES: 'one, Zwei',
    STOA_HOSTING_REACH: '10.1.0.0/16, [fd00::1]:443',
    STOA_HOSTING_SHARED_SOURCES: 'hello, templates',
  };
  const flags = ['--hosting-sources', '/opt', '--router-port', '0', '--trust-repositories'];
  expect(parseConfig(flags, env).hosting).toEqual({
    provider: 'local',
    isDefault: false,
    sources: '/opt',
    trustsRepositories: true,
    routerPort: 0,
    sharedSources: ['hello', 'templates'],
    reach: [{ range: '10.1.0.0/16' }, { range: 'fd00::1', port: 443 }],
    workspaces: ['one', 'Zwei'],
  });
});
