import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { createPayer, type Payer } from './payer.ts';
import { fund, inBandPayment, type RealServer } from './real-server.ts';

/** What a tool answered, as far as tests look at it. */
export interface Bought {
  readonly isError?: boolean;
  readonly structuredContent: Record<string, never>;
  readonly content: readonly { readonly text?: string }[];
}

/** An agent that pays for what it calls. */
export interface PayingClient {
  readonly payer: Payer;
  /** Calls without paying. */
  call(name: string, args: object): Promise<Bought>;
  /** Calls, pays what is asked, and calls again. */
  buy(name: string, args: object): Promise<Bought>;
  close(): Promise<void>;
}

/** Connects an agent with test money to a real server; its wallet is fresh unless one is given. */
export async function payingClient(
  server: RealServer,
  usd = '10',
  payer: Payer = createPayer(),
): Promise<PayingClient> {
  await fund(server, payer.address, usd);
  const client = new Client({ name: 'paying-test', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v2)));
  const call = async (name: string, args: object, more: object = {}) =>
    (await client.callTool({ name, arguments: { ...args }, ...more })) as unknown as Bought;
  return {
    payer,
    call,
    buy: async (name, args) => {
      const asked = await call(name, args);
      const challenge = PaymentRequired.safeParse(asked.structuredContent);
      if (!challenge.success) return asked;
      return call(name, args, { _meta: await inBandPayment(payer, challenge.data) });
    },
    close: () => client.close(),
  };
}
