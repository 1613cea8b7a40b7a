import { readFileSync } from 'node:fs';
import { type ControlClient, controlClient } from '../support/control-client.ts';
import { openInspectWire } from '../support/inspect-wire.ts';
import { freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';
import type { DevelopHost, SeenActor } from './develop-driver.ts';

const FLAGS = ['--test-control', '--console-actions', 'send'];

/** A real server in a process of its own, which a kill ends by SIGKILL. */
export async function developServer(): Promise<DevelopHost & { close(): Promise<void> }> {
  const dataDir = freshDataDir();
  const boot = async (): Promise<{ server: RealServer; control: ControlClient }> => {
    const server = await startRealServer(dataDir, FLAGS);
    return { server, control: await controlClient(dataDir) };
  };
  let now = await boot();
  const tell = (command: Parameters<ControlClient['tell']>[0]) => now.control.tell(command);
  const token = readFileSync(now.server.ready.token_file, 'utf8').trim();
  return {
    connect: () => openInspectWire(now.server.ready.base_url, token),
    now: async () => Number((await tell({ do: 'clock.now' }))['now']),
    moveTo: async (at) => {
      await tell({ do: 'clock.set', at });
    },
    rest: async () => {
      await tell({ do: 'quiesce' });
    },
    actor: (actorId) =>
      now.control.tell<SeenActor & Record<string, unknown>>({ do: 'actor', actorId }),
    settle: async (effectToken, result) => {
      const command = { do: 'settle', token: effectToken, result };
      const { ok, error } = JSON.parse((await now.control.raw(JSON.stringify(command))) ?? '{}');
      return ok === true ? undefined : String(error?.code);
    },
    killAndRestart: async () => {
      now.control.close();
      await now.server.kill();
      now = await boot();
      await tell({ do: 'quiesce' });
    },
    close: async () => {
      now.control.close();
      await now.server.stop();
    },
  };
}
