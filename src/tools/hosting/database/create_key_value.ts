import { z } from 'zod';
import { INPUT_CHARS_MAX, textSchema } from '../../../domain/hosting/input-text.ts';
import { KEY_VALUE_PLANS } from '../../../domain/hosting/plans.ts';
import { KeyValueShape, keysOf } from '../../../domain/hosting/records.ts';
import { MAXMEMORY_POLICIES, PERSISTENCE_MODES } from '../../../domain/hosting/value-sets.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { CREATE_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { RegionField, WorkspaceField } from '../inputs.ts';
import { requireWorkspace } from '../workspace/workspace.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  name: textSchema(INPUT_CHARS_MAX.name, 'a name').describe(
    'Name, unique among the Key Value instances of the workspace.',
  ),
  plan: z.enum(keysOf(KEY_VALUE_PLANS)).describe('Plan; it sets the amount of memory.'),
  region: RegionField,
  maxmemoryPolicy: z
    .enum(MAXMEMORY_POLICIES)
    .default('allkeys_lru')
    .describe('Eviction policy at the memory limit.'),
  persistenceMode: z
    .enum(PERSISTENCE_MODES)
    .optional()
    .describe(
      'journal_snapshot: a journal and periodic snapshots; snapshot: periodic snapshots; off: no ' +
        'persistence. Default: off on plan free, journal_snapshot on other plans.',
    ),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  keyValue: KeyValueShape,
  notes: z.array(z.string()).readonly(),
});

/** Creates the tool `create_key_value`. */
export function createKeyValueTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'create_key_value',
    title: 'Create Key Value',
    description:
      'Create a Key Value instance that uses the Redis protocol. Returns its record at once; ' +
      'the instance accepts connections once its status in get_key_value is available. No ' +
      'answer contains the password, and the dashboard does not show it. To connect a service, ' +
      'set its variable {key, fromDatabase: {id}} with update_environment_variables or when you ' +
      'create the service. For a SQL database use create_postgres instead.',
    summary:
      'Create a Key Value instance with the Redis protocol; it accepts connections once ' +
      'get_key_value says available. The password is never shown: connect a service by ' +
      'an environment variable with fromDatabase. For SQL use create_postgres.',
    example: { workspaceId: 'wks-3f9a', name: 'cache', plan: 'starter' },
    annotations: CREATE_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { id: ownerId } = await requireWorkspace(deps, { input, context });
      const { name, plan, region, maxmemoryPolicy } = input;
      const usual = plan === 'free' ? 'off' : 'journal_snapshot';
      const persistenceMode = input.persistenceMode ?? usual;
      const order = { ownerId, name, plan, region, maxmemoryPolicy, persistenceMode };
      const keyValue = await deps.provider.keyValue.create(order);
      const { regions } = await deps.provider.listFeatures();
      return {
        line: `Created Key Value ${name} (${keyValue.id}); it is ${keyValue.status}.`,
        value: { keyValue, notes: [regions] },
      };
    },
  });
}
