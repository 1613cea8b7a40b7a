import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { TOOL_NAMES } from '../../src/tools/service/names.ts';
import { FURTHER_TOOLS, SPECIFIED_TOOLS, TOOL_NAMES as WIRE_NAMES } from '../tidy/tool-names.ts';

test('the wire names are those of the two specifications, in their order', () => {
  expect(TOOL_NAMES).toEqual(WIRE_NAMES);
  expect(TOOL_NAMES.commerce.slice(0, 40)).toEqual(SPECIFIED_TOOLS.commerce);
  expect(TOOL_NAMES.hosting.slice(0, 26)).toEqual(SPECIFIED_TOOLS.hosting);
  expect(SPECIFIED_TOOLS.commerce).toHaveLength(40);
  expect(SPECIFIED_TOOLS.hosting).toHaveLength(26);
});

test('a tool beyond the specifications pins its name in a test of its own', () => {
  const files = readdirSync('test/tools', { recursive: true, encoding: 'utf8' });
  const faults = [...FURTHER_TOOLS.commerce, ...FURTHER_TOOLS.hosting].flatMap((name) => {
    const file = files.find((path) => basename(path) === `${name}.test.ts`);
    if (file === undefined) return [`write test/tools/<subject>/${name}.test.ts`];
    const isPinned = readFileSync(`test/tools/${file}`, 'utf8').includes(`'${name}'`);
    return isPinned ? [] : [`test/tools/${file} must pin '${name}'`];
  });
  expect(faults).toEqual([]);
});
