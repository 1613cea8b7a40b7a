import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { AlertView } from '../../src/domain/alert/view.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { controlClient } from '../support/control-client.ts';
import { createPayer } from '../support/payer.ts';
import {
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  startRealServer,
  until,
} from '../support/real-server.ts';

afterAll(cleanUp);

const NAME = 'oracle_alert-generator';
const MINUTE = 60_000;

test('a bought alert on settlements fires by itself, and a kill loses nothing of it', {
  timeout: 180_000,
}, async () => {
  const dataDir = freshDataDir();
  const server = await startRealServer(dataDir, ['--test-control']);
  const payer = createPayer();
  await fund(server, payer.address, '10');
  const client = new Client({ name: 'alert-test', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v2)));
  const buy = async (args: Record<string, unknown>) => {
    const call = { name: NAME, arguments: args };
    const asked = PaymentRequired.parse((await client.callTool(call)).structuredContent);
    return client.callTool({ ...call, _meta: await inBandPayment(payer, asked) });
  };
  const subject = { topic: 'settlement', query: payer.address };
  const bought = await buy({ subject, op: 'event_match', rearm: 'none' });
  const alert = AlertView.parse(bought.structuredContent);
  // It is there once it is paid. Its own settlement, the first event about its payer, may have
  // reached the feed before the answer was written.
  expect(['armed', 'fired']).toContain(alert.state);
  const read = async (baseUrl: string) => {
    const answer = await fetch(`${baseUrl}${alert.read_at.path}`);
    return (await answer.json()) as { state: string; history: { reason: string; to: string }[] };
  };
  await until(async () => {
    const answer = await fetch(`${server.ready.base_url}/v1/events`);
    return (await answer.text()).includes('settlement.settled');
  });
  const control = await controlClient(dataDir);
  await control.tell({ do: 'clock.advance', ms: MINUTE });
  expect((await read(server.ready.base_url)).state).toBe('fired');
  const { contents } = await client.readResource({ uri: alert.read_at.resource });
  expect(JSON.stringify(contents)).toContain('fired');

  // There is no way out of a test: a price cannot be read, and nothing is charged for that.
  const price = { pair: 'BTC/USD', venue: 'kraken' };
  const failed = await buy({ subject: price, op: 'above', threshold: '1' });
  expect(failed.isError).toBe(true);
  await client.close();
  control.close();
  await server.kill();

  const next = await startRealServer(dataDir, ['--test-control']);
  expect((await read(next.ready.base_url)).state).toBe('fired');
  const later = await controlClient(dataDir);
  await later.tell({ do: 'clock.advance', ms: 2 * MINUTE });
  const after = await read(next.ready.base_url);
  expect(after.history.filter(({ to }) => to === 'fired')).toHaveLength(1);
  later.close();
  await next.stop();
});
