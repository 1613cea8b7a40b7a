import { expect, test } from 'vitest';
import { joinLenses } from '../../../src/actors/vetting/join-lenses.ts';
import { emptyResult } from '../../../src/actors/vetting/lenses.ts';
import { createFinding, type LensResult } from '../../../src/domain/vetting/lens.ts';

function seen(url: string, status: LensResult['status'] = 'ok'): LensResult {
  const source = {
    upstream: 'made',
    url,
    retrieved_at: '2026-01-01T00:00:00.000Z',
    revalidated_at: null,
    sha256: 'a'.repeat(64),
    bytes: 1,
    http_status: 200,
    from_cache: false,
  };
  const findings = [createFinding('rule', 'low', `seen in ${url}`, 0)];
  return emptyResult(status, null, { sources: [source], findings });
}

test('findings of joined lenses cite the sources that they were seen in', () => {
  const { findings, sources } = joinLenses([seen('urn:a'), seen('urn:b'), seen('urn:c')]);
  expect(findings.map(({ claim, cited: [at = -1] }) => [claim, sources[at]?.url])).toEqual([
    ['seen in urn:a', 'urn:a'],
    ['seen in urn:b', 'urn:b'],
    ['seen in urn:c', 'urn:c'],
  ]);
});

test.each<readonly [readonly LensResult['status'][], LensResult['status']]>([
  [['ok', 'no_data'], 'ok'],
  [['ok', 'failed'], 'partial'],
  [['ok', 'partial'], 'partial'],
  [['no_data', 'failed'], 'failed'],
  [['failed', 'failed'], 'failed'],
  [['not_configured', 'ok'], 'partial'],
])('joined, %j is %s', (statuses, joined) => {
  expect(joinLenses(statuses.map((status) => seen('urn:a', status))).status).toBe(joined);
});
