import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { CouncilState } from '../../src/domain/council/result.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { verifyTranscript } from '../../src/domain/verification/panel-transcript.ts';
import { goodFacts } from '../support/council.ts';
import { createPayer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const COUNCIL = 'procurement_council';
const facts = { ...goodFacts(), security: { ...goodFacts().security, mfa: false } };
const ARGS = { vendor: 'Acme', product: 'a ticket system', facts, policy: { veto: ['CISO'] } };

afterAll(cleanUp);

async function connect(server: RealServer): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v2)));
  return client;
}

test('a council is bought, decides, survives kill -9, and anyone recomputes it', {
  timeout: 240_000,
}, async () => {
  const dataDir = freshDataDir();
  const payer = createPayer();
  let server = await startRealServer(dataDir);
  await fund(server, payer.address, '10');
  const first = await connect(server);
  const asked = await first.callTool({ name: COUNCIL, arguments: ARGS });
  const required = PaymentRequired.parse(asked.structuredContent);
  const paid = { name: COUNCIL, arguments: ARGS, _meta: await inBandPayment(payer, required) };
  const bought = CouncilState.parse((await first.callTool(paid)).structuredContent);
  expect(bought.result).toMatchObject({ winner: { option_id: 'reject' }, mode: 'rules_only' });
  await server.kill();

  server = await startRealServer(dataDir);
  const second = await connect(server);
  const query = { name: 'get_result', arguments: { job_id: bought.job_id } };
  const again = CouncilState.parse((await second.callTool(query)).structuredContent);
  expect(again).toEqual(bought);
  const { contents } = await second.readResource({ uri: bought.transcript_uri });
  const [content] = contents;
  const transcript: unknown = JSON.parse(
    content !== undefined && 'text' in content ? content.text : '',
  );
  expect(verifyTranscript(transcript)).toMatchObject({
    isValid: true,
    kind: 'council',
    winner: 'reject',
    cast: 5,
    root: bought.result?.transcript_root,
  });
  expect(await balanceOf(server, payer.address)).toBe(6_000_000n);
  await second.close();
  await server.stop();
});
