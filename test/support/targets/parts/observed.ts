import type { Observed, SeenCall, SeenRequest } from '../target.ts';

/** What is remembered of each kind; later ones are dropped. */
const SEEN_MAX = 2_000;

/** A record of what a target saw. */
export function observation(): Observed {
  const requests: SeenRequest[] = [];
  const calls: SeenCall[] = [];
  const effects: string[] = [];
  return {
    requests,
    calls,
    effects,
    noteRequest: (request) => keep(requests, request),
    noteCall: (call) => keep(calls, call),
    noteEffect: (effect) => keep(effects, effect),
  };
}

function keep<T>(list: T[], value: T): void {
  if (list.length < SEEN_MAX) list.push(value);
}
