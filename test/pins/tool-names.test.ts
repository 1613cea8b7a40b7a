import { expect, test } from 'vitest';
import { TOOL_NAMES } from '../../src/tools/service/names.ts';
import { TOOL_NAMES as WIRE_NAMES } from '../tidy/tool-names.ts';

test('the wire names are those of the two specifications, in their order', () => {
  expect(TOOL_NAMES).toEqual(WIRE_NAMES);
  expect(WIRE_NAMES.commerce).toHaveLength(40);
  expect(WIRE_NAMES.hosting).toHaveLength(26);
});
