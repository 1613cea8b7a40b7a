import { expect, test } from 'vitest';
import type { ToolService } from '../../../src/domain/tool/tool.ts';
import { TOOL_NAMES } from '../../../src/tools/service/names.ts';
import { selectTools } from '../../../src/tools/service/select-tools.ts';
import { groupOf } from '../../../src/tools/service/tool-groups.ts';
import { testService } from '../../support/tool-service.ts';

/** A service that lists these tools; the ones with a star change something. */
function serviceOf(...names: readonly string[]): ToolService {
  const service = testService();
  const [row] = service.tools;
  if (row === undefined) throw new Error('the test service lists tools');
  const tools = names.map((written) => {
    const name = written.replace('*', '');
    const annotations = { ...row.annotations, readOnlyHint: name === written };
    return { ...row, name, annotations };
  });
  return { ...service, tools, listJson: JSON.stringify({ tools }) };
}

const SOLD = serviceOf('get_result*', 'ops_link-integrity', 'deliberation_debate*', 'ops_scan*');
const names = ({ tools }: ToolService) => tools.map(({ name }) => name);

test('a category of the wire name is the group, and every hosting tool has one', () => {
  expect(groupOf('commerce', 'get_result')).toBe('core');
  expect(groupOf('commerce', 'deliberation_multi-agent-debate')).toBe('deliberation');
  expect(groupOf('commerce', 'echo')).toBe('core');
  expect(groupOf('hosting', 'trigger_deploy')).toBe('deploys');
  const groups = new Set(TOOL_NAMES.hosting.map((name) => groupOf('hosting', name)));
  expect([...groups].sort()).toEqual([
    'deploys',
    'events',
    'key_value',
    'logs',
    'metrics',
    'postgres',
    'services',
    'workspaces',
  ]);
});

test('groups keep the core beside them, in the order of the list', () => {
  const chosen = selectTools(SOLD, { toolsets: ['ops'] });
  expect(names(chosen)).toEqual(['get_result', 'ops_link-integrity', 'ops_scan']);
  expect(JSON.parse(chosen.listJson).tools.map(({ name }: { name: string }) => name)).toEqual(
    names(chosen),
  );
});

test('single tools come beside groups, exclusions go, read-only is stronger than both', () => {
  const of = (wishes: object) => names(selectTools(SOLD, wishes));
  expect(of({ tools: ['ops_scan'] })).toEqual(['get_result', 'ops_scan']);
  expect(of({ toolsets: ['deliberation'], tools: ['ops_scan'] })).toEqual([
    'get_result',
    'deliberation_debate',
    'ops_scan',
  ]);
  expect(of({ toolsets: ['all'], excluded: ['get_result', 'ops_scan'] })).toEqual([
    'ops_link-integrity',
    'deliberation_debate',
  ]);
  expect(of({ isReadOnly: true })).toEqual(['ops_link-integrity']);
  expect(of({ tools: ['ops_scan'], isReadOnly: true })).toEqual([]);
});

test('what narrows nothing is the service itself', () => {
  expect(selectTools(SOLD, {})).toBe(SOLD);
  expect(selectTools(SOLD, { toolsets: ['all'], isReadOnly: false })).toBe(SOLD);
});

test('unknown groups and tools are named beside those that exist', () => {
  expect(() => selectTools(SOLD, { toolsets: ['ops', 'opps'] })).toThrow(
    expect.objectContaining({
      code: 'TOOLSET_UNKNOWN',
      data: { received: ['opps'], allowed: ['core', 'ops', 'deliberation', 'all'] },
    }),
  );
  for (const wishes of [{ tools: ['x'] }, { excluded: ['x'] }]) {
    expect(() => selectTools(SOLD, wishes)).toThrow(
      expect.objectContaining({
        code: 'TOOL_UNKNOWN',
        data: { received: ['x'], allowed: names(SOLD) },
      }),
    );
  }
});

test('a tool that is left out is unknown, with a hint, and the second narrowing adds nothing', async () => {
  const floor = selectTools(SOLD, { toolsets: ['ops'] }, () => 'not here');
  const chosen = selectTools(floor, { excluded: ['ops_scan'] });
  const answer = (name: string) =>
    chosen.call({
      name,
      arguments: {},
      payments: [],
      resourceUrl: '',
      principal: { kind: 'local', id: 't' },
      signal: new AbortController().signal,
    });
  expect(await answer('ops_scan')).toEqual({
    kind: 'unknown_tool',
    name: 'ops_scan',
    hint: 'it exists, but this caller’s selection excludes it (its toolset is ops)',
  });
  expect(await answer('deliberation_debate')).toMatchObject({ hint: 'not here' });
  expect(await answer('nothing')).toEqual({ kind: 'unknown_tool', name: 'nothing' });
  expect(() => selectTools(floor, { toolsets: ['deliberation'] })).toThrow(
    expect.objectContaining({ code: 'TOOLSET_UNKNOWN' }),
  );
});
