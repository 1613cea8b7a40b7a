import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanUp, freshDataDir } from '../../support/real-server.ts';
import { type SecondChain, secondChain } from '../../support/second-chain.ts';
import { type Ended, firstLine, runCli } from '../run-cli.ts';

const NAMES = ['identity', 'reputation', 'validation', 'escrow', 'anchor', 'prediction'];
let chain: SecondChain;

beforeAll(async () => {
  chain = await secondChain(0);
}, 120_000);
afterAll(async () => {
  await chain.close();
  await cleanUp();
});

const setting = () => ({
  STOA_RPC_URL: chain.rpcUrl,
  STOA_TOKEN_ADDRESS: chain.token,
  STOA_OPERATOR_KEY: chain.operatorKey,
});

async function deploy(env: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const ended = await runCli(['contracts', 'deploy', '--data', freshDataDir(), ...flags], { env });
  expect(`${ended.stdout}${ended.stderr}`).not.toContain(chain.operatorKey.slice(2));
  return ended;
}

function fault({ code, stdout, stderr }: Ended) {
  return [code, stdout, firstLine(stderr)];
}

test('what a chain lacks is deployed, and the printed variables are all that a second run needs', async () => {
  const first = await deploy(setting(), ['--json']);
  expect([first.code, first.stderr]).toEqual([0, '']);
  const { chain_id, deployed, variables } = JSON.parse(first.stdout);
  expect([chain_id, deployed.toSorted()]).toEqual([8_453, NAMES.toSorted()]);
  for (const name of NAMES) {
    expect(variables[`STOA_${name.toUpperCase()}_ADDRESS`]).toMatch(/^0x[0-9a-fA-F]{40}$/);
  }
  const again = await deploy({ ...setting(), ...variables });
  expect([again.code, firstLine(again.stdout)]).toEqual([
    0,
    '# Chain 8453 has all contracts; nothing was deployed.',
  ]);
  const printed = again.stdout.split('\n').filter((line) => line.startsWith('STOA_'));
  const lines = Object.entries(variables).map(([name, at]) => `${name}=${String(at)}`);
  expect(printed.map((line) => line.toLowerCase()).sort()).toEqual(
    lines.map((line) => line.toLowerCase()).sort(),
  );
}, 120_000);

test('one that is missing is deployed alone', async () => {
  const known = Object.entries(chain.contracts).map(([name, at]) => [
    `STOA_${name.toUpperCase()}_ADDRESS`,
    String(at),
  ]);
  const { STOA_ESCROW_ADDRESS: _escrow, ...others } = Object.fromEntries(known);
  const { code, stdout } = await deploy({ ...setting(), ...others });
  expect([code, firstLine(stdout)]).toEqual([0, '# Deployed on chain 8453: escrow.']);
}, 120_000);

test('without a chain, a key or with a wrong address it says which, and deploys nothing', async () => {
  const { STOA_OPERATOR_KEY: _key, ...keyless } = setting();
  const { STOA_RPC_URL: _url, ...chainless } = setting();
  for (const env of [keyless, chainless]) {
    const ended = await deploy(env);
    expect(fault(ended)).toEqual([
      1,
      '',
      expect.stringContaining('NOT_CONFIGURED: Set STOA_RPC_URL'),
    ]);
  }
  const nothing = `0x${'12'.repeat(20)}`;
  const empty = await deploy({ ...setting(), STOA_ESCROW_ADDRESS: nothing });
  expect(fault(empty)).toEqual([2, '', expect.stringContaining(nothing)]);
  const wrong = await deploy({ ...setting(), STOA_ANCHOR_ADDRESS: '0x12' });
  expect(fault(wrong)).toEqual([2, '', expect.stringContaining('STOA_ANCHOR_ADDRESS is "0x12"')]);
  const nowhere = await deploy({ ...setting(), STOA_RPC_URL: 'http://127.0.0.1:9' });
  expect(fault(nowhere)).toEqual([1, '', expect.stringContaining('CHAIN_UNAVAILABLE')]);
}, 120_000);
