import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { FEEDBACK_PATH, type FeedbackStore } from '../../domain/reputation/feedback.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { PASSPORT_RATES } from '../passport/passport-routes.ts';
import { createRatedRoutes, readParams, readPath } from '../passport/read-request.ts';
import { bytesReply } from '../proof/replies.ts';

/** A file never changes, because the chain names its hash. */
const CACHE = 'public, max-age=31536000, immutable';
const ENDING = '.json';

/** Creates the route of feedback files. Each is served byte for byte as it was hashed. */
export function feedbackRoutes(store: FeedbackStore, clock: Clock): readonly FrontRoute[] {
  const read = createRatedRoutes(PASSPORT_RATES.reads, clock);
  return [
    read({ methods: ['GET'], path: FEEDBACK_PATH, isPrefix: true }, async ({ path, query }) => {
      readParams(query, []);
      const [job = '', file = '', ...rest] = readPath(path, FEEDBACK_PATH);
      const isFile = file.endsWith(ENDING) && rest.length === 0;
      const row = isFile ? store.get(job, file.slice(0, -ENDING.length)) : undefined;
      if (row !== undefined) return bytesReply('application/json', row.text, CACHE);
      throw new AppError('JOB_UNKNOWN', {
        message: 'The server has written no feedback under this path.',
        data: { received: path.slice(0, 200), allowed: `${FEEDBACK_PATH}{job}/{outcome}.json` },
      });
    }),
  ];
}
