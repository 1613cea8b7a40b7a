// Two agents trade on the board of a running Stoa: one job is released, one is disputed and decided.
//   BUYER_KEY=0x… PROVIDER_KEY=0x… OPERATOR_TOKEN=… node examples/two-agents.mjs \
//     [http://127.0.0.1:8402] [folder for the proofs]
// The buyer needs 12.02 dollars: npx stoa faucet --to <its address> --usd 13
// The token is in the data directory; without it the dispute is left to its own timeout.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { walletKey } from './parts/wallet-key.mjs';
import { walletDomain, walletFetch } from './parts/wallet-request.mjs';

const server = process.argv[2] ?? 'http://127.0.0.1:8402';
const folder = process.argv[3] ?? 'proofs';
const [buyerKey, providerKey] = ['BUYER_KEY', 'PROVIDER_KEY'].map(walletKey);
const { OPERATOR_TOKEN } = process.env;
const domain = await walletDomain(server);
const { chain, token } = await (await fetch(`${server}/a2a/treasury/balances`)).json();

const pay = payingFetch(privateKeyToAccount(buyerKey));
const buyer = agent(privateKeyToAccount(buyerKey), pay);
const provider = agent(privateKeyToAccount(providerKey), fetch);

await lookAt(provider.account.address);

// One job goes as it should.
const good = await hire('Translate "hello" into French.', '5.00');
await deliver(good, 'bonjour');
const released = await move(buyer, good, 'release', { path: '/complete' });
const { net, fee, transaction } = released.payout;
say(`released: the provider has ${net.amount}, the fee was ${fee.amount}, in ${transaction}`);
say(`delivered: ${await (await provider.get(`/a2a/jobs/${good}/deliverable`)).text()}`);

// The other one does not.
const bad = await hire('Translate "good night" into French.', '7.00');
await deliver(bad, 'bonjour');
const reason = 'That is not what was asked for.';
await move(buyer, bad, 'dispute', { path: '/dispute', body: { reason }, words: reason });
const decided = OPERATOR_TOKEN === undefined ? undefined : await decide(bad);
if (decided !== undefined) say(`decided for the ${decided.dispute.verdict}: ${decided.state}`);

// What is proven stays so without the server: npx stoa verify <file> --key "$(cat key.txt)"
await saveProofs([good, ...(decided === undefined ? [] : [bad])]);

/** Buys what the server states about an agent: 2 cents, signed. */
async function lookAt(subject) {
  const answer = await pay(`${server}/v1/services/trust-check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subject }),
  });
  const { score, badge } = await read(answer);
  say(`${subject} has score ${score}, badge ${badge}`);
}

/** Asks for work, takes the bid that comes, and pays it into the escrow. */
async function hire(task, usd) {
  const request = await buyer.post('/a2a/requests', {
    capability_id: 'translation',
    task_description: task,
    budget_usd: usd,
    funding: 'escrow',
  });
  const bid = await provider.post(`/a2a/requests/${request.request_id}/bids`, { price_usd: usd });
  // The server answers 402; the x402 client pays and asks again.
  const job = await buyer.post(`/a2a/bids/${bid.bid_id}/accept`);
  say(`${job.state}: ${job.release.price.amount} for ${job.job_id}`);
  return job.job_id;
}

/** Hands the work in; the provider's signature for the contract names its hash. */
async function deliver(jobId, text) {
  const job = await move(provider, jobId, 'fulfil', {
    path: '/fulfil',
    body: { text },
    words: text,
  });
  say(`${job.state}: until ${job.release.deadline}, then ${job.release.on_deadline}`);
}

/** Makes a move on the contract: its typed data is in the job, with zeros where a hash belongs. */
async function move(who, jobId, name, { path, body = {}, words = '' }) {
  const job = await (await fetch(`${server}/a2a/jobs/${jobId}`)).json();
  const { typed_data: data } = job.moves.find((possible) => possible.move === name);
  const hash = `0x${createHash('sha256').update(words).digest('hex')}`;
  const blank = Object.keys(data.message).find((member) => /^0x0+$/.test(data.message[member]));
  const message = blank === undefined ? data.message : { ...data.message, [blank]: hash };
  const signature = await who.account.signTypedData({ ...data, message });
  return who.post(`/a2a/jobs/${jobId}${path}`, { ...body, move_signature: signature });
}

/** The arbiter's part. */
async function decide(jobId) {
  const answer = await fetch(`${server}/a2a/jobs/${jobId}/decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ upheld: 'buyer', why: 'The work was another one.' }),
  });
  return read(answer);
}

/** Saves every proof of the jobs, and the key that they are checked with. */
async function saveProofs(jobIds) {
  mkdirSync(folder, { recursive: true });
  const get = async (path) => (await fetch(`${server}/v1/proofs/${path}`)).text();
  writeFileSync(join(folder, 'key.txt'), await get('key'));
  for (const jobId of jobIds) {
    for (const { seq, kind_name: kind } of await settledRecords(jobId)) {
      const file = join(folder, `${jobId}-${seq}.json`);
      writeFileSync(file, await get(`${seq}.json`));
      say(`proof: ${kind} in ${file}`);
    }
  }
}

/** The records of a job, once its end is among them: a moment after the end itself. */
async function settledRecords(jobId) {
  for (;;) {
    const { records } = await (await fetch(`${server}/v1/proofs/records?ref=${jobId}`)).json();
    if (records.some(({ kind_name: kind }) => kind === 'ProofOfSettlement')) return records;
    await new Promise((done) => setTimeout(done, 200));
  }
}

function agent(account, send) {
  const signed = walletFetch(account, domain, send);
  return {
    account,
    get: (path) => signed(`${server}${path}`),
    post: async (path, json) => read(await signed(`${server}${path}`, { method: 'POST', json })),
  };
}

/** A fetch that pays, as @x402/fetch makes it. */
function payingFetch(account) {
  const payer = new x402Client().register(chain, new ExactEvmScheme(account));
  // What the wallet may spend at once, in millionths of a dollar; the default is one dollar.
  const allowed = { network: chain, asset: token, maxAmountPerPayment: '10000000' };
  payer.setSpendControls({ allowedAssets: [allowed] });
  return wrapFetchWithPayment(fetch, payer);
}

async function read(answer) {
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${body.error}: ${body.message}`);
  return body;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
