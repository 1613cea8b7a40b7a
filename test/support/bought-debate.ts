import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { answerTurns } from '../../src/connect/tour/agent.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { createPayer } from './payer.ts';
import { fund, inBandPayment, type RealServer } from './real-server.ts';

const DEBATE = 'deliberation_multi-agent-debate';
const QUESTION = {
  question: 'Which queue should the new service use?',
  options: ['an embedded log', 'a broker of its own', 'the database that is there'],
  seats_by: 'caller',
  max_rounds: 0,
  wait_s: 0,
};

/** A debate that was paid for; its seats are answered by the caller. */
export interface BoughtDebate {
  readonly jobId: string;
  /** Answers up to so many turns that are asked for; all by default, until it is decided. */
  answer(turnsMax?: number): Promise<DebateState>;
  close(): Promise<void>;
}

/** Buys a debate of a real server with test money. */
export async function buyDebate(
  server: RealServer,
  question: Partial<typeof QUESTION> = {},
): Promise<BoughtDebate> {
  const payer = createPayer();
  await fund(server, payer.address, '10');
  const client = new Client({ name: 'console-test', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v2)));
  const call = { name: DEBATE, arguments: { ...QUESTION, ...question } };
  const asked = PaymentRequired.parse((await client.callTool(call)).structuredContent);
  const paid = { ...call, _meta: await inBandPayment(payer, asked) };
  let state = DebateState.parse((await client.callTool(paid)).structuredContent);
  const read = async (args: object): Promise<void> => {
    const query = { name: 'get_result', arguments: { job_id: state.job_id, ...args } };
    state = DebateState.parse((await client.callTool(query)).structuredContent);
  };
  return {
    jobId: state.job_id,
    answer: async (turnsMax = Number.POSITIVE_INFINITY) => {
      let left = turnsMax;
      while (left > 0 && (state.needs_turns !== undefined || state.status === 'working')) {
        const turns = answerTurns(state).slice(0, left);
        left -= turns.length;
        await read(turns.length === 0 ? { wait_s: 5 } : { turns });
      }
      return state;
    },
    close: () => client.close(),
  };
}
