import { FeedbackWriter } from '../../actors/reputation/feedback-writer.ts';
import { toAppError } from '../../domain/common/error.ts';
import type { FeedbackStore } from '../../domain/reputation/feedback.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { feedbackRoutes } from '../../transport/reputation/feedback-routes.ts';
import type { ServerServices } from '../server/services.ts';

/**
 * Starts to write feedback about settled jobs and serves its files. As for the service's own
 * passport, an external chain needs `STOA_PUBLIC_URL`, because the chain keeps the URLs.
 */
export function openFeedback(
  services: Pick<
    ServerServices,
    'baseUrl' | 'chain' | 'closers' | 'config' | 'events' | 'notice' | 'passports' | 'trust'
  >,
  store: FeedbackStore,
): { readonly routes: readonly FrontRoute[] } {
  const { chain, closers, config, notice, trust } = services;
  const { identity, reputation } = trust.contracts;
  const isReachable = chain.facts.isLocal || config.publicUrl !== undefined;
  const clock = systemClock();
  if (identity !== null && reputation !== null && isReachable) {
    let writer: FeedbackWriter | undefined;
    let isClosed = false;
    closers.add(async () => {
      isClosed = true;
      await writer?.stop();
    });
    // Files name the address of the server, so writing begins once it listens.
    const start = async () => {
      const baseUrl = await services.baseUrl();
      if (!isClosed) writer = new FeedbackWriter({ ...services, baseUrl, store, clock });
    };
    start().catch((thrown: unknown) => notice(`feedback: ${toAppError(thrown).message}`));
  }
  return { routes: feedbackRoutes(store, clock) };
}
