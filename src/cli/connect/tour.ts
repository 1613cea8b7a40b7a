import { join } from 'node:path';
import { runTour } from '../../connect/tour/tour.ts';
import { createTourOutput } from '../../connect/tour/tour-output.ts';
import { stopHosting } from '../../process/hosting/stop-hosting.ts';
import { packageRoot } from '../../process/server/package-root.ts';

/** `stoa tour`: runs the guided demo in the terminal; fails if any step fails. */
export async function tour(): Promise<number> {
  await runTour({
    cli: join(packageRoot(), 'dist/cli.js'),
    question: join(packageRoot(), 'examples/debate-question.json'),
    page: createTourOutput(process.stdout),
    stopHosting,
  });
  return 0;
}
