import { shellTarget } from '../parts/shell-target.ts';

/** The answer is always the same; only the time shows that a shell ran. */
export const shellBlind = shellTarget({
  name: 'shell-blind',
  fault: 'An argument is put into a command line; the answer does not show it, the time does.',
  isBlind: true,
});
