import { z } from 'zod';
import type { NewService } from '../../../domain/hosting/hosting.ts';
import type { Service } from '../../../domain/hosting/records.ts';
import { ServiceShape } from '../../../domain/hosting/shapes.ts';
import type { ToolAnswer } from '../answer.ts';
import type { HostingToolDeps } from '../deps.ts';

/** The output of the three tools that create a service. */
export const CreatedService = z.object({
  service: ServiceShape,
  deployId: z.string().optional().describe('The first deploy; absent until you push source.'),
  notes: z.array(z.string()).readonly(),
});
type CreatedService = z.infer<typeof CreatedService>;

/** Creates a service and returns its record with notes on the next steps. */
export async function createService(
  { provider }: HostingToolDeps,
  order: NewService,
): Promise<ToolAnswer<CreatedService>> {
  const { service, deployId } = await provider.services.create(order);
  const { regions } = await provider.listFeatures();
  const { pushUrl } = service;
  const notes = [
    ...(service.type === 'static_site' ? [] : [regions]),
    ...(pushUrl === undefined ? [] : [`Push the source to ${pushUrl} to start a deploy.`]),
  ];
  const value = { service, notes, ...(deployId === undefined ? {} : { deployId }) };
  return { line: lineOf(service, deployId), value };
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
