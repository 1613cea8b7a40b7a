// The whole server as `stoa serve` starts it, on a data directory of its own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { joinModules } from '../../scripts/bundle.mjs';
import { distFile } from './dist.mjs';
import { scratch } from './output.mjs';
import { startServer } from './proc.mjs';

/** What `startServer` needs to start it; `env` names models, or a chain that runs already. */
export function realServer(name, { env = {}, flags = [] } = {}) {
  made += 1;
  const folder = scratch(`real-${name}-${process.pid}-${made}`);
  const args = ['serve', '--json', '--port', '0', '--data', folder.path, ...flags];
  return { script: fileURLToPath(distFile('cli.js')), args, env, folder };
}

/**
 * The same program with a double in place of the one module that opens the chain, joined as the
 * build joins it, so that neither the chain nor the packages behind it take part in the start.
 */
export async function withoutChain() {
  const setup = realServer('chainless');
  const output = await joinModules({ cli: fileURLToPath(new URL('src/cli.ts', CHECKOUT)) }, [
    { name: 'no chain', load: (id) => (CHAIN_MODULE.test(id) ? CHAIN_DOUBLE : null) },
  ]);
  const place = `${setup.folder.path}/dist`;
  mkdirSync(`${place}/chunks`, { recursive: true });
  for (const { fileName, code } of output) writeFileSync(`${place}/${fileName}`, code);
  return { ...setup, script: `${place}/cli.js` };
}

const CHECKOUT = new URL('../../', import.meta.url);
const CHAIN_MODULE = /providers.payment.payment-chain\.ts$/;
// What the contracts of trust would be asked is refused, each in its own time, as on a dead chain.
const CHAIN_DOUBLE = `
const address = '0x' + '11'.repeat(20);
const facts = {
  chainId: 31337, network: 'eip155:31337', rpcUrl: 'http://127.0.0.1:9', token: address,
  tokenName: 'USD Coin', tokenVersion: '2', treasury: address, isLocal: false,
};
const absent = async () => { throw new Error('there is no chain here'); };
const get = (own, name) => (name in own ? own[name] : absent);
const contract = (facts) => new Proxy(facts, { get });
const trust = contract({
  operator: address,
  contracts: {
    identity: null, reputation: null, validation: null, escrow: null, anchor: null, prediction: null,
  },
  identity: contract({ agentRegistry: 'eip155:31337:' + address }),
  escrow: contract({}),
  anchor: contract({}),
  gasUsage: () => ({ used: '0', budget: null }), countPaidCalls: () => 0,
  revertedTransactions: undefined,
});
const standing = async () => ({
  genesis: null, operator: address, sent: 0, remembered: 0,
  findSoldElsewhere: async () => undefined,
});
export const openPaymentChain = async () => ({
  facts, trust, nodePid: () => undefined, historyUrl: undefined, standing, checkLocally: absent,
  check: absent, checkOnChain: absent, releaseReservation: () => undefined, settle: absent,
  queryOutcome: absent, transfer: absent, signOffer: absent, signReceipt: absent, balance: absent,
  faucet: absent, verifyReceipt: absent, close: async () => {},
});
`;

/** Starts it with a local chain of its own. */
export async function startReal(name, options) {
  const setup = realServer(name, options);
  return { ...(await startServer({ name, ...setup })), folder: setup.folder };
}

/** Gives test money through the faucet. */
export async function fund({ ready }, to, usd) {
  const answer = await fetch(`${ready.base_url}/dev/faucet`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${readFileSync(ready.token_file, 'utf8').trim()}`,
    },
    body: JSON.stringify({ to, usd }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(`the faucet answered ${answer.status}: ${await answer.text()}`);
}

let made = 0;
