import { TaskPushes } from '../../actors/agent-protocol/push-notifications.ts';
import type { PushNotifications } from '../../domain/agent-protocol/push.ts';
import { openPushStore } from '../../store/agent-protocol/push-store.ts';
import { commerceJobs } from '../../tools/service/catalog.ts';
import type { ServerServices } from '../server/services.ts';

/** Opens the push notifications of tasks. Those of the last start continue. */
export async function openPushNotifications(
  services: Pick<
    ServerServices,
    'blobs' | 'clock' | 'closers' | 'engine' | 'notice' | 'notifier' | 'random' | 'sealer' | 'store'
  >,
): Promise<PushNotifications> {
  const pushes = new TaskPushes({
    ...services,
    jobs: commerceJobs(services),
    store: openPushStore(services.store.trust),
  });
  await pushes.start();
  services.closers.add(async () => pushes.stop());
  return pushes;
}
