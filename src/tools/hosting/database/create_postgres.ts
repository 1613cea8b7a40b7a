import { z } from 'zod';
import { INPUT_CHARS_MAX, textSchema } from '../../../domain/hosting/input-text.ts';
import { POSTGRES_PLANS, type PostgresPlan } from '../../../domain/hosting/plans.ts';
import { PostgresShape } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { CREATE_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { integerSchema, RegionField, WorkspaceField } from '../inputs.ts';
import { requireWorkspace } from '../workspace/workspace.ts';

/** Major versions that a caller can order. */
export const POSTGRES_VERSIONS = { least: 13, most: 18 } as const;
/** Disk sizes in GB: 1, or a multiple of 5. */
export const DISK_SIZES_GB = { free: 1, default: 15, step: 5, most: 16_000 } as const;

const Input = z
  .strictObject({
    ...WorkspaceField,
    name: textSchema(INPUT_CHARS_MAX.name, 'a name').describe(
      'Name, unique among the Postgres servers of the workspace.',
    ),
    plan: z.enum(POSTGRES_PLANS).describe('Plan; its name states the memory.'),
    region: RegionField,
    version: integerSchema(POSTGRES_VERSIONS.least, POSTGRES_VERSIONS.most)
      .optional()
      .describe('Major version, such as 15. Default: the newest that the host has.'),
    diskSizeGb: z
      .number()
      .min(0)
      .max(DISK_SIZES_GB.most)
      .refine(isDiskSize, '1 or a multiple of 5')
      .optional()
      .describe('Disk in GB: 1 or a multiple of 5. The free plan always has 1 GB.'),
  })
  .superRefine(({ plan, diskSizeGb = 0 }, context) => {
    if (plan !== 'free' || diskSizeGb <= DISK_SIZES_GB.free) return;
    const message = 'nothing with plan free, which has 1 GB';
    context.addIssue({ code: 'custom', path: ['diskSizeGb'], message });
  });
type Input = z.infer<typeof Input>;

const Output = z.object({
  postgres: PostgresShape,
  notes: z.array(z.string()).readonly(),
});

/** Creates the tool `create_postgres`. */
export function createPostgresTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'create_postgres',
    title: 'Create Postgres',
    description:
      'Create a Postgres server. Returns its record at once; the server accepts connections ' +
      'once its status in get_postgres is available. No answer contains the password, and the ' +
      'dashboard does not show it. To connect a service, set its variable {key, fromDatabase: ' +
      '{id}} with update_environment_variables or when you create the service. For a cache use ' +
      'create_key_value. The free plan has 1 GB of disk.',
    summary:
      'Create a Postgres server; it accepts connections once get_postgres says ' +
      'available. The password is never shown: connect a service by an environment ' +
      'variable with fromDatabase. For a cache use create_key_value.',
    example: { workspaceId: 'wks-3f9a', name: 'orders', plan: 'basic_1gb' },
    annotations: CREATE_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { id: ownerId } = await requireWorkspace(deps, { input, context });
      const { name, plan, region } = input;
      const abilities = await deps.provider.listFeatures();
      const version = input.version ?? newestVersion(abilities.postgres);
      const diskSizeGB = resolveDiskSize(plan, input.diskSizeGb);
      const order = { ownerId, name, plan, region, version, diskSizeGB };
      const postgres = await deps.provider.postgres.create(order);
      const { id, status } = postgres;
      return {
        line: `Created Postgres ${postgres.version} ${name} (${id}); it is ${status}.`,
        value: { postgres, notes: [abilities.regions] },
      };
    },
  });
}

function isDiskSize(size: number): boolean {
  return size === DISK_SIZES_GB.free || (size >= 0 && size % DISK_SIZES_GB.step === 0);
}

function resolveDiskSize(plan: PostgresPlan, asked = 0): number {
  if (plan === 'free') return DISK_SIZES_GB.free;
  return asked === 0 ? DISK_SIZES_GB.default : asked;
}

/** If the host supports none, orders the newest, so that the refusal says what is missing. */
function newestVersion(majors: Readonly<Record<string, { readonly able: boolean }>>): number {
  const able = Object.entries(majors).flatMap(([major, { able: is }]) =>
    is ? [Number(major)] : [],
  );
  return able.length === 0 ? POSTGRES_VERSIONS.most : Math.max(...able);
}
