import { emptyResult, type Lens } from '../vetting/lenses.ts';

/** Patents and trademarks. No public search is available to programs without an account. */
export const intellectualProperty: Lens = async () =>
  emptyResult(
    'not_covered',
    'No public search of patents or marks answers without an account: nothing is said about them.',
  );
