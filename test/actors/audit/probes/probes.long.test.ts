import { expect, test } from 'vitest';
import { checkConsent } from '../../../../src/actors/audit/check-consent.ts';
import { PROBES } from '../../../../src/actors/audit/probes/probes.ts';
import { runRecon } from '../../../../src/actors/audit/session/recon.ts';
import {
  CONSENT_PATH,
  consentTextFor,
  createConsentNonce,
  REGISTRATION_PATH,
} from '../../../../src/domain/audit/consent.ts';
import { AsiCategory } from '../../../../src/domain/audit/records.ts';
import { assess, assessVariant, loopbackTargets } from '../../../support/audits/assess.ts';
import { codeOf } from '../../../support/audits/code-of.ts';
import { EXPECTED_PROBES } from '../../../support/audits/expected-probes.ts';
import { smallHttp } from '../../../support/audits/small-http.ts';
import { realClock } from '../../../support/real-clock.ts';
import { createMemoryTargets, type MemoryServer } from '../../../support/target-memory-targets.ts';
import { allTargets } from '../../../support/targets/all-targets.ts';
import { knownTargets } from '../../../support/targets/known/known-targets.ts';

const limits = { requestsMax: 20, bytesMax: 500_000, totalMs: 5_000 };
const GREETING = { serverInfo: { name: 'memory', version: '1.0.0' }, capabilities: { tools: {} } };

test('every category has probes, and every probe a name of its own and bounds', () => {
  expect(new Set(PROBES.map(({ category }) => category))).toEqual(new Set(AsiCategory.options));
  expect(new Set(PROBES.map(({ probeId }) => probeId)).size).toBe(PROBES.length);
  for (const probe of PROBES) {
    expect(probe.requestsMax, probe.probeId).toBeLessThanOrEqual(140);
    expect(probe.totalMs, probe.probeId).toBeLessThanOrEqual(300_000);
  }
});

const quick = [...allTargets, ...knownTargets].filter(({ name }) =>
  [
    'path-absolute',
    'code-evaluation',
    'internal-redirect',
    'cross-session-memory',
    'query-injection',
    'terminal-escapes',
    'schema-rug-pull',
    'half-checked-origin',
    'counted-sessions',
    'tag-letters',
  ].includes(name),
);

test.each(quick)('$name: seen, replayed, and nothing of it on its twin', async (target) => {
  const expected = EXPECTED_PROBES[target.name] ?? [];
  const probes = PROBES.filter(({ probeId }) => expected.includes(probeId));
  const front = { burstMax: 1_000 };
  const faulty = await assessVariant(target, { seed: 0, fixed: false, front: {} }, { probes });
  expect(faulty.findings.map(({ status }) => status)).toContain('confirmed');
  for (const { evidence } of faulty.findings) expect(evidence.sha256).toMatch(/^[0-9a-f]{64}$/);
  const twin = await assessVariant(target, { seed: 0, fixed: true, front }, { probes });
  expect(twin.findings.filter(({ status }) => status === 'confirmed')).toEqual([]);
});

test('a run repeated finds the same under the same ids', async () => {
  const target = knownTargets.find(({ name }) => name === 'tag-letters');
  if (target === undefined) expect.fail('the target is there');
  const probes = PROBES.filter(({ mode }) => mode === 'passive');
  const ids = async () =>
    (await assessVariant(target, { seed: 1, fixed: false }, { probes })).findings.map(
      ({ findingId }) => findingId,
    );
  const first = await ids();
  expect(first.length).toBeGreaterThan(0);
  expect(await ids()).toEqual(first);
}, 60_000);

