import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { createPayer, type Payer } from './payer.ts';
import { cliPath, fund, inBandPayment, type RealServer } from './real-server.ts';

/** The ways in which a client reaches the tools of a server. */
export const FRONTS = ['/v1/mcp', '/v2/', 'stdio'] as const;
/** See {@link FRONTS}. */
export type FrontName = (typeof FRONTS)[number];

/** What a call answered: its structured content. */
export type Answer = Readonly<Record<string, unknown>>;

/** An agent with test money, whose client is an unmodified one; it outlives the server. */
export interface FrontBuyer {
  readonly payer: Payer;
  /** Connects to the server that runs now. */
  connect(server: RealServer): Promise<void>;
  call(name: string, args: object): Promise<Answer>;
  /**
   * Buys, and hangs up as soon as the first line of progress is there; then asks with the same
   * payment what became of it. @returns The job, and the lines that came before.
   */
  buyAndHangUp(name: string, args: object): Promise<{ jobId: string; lines: readonly string[] }>;
  close(): Promise<void>;
}

/** Makes an agent that comes by one front; its wallet is fresh unless one is given. */
export async function frontBuyer(
  front: FrontName,
  server: RealServer,
  usd: string,
  payer: Payer = createPayer(),
): Promise<FrontBuyer> {
  await fund(server, payer.address, usd);
  let client: Client | undefined;
  const connected = (): Client => {
    if (client === undefined) throw new Error('it is not connected');
    return client;
  };
  const call: FrontBuyer['call'] = async (name, args) => {
    const { structuredContent } = await connected().callTool({ name, arguments: { ...args } });
    return Object(structuredContent);
  };
  const pay = async (name: string, args: object) => {
    const challenge = await call(name, args).catch(challengeIn);
    return inBandPayment(payer, PaymentRequired.parse(challenge));
  };
  return {
    payer,
    call,
    connect: async (to) => {
      await client?.close().catch(() => undefined);
      client = new Client({ name: 'fronts', version: '1' }, {});
      await client.connect(await transportOf(front, to));
    },
    buyAndHangUp: async (name, args) => {
      const lines: string[] = [];
      const hangUp = new AbortController();
      const paid = { name, arguments: { ...args }, _meta: await pay(name, args) };
      const onprogress = ({ message = '' }: { message?: string | undefined }) => {
        lines.push(message);
        hangUp.abort();
      };
      const { signal } = hangUp;
      const ended = await connected()
        .callTool(paid, { onprogress, signal, resetTimeoutOnProgress: true })
        .then(
          () => 'answered',
          () => 'hung up',
        );
      if (ended !== 'hung up') throw new Error(`${name} answered before it was hung up`);
      const again = await connected().callTool(paid);
      return { jobId: String(Object(again.structuredContent).job_id), lines };
    },
    close: async () => {
      await client?.close();
    },
  };
}

/** A challenge that came as HTTP 402, which the client throws with the body in its words. */
function challengeIn(thrown: unknown): Answer {
  const { message = '' } = Object(thrown) as { readonly message?: string };
  const body = message.slice(message.indexOf('{'));
  if (!body.startsWith('{')) throw thrown;
  return Object(JSON.parse(body).result).structuredContent;
}

async function transportOf(front: FrontName, { ready, dataDir }: RealServer): Promise<Transport> {
  if (front === 'stdio') {
    const args = [await cliPath(), 'stdio', '--server', 'commerce', '--data', dataDir];
    return new StdioClientTransport({ command: process.execPath, args });
  }
  const url = front === '/v2/' ? ready.mcp_v2 : ready.mcp_v1;
  return new StreamableHTTPClientTransport(new URL(url));
}
