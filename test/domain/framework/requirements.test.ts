import { expect, test } from 'vitest';
import { PROBES } from '../../../src/actors/audit/probes/probes.ts';
import { AsiCategory } from '../../../src/domain/audit/records.ts';
import {
  computeFrameworkHash,
  FRAMEWORK_VERSION,
  REQUIREMENTS,
} from '../../../src/domain/framework/requirements.ts';

test('the requirements are those that this version names', () => {
  expect([FRAMEWORK_VERSION, computeFrameworkHash()]).toEqual([
    1,
    'e1a8873bdd0baabe926483943f30a99ff2dde6761b7638f178ffa1ba5ddbb4dc',
  ]);
});

test('every category of the framework has requirements, each with a name of its own', () => {
  expect(new Set(REQUIREMENTS.map(({ category }) => category))).toEqual(
    new Set(AsiCategory.options),
  );
  expect(new Set(REQUIREMENTS.map(({ id }) => id)).size).toBe(REQUIREMENTS.length);
});

test('every probe that shows a requirement is one that audits run, in its own category', () => {
  const known = PROBES.map(({ probeId }) => probeId);
  const wanted = REQUIREMENTS.flatMap(({ rule }) => (rule.by === 'probes' ? rule.probes : []));
  expect(wanted.filter((name) => !known.includes(name))).toEqual([]);
  expect(new Set(wanted).size).toBe(wanted.length);
});
