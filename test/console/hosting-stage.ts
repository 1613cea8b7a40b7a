import { join } from 'node:path';
import type { Clock } from '../../src/domain/common/clock.ts';
import type { TimeSeries } from '../../src/domain/hosting/records.ts';
import type { ConsoleHost } from '../support/browser-test.ts';
import { built } from '../support/built.ts';
import { type ConsoleRig, startConsole } from '../support/console-rig.ts';
import { systemRandom, TOKEN } from '../support/front-rig.ts';
import { webService } from '../support/hosted-console.ts';
import {
  createMemoryHosting,
  type MemoryHosting,
} from '../support/hosting-memory/memory-hosting.ts';
import { WORKSPACES } from '../support/hosting-world.ts';
import { realClock } from '../support/real-clock.ts';

/** How long a step of a deploy takes on the stage, in milliseconds. */
const STEP_MS = 150;
/** Values that were not measured, by place: a gap in each line of the charts. */
const GAP = { from: 40, to: 60 } as const;

/** A console over a provider in memory on the clock of the machine. */
export interface HostingStage extends ConsoleHost {
  readonly provider: MemoryHosting;
  readonly rig: ConsoleRig;
  /** From now on no deploy and no database moves by itself, until what is returned is called. */
  halt(): () => void;
  /** Makes a service, and waits until its first deploy is live. */
  live(name: string): Promise<string>;
  /** Makes a Postgres record, and waits until it is there. */
  postgres(name: string): Promise<string>;
}

/** Opens one; without `mayChange` it only shows. */
export async function openHostingStage({
  isHosting = true,
  mayChange = true,
} = {}): Promise<HostingStage> {
  let isHalted = false;
  const clock: Clock = {
    now: realClock.now,
    at: (due, act) => realClock.at(due, () => (isHalted ? undefined : act())),
  };
  const memory = createMemoryHosting({
    clock,
    random: systemRandom,
    workspaces: WORKSPACES,
    stepMs: STEP_MS,
    origin: () => rig.baseUrl,
  });
  const provider: MemoryHosting = {
    ...memory,
    metrics: { series: async (query) => (await memory.metrics.series(query)).map(withGap) },
  };
  const rig: ConsoleRig = await startConsole(
    'node',
    {},
    {
      folder: join(await built(), 'web'),
      hosting: {
        provider: () => (isHosting ? provider : undefined),
        clock: realClock,
        mayChange,
        notice: () => undefined,
      },
    },
  );
  const [{ id: ownerId }] = WORKSPACES;
  return {
    provider,
    rig,
    halt: () => {
      isHalted = true;
      return () => {
        isHalted = false;
      };
    },
    served: { baseUrl: rig.baseUrl, token: TOKEN },
    end: () => rig.front.close(),
    live: async (name) => {
      const envVars = [{ key: 'API_KEY', value: 'never-shown' }];
      const { service, deployId = '' } = await provider.services.create(
        webService({ name, envVars }),
      );
      await settled(async () => (await provider.deploys.get(service.id, deployId)).status, 'live');
      return service.id;
    },
    postgres: async (name) => {
      const { id } = await provider.postgres.create({
        ownerId,
        name,
        plan: 'free',
        region: 'oregon',
        version: 16,
        diskSizeGB: 1,
      });
      await settled(async () => (await provider.postgres.get(id)).status, 'available');
      return id;
    },
  };
}

function withGap(series: TimeSeries): TimeSeries {
  const values = series.values.filter((_value, at) => at < GAP.from || at >= GAP.to);
  return { ...series, values };
}

async function settled(read: () => Promise<string>, wanted: string): Promise<void> {
  while ((await read()) !== wanted) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
