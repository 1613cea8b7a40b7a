import { resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import {
  listenOrNameOwner,
  rejectSharedPort,
  rejectUsedPort,
} from '../../process/server/own-port.ts';
import { Predecessor } from '../../router/predecessor.ts';
import { runRouter } from '../../router/run-router.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { Input } from '../common/usage.ts';
import type { SERVE } from '../usage/serve.ts';

const PORT_MAX = 65_535;

/**
 * `stoa router`: runs the router of hosted services, a
 * separate process that continues while the server is down. `--build NAME` identifies its build.
 * With `--take-over`, it takes over the port of the router that starts it.
 */
export async function router(flags: Input<typeof SERVE.router>): Promise<number> {
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) {
    throw new AppError('CONFIG_INVALID', {
      message: '--port must be a port number.',
      data: { received: flags.port.slice(0, 40), allowed: `0 to ${PORT_MAX}` },
    });
  }
  const clock = systemClock();
  const folder = resolve(flags.folder);
  const { host, build } = flags;
  const predecessor = flags['take-over'] ? await Predecessor.connect() : undefined;
  const place = { host, port };
  if (predecessor === undefined) await rejectUsedPort(place);
  // Start immediately: connections may already wait on the inherited socket.
  const running = await listenOrNameOwner(place, () =>
    runRouter({ folder, host, port, build, predecessor, now: () => clock.now() }),
  );
  if (predecessor === undefined) {
    await rejectSharedPort({ ...place, port: running.port }).catch(async (thrown: unknown) => {
      await running.stop();
      throw thrown;
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void running.stop());
  const ready = { ready: true, host: flags.host, port: running.port, pid: running.pid, folder };
  const words = `The router is listening on ${flags.host}:${running.port}.`;
  process.stdout.write(`${flags.json ? JSON.stringify(ready) : words}\n`);
  await running.ended;
  return 0;
}
