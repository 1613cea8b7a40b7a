import { fileURLToPath } from 'node:url';
import { createPage } from '../connect/tour/page.ts';
import { playTour } from '../connect/tour/story.ts';
import { readFlags } from './flags.ts';

/** `stoa tour`: plays the whole story in the terminal; fails when any of it does not hold. */
export async function tour(argv: readonly string[]): Promise<number> {
  readFlags(argv, {});
  await playTour({
    cli: fileURLToPath(new URL('../cli.js', import.meta.url)),
    question: fileURLToPath(new URL('../../examples/debate-question.json', import.meta.url)),
    page: createPage(process.stdout),
  });
  return 0;
}
