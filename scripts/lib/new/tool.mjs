import { listKeys } from './edit.mjs';
import { nameTaken, toCamelCase, toKey, toTitle } from './names.mjs';

/** Groups of the hosting server by the folder of its tools; other folders have their own name. */
const GROUPS = { database: 'postgres', service: 'services', telemetry: 'logs' };

/** A tool of either server. */
export const tool = {
  what: 'tool',
  about: 'a tool; below hosting/ one of the hosting server',
  form: 'a subject and the wire name in lower case',
  example: 'reputation/agent_response-time',
  pattern: /^[a-z][a-z-]*(\/[a-z][a-z-]*)?\/[a-z][a-z0-9]*(_[a-z0-9]+(-[a-z0-9]+)*)+$/,
  plan: (plan, name) => {
    const wire = name.slice(name.lastIndexOf('/') + 1);
    const folder = name.slice(0, name.lastIndexOf('/'));
    const isHosting = folder.startsWith('hosting/');
    const path = `src/tools/service/${isHosting ? 'hosting' : 'commerce'}-tools.ts`;
    const list = isHosting ? 'HOSTING_TOOLS' : 'COMMERCE_TOOLS';
    for (const [file, names] of [
      ['src/tools/service/commerce-tools.ts', 'COMMERCE_TOOLS'],
      ['src/tools/service/hosting-tools.ts', 'HOSTING_TOOLS'],
    ]) {
      if (listKeys(plan.read(file), names).includes(wire)) throw nameTaken(wire, file);
    }
    const factory = `${toCamelCase(wire)}Tool`;
    const make = isHosting ? hostingTool : commerceTool;
    plan.create(`src/tools/${folder}/${wire}.ts`, make(wire, factory, folder.split('/').length));
    const group = folder.split('/')[1];
    plan.addLine(path, {
      list,
      key: wire,
      entry: isHosting
        ? `  ${toKey(wire)}: { group: '${GROUPS[group] ?? group}', make: ${factory} }`
        : `  ${toKey(wire)}: always(${factory})`,
      line: `import { ${factory} } from '../${folder}/${wire}.ts';`,
    });
    const up = '../'.repeat(folder.split('/').length + 2);
    plan.createTest(`test/tools/${folder}/${wire}.test.ts`, {
      name: wire,
      imports: [`import { ${factory} } from '${up}src/tools/${folder}/${wire}.ts';`],
      lines: isHosting
        ? [`expect(${factory}.name).toBe('${factory}');`]
        : [`expect(${factory}().name).toBe('${wire}');`],
    });
    plan.left.push(`src/tools/${folder}/${wire}.ts: texts, parameters and answer`);
    if (!isHosting) plan.left.push(`${path}: the dependencies and the proof of its answer`);
  },
};

function commerceTool(wire, factory, depth) {
  const up = '../'.repeat(depth + 1);
  return `import { z } from 'zod';
import { composeResult, formatCost } from '${up}domain/tool/result-text.ts';
import type { Tool } from '${up}domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '${'../'.repeat(depth)}service/annotations.ts';

const Input = z.strictObject({
  subject: z.string().min(1).max(200).describe('Say what the caller names here.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({ subject: z.string() });

/** Creates the tool \`${wire}\`. */
export function ${factory}(): Tool<Input> {
  return {
    server: 'commerce',
    name: '${wire}',
    title: '${toTitle(wire)}',
    description:
      'Say what the caller gets, when to use it, and which tool to use instead. Then say the ' +
      'limits, the price and the refund in one line.',
    example: { subject: 'What a typical call names.' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async ({ subject }, { price }) => {
      const text = composeResult({
        answer: subject,
        why: 'say why this is the answer.',
        decidedBy: 'say who or what decides',
        cost: formatCost(price),
      });
      return { content: [{ type: 'text', text }], structuredContent: { subject } };
    },
  };
}
`;
}

function hostingTool(wire, factory, depth) {
  const up = '../'.repeat(depth + 1);
  return `import { z } from 'zod';
import type { Tool } from '${up}domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '${'../'.repeat(depth)}service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { WorkspaceField } from '../inputs.ts';
import { requireWorkspace } from '../workspace/workspace.ts';

const Input = z.strictObject(WorkspaceField);
type Input = z.infer<typeof Input>;

const Output = z.object({ workspaceId: z.string() });

/** Creates the tool \`${wire}\`. */
export function ${factory}(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: '${wire}',
    title: '${toTitle(wire)}',
    description:
      'Say what the caller gets, when to use it, and which tool to use instead. Then say the ' +
      'limits in one line.',
    example: { workspaceId: 'wks-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { id } = await requireWorkspace(deps, { input, context });
      return { line: id, value: { workspaceId: id } };
    },
  });
}
`;
}
