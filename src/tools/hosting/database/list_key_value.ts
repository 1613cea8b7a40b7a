import { z } from 'zod';
import { ContinuationShape, KeyValueShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { createHostingTool } from '../hosting-tool.ts';
import { PAGE_ROWS, PageFields, toPageQuery, WorkspaceField } from '../inputs.ts';
import { formatCount, toPage } from '../page.ts';
import { requireWorkspace } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, ...PageFields });
type Input = z.infer<typeof Input>;

const Output = z.object({ keyValue: z.array(KeyValueShape).readonly(), ...ContinuationShape });

/** Creates the tool `list_key_value`. */
export function listKeyValueTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'list_key_value',
    title: 'List Key Value instances',
    description:
      'List the Key Value instances of a workspace: id, name, plan, program and version, ' +
      'status, eviction policy and persistence. Use it to find a keyValueId; for the region and ' +
      'the IP allowlist use get_key_value. To create an instance use create_key_value. ' +
      'Passwords and connection addresses with a password are never returned. Up to ' +
      `${PAGE_ROWS.most} per page; pass cursor for the next page.`,
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { id: ownerId } = await requireWorkspace(deps, { input, context });
      const query = { ownerId, ...toPageQuery(input) };
      const { items, more } = toPage(await deps.provider.keyValue.list(query));
      return {
        line: formatCount(items.length, 'Key Value instances', ownerId, more),
        lines: items.map(
          ({ id, name, plan, version, status }) => `- ${name} (${id}) ${version} ${plan} ${status}`,
        ),
        value: { keyValue: items, ...more },
      };
    },
  });
}
