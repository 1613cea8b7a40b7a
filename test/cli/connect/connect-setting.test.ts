import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSettingReader } from '../../../src/cli/connect/connect-setting.ts';
import { createPasteLines } from '../../../src/cli/server/serve.ts';
import { effectiveCaps } from '../../../src/connect/bridge/chain-settings.ts';
import { tempDir } from '../../support/temp-dir.ts';

const COIN = `0x${'3'.repeat(40)}`;

function dataDir(chainId?: number): string {
  const dir = tempDir();
  onTestFinished(dir.remove);
  mkdirSync(join(dir.path, 'x'));
  if (chainId !== undefined) serve(dir.path, chainId);
  return dir.path;
}

function serve(path: string, id: number): void {
  const chain = { id, rpc_url: 'http://127.0.0.1:9', token: COIN };
  const ready = { base_url: 'http://127.0.0.1:8402', chain };
  writeFileSync(join(path, 'ready.json'), JSON.stringify(ready));
}

test('the ready file says which chain is paid on; before and after it, the last is kept', () => {
  const path = dataDir();
  const setting = createSettingReader({ dataDir: path });
  expect(setting()).toBeUndefined();
  serve(path, 31_337);
  expect(setting()?.asset).toEqual({ network: 'eip155:31337', asset: COIN });
  expect(setting()?.fund).toBeDefined();
  writeFileSync(join(path, 'ready.json'), '');
  expect(setting()?.asset.network).toBe('eip155:31337');
});

test('the faucet and the larger caps are for the local chain alone', () => {
  const caps = (id: number) => {
    const { perCall, perDay } = effectiveCaps(createSettingReader({ dataDir: dataDir(id) })(), {
      perTool: {},
    });
    return [perCall, perDay];
  };
  expect(caps(31_337)).toEqual(['2000000', '10000000']);
  expect(caps(8_453)).toEqual(['100000', '1000000']);
});

test('a network that was told holds against what the data directory serves', () => {
  const path = dataDir(31_337);
  const base = createSettingReader({ dataDir: path, network: 'eip155:8453' })();
  expect(base).toEqual({
    asset: { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  });
  const other = `0x${'4'.repeat(40)}`;
  const told = createSettingReader({ dataDir: path, network: 'eip155:31337', asset: other })();
  expect(told?.asset.asset).toBe(other);
  expect(() => createSettingReader({ dataDir: path, network: 'eip155:99' })).toThrow('--asset');
  expect(() => createSettingReader({ dataDir: path, network: 'base' })).toThrow('--network');
});

test('a pasted line quotes what a shell would cut', () => {
  const program = { node: '/opt/my node/bin/node', cli: "/home/o'neil/cli.js" };
  const { claude, json } = createPasteLines({ mcp: 'http://127.0.0.1:1/mcp' }, '/d', program);
  expect(claude).toBe(
    "claude mcp add stoa -- '/opt/my node/bin/node' '/home/o'\\''neil/cli.js' connect " +
      'http://127.0.0.1:1/mcp --data /d',
  );
  expect(json.mcpServers.stoa).toEqual({
    command: '/opt/my node/bin/node',
    args: ["/home/o'neil/cli.js", 'connect', 'http://127.0.0.1:1/mcp', '--data', '/d'],
  });
});
