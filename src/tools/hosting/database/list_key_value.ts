import { z } from 'zod';
import {
  ContinuationShape,
  type KeyValue,
  KeyValueShape,
} from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { PAGE_ROWS } from '../inputs.ts';
import { listOwned, OwnedListInput } from '../page.ts';

type Input = z.infer<typeof OwnedListInput>;

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
    example: { workspaceId: 'wks-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: OwnedListInput,
    output: Output,
    run: async (input, context) => {
      const { items, more, text } = await listOwned(
        deps,
        { input, context },
        {
          what: 'Key Value instances',
          list: (query) => deps.provider.keyValue.list(query),
          lineOf,
        },
      );
      return { ...text, value: { keyValue: items, ...more } };
    },
  });
}

function lineOf({ id, name, plan, version, status }: KeyValue): string {
  return `- ${name} (${id}) ${version} ${plan} ${status}`;
}
