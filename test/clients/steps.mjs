// The steps that every client takes at every address. A client's program hands in how it opens an
// address; each step becomes one JSON line on standard output.
import { once } from 'node:events';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';

/** What the test gives: addresses, the key of a funded wallet, and how the chain names its token. */
export const run = JSON.parse(process.env.STOA_CLIENT_RUN);
export const account = privateKeyToAccount(run.key);

/** Patience of a transport whose server starts again: the default gives up after 3 seconds. */
export const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 1.2,
  maxRetries: 60,
};

const DEBATE = 'deliberation_multi-agent-debate';
const SENTENCE = /This call costs \$2\.00 and you were not charged/;
/** A panel's answer starts with it. */
const DECIDED = /^Decision: a /m;
const ABORTED_MS_MAX = 5_000;
/** Where a client shows no progress, its panel counts as begun after this time. */
const BEGUN_MS = 4_000;

/** A fetch or signer may spend this much at once: two dollars. */
export function payer() {
  const client = new x402Client().register(run.network, new ExactEvmScheme(account));
  const allowed = { network: run.network, asset: run.asset, maxAmountPerPayment: '2000000' };
  return client.setSpendControls({ allowedAssets: [allowed] });
}

/**
 * Takes all steps at all addresses. `open(address)` resolves with `{ list, call, close }`, where
 * `call(name, args, { meta, onprogress, signal })` resolves with what the client hands on.
 * `lacks` names the steps for which the client has no option, and why.
 */
export async function runSteps(open, lacks = {}) {
  for (const address of run.addresses) {
    const say = (step, ok, detail) => print({ step, address: address.name, ok, detail });
    let client;
    const attempt = async (step, work) => {
      if (!address.steps.includes(step)) return;
      // An address that pays by itself asks nothing of the client.
      const isSpared = address.pays && step === 'paid';
      if (lacks[step] !== undefined && !isSpared) return say(step, false, lacks[step]);
      if (client === undefined && step !== 'connect') return say(step, false, 'not connected');
      await work().then(
        ([ok, detail]) => say(step, ok, detail),
        (thrown) => say(step, false, `thrown: ${messageOf(thrown)}`),
      );
    };
    await attempt('connect', async () => {
      client = await open(address);
      return [true, ''];
    });
    for (const [step, work] of Object.entries(stepsOf(() => client, address))) {
      await attempt(step, work);
    }
    await client?.close();
  }
}

function stepsOf(client, address) {
  let challenge;
  let lines = [];
  const buy = async (args, options = {}) => {
    const meta =
      challenge === undefined
        ? {}
        : { meta: { 'x402/payment': await payer().createPaymentPayload(challenge) } };
    return client().call(DEBATE, args, { ...meta, ...options });
  };
  const onprogress = (progress) => lines.push(progress?.message ?? '');
  return {
    list: async () => {
      const tools = await client().list();
      return [tools.length === address.tools, `${tools.length} tools`];
    },
    free: async () => {
      const text = textOf(
        await client().call('get_result', { job_id: unknownJob() }, {}).catch(asResult),
      );
      return [text.includes('JOB_UNKNOWN'), text.slice(0, 300)];
    },
    unpaid: async () => {
      const result = await client().call(DEBATE, panel('rules'), {}).catch(asResult);
      challenge = result.structuredContent;
      const text = textOf(result);
      const before = text.slice(0, text.search(SENTENCE));
      const isReadable = SENTENCE.test(text) && !before.includes('{');
      const how = result.thrown === true ? 'thrown' : 'result';
      return [isReadable, `${how}: ${text.slice(0, 400)}`];
    },
    paid: async () => {
      if (!address.pays && challenge === undefined) return [false, 'no challenge to pay'];
      const text = textOf(await buy(panel('rules'), { onprogress }));
      return [DECIDED.test(text), text.slice(0, 300)];
    },
    progress: async () => [lines.length > 0, `${lines.length} lines`],
    cancel: async () => {
      const stop = new AbortController();
      const args = { job_id: run.slowJob, wait_s: 30 };
      const call = client().call('get_result', args, { signal: stop.signal });
      const ended = call.then(textOf, (thrown) => `thrown: ${messageOf(thrown)}`);
      await pause(700);
      const begun = Date.now();
      stop.abort();
      const text = await Promise.race([ended, pause(ABORTED_MS_MAX).then(() => 'not ended')]);
      const after = textOf(
        await client().call('get_result', { job_id: unknownJob() }, {}).catch(asResult),
      );
      const isOver = text.startsWith('thrown: ') && Date.now() - begun < ABORTED_MS_MAX;
      return [isOver && after.includes('JOB_UNKNOWN'), text.slice(0, 200)];
    },
    resume: async () => {
      if (!address.pays) {
        const asked = await client().call(DEBATE, panel('models'), {}).catch(asResult);
        challenge = asked.structuredContent;
        if (challenge === undefined) return [false, 'no challenge to pay'];
      }
      lines = [];
      const note = (step) => print({ step, address: address.name, ok: true, detail: '' });
      note('ready');
      await told();
      if (!address.showsProgress) setTimeout(() => note('begun'), BEGUN_MS);
      const seen = (progress) => {
        onprogress(progress);
        // The paid call is under way: before it, a server that is killed is one that refuses.
        if (address.showsProgress && lines.length === 2) note('begun');
      };
      const text = textOf(await buy(panel('models'), { onprogress: seen }));
      return [DECIDED.test(text), text.slice(0, 300)];
    },
  };
}

/** A question that decision procedures answer at once, or models slowly. */
function panel(seatsBy) {
  return {
    question: `Which queue should service ${Math.random()} use?`,
    options: [
      { name: 'a log', scores: { cost: 1, speed: 3 } },
      { name: 'a broker', scores: { cost: 2, speed: 1 } },
    ],
    criteria: [{ name: 'cost', higher_is_better: false }, { name: 'speed' }],
    seats_by: seatsBy,
    wait_s: 50,
  };
}

const unknownJob = () => `job_${'0'.repeat(40)}`;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const asResult = (thrown) => ({ thrown: true, text: messageOf(thrown) });
const messageOf = (thrown) => String(thrown?.message ?? thrown);

/** Resolves when the test says that all programs are ready. */
async function told() {
  await once(process.stdin, 'data');
  process.stdin.destroy();
}

/** All text of a result, as a model would read it. */
function textOf(result) {
  if (typeof result === 'string') return result;
  if (result?.thrown === true) return result.text;
  const blocks = result?.content ?? result;
  if (!Array.isArray(blocks)) return JSON.stringify(blocks);
  return blocks.map((block) => block.text ?? JSON.stringify(block)).join('\n');
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
