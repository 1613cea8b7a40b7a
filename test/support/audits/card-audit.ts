import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { prepareAudit } from '../../../src/actors/audit/audit-order.ts';
import { readAudit } from '../../../src/actors/audit/audit-view.ts';
import { waitForAudit } from '../../../src/actors/audit/audit-wait.ts';
import { readSignedReport } from '../../../src/actors/audit/signed-report.ts';
import { AuditRequest } from '../../../src/domain/audit/request.ts';
import { realClock } from '../real-clock.ts';
import { desk } from './real-audit.ts';

/** Where the card is served. */
export const CARD_PATH = '/.well-known/agent-card.json';

/**
 * Audits an agent's card on loopback, passively, to its end.
 *
 * @param cardAt - The card as it is served to the request of this number, from 1 on; its `url` is
 * put in.
 */
export async function auditCard(cardAt: (request: number) => object) {
  const seen: string[] = [];
  let origin = '';
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const gets = seen.filter((one) => one === `GET ${CARD_PATH}`).length;
    const isCard = request.url === CARD_PATH && request.method === 'GET';
    const headers = { 'content-type': 'application/json' };
    if (!isCard) response.writeHead(404, headers).end('{}');
    else response.writeHead(200, headers).end(JSON.stringify({ url: origin, ...cardAt(gets) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { deps, engine } = await desk(true);
  const target = `${origin}${CARD_PATH}`;
  const request = AuditRequest.parse({ target, target_kind: 'a2a_card', mode: 'passive' });
  const offer = { plan: 'framework', priceMicroUsd: '5000000' } as const;
  const by = {
    principal: { kind: 'local', id: 'test' },
    paymentId: 'pay_1',
    payer: '0x1',
  } as const;
  const { kind, input } = await prepareAudit(deps, request, offer, by);
  await engine.create(kind, 'job_1', { ...input, jobId: 'job_1' });
  const { signal } = new AbortController();
  const state = await waitForAudit(deps, 'job_1', { waitMs: 60_000, clock: realClock, signal });
  const { signedSha } = (await readAudit(engine, 'job_1')).context;
  const report = signedSha === null ? undefined : readSignedReport(deps.blobs, signedSha).report;
  await engine.close();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  return { state, report, seen };
}
