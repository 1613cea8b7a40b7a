import { beforeAll, describe, expect, test } from 'vitest';
import type { PublishedAudit } from '../../../src/domain/audit/published-audits.ts';
import { computeReportRoot } from '../../../src/domain/audit/report.ts';
import { toSarif } from '../../../src/domain/audit/sarif.ts';
import { AuditState } from '../../../src/domain/audit/state.ts';
import {
  isAuditReportFile,
  verifyAuditReport,
} from '../../../src/domain/verification/audit-report.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { auditWorld, contentOf } from '../../support/audits/audit-world.ts';

let file: PublishedAudit;
let resign: (payload: PublishedAudit['payload']) => object;

beforeAll(async () => {
  const world = await auditWorld();
  const life = await world.life();
  const bought = AuditState.parse(contentOf(await life.buyActive('security_framework-audit')));
  const { audit_id } = await life.ended(bought.job_id);
  file = await life.desk.read(audit_id);
  resign = (payload) => ({
    payload,
    statement: world.chain.trust.signStatement({
      kind: 'audit_report',
      payload: payload as never,
      issuedAt: 0,
    }),
  });
});

function faultOf(value: unknown, signer?: string): string | undefined {
  const check = { recover: recoverSigner, ...(signer === undefined ? {} : { signer }) };
  const verdict = verifyAuditReport(value, check);
  return verdict.isValid ? undefined : verdict.reason;
}

describe('a report', () => {
  test('verifies with its file alone, and by its signer', () => {
    expect(isAuditReportFile(file)).toBe(true);
    expect(faultOf(file)).toBeUndefined();
    expect(faultOf(file, file.statement.signature.signer)).toBeUndefined();
    expect(faultOf(file, `0x${'1'.repeat(40)}`)).toContain('not by');
  });

  test('with one changed text is not the one that was signed', () => {
    const [first, ...rest] = file.payload.findings;
    const findings = [{ ...first, title: 'Nothing' }, ...rest];
    expect(faultOf({ ...file, payload: { ...file.payload, findings } })).toContain(
      'the hash of the payload differs',
    );
  });

  test('whose signer leaves a finding out or counts wrong does not verify', () => {
    const { payload } = file;
    const without = { ...payload, findings: payload.findings.slice(1) };
    expect(faultOf(resign(without))).toContain('Merkle root');
    const counted = { ...without, root: computeReportRoot(without) };
    expect(faultOf(resign(counted))).toContain('counts');
    expect(faultOf(resign(payload))).toBeUndefined();
  });
});

test('SARIF has a rule for each result, fails only for what was confirmed, and names the tool', () => {
  const payload = structuredClone(file.payload);
  const [first] = payload.findings;
  if (first !== undefined) first.status = 'indicator';
  const sarif = toSarif(payload, '1.0.0') as {
    runs: [
      {
        tool: { driver: { rules: { id: string }[] } };
        results: { ruleId: string; ruleIndex: number; kind: string; level: string }[];
      },
    ];
  };
  const [{ tool, results }] = sarif.runs;
  expect(results.map(({ kind, level }) => [kind, level])).toEqual([
    ['review', 'none'],
    ['fail', 'error'],
  ]);
  for (const { ruleId, ruleIndex } of results) {
    expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  }
  expect(JSON.stringify(results[1])).toContain('"logicalLocations":[{"name":"run_anything"');
});
