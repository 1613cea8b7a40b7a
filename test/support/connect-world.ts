import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import type { CapOverrides, ChainSettings } from '../../src/connect/bridge/chain-settings.ts';
import { type BridgeOptions, runBridge } from '../../src/connect/bridge/run-bridge.ts';
import { type Ledger, openLedger } from '../../src/connect/ledger/ledger.ts';
import { openPayees } from '../../src/connect/wallet/payees.ts';
import { createSigningWallet } from '../../src/connect/wallet/wallet.ts';
import { formatMicroUsd, parseUsd } from '../../src/domain/common/money.ts';
import { StreamTransport } from '../../src/transport/mcp/stream-transport.ts';
import { type ConnectProxy, connectProxy } from './connect-proxy.ts';
import { type ServedCommerce, serveCommerce } from './served-commerce.ts';
import { tempDir } from './temp-dir.ts';

/** Names and prices that the tests buy. */
export const DEBATE = 'deliberation_multi-agent-debate';
/** The tool that costs a cent. */
export const LINKS = 'ops_link-integrity';

/** An answer of a tool, loosely. */
export interface Told {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly _meta?: Record<string, unknown>;
}

/** An MCP client that knows nothing of payments, behind a bridge. */
export interface Bridged {
  readonly client: Client;
  readonly ledger: Ledger;
  /** Messages of all progress so far. */
  readonly progress: string[];
  readonly progressValues: number[];
  call(name: string, args: object): Promise<Told>;
  /**
   * Ends what the client sends; resolves when the bridge has ended. A deaf client takes nothing more:
   * what is written to it fails.
   */
  endInput(o?: { readonly isDeaf: boolean }): Promise<void>;
  /** Ends the bridge; the client stays as it is. */
  end(): Promise<void>;
}

/** How a bridge differs from one with two dollars a call and ten a day. */
export interface BridgeWish {
  readonly perCall?: string;
  readonly perDay?: string;
  readonly perTool?: Readonly<Record<string, string>>;
  readonly payee?: string;
  readonly answerMsMax?: number;
  readonly patience?: BridgeOptions['retryTimeouts'];
  readonly search?: boolean;
  /** Answers questions; without it the client has no way to be asked. */
  readonly person?: (message: string) => Promise<ElicitResult>;
  readonly setting?: () => ChainSettings | undefined;
}

/** A commerce server, a proxy before it, and bridges that share one wallet. */
export interface ConnectWorld {
  readonly commerce: ServedCommerce;
  readonly proxy: ConnectProxy;
  readonly folder: string;
  readonly setting: ChainSettings;
  bridge(wish?: BridgeWish): Promise<Bridged>;
}

/** Builds the world; the endpoint is `v1` (402) or `v2` (in band). It ends with the test. */
export async function connectWorld(endpoint: 'v1' | 'v2' = 'v1'): Promise<ConnectWorld> {
  const commerce = await serveCommerce();
  const path = endpoint === 'v1' ? '/v1/mcp' : '/v2/';
  const proxy = await connectProxy(`${commerce.baseUrl}${path}`);
  const dir = tempDir();
  onTestFinished(dir.remove);
  const { facts, ledger } = commerce.chain;
  const setting: ChainSettings = {
    asset: { network: facts.network, asset: facts.token },
    reader: {
      balanceOf: async (_asset, owner) => ledger.balance(owner),
      isSpent: async () => undefined,
    },
    fund: async () => undefined,
  };
  return {
    commerce,
    proxy,
    folder: dir.path,
    setting,
    bridge: (wish = {}) =>
      bridged(wish, {
        url: proxy.url,
        version: '0.0.1',
        wallet: createSigningWallet(commerce.payer.privateKey, 'test'),
        ledger: openLedger({ folder: dir.path, address: commerce.payer.address, now: Date.now }),
        payees: openPayees(join(dir.path, 'payees')),
        chainSettings: wish.setting ?? (() => setting),
        log: () => undefined,
      }),
  };
}

/** A debate that waits for turns, so that its call ends as soon as it is paid. */
export function question(name: string): object {
  return { question: `${name}?`, options: ['yes', 'no'], seats_by: 'caller', wait_s: 0 };
}

/** A debate that decision procedures decide at once, turn by turn. */
export function ruledQuestion(name: string): object {
  return {
    question: `${name}?`,
    options: [
      { name: 'yes', scores: { cost: 1, speed: 3 } },
      { name: 'no', scores: { cost: 2, speed: 1 } },
    ],
    criteria: [{ name: 'cost', higher_is_better: false }, { name: 'speed' }],
    wait_s: 30,
  };
}

type Parts = Omit<BridgeOptions, 'transport' | 'capOverrides'>;

async function bridged(wish: BridgeWish, parts: Parts): Promise<Bridged> {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const running = runBridge({
    ...parts,
    transport: new StreamTransport({ input: there, output: back }),
    capOverrides: wantedCaps(wish),
    ...(wish.patience === undefined ? {} : { retryTimeouts: wish.patience }),
    ...(wish.search === undefined ? {} : { search: wish.search }),
    ...(wish.payee === undefined ? {} : { payee: wish.payee }),
    ...(wish.answerMsMax === undefined ? {} : { answerTimeoutMs: wish.answerMsMax }),
  });
  const { person } = wish;
  const client = new Client(
    { name: 'plain', version: '1' },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  }
  await client.connect(lineTransport(there, back));
  const progress: string[] = [];
  const progressValues: number[] = [];
  const end = async (): Promise<void> => {
    there.end();
    // The client is gone with both of its pipes.
    back.destroy();
    await running;
    parts.ledger.close();
  };
  onTestFinished(() => (there.writableEnded ? undefined : end()));
  return {
    client,
    ledger: parts.ledger,
    progress,
    progressValues,
    call: async (name, args) =>
      (await client.callTool({ name, arguments: { ...args } }, undefined, {
        onprogress: ({ progress: value, message }) => {
          progressValues.push(value);
          progress.push(message ?? '');
        },
      })) as unknown as Told,
    endInput: async (o) => {
      there.end();
      if (o?.isDeaf === true) {
        back._transform = (_chunk, _encoding, done) => done(new Error('nobody reads'));
      }
      await running;
    },
    end,
  };
}

function wantedCaps({ perCall, perDay, perTool = {} }: BridgeWish): CapOverrides {
  const usd = (amount: string) => formatMicroUsd(parseUsd(amount));
  const tools = Object.entries(perTool).map(([name, amount]) => [name, usd(amount)]);
  return {
    perCall: usd(perCall ?? '2.00'),
    perDay: usd(perDay ?? '10.00'),
    perTool: Object.fromEntries(tools),
  };
}

function lineTransport(output: PassThrough, input: PassThrough): Transport {
  let text = '';
  const transport: Transport = {
    start: async () => {
      input.on('data', (chunk: Buffer) => {
        const lines = (text + chunk.toString('utf8')).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) transport.onmessage?.(JSON.parse(line));
      });
    },
    send: async (message) => void output.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      output.end();
      transport.onclose?.();
    },
  };
  return transport;
}
