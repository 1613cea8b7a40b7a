import { expect, test } from 'vitest';
import { PROBES } from '../../../../src/actors/audit/probes/probes.ts';
import { assess } from '../../../support/audits/assess.ts';
import { createMemoryTargets, type MemoryServer } from '../../../support/target-memory-targets.ts';

const CUT = / characters of long texts were not examined/;

test.each([
  ['path-escape', 10, false],
  ['path-escape', 25_000, true],
  ['path-escape', 90_000, true],
  ['foreign-records', 10, false],
  ['foreign-records', 99_000, false],
  ['foreign-records', 150_000, true],
])('%s over answers of %i characters: what was cut is told: %s', async (probeId, chars, isCut) => {
  const text = { type: 'string' };
  const inputSchema = (name: string) => ({
    type: 'object',
    properties: { [name]: text },
    required: [name],
  });
  const tools = [
    { name: 'read_file', description: 'Reads a file.', inputSchema: inputSchema('path') },
    { name: 'create_note', description: 'Creates a note.', inputSchema: inputSchema('text') },
    { name: 'get_note', description: 'Gets a note.', inputSchema: inputSchema('note_id') },
  ];
  const server: MemoryServer = {
    greeting: { serverInfo: { name: 'long', version: '1.0.0' }, capabilities: { tools: {} } },
    answer: (method, params) => {
      if (method === 'tools/list') return { result: { tools } };
      const { name } = params as { name?: string };
      const said = { text: `no: ${'a '.repeat(chars / 2)}`, type: 'text' };
      return { result: { content: [said], isError: name !== 'create_note' } };
    },
  };
  const { runs } = await assess(
    { kind: 'mcp_stdio', name: 'long' },
    {
      probes: PROBES.filter((probe) => probe.probeId === probeId),
      targets: createMemoryTargets({ long: server }),
    },
  );
  expect(runs).toHaveLength(1);
  expect(CUT.test(runs[0]?.reason ?? '')).toBe(isCut);
  if (isCut) expect(runs[0]?.outcome).toBe('partial');
});
