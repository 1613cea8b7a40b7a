import { emptyResult, type Lens } from '../vetting/lenses.ts';

/** Patents and trademarks. No public search is available to programs without an account. */
export const intellectualProperty: Lens = async () =>
  emptyResult(
    'not_covered',
    'No public patent or trademark search works without an account, so they were not checked.',
  );
