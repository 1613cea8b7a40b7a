import { expect, test } from 'vitest';
import { PANELS } from '../../src/domain/panel/panels.ts';
import { PANEL_KINDS } from '../../web/src/pages/panel/panel-kinds.ts';

test('every panel has its title as label in web/src/pages/panel/panel-kinds.ts', () => {
  const labels = PANELS.map(({ kind }) => [kind, PANEL_KINDS.get(kind)?.label]);
  expect(labels).toEqual(PANELS.map(({ kind, title }) => [kind, title]));
});
