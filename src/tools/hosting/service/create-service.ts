import { z } from 'zod';
import type { NewService } from '../../../domain/hosting/hosting.ts';
import { type Service, ServiceShape } from '../../../domain/hosting/records.ts';
import type { ToolContext } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps, ToolAnswer } from '../hosting-tool.ts';
import { checkDatabaseReferences, requireWorkspace } from '../workspace/workspace.ts';
import type { NewServiceFields } from './service-fields.ts';

/** The output of the three tools that create a service. */
export const CreatedService = z.object({
  service: ServiceShape,
  deployId: z.string().optional().describe('The first deploy; absent until you push source.'),
  notes: z.array(z.string()).readonly(),
});
type CreatedService = z.infer<typeof CreatedService>;

/** A call of one of the three tools, with the parameters that they share. */
interface CreateCall {
  readonly input: z.infer<z.ZodObject<typeof NewServiceFields>>;
  readonly context: ToolContext;
}

/** What an order of one type has beyond the shared parameters. */
type OwnFields<Order = NewService> = Order extends unknown
  ? Omit<Order, 'ownerId' | 'name' | 'repo' | 'branch' | 'autoDeploy' | 'envVars'>
  : never;

/** Creates a service and returns its record with notes on the next steps. */
export async function createService(
  deps: HostingToolDeps,
  call: CreateCall,
  own: OwnFields,
): Promise<ToolAnswer<CreatedService>> {
  const { id: ownerId } = await requireWorkspace(deps, call);
  const { name, autoDeploy, envVars } = call.input;
  await checkDatabaseReferences(deps, call, envVars);
  const order = { ...own, ownerId, name, autoDeploy, envVars, ...toSource(call.input) };
  const { service, deployId } = await deps.provider.services.create(order);
  const { regions } = await deps.provider.listFeatures();
  const { pushUrl } = service;
  const notes = [
    ...(service.type === 'static_site' ? [] : [regions]),
    ...(pushUrl === undefined ? [] : [`Push the source to ${pushUrl} to start a deploy.`]),
  ];
  const value = { service, notes, ...(deployId === undefined ? {} : { deployId }) };
  return { line: lineOf(service, deployId), value };
}

/** Returns the source members of an order, without absent ones. */
function toSource({ repo, branch }: CreateCall['input']) {
  return {
    ...(repo === undefined ? {} : { repo }),
    ...(branch === undefined ? {} : { branch }),
  };
}

function lineOf(service: Service, deployId: string | undefined): string {
  const { id, name, type } = service;
  const kind = type.replace('_', ' ');
  const next =
    deployId === undefined
      ? 'It waits for source to be pushed.'
      : `Deploy ${deployId} has started: follow it with get_deploy.`;
  return `Created ${kind} ${name} (${id}). ${next}`;
}
