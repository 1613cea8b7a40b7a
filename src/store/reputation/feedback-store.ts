import type { FeedbackRow, FeedbackStore } from '../../domain/reputation/feedback.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { JsonTable } from '../common/json-table.ts';

const POSITION_KEY = 'position';

/** Opens the feedback files and the position of their writer, in the trust environment. */
export function openFeedbackStore(store: TrustStore): FeedbackStore {
  const files: JsonTable<[job: string, outcome: string], FeedbackRow> =
    store.table('feedback-files');
  const marks: JsonTable<string, number> = store.table('feedback-marks');
  return {
    get position() {
      return marks.get(POSITION_KEY) ?? 0;
    },
    keepPosition: (position) => marks.put(POSITION_KEY, position),
    get: (job, outcome) => files.get([job, outcome]),
    put: (job, outcome, row) => files.put([job, outcome], row),
  };
}
