import type { AnyStateMachine } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import { EngineError } from '../../src/runtime/engine/error.ts';
import { type ActorEngine, LATER } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { SimulatedProcess } from '../../src/testing/simulated-process.ts';
import type { Front } from '../../src/transport/front/front.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { startFront, TOKEN } from '../support/front-rig.ts';
import { openInspectWire } from '../support/inspect-wire.ts';
import { inspectorOf } from '../support/inspected.ts';
import type { DevelopHost } from './develop-driver.ts';

const START = Date.UTC(2026, 0, 1);

/** A machine that is played as a development actor: its effects end as a path says. */
export interface Played {
  readonly kind: string;
  readonly version: number;
  readonly machine: AnyStateMachine;
}

/** The front on a real port with actors of one kind, over rows that outlive a kill. */
export async function developWorld(
  http: HttpEngine,
  played: Played,
): Promise<DevelopHost & { close(): Promise<void> }> {
  const clock = new SimulatedClock(START);
  const store = memoryStore();
  const names = Object.keys(played.machine.implementations.actors);
  const effects = Object.fromEntries(names.map((name) => [name, { run: async () => LATER }]));
  const boot = async () => {
    const life = new SimulatedProcess();
    const engine = await createEngine({
      store: life.wrapStore(store, () => undefined),
      clock: life.wrapClock(clock),
      definitions: [define({ ...played, effects, migrations: [] })],
    });
    const inspector = inspectorOf({
      engine,
      clock,
      actions: ['send'],
      developmentKinds: [played.kind],
    });
    const { front, baseUrl } = await startFront(http, {
      inspector,
      console: { folder: '', cookieKey: new Uint8Array(32) },
      limits: { closeGraceMs: 1 },
    });
    return { life, engine, front, baseUrl };
  };
  let now: { life: SimulatedProcess; engine: ActorEngine; front: Front; baseUrl: string } =
    await boot();
  return {
    connect: () => openInspectWire(now.baseUrl, TOKEN),
    now: async () => clock.now(),
    moveTo: (at) => clock.set(at),
    rest: () => clock.advance(0),
    actor: (id) => now.engine.view(id),
    settle: async (token, result) => {
      try {
        await now.engine.complete(token, result);
      } catch (thrown) {
        if (thrown instanceof EngineError) return thrown.code;
        throw thrown;
      }
      await clock.advance(0);
      return undefined;
    },
    killAndRestart: async () => {
      now.life.kill();
      await now.front.close();
      now = await boot();
      await clock.advance(0);
    },
    close: async () => {
      await now.engine.close();
      await now.front.close();
    },
  };
}