test('against a target that does not answer, breaks or refuses, every probe ends and says why', async () => {
  const servers: Record<string, MemoryServer> = {};
  for (const [name, answer] of [
    ['silent', 'silent'],
    ['broken', 'broken'],
    ['refusing', { status: 500 }],
  ] as const) {
    const tools = [
      { name: 'read_file', inputSchema: { properties: { path: { type: 'string' } } } },
    ];
    servers[name] = {
      greeting: GREETING,
      answer: (method) => (method === 'tools/list' ? { result: { tools } } : answer),
    };
  }
  const targets = createMemoryTargets(servers);
  for (const name of Object.keys(servers)) {
    const { runs, findings } = await assess({ kind: 'mcp_stdio', name }, { targets });
    expect(runs).toHaveLength(PROBES.length);
    expect(findings.filter(({ status }) => status === 'confirmed')).toEqual([]);
    for (const { outcome, reason } of runs) {
      const hasLooked = outcome === 'clean' || outcome === 'found';
      expect(hasLooked || (reason ?? '').length > 0).toBe(true);
    }
  }
}, 60_000);

test('a recon of a target that is down, or listing without an end, is bounded and typed', async () => {
  let cursor = 0;
  const targets = createMemoryTargets({
    endless: {
      greeting: GREETING,
      answer: () => {
        cursor += 1;
        return { result: { tools: [{ name: `t${cursor}` }, 7], nextCursor: String(cursor) } };
      },
    },
    down: { answer: () => 'broken' },
    guarded: { answer: () => ({ status: 401 }) },
  });
  const recon = async (name: string, requestsMax = 100) => {
    const how = { limits: { ...limits, requestsMax }, canarySeed: 's' };
    return await runRecon(await targets.open({ kind: 'mcp_stdio', name }, how));
  };
  const endless = await recon('endless');
  expect(endless.isCut).toBe(true);
  expect(endless.tools.length).toBeLessThanOrEqual(200);
  expect(await codeOf(recon('endless', 5))).toBe('AUDIT_BUDGET');
  expect(await codeOf(recon('down'))).toBe('AUDIT_TARGET_DOWN');
  expect((await recon('guarded')).access).toBe('refused');
});

test('control is proven by the nonce or the passport at the origin itself, and by nothing else', async () => {
  const files: Record<string, string> = {};
  const small = await smallHttp((request, response) => {
    const body = files[request.url ?? ''];
    if (body === undefined) return false;
    if (body.startsWith('http')) response.writeHead(302, { location: body }).end();
    else response.end(body);
    return true;
  });
  const target = await loopbackTargets.open(
    { kind: 'mcp_http', url: small.url },
    { limits, canarySeed: 's' },
  );
  const nonce = createConsentNonce({ bytes: (length) => new Uint8Array(length).fill(3) }, 2);
  const byNonce = () => checkConsent(target, { kind: 'nonce', nonce }, realClock);
  expect(await codeOf(byNonce())).toBe('AUDIT_UNPROVEN');
  files[CONSENT_PATH] = 'http://127.0.0.1:1/elsewhere';
  expect(await codeOf(byNonce())).toBe('AUDIT_UNPROVEN');
  files[CONSENT_PATH] = nonce;
  await expect(byNonce()).rejects.toThrow('serves the nonce itself');
  files[CONSENT_PATH] = `${consentTextFor(nonce)} `;
  expect(await byNonce()).toMatchObject({
    kind: 'nonce',
    origin: small.origin,
    connectedAddress: '127.0.0.1',
    probeSetVersion: 2,
  });
  const old = createConsentNonce({ bytes: (length) => new Uint8Array(length) }, 99);
  const claim = { kind: 'nonce', nonce: old } as const;
  expect(await codeOf(checkConsent(target, claim, realClock))).toBe('AUDIT_UNPROVEN');
  const byPassport = (passport: string) =>
    codeOf(checkConsent(target, { kind: 'passport', passport }, realClock));
  const registrations = [{ agentId: 7, agentRegistry: 'eip155:31337:0xAbC' }];
  files[REGISTRATION_PATH] = JSON.stringify({ registrations });
  expect(await byPassport('eip155:31337:0xabc:7')).toBe('none');
  expect(await byPassport('eip155:31337:0xabc:8')).toBe('AUDIT_UNPROVEN');
  await target.close();
  await small.close();
});
