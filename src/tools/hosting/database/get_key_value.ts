import { z } from 'zod';
import { KeyValueShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, WorkspaceField } from '../inputs.ts';
import { ownKeyValue } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, keyValueId: idOf('the Key Value instance') });
type Input = z.infer<typeof Input>;

const Output = z.object({ keyValue: KeyValueShape });

/** The tool that tells everything of one Key Value instance but its secrets. */
export function getKeyValueTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'get_key_value',
    title: 'Get Key Value details',
    description:
      'Answers the record of one Key Value instance: plan, program and version, status, eviction ' +
      'policy, persistence, region and IP allowlist. The password is in no answer: a variable ' +
      '{key, fromDatabase: {id}} of a service connects it.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.keyValueId, path: 'keyValueId' };
      const keyValue = await ownKeyValue(deps, { input, context }, named);
      const { id, name, status, version } = keyValue;
      return { line: `${name} (${id}), ${version}, is ${status}.`, value: { keyValue } };
    },
  });
}
