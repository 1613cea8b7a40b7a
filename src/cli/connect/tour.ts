import { join } from 'node:path';
import { createPage } from '../../connect/tour/page.ts';
import { playTour } from '../../connect/tour/story.ts';
import { packageRoot } from '../../process/server/package-root.ts';
import { readFlags } from '../common/flags.ts';

/** `stoa tour`: runs the guided demo in the terminal; fails if any step fails. */
export async function tour(argv: readonly string[]): Promise<number> {
  readFlags(argv, {});
  await playTour({
    cli: join(packageRoot(), 'dist/cli.js'),
    question: join(packageRoot(), 'examples/debate-question.json'),
    page: createPage(process.stdout),
  });
  return 0;
}
