import { z } from 'zod';
import { KeyValueShape } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, WorkspaceField } from '../inputs.ts';
import { findKeyValue } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, keyValueId: idSchema('the Key Value instance') });
type Input = z.infer<typeof Input>;

const Output = z.object({ keyValue: KeyValueShape });

/** Creates the tool `get_key_value`. */
export function getKeyValueTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'get_key_value',
    title: 'Get Key Value details',
    description:
      'Get one Key Value instance: plan, program and version, status, eviction policy, ' +
      'persistence, region and IP allowlist. Use it to see whether a new instance is available ' +
      'yet. The password is never returned. To connect a service, set its variable {key, ' +
      'fromDatabase: {id}} with update_environment_variables. Find the keyValueId with ' +
      'list_key_value. For its memory and connections use get_metrics, for its log list_logs.',
    example: { workspaceId: 'wks-3f9a', keyValueId: 'red-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.keyValueId, path: 'keyValueId' };
      const keyValue = await findKeyValue(deps, { input, context }, named);
      const { id, name, status, version } = keyValue;
      return { line: `${name} (${id}), ${version}, is ${status}.`, value: { keyValue } };
    },
  });
}
