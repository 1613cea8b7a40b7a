import { emptyResult, type Lens } from '../vetting/lenses.ts';

/** Patents and marks: no public search answers programs without an account any more. */
export const intellectualProperty: Lens = async () =>
  emptyResult(
    'not_covered',
    'No public search of patents or marks answers without an account: nothing is said about them.',
  );
