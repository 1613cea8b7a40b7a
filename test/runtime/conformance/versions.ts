import { expect } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { assign, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { Definition, Migration } from '../../../src/runtime/engine/types.ts';
import { renameRows } from '../../../src/runtime/journal/rename-rows.ts';
import { contextMigration, hold, worker } from '../../support/actors.ts';
import { START } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

/** Makes a part with a child; both say of which version they are. */
function parts(version: number, earlier: readonly Definition[] = [], again = 'AGAIN'): Definition {
  const part = setup({ types: {} as { output: string } }).createMachine({
    initial: 'on',
    states: { on: { on: { END: 'off' } }, off: { type: 'final' } },
    output: `made by ${version}`,
  });
  const machine = setup({
    types: {} as { context: { made: string } },
    actors: { part },
  }).createMachine({
    id: 'parts',
    context: { made: '' },
    initial: 'on',
    states: {
      on: {
        invoke: {
          id: 'part',
          src: 'part',
          onDone: { target: 'off', actions: assign({ made: ({ event }) => event.output }) },
        },
        on: { [again]: { target: 'on', reenter: true } },
      },
      off: { type: 'final' },
    },
    output: ({ context }) => context.made,
  });
  return define({ kind: 'parts', version, machine, earlier });
}

const pending = { run: () => new Promise<unknown>(() => undefined) };
const answering = { run: async () => 'of version 2' };

const REPORTED = { strandedActors: 'report' } as const;

/** Machines change while actors live. */
export const versionClaims: Claims = {
  'an old actor with a pending timer and a running effect migrates': async (world) => {
    const first = await world.start([hold, worker(pending)]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.create('worker', 'w/1', { n: 3 });
    await world.rest();
    await first.close();
    const renamed: Migration = {
      from: 1,
      migrate: ({ snapshot, timers, effects }) => ({
        snapshot: { ...snapshot, value: 'kept', context: { ...snapshot.context, note: 'moved' } },
        timers: timers.map((timer) => ({
          ...timer,
          timerId: 'xstate.after.wait.hold.kept',
          event: { type: 'xstate.after.wait.hold.kept' },
        })),
        effects,
      }),
    };
    const next = await world.start([
      holdTwo([renamed]),
      worker(answering, { version: 2, migrations: [contextMigration(1, (c) => ({ ...c, x: 1 }))] }),
    ]);
    await world.rest();
    expect(await next.view('w/1')).toMatchObject({
      version: 2,
      value: 'finished',
      context: { n: 3, x: 1, said: 'of version 2' },
    });
    expect(await next.view('h/1')).toMatchObject({
      version: 2,
      value: 'kept',
      seq: 2,
      timers: [{ due: START + 1_000, token: 'h/1:1:xstate.after.wait.hold.held' }],
    });
    expect((await world.journal('h/1'))[1]).toMatchObject({
      event: { type: 'engine.migrate', from: 1, to: 2 },
      cause: { by: 'engine', why: 'migrate' },
      version: 2,
      value: 'kept',
    });
    await world.clock.advance(1_000);
    expect(await next.view('h/1')).toMatchObject({ value: 'released', seq: 3 });
    world.crash();
    const last = await world.start([holdTwo([])]);
    expect(await last.view('h/1')).toMatchObject({ value: 'released', context: { note: 'moved' } });
  },

  'a due timer brings an old actor through its migration': async (world) => {
    const first = await world.start([hold]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    world.crash();
    const kept = contextMigration(1, (context) => ({ ...context, note: 'moved' }));
    const next = await world.start([{ ...hold, version: 2, migrations: [kept] }]);
    await world.clock.advance(1_000);
    expect(await next.view('h/1')).toMatchObject({ value: 'released', seq: 3, version: 2 });
  },

  'actors of an earlier version can keep it until they end, and so can their children': async (
    world,
  ) => {
    const first = await world.start([parts(1)]);
    await first.create('parts', 'old');
    await world.rest();
    world.crash();
    const next = await world.start([parts(2, [parts(1)])]);
    await next.create('parts', 'new');
    await world.rest();
    for (const id of ['old', 'new']) {
      await next.tell(id, { type: 'AGAIN' });
      await world.rest();
      await next.tell(`${id}/part`, { type: 'END' });
    }
    await world.rest();
    expect(await next.view('old')).toMatchObject({
      version: 1,
      status: 'done',
      output: 'made by 1',
    });
    expect(await next.view('new')).toMatchObject({
      version: 2,
      status: 'done',
      output: 'made by 2',
    });
    expect(await next.view('old/part')).toMatchObject({ version: 1 });
    expect(world.notices).toEqual([]);
    expect(() => parts(1, [parts(1)])).toThrow('version 1 is no earlier version of');
  },

  'a machine that was changed without a new version is reported once, with what changed': async (
    world,
  ) => {
    const first = await world.start([parts(1)]);
    await first.create('parts', 'p');
    world.crash();
    await world.start([parts(1)]);
    expect(world.notices).toEqual([]);
    world.crash();
    const changed = { ...parts(1), machine: parts(1, [], 'renamed').machine };
    await world.start([changed]);
    expect(world.notices).toMatchObject([
      {
        kind: 'machine_changed',
        message:
          'parts was changed and still has version 1. ' +
          'removed: parts.on on AGAIN leads to parts.on, entering again; ' +
          'added: parts.on on renamed leads to parts.on, entering again.',
      },
    ]);
    await world.rest();
    world.crash();
    await world.start([changed]);
    expect(world.notices).toHaveLength(1);
  },

  'a program that cannot read or continue an old actor is refused before it starts': async (
    world,
  ) => {
    const first = await world.start([hold]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    world.crash();
    const refused = { code: 'MIGRATION_MISSING', data: { id: 'h/1', version: 1, wanted: 2 } };
    await expect(world.start([holdTwo([])])).rejects.toMatchObject(refused);
    // A newer program without the version that it had before is checked again.
    world.crash();
    const same = contextMigration(1, (context) => context);
    await world.start([{ ...hold, version: 2, migrations: [same] }]);
    world.crash();
    const without = { ...hold, version: 2, migrations: [] };
    await expect(world.start([without])).rejects.toMatchObject(refused);
    await world.start([without], REPORTED);
  },

  'an old actor that nothing leads on is refused by name': async (world) => {
    const first = await world.start([hold]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    world.crash();
    const next = await world.start([holdTwo([])], REPORTED);
    const refused = { code: 'MIGRATION_MISSING', data: { id: 'h/1', version: 1, wanted: 2 } };
    await expect(next.view('h/1')).rejects.toMatchObject(refused);
    await expect(next.tell('h/1', { type: 'AGAIN' })).rejects.toMatchObject(refused);
    await world.clock.advance(5_000);
    expect(world.notices).toMatchObject([{ kind: 'actor_unloadable', actorId: 'h/1' }]);
    world.crash();
    const back = await world.start([hold]);
    await world.clock.advance(0);
    expect(await back.view('h/1')).toMatchObject({ value: 'released', seq: 2 });
  },

  'an old actor whose state or effect is gone is refused by name': async (world) => {
    const first = await world.start([hold, worker(pending)]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.create('worker', 'w/1');
    await first.close();
    const same = contextMigration(1, (context) => context);
    const gone: Migration = {
      from: 1,
      migrate: (actor) => ({
        ...actor,
        effects: actor.effects.map((row) => ({ ...row, src: 'forgotten' })),
      }),
    };
    const next = await world.start(
      [holdTwo([same]), worker(pending, { version: 2, migrations: [gone] })],
      REPORTED,
    );
    await expect(next.view('h/1')).rejects.toMatchObject({ code: 'MIGRATION_MISSING' });
    await expect(next.view('w/1')).rejects.toMatchObject({ code: 'MIGRATION_MISSING' });
    expect(await world.journal('h/1')).toHaveLength(1);
  },

  'an actor of a newer version is refused by name': async (world) => {
    const first = await world.start([{ ...hold, version: 2 }]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    world.crash();
    const older = await world.start([hold], REPORTED);
    await expect(older.view('h/1')).rejects.toMatchObject({ code: 'MIGRATION_MISSING' });
  },

  'a new version starts right after a kill of the old one': async (world) => {
    const first = await world.start([hold]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.tell('h/1', { type: 'AGAIN' });
    world.crash();
    const same = contextMigration(1, (context) => ({ ...context, note: 'moved' }));
    const next = await world.start([{ ...holdOther(), version: 2, migrations: [same] }]);
    expect(await next.view('h/1')).toMatchObject({
      seq: 3,
      version: 2,
      context: { rounds: 2, note: 'moved' },
    });
    await next.tell('h/1', { type: 'AGAIN' });
    expect(await next.view('h/1')).toMatchObject({ context: { rounds: 12 } });
  },

  'a program that leaves a timer or an effect behind is refused before it starts': async (
    world,
  ) => {
    const first = await world.start([hold, worker(pending)]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.create('worker', 'w/1');
    world.crash();
    const same = contextMigration(1, (context) => context);
    const toKept: Migration = {
      from: 1,
      migrate: (actor) => ({ ...actor, snapshot: { ...actor.snapshot, value: 'kept' } }),
    };
    await expect(world.start([holdTwo([toKept])])).rejects.toMatchObject({
      code: 'MIGRATION_MISSING',
      data: {
        id: 'h/1',
        unclaimed: 'xstate.after.wait.hold.held',
        allowed: ['xstate.after.wait.hold.kept'],
      },
    });
    const { machine } = worker(pending);
    const moved = contextMigration(1, (context) => context);
    const toIdle = {
      from: 1,
      migrate: (actor: Parameters<Migration['migrate']>[0]) => ({
        ...moved.migrate(actor),
        snapshot: { ...actor.snapshot, value: 'idle' },
      }),
    };
    const idle = worker(pending, { version: 2, machine, migrations: [toIdle] });
    await expect(world.start([hold, idle])).rejects.toMatchObject({
      code: 'MIGRATION_MISSING',
      data: { id: 'w/1', unclaimed: 'job' },
    });
    const names = { 'xstate.after.wait.hold.held': 'xstate.after.wait.hold.kept' };
    const renamed: Migration = {
      from: 1,
      migrate: (actor) => renameRows(toKept.migrate(actor), names),
    };
    const last = await world.start([
      holdTwo([renamed]),
      worker(pending, { version: 2, migrations: [same] }),
    ]);
    await world.clock.advance(1_000);
    expect(await last.view('h/1')).toMatchObject({ value: 'released' });
    expect(world.notices).toEqual([]);
  },

  'a machine with other names under the same version is refused before it starts': async (
    world,
  ) => {
    const first = await world.start([hold]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.close();
    const { config, implementations } = hold.machine;
    const machine: unknown = setup(implementations as never).createMachine({
      ...config,
      id: 'grip',
    } as never);
    const other: Definition = { ...hold, machine: machine as AnyStateMachine };
    await expect(world.start([other])).rejects.toMatchObject({
      code: 'MIGRATION_MISSING',
      data: { unclaimed: 'xstate.after.wait.hold.held', allowed: ['xstate.after.wait.grip.held'] },
    });
    const back = await world.start([hold]);
    await world.clock.advance(1_000);
    expect(await back.view('h/1')).toMatchObject({ value: 'released' });
  },

  'time travel into an older version needs no program of it': async (world) => {
    const first = await world.start([hold]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.tell('h/1', { type: 'AGAIN' });
    await first.tell('h/1', { type: 'AGAIN' });
    await first.close();
    const same = contextMigration(1, (context) => ({ ...context, note: 'moved' }));
    const next = await world.start([{ ...hold, version: 2, migrations: [same] }]);
    await next.tell('h/1', { type: 'PAUSE' });
    expect(await next.view('h/1', 1)).toMatchObject({ version: 1, context: { rounds: 1 } });
    expect(await next.view('h/1', 3)).toMatchObject({ version: 1, context: { rounds: 3 } });
    expect(await next.view('h/1', 4)).toMatchObject({ version: 2, context: { note: 'moved' } });
    expect(await next.view('h/1', 2)).toMatchObject({ version: 1, context: { rounds: 2 } });
    await expect(next.fork('h/1', 3)).rejects.toMatchObject({ code: 'REPLAY_VERSION_GONE' });
  },

  'an action that changed without a new version counts from now on alone': async (world) => {
    const first = await world.start([hold]);
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.tell('h/1', { type: 'AGAIN' });
    world.crash();
    const next = await world.start([holdOther()]);
    expect(await next.view('h/1')).toMatchObject({ context: { rounds: 2 } });
    await next.tell('h/1', { type: 'AGAIN' });
    expect(await next.view('h/1')).toMatchObject({ context: { rounds: 12 } });
  },
};

/** Version 2 of `hold`: its state `held` is named `kept`. */
function holdTwo(migrations: readonly Migration[]): Definition {
  return define({
    kind: 'hold',
    version: 2,
    machine: setup({
      types: { context: {} as { readonly holdMs: number } },
      delays: { wait: ({ context }) => context.holdMs },
    }).createMachine({
      id: 'hold',
      context: { holdMs: 0 },
      initial: 'kept',
      states: { kept: { after: { wait: 'released' } }, released: {} },
    }),
    effects: {},
    migrations,
  });
}

/** `hold` with another count, though it calls itself the same. */
function holdOther(): Definition {
  const machine = hold.machine.provide({
    actions: { round: assign({ rounds: ({ context }) => Number(context['rounds']) + 10 }) },
  } as never);
  return { ...hold, machine };
}
