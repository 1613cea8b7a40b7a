import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { formatUsd } from '../../domain/common/money.ts';
import { PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_META } from '../../domain/payment/payment.ts';
import { connectClient, createPayingWallet, type PayingWallet } from '../wallet/paying-client.ts';
import { answerTurns } from './agent.ts';
import { deployPage } from './deploy-page.ts';
import { parseState, printResult, type ToolCallResult } from './print-result.ts';
import { startServer, type TourReady, type TourServer } from './server.ts';
import type { TourOutput } from './tour-output.ts';

/** Options of the tour. */
export interface TourOptions {
  /** Path of the built CLI. */
  readonly cli: string;
  /** JSON file with the arguments of the debate. */
  readonly question: string;
  readonly page: TourOutput;
  /** Stops what hosting left running in a data directory without a server. */
  stopHosting(dataDir: string): Promise<unknown>;
}

const DEBATE = 'deliberation_multi-agent-debate';
/** Faucet amount per wallet, in dollars. */
const FAUCET_USD = '10';
/** Spending limit per call: $5.00 in micro-dollars. */
const PAYMENT_MAX = '5000000';
const CALL_OPTIONS = { timeout: 60_000, resetTimeoutOnProgress: true, maxTotalTimeout: 300_000 };

/** Runs the tour on its own server with a temporary data directory. */
export async function runTour(options: TourOptions): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stoa-tour-'));
  const servers: TourServer[] = [];
  const start = async (): Promise<TourServer> => {
    const server = await startServer(options.cli, dataDir);
    servers.push(server);
    return server;
  };
  try {
    const server = await startFirstServer(options.page, start);
    const [buyer, second] = await fundWallets(options.page, server.ready);
    await listTools(options.page, server.ready);
    await buyDebate(options, server.ready, buyer);
    await deployPage(options.page, server.ready);
    await restartAfterKill(options.page, { server, start, wallet: second });
    options.page.chapter('Done');
    options.page.print(
      'Everything you saw was real: server, chain, payments, panel, site and restart.',
    );
  } finally {
    for (const server of servers) await server.stop();
    await options.stopHosting(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Start = () => Promise<TourServer>;

async function startFirstServer(page: TourOutput, start: Start): Promise<TourServer> {
  page.chapter('Start a server: store, chain and MCP endpoints in one process');
  const began = performance.now();
  const server = await start();
  const { ready } = server;
  page.fact('ready after', `${((performance.now() - began) / 1000).toFixed(1)} s`);
  page.fact('MCP', ready.mcp_v1);
  page.fact('chain', `eip155:${ready.chain.id}, stablecoin ${ready.chain.token}`);
  page.fact('HTTP engine', ready.http_engine);
  return server;
}

async function fundWallets(
  page: TourOutput,
  ready: TourReady,
): Promise<[PayingWallet, PayingWallet]> {
  page.chapter('Create two wallets and fund them from the local faucet');
  const limits = {
    network: `eip155:${ready.chain.id}`,
    asset: ready.chain.token,
    maxAmountPerPayment: PAYMENT_MAX,
  } as const;
  const wallets: [PayingWallet, PayingWallet] = [
    createPayingWallet(limits),
    createPayingWallet(limits),
  ];
  for (const { address } of wallets) {
    const answer = await fetch(`${ready.base_url}/dev/faucet`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${readFileSync(ready.token_file, 'utf8').trim()}`,
      },
      body: JSON.stringify({ to: address, usd: FAUCET_USD }),
    });
    const text = await readTextWithin(answer.body);
    if (!answer.ok) throw new AppError('INTERNAL', { message: text });
    const { transaction } = JSON.parse(text) as { transaction: string };
    page.fact(`$${FAUCET_USD}`, `${address} (transaction ${transaction.slice(0, 18)}…)`);
  }
  return wallets;
}

async function listTools(page: TourOutput, ready: TourReady): Promise<void> {
  page.chapter('List the tools (free)');
  const client = await connectClient(ready.mcp_v1);
  for (const { name, title, _meta } of (await client.listTools()).tools) {
    const price = (_meta?.['price'] as { amount?: string } | undefined)?.amount;
    page.fact(price === undefined ? 'free' : `$${price}`, `${name}: ${title ?? ''}`);
  }
  await client.close();
}

async function buyDebate(
  options: TourOptions,
  ready: TourReady,
  wallet: PayingWallet,
): Promise<void> {
  const { page } = options;
  const question = JSON.parse(readFileSync(options.question, 'utf8')) as Record<string, unknown>;
  page.chapter('Call a priced tool without payment: HTTP 402 with a payment challenge');
  await showChallenge(page, ready, question);

  page.chapter('Buy a debate and watch its turns');
  page.fact('question', String(question['question']));
  const client = await connectClient(ready.mcp_v1, wallet);
  const answer = await callDebate(client, page, { ...question, wait_s: 120 });
  const state = await finishDebate(client, page, answer);
  printResult(page, state);

  page.chapter('Read the receipt and fetch the result again');
  printReceipt(page, answer);
  const { result } = await getResult(client, state.job_id, {});
  page.fact('again, free', `the result with root ${result?.transcript_root ?? 'none'}`);
  await client.close();
}

/** The fields of an offer that the tour prints. */
interface TourOffer {
  readonly amount: string;
  readonly network: string;
  readonly payTo: string;
  readonly extra: { readonly paymentFlow: string; readonly feeBps: number };
}

/** Sends one unpaid call, like a client without a wallet, and prints the challenge. */
async function showChallenge(page: TourOutput, ready: TourReady, question: object): Promise<void> {
  const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(ready.mcp_v1, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  const hello = await post({
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'stoa-tour', version: '1' },
    },
  });
  const session = hello.headers.get('mcp-session-id') ?? '';
  const answer = await post(
    { method: 'tools/call', params: { name: DEBATE, arguments: question } },
    { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
  );
  const header = answer.headers.get(PAYMENT_REQUIRED_HEADER) ?? '';
  const { accepts } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    accepts: readonly TourOffer[];
  };
  page.fact('status', `HTTP ${answer.status}`);
  for (const { amount, network, payTo, extra } of accepts) {
    page.fact('asks for', `$${formatUsd(BigInt(amount))} on ${network} to ${payTo}`);
    page.fact('flow', `${extra.paymentFlow}, service fee ${extra.feeBps} basis points`);
  }
}

interface RestartScene {
  readonly server: TourServer;
  readonly start: Start;
  readonly wallet: PayingWallet;
}

async function restartAfterKill(
  page: TourOutput,
  { server, start, wallet }: RestartScene,
): Promise<void> {
  page.chapter('Start a second panel and kill the server in the middle');
  const client = await connectClient(server.ready.mcp_v1, wallet);
  const options = ['stay with the monolith', 'split off billing first', 'split everything now'];
  const began = parseState(
    await callDebate(client, page, {
      question: 'Should we split the monolith this year?',
      options,
      seats_by: 'caller',
      max_rounds: 0,
      wait_s: 0,
    }),
  );
  const some = answerTurns(began).slice(0, 3);
  await client.callTool({ name: 'get_result', arguments: { job_id: began.job_id, turns: some } });
  page.step(
    `${some.length} of ${began.seats} agents have answered; job ${began.job_id.slice(0, 12)}…`,
  );
  await server.kill();
  page.step('server killed with SIGKILL');

  const next = await start();
  page.step(`server restarted on the same data directory: ${next.ready.mcp_v1}`);
  const after = await connectClient(next.ready.mcp_v1, wallet);
  let state = await getResult(after, began.job_id, {});
  page.step(
    `${state.turns_done} turns were kept; ${state.needs_turns?.length ?? 0} are still open`,
  );
  while (state.needs_turns !== undefined) {
    state = await getResult(after, began.job_id, { turns: answerTurns(state) });
    page.step(`${state.phase}: ${state.turns_done}/${state.turns_planned} turns`);
  }
  printResult(page, await finishJob(after, page, state));
  await after.close();
}

async function callDebate(client: Client, page: TourOutput, args: object): Promise<ToolCallResult> {
  const answer = (await client.callTool(
    { name: DEBATE, arguments: { ...args } },
    { ...CALL_OPTIONS, onprogress: ({ message }) => page.step(message ?? '') },
  )) as ToolCallResult;
  if (answer.isError === true) {
    throw new AppError('INTERNAL', { message: answer.content?.[0]?.text ?? 'the call failed' });
  }
  return answer;
}

async function finishDebate(client: Client, page: TourOutput, answer: ToolCallResult) {
  return finishJob(client, page, parseState(answer));
}

async function finishJob(client: Client, page: TourOutput, begun: ReturnType<typeof parseState>) {
  let state = begun;
  while (state.status === 'working') {
    state = await getResult(client, state.job_id, { wait_s: 20 });
    page.step(`${state.phase}: ${state.turns_done}/${state.turns_planned} turns`);
  }
  return state;
}

async function getResult(client: Client, jobId: string, more: object) {
  const answer = await client.callTool(
    { name: 'get_result', arguments: { job_id: jobId, ...more } },
    CALL_OPTIONS,
  );
  return parseState(answer as ToolCallResult);
}

function printReceipt(page: TourOutput, answer: ToolCallResult): void {
  const settled = answer._meta?.[PAYMENT_RESPONSE_META] as
    | { transaction: string; network: string; payer: string }
    | undefined;
  if (settled === undefined) {
    throw new AppError('INTERNAL', { message: 'The paid answer has no receipt.' });
  }
  page.fact('transaction', settled.transaction);
  page.fact('paid by', `${settled.payer} on ${settled.network}`);
}
