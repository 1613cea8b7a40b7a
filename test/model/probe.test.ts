import { test } from 'vitest';
import { debateMachine } from '../../src/machines/debate.ts';
import { debatePaths, coverOf, BEYOND_DEBATE } from './debate-paths.ts';
import { everythingOf, missing, together } from './coverage.ts';
test('p', () => {
  const t = Date.now();
  const paths = debatePaths();
  console.log(paths.length, Date.now() - t);
  const cover = coverOf(paths);
  console.log(cover.length, cover.map((p) => p.name));
  console.log('missing', missing(everythingOf(debateMachine), together(paths.map((p) => p.covered)), Object.keys(BEYOND_DEBATE)));
}, 120000);
