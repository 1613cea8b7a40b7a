import { controlMachine, version as controlVersion } from '../../machines/control/control.ts';
import { jobMachine, version as jobVersion } from '../../machines/escrow/job.ts';
import { define } from '../../runtime/engine/define.ts';
import { type Definition, type Effect, LATER } from '../../runtime/engine/types.ts';

/** Actor kinds that exist for development only. */
export const DEVELOPMENT_KINDS = ['job', 'control'] as const;

/**
 * Creates the development actors, whose effects start nothing and wait for an external result. Only
 * a test server runs them.
 */
export function defineDevelopmentActors(): readonly Definition[] {
  return [
    defineDevelopmentKind({ kind: 'job', version: jobVersion, machine: jobMachine }),
    defineDevelopmentKind({ kind: 'control', version: controlVersion, machine: controlMachine }),
  ];
}

function defineDevelopmentKind(o: {
  readonly kind: (typeof DEVELOPMENT_KINDS)[number];
  readonly version: number;
  readonly machine: Definition['machine'];
}): Definition {
  const names = Object.keys(o.machine.implementations.actors);
  const effects = Object.fromEntries(names.map((name) => [name, answerLater]));
  return define({ ...o, effects: effects as never, migrations: [] });
}

const answerLater: Effect<unknown> = { run: async () => LATER };
