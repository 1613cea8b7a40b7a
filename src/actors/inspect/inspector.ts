import type { Inspector } from '../../domain/inspect/inspector.ts';
import { createEngineInspector } from './engine-inspector.ts';
import type { InspectorOptions } from './inspector-options.ts';
import { createRedactors } from './redaction/kinds.ts';
import { createSubjectViews } from './subject-views.ts';

/** Creates the inspector behind the console of this server, with its panels and audits. */
export function createInspector(options: InspectorOptions): Inspector {
  const { redactions, panelViews, blobs, engine, clock, pushClock = clock, ...rest } = options;
  return createEngineInspector({
    ...rest,
    engine,
    clock,
    pushClock,
    redactorOf: createRedactors(redactions),
    subjects: createSubjectViews({ engine, blobs, panelViews, clock: pushClock }),
  });
}
