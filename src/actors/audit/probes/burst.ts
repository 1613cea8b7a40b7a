import { createEvidence, createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { createMessageBody, JSON_HEADERS } from '../../../domain/audit/probe/raw-messages.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { createProbe } from '../session/create-probe.ts';
import type { Sighting } from '../session/probe.ts';

/** Number of concurrent requests, and of bursts. */
const BURST = 40;
const WAVES = 2;
const REQUESTS_MAX = BURST * WAVES + 10;
/** HTTP statuses of a rate-limited target. */
const TOO_MUCH = [429, 503];
/** A slower burst proves nothing, because the target may have throttled it. */
const BURST_MS_MAX = 800;

/** Detects missing rate limits with bursts of requests. */
export const burst = createProbe({
  probeId: 'burst',
  version: 1,
  category: 'ASI08',
  mode: 'active',
  title: 'A burst of requests is served without a bound',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session) => {
    const { exchange } = session.target;
    if (exchange === undefined || session.recon.kind !== 'mcp_http') {
      return { outcome: 'not_applicable', reason: 'the target does not speak MCP over HTTP' };
    }
    const connection = await session.target.connect();
    const control = await connection.request('tools/list', {});
    const headers = {
      ...JSON_HEADERS,
      'mcp-protocol-version': connection.greeting.protocolVersion,
      ...(connection.sessionId === null ? {} : { 'mcp-session-id': connection.sessionId }),
    };
    const startedAt = session.clock.now();
    const statuses: number[] = [];
    for (let wave = 0; wave < WAVES; wave += 1) {
      const answers = await Promise.all(
        Array.from({ length: BURST }, (_one, at) =>
          exchange({ method: 'POST', headers, body: createMessageBody(at + 10, 'tools/list') }),
        ),
      );
      statuses.push(...answers.map((answer) => (answer.kind === 'answer' ? answer.status : 0)));
      if (statuses.some((status) => TOO_MUCH.includes(status) || status === 0)) break;
    }
    const isHeld = statuses.some((status) => TOO_MUCH.includes(status) || status === 0);
    const tookMs = session.clock.now() - startedAt;
    if (!isHeld && tookMs > BURST_MS_MAX) {
      return { outcome: 'not_applicable', reason: `the burst took ${tookMs} ms, too slow` };
    }
    const served = statuses.filter((status) => status === 200).length;
    const findings: Sighting[] = [];
    if (!isHeld && served === BURST * WAVES) {
      findings.push({
        title: `${BURST * WAVES} requests in a burst are all served`,
        severity: 'low',
        status: 'unreproduced',
        evidence: createEvidence(
          `tools/list, ${WAVES} times ${BURST} in parallel`,
          statuses.join(' '),
        ),
        control: createRpcEvidence(control),
        remediation: 'Limit the rate per caller, and answer 429 with Retry-After above it.',
      });
    }
    return { outcome: 'looked', subjects: ['tools/list'], findings };
  },
});
