import { machineOf, num, oneCaller, type System, set, when } from './system.ts';

/** Small durable runtimes with one caller at a time: counters, kills and children. */
export const DURABLE: readonly System[] = [
  // Kubernetes, documentation of CronJob: one start can create two jobs.
  oneCaller('a cron job runs twice when the clock is set back', {
    isPublished: true,
    machine: machineOf({
      id: 'cron',
      context: { runs: 0, last: 0 },
      on: {
        HOUR: {
          guard: when((c, e) => num(e, 'hour') > num(c, 'last')),
          actions: set((c, e) => ({ runs: num(c, 'runs') + 1, last: num(e, 'hour') })),
        },
      },
    }),
    events: { HOUR: [{ hour: 1 }, { hour: 2 }, { hour: 3 }] },
    program: (isFaulty) => {
      let [runs, last, previous] = [0, 0, 0];
      return {
        on: {
          HOUR: ({ hour = 0 }) => {
            // The faulty one compares with the hour before, not with the last run.
            const isNew = isFaulty ? hour !== previous && hour >= last : hour > last;
            previous = hour;
            if (!isNew) return;
            runs += 1;
            last = hour;
          },
        },
        look: () => ({ value: {}, facets: { runs, last } }),
      };
    },
  }),
  // Kubernetes, documentation of CronJob: after too many missed starts no job starts again.
  oneCaller('a schedule stops after too many missed starts', {
    isPublished: true,
    machine: machineOf({
      id: 'missed',
      context: { runs: 0, missed: 0 },
      on: {
        MISS: { actions: set((c) => ({ missed: num(c, 'missed') + 1 })) },
        START: { actions: set((c) => ({ missed: 0, runs: num(c, 'runs') + 1 })) },
      },
    }),
    program: (isFaulty) => {
      let [runs, missed] = [0, 0];
      return {
        on: {
          MISS: () => {
            missed += 1;
          },
          START: () => {
            if (isFaulty && missed > 5) return;
            missed = 0;
            runs += 1;
          },
        },
        look: () => ({ value: {}, facets: { runs, missed } }),
      };
    },
  }),
  oneCaller('the result of a child is lost after a restart', {
    machine: machineOf(
      {
        id: 'parent',
        initial: 'idle',
        states: {
          idle: { on: { GO: 'working' } },
          working: { invoke: { src: 'job', id: 'job', onDone: 'idle', onError: 'failed' } },
          failed: {},
        },
      },
      ['job'],
    ),
    program: (isFaulty) => {
      let state = 'idle';
      let isWaiting = false;
      return {
        on: {
          GO: () => {
            if (state !== 'idle') return;
            state = 'working';
            isWaiting = true;
          },
        },
        settle: (_src, isGood) => {
          if (isWaiting) state = isGood ? 'idle' : 'failed';
          isWaiting = false;
        },
        restart: () => {
          if (isFaulty) isWaiting = false;
        },
        look: () => ({ value: state }),
      };
    },
  }),
  oneCaller('one retry too many', {
    machine: machineOf({
      id: 'retries',
      context: { tries: 0 },
      initial: 'trying',
      states: {
        trying: {
          on: {
            FAIL: [
              { guard: when((c) => num(c, 'tries') >= 3), target: 'failed' },
              { actions: set((c) => ({ tries: num(c, 'tries') + 1 })) },
            ],
            OK: { actions: set(() => ({ tries: 0 })) },
          },
        },
        failed: {},
      },
    }),
    program: (isFaulty) => {
      let [state, tries] = ['trying', 0];
      return {
        on: {
          FAIL: () => {
            if (state === 'failed') return;
            if (isFaulty ? tries > 3 : tries >= 3) state = 'failed';
            else tries += 1;
          },
          OK: () => {
            if (state === 'trying') tries = 0;
          },
        },
        look: () => ({ value: state, facets: { tries } }),
      };
    },
  }),
  // RabbitMQ, documentation of acknowledgements: automatic ones lose messages on a crash.
  oneCaller('a message acknowledged before it is stored is lost', {
    isPublished: true,
    machine: machineOf({
      id: 'consumer',
      context: { stored: 0, waiting: 0 },
      on: {
        DELIVER: { actions: set((c) => ({ waiting: num(c, 'waiting') + 1 })) },
        STORE: {
          actions: set((c) => ({ stored: num(c, 'stored') + num(c, 'waiting'), waiting: 0 })),
        },
      },
    }),
    program: (isFaulty) => {
      let [stored, waiting] = [0, 0];
      return {
        on: {
          DELIVER: () => {
            waiting += 1;
          },
          STORE: () => {
            stored += waiting;
            waiting = 0;
          },
        },
        restart: () => {
          if (isFaulty) waiting = 0;
        },
        look: () => ({ value: {}, facets: { stored, waiting } }),
      };
    },
  }),
  // PostgreSQL, 2018: after a failed fsync, the next one reported success without the data.
  oneCaller('a second sync reports what the first one lost', {
    isPublished: true,
    machine: machineOf({
      id: 'sync',
      context: { dirty: 0, safe: 0 },
      on: {
        WRITE: { actions: set((c) => ({ dirty: num(c, 'dirty') + 1 })) },
        SYNC_FAILS: {},
        SYNC: { actions: set((c) => ({ safe: num(c, 'safe') + num(c, 'dirty'), dirty: 0 })) },
      },
    }),
    program: (isFaulty) => {
      let [dirty, safe] = [0, 0];
      return {
        on: {
          WRITE: () => {
            dirty += 1;
          },
          SYNC_FAILS: () => {
            if (isFaulty) dirty = 0;
          },
          SYNC: () => {
            safe += dirty;
            dirty = 0;
          },
        },
        look: () => ({ value: {}, facets: { safe } }),
      };
    },
  }),
  // M. Kleppmann, How to do distributed locking, 2016: a holder writes after its lock has expired.
  oneCaller('a write with the token of an expired lock', {
    isPublished: true,
    machine: machineOf({
      id: 'fencing',
      context: { token: 0, writes: 0 },
      on: {
        LOCK: { actions: set((c) => ({ token: num(c, 'token') + 1 })) },
        WRITE: {
          guard: when((c, e) => num(e, 'token') === num(c, 'token')),
          actions: set((c) => ({ writes: num(c, 'writes') + 1 })),
        },
      },
    }),
    events: { WRITE: [{ token: 1 }, { token: 2 }] },
    program: (isFaulty) => {
      let [token, writes] = [0, 0];
      return {
        on: {
          LOCK: () => {
            token += 1;
          },
          WRITE: (event) => {
            const mine = num(event, 'token');
            if (isFaulty ? mine <= token : mine === token) writes += 1;
          },
        },
        look: () => ({ value: {}, facets: { token, writes } }),
      };
    },
  }),
  oneCaller('a child of a state that was left goes on', {
    machine: machineOf(
      {
        id: 'build',
        initial: 'idle',
        states: {
          idle: { on: { START: 'building' } },
          building: {
            on: { CANCEL: 'idle' },
            invoke: { src: 'build', id: 'build', onDone: 'built', onError: 'idle' },
          },
          built: {},
        },
      },
      ['build'],
    ),
    program: (isFaulty) => {
      let state = 'idle';
      const effects = new Set<string>();
      return {
        on: {
          START: () => {
            if (state !== 'idle') return;
            state = 'building';
            effects.add('build');
          },
          CANCEL: () => {
            if (state !== 'building') return;
            state = 'idle';
            if (!isFaulty) effects.clear();
          },
        },
        settle: (_src, isGood) => {
          effects.clear();
          state = isGood ? 'built' : 'idle';
        },
        look: () => ({ value: state, effects: [...effects] }),
      };
    },
  }),
];
