// Checking one signed payment, and one typed message of any shape (a move on a job): our digests with
// the native curve, against viem's verifyTypedData. Rounds are interleaved, the figure is the ratio of medians.
// Needs `npm run build`, for it measures the code that ships.

import { verifyTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { authorizationDigest } from '../../dist/providers/chain/digest.js';
import { recoverSigner } from '../../dist/providers/chain/signature.js';
import { typedDigest } from '../../dist/providers/chain/trust/typed-digest.js';

const ROUNDS = 9;
const CALLS = 200;

const account = privateKeyToAccount(`0x${'5c'.repeat(32)}`);
const token = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';
const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract: token };
const authorization = {
  from: account.address,
  to: '0x209693bc6afc0c5328ba36faf03c514ef312287c',
  value: '250000',
  validAfter: '1740672089',
  validBefore: '1740672154',
  nonce: `0x${'f3'.repeat(32)}`,
};
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};
const message = {
  ...authorization,
  value: BigInt(authorization.value),
  validAfter: BigInt(authorization.validAfter),
  validBefore: BigInt(authorization.validBefore),
};
const typed = { domain, types, primaryType: 'TransferWithAuthorization', message };
const signature = await account.signTypedData(typed);
const digest = authorizationDigest({ ...domain, token });
const payer = account.address.toLowerCase();

const ours = () => recoverSigner(digest(authorization), signature) === payer;
const viem = () => verifyTypedData({ ...typed, address: account.address, signature });
if (!ours() || !(await viem())) throw new Error('a good signature was refused');

const move = {
  domain: { name: 'Stoa JobEscrow', version: '1', chainId: 84532, verifyingContract: token },
  types: {
    Fulfil: [
      { name: 'key', type: 'bytes32' },
      { name: 'deliverable', type: 'bytes32' },
    ],
  },
  primaryType: 'Fulfil',
  message: { key: `0x${'a1'.repeat(32)}`, deliverable: `0x${'b2'.repeat(32)}` },
};
const moveSignature = await account.signTypedData(move);
const typedOurs = () => recoverSigner(typedDigest(move), moveSignature) === payer;
const typedViem = () =>
  verifyTypedData({ ...move, address: account.address, signature: moveSignature });
if (!typedOurs() || !(await typedViem())) throw new Error('a good move was refused');

const times = { ours: [], viem: [], digest: [], recover: [], typedOurs: [], typedViem: [] };
const ready = digest(authorization);
for (let round = 0; round < ROUNDS; round += 1) {
  times.viem.push(await measure(viem));
  times.ours.push(await measure(ours));
  times.digest.push(await measure(() => digest(authorization)));
  times.typedViem.push(await measure(typedViem));
  times.typedOurs.push(await measure(typedOurs));
  times.recover.push(await measure(() => recoverSigner(ready, signature)));
}
const us = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
process.stdout.write(
  `${JSON.stringify({
    bench: 'crypto-verify',
    node: process.version,
    us,
    ratio: us.viem / us.ours,
    typedRatio: us.typedViem / us.typedOurs,
  })}\n`,
);

async function measure(call) {
  const start = process.cpuUsage();
  for (let index = 0; index < CALLS; index += 1) await call();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / CALLS;
}

function median(list) {
  return [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)];
}
