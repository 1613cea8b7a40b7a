import { shellTarget } from '../parts/shell-target.ts';

/** What a shell made of the argument stands in the answer. */
export const shellVisible = shellTarget({
  name: 'shell-visible',
  fault: 'An argument is put into a command line, and the output is answered.',
  isBlind: false,
});
