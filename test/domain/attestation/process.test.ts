import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkProcess, ProcessClaim } from '../../../src/domain/attestation/process.ts';
import { canonicalJson } from '../../../src/domain/common/json.ts';

const AT = Date.UTC(2026, 0, 2);
const day = (n: number): string => new Date(Date.UTC(2026, 0, n)).toISOString();

function findings(steps: readonly object[], required: readonly string[] = []) {
  const process = { name: 'p', required_steps: required };
  return checkProcess(ProcessClaim.parse({ process, performed_by: 'maker', steps }), AT);
}

test('a required step that is missing, skipped or failed is named', () => {
  const steps = [
    { name: 'a' },
    { name: 'b', outcome: 'skipped' },
    { name: 'c', outcome: 'failed' },
  ];
  expect(findings(steps, ['a', 'b', 'c', 'd'])).toMatchObject({
    is_complete: false,
    missing_steps: ['b', 'c', 'd'],
  });
  expect(findings(steps, ['a'])).toMatchObject({ is_complete: true, missing_steps: [] });
});

test('times that go back or lie ahead are said; steps without a time are passed over', () => {
  const at = (...days: readonly (number | undefined)[]) =>
    days.map((n, place) => ({
      name: `s${place}`,
      ...(n === undefined ? {} : { done_at: day(n) }),
    }));
  expect(findings(at(1, undefined, 2))).toMatchObject({ is_in_order: true, is_in_the_past: true });
  expect(findings(at(2, 1))).toMatchObject({ is_in_order: false, is_in_the_past: true });
  expect(findings(at(1, 3))).toMatchObject({ is_in_order: true, is_in_the_past: false });
});

test('the root is that of RFC 6962 over the steps in canonical JSON', () => {
  const steps = ProcessClaim.parse({
    process: { name: 'p' },
    performed_by: 'maker',
    steps: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
  }).steps;
  const hash = (...parts: readonly (string | Uint8Array)[]) => {
    const sum = createHash('sha256');
    for (const part of parts) sum.update(part);
    return sum.digest();
  };
  const [a, b, c] = steps.map((step) => hash('\0', canonicalJson(step)));
  if (a === undefined || b === undefined || c === undefined) throw new Error('three steps');
  const root = hash('\u0001', hash('\u0001', a, b), c).toString('hex');
  expect(findings([{ name: 'a' }, { name: 'b' }, { name: 'c' }]).steps_root).toBe(root);
  expect(findings([{ name: 'a' }, { name: 'c' }, { name: 'b' }]).steps_root).not.toBe(root);
});

test('evidence is counted, and a claim is bounded', () => {
  const evidence_sha256 = ['e'.repeat(64)];
  expect(findings([{ name: 'a', evidence_sha256 }, { name: 'b' }]).steps_without_evidence).toBe(1);
  const wrong: readonly object[] = [
    { steps: [] },
    { steps: Array(101).fill({ name: 'a' }) },
    { steps: [{ name: 'a', evidence_sha256: ['zz'] }] },
    { steps: [{ name: 'a', evidence_sha256: Array(17).fill('e'.repeat(64)) }] },
    { steps: [{ name: '' }] },
    { steps: [{ name: 'a', done_at: 'yesterday' }] },
  ];
  for (const over of wrong) {
    const claim = { process: { name: 'p' }, performed_by: 'maker', ...over };
    expect(ProcessClaim.safeParse(claim).success, JSON.stringify(over)).toBe(false);
  }
});
