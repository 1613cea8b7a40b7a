import type { LlmPort } from '../../src/domain/llm/llm.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import { type ScriptedAnswer, type ScriptedCall, scriptedLlm } from '../support/scripted-llm.ts';

/** Models that follow a script, phase by phase as the test lets them. */
export interface HeldLlm {
  readonly llm: LlmPort;
  /** What they say; a test changes it. */
  say: (call: ScriptedCall) => ScriptedAnswer;
  /** From now on turns of the phase wait. */
  hold(phase: string): void;
  /** Turns of the phase go on. */
  release(phase: string): void;
}

/** Makes such models, one of each family. */
export function heldLlm(families: readonly string[]): HeldLlm {
  const held = new Map<string, Deferred<void>>();
  const scripted = scriptedLlm({ families, say: (call) => own.say(call) });
  const own: HeldLlm = {
    say: () => 'hang',
    hold: (phase) => held.set(phase, deferred()),
    release: (phase) => {
      held.get(phase)?.resolve();
      held.delete(phase);
    },
    llm: {
      ...scripted,
      complete: async (request) => {
        await held.get(request.schema.name.replace('panel_', ''))?.promise;
        return scripted.complete(request);
      },
    },
  };
  return own;
}
