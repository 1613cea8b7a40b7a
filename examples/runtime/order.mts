// A durable order. The first run is killed once the order is placed; the second one finds it where
// it was, and a person lets it go on.
//   node order.mjs data kill
//   node order.mjs data
import { createEngine, define, LATER, systemClock } from '@stoa/runtime';
import { openEngineStore } from '@stoa/runtime/lmdb';
import { assign, fromPromise, setup } from 'xstate';

const folder = process.argv[2] ?? 'data';
const say = (line: string) => process.stdout.write(`${line}\n`);

// [guide define
const named = <Out, In>() => fromPromise<Out, In>(() => Promise.reject(new Error('see effects')));

const machine = setup({
  types: {} as { context: { item: string; parcel?: string }; input: { item: string } },
  actors: {
    approve: named<{ by: string }, { item: string }>(),
    ship: named<{ parcel: string }, { item: string }>(),
  },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item }),
  initial: 'approving',
  states: {
    approving: {
      invoke: {
        src: 'approve',
        input: ({ context }) => ({ item: context.item }),
        onDone: 'shipping',
        onError: 'refused',
      },
      // A timer is a row with a due time. It can be years ahead and survives restarts.
      after: { [3 * 24 * 60 * 60 * 1000]: 'refused' },
      on: { CANCEL: 'refused' },
    },
    shipping: {
      invoke: {
        src: 'ship',
        input: ({ context }) => ({ item: context.item }),
        onDone: {
          target: 'shipped',
          actions: assign({ parcel: ({ event }) => event.output.parcel }),
        },
        onError: 'refused',
      },
    },
    shipped: { type: 'final' },
    refused: { type: 'final' },
  },
});

const order = define({
  kind: 'order',
  version: 1,
  machine,
  effects: {
    // A person decides, perhaps days later. The effect waits until `complete` is called.
    approve: { run: async () => LATER },
    // Runs at least once, always with the same token: use it as the idempotency key.
    ship: { run: async ({ item }, { token }) => ({ parcel: `${item}, ${token}` }), attempts: 5 },
  },
});
// guide]

// [guide run
const store = openEngineStore({ path: folder });
const engine = await createEngine({ store, clock: systemClock(), definitions: [order] });
// A repeat with the same id returns the first result. Acknowledged data is on disk.
const { seq, value } = await engine.create('order', 'order/1', { item: 'lamp' });
// guide]
say(`row ${seq}: ${String(value)}`);

const isFirstRun = process.argv[3] === 'kill';
if (isFirstRun) {
  // [guide kill
  process.kill(process.pid, 'SIGKILL');
  // guide]
}

// [guide watch
const unwatch = engine.watch('order/1', 1, (row) => say(`${row.seq} ${row.event.type}`));
// guide]

// [guide fork
const copy = await engine.fork('order/1', 1);
await engine.tell(copy.id, { type: 'CANCEL' });
// guide]
say(`the copy is ${String((await engine.view(copy.id)).value)}`);

// [guide complete
const [approval] = (await engine.view('order/1')).effects;
if (approval !== undefined) {
  await engine.complete(approval.token, { ok: true, output: { by: 'Ada' } });
}
const isDone = ({ status }: { status: string }) => status === 'done';
const shipped = await engine.waitFor('order/1', isDone, { timeoutMs: 10_000 });
// guide]
say(`shipped as ${String(shipped.context['parcel'])}`);

// [guide close
unwatch();
await engine.close();
await store.close();
// guide]
