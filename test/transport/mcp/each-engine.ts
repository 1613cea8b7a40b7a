import { test } from 'vitest';
import type { FrontOptions } from '../../../src/transport/front/front.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { Wire } from './wire.ts';

/** What a claim about the front is tried on. */
export interface World {
  /** A front on the engine of the run. */
  readonly rig: FrontRig;
  /** A session of 2025-11-25 on it, at `/v1/mcp`. */
  readonly wire: Wire;
  /** Another front on the same engine. */
  start(overrides?: Partial<FrontOptions>): Promise<FrontRig>;
}

/** States a claim that must hold over each engine, on a fresh front that is closed afterwards. */
export function claimer(overrides: Partial<FrontOptions> = {}) {
  return (name: string, run: (world: World) => Promise<void>): void => {
    for (const engine of ENGINES) {
      test(`${name} (${engine})`, async () => {
        const rigs: FrontRig[] = [];
        const start = async (own: Partial<FrontOptions> = overrides): Promise<FrontRig> => {
          const rig = await startFront(engine, own);
          rigs.push(rig);
          return rig;
        };
        try {
          const rig = await start();
          const wire = new Wire(rig);
          await wire.open();
          await run({ rig, wire, start });
        } finally {
          await Promise.all(rigs.map(({ front }) => front.close()));
        }
      });
    }
  };
}
