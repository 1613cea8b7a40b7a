// A paid call through the whole server, against a bare transaction on the same chain. The call is a
// panel of decision procedures, which settles first; the chain makes a block every so often. Both
// wait for the same number of blocks, of which the server asks two unless told otherwise.
//   node bench/paid.mjs [--blocks 1,2] [--confirmations 1,2] [--calls 12] [--rounds 1]
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { sleep, startServer, stopChild } from './lib/proc.mjs';
import { realServer } from './lib/real.mjs';
import { fixed, groupBy, mean, spreadPercent, table } from './lib/stats.mjs';
import { openBuyer } from './paid/buyer.mjs';
import { startChain } from './paid/chain.mjs';

const CALLS_MAX = 40;
const WARM = 2;
const GOLDEN = 0.618;
const MONEY_MICRO = 1_000_000_000n;

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '1,2' },
    confirmations: { type: 'string', default: '1,2' },
    calls: { type: 'string', default: '12' },
    rounds: { type: 'string', default: '1' },
  },
});
const calls = Math.min(CALLS_MAX, Number(values.calls) * Number(values.rounds));

const { rows, add } = openRows('paid');
for (const blockSeconds of values.blocks.split(',').map(Number)) {
  const chain = await startChain(blockSeconds);
  try {
    for (const confirmations of values.confirmations.split(',').map(Number)) {
      await measure(chain, { blockSeconds, confirmations });
    }
  } finally {
    await chain.end();
  }
}
report();

async function measure(chain, { blockSeconds, confirmations }) {
  const setup = realServer('paid', {
    env: {
      STOA_RPC_URL: chain.rpcUrl,
      STOA_TOKEN_ADDRESS: chain.token,
      STOA_OPERATOR_KEY: chain.operatorKey,
      STOA_CONFIRMATIONS: String(confirmations),
    },
  });
  const { child, url } = await startServer({ name: 'paid', ...setup });
  try {
    const buyer = await openBuyer(url);
    await chain.mint(buyer.address, MONEY_MICRO);
    for (let n = 0; n < WARM + calls; n += 1) {
      const pauseMs = pauseAt(n) * blockSeconds * 1000;
      const paid = await once(() => buyPanel(buyer, n), pauseMs);
      const bare = await once(async () => () => chain.bare(confirmations), pauseMs);
      if (n < WARM) continue;
      add({ blockSeconds, confirmations, n, paidMs: paid, bareMs: bare });
      say(
        `${blockSeconds} s, ${confirmations}: paid ${fixed(paid, 0)} ms, bare ${fixed(bare, 0)} ms`,
      );
    }
  } finally {
    await stopChild(child);
    setup.folder.clear();
  }
}

/** Moments between two blocks, as parts of one: spread evenly however many are taken. */
function pauseAt(n) {
  return (n * GOLDEN) % 1;
}

/** Prepares, waits, and takes the time of the rest. */
async function once(prepare, pauseMs) {
  const run = await prepare();
  await sleep(pauseMs);
  const began = performance.now();
  await run();
  return performance.now() - began;
}

async function buyPanel(buyer, n) {
  const call = panelCall(n);
  const payment = await buyer.sign(await buyer.ask(call));
  return async () => {
    const { status, body } = await buyer.buy(call, payment);
    if (status !== 200 || !body.includes('decided')) throw new Error(`${status} ${body}`);
  };
}

function panelCall(n) {
  const input = {
    question: `Which store should service ${n} use?`,
    options: ['An embedded store', 'A relational server'].map((name, at) => ({
      name,
      scores: { cost: 7 - at, latency: 6 + at },
    })),
    criteria: [{ name: 'cost', weight: 2 }, { name: 'latency' }],
    seats_by: 'rules',
  };
  const params = { name: 'deliberation_multi-agent-debate', arguments: input };
  return { jsonrpc: '2.0', id: n + 1, method: 'tools/call', params };
}

function report() {
  say('\n### a paid call, settled on chain before the work, to its answer\n');
  const legOf = (row) => `${row.blockSeconds} s, ${row.confirmations}`;
  const lines = [...groupBy(rows, legOf)].map(([leg, of]) => {
    const blockMs = of[0].blockSeconds * 1000;
    const paid = of.map((row) => row.paidMs);
    const bare = of.map((row) => row.bareMs);
    return [
      leg,
      fixed(mean(paid), 0),
      `${spreadPercent(paid)} %`,
      fixed(mean(bare), 0),
      `${spreadPercent(bare)} %`,
      fixed(mean(paid) / blockMs, 2),
      fixed(mean(paid) / mean(bare), 2),
      fixed(mean(paid) - mean(bare), 0),
    ];
  });
  const head = [
    'block time, blocks waited for',
    'paid ms',
    'spread',
    'bare transaction ms',
    'spread',
  ];
  say(table([...head, 'paid to block time', 'paid to bare', 'paid above bare, ms'], lines));
}
