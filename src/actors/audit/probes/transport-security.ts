import { createRawEvidence } from '../../../domain/audit/evidence.ts';
import { isPublicHost } from '../../../domain/audit/probe/public-host.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { createProbe } from '../session/create-probe.ts';
import type { Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 8;

/** Detects unencrypted public targets. */
export const transportSecurity = createProbe({
  probeId: 'transport-security',
  version: 1,
  category: 'ASI07',
  mode: 'passive',
  title: 'The way to the target is not encrypted',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session) => {
    const { exchange, origin } = session.target;
    if (exchange === undefined || !isPublicHost(new URL(origin).hostname)) {
      return { outcome: 'not_applicable', reason: 'the target is not on a public network' };
    }
    const answer = await exchange({ method: 'GET', path: '/' });
    const findings: Sighting[] = [];
    if (origin.startsWith('http:') && answer.kind === 'answer') {
      findings.push({
        title: 'The target is served without encryption',
        severity: 'high',
        status: 'unreproduced',
        evidence: createRawEvidence(answer),
        control: null,
        remediation: 'Serve only over HTTPS.',
      });
    }
    return { outcome: 'looked', subjects: [origin], findings };
  },
});
